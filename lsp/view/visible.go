package view

import (
	"iter"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// visible returns the named bindings that a name at an offset of a flow can
// read, the nearest last. A name that is bound twice is there once.
func visible(flow *check.Flow, off int) []*check.Binding {
	v := &visibility{off: off}
	v.add(flow.Params...)
	v.chain(flow.Body)
	return v.list
}

type visibility struct {
	off  int
	list []*check.Binding
}

func (v *visibility) add(bindings ...*check.Binding) {
	for _, b := range bindings {
		if b != nil && b.Name != "" && b.Name != "_" {
			v.list = append(v.list, b)
		}
	}
}

// chain adds what the steps in front of the offset bind, and goes into the arm
// that holds it. An arm sees what was bound before the first call it applies to.
func (v *visibility) chain(c *check.Chain) {
	if c == nil {
		return
	}
	for _, s := range c.Steps {
		if s.Call == nil {
			continue
		}
		for _, a := range s.Call.Arms {
			if !a.Forward && holds(a.Node.Span(), v.off) {
				v.add(a.Payload)
				v.add(a.Fields...)
				v.chain(a.Body)
				return
			}
		}
		v.template(s.Call.Template)
		if s.Node.Span().End <= v.off {
			v.add(s.Call.Result)
			v.add(s.Call.Fields...)
		}
	}
}

// template adds the items of the loops of a template block that hold the offset.
func (v *visibility) template(e *check.Expr) {
	if e != nil && holds(e.Node.Span(), v.off) {
		v.parts(e.Parts)
	}
}

func (v *visibility) parts(list []check.Part) {
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
