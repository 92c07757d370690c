package format

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/syntax"
)

var update = flag.Bool("update", false, "write the golden files and docs/style.md")

// rule is one archive of testdata/rules: a heading and prose in Markdown, a text
// and what it is formatted to.
type rule struct {
	file, prose   string
	name          string // the name that the two texts share after before. and after.
	before, after string
}

func readRules(t *testing.T) []rule {
	t.Helper()
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	var rules []rule
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := rule{file: file, prose: string(a.Comment)}
		for _, f := range a.Files {
			if name, ok := strings.CutPrefix(f.Name, "before."); ok {
				r.name, r.before = name, string(f.Data)
			} else {
				r.after = string(f.Data)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// TestRules formats the text of every rule, twice.
func TestRules(t *testing.T) {
	for _, r := range readRules(t) {
		t.Run(strings.TrimSuffix(filepath.Base(r.file), ".txtar"), func(t *testing.T) {
			o := Options{World: strings.HasPrefix(r.name, "world.")}
			file := syntax.Parse(r.file, syntax.KindOf("."+r.name), r.before)
			got, err := Format(file, o)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				r.after = got
				writeRule(t, r)
			}
			if d := cmp.Diff(r.after, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			checkFormat(t, "rule."+r.name, r.before, o)
		})
	}
}

func writeRule(t *testing.T, r rule) {
	t.Helper()
	a := &txtar.Archive{Comment: []byte(r.prose), Files: []txtar.File{
		{Name: "before." + r.name, Data: []byte(r.before)},
		{Name: "after." + r.name, Data: []byte(r.after)},
	}}
	if err := os.WriteFile(r.file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStyleGuide keeps docs/style.md the same as the rules that are tested.
func TestStyleGuide(t *testing.T) {
	const path = "../docs/style.md"
	var b strings.Builder
	b.WriteString(styleHead)
	for _, r := range readRules(t) {
		title, prose, _ := strings.Cut(strings.TrimPrefix(r.prose, "# "), "\n")
		b.WriteString("\n## " + title + "\n\n" + strings.TrimSpace(prose) + "\n")
		b.WriteString("\nbefore\n\n```koru\n" + r.before + "```\n")
		b.WriteString("\nafter\n\n```koru\n" + r.after + "```\n")
	}
	b.WriteString(styleTail)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.String(), string(got)); d != "" {
		t.Errorf("docs/style.md is out of date: run go test ./fmt -update (-want +got):\n%s", d)
	}
}

const styleHead = `# How Koru is laid out

` + "`koru fmt`" + ` writes Koru in one way. It changes the space between tokens and nothing
else: no token is reordered, renamed or rewritten, and a comma is added or dropped
only where a line end or a bracket makes it redundant. Before it writes, it parses
what it is about to write and compares the two trees; it refuses if they differ.

This page is generated from the tests in fmt/testdata/rules.
`

const styleTail = `
## Where the rules come from

They were counted in the public Koru of August 2026: 408 files of kopium, koru-libs,
koru-examples and orisha, 397 of which parse. 231 of them are canonical as they are.
Where most authors do otherwise than a rule said, the rule was changed.

| layout | as the rule has it | otherwise |
|---|---|---|
| first arm of a flow at its column | 482 | 13 |
| arms under an arm one step to the right | 723 | 90 |
| a line-start ` + "`\\|>`" + ` at the column of its flow | 76 | 27 |
| a line-start ` + "`\\|>`" + ` under an arm one step to the right | 508 | 64 |
| a chain of more than 100 columns is broken | 243 | 212 |
| a shape of more than 100 columns is broken | 45 | 6 |
| a comma behind the last field of a broken shape | 21 (9 in .k) | 24 (3 in .k) |
| an annotation tight to what it annotates | 53 | 10 |
| the closing brace of a block at the column of its line | 332 | 6 |
| a long argument list stays on its line (was: is broken) | 56 | 10 |
| ` + "`if (c) a else b`" + ` with a blank (was: without) | 42 | 0 |

The comma behind the last field stays a rule although the count is close: the newest
files have it, and a field that is added below then changes one line.
`
