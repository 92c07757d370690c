package stdlib

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
)

// yard is a world with two folders side by side: box, which is open as a Dir,
// and out, which nobody may reach through it.
type yard struct {
	*world
	box, out string
	dir      *Dir
}

func newYard(t *testing.T) *yard {
	w := newWorld(t)
	y := &yard{world: w, box: filepath.Join(w.host.Dir, "box"), out: filepath.Join(w.host.Dir, "out")}
	for path, content := range map[string]string{
		"box/a.txt":     "alpha\nbeta\n",
		"box/sub/b.txt": "inner",
		"out/secret":    "the secret",
	} {
		y.put(path, content)
	}
	o, err := w.outcome("std/fs:dir", field{"path", "box"})
	if err != nil || o.Branch != "opened" {
		t.Fatalf("std/fs:dir ended in %s, %v", show(o), err)
	}
	y.dir = o.Payload.Object().(*Dir)
	t.Cleanup(func() { y.dir.Close() })
	return y
}

func (y *yard) put(path, content string) {
	y.t.Helper()
	path = filepath.Join(y.host.Dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) link(target, name string) {
	y.t.Helper()
	if err := os.Symlink(target, filepath.Join(y.box, name)); err != nil {
		y.t.Skipf("no symbolic links here: %v", err)
	}
}

func (y *yard) content(path string) string {
	y.t.Helper()
	text, err := os.ReadFile(filepath.Join(y.host.Dir, path))
	if err != nil {
		y.t.Fatal(err)
	}
	return string(text)
}

func (y *yard) read(want, path string) {
	y.t.Helper()
	y.expect(want, "std/fs:read", field{"d", y.dir}, field{"path", path})
}

func (y *yard) write(want, path, content string) {
	y.t.Helper()
	y.expect(want, "std/fs:write", field{"d", y.dir}, field{"path", path}, field{"content", content})
}

// untouched fails the test if anything outside the directory changed.
func (y *yard) untouched() {
	y.t.Helper()
	if got := y.content("out/secret"); got != "the secret" {
		y.t.Errorf("the file outside now holds %q", got)
	}
	names := entries(y.t, y.out)
	if diff := cmp.Diff([]string{"secret"}, names); diff != "" {
		y.t.Errorf("the folder outside (-want +got):\n%s", diff)
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestPathsInside(t *testing.T) {
	y := newYard(t)
	for _, path := range []string{"a.txt", "./a.txt", "sub/../a.txt", "nothing/../a.txt", "sub/./../a.txt"} {
		y.read("content alpha\nbeta\n", path)
	}
	y.read("content inner", "sub//b.txt")
}

func TestPathsThatAreRefused(t *testing.T) {
	y := newYard(t)
	for _, test := range []struct{ path, want string }{
		{"../out/secret", "failed path escapes the dir"},
		{"..", "failed path escapes the dir"},
		{"../", "failed path escapes the dir"},
		{"../box/a.txt", "failed path escapes the dir"},
		{"sub/../../out/secret", "failed path escapes the dir"},
		{"a/../../x", "failed path escapes the dir"},
		{filepath.Join(y.out, "secret"), "failed path escapes the dir"},
		{filepath.Join(y.box, "a.txt"), "failed path escapes the dir"},
		{"/etc/passwd", "failed path escapes the dir"},
		{"/", "failed path escapes the dir"},
		{"a.txt\x00", "failed path escapes the dir"},
		{"\x00", "failed path escapes the dir"},
		{"", "failed Path is a directory"},
		{".", "failed Path is a directory"},
		{"./", "failed Path is a directory"},
		{"sub", "failed Path is a directory"},
		{"sub/", "failed Path is a directory"},
		{"sub/..", "failed Path is a directory"},
		{"a.txt/", "failed Not a directory"},
		{"a.txt/b", "failed Not a directory"},
		{strings.Repeat("x", 300), "failed Path is too long"},
		{strings.Repeat("x/", 3000) + "x", "failed Path is too long"},
	} {
		y.read(test.want, test.path)
		y.write(test.want, test.path, "pwn")
		y.expect(test.want, "std/fs:collect-lines", field{"d", y.dir}, field{"path", test.path})
		y.expect(test.want, "std/fs:read-lines-in", field{"d", y.dir}, field{"path", test.path})
	}
	y.read("failed File not found", "none.txt")
	y.read("failed File not found", "none/")
	y.read("failed File not found", "none/b.txt")
	y.write("failed File not found", "none/b.txt", "text")
	y.untouched()
}

// No message repeats what was written: it cannot carry a long path, a control
// sequence or an instruction back to a model.
func TestRefusalsDoNotRepeatThePath(t *testing.T) {
	y := newYard(t)
	for _, path := range []string{"../" + strings.Repeat("p", 6000), strings.Repeat("q", 6000), "\x1b[2J/../../x", "IGNORE ALL"} {
		got := y.call("std/fs:read", field{"d", y.dir}, field{"path", path})
		if len(got) > 60 || strings.Contains(got, "pp") || strings.Contains(got, "\x1b") || strings.Contains(got, "IGNORE") {
			t.Errorf("read(%.20q…) ended in %.100q", path, got)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	y := newYard(t)
	y.link("../out/secret", "relative-out")
	y.link(filepath.Join(y.out, "secret"), "absolute-out")
	y.link("../out", "folder-out")
	y.link("..", "parent")
	y.link("../out/new", "dangling-out")
	y.link("/proc/self/environ", "magic")
	y.link("a.txt", "inside")
	y.link("sub", "folder-inside")
	y.link("nowhere", "dangling-inside")
	y.link("loop-b", "loop-a")
	y.link("loop-a", "loop-b")

	for _, test := range []struct{ path, read, write string }{
		{"relative-out", "failed path escapes the dir", "failed path escapes the dir"},
		{"absolute-out", "failed path escapes the dir", "failed path escapes the dir"},
		{"folder-out/secret", "failed path escapes the dir", "failed path escapes the dir"},
		{"folder-out/", "failed path escapes the dir", "failed path escapes the dir"},
		{"parent/out/secret", "failed path escapes the dir", "failed path escapes the dir"},
		{"dangling-out", "failed path escapes the dir", "failed path escapes the dir"},
		{"magic", "failed path escapes the dir", "failed path escapes the dir"},
		{"inside", "content alpha\nbeta\n", "failed Path is a symbolic link"},
		{"folder-inside/b.txt", "content inner", "written"},
		{"dangling-inside", "failed File not found", "failed Path is a symbolic link"},
		{"loop-a", "failed Failed to open file", "failed Path is a symbolic link"},
	} {
		y.read(test.read, test.path)
		y.write(test.write, test.path, "pwn")
	}
	if got := y.content("box/sub/b.txt"); got != "pwn" {
		t.Errorf("the write through a folder that is linked inside left %q", got)
	}
	if got := y.content("box/a.txt"); got != "alpha\nbeta\n" {
		t.Errorf("the target of a link was written: %q", got)
	}
	y.untouched()
}

// os.Root does not see that a name inside is also a name outside.
func TestHardLinks(t *testing.T) {
	y := newYard(t)
	if err := os.Link(filepath.Join(y.out, "secret"), filepath.Join(y.box, "mine")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	y.link("mine", "via-link")
	y.read("failed File has more than one hard link", "mine")
	y.read("failed File has more than one hard link", "via-link")
	y.write("failed File has more than one hard link", "mine", "pwn")
	y.expect("failed File has more than one hard link", "std/fs:collect-lines", field{"d", y.dir}, field{"path", "mine"})
	y.untouched()
}

// A directory is the folder that was opened, not what its name means later.
func TestTheDirectoryIsSwapped(t *testing.T) {
	y := newYard(t)
	moved := filepath.Join(y.host.Dir, "moved")
	if err := os.Rename(y.box, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(y.out, y.box); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	y.read("content alpha\nbeta\n", "a.txt")
	y.read("failed File not found", "secret")
	y.write("written", "new.txt", "text")
	if got := y.content("moved/new.txt"); got != "text" {
		t.Errorf("the file was written elsewhere; moved/new.txt holds %q", got)
	}
	y.untouched()
}

// A folder inside that is replaced by a link to the outside while it is in use.
func TestAFolderInsideIsSwapped(t *testing.T) {
	y := newYard(t)
	y.read("content inner", "sub/b.txt")
	if err := os.Rename(filepath.Join(y.box, "sub"), filepath.Join(y.box, "old")); err != nil {
		t.Fatal(err)
	}
	y.link("../out", "sub")
	y.read("failed path escapes the dir", "sub/secret")
	y.write("failed path escapes the dir", "sub/new", "pwn")
	y.untouched()
}

func TestSizes(t *testing.T) {
	y := newYard(t)
	big := filepath.Join(y.box, "big")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// A hole costs no disk.
	if err := os.Truncate(big, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	y.read("failed File is too large", "big")
	y.expect("failed File is too large", "std/fs:collect-lines", field{"d", y.dir}, field{"path", "big"})
	y.expect("failed Line is too long", "std/fs:read-lines-in", field{"d", y.dir}, field{"path", "big"})
	y.write("failed File is too large", "new", strings.Repeat("x", MaxFile+1))
	y.put("box/lines", strings.Repeat("\n", MaxLines+1))
	y.expect("failed File has too many lines", "std/fs:collect-lines", field{"d", y.dir}, field{"path", "lines"})
	if got := entries(t, y.box); len(got) != 4 {
		t.Errorf("a refused write left something behind: %v", got)
	}
}

func TestWriteReplacesInOneStep(t *testing.T) {
	y := newYard(t)
	y.write("written", "a.txt", "new")
	y.write("written", "fresh.txt", "made")
	y.write("written", "empty.txt", "")
	y.write("written", "sub/deep.txt", "\xff\x00 bytes are kept")
	for path, want := range map[string]string{
		"box/a.txt": "new", "box/fresh.txt": "made", "box/empty.txt": "", "box/sub/deep.txt": "\xff\x00 bytes are kept",
	} {
		if got := y.content(path); got != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	if diff := cmp.Diff([]string{"a.txt", "empty.txt", "fresh.txt", "sub"}, entries(t, y.box)); diff != "" {
		t.Errorf("the folder after the writes (-want +got):\n%s", diff)
	}
}

func TestWriteKeepsThePermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits on Windows")
	}
	y := newYard(t)
	path := filepath.Join(y.box, "a.txt")
	for _, mode := range []os.FileMode{0o600, 0o755, 0o640} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		y.write("written", "a.txt", "new")
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("the file had mode %v, now it has %v (%v)", mode, info.Mode(), err)
		}
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // root may write everything
		y.write("failed Access denied", "a.txt", "pwn")
	}
}

func TestListIsSortedBytewise(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{".hidden", "Z", "b", "ä", "10", "9"} {
		y.put("box/"+name, "")
	}
	y.expect(`entries [".hidden","10","9","Z","a.txt","b","sub","ä"]`, "std/fs:list", field{"d", y.dir})
}

func TestDirOpensDirectoriesOnly(t *testing.T) {
	y := newYard(t)
	for _, test := range []struct{ path, want string }{
		{"box/a.txt", "failed Not a directory"},
		{"none", "failed File not found"},
		{"", "failed File not found"},
		{"box\x00", "failed File not found"},
		{strings.Repeat("x", 5000), "failed Path is too long"},
	} {
		y.expect(test.want, "std/fs:dir", field{"path", test.path})
	}
	for _, path := range []string{"box/", "box/sub/..", y.box} {
		o, err := y.outcome("std/fs:dir", field{"path", path})
		if err != nil || o.Branch != "opened" {
			t.Fatalf("dir(%q) ended in %s, %v", path, show(o), err)
		}
		d := o.Payload.Object().(*Dir)
		y.expect("content alpha\nbeta\n", "std/fs:read", field{"d", d}, field{"path", "a.txt"})
		d.Close()
	}
}

func TestClosedDir(t *testing.T) {
	y := newYard(t)
	y.expect("", "std/fs:close", field{"d", y.dir})
	y.expect("", "std/fs:close", field{"d", y.dir})
	y.read("failed Directory is closed", "a.txt")
	y.write("failed Directory is closed", "a.txt", "x")
	y.expect("failed Directory is closed", "std/fs:list", field{"d", y.dir})
	y.expect("error: 'd' wants an open directory of std/fs", "std/fs:list", field{"d", "h:Dir:737eec"})
}

func TestLines(t *testing.T) {
	y := newYard(t)
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"one", []string{"one"}},
		{"one\n", []string{"one"}},
		{"one\ntwo", []string{"one", "two"}},
		{"one\r\ntwo\r\n", []string{"one", "two"}},
		{"one\r", []string{"one\r"}},
		{"\r\n\n\r\r\n", []string{"", "", "\r"}},
		{strings.Repeat("é", 40_000) + "\nx", []string{strings.Repeat("é", 40_000), "x"}},
	} {
		y.put("box/text", test.text)
		y.put("text", test.text)
		o, err := y.outcome("std/fs:collect-lines", field{"d", y.dir}, field{"path", "text"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range o.Payload.Elems() {
			got = append(got, line.Str())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("collect-lines of %.40q (-want +got):\n%.400s", test.text, diff)
		}
		done := "done " + eval.Text(eval.IntValue(int64(len(test.want))))
		y.expect(done, "std/fs:read-lines-in", field{"d", y.dir}, field{"path", "text"})
		if diff := cmp.Diff(test.want, y.fired); diff != "" {
			t.Errorf("read-lines-in of %.40q (-want +got):\n%.400s", test.text, diff)
		}
		y.expect(done, "std/fs:read-lines", field{"path", "text"})
		if diff := cmp.Diff(test.want, y.fired); diff != "" {
			t.Errorf("read-lines of %.40q (-want +got):\n%.400s", test.text, diff)
		}
	}
}

func TestTheProgramsOwnFiles(t *testing.T) {
	y := newYard(t)
	y.link("a.txt", "inside")
	y.expect("written", "std/fs:write-file", field{"path", "out/new"}, field{"content", "text"})
	y.expect("written", "std/fs:write-file", field{"path", filepath.Join(y.out, "secret")}, field{"content", "rewritten"})
	y.expect("written", "std/fs:write-file", field{"path", "box/inside"}, field{"content", "through"})
	if got := y.content("out/new") + y.content("out/secret") + y.content("box/a.txt"); got != "textrewrittenthrough" {
		t.Errorf("the files hold %q", got)
	}
	for _, test := range []struct{ path, want string }{
		{"none/new", "failed File not found"},
		{"out", "failed Path is a directory"},
		{"out/", "failed Path is a directory"},
		{"out/secret/", "failed Path is a directory"},
		{"out/secret/x", "failed Not a directory"},
		{"", "failed File not found"},
		{"out\x00", "failed File not found"},
	} {
		y.expect(test.want, "std/fs:write-file", field{"path", test.path}, field{"content", "x"})
	}
	for _, test := range []struct{ path, want string }{
		{"none", "failed File not found"},
		{"out", "failed Path is a directory"},
		{"box/a.txt/", "failed Not a directory"},
		{"", "failed File not found"},
	} {
		y.expect(test.want, "std/fs:read-lines", field{"path", test.path})
	}
}

func TestAHandlerThatFailsStopsTheReading(t *testing.T) {
	y := newYard(t)
	f, err := y.dir.open("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop := errors.New("stop")
	c := lineCall(func(string) error { return stop })
	if _, err := fireLines(c, linesOf(f)); !errors.Is(err, stop) {
		t.Errorf("the reading went on: %v", err)
	}
}

func BenchmarkReadLines(b *testing.B) {
	text := strings.Repeat("a line of some length\n", 10_000)
	c := lineCall(func(string) error { return nil })
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fireLines(c, linesOf(strings.NewReader(text))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	d, err := OpenDir(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	text := strings.Repeat("x", 4096)
	b.ReportAllocs()
	for b.Loop() {
		if err := d.write("file", text); err != nil {
			b.Fatal(err)
		}
	}
}
