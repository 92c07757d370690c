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

// Replace writes a file that was read as old anew, in one step: whoever opens it
// finds the old text or the new one, and after any error the old one. The file
// keeps its mode and its owner, and a symbolic link keeps pointing at it (R99).
func Replace(name string, old, text []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("is not a regular file")}
	}
	if err := writable(target); err != nil {
		return named(name, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return named(name, err)
	}
	if err := fill(temp, text, info); err != nil {
		os.Remove(temp.Name())
		return named(name, err)
	}
	if now, err := os.ReadFile(target); err != nil || !bytes.Equal(now, old) {
		os.Remove(temp.Name())
		return &fs.PathError{Op: "write", Path: name, Err: ErrRaced}
	}
	if err := os.Rename(temp.Name(), target); err != nil {
		os.Remove(temp.Name())
		return named(name, err)
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
