package source_test

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/internal/source"
)

// nobody is a user without rights on the files of these tests.
const nobody = 65534

// asNobody runs f without the rights of root, where the tests have them. The
// kernel keeps the user of file access for each thread.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// folder makes a folder that nobody may enter.
func folder(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != filepath.Dir(os.TempDir()) && strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	return dir
}

func TestReplaceWithoutRights(t *testing.T) {
	t.Run("a read-only folder", func(t *testing.T) {
		dir := folder(t, 0o755)
		name := filepath.Join(dir, "a.k")
		write(t, name, "old", 0o666)
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		var err error
		asNobody(t, func() { err = source.Replace(name, []byte("old"), []byte("new")) })
		if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v", err)
		}
		wantFile(t, name, "old")
	})
	t.Run("a read-only file", func(t *testing.T) {
		name := filepath.Join(folder(t, 0o777), "a.k")
		write(t, name, "old", 0o444)
		var err error
		asNobody(t, func() { err = source.Replace(name, []byte("old"), []byte("new")) })
		if !errors.Is(err, os.ErrPermission) {
			t.Errorf("got %v", err)
		}
		wantFile(t, name, "old")
	})
	t.Run("a file of somebody else", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can make a file that belongs to somebody else")
		}
		name := filepath.Join(folder(t, 0o777), "a.k")
		write(t, name, "old", 0o666)
		var err error
		asNobody(t, func() { err = source.Replace(name, []byte("old"), []byte("new")) })
		if err == nil || !strings.Contains(err.Error(), "belongs to somebody else") {
			t.Errorf("got %v", err)
		}
		wantFile(t, name, "old")
	})
}

// TestFilesWithoutRights pins that a folder that cannot be read costs itself.
func TestFilesWithoutRights(t *testing.T) {
	dir := folder(t, 0o755)
	write(t, filepath.Join(dir, "a.k"), "", 0o644)
	write(t, filepath.Join(dir, "z.k"), "", 0o644)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(closed, "b.k"), "", 0o644)
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) })
	var names []string
	var err error
	asNobody(t, func() { names, err = source.Files([]string{dir}) })
	if d := cmp.Diff([]string{filepath.Join(dir, "a.k"), filepath.Join(dir, "z.k")}, names); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), closed+":") {
		t.Errorf("got %v", err)
	}
}

func TestReplaceKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	name := filepath.Join(t.TempDir(), "a.k")
	write(t, name, "old", 0o644)
	if err := os.Chown(name, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o4755); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Replace(name, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := after.Sys().(*syscall.Stat_t); s.Uid != nobody || s.Gid != nobody {
		t.Errorf("the file belongs to %d:%d now", s.Uid, s.Gid)
	}
	if before.Mode() != after.Mode() {
		t.Errorf("mode %v became %v", before.Mode(), after.Mode())
	}
}

// TestReplaceOnFullDisk lets the write fail half way, by a limit on the size of
// files.
func TestReplaceOnFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.k")
	write(t, name, "old", 0o644)
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	tiny := limit
	tiny.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &tiny); err != nil {
		t.Fatal(err)
	}
	err := source.Replace(name, []byte("old"), make([]byte, 1<<16))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), name) {
		t.Errorf("got %v", err)
	}
	wantFile(t, name, "old")
}
