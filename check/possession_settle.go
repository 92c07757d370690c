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
	} else if n := len(c.Steps); n > 0 && c.Steps[n-1].Kind == CallStep {
		w.leaveThreaded(c.Steps[n-1].Call)
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

// leaveThreaded lets the value of the last step leave by itself, as the result
// of the owner (language.md 8.3).
func (w *warden) leaveThreaded(c *Call) {
	owner := w.flow.Owner
	if owner == nil || owner.Return == nil || w.depth > 0 || c.Result == nil || c.Result.Name != "" {
		return
	}
	w.pass(operandOf(nil, c.Result), owner.Return, &demand{what: "result", node: c.Node, tor: owner, outward: true, forges: true})
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
		c := w.who.choose(h.states, h.typ, w.flow.Module)
		if c.one != nil && w.insert {
			out = append(out, Disposal{Tor: c.one.tor, Field: c.one.field, Binding: h.root, Path: h.path})
			continue
		}
		w.owe(h, end, c)
	}
	return out
}
