package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// Fixes over several files are written together, and whoever reads the error
// knows what was.
func TestWriteMended(t *testing.T) {
	dir := t.TempDir()
	mended := func(name, before string) check.MendedFile {
		return check.MendedFile{Path: filepath.ToSlash(filepath.Join(dir, name)), Before: before, After: "after"}
	}
	for name, text := range map[string]string{"a.k": "a", "b.k": "b"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	err := writeMended([]check.MendedFile{mended("a.k", "a"), mended("b.k", "c")})
	if err == nil || !strings.Contains(err.Error(), "b.k") || !strings.HasSuffix(err.Error(), "; no file was changed") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.k")); err != nil || string(text) != "a" {
		t.Errorf("a.k holds %q, %v", text, err)
	}
	must(t, writeMended([]check.MendedFile{mended("a.k", "a"), mended("b.k", "b")}))

	must(t, os.Symlink(filepath.Join(dir, "a.k"), filepath.Join(dir, "c.k")))
	err = writeMended([]check.MendedFile{mended("a.k", "after"), mended("c.k", "before")})
	if err == nil || !strings.HasSuffix(err.Error(), "; no file was changed") {
		t.Errorf("got %v", err)
	}
}
