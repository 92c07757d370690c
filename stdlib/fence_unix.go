//go:build unix

package stdlib

import (
	"io/fs"
	"syscall"
)

// withoutBlocking opens a pipe or a terminal without waiting for its other end.
const withoutBlocking = syscall.O_NONBLOCK

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
