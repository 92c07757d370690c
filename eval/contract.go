package eval

import (
	"errors"
	"fmt"

	"github.com/koru-go/koru/check"
)

// body runs a Go body and judges what it ended in.
func (m *machine) body(v *verb, fn Func, s *site, args []Value) error {
	c := m.callAt(m.depth)
	c.Context, c.Tor, c.Args, c.Block = m.run.ctx, v.tor, args, s.block
	c.site, c.frame, c.dispatch = s, len(m.frames)-1, m.run.dispatch
	out, err := guarded(fn, c, v)
	c.close()
	if m.leaving {
		return errLeaving
	}
	if err != nil {
		return err
	}
	return m.ended(v, args, out)
}

// ended takes the outcome of a body: it is judged, and what it owes or settles
// is written down.
func (m *machine) ended(v *verb, args []Value, out Outcome) error {
	if err := m.judge(v, out); err != nil {
		return err
	}
	if len(v.consumes)+len(v.mints) > 0 && m.run.dispatch == nil {
		m.account(v, args)
	}
	if m.process.trace != nil {
		m.traceEnd(v)
	}
	return nil
}

// callAt returns the Call that a body at a depth of nesting gets. It is reused
// from call to call.
func (m *machine) callAt(depth int) *Call {
	for len(m.calls) <= depth {
		m.calls = append(m.calls, &Call{Host: m.process.host, Process: m.process})
	}
	return m.calls[depth]
}

// close takes the arguments and the handlers away from a body that has returned.
func (c *Call) close() { c.Context, c.Args, c.site, c.fire, c.dispatch = nil, nil, nil, nil, nil }

// guarded keeps the panic of a body from taking the process down.
func guarded(fn Func, c *Call, v *verb) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the body of '%s' failed: %v", v.path, r)
		}
	}()
	return fn(c)
}

// judge holds a body to the contract of its verb: the outcome is declared and
// its payload fits. The result is in m.out.
func (m *machine) judge(v *verb, out Outcome) error {
	m.out = result{outcome: -1, payload: out.Payload, has: out.Has}
	var want *check.Type
	switch {
	case out.Branch != "":
		o := firedOf(v.tor, out.Branch)
		if o == nil {
			return &Contract{Verb: v.tor, Problem: fmt.Sprintf("ended in '%s', which it does not declare (available: %s)", out.Branch, outcomeNames(v.tor))}
		}
		m.out.outcome, want = o.Index, o.Payload
	case v.tor.Branches():
		return &Contract{Verb: v.tor, Problem: fmt.Sprintf("ended without one of its outcomes (available: %s)", outcomeNames(v.tor))}
	default:
		want = v.tor.Return
	}
	if want == nil {
		m.out.has = false
		if !out.Payload.IsNull() {
			return &Contract{Verb: v.tor, Branch: out.Branch, Problem: fmt.Sprintf("delivered %s where it declares nothing", brief(out.Payload))}
		}
		return nil
	}
	if err := m.weigh(out.Payload); err != nil {
		return err
	}
	fitted, err := Convert(out.Payload, want)
	if err != nil {
		name := out.Branch
		if name == "" {
			name = "value"
		}
		return &Contract{Verb: v.tor, Branch: out.Branch, Problem: "delivered a value that does not fit: " + misfitOf(name, err)}
	}
	m.out.payload, m.out.has = fitted, true
	return nil
}

// firedOf returns the outcome of a verb that a branch names, or nil.
func firedOf(tor *check.Tor, branch string) *check.Outcome {
	if o := tor.Outcome(branch); o != nil && !o.Effect {
		return o
	}
	return nil
}

// misfitOf words why the value known as name does not fit.
func misfitOf(name string, err error) string {
	var m *Misfit
	if errors.As(err, &m) {
		return m.In(name)
	}
	return err.Error()
}

func outcomeNames(tor *check.Tor) string {
	names := ""
	for _, o := range tor.Outcomes {
		if o.Effect {
			continue
		}
		if names != "" {
			names += ", "
		}
		names += o.Name
	}
	if names == "" {
		return "none"
	}
	return names
}

// Contract is the error of a body that ended in something its verb does not
// declare.
type Contract struct {
	Verb    *check.Tor
	Branch  string
	Problem string
}

func (e *Contract) Error() string { return "'" + e.Verb.Name + "' " + e.Problem }
