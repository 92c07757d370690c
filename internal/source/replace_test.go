package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/internal/source"
)

// write makes a file with the given mode, whatever the umask says.
func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// wantFile asserts what a file holds, and that nothing else lies beside it.
func wantFile(t *testing.T, name, text string, beside ...string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("%s holds %q, want %q", name, got, text)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff(append([]string{filepath.Base(name)}, beside...), names); d != "" {
		t.Errorf("the folder (-want +got):\n%s", d)
	}
}

func TestReplace(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o640, 0o755} {
		name := filepath.Join(t.TempDir(), "a.k")
		write(t, name, "old", mode)
		if err := source.Replace(name, []byte("old"), []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, name, "new")
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode())
		}
	}
}

func TestReplaceFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "far"), 0o755); err != nil {
		t.Fatal(err)
	}
	target, link := filepath.Join(dir, "far", "a.k"), filepath.Join(dir, "link.k")
	write(t, target, "old", 0o644)
	if err := os.Symlink(filepath.Join("far", "a.k"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := source.Replace(link, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, target, "new")
	if to, err := os.Readlink(link); err != nil || to != filepath.Join("far", "a.k") {
		t.Errorf("the link points to %q, %v", to, err)
	}
}

// TestReplaceRefuses pins that a file which cannot be replaced is whole after.
func TestReplaceRefuses(t *testing.T) {
	t.Run("changed meanwhile", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "a.k")
		write(t, name, "somebody else's", 0o644)
		err := source.Replace(name, []byte("old"), []byte("new"))
		if !errors.Is(err, source.ErrRaced) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v", err)
		}
		wantFile(t, name, "somebody else's")
	})
	t.Run("gone meanwhile", func(t *testing.T) {
		err := source.Replace(filepath.Join(t.TempDir(), "a.k"), nil, []byte("new"))
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		if err := source.Replace(t.TempDir(), nil, []byte("new")); err == nil {
			t.Error("a folder was replaced")
		}
	})
}

func TestInWorld(t *testing.T) {
	dir := t.TempDir()
	if source.InWorld(filepath.Join(dir, "a.k")) {
		t.Error("a folder without a ledger counts as a world")
	}
	write(t, filepath.Join(dir, source.Ledger), "", 0o644)
	if !source.InWorld(filepath.Join(dir, "new.k")) {
		t.Error("a folder with a ledger does not count as a world")
	}
}

// Files that belong together are replaced together: what can be refused is
// refused before the first is touched.
func TestReplaceAll(t *testing.T) {
	files := func(t *testing.T) (a, b string) {
		a, b = filepath.Join(t.TempDir(), "a.k"), filepath.Join(t.TempDir(), "b.k")
		write(t, a, "old a", 0o644)
		write(t, b, "old b", 0o644)
		return a, b
	}
	change := func(name, old, text string) source.Change {
		return source.Change{Name: name, Old: []byte(old), New: []byte(text)}
	}
	t.Run("both", func(t *testing.T) {
		a, b := files(t)
		changed, err := source.ReplaceAll([]source.Change{change(a, "old a", "new a"), change(b, "old b", "new b")})
		if err != nil || !cmp.Equal(changed, []string{a, b}) {
			t.Fatal(changed, err)
		}
		wantFile(t, a, "new a")
		wantFile(t, b, "new b")
	})
	t.Run("none, for the second has changed", func(t *testing.T) {
		a, b := files(t)
		changed, err := source.ReplaceAll([]source.Change{change(a, "old a", "new a"), change(b, "what it was", "new b")})
		if !errors.Is(err, source.ErrRaced) || !strings.Contains(err.Error(), b) || len(changed) > 0 {
			t.Fatal(changed, err)
		}
		wantFile(t, a, "old a")
		wantFile(t, b, "old b")
	})
	t.Run("none, for the second is gone", func(t *testing.T) {
		a, b := files(t)
		if err := os.Remove(b); err != nil {
			t.Fatal(err)
		}
		changed, err := source.ReplaceAll([]source.Change{change(a, "old a", "new a"), change(b, "old b", "new b")})
		if !errors.Is(err, os.ErrNotExist) || len(changed) > 0 {
			t.Fatal(changed, err)
		}
		wantFile(t, a, "old a")
	})
	t.Run("one, and the error leaves no doubt which", func(t *testing.T) {
		a, _ := files(t)
		again := filepath.Join(t.TempDir(), "again.k") // a second name of the same file
		if err := os.Symlink(a, again); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		changed, err := source.ReplaceAll([]source.Change{change(a, "old a", "new a"), change(again, "old a", "newer a")})
		if !errors.Is(err, source.ErrRaced) || !cmp.Equal(changed, []string{a}) {
			t.Fatal(changed, err)
		}
		wantFile(t, a, "new a")
	})
}
