package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
)

// example checks a program of the manual.
func example(t *testing.T, c check.Code, program string) []check.Diagnostic {
	t.Helper()
	files, entry := exampleFiles(program)
	opts := options("")
	opts.Files, opts.Runs = files, c.Runs
	p, err := check.Load(entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p.Diagnostics
}

// exampleFiles returns the files of a program of the manual, and its entry.
func exampleFiles(program string) (files fstest.MapFS, entry string) {
	files, entry = fstest.MapFS{}, "main.k"
	if archive := txtar.Parse([]byte(program)); len(archive.Files) > 0 {
		entry = archive.Files[0].Name
		for _, f := range archive.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	} else {
		files[entry] = &fstest.MapFile{Data: []byte(program)}
	}
	return files, entry
}

// Every code that is judged has a program with exactly one finding, and the
// mended program has none.
func TestCodesAreTrue(t *testing.T) {
	for _, c := range check.Codes() {
		t.Run(c.Name, func(t *testing.T) {
			if c.Status != check.Judged {
				if c.Wrong != "" || c.Right != "" {
					t.Errorf("a code that is %s has an example", c.Status)
				}
				return
			}
			if c.Title == "" || c.Wrong == "" || c.Says == "" || c.Right == "" {
				t.Fatal("the entry lacks a title, an example or what it says")
			}
			found := example(t, c, c.Wrong)
			if len(found) != 1 || found[0].Code != c.Name || found[0].Severity != c.Severity || !strings.Contains(found[0].Message, c.Says) {
				t.Errorf("the wrong program wants one %s that says %q, found:", c.Name, c.Says)
			}
			for _, d := range found {
				t.Log(show(d))
			}
			for _, d := range example(t, c, c.Right) {
				t.Errorf("the right program is not right: %s", show(d))
			}
		})
	}
}

// The registry and the sources agree on which codes there are.
func TestCodesAreComplete(t *testing.T) {
	emitted := map[string]bool{}
	literal := regexp.MustCompile(`"((?:KORU|PARSE|TYPE|SHAPE)\d{3})"`)
	for _, pattern := range []string{"*.go", "../syntax/*.go"} {
		for _, file := range glob(t, pattern) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range literal.FindAllStringSubmatch(read(t, file), -1) {
				emitted[m[1]] = true
			}
		}
	}
	var names []string
	for _, c := range check.Codes() {
		if slices.Contains(names, c.Name) {
			t.Errorf("%s has two entries", c.Name)
		}
		names = append(names, c.Name)
		if judged := c.Status == check.Judged; judged != emitted[c.Name] {
			t.Errorf("%s is %s, and reported: %v", c.Name, c.Status, emitted[c.Name])
		}
	}
	for code := range emitted {
		if check.Explain(code) == nil {
			t.Errorf("%s is reported and has no entry", code)
		}
	}
}

func TestExplain(t *testing.T) {
	if c := check.Explain("koru022"); c == nil || c.Name != "KORU022" || !strings.Contains(c.Text, "needs an arm") || strings.Contains(c.Text, "```") {
		t.Errorf("%+v", c)
	}
	if c := check.Explain("KORU999"); c != nil {
		t.Errorf("%+v", c)
	}
	if got := check.NearestCode("KORU0222"); got != "KORU022" {
		t.Errorf("nearest is %q", got)
	}
}

// The manual carries the registry as its page of codes.
func TestCodesPage(t *testing.T) {
	page := filepath.Join("..", "docs", "codes.md")
	got, err := os.ReadFile(page)
	if *update {
		err = os.WriteFile(page, []byte(check.CodesPage()), 0o666)
		got = []byte(check.CodesPage())
	}
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != check.CodesPage() {
		t.Error("docs/codes.md is not the registry: run go test ./check -run CodesPage -update")
	}
}
