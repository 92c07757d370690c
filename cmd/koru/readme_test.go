package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme runs the commands of the tour and compares what they print with
// what the README says they print.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	must(t, err)
	dir := t.TempDir()
	must(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))))
	t.Chdir(dir)
	text := string(data)
	write("shop.k", fenced(t, &text, "koru"))(t)
	ran := 0
	for strings.Contains(text, "```console\n") {
		block := fenced(t, &text, "console")
		line, want, _ := strings.Cut(block, "\n")
		args, ok := strings.CutPrefix(line, "$ koru ")
		if !ok {
			t.Fatalf("a console block starts with %q", line)
		}
		ran++
		var stdout, stderr bytes.Buffer
		run(strings.Fields(args), strings.NewReader(""), &stdout, &stderr)
		got := stdout.String()
		if strings.HasPrefix(args, "check") {
			got = stderr.String()
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("$ koru %s (-README +output)\n%s", args, d)
		}
	}
	if ran < 3 {
		t.Errorf("the tour ran %d commands", ran)
	}
}

// fenced cuts the next code block of the given language out of text.
func fenced(t *testing.T, text *string, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(*text, "```"+language+"\n")
	if !ok {
		t.Fatalf("the README has no %s block", language)
	}
	block, rest, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("a block of the README has no end")
	}
	*text = rest
	return block
}

// Every command that the README lists is there, and has help with an example.
func TestReadmeCommands(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	must(t, err)
	names := map[string]bool{}
	for _, c := range commands() {
		names[c.Name()] = true
		if !strings.Contains(string(data), "koru "+c.Name()) && !strings.Contains(string(data), "`"+c.Name()+"`") {
			t.Errorf("the README does not mention koru %s", c.Name())
		}
		if c.Example == "" {
			t.Errorf("koru %s has no example", c.Name())
		}
	}
	for line := range strings.Lines(string(data)) {
		name, ok := strings.CutPrefix(line, "| `koru ")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		name, _, _ = strings.Cut(name, " ")
		if !names[name] {
			t.Errorf("the README names koru %s, which is not there", name)
		}
	}
}
