package bridge

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func folder(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Mounting makes the directory and the ledger, which marks it as a world (R50).
func TestMountMakesTheWorld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "task32")
	w := mustMount(t, dir)
	if diff := cmp.Diff([]string{"holds.log"}, folder(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.Dir() != dir || w.Notices() != nil {
		t.Errorf("a fresh world says %q", w.Notices())
	}
	if files, err := w.Definitions(); err != nil || files != nil {
		t.Errorf("got %v, %v", files, err)
	}
}

func TestMountRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"a file in place of the folder", func(t *testing.T, dir string) {
			writeTree(t, filepath.Dir(dir), map[string]string{"world": ""})
		}, "cannot be made: not a directory"},
		{"a folder in place of the ledger", func(t *testing.T, dir string) {
			writeTree(t, dir, map[string]string{"holds.log/x": ""})
		}, "holds.log is not a plain file"},
		{"a ledger that is a link out of the world", func(t *testing.T, dir string) {
			writeTree(t, dir, map[string]string{"sweep.k": ""})
			symlink(t, filepath.Join(filepath.Dir(dir), "passwd"), filepath.Join(dir, "holds.log"))
		}, "cannot open holds.log: path escapes from parent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "world")
			tt.make(t, dir)
			_, err := Mount(dir, false)
			if want := "world '" + dir + "': " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "passwd")); err == nil {
				t.Error("the mount wrote outside the world")
			}
		})
	}
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("this account may not make links")
		}
		t.Fatal(err)
	}
}

// The world's own definitions come first, then the library, each by name; what
// is no definition is not listed (bridge.md 8.7).
func TestDefinitions(t *testing.T) {
	dir := t.TempDir()
	big := strings.Repeat("x", maxDefinition)
	writeTree(t, dir, map[string]string{
		"sweep.k": "tor sweep\n", "jot.k": "tor jot\n", "Odd name.k": "?", "big.k": big, "bigger.k": big + "x",
		"notes.md": "", ".hidden.k": "", "lib/text.k": "tor text\n", "lib/deep/more.k": "", "staged/new.k": "", "k": "", "folder.k/x": "",
	})
	outside := filepath.Join(t.TempDir(), "secret.k")
	writeTree(t, filepath.Dir(outside), map[string]string{"secret.k": "secret"})
	symlink(t, outside, filepath.Join(dir, "out.k"))
	symlink(t, "jot.k", filepath.Join(dir, "same.k"))
	symlink(t, "nowhere.k", filepath.Join(dir, "gone.k"))

	files, err := mustMount(t, dir).Definitions()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		line := f.Name + ": "
		if f.Err != nil {
			line += f.Err.Error()
		} else if len(f.Text) > 20 {
			line += "long"
		} else {
			line += f.Text
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		"Odd name.k: ?",
		"big.k: long",
		"bigger.k: the file is longer than 1048576 bytes",
		"folder.k: folder.k is not a plain file",
		"gone.k: no such file or directory",
		"jot.k: tor jot",
		"out.k: cannot open out.k: path escapes from parent",
		"same.k: tor jot",
		"sweep.k: tor sweep",
		"lib/text.k: tor text",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLibraryThatLeadsOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeTree(t, outside, map[string]string{"evil.k": "tor evil"})
	symlink(t, outside, filepath.Join(dir, "lib"))
	files, err := mustMount(t, dir).Definitions()
	if err != nil || len(files) != 1 || files[0].Name != "lib" || files[0].Err == nil || files[0].Text != "" {
		t.Errorf("got %+v, %v", files, err)
	}
}

// The bytes of the item and one line feed (R35); an older definition is
// replaced, and nothing else is left behind.
func TestDefine(t *testing.T) {
	dir := t.TempDir()
	w := mustMount(t, dir)
	const sweep = "tor sweep { d: string } | written | failed string\nsweep = write(d, path, content: text)"
	for _, text := range []string{"tor sweep { a: string }\nsweep = first(a)", sweep} {
		if err := w.Define("sweep", text); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, dir, "sweep.k"); got != text+"\n" {
			t.Errorf("got %q", got)
		}
	}
	if diff := cmp.Diff([]string{"holds.log", "sweep.k"}, folder(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDefineRefusesOddNames(t *testing.T) {
	dir := t.TempDir()
	w := mustMount(t, dir)
	for _, verb := range []string{"", ".", "..", ".hidden", "-x", "7up", "a/b", `a\b`, "../evil", "a b", "a\x00", "größe", "x\n", "c:d"} {
		if err := w.Define(verb, "x"); err == nil || !strings.Contains(err.Error(), "no file can be named after the verb") {
			t.Errorf("Define(%q): %v", verb, err)
		}
	}
	if err := w.Define(strings.Repeat("x", 201), "x"); err == nil || !strings.Contains(err.Error(), "has 201 letters") {
		t.Errorf("a long name: %v", err)
	}
	if err := w.Define("sweep", strings.Repeat("x", maxDefinition)); err == nil || !strings.Contains(err.Error(), "a world keeps at most") {
		t.Errorf("a long text: %v", err)
	}
	for _, verb := range []string{"a", "_", "set-all", "print.ln", strings.Repeat("x", 200), "holds"} {
		if err := w.Define(verb, "x"); err != nil {
			t.Errorf("Define(%q): %v", verb, err)
		}
	}
	if n := len(folder(t, dir)); n != 7 {
		t.Errorf("the world holds %v", folder(t, dir))
	}
}

// A definition whose name is taken by a link replaces the link and leaves
// what it leads to alone; the same goes for a link in place of the draft.
func TestDefineDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "precious")
	writeTree(t, filepath.Dir(outside), map[string]string{"precious": "keep me"})
	w := mustMount(t, dir)
	symlink(t, outside, filepath.Join(dir, "sweep.k"))
	symlink(t, outside, filepath.Join(dir, ".sweep.k.draft"))
	if err := w.Define("sweep", "tor sweep"); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, outside); got != "keep me" {
		t.Errorf("the file outside became %q", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "sweep.k")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("sweep.k: %v, %v", info.Mode(), err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	w := mustMount(t, dir)
	if err := w.WriteFile("staged/sweep.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, "staged", "sweep.json"); got != "{}" {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"../x", "/etc/x", "staged/../../x", "staged"} {
		if err := w.WriteFile(name, []byte("x")); err == nil {
			t.Errorf("WriteFile(%q) wrote", name)
		}
	}
	if diff := cmp.Diff([]string{"holds.log", "staged"}, folder(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A process that dies while it writes leaves the old definition and a draft,
// whole or not; the next mount removes the draft and says so.
func TestMountRemovesDrafts(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"sweep.k": "old\n", ".sweep.k.draft": "ne", ".k": "", "x.draft": "", ".kept/x.draft": ""})
	w := mustMount(t, dir)
	if diff := cmp.Diff([]string{".k", ".kept", "holds.log", "sweep.k", "x.draft"}, folder(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{".sweep.k.draft: an interrupted write left this draft; it was never installed and is removed"}
	if diff := cmp.Diff(want, w.Notices()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	files, err := w.Definitions()
	if err != nil || len(files) != 1 || files[0].Text != "old\n" {
		t.Errorf("got %+v, %v", files, err)
	}
}
