// Package source finds the Koru files that a command line names.
package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Ledger is the file that marks a folder as a world: its definitions are not
// programs of their own (R50).
const Ledger = "holds.log"

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
// and what an [IgnoreFile] leaves out are skipped, unless they are named outright.
// "-" is passed on. Without paths it is the current folder (R60).
//
// What cannot be read is left out of the names, and is in the error: a check that
// passes over it in silence would lie. The error joins one for each such place.
func Files(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []string
	var errs []error
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
		switch info, err := os.Stat(p); {
		case err != nil:
			errs = append(errs, err)
		case info.IsDir():
			walk(p, add, func(err error) { errs = append(errs, err) })
		default:
			add(filepath.Clean(p))
		}
	}
	return out, errors.Join(errs...)
}

// walk calls add for every Koru file under root, and failed for what it cannot
// read.
func walk(root string, add func(string), failed func(error)) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		failed(err)
		return
	}
	disk := func(dir string) (fs.FS, error) { return os.DirFS(dir), nil }
	above, err := ignoringAbove(absolute, filepath.Dir, disk)
	if err != nil {
		failed(err)
		return
	}
	under := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	w := walker{
		files: os.DirFS(root),
		add:   func(name string) { add(under(name)) },
		failed: func(name string, err error) error {
			failed(renamed(under(name), err))
			return nil
		},
	}
	if err := w.walk(".", filepath.Base(absolute), above); err != nil {
		failed(err)
	}
}

// renamed returns an error about a file under the name it is known by.
func renamed(name string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

// Walk calls add for every Koru file under a folder of a file system, in order.
// What it leaves out is what Files leaves out. failed is asked about a folder
// that cannot be read, itself or its ignore file; a nil error leaves it out.
func Walk(fsys fs.FS, root string, add func(name string), failed func(name string, err error) error) error {
	sub := func(dir string) (fs.FS, error) { return fs.Sub(fsys, dir) }
	above, err := ignoringAbove(root, path.Dir, sub)
	if err != nil {
		return failed(root, err)
	}
	w := walker{fsys, add, failed}
	return w.walk(root, path.Base(root), above)
}

// walker goes through one file system.
type walker struct {
	files  fs.FS
	add    func(name string)
	failed func(name string, err error) error
}

// walk goes through the folder root of the given name. above is what the ignore
// files of the folders above it say.
func (w walker) walk(root, name string, above *ignoring) error {
	folders := map[string]*ignoring{}
	return fs.WalkDir(w.files, root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since the folder was read
			}
			return w.failed(at, err)
		}
		name, above := name, above
		if at != root {
			name, above = d.Name(), folders[path.Dir(at)]
			if above.leavesOut(name, d.IsDir()) || d.IsDir() && skipped(w.files, at) {
				return leave(d)
			}
		}
		if d.IsDir() {
			folders[at], err = w.ignoringIn(at, name, above)
			return err
		}
		if IsKoru(name) && regular(w.files, at, d) {
			w.add(at)
		}
		return nil
	})
}

// leave is how a walk leaves out an entry.
func leave(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// ignoringIn reads the ignore file of a folder.
func (w walker) ignoringIn(dir, name string, above *ignoring) (*ignoring, error) {
	folder, err := fs.Sub(w.files, dir)
	if err != nil {
		return nil, err
	}
	in, err := ignoringIn(folder, name, above)
	if err == nil {
		return in, nil
	}
	at := path.Join(dir, IgnoreFile)
	if _, closed := fs.ReadDir(w.files, dir); closed != nil {
		at, err = dir, closed
	}
	if err := w.failed(at, err); err != nil {
		return nil, err
	}
	return nil, fs.SkipDir
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
