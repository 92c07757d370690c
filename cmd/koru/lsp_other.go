//go:build !unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// wholeDisk is the file system that file: URIs are paths of: /c:/work/a.k is
// C:\work\a.k, whatever the drive.
func wholeDisk() fs.FS { return drives{} }

type drives struct{}

func (drives) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.Open(filepath.FromSlash(withRoot(name)))
}

func (drives) Stat(name string) (fs.FileInfo, error) {
	return os.Stat(filepath.FromSlash(withRoot(name)))
}

// withRoot makes the path of a drive absolute: c: alone would mean the folder
// that is current there.
func withRoot(name string) string {
	if len(name) == 2 && name[1] == ':' {
		return name + "/"
	}
	return name
}

// processRuns reports whether a process of that id runs.
func processRuns(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
