package source

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// IgnoreFile names paths that walks leave out, in the syntax of .gitignore. One
// lies in any folder and speaks of what is under it; what it says goes before
// what those of the folders above say. They are read up to the root of the
// repository, the nearest folder with a .git, or up to the root of the file
// system where there is none.
const IgnoreFile = ".koruignore"

// ignoring is what the ignore files of a folder and of those above it say.
type ignoring struct {
	patterns []pattern
	name     string    // of the folder, in the one above
	above    *ignoring // or nil
}

// ignoringIn reads the ignore file of a folder, if it has one.
func ignoringIn(folder fs.FS, name string, above *ignoring) (*ignoring, error) {
	text, err := fs.ReadFile(folder, IgnoreFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // what it would have left out must not be touched
	}
	in := &ignoring{name: name, above: above}
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if p, ok := parsePattern(strings.TrimRight(line, "\r\n")); ok {
			in.patterns = append(in.patterns, p)
		}
	}
	return in, nil
}

// ignoringAbove reads the ignore files of the folders above dir. up names the
// folder above another, and the topmost itself; open opens one.
func ignoringAbove(dir string, up func(string) string, open func(string) (fs.FS, error)) (*ignoring, error) {
	folder, err := open(dir)
	if err != nil {
		return nil, err
	}
	parent := up(dir)
	if parent == dir || isRepository(folder) {
		return nil, nil
	}
	above, err := ignoringAbove(parent, up, open)
	if err != nil {
		return nil, err
	}
	if folder, err = open(parent); err != nil {
		return nil, err
	}
	in, err := ignoringIn(folder, path.Base(filepath.ToSlash(parent)), above)
	return in, renamed(filepath.Join(parent, IgnoreFile), err)
}

// isRepository reports whether a folder is the root of a repository.
func isRepository(folder fs.FS) bool {
	_, err := fs.Stat(folder, ".git")
	return err == nil
}

// leavesOut reports whether an entry of the folder is left out. The last pattern
// that matches it decides, in the folder that is the nearest to it.
func (in *ignoring) leavesOut(name string, dir bool) bool {
	for ; in != nil; in = in.above {
		for i := len(in.patterns) - 1; i >= 0; i-- {
			if p := in.patterns[i]; p.matches(name, dir) {
				return !p.negated
			}
		}
		name = path.Join(in.name, name)
	}
	return false
}

// pattern is one line of an ignore file.
type pattern struct {
	glob    string
	negated bool // takes back what patterns above it left out
	folders bool // matches folders only
}

// parsePattern reads a line as git does, and reports whether it holds a pattern.
func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimBlanks(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	if anchored := strings.Contains(line, "/"); !anchored {
		line = "**/" + line
	}
	line = strings.TrimPrefix(line, "/")
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is in the folder, not the folder
	}
	p.glob = braces.Replace(line)
	return p, doublestar.ValidatePattern(p.glob)
}

// braces are plain characters to git.
var braces = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`)

// trimBlanks cuts the blanks at the end of a line, but for one behind a \.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " \t")
	if escapes := len(trimmed) - len(strings.TrimRight(trimmed, `\`)); escapes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

func (p pattern) matches(name string, dir bool) bool {
	if p.folders && !dir {
		return false
	}
	ok, err := doublestar.Match(p.glob, name)
	return ok && err == nil
}
