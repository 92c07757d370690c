// Package source finds the Koru files that a command line names.
package source

import (
	"errors"
	"io/fs"
	"os"
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
	rules := ignored(root)
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since the folder was read
			}
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if name != root && rules.match(rel, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case d.IsDir():
			if name != root && skipped(name) {
				return fs.SkipDir
			}
		case IsKoru(name) && regular(name, d):
			add(name)
		}
		return nil
	})
}

// skipped reports whether a walk leaves out a folder whoever wrote it.
func skipped(dir string) bool {
	base := filepath.Base(dir)
	if strings.HasPrefix(base, ".") || base == "node_modules" {
		return true
	}
	_, err := os.Lstat(filepath.Join(dir, Ledger))
	return err == nil
}

// regular reports whether an entry is a file, or a link to one.
func regular(name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// patterns are the rules of a .koruignore, or nothing.
type patterns struct{ rules *ignore.GitIgnore }

func ignored(root string) patterns {
	rules, err := ignore.CompileIgnoreFile(filepath.Join(root, IgnoreFile))
	if err != nil {
		return patterns{}
	}
	return patterns{rules}
}

func (p patterns) match(rel string, dir bool) bool {
	if p.rules == nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	return p.rules.MatchesPath(rel) || dir && p.rules.MatchesPath(rel+"/")
}
