//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bridge

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file against other sessions, of this process and of others; the
// kernel lets go of it when the process dies. A file system that knows no locks
// is used without: each line is still one write.
func lock(file *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	err := flock(file, how)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		return nil
	}
	return err
}

func unlock(file *os.File) { flock(file, syscall.LOCK_UN) }

func flock(file *os.File, how int) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := raw.Control(func(fd uintptr) {
		for {
			if locked = syscall.Flock(int(fd), how); locked != syscall.EINTR {
				return
			}
		}
	}); err != nil {
		return err
	}
	return locked
}
