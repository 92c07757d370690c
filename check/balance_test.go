package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// An honest definition states what its body mints, discharges and hands on; the
// balance holds what it does not state (bridge.md 8.3).
func TestObligations(t *testing.T) {
	const verbs = `
pub tor open { path: string }
| opened string<open!>
| failed string
proc open|js { return { failed: path }; }
pub tor make {} -> string<open!>
proc make|js { return "h"; }
pub tor append { h: string<!open>, text: string } -> string<open!>
proc append|js { return h; }
pub tor read { h: string<open> } -> string
proc read|js { return h; }
pub tor close { h: string<!open> }
proc close|js {}
`
	type balance struct{ Unsaid, Unpaid, Taken []string }
	tests := []struct {
		name string
		text string
		want balance
	}{
		{"a handle that is text is borrowed", "tor f { h: string } -> string\nf = read(h)", balance{}},
		{"a mint that is stated", "tor f { path: string }\n| opened string<open!>\n| failed string\nf = open(path)", balance{}},
		{"a mint that is not", "tor f { path: string }\n| opened string\n| failed string\nf = open(path)", balance{Unsaid: []string{"_ open"}}},
		{"a mint that is discharged", "tor f {}\nf = make(): h |> close(h)", balance{}},
		{"a mint that is left", "tor f {} -> string\nf = make(): h |> read(h): text -> text", balance{Unsaid: []string{"h open"}}},
		{"an input that is used up and handed back", "tor f { h: string<!open> } -> string<open!>\nf = append(h, text: \"x\")", balance{}},
		{"an input that is not used up", "tor f { h: string<!open> } -> string\nf = read(h)", balance{Unpaid: []string{"h open"}}},
		{"an input that is used up in silence", "tor f { h: string }\nf = close(h)", balance{Taken: []string{"h open"}}},
		{"one path is enough", "tor f { path: string, h: string<!open> }\nf = open(path)\n| opened k |> close(h: k) |> close(h)\n| failed _ |> _",
			balance{Unpaid: []string{"h open"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := check.Source("main.k", verbs+tt.text+"\n", options(""))
			b, faults := check.Obligations(p.Entry.Tor("f").Impl.Flow)
			for _, d := range faults {
				t.Error(show(d))
			}
			got := balance{debts(b.Unsaid), debts(b.Unpaid), debts(b.Taken)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if honest := cmp.Equal(tt.want, balance{}); b.Honest() != honest {
				t.Errorf("honest: %v, want %v", b.Honest(), honest)
			}
		})
	}
}

// The steps of a definition are judged like those of a file.
func TestObligationsFaults(t *testing.T) {
	p := check.Source("main.k", `
pub tor make {} -> string<open!>
proc make|js { return "h"; }
pub tor close { h: string<!open> }
proc close|js {}
tor f {}
f = make(): h |> close(h) |> close(h)
`, options(""))
	_, faults := check.Obligations(p.Entry.Tor("f").Impl.Flow)
	if len(faults) != 1 || faults[0].Code != "KORU030" {
		t.Errorf("found %v, want one use after discharge", faults)
	}
}

func debts(list []check.Debt) []string {
	var out []string
	for _, d := range list {
		name := d.Binding.Name
		if name == "" {
			name = "_"
		}
		out = append(out, name+" "+d.States[0].Name)
	}
	return out
}
