//go:build unix

package stdlib

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// While the paths are read and written, somebody swaps the folder on the way
// for a link to the outside, over and over.
func TestASwapWhileInUse(t *testing.T) {
	y := newYard(t)
	folder, aside := filepath.Join(y.box, "sub"), filepath.Join(y.box, "aside")
	swapping, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapping)
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(folder, aside)
			os.Symlink("../out", folder)
			os.Remove(folder)
			os.Rename(aside, folder)
		}
	}()
	for range 2000 {
		if got := y.call("std/fs:read", field{"d", y.dir}, field{"path", "sub/secret"}); strings.Contains(got, "the secret") {
			t.Fatal("the file outside was read")
		}
		y.call("std/fs:write", field{"d", y.dir}, field{"path", "sub/new"}, field{"content", "pwn"})
	}
	close(stop)
	<-swapping
	y.untouched()
}

// Opening a pipe waits for its other end: with os.Root alone each of these
// calls hangs for ever.
func TestAPipeNeverBlocks(t *testing.T) {
	y := newYard(t)
	if err := syscall.Mkfifo(filepath.Join(y.box, "pipe"), 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	y.link("pipe", "to-pipe")
	for _, path := range []string{"pipe", "to-pipe"} {
		y.read("failed Not a regular file", path)
		y.expect("failed Not a regular file", "std/fs:collect-lines", field{"d", y.dir}, field{"path", path})
		y.expect("failed Not a regular file", "std/fs:read-lines-in", field{"d", y.dir}, field{"path", path})
	}
	y.read("failed Not a directory", "pipe/a.txt")
	y.write("failed Not a regular file", "pipe", "text")
	y.write("failed Not a directory", "pipe/a.txt", "text")
	y.expect("failed Not a directory", "std/fs:dir", field{"path", "box/pipe"})
	y.expect("failed Not a regular file", "std/fs:read-lines", field{"path", "box/pipe"})
	y.expect("failed Not a regular file", "std/fs:write-file", field{"path", "box/pipe"}, field{"content", "x"})
}

func TestASocketIsNoFile(t *testing.T) {
	y := newYard(t)
	t.Chdir(y.box) // the path of a socket must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer l.Close()
	y.read("failed Not a regular file", "socket")
	y.write("failed Not a regular file", "socket", "text")
}

func TestDevicesAreNoFiles(t *testing.T) {
	w := newWorld(t)
	d, err := OpenDir("/dev")
	if err != nil {
		t.Skipf("no /dev here: %v", err)
	}
	defer d.Close()
	for _, name := range []string{"null", "zero", "tty"} {
		w.expect("failed Not a regular file", "std/fs:read", field{"d", d}, field{"path", name})
		w.expect("failed Not a regular file", "std/fs:write", field{"d", d}, field{"path", name}, field{"content", "x"})
	}
	w.expect("failed Not a regular file", "std/fs:read-lines", field{"path", "/dev/zero"})
	w.expect("failed Not a regular file", "std/fs:write-file", field{"path", "/dev/null"}, field{"content", "x"})
}

func TestTheKernelIsNoDirectory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows its kernel as files")
	}
	w := newWorld(t)
	for _, path := range []string{"/proc", "/proc/self", "/sys"} {
		w.expect("failed Access denied", "std/fs:dir", field{"path", path})
	}
}

// A file of /proc says it is regular and empty, and it is neither.
func TestTheKernelMountedInside(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows its kernel as files")
	}
	w := newWorld(t)
	d, err := OpenDir("/")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, path := range []string{"proc/version", "proc/self/environ", "proc/self/root/etc/passwd"} {
		got := w.call("std/fs:read", field{"d", d}, field{"path", path})
		if got != "failed Not a regular file" && got != "failed path escapes the dir" {
			t.Errorf("read(%s) ended in %.60q", path, got)
		}
	}
}
