package stdlib

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/koru-go/koru/eval"
)

// The verbs that take a path and no Dir act with the authority of the program:
// there is no fence to cross. They share its care for what a path may name: a
// pipe or a device is refused, for reading it might never end.

// hostPath reads a path as the program does: from the folder it runs in.
func hostPath(c *eval.Call, path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", notFound
	}
	if !filepath.IsAbs(path) && c.Host.Dir != "" {
		// Not joined: that would clean the path, and a trailing slash or a
		// link before ".." would lose its meaning.
		path = c.Host.Dir + string(filepath.Separator) + path
	}
	if len(path) > MaxPath {
		return "", tooLong
	}
	return path, nil
}

// openHostFile opens a regular file for reading.
func openHostFile(c *eval.Call, path string) (*os.File, error) {
	path, err := hostPath(c, path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|withoutBlocking, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// writeHostFile writes a file, through a symbolic link to its target, in one
// step like every write.
func writeHostFile(c *eval.Call, path, content string) error {
	path, err := hostPath(c, path)
	if err != nil {
		return err
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return isDirectory
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.write(filepath.Base(path), content)
}
