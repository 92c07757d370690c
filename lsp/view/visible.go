package view

import (
	"iter"
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// trail is the one path of a flow that leads to an offset: what has been bound
// and called on it.
type trail struct {
	off      int
	bindings []*check.Binding // that a name there can read, the nearest last
	calls    []*check.Call    // made before
	last     *check.Chain     // the innermost chain on the path
}

// trailTo follows a flow to an offset.
func trailTo(flow *check.Flow, off int) *trail {
	v := &trail{off: off}
	v.add(flow.Params...)
	v.chain(flow.Body)
	return v
}

// visible returns the named bindings that a name at an offset of a flow can read.
func visible(flow *check.Flow, off int) []*check.Binding { return trailTo(flow, off).bindings }

func (v *trail) add(bindings ...*check.Binding) {
	for _, b := range bindings {
		if b != nil && b.Name != "" && b.Name != "_" {
			v.bindings = append(v.bindings, b)
		}
	}
}

// chain adds what the steps in front of the offset bind, and goes into the arm
// that holds it. An arm sees what was bound before the first call it applies to.
func (v *trail) chain(c *check.Chain) {
	if c == nil {
		return
	}
	v.last = c
	for _, s := range c.Steps {
		if s.Call == nil {
			continue
		}
		for _, a := range s.Call.Arms {
			if !a.Forward && holds(a.Node.Span(), v.off) {
				v.calls = append(v.calls, s.Call)
				v.add(a.Payload)
				v.add(a.Fields...)
				v.chain(a.Body)
				return
			}
		}
		v.template(s.Call.Template)
		if s.Node.Span().End <= v.off {
			v.calls = append(v.calls, s.Call)
			v.add(s.Call.Result)
			v.add(s.Call.Fields...)
		}
	}
}

// spent returns the call on the path that took the possession of a binding away,
// or nil.
func (v *trail) spent(b *check.Binding) *check.Call {
	for _, c := range v.calls {
		for i := range c.Args {
			a := &c.Args[i]
			given := a.Threaded == b || a.Value != nil && a.Value.Kind == check.BindingExpr && a.Value.Ref == b
			if given && a.Field != nil && consumes(a.Field.Type) {
				return c
			}
		}
	}
	return nil
}

// consumes reports whether an input of a type takes possession.
func consumes(t *check.Type) bool {
	return t != nil && t.Phantom != nil && slices.ContainsFunc(t.Phantom.Members, func(s check.State) bool { return s.Consume })
}

// template adds the items of the loops of a template block that hold the offset.
func (v *trail) template(e *check.Expr) {
	if e != nil && holds(e.Node.Span(), v.off) {
		v.parts(e.Parts)
	}
}

func (v *trail) parts(list []check.Part) {
	for i := range list {
		p := &list[i]
		if p.Kind != check.IfPart && p.Kind != check.ForPart || !holds(p.Node.Span(), v.off) {
			continue
		}
		v.add(p.Item)
		v.parts(p.Body)
		v.parts(p.Else)
	}
}

// holds reports whether an offset is in a span or at its end.
func holds(s syntax.Span, off int) bool { return s.Start <= off && off <= s.End }

// chains returns an iterator over a chain and all chains in its arms.
func chains(c *check.Chain) iter.Seq[*check.Chain] {
	return func(yield func(*check.Chain) bool) { eachChain(c, yield) }
}

func eachChain(c *check.Chain, yield func(*check.Chain) bool) bool {
	if c == nil {
		return true
	}
	if !yield(c) {
		return false
	}
	for _, s := range c.Steps {
		if s.Call == nil {
			continue
		}
		for _, a := range s.Call.Arms {
			if !a.Forward && !eachChain(a.Body, yield) {
				return false
			}
		}
	}
	return true
}

// callAt returns the call that a node of the tree is.
func callAt(flow *check.Flow, n syntax.Node) *check.Call {
	if flow == nil || !n.IsValid() {
		return nil
	}
	for c := range flow.Calls() {
		if c.Node == n {
			return c
		}
	}
	return nil
}

// armed returns the calls that an arm applies to. An arm with a word that none
// of them declares belongs to the last call of its chain that can end in several
// ways.
func armed(flow *check.Flow, arm, chain syntax.Node) []*check.Call {
	var calls []*check.Call
	if flow == nil {
		return nil
	}
	for c := range flow.Calls() {
		for _, a := range c.Arms {
			if a.Node == arm && !a.Forward && (a.Outcome != nil || a.CatchAll) {
				calls = append(calls, c)
			}
		}
	}
	if calls != nil {
		return calls
	}
	for c := range chains(flow.Body) {
		if c.Node != chain {
			continue
		}
		for _, s := range c.Steps {
			if s.Call != nil && s.Call.Tor != nil && s.Call.Tor.Branches() {
				calls = append(calls, s.Call)
			}
		}
	}
	return calls
}
