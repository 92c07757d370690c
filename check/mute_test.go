package check_test

import (
	"fmt"
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

// markedProgram is a program of testdata with the codes that its markers name.
type markedProgram struct {
	origin string // rules/arms.k
	files  fstest.MapFS
	entry  string
	codes  []string
}

var markedCode = regexp.MustCompile(`//! (?:@[+-]\d+ )?([A-Z]+\d+)`)

func markedPrograms(t *testing.T) []markedProgram {
	t.Helper()
	var out []markedProgram
	add := func(file, entry string, files fstest.MapFS) {
		p := markedProgram{origin: strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), files: files, entry: entry}
		for _, f := range files {
			for _, m := range markedCode.FindAllStringSubmatch(string(f.Data), -1) {
				if !slices.Contains(p.codes, m[1]) {
					p.codes = append(p.codes, m[1])
				}
			}
		}
		out = append(out, p)
	}
	for _, file := range glob(t, "testdata/rules/*.k*") {
		for _, chunk := range chunks(read(t, file)) {
			name := filepath.Base(file)
			add(file, name, fstest.MapFS{name: {Data: []byte(chunk)}})
		}
	}
	for _, file := range glob(t, "testdata/modules/*.txtar") {
		files := fstest.MapFS{}
		archive := txtar.Parse([]byte(read(t, file)))
		for _, f := range archive.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		for _, f := range archive.Files {
			if !strings.Contains(f.Name, "/") && strings.Contains(filepath.Ext(f.Name), ".k") {
				add(file, f.Name, files)
			}
		}
	}
	return out
}

// misses reports whether some marker of the code in the program is unmet when
// its rule is turned off.
func (p *markedProgram) misses(t *testing.T, code string) bool {
	t.Helper()
	opts := options(string(p.files[p.entry].Data))
	opts.Files = p.files
	opts.Mute(code)
	prog, err := check.Load(p.entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	var want []marker
	for _, m := range prog.Modules {
		for _, f := range m.Files {
			if !m.Std {
				want = append(want, markers(t, f)...)
			}
		}
	}
	want = append(want, jsonMarkers(t, p.files)...)
	for _, d := range prog.Diagnostics {
		claim(want, d)
	}
	return slices.ContainsFunc(want, func(w marker) bool { return w.code == code && !w.met })
}

// With any rule turned off, its example in the manual goes unreported, and so
// do the markers that name its code.
func TestEveryRuleIsMissed(t *testing.T) {
	programs := markedPrograms(t)
	for _, c := range check.Codes() {
		if c.Status != check.Judged {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if !slices.ContainsFunc(example(t, c, c.Wrong), func(d check.Diagnostic) bool { return d.Code == c.Name }) {
				t.Error("the example in the manual is not found")
			}
			for _, d := range mutedExample(t, c) {
				if d.Code == c.Name {
					t.Errorf("turned off, and yet found: %s", show(d))
				}
			}
			for _, p := range programs {
				if slices.Contains(p.codes, c.Name) {
					if !p.misses(t, c.Name) {
						t.Errorf("%s does not miss it", p.origin)
					}
					return
				}
			}
		})
	}
}

func mutedExample(t *testing.T, c check.Code) []check.Diagnostic {
	t.Helper()
	opts := options("")
	files, entry := exampleFiles(c.Wrong)
	opts.Files, opts.Runs = files, c.Runs
	opts.Mute(c.Name)
	p, err := check.Load(entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p.Diagnostics
}

// The manual has a table of all codes: the rule, and the programs that pin it.
// What it says is true; a program that was added since may be missing in it.
func TestRulesPage(t *testing.T) {
	tested := map[string][]string{}
	for _, p := range markedPrograms(t) {
		for _, code := range p.codes {
			if !slices.Contains(tested[code], p.origin) {
				tested[code] = append(tested[code], p.origin)
			}
		}
	}
	page := filepath.Join("..", "docs", "rules.md")
	if *update {
		if err := os.WriteFile(page, []byte(rulesPage(tested)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var rows []string
	for line := range strings.Lines(read(t, page)) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) > 2 && check.Explain(strings.TrimPrefix(cells[0], "| ")) != nil {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	codes := check.Codes()
	if len(rows) != len(codes) {
		t.Fatalf("%d codes, %d rows: run go test ./check -run RulesPage -update", len(codes), len(rows))
	}
	for i, c := range codes {
		pins, ok := strings.CutPrefix(rows[i], ruleRow(c))
		if !ok {
			t.Errorf("want a row %q, found %q: run go test ./check -run RulesPage -update", ruleRow(c), rows[i])
		}
		for _, pin := range strings.Split(strings.TrimSuffix(pins, " |"), ", ")[1:] {
			if !slices.Contains(tested[c.Name], pin) {
				t.Errorf("%s is not pinned by %s", c.Name, pin)
			}
		}
	}
}

// ruleRow is the row of a code up to the programs that pin it.
func ruleRow(c check.Code) string {
	kind, pins := c.Severity.String(), "codes.md"
	if c.Status != check.Judged {
		kind, pins = c.Status.String(), ""
	}
	return fmt.Sprintf("| %s | %s | %s | %s", c.Name, strings.ReplaceAll(c.Title, "|", `\|`), kind, pins)
}

func rulesPage(tested map[string][]string) string {
	var b strings.Builder
	b.WriteString("# Rules and their tests\n\n" +
		"Every code, the rule in one line, and the programs in `check/testdata` that pin it\n" +
		"with markers, besides the wrong and the right program of [the manual](codes.md).\n" +
		"`go test ./check -run EveryRuleIsMissed` turns each rule off and shows that a test\n" +
		"fails. This page is written by `go test ./check -run RulesPage -update`.\n\n" +
		"| code | rule | | pinned by |\n|---|---|---|---|\n")
	for _, c := range check.Codes() {
		b.WriteString(ruleRow(c))
		for _, file := range tested[c.Name] {
			b.WriteString(", " + file)
		}
		b.WriteString(" |\n")
	}
	return b.String()
}
