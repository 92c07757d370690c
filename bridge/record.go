package bridge

import (
	"strings"

	"github.com/koru-go/koru/check"
)

// obligation is what a handle owes: a state and the module that owns the
// label. Two modules may both own an "open" (bridge.md 2.6, 2.7).
type obligation struct{ module, name string }

// obligationOf returns the obligation that a state of a type names. Modules
// are printed with dots; the entry program is main.
func obligationOf(s check.State) obligation {
	return obligation{dotted(s.Module), s.Name}
}

// String spells the obligation as reports do: std.fs:dir.
func (o obligation) String() string { return o.module + ":" + o.name }

// record is one possession of the session: who made it, what it owes and to
// whom (bridge.md 7.1). It lives from its mint to its discharge. A mint of
// what is already held re-issues it: the record takes a new id and moves to
// the young end of the pool (R87, R93).
type record struct {
	id         int    // the mint's number, greater is younger; 0 for what is not owed
	handle     string // the token of a capability, or the text of a string handle
	capability bool   // the token was minted here and can only be reached through a binding
	owed       bool   // false: a capability in a plain state, usable but not to be settled
	owes       obligation
	resource   string // declared type without pointer, brackets and module: Dir
	scope      string
	createdBy  string // the verb that minted it
	discharge  string // the verb that lets it go; "" if the scope has none
	binding    string // the newest rN that names it
	object     any    // the host object behind a capability
	identity   any    // what tells that object from others, nil if nothing does

	// providers are the records that the minting call was given: this one must
	// go before them. dependents counts the live owed records that name this
	// one as a provider.
	providers  []*record
	dependents int
	discharged bool
	queued     bool // waits in the sweep

	links [2]link
	twin  *record // the next record of the same handle under another obligation
}

// live reports whether the handle can still be used. A capability that owes
// nothing lives as long as everything it was made from.
func (r *record) live() bool {
	if r.discharged || r.owed {
		return !r.discharged
	}
	for _, p := range r.providers {
		if p.discharged {
			return false
		}
	}
	return true
}

// claim is a record as a call found it when it was judged, and whether the
// call consumes it. Should the call itself re-issue the record, the claim is
// settled by that (bridge.md 7.4).
type claim struct {
	record  *record
	id      int
	consume bool
}

// yieldsTo reports whether the claim should rather be of r: it is the older
// one, and what is owed comes before what is not.
func (c claim) yieldsTo(r *record) bool {
	return c.record == nil || r.owed && (!c.record.owed || r.id < c.id)
}

// leansOn reports whether r is other, or reaches it through its providers.
// Only a record with dependents can be reached, so a new one costs nothing.
func (r *record) leansOn(other *record) bool {
	if r == other {
		return true
	}
	if other.dependents == 0 {
		return false
	}
	seen := map[*record]struct{}{r: {}}
	for open := []*record{r}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		for _, q := range next.providers {
			if q == other {
				return true
			}
			if _, ok := seen[q]; !ok {
				seen[q] = struct{}{}
				open = append(open, q)
			}
		}
	}
	return false
}

// want is what a field asks of a handle: its resource type and the states it
// accepts. Without states any handle of the type will do, and is only lent.
type want struct {
	scope    string
	resource string
	states   []demand
}

// demand is one state that a field accepts, and whether it consumes a handle
// in that state: <!fed|open> does in the one and not in the other (language.md
// 5.1).
type demand struct {
	owes    obligation
	consume bool
}

// accepts reports whether the field takes r, and whether the call then
// consumes it. What is not owed cannot be consumed.
func (w *want) accepts(r *record) (ok, consume bool) {
	if r.resource != w.resource || !r.live() {
		return false, false
	}
	for _, d := range w.states {
		if d.owes == r.owes && (r.owed || !d.consume) {
			return true, d.consume
		}
	}
	return len(w.states) == 0, false
}

// mint says what a verb handed out.
type mint struct {
	capability bool
	handle     string // text of a string handle; for a capability "", or the token it already has
	object     any    // the host object behind a capability
	identity   any    // of that object, as the pool knows it
	owed       bool
	owes       obligation
	resource   string
	scope      string
	createdBy  string
	discharge  string
	binding    string
	given      []claim // every handle that the minting call was given
}

// dotted spells a module path as obligations and manifests do: std/fs is
// std.fs, and the program's own module is main (bridge.md 2.6, R86).
func dotted(module string) string {
	if module == "" {
		return "main"
	}
	return strings.ReplaceAll(module, "/", ".")
}
