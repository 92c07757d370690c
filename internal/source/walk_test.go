package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/internal/source"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{
		"a.k", "b.kz", "c.kjs", "notes.md", "lib/d.k", "lib/gen/e.k", "old/f.k",
		".git/g.k", "node_modules/h/i.k", "world/sweep.k", "world/holds.log",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(".koruignore", []byte("# made by a tool\ngen/\n/old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.k", "dangling.k"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"the current folder", nil, []string{"a.k", "b.kz", "c.kjs", "lib/d.k"}},
		{"a folder", []string{"lib"}, []string{"lib/d.k"}},
		{"a folder that is left out, named outright", []string{"lib/gen", "old"}, []string{"lib/gen/e.k", "old/f.k"}},
		{"each file once", []string{"a.k", ".", "./a.k"}, []string{"a.k", "b.kz", "c.kjs", "lib/d.k"}},
		{"named outright", []string{"world/sweep.k", "old/f.k", "-"}, []string{"world/sweep.k", "old/f.k", "-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := source.Files(tt.paths)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				got[i] = filepath.ToSlash(got[i])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
	got, err := source.Files([]string{"nowhere", "a.k", "nor here"})
	if d := cmp.Diff([]string{"a.k"}, got); d != "" {
		t.Errorf("beside paths that are not there (-want +got)\n%s", d)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nowhere") || !strings.Contains(err.Error(), "nor here") {
		t.Errorf("paths that are not there gave %v", err)
	}
}
