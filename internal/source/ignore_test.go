package source_test

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/internal/source"
)

// walked returns what a walk of the folder finds in an archive.
func walked(t *testing.T, archive, root string) []string {
	t.Helper()
	files := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	var out []string
	err := source.Walk(files, root, func(name string) { out = append(out, name) }, func(name string, err error) error {
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIgnore(t *testing.T) {
	for _, tt := range []struct {
		name, archive string
		root          string
		want          []string
	}{
		{"a name, in any folder", "-- .koruignore --\na.k\n-- a.k --\n-- b.k --\n-- x/a.k --\n", ".", []string{"b.k"}},
		{"a path, from its folder on", "-- .koruignore --\n/a.k\nx/b.k\n-- a.k --\n-- x/a.k --\n-- x/b.k --\n-- y/x/b.k --\n", ".", []string{"x/a.k", "y/x/b.k"}},
		{"a folder", "-- .koruignore --\ngen/\n-- gen/a.k --\n-- x/gen/b.k --\n-- x/gen.k --\n", ".", []string{"x/gen.k"}},
		{"stars and marks", "-- .koruignore --\n*.kz\n?.kjs\n[ab].k\n-- a.kz --\n-- a.kjs --\n-- ab.kjs --\n-- b.k --\n-- c.k --\n", ".", []string{"ab.kjs", "c.k"}},
		{"any folders between", "-- .koruignore --\nx/**/a.k\n-- x/a.k --\n-- x/y/z/a.k --\n-- y/a.k --\n", ".", []string{"y/a.k"}},
		{"taken back", "-- .koruignore --\n*.k\n!keep.k\n-- a.k --\n-- keep.k --\n", ".", []string{"keep.k"}},
		{"not out of a folder that is left out", "-- .koruignore --\nx/\n!x/keep.k\n-- x/keep.k --\n", ".", nil},
		{"comments, blanks, carriage returns", "-- .koruignore --\n# a.k\n\n  \nb.k  \r\n\\#c.k\n-- a.k --\n-- b.k --\n-- #c.k --\n", ".", []string{"a.k"}},
		{"braces are braces", "-- .koruignore --\n{a,b}.k\n-- a.k --\n-- {a,b}.k --\n", ".", []string{"a.k"}},
		{"a file in a folder on the way", "-- x/.koruignore --\na.k\n/b.k\n-- a.k --\n-- x/a.k --\n-- x/b.k --\n-- x/y/a.k --\n-- x/y/b.k --\n", ".", []string{"a.k", "x/y/b.k"}},
		{"the nearest file decides", "-- .koruignore --\n*.kz\n-- x/.koruignore --\n!a.kz\n-- a.kz --\n-- x/a.kz --\n-- x/b.kz --\n-- x/y/a.kz --\n", ".", []string{"x/a.kz", "x/y/a.kz"}},
		{"a file above the walk", "-- .koruignore --\na.k\n/x/b.k\ny/\n-- x/a.k --\n-- x/b.k --\n-- x/c.k --\n-- x/y/d.k --\n", "x", []string{"x/c.k"}},
		{"none above the repository", "-- .koruignore --\na.k\n-- x/.git/HEAD --\n-- x/y/a.k --\n", "x/y", []string{"x/y/a.k"}},
		{"that of the repository", "-- x/.koruignore --\na.k\n-- x/.git/HEAD --\n-- x/y/a.k --\n-- x/y/b.k --\n", "x/y", []string{"x/y/b.k"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, walked(t, tt.archive, tt.root)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestIgnoreOnDisk pins that the folders above a walk count on the disk, too.
func TestIgnoreOnDisk(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".koruignore": "a.k\n", "x/a.k": "", "x/b.k": "", "r/.git": "", "r/x/a.k": "",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, text, 0o644)
	}
	t.Chdir(filepath.Join(dir, "x"))
	got, err := source.Files([]string{".", filepath.Join("..", "r", "x")})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"b.k", filepath.Join("..", "r", "x", "a.k")}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestIgnoreUnreadable pins that an ignore file that cannot be read ends a walk:
// what it leaves out must not be touched.
func TestIgnoreUnreadable(t *testing.T) {
	for _, root := range []string{".", "x"} {
		files := fstest.MapFS{".koruignore": &fstest.MapFile{Mode: fs.ModeDir | 0o755}, "x/a.k": &fstest.MapFile{}}
		var asked []string
		err := source.Walk(files, root, func(string) {}, func(name string, err error) error {
			asked = append(asked, name)
			return err
		})
		if err == nil || errors.Is(err, fs.ErrNotExist) || len(asked) != 1 {
			t.Errorf("a walk of %s asked about %v and ended with %v", root, asked, err)
		}
	}
}

// TestIgnoreAsGit lets git say what is left out, of files and patterns at random.
func TestIgnoreAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here to compare with")
	}
	m := rand.New(rand.NewPCG(1, 5))
	one := func(choices ...string) string { return choices[m.IntN(len(choices))] }
	name := func() string {
		return one("a", "b", "ab", "*", "?", "a*", "[ab]", "**", "a**b", "[!a]", `\a`, "a.k", "*.k", "{a,b}")
	}
	for range 40 {
		dir := t.TempDir()
		texts := map[string]string{}
		for range 40 {
			texts[one("", "a/", "b/", "a/b/", "a/ab/", "ab/b/a/")+one("a", "b", "ab", "c", "{a,b}")+".k"] = ""
		}
		for range 3 {
			var lines strings.Builder
			for range m.IntN(4) {
				lines.WriteString(one("", "", "", "!") + one("", "", "/") + name() + one("", "/", "/"+name(), "/**", "/"+name()+"/", "  ") + "\n")
			}
			texts[one("", "a/", "a/b/", "ab/")+".koruignore"] = lines.String()
		}
		for file, text := range texts {
			file = filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, file, text, 0o644)
		}
		git := exec.Command("git", "init", "-q")
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		git = exec.Command("git", "-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-per-directory=.koruignore")
		git.Dir = dir
		out, err := git.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for file := range strings.SplitSeq(string(out), "\x00") {
			if source.IsKoru(file) {
				want = append(want, file)
			}
		}
		err = source.Walk(os.DirFS(dir), ".", func(name string) { got = append(got, name) }, func(_ string, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			maps.DeleteFunc(texts, func(_, text string) bool { return text == "" })
			t.Errorf("with %q (-git +walk):\n%s", texts, d)
		}
	}
}
