package check

// pathEnd is a place where a path ends and its debts must be gone.
type pathEnd struct {
	chain *Chain // the end of a chain,
	arm   *Arm   // or an arm without a body,
	call  *Call  // or a call whose outcome nobody handles,
	jump  *Jump  // or a jump, which drops what was minted since its label:
	from  int    // holdings before this one outlive the path
}

// end walks the end of a chain: what leaves under the owner's signature takes
// its debts along, and the rest is settled.
func (w *warden) end(c *Chain) {
	if c.End != nil {
		w.leave(c.End)
	}
	c.Settle = w.settle(pathEnd{chain: c})
}

// leave meets the value of a => or -> with the type it leaves under.
func (w *warden) leave(e *End) {
	w.uses(e.Value)
	var v operand
	switch {
	case e.Call != nil:
		w.call(e.Call, false)
		if e.Call.Result == nil {
			return
		}
		v = operandOf(nil, e.Call.Result)
	case e.Value != nil:
		v = operandOf(e.Value, nil)
	default:
		return
	}
	s := demand{what: "outcome", name: e.Word, node: e.Node, tor: w.flow.Owner, outward: !e.Resume, forges: !e.Resume}
	if e.Outcome == nil {
		s.what = "result"
	}
	if e.Value != nil && e.Value.Node.IsValid() {
		s.node = e.Value.Node
	}
	w.pass(v, w.leaving(e), &s)
}

// leaving returns the type that a value leaves under, or nil.
func (w *warden) leaving(e *End) *Type {
	switch {
	case e.Outcome != nil:
		return e.Outcome.Payload
	case e.Resume && w.answer != nil:
		return w.answer.Resume
	case !e.Resume && w.flow.Owner != nil:
		return w.flow.Owner.Return
	}
	return nil
}

// settle returns the disposals of what is still owed where a path ends, newest
// first, and takes note of every debt that it cannot settle.
func (w *warden) settle(end pathEnd) []Disposal {
	if w.held.owed == 0 {
		return nil
	}
	var out []Disposal
	for i := len(w.held.list) - 1; i >= end.from; i-- {
		h := &w.held.list[i]
		if h.standing != owed || h.depth < w.depth {
			continue
		}
		if w.wire {
			w.balance.leave(h)
			continue
		}
		c := w.who.choose(h.states, h.typ, w.flow.Module, w.flow.Owner)
		if c.one != nil && w.insert {
			out = append(out, Disposal{Tor: c.one.tor, Field: c.one.field, Binding: h.root, Path: h.path})
			if h.mint == nil {
				w.heirs = append(w.heirs, c.one.tor)
			}
			continue
		}
		w.owe(h, end, c)
	}
	return out
}
