package check

import "github.com/koru-go/koru/syntax"

// Settlement is a place of a flow where the checker inserts disposals: what an
// editor shows behind the text and `koru check --facts` prints.
type Settlement struct {
	At        syntax.Node // what the path ends in: a step, an arm, a => or ->, a jump
	Disposals []Disposal
}

// Settlements returns the places of the flow where something is inserted, in
// the order in which the paths are written. A dedented arm that settles
// different things for different steps is there once for each.
func (f *Flow) Settlements() []Settlement {
	var s settlements
	if f.Body != nil {
		s.chain(f.Body)
	}
	return s
}

type settlements []Settlement

func (s *settlements) add(at syntax.Node, disposals []Disposal) {
	if len(disposals) > 0 {
		*s = append(*s, Settlement{at, disposals})
	}
}

func (s *settlements) chain(c *Chain) {
	at := c.Node
	for _, step := range c.Steps {
		at = step.Node
		switch step.Kind {
		case CallStep:
			s.call(step.Call)
		case JumpStep:
			s.add(at, step.Jump.Settle)
		}
	}
	if c.End != nil {
		at = c.End.Node
		if c.End.Call != nil {
			s.call(c.End.Call)
		}
	}
	s.add(at, c.Settle)
}

func (s *settlements) call(c *Call) {
	for _, a := range c.Arms {
		if a.Body != nil {
			s.chain(a.Body)
		}
	}
	s.add(c.Node, c.Unarmed)
}
