package eval

import (
	"context"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// What a session (std/bridge) needs of a process: it calls verbs one by one,
// for as long as it lives, and keeps account of their handles by itself.

// Perform calls a verb for a session. It differs from [Process.Invoke] in two
// ways: what the verb hands out is the session's, and the process does not let
// go of it when it ends; and unless the process is running already, the call
// has the whole step budget for itself, since a session lives long.
func (p *Process) Perform(ctx context.Context, tor *check.Tor, args []Value) (Outcome, error) {
	m := &p.machine
	if m.depth == 0 {
		m.spent, m.fuel = 0, 0
	}
	v := p.program.lookup(tor)
	out, err := p.invoke(ctx, v, args, nil)
	if err == nil && len(v.mints) > 0 {
		m.handOut(v, out)
	}
	return out, err
}

// handOut strikes out what an outcome of a verb hands to the one who called it.
func (m *machine) handOut(v *verb, out Outcome) {
	place := -1
	if o := firedOf(v.tor, out.Branch); o != nil {
		place = o.Index
	}
	for _, k := range v.mints {
		if k.outcome != place {
			continue
		}
		if value, err := partOf(out.Payload, k.path); err == nil {
			m.settled(value, []check.State{k.state})
		}
	}
}

// Preset returns what a field holds that a call leaves out: its default, or
// null.
func (p *Program) Preset(f *check.Field) Value {
	if !f.Default.IsValid() {
		return Value{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, err := p.literal(f.Default, f.Type)
	if err != nil {
		return Value{} // NewProgram has refused a program whose default it cannot evaluate
	}
	return v
}

// Node returns the place of the call in the source, or the zero Node if no flow
// makes it. A session that grants one verb under two names tells them apart by
// the word that stands there.
func (c *Call) Node() syntax.Node {
	if c.site == nil {
		return syntax.Node{}
	}
	return c.site.node
}

// Reason returns what an error of a run says without the place in the source:
// to a model, which cannot see the source, the place means nothing.
func Reason(err error) string { return messageOf(err) }
