package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// priced declares the verbs that the flows of TestFlowCost call, and what they
// cost. look is free, for the scope does not grant it; browse is not granted
// either, but a flow that spends stands behind it.
const priced = `
import std/runtime

std/runtime:register(scope: "shop") {
    find(2)
    buy(10)
    notify
    again(5)
}

pub tor find { sku: string }
| found string
| unknown
| ?similar string
proc find|js { return "unknown"; }

pub tor buy { sku: string } -> string
proc buy|js { return sku; }

pub tor notify { text: string }
proc notify|js {}

pub tor look { text: string }
proc look|js {}

pub tor lines {}
! line string
| done
| failed
proc lines|js { return "done"; }

pub tor again { n: i64 }
| more
| enough
proc again|js { return "enough"; }

tor browse { sku: string }
browse = buy(sku): a |> notify(text: a)

tor forever { sku: string }
forever = buy(sku): a |> forever(sku: a)
`

func TestFlowCost(t *testing.T) {
	unbounded := func(least uint64) check.Cost { return check.Cost{Least: least, Unbounded: true} }
	exactly := func(n uint64) check.Cost { return check.Cost{Least: n, Greatest: n} }
	tests := []struct {
		name string
		flow string
		want check.Cost
	}{
		{"a verb that is not granted is free", `look(text: "x")`, exactly(0)},
		{"steps add up", `buy(sku: "a"): a |> notify(text: a) |> look(text: a)`, exactly(11)},
		{"arms are alternatives, and so is an outcome that nobody handles", `
find(sku: "a")
| found s |> buy(sku: s): a |> notify(text: a)
| unknown |> notify(text: "none")`, check.Cost{Least: 2, Greatest: 13}},
		{"every arm costs", `
find(sku: "a")
| found s |> buy(sku: s): a |> look(text: a)
| unknown |> notify(text: "none")
| similar s |> notify(text: s)`, check.Cost{Least: 3, Greatest: 12}},
		{"a handler may run any number of times", `
lines()
! line s |> notify(text: s)
| done |> notify(text: "done")
| failed |> _`, unbounded(0)},
		{"and so may a loop", `for(0..3)
! each _ |> buy(sku: "a"): a |> look(text: a)`, unbounded(0)},
		{"which stays bounded if it spends nothing", `
lines()
! line s |> look(text: s)
| done |> notify(text: "done")
| failed |> notify(text: "oh")`, exactly(1)},
		{"a jump makes another round", `
#top again(n: 0)
| more |> @top(n: 1)
| enough |> notify(text: "x")`, unbounded(6)},
		{"a flow is looked through", `browse(sku: "a")`, exactly(11)},
		{"one that leads back to itself has no bound", `forever(sku: "a")`, unbounded(10)},
		{"dedented arms", `
find(sku: "a")
|> buy(): a
|> notify(text: a)
| unknown |> buy(sku: "b"): b |> look(text: b)`, check.Cost{Least: 2, Greatest: 13}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sound(t, priced+"\n"+strings.TrimSpace(tt.flow)+"\n")
			words := &check.Vocabulary{Scope: p.Scope("shop")}
			flows := p.Entry.Flows
			got := words.FlowCost(flows[len(flows)-1])
			if got.Unbounded {
				got.Greatest = 0 // means nothing then
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// A defined verb costs 1 and what its body spends (R65); a word that is granted
// under two names costs what the name says.
func TestCostOf(t *testing.T) {
	p := sound(t, priced)
	scope := p.Scope("shop")
	browse := p.Entry.Tor("browse")
	words := &check.Vocabulary{Scope: scope, Defined: []*check.Verb{{Name: "browse", Tor: browse, Cost: 1, Flow: browse.Impl.Flow}}}
	for name, want := range map[string]uint64{"find": 2, "notify": 1, "browse": 12} {
		if got := words.CostOf(words.Verb(name)); got != (check.Cost{Least: want, Greatest: want}) {
			t.Errorf("%s costs %+v, want %d", name, got, want)
		}
	}
}

// sound checks a program in memory that must have no errors.
func sound(t *testing.T, text string) *check.Program {
	t.Helper()
	p := check.Source("main.k", text, options(text))
	for _, d := range p.Diagnostics {
		if d.Severity == check.Error {
			t.Fatal(show(d))
		}
	}
	return p
}
