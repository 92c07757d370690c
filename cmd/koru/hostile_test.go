package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile is one input that nobody meant well with: what is written before the
// command runs, and what every command must say of it.
type hostile struct {
	name  string
	setup func(t *testing.T)
	file  string
	code  int    // of check
	want  string // in what check prints
}

var hostiles = []hostile{
	{"an empty file", write("a.k", ""), "a.k", 0, ""},
	{"only a comment", write("a.k", "// nothing here\n"), "a.k", 0, ""},
	{"a binary file", write("a.k", "\x7fELF\x02\x01\x01\x00\xff\xfe{\x80\"\n\x00"), "a.k", 1, "KORU001"},
	{"NUL bytes", write("a.k", "std/io:print.ln(\"a\x00b\")\n\x00\x00\n"), "a.k", 1, "KORU001"},
	{"CRLF", write("a.k", "import std/io\r\n\r\nstd/io:print.ln(\"hi\")\r\n"), "a.k", 0, ""},
	{"a byte order mark", write("a.k", "\ufeffimport std/io\nstd/io:print.ln(\"hi\")\n"), "a.k", 0, ""},
	{"invalid UTF-8", write("a.k", "import std/io\nstd/io:print.ln(\"\xff\xfe\")\n\xc3\n"), "a.k", 1, "a.k:3:1"},
	{"ten megabytes on a line", write("a.k", "import std/io\nstd/io:print.ln(\""+strings.Repeat("x", 10<<20)+"\")\n"), "a.k", 0, ""},
	{"twenty thousand steps", write("a.k", "f()"+strings.Repeat(" |> f()", 20_000)+"\n\ntor f {}\nproc f|js {}\n"), "a.k", 0, ""},
	{"a hundred thousand parentheses", write("a.k", "f(a: "+strings.Repeat("(", 100_000)+"1"+strings.Repeat(")", 100_000)+")\n"), "a.k", 1, "nested too deeply"},
	{"a hundred thousand brackets", write("a.k", "f(a: "+strings.Repeat("[", 100_000)+"\n"), "a.k", 1, "nested too deeply"},
	{"a folder as a file", func(t *testing.T) { must(t, os.Mkdir("a.k", 0o755)) }, "a.k", 0, ""},
	{"a missing file", func(*testing.T) {}, "a.k", 1, "koru: a.k: no such file or directory"},
	{"a dangling link", func(t *testing.T) { must(t, os.Symlink("nowhere.k", "a.k")) }, "a.k", 1, "koru: a.k: no such file or directory"},
	{"a loop of links", func(t *testing.T) { must(t, os.Symlink("a.k", "a.k")) }, "a.k", 1, "too many levels of symbolic links"},
	{"a folder in the way", write("dir", ""), "dir/a.k", 1, "koru: dir/a.k: not a directory"},
	{"a module cycle", func(t *testing.T) {
		write("a.k", "import app/b\n\napp/b:f()\n\npub tor g {}\nproc g|js {}\n")(t)
		write("b.k", "import app/a\n\npub tor f {}\nproc f|js {}\n")(t)
	}, "a.k", 0, ""},
	{"a module that imports itself", write("a.k", "import app/a\n"), "a.k", 0, ""},
	{"a broken koru.json", func(t *testing.T) {
		write("koru.json", "{ \"name\": \"x\", \"paths\": { \"lib\": }\n")(t)
		write("a.k", "import lib/b\n")(t)
	}, "a.k", 1, "koru.json"},
}

func write(name, text string) func(t *testing.T) {
	return func(t *testing.T) { must(t, os.WriteFile(name, []byte(text), 0o644)) }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever the input, every command ends with a clear message and an exit code
// of the contract, and writes nothing that it was not asked to.
func TestHostileInput(t *testing.T) {
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			h.setup(t)
			before := listing(t)
			for _, args := range [][]string{
				{"check", h.file}, {"check", "--json", h.file}, {"ast", h.file}, {"run", h.file}, {"test", h.file},
			} {
				code, out := command(args...)
				if code != exitFine && code != exitFindings {
					t.Errorf("koru %s: exit code %d", args[0], code)
				}
				if strings.Contains(out, "goroutine") || strings.Contains(out, "panic:") {
					t.Errorf("koru %s printed a Go panic:\n%s", args[0], out)
				}
				if args[0] != "check" || len(args) == 3 {
					continue
				}
				if code != h.code || !strings.Contains(out, h.want) {
					t.Errorf("koru check: exit code %d, want %d, with %q in\n%s", code, h.code, h.want, head(out))
				}
			}
			if after := listing(t); !slices.Equal(before, after) {
				t.Errorf("files before: %q, after: %q", before, after)
			}
		})
	}
}

// A working folder that was removed is a clear error.
func TestRemovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o755))
	t.Chdir(dir)
	must(t, os.Remove(dir))
	code, out := command("check", "a.k")
	if code != exitFindings || !strings.HasPrefix(out, "koru: ") {
		t.Errorf("exit code %d, printed %q", code, out)
	}
}

// command runs one command line in this process and returns its exit code and
// everything it printed.
func command(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &out)
	return code, out.String()
}

func listing(t *testing.T) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(".", func(name string, _ os.DirEntry, err error) error {
		names = append(names, name)
		return err
	}))
	return names
}

func head(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}
