package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestExamples runs every example in a copy of the folder and compares what it
// prints with examples/testdata. Twice, because a world outlives a session.
func TestExamples(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("..", "..", "examples", "testdata"))
	must(t, err)
	dir := t.TempDir()
	must(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))))
	must(t, os.RemoveAll(filepath.Join(dir, "examples", "world")))
	t.Chdir(dir)
	programs, err := filepath.Glob("examples/*.k")
	must(t, err)
	if len(programs) < 5 {
		t.Fatalf("found %d examples", len(programs))
	}
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".k")
		t.Run(name, func(t *testing.T) {
			for range 2 {
				compareGolden(t, filepath.Join(golden, name+".txt"), runExample(t, program))
			}
		})
	}
}

// runExample returns the standard output of a program, and what it says on
// standard error under a line of its own.
func runExample(t *testing.T, program string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run([]string{"run", program}, strings.NewReader(""), &stdout, &stderr); code != exitFine {
		t.Fatalf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
	if stderr.Len() > 0 {
		return stdout.String() + "-- on standard error --\n" + stderr.String()
	}
	return stdout.String()
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got)\n%s", filepath.Base(name), d)
	}
}

// Every example is free of findings and in canonical form.
func TestExamplesAreClean(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, args := range [][]string{{"check", "examples"}, {"fmt", "--check", "examples"}} {
		if code, out := command(args...); code != exitFine || out != "" {
			t.Errorf("koru %s: exit code %d\n%s", strings.Join(args, " "), code, out)
		}
	}
}
