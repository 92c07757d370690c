package check_test

import (
	"cmp"
	"slices"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// A debt that a call could settle comes with that call, written where every
// path that forgets it ends. Applied, it leaves nothing to say.
func TestDischargeFix(t *testing.T) {
	const verbs = `tor open { path: string } -> string<open!>
proc open|js { return path; }
tor try { path: string }
| opened string<open!>
| failed string
proc try|js { return { failed: path }; }
tor part { path: string }
| got { h: string<open!>, size: u32 }
| none
proc part|js { return "none"; }
tor close { h: string<!open> }
proc close|js {}
tor drop { h: string<!open> }
proc drop|js {}
tor show { text: string }
proc show|js {}
tor size { h: string<open> } -> u32
proc size|js { return 1; }
tor check { h: string<open> }
| good
| bad
proc check|js { return "good"; }

`
	tests := []struct{ name, before, after string }{
		{"at the end of a chain",
			`open(path: "a"): k |> show(text: k)`,
			`open(path: "a"): k |> show(text: k) |> close(h: k)`},
		{"as a pun",
			"open(path: \"a\"): h\n|> show(text: h)",
			"open(path: \"a\"): h\n|> show(text: h) |> close(h)"},
		{"in place of an empty body, with a name for what was discarded",
			"try(path: \"a\")\n| opened _ |> _\n| failed _ |> _",
			"try(path: \"a\")\n| opened h |> close(h)\n| failed _ |> _"},
		{"on every path that forgets",
			"open(path: \"a\"): h\n|> check(h)\n| good |> show(text: \"good\")\n| bad",
			"open(path: \"a\"): h\n|> check(h)\n| good |> show(text: \"good\") |> close(h)\n| bad |> close(h)"},
		{"a field of a record",
			"part(path: \"a\")\n| got r |> show(text: \"got\")\n| none |> _",
			"part(path: \"a\")\n| got r |> show(text: \"got\") |> close(r.h)\n| none |> _"},
		{"in front of what is produced",
			"tor measure { path: string } -> u32\nmeasure = open(path): h |> size(h): n -> n",
			"tor measure { path: string } -> u32\nmeasure = open(path): h |> size(h): n |> close(h) -> n"},
		{"in front of a jump",
			"#again try(path: \"a\")\n| opened h |> @again(path: \"b\")\n| failed _ |> _",
			"#again try(path: \"a\")\n| opened h |> close(h) |> @again(path: \"b\")\n| failed _ |> _"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := check.Source("main.k", verbs+tt.before+"\n", options(""))
			if len(p.Diagnostics) != 1 || len(p.Diagnostics[0].Fixes) != 2 {
				t.Fatalf("want one finding with a fix for close and one for drop, got %v", p.Diagnostics)
			}
			for _, f := range p.Diagnostics[0].Fixes {
				if f.Safe {
					t.Errorf("%q is a choice, and still called safe", f.Title)
				}
			}
			fixed := apply(p.Diagnostics[0].Fixes[0], verbs+tt.before+"\n")
			if want := verbs + tt.after + "\n"; fixed != want {
				t.Fatalf("fixed:\n%s", fixed[len(verbs):])
			}
			sound(t, fixed)
		})
	}
}

// Where only one verb can discharge the debt nothing is left to choose, so that
// the fix is safe. Without room for a call there is no fix.
func TestDischargeFixSafety(t *testing.T) {
	const verbs = `//: no-auto-discharge
import lib
tor close { h: string<!open> }
proc close|js {}
tor open {} -> string<open!>
proc open|js { return "h"; }
tor try {}
| done
| ?rest string<open!>
proc try|js { return "done"; }
tor name {} -> string
proc name|js { return "x"; }

`
	tests := []struct{ name, flow, fixed string }{
		{"the verb of another module", "lib:start(): t |> name(): _n", "lib:start(): t |> name(): _n |> lib:stop(t)"},
		{"nothing threads into the inserted call", "open(): h |> name()", ""},
		{"no arm to write it under", "try()\n| done |> _", ""},
		{"the value itself is produced", "tor f {} -> string\nf = open(): h -> h", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := verbs + tt.flow + "\n"
			opts := options(text)
			opts.Files = fstest.MapFS{
				"main.k": {Data: []byte(text)},
				"lib.k": {Data: []byte(`pub tor start {} -> string<on!>
proc start|js { return "t"; }
pub tor stop { t: string<!on> }
proc stop|js {}
`)},
			}
			p, err := check.Load("main.k", opts)
			if err != nil {
				t.Fatal(err)
			}
			var fixes []check.Fix
			for _, d := range p.Diagnostics {
				fixes = append(fixes, d.Fixes...)
			}
			switch {
			case tt.fixed == "" && len(fixes) > 0:
				t.Errorf("unexpected fix: %q", apply(fixes[0], text)[len(verbs):])
			case tt.fixed != "" && (len(fixes) != 1 || !fixes[0].Safe || apply(fixes[0], text) != verbs+tt.fixed+"\n"):
				t.Errorf("want a safe fix, got %+v", fixes)
			}
		})
	}
}

// apply carries out the edits of a fix in a text.
func apply(f check.Fix, text string) string {
	edits := slices.Clone(f.Edits)
	slices.SortStableFunc(edits, func(a, b check.TextEdit) int { return cmp.Compare(b.Span.Start, a.Span.Start) })
	for _, e := range edits {
		text = text[:e.Span.Start] + e.Text + text[e.Span.End:]
	}
	return text
}

// The finding stands at the binding; its notes say who minted the debt and
// which paths forget it.
func TestDebtNotes(t *testing.T) {
	text := `tor try { path: string }
| opened string<open!>
| failed string
proc try|js { return { failed: path }; }
tor check { h: string<open> }
| good
| bad
| odd
| ?new
proc check|js { return "good"; }
tor save { h: string<!open> } -> string
proc save|js { return h; }
tor show { text: string }
proc show|js {}

try(path: "a")
| opened h |> check(h)
    | good |> save(h): text |> show(text)
    | bad |> show(text: "bad")
    | odd
| failed _ |> _
`
	p := check.Source("main.k", text, options(""))
	if len(p.Diagnostics) != 1 {
		t.Fatalf("want one finding, got %v", p.Diagnostics)
	}
	got := []string{show(p.Diagnostics[0])}
	for _, n := range p.Diagnostics[0].Notes {
		got = append(got, show(check.Diagnostic{File: n.File, Span: n.Span, Message: n.Message}))
	}
	want := []string{
		"main.k:17: KORU030 `h` Resource 'h' obligation <open!> was not discharged. Call: save",
		"main.k:16:  `try` 'try' mints <open!> here",
		"main.k:19:  `show` this path ends without discharging 'h'",
		"main.k:20:  `| odd` this path ends without discharging 'h'",
		"main.k:17:  `check` a path ends here without discharging 'h', when an outcome that nobody handles fires",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
