package check

import (
	"math"

	"github.com/koru-go/koru/syntax"
)

// Cost is what carrying something out can cost in a scope, known before any of
// it is spent (R9): at least Least, and at most Greatest unless Unbounded.
type Cost struct {
	Least, Greatest uint64
	Unbounded       bool
}

// Then is the cost of one thing after another.
func (c Cost) Then(d Cost) Cost {
	return Cost{addCost(c.Least, d.Least), addCost(c.Greatest, d.Greatest), c.Unbounded || d.Unbounded}
}

// Or is the cost of one of two things.
func (c Cost) Or(d Cost) Cost {
	return Cost{min(c.Least, d.Least), max(c.Greatest, d.Greatest), c.Unbounded || d.Unbounded}
}

// repeated is the cost of doing something any number of times. Only what costs
// nothing stays bounded.
func (c Cost) repeated() Cost {
	return Cost{Unbounded: c.Unbounded || c.Greatest > 0}
}

func addCost(a, b uint64) uint64 {
	if b > math.MaxUint64-a {
		return math.MaxUint64
	}
	return a + b
}

// CostOf returns what calling a verb of the vocabulary costs: a granted verb
// its price, a defined one 1 and what its body spends (bridge.md 8.5, R65).
func (v *Vocabulary) CostOf(verb *Verb) Cost {
	m := meter{words: v}
	return m.verb(verb)
}

// FlowCost returns what running a flow costs in the vocabulary. Calls of verbs
// that it does not grant are free of themselves; one that a flow implements
// costs what that flow spends.
func (v *Vocabulary) FlowCost(f *Flow) Cost {
	m := meter{words: v}
	return m.flow(f)
}

// meter adds up the cost of flows. It remembers each flow, and one that leads
// back to itself has no bound.
type meter struct {
	words  *Vocabulary
	known  map[*Flow]Cost
	open   map[*Flow]bool
	rounds map[*Call]bool // labelled calls that some jump goes back to
	bodies map[*Chain]Cost
}

// never is the least cost of a path that does not end by itself.
const never = math.MaxUint64

func (m *meter) verb(v *Verb) Cost {
	own := Cost{Least: v.Cost, Greatest: v.Cost}
	if v.Flow != nil {
		return own.Then(m.flow(v.Flow))
	}
	return own
}

func (m *meter) flow(f *Flow) Cost {
	if f == nil || f.Body == nil {
		return Cost{}
	}
	if c, ok := m.known[f]; ok {
		return c
	}
	if m.open[f] {
		return Cost{Unbounded: true}
	}
	if m.open == nil {
		m.open, m.known = map[*Flow]bool{}, map[*Flow]Cost{}
		m.rounds, m.bodies = map[*Call]bool{}, map[*Chain]Cost{}
	}
	m.open[f] = true
	c := m.chain(f.Body)
	if c.Least == never {
		c.Least = 0 // it only ends when something stops it
	}
	delete(m.open, f)
	m.known[f] = c
	return c
}

// chain adds up the steps of a chain, from its last step backwards, for the
// arms of a call are alternatives to everything behind it.
func (m *meter) chain(c *Chain) Cost {
	var rest Cost
	if c.End != nil && c.End.Call != nil {
		rest = m.call(c.End.Call, Cost{}, true)
	}
	for i := len(c.Steps) - 1; i >= 0; i-- {
		switch s := c.Steps[i]; s.Kind {
		case JumpStep:
			m.rounds[s.Jump.Target] = true
			rest = Cost{Least: never}
		case CallStep:
			rest = m.call(s.Call, rest, i < len(c.Steps)-1 || c.End != nil)
		}
	}
	return rest
}

// body is the cost of the body of an arm, which steps may share.
func (m *meter) body(c *Chain) Cost {
	if c == nil {
		return Cost{}
	}
	cost, ok := m.bodies[c]
	if !ok {
		cost = m.chain(c)
		m.bodies[c] = cost
	}
	return cost
}

// call is the cost of a call and of what follows it: its handlers, any number
// of times, then one of its outcome arms, the rest of the chain, or nothing
// where an outcome is not handled.
func (m *meter) call(c *Call, rest Cost, more bool) Cost {
	fired, after := Cost{}, Cost{Least: never}
	if continues(c, more) {
		after = rest
	}
	if stops(c) {
		after = after.Or(Cost{})
	}
	for _, a := range c.Arms {
		body := m.body(a.Body)
		if a.Effect {
			fired = fired.Then(body.repeated())
		} else {
			after = after.Or(body)
		}
	}
	cost := m.charge(c).Then(fired).Then(after)
	if m.rounds[c] && cost.Greatest > 0 {
		cost.Unbounded = true // the loop may go round any number of times before it ends
	}
	return cost
}

// continues reports whether a path leads from a call to the next step.
func continues(c *Call, more bool) bool {
	return c.Tor == nil || c.Survivor != nil || !c.Tor.Branches() || more && len(c.Arms) == 0
}

// stops reports whether a path ends at a call because nobody handles an
// outcome: an optional one, or any in a definition, which lets it through.
func stops(c *Call) bool {
	if c.Tor == nil {
		return false
	}
	for _, o := range c.Tor.Outcomes {
		if !o.Effect && o != c.Survivor && !handled(c, o) {
			return true
		}
	}
	return false
}

// charge is the price of the call itself.
func (m *meter) charge(c *Call) Cost {
	if c.Tor == nil {
		return Cost{}
	}
	if v := m.grant(c); v != nil {
		return m.verb(v)
	}
	if c.Tor.Impl != nil {
		return m.flow(c.Tor.Impl.Body())
	}
	return Cost{}
}

// grant returns the verb that a call dispatches, or nil. The word in the
// source decides, for a tor may be granted under two names at two prices.
func (m *meter) grant(c *Call) *Verb {
	if c.Node.Kind() == syntax.Call {
		if v := m.words.Verb((syntax.CallView{Node: c.Node}).Path().Text()); v != nil && v.Tor == c.Tor {
			return v
		}
	}
	for _, v := range m.words.Defined {
		if v.Tor == c.Tor {
			return v
		}
	}
	if m.words.Scope == nil {
		return nil
	}
	for _, v := range m.words.Scope.Verbs {
		if v.Tor == c.Tor {
			return v
		}
	}
	return nil
}
