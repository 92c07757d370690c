// Package source finds the Koru files that a command line names.
package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"
)

// Ledger is the file that marks a folder as a world: its definitions are not
// programs of their own (R50).
const Ledger = "holds.log"

// IgnoreFile names paths that walks leave out, in the syntax of .gitignore.
const IgnoreFile = ".koruignore"

// IsKoru reports whether the file of that name is Koru source.
func IsKoru(name string) bool {
	switch filepath.Ext(name) {
	case ".k", ".kz", ".kjs":
		return true
	}
	return false
}

// Files returns the files that paths name, in order: a file stands for itself,
// a folder for every Koru file under it. Hidden folders, node_modules, worlds
// and what a .koruignore leaves out are skipped, unless they are named outright.
// "-" is passed on. Without paths it is the current folder (R60).
func Files(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, p := range paths {
		if p == "-" {
			add(p)
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			add(filepath.Clean(p))
			continue
		}
		if err := walk(p, add); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// walk calls add for every Koru file under root. A folder that cannot be read
// is an error: a check that leaves out what it was asked about would lie.
func walk(root string, add func(string)) error {
	return Walk(os.DirFS(root), ".", func(name string) { add(filepath.Join(root, filepath.FromSlash(name))) }, func(name string, err error) error {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			pe.Path = filepath.Join(root, filepath.FromSlash(name))
		}
		return err
	})
}

// Walk calls add for every Koru file under a folder of a file system, in order.
// What it leaves out is what Files leaves out. failed is asked about a folder
// that cannot be read; a nil error leaves it out.
func Walk(fsys fs.FS, root string, add func(name string), failed func(name string, err error) error) error {
	rules := ignored(fsys, root)
	return fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since the folder was read
			}
			return failed(name, err)
		}
		if name != root && rules.match(below(root, name), d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case d.IsDir():
			if name != root && skipped(fsys, name) {
				return fs.SkipDir
			}
		case IsKoru(name) && regular(fsys, name, d):
			add(name)
		}
		return nil
	})
}

// below returns the path of a name under root.
func below(root, name string) string {
	if root == "." {
		return name
	}
	return strings.TrimPrefix(name, root+"/")
}

// skipped reports whether a walk leaves out a folder whoever wrote it.
func skipped(fsys fs.FS, dir string) bool {
	base := path.Base(dir)
	return strings.HasPrefix(base, ".") || base == "node_modules" || isWorld(fsys, dir)
}

// regular reports whether an entry is a file, or a link to one.
func regular(fsys fs.FS, name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// patterns are the rules of a .koruignore, or nothing.
type patterns struct{ rules *ignore.GitIgnore }

func ignored(fsys fs.FS, root string) patterns {
	text, err := fs.ReadFile(fsys, path.Join(root, IgnoreFile))
	if err != nil {
		return patterns{}
	}
	return patterns{ignore.CompileIgnoreLines(strings.Split(string(text), "\n")...)}
}

func (p patterns) match(rel string, dir bool) bool {
	if p.rules == nil {
		return false
	}
	return p.rules.MatchesPath(rel) || dir && p.rules.MatchesPath(rel+"/")
}
