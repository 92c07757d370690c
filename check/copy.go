package check

// copier copies the body of an arm, so that two steps that share it can settle
// different debts in it. Only what a path can end in is copied: steps without
// arms, expressions and bindings stay shared, for they are the same places of
// the source and nothing is entered into them. The map leads from the labelled
// calls of the body to their copies, for its own jumps.
type copier map[*Call]*Call

func (m copier) chain(c *Chain) *Chain {
	if c == nil {
		return nil
	}
	out := *c
	for i, s := range c.Steps {
		step := m.step(s)
		if step == s {
			continue
		}
		if &out.Steps[0] == &c.Steps[0] {
			out.Steps = append([]*Step(nil), c.Steps...)
		}
		out.Steps[i] = step
	}
	if c.End != nil && c.End.Call != nil {
		end := *c.End
		end.Call = m.call(end.Call)
		out.End = &end
	}
	return &out
}

func (m copier) step(s *Step) *Step {
	switch {
	case s.Jump != nil:
		step, jump := *s, *s.Jump
		if target := m[jump.Target]; target != nil {
			jump.Target = target
		}
		step.Jump = &jump
		return &step
	case s.Call != nil && settles(s.Call):
		step := *s
		step.Call = m.call(s.Call)
		return &step
	}
	return s
}

// settles reports whether a path can end at a call, or under it.
func settles(c *Call) bool {
	return c.Label != "" || len(c.Arms) > 0 || c.Tor != nil && c.Tor.Branches()
}

func (m copier) call(c *Call) *Call {
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
