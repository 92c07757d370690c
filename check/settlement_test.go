package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// Where a path ends, the one disposer of what it still owes is inserted: the
// newest resource first, after the last use, on every path.
func TestSettlements(t *testing.T) {
	const verbs = `
tor open { path: string } -> string<open!>
proc open|js { return path; }
tor try { path: string }
| opened string<open!>
| failed string
| ?odd string<open!>
proc try|js { return { failed: path }; }
tor part { path: string }
| got { h: string<open!>, size: u32 }
| none
proc part|js { return "none"; }
tor next { h: string<open> }
| more string<item!>
| done
proc next|js { return "done"; }
tor grow { h: string<open> }
| grown string<item!>
| failed string
proc grow|js { return { failed: "x" }; }
tor drop { i: string<!item> }
proc drop|js {}
tor peel { i: string<item> } -> string
proc peel|js { return i; }
tor close { h: string<!open> }
proc close|js {}
tor show { text: string }
proc show|js {}
tor size { h: string<open> } -> u32
proc size|js { return 1; }

`
	tests := []struct {
		name string
		flow string
		want []string
	}{
		{"nothing is owed", `open(path: "a"): h |> close(h)`, nil},
		{"newest first", `open(path: "a"): a |> open(path: "b"): b |> show(text: "x")`,
			[]string{`show(text: "x"): close(b), close(a)`}},
		{"in every arm, and where an outcome is not handled", `
open(path: "a"): a
|> try(path: "b")
| opened b |> show(text: b)
| failed _ |> _`,
			[]string{`show(text: b): close(b), close(a)`, `_: close(a)`, `try(path: "b"): close(_), close(a)`}},
		{"under an arm without a body", "part(path: \"a\")\n| got _\n| none",
			[]string{`| got _: close(_.h)`}},
		{"a field of a record", "part(path: \"a\")\n| got r |> show(text: r.h)\n| none |> _",
			[]string{`show(text: r.h): close(r.h)`}},
		{"after the value of the end is computed", "tor f {} -> u32\nf = open(path: \"a\"): h |> size(h): n -> n",
			[]string{`-> n: close(h)`}},
		{"before a jump", "open(path: \"a\"): h\n|> #again next(h)\n| more k |> show(text: k) |> @again(h)\n| done |> _",
			[]string{`@again(h): drop(k)`, `_: close(h)`}},
		{"each firing for itself", "open(path: \"a\"): h\n|> for(0..3)\n    ! each _ |> open(path: h): k |> show(text: k)",
			[]string{`show(text: k): close(k)`, `for(0..3): close(h)`}},
		{"a dedented arm settles what its step leaves", `
open(path: "a")
|> next()
|> peel(): text
|> show(text)
| done |> show(text: "x")`,
			[]string{`show(text: "x"): close(_)`, `show(text): drop(_), close(_)`}},
		{"for each step its own", `
try(path: "a")
|> grow()
|> peel(): text
|> show(text)
| failed why |> show(text: why)
| odd _ |> _`,
			[]string{`_: close(_)`, `show(text: why): close(_)`, `show(text): drop(_), close(_)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := verbs + strings.TrimSpace(tt.flow) + "\n"
			p := check.Source("main.k", text, options(""))
			var got []string
			for _, f := range flows(p) {
				for _, s := range f.Settlements() {
					got = append(got, s.At.Text()+": "+disposals(s.Disposals))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				for _, d := range p.Diagnostics {
					t.Log(show(d))
				}
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// flows returns every flow of the entry module, implementations last.
func flows(p *check.Program) []*check.Flow {
	out := p.Entry.Flows
	for _, t := range p.Entry.Tors() {
		if t.Impl != nil {
			out = append(out, t.Impl.Body())
		}
	}
	return out
}

func disposals(list []check.Disposal) string {
	var out []string
	for _, d := range list {
		name := d.Binding.Name
		if name == "" {
			name = "_"
		}
		out = append(out, d.Tor.Name+"("+strings.Join(append([]string{name}, d.Path...), ".")+")")
	}
	return strings.Join(out, ", ")
}
