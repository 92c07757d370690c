package bridge

import "os"

// disk is what worlds and their ledgers are written with: every change of a
// file of theirs is one of these calls. Tests take their place, to end the
// process between two of them or in the middle of one.
var disk = struct {
	create   func(root *os.Root, name string) (*os.File, error) // a file that does not exist yet
	write    func(*os.File, []byte) (int, error)
	sync     func(*os.File) error
	truncate func(file *os.File, size int64) error
	rename   func(root *os.Root, from, to string) error
	remove   func(root *os.Root, name string) error
}{
	create: func(root *os.Root, name string) (*os.File, error) {
		return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	},
	write:    (*os.File).Write,
	sync:     (*os.File).Sync,
	truncate: (*os.File).Truncate,
	rename:   (*os.Root).Rename,
	remove:   (*os.Root).Remove,
}

// diskWriter writes to a file by way of the disk.
type diskWriter struct{ file *os.File }

func (w diskWriter) Write(data []byte) (int, error) { return disk.write(w.file, data) }
