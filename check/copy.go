package check

// copier copies the body of an arm, so that two steps that share it can settle
// different debts in it. Expressions and bindings stay shared: they are the
// same places of the source. It maps the labelled calls of the body to their
// copies, for its own jumps.
type copier map[*Call]*Call

func (m copier) chain(c *Chain) *Chain {
	if c == nil {
		return nil
	}
	out := &Chain{Node: c.Node, Steps: make([]*Step, len(c.Steps))}
	for i, s := range c.Steps {
		step := *s
		step.Call = m.call(s.Call)
		if s.Jump != nil {
			jump := *s.Jump
			if target := m[jump.Target]; target != nil {
				jump.Target = target
			}
			step.Jump = &jump
		}
		out.Steps[i] = &step
	}
	if c.End != nil {
		end := *c.End
		end.Call = m.call(end.Call)
		out.End = &end
	}
	return out
}

func (m copier) call(c *Call) *Call {
	if c == nil {
		return nil
	}
	out := *c
	if c.Label != "" {
		m[c] = &out
	}
	out.Arms = make([]*Arm, len(c.Arms))
	for i, a := range c.Arms {
		arm := *a
		arm.Body = m.chain(a.Body)
		out.Arms[i] = &arm
	}
	return &out
}
