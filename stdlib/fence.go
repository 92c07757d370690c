package stdlib

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the file verbs. Whoever holds a Dir may be a model, and what is in
// the directory may have been put there by anyone.
const (
	MaxFile    = 16 << 20  // bytes of a file that is read whole, of a line, of a text to write
	MaxLines   = 1_000_000 // lines of collect-lines
	MaxEntries = 100_000   // names of list
	MaxPath    = 4096      // bytes of a path
)

// Dir is an open directory: the object behind the handle *Dir of std/fs. Paths
// given to it stay inside it (bridge.md 10.3).
//
// The fence has three layers. The path is cleaned and judged as text, so that
// the refusal says what was wrong with it. [os.Root] then walks it without
// ever leaving the directory, whatever symbolic links do meanwhile. What Root
// alone would let through is refused on the open file: pipes, sockets and
// devices (looked at before they are opened, opened without blocking, and
// looked at again), the files of /proc and its like, and files that have a
// second name, for that name may be outside.
//
// Symbolic links that stay inside are followed when reading. A link is never
// written through. A file system that is mounted inside the directory is
// inside: only who may mount can put it there.
type Dir struct {
	root *os.Root
	// escape is the error with which root refuses to leave the directory.
	escape error
}

// OpenDir opens an existing directory. It does not create one.
func OpenDir(path string) (*Dir, error) {
	if path == "" {
		return nil, notFound
	}
	// The dot makes the kernel refuse what is no directory before it opens it:
	// a pipe would wait for its other end.
	root, err := os.OpenRoot(path + string(filepath.Separator) + ".")
	if err != nil {
		if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
			err = noDirectory
		}
		return nil, err
	}
	d := &Dir{root: root}
	if err := d.refusePseudo(); err != nil {
		root.Close()
		return nil, err
	}
	var outside *fs.PathError
	if _, err := root.Lstat(".."); errors.As(err, &outside) {
		d.escape = outside.Err
	}
	return d, nil
}

func (d *Dir) refusePseudo() error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if isPseudo(f) {
		return denied
	}
	return nil
}

// Close lets go of the directory. Closing it twice is no error.
func (d *Dir) Close() error { return d.root.Close() }

// inside cleans a path and judges it as text.
func (d *Dir) inside(path string) (string, error) {
	switch {
	case len(path) > MaxPath:
		return "", tooLong
	case strings.ContainsRune(path, 0):
		return "", escapes
	case path == "":
		return "", isDirectory
	case !filepath.IsLocal(path):
		return "", escapes
	}
	name := filepath.Clean(path)
	if name == "." {
		return "", isDirectory
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return "", d.asDirectory(name)
	}
	return name, nil
}

// asDirectory says what is wrong with a path that ends in a slash.
func (d *Dir) asDirectory(name string) error {
	info, err := d.root.Stat(name)
	switch {
	case err != nil:
		return d.why(err)
	case info.IsDir():
		return isDirectory
	}
	return noDirectory
}

// why tells an escape from other errors of the root.
func (d *Dir) why(err error) error {
	if d.escape != nil && errors.Is(err, d.escape) {
		return escapes
	}
	return err
}

// open opens a regular file for reading.
func (d *Dir) open(path string) (*os.File, error) {
	name, err := d.inside(path)
	if err != nil {
		return nil, err
	}
	info, err := d.root.Stat(name)
	if err != nil {
		return nil, d.why(err)
	}
	if err := sole(info); err != nil {
		return nil, err
	}
	return d.openAs(name, os.O_RDONLY)
}

// openAs opens a file and judges what was opened, not what the name said.
func (d *Dir) openAs(name string, flag int) (*os.File, error) {
	f, err := d.root.OpenFile(name, flag|withoutBlocking, 0)
	if err != nil {
		return nil, d.why(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = sole(info)
	}
	if err == nil && isPseudo(f) {
		err = notRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sole judges that a file is regular and has one name.
func sole(info fs.FileInfo) error {
	if err := regular(info); err != nil {
		return err
	}
	if links(info) > 1 {
		return hardLinked
	}
	return nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return isDirectory
	case !info.Mode().IsRegular():
		return notRegular
	}
	return nil
}

// readAll reads a whole file, never more than [MaxFile] bytes.
func readAll(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Size() > MaxFile {
		return "", tooLarge
	}
	return readText(f, int(info.Size()))
}

// readText reads all there is, never more than [MaxFile] bytes. size is how
// much is expected.
func readText(r io.Reader, size int) (string, error) {
	var b strings.Builder
	b.Grow(size + 1)
	if _, err := io.Copy(&b, io.LimitReader(r, MaxFile+1)); err != nil {
		return "", err
	}
	if b.Len() > MaxFile {
		return "", tooLarge
	}
	return b.String(), nil
}

// names lists the entries of the directory, sorted bytewise.
func (d *Dir) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for {
		batch, err := f.Readdirnames(4096)
		names = append(names, batch...)
		if len(names) > MaxEntries {
			return nil, manyEntries
		}
		if err == io.EOF {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// write replaces the content of a file, or makes the file, in one step: others
// see the old text or the new one, never half of it. A file that is there
// keeps its permissions. If the process dies on the way, a file named
// .koru-….tmp may be left.
func (d *Dir) write(path, content string) error {
	name, err := d.inside(path)
	if err != nil {
		return err
	}
	if len(content) > MaxFile {
		return tooLarge
	}
	mode, fresh, err := d.target(name)
	if err != nil {
		return err
	}
	temp, f, err := d.temporary(filepath.Dir(name), mode)
	if err != nil {
		return err
	}
	if err = fill(f, content, mode, fresh); err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		d.root.Remove(temp)
		return d.why(err)
	}
	d.settle(filepath.Dir(name))
	return nil
}

// target judges what is to be written: a file that may be written, or a name
// that is free. fresh says that the name is free.
func (d *Dir) target(name string) (mode fs.FileMode, fresh bool, err error) {
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o666, true, nil
	case err != nil:
		return 0, false, d.why(err)
	case info.Mode().Type() == fs.ModeSymlink:
		if _, err := d.root.Stat(name); err != nil && d.why(err) == escapes {
			return 0, false, escapes
		}
		return 0, false, isLink
	}
	if err := sole(info); err != nil {
		return 0, false, err
	}
	// Replacing a file needs no right to it, only to its folder. Opening it
	// first keeps a file that is read-only from being replaced.
	f, err := d.openAs(name, os.O_WRONLY)
	if err != nil {
		return 0, false, err
	}
	return info.Mode().Perm(), false, f.Close()
}

func (d *Dir) temporary(folder string, mode fs.FileMode) (string, *os.File, error) {
	name := filepath.Join(folder, ".koru-"+rand.Text()[:16]+".tmp")
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", nil, d.why(err)
	}
	return name, f, nil
}

func fill(f *os.File, content string, mode fs.FileMode, fresh bool) error {
	_, err := f.WriteString(content)
	if err == nil && !fresh {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// settle asks the disk to remember the new name. The file itself is safe by
// now, so a file system that cannot do it is no failure.
func (d *Dir) settle(folder string) {
	if f, err := d.root.OpenFile(folder, os.O_RDONLY|withoutBlocking, 0); err == nil {
		f.Sync()
		f.Close()
	}
}
