package eval

import (
	"fmt"

	"github.com/koru-go/koru/check"
)

// fire runs the handlers that the caller of a body has for an effect. It runs
// them on the Go stack, inside the body that fired, and is the only thing that
// nests runs besides a body that runs a verb itself.
func (m *machine) fire(c *Call, o *check.Outcome, payload Value) (Outcome, error) {
	if m.leaving {
		return Outcome{}, errLeaving
	}
	payload, err := fitEffect(c.Tor, o, payload)
	if err != nil {
		return Outcome{}, err
	}
	outer, err := m.enter(run{ctx: c.Context, dispatch: c.dispatch})
	if err != nil {
		return Outcome{}, err
	}
	defer m.leave(outer)
	if c.dispatch == nil {
		m.minted(c.site.verb, o.Index, payload)
	}
	m.handle(c.site, c.frame, o.Index, payload)
	if err := m.tick(); err != nil {
		return Outcome{}, m.failed(err)
	}
	if err := m.loop(); err != nil {
		return Outcome{}, err
	}
	return m.resumed(c.Tor, o)
}

// fitEffect judges the payload of an effect.
func fitEffect(tor *check.Tor, o *check.Outcome, payload Value) (Value, error) {
	if o.Payload == nil {
		return Value{}, nil
	}
	fitted, err := Convert(payload, o.Payload)
	if err != nil {
		return Value{}, &Contract{Verb: tor, Branch: o.Name, Problem: "fired an effect that does not fit: " + misfitOf(o.Name, err)}
	}
	return fitted, nil
}

// handle pushes the handlers that stand at a site of the frame at owner.
func (m *machine) handle(s *site, owner, effect int, payload Value) {
	m.stack[m.frames[owner].base+int(s.fired)] = payload
	m.pushBlock(owner, s.effects[effect])
}

// resumed returns what the handlers have answered.
func (m *machine) resumed(tor *check.Tor, o *check.Outcome) (Outcome, error) {
	if o.Resume == nil && len(o.ResumeArms) == 0 {
		return Outcome{}, nil
	}
	if m.out.answer == "" && !m.out.has && !o.Optional {
		return Outcome{}, fmt.Errorf("no handler of '%s' answers the effect '%s'", tor.Name, o.Name)
	}
	return Outcome{Branch: m.out.answer, Payload: m.out.payload, Has: m.out.has}, nil
}

// fireOwn fires an effect of the verb that a flow implements. The handlers of
// its caller run in a frame on top of the flow; it reports whether there are
// any. Where the host is the caller, the host takes the effect.
func (m *machine) fireOwn(f *frame, effect int, payload Value) (pushed bool, err error) {
	flow := &m.frames[f.flow]
	switch {
	case flow.site.handles(effect):
		if err := m.tick(); err != nil {
			return false, err
		}
		m.handle(flow.site, f.flow-1, effect, payload)
		return true, nil
	case flow.fire != nil:
		_, err := flow.fire(effect, payload)
		return false, err
	}
	return false, nil
}
