//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// wholeDisk is the file system that file: URIs are paths of.
func wholeDisk() fs.FS { return os.DirFS("/") }

// processRuns reports whether a process of that id runs.
func processRuns(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
