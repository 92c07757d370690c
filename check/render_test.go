package check_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// finding makes a diagnostic about the text between « and » of a source.
func finding(name, marked string) check.Diagnostic {
	from := strings.Index(marked, "«")
	text := strings.Replace(marked, "«", "", 1)
	to := strings.Index(text, "»")
	text = strings.Replace(text, "»", "", 1)
	f := &check.File{Path: name, Syntax: syntax.Parse(name, syntax.Pure, text)}
	return check.Diagnostic{Code: "KORU022", File: f, Span: syntax.Span{Start: from, End: to}, Message: "message"}
}

func text(t *testing.T, d check.Diagnostic) string {
	t.Helper()
	var b bytes.Buffer
	if err := check.WriteText(&b, []check.Diagnostic{d}, check.TextStyle{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextShowsTheLineAndTheRange(t *testing.T) {
	d := finding("shop.k", "import std/io\n«find»(sku: \"A\")\n")
	d.Notes = []check.Note{{File: d.File, Span: syntax.Span{Start: 7, End: 13}, Message: "imported here"}}
	d.Fixes = []check.Fix{{Title: "add the arm"}}
	want := `error[KORU022]: message
  --> shop.k:2:1
   |
 2 | find(sku: "A")
   | ^^^^
  note: shop.k:1:8: imported here
  help: add the arm
`
	if diff := cmp.Diff(want, text(t, d)); diff != "" {
		t.Error(diff)
	}
}

// The carets stand under what they mean whatever stands before it.
func TestTextAlignsCarets(t *testing.T) {
	for _, test := range []struct{ source, line, carets string }{
		{"a(«bc»)", "a(bc)", "  ^^"},
		{"\ta(«bc»)", "    a(bc)", "      ^^"},
		{"a\t(«bc»)", "a   (bc)", "     ^^"},
		{"\"日本\" «x»", `"日本" x`, "       ^"},
		{"«\"日本\"»", `"日本"`, "^^^^^^"},
		{"\"e\u0301\" «x»", "\"e\u0301\" x", "    ^"},
		{"\"🎉\" «x»", `"🎉" x`, "     ^"},
		{"a«»b", "ab", " ^"},
		{"abc«»", "abc", "   ^"},
		{"a(«b\nc»)", "a(b", "  ^"},
		{"\x1b[2J«x»", "^[[2Jx", "     ^"},
		{"\u202e«x»", "<U+202E>x", "        ^"},
	} {
		lines := strings.Split(text(t, finding("a.k", test.source)), "\n")
		got := []string{strings.TrimPrefix(lines[3], " 1 | "), strings.TrimPrefix(lines[4], "   | ")}
		if diff := cmp.Diff([]string{test.line, test.carets}, got); diff != "" {
			t.Errorf("%q:\n%s", test.source, diff)
		}
	}
}

// A line of any length fits a terminal, with the range in sight.
func TestTextCutsLongLines(t *testing.T) {
	d := finding("a.k", "f(a: \""+strings.Repeat("x", 3000)+"\", «b»: \""+strings.Repeat("y", 3000)+"\")")
	lines := strings.Split(text(t, d), "\n")
	line, carets := lines[3], lines[4]
	if n := len([]rune(line)); n > 150 {
		t.Errorf("the line has %d columns", n)
	}
	if at := strings.Index(carets, "^"); []rune(line)[at] != 'b' {
		t.Errorf("the caret is not under the b:\n%s\n%s", line, carets)
	}
}

func TestTextObeysNoMessage(t *testing.T) {
	d := finding("a\x1b.k", "«x»")
	d.Message = "bad \x1b[31m name\nand \u202e line"
	if got := text(t, d); strings.ContainsAny(got, "\x1b\u202e") || strings.Count(got, "\n") != 5 {
		t.Errorf("%q", got)
	}
}

func TestTextColor(t *testing.T) {
	var b bytes.Buffer
	d := finding("a.k", "«x»")
	d.Severity = check.Warning
	if err := check.WriteText(&b, []check.Diagnostic{d}, check.TextStyle{Color: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "\x1b[1;33mwarning[KORU022]\x1b[0m") {
		t.Errorf("%q", b.String())
	}
}

// The JSON form is a promise to scripts: the order of the keys, places counted
// from 1 in bytes, and nothing escaped that need not be.
func TestJSON(t *testing.T) {
	d := finding("a.k", "é(\n  «x»)")
	d.Message = `say "a > b" & 'c'` + "\t\x01é"
	other := finding("b.k", "«y»")
	d.Notes = []check.Note{{File: d.File, Span: d.Span, Message: "here"}, {File: other.File, Span: other.Span, Message: "there"}}
	d.Fixes = []check.Fix{{Title: "t", Safe: true, Edits: []check.TextEdit{{File: d.File, Span: d.Span, Text: "z"}}}}
	d.Sub = "unknown-name"
	var b bytes.Buffer
	if err := check.WriteJSON(&b, []check.Diagnostic{d}); err != nil {
		t.Fatal(err)
	}
	x := `{"start":{"line":2,"column":3,"offset":6},"end":{"line":2,"column":4,"offset":7}}`
	want := `{"file":"a.k","code":"KORU022","severity":"error","range":` + x +
		`,"message":"say \"a > b\" & 'c'\t\u0001é","notes":[{"range":` + x + `,"message":"here"},` +
		`{"range":{"start":{"line":1,"column":1,"offset":0},"end":{"line":1,"column":2,"offset":1}},"message":"there","file":"b.k"}],` +
		`"fixes":[{"title":"t","edits":[{"range":` + x + `,"text":"z"}],"safe":true}],"sub":"unknown-name"}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if !json.Valid(b.Bytes()) {
		t.Error("not JSON")
	}
}

func TestJSONOfBrokenText(t *testing.T) {
	d := finding("\xff.k", "«x»")
	d.Message = "\xc3"
	if got := d.AppendJSON(nil); !json.Valid(got) || bytes.Contains(got, []byte{0xc3, '"'}) {
		t.Errorf("%q", got)
	}
}
