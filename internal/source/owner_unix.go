//go:build unix

package source

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives the file the owner and group that info has. Where that is not
// allowed the file must not be replaced: it would change hands.
func keepOwner(f *os.File, info fs.FileInfo) error {
	want, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if have, ok := now.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	if f.Chown(int(want.Uid), int(want.Gid)) != nil {
		return errors.New("belongs to somebody else, and a rewritten file would not")
	}
	return nil
}
