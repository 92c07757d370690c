package stdlib

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a path says, the file outside is neither read nor written, and the
// message is short and does not repeat the path.
func FuzzFence(f *testing.F) {
	for _, path := range []string{
		"a.txt", "sub/b.txt", "../out/secret", "link", "folder/secret", "/etc/passwd", "a/../b", "..",
		"sub/..//../out/secret", "./link", "a.txt/", "\x00", "mine", "folder/../mine", "sub/up/out/secret",
	} {
		f.Add(path)
	}
	home := f.TempDir()
	box := filepath.Join(home, "box")
	secret := filepath.Join(home, "out", "secret")
	for path, content := range map[string]string{"box/a.txt": "a", "box/sub/b.txt": "b", "out/secret": "the secret"} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	os.Symlink(secret, filepath.Join(box, "link"))
	os.Symlink("../out", filepath.Join(box, "folder"))
	os.Symlink("../..", filepath.Join(box, "sub", "up"))
	os.Link(secret, filepath.Join(box, "mine"))
	d, err := OpenDir(box)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { d.Close() })

	f.Fuzz(func(t *testing.T, path string) {
		text, err := d.text(path)
		if strings.Contains(text, "secret") {
			t.Fatalf("%q reads the file outside", path)
		}
		if err != nil && len(reason(err, notOpened)) > 60 {
			t.Errorf("%q is refused with %q", path, reason(err, notOpened))
		}
		// Names that exist are left alone, so that one input does not disturb
		// the next.
		if _, statErr := os.Lstat(filepath.Join(box, filepath.Clean("/"+path))); statErr == nil {
			return
		}
		if d.write(path, "pwn") == nil {
			os.Remove(filepath.Join(box, filepath.Clean(path)))
		}
		if got, err := os.ReadFile(secret); err != nil || string(got) != "the secret" {
			t.Fatalf("%q writes the file outside: %q, %v", path, got, err)
		}
		if list, err := os.ReadDir(filepath.Dir(secret)); err != nil || len(list) != 1 {
			t.Fatalf("%q made a file outside: %v, %v", path, list, err)
		}
	})
}

// However a text arrives, its lines are the same.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"", "\n", "a\r\nb", "a\n\n", "\r\r\n", strings.Repeat("x", 5000) + "\ny"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := splitLines(text)
		if err != nil {
			t.Skip()
		}
		var want []string
		for _, v := range list {
			want = append(want, v.Str())
		}
		for name, l := range map[string]*lineReader{
			"a buffer":       linesOf(strings.NewReader(text)),
			"a small buffer": {from: bufio.NewReaderSize(strings.NewReader(text), 16)},
			"no buffer":      {from: &frugalReader{from: strings.NewReader(text)}},
		} {
			if diff := cmp.Diff(want, readLines(t, l)); diff != "" {
				t.Errorf("with %s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func readLines(t *testing.T, l *lineReader) (lines []string) {
	for {
		line, err := l.next()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}
