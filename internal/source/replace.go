package source

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ErrRaced means that somebody else wrote a file between the time it was read
// and the time it was to be replaced.
var ErrRaced = errors.New("changed while it was being worked on; it was left as it is")

// WorldOf returns the folder of the world that a file belongs to, as a
// definition of it or of one of its libraries (R50), or "".
func WorldOf(name string) string {
	dir := filepath.Dir(name)
	if isWorld(os.DirFS(dir), ".") {
		return dir
	}
	if up := filepath.Dir(dir); filepath.Base(dir) == "lib" && isWorld(os.DirFS(up), ".") {
		return up
	}
	return ""
}

// WorldIn is WorldOf for a file of a file system.
func WorldIn(fsys fs.FS, name string) string {
	dir := path.Dir(name)
	if isWorld(fsys, dir) {
		return dir
	}
	if up := path.Dir(dir); path.Base(dir) == "lib" && isWorld(fsys, up) {
		return up
	}
	return ""
}

func isWorld(fsys fs.FS, dir string) bool {
	_, err := fs.Stat(fsys, path.Join(dir, Ledger))
	return err == nil
}

// InWorld reports whether a file lies in a world (R50).
func InWorld(name string) bool { return WorldOf(name) != "" }

// Change is a file that was read as Old and is to be written anew as New.
type Change struct {
	Name     string
	Old, New []byte
}

// Replace writes one file anew, in one step: whoever opens it finds the old text
// or the new one, and after any error the old one. The file keeps its mode and
// its owner, and a symbolic link keeps pointing at it (R99).
func Replace(name string, old, text []byte) error {
	_, err := ReplaceAll([]Change{{name, old, text}})
	return err
}

// ReplaceAll writes files that belong together anew, each as [Replace] does. All
// texts lie beside their files, down to the disk, before the first takes its
// place; what can be refused is refused until then, with every file as it was.
// After an error, changed names the files that have been replaced all the same:
// no file system exchanges several in one step.
func ReplaceAll(changes []Change) (changed []string, err error) {
	var list []*replacement
	defer func() {
		for _, r := range list {
			os.Remove(r.temp) // those that have taken their place are gone
		}
	}()
	for _, c := range changes {
		r, err := prepare(c)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	for _, r := range list {
		if err := r.untouched(); err != nil {
			return nil, err
		}
	}
	for _, r := range list {
		err := r.untouched()
		if err == nil {
			err = os.Rename(r.temp, r.target)
		}
		if err != nil {
			return changed, named(r.Name, err)
		}
		changed = append(changed, r.Name)
	}
	return changed, nil
}

// replacement is a text that lies beside the file it is to replace.
type replacement struct {
	Change
	target, temp string
}

// prepare writes the new text of a file beside it.
func prepare(c Change) (*replacement, error) {
	target, err := filepath.EvalSymlinks(c.Name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "write", Path: c.Name, Err: errors.New("is not a regular file")}
	}
	if err := writable(target); err != nil {
		return nil, named(c.Name, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return nil, named(c.Name, err)
	}
	if err := fill(temp, c.New, info); err != nil {
		os.Remove(temp.Name())
		return nil, named(c.Name, err)
	}
	return &replacement{c, target, temp.Name()}, nil
}

// untouched reports ErrRaced if the file is no longer what was read.
func (r *replacement) untouched() error {
	if now, err := os.ReadFile(r.target); err != nil || !bytes.Equal(now, r.Old) {
		return &fs.PathError{Op: "write", Path: r.Name, Err: ErrRaced}
	}
	return nil
}

// writable reports why a file may not be written: renaming another one over it
// would not ask.
func writable(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// fill writes the text into a temporary file that is to take the place of the
// one that info describes, down to the disk.
func fill(temp *os.File, text []byte, info fs.FileInfo) error {
	_, err := temp.Write(text)
	if err == nil {
		err = keepOwner(temp, info)
	}
	if err == nil {
		err = temp.Chmod(info.Mode()) // after the owner: changing that clears bits
	}
	if err == nil {
		err = temp.Sync()
	}
	return errors.Join(err, temp.Close())
}

// named words an error about the temporary file as one about the file itself.
func named(name string, err error) error {
	reason := err
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		reason = path.Err
	} else if link := (*os.LinkError)(nil); errors.As(err, &link) {
		reason = link.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: reason}
}
