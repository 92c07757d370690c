package eval

import (
	"context"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// What a session (std/bridge) needs of a process: it calls verbs one by one,
// for as long as it lives, and keeps account of their handles by itself.

// Perform calls a verb for a session, which has judged the arguments. What the
// verb hands out is the session's, and the process does not let go of it when
// it ends. Unless the process is running already, the call has the whole step
// budget for itself, since a session lives long.
func (p *Process) Perform(ctx context.Context, tor *check.Tor, args []Value) (Outcome, error) {
	p.refresh()
	return p.invoke(ctx, p.program.lookup(tor), args, nil)
}

// refresh gives the whole step budget to what a host calls next, unless that is
// a part of a run.
func (p *Process) refresh() {
	if m := &p.machine; m.depth == 0 {
		m.spent, m.fuel = 0, 0
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
