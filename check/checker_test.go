package check_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// A folder is checked file by file. What is a part of another program is judged
// there: lib/a.k imports a module that it could not find as an entry.
func TestFindingsOfAFolder(t *testing.T) {
	opts := options("")
	opts.Files = fstest.MapFS{
		"main.k":  {Data: []byte("import lib/a\nimport wire\nlib/a:go()\n")},
		"wire.k":  {Data: []byte("import std/oi\n")},
		"lib/a.k": {Data: []byte("import app/wire\nimport app/beta\npub tor go {}\ngo = nothing()\n")},
		"x.k":     {Data: []byte("import y\nno()\n")},
		"y.k":     {Data: []byte("import x\nnever()\n")},
	}
	c := check.NewChecker(opts)
	var programs []*check.Program
	for _, name := range []string{"lib/a.k", "main.k", "wire.k", "x.k", "y.k"} {
		p, err := c.Check(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	var got []string
	for _, d := range check.Findings(programs) {
		got = append(got, show(d))
	}
	want := []string{
		"lib/a.k:2: KORU002 `app/beta` module not found: 'app/beta' — there is no beta.k, beta.kz or beta/index.k in the folder of 'app'",
		"lib/a.k:4: KORU040 `nothing` unknown tor 'nothing'",
		"wire.k:1: KORU002 `std/oi` module not found: 'std/oi' — did you mean 'std/io'?",
		"x.k:2: KORU040 `no` unknown tor 'no'",
		"y.k:2: KORU040 `never` unknown tor 'never'",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Findings name files the way the caller does (R90).
func TestPathsAsGiven(t *testing.T) {
	opts := options("")
	opts.Files = fstest.MapFS{
		"home/me/shop/main.k":     {Data: []byte("import near\nimport far/away\n")},
		"home/me/shop/near.k":     {Data: []byte("no()\n")},
		"home/me/shop/koru.json":  {Data: []byte(`{"paths":{"far":"../lib"}}`)},
		"home/me/lib/away.k":      {Data: []byte("no()\n")},
		"home/me/shop/sub/what.k": {Data: []byte("no()\n")},
	}
	for _, test := range []struct{ dir, entry, want string }{
		{"home/me/shop", "main.k", "../lib/away.k near.k"},
		{"home/me/shop", "./main.k", "../lib/away.k near.k"},
		{"home/me", "shop/main.k", "lib/away.k shop/near.k"},
		{"home/me/shop/sub", "../main.k", "../../lib/away.k ../near.k"},
		{"home/me/shop", "/home/me/shop/main.k", "/home/me/lib/away.k /home/me/shop/near.k"},
		{"", "home/me/shop/sub/what.k", "home/me/shop/sub/what.k"},
		{"home/me/shop/sub", "../sub/what.k", "../sub/what.k"},
	} {
		opts.Dir = test.dir
		p, err := check.Load(test.entry, opts)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range p.Diagnostics {
			got = append(got, d.File.Path)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s seen from %s: %s, want %s", test.entry, test.dir, got, test.want)
		}
	}
}

// An entry that cannot be read is no program; the error says why in the words
// of the caller.
func TestEntryThatCannotBeRead(t *testing.T) {
	opts := options("")
	opts.Files = fstest.MapFS{"folder.k/a.k": {Data: nil}, "broken.k": {Mode: fs.ModeDir}}
	for entry, want := range map[string]string{
		"none.k":     "none.k: there is no such file",
		"folder.k":   "folder.k: is a folder, not a file",
		"../above.k": "../above.k: there is no such file",
	} {
		_, err := check.Load(entry, opts)
		var load *check.LoadError
		if err == nil || err.Error() != want || !errors.As(err, &load) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}

// What changes on disk is seen once it is forgotten.
func TestForget(t *testing.T) {
	files := fstest.MapFS{"main.k": {Data: []byte("import a\n")}}
	opts := options("")
	opts.Files = files
	c := check.NewChecker(opts)
	count := func() int {
		p, err := c.Check("main.k", nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Diagnostics)
	}
	if n := count(); n != 1 {
		t.Fatalf("%d findings, want the missing module", n)
	}
	files["a.k"] = &fstest.MapFile{Data: []byte("pub tor x {}\n")}
	if n := count(); n != 1 {
		t.Errorf("%d findings: what was read is remembered", n)
	}
	c.Forget("a.k")
	if n := count(); n != 0 {
		t.Errorf("%d findings after the module has come", n)
	}
}

// A module that is there and cannot be read is not found, and the finding says
// why. Nothing waits for a pipe.
func TestModuleThatCannotBeRead(t *testing.T) {
	opts := options("")
	opts.Files = fstest.MapFS{
		"main.k": {Data: []byte("import pipe\nimport dir\n")},
		"pipe.k": {Mode: fs.ModeNamedPipe},
		"dir.k":  {Mode: fs.ModeDir},
	}
	p, err := check.Load("main.k", opts)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range p.Diagnostics {
		got = append(got, d.Message)
	}
	want := []string{
		"module not found: 'pipe' — pipe.k: is no regular file",
		"module not found: 'dir' — dir.k: is a folder, not a file",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
