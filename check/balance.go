package check

import "slices"

// Balance is what the body of a definition does to the debts of its caller,
// as far as its signature does not say so (bridge.md 8.3). An honest
// definition has an empty one.
type Balance struct {
	Unsaid []Debt // minted inside and still owed where a path ends
	Unpaid []Debt // inputs declared <!s> that a path does not discharge
	Taken  []Debt // inputs discharged that are not declared <!s>
}

// Debt is one resource of a [Balance].
type Debt struct {
	Binding *Binding
	Path    []string // fields from the binding to the resource
	States  []State
	Type    *Type
	Mint    *Call // who minted it, or nil for an input
}

// Honest reports whether the signature tells all.
func (b *Balance) Honest() bool { return len(b.Unsaid)+len(b.Unpaid)+len(b.Taken) == 0 }

// Obligations judges the body of a definition. Nothing is inserted into it:
// what it leaves open is in the balance, for whoever words the refusal; faults
// of single steps are diagnostics as in a file.
func Obligations(flow *Flow) (Balance, []Diagnostic) {
	w := warden{flow: flow, wire: true}
	w.run()
	return w.balance, w.found
}

// leave notes a debt that a path leaves open.
func (b *Balance) leave(h *holding) {
	d := Debt{Binding: h.root, Path: h.path, States: h.states, Type: h.typ, Mint: h.mint}
	if h.mint == nil {
		b.Unpaid = note(b.Unpaid, d)
	} else {
		b.Unsaid = note(b.Unsaid, d)
	}
}

// note adds a debt once, however many paths leave it open.
func note(list []Debt, d Debt) []Debt {
	for i := range list {
		if list[i].Binding == d.Binding && slices.Equal(list[i].Path, d.Path) {
			return list
		}
	}
	return append(list, d)
}
