package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// machine is the bodies of a session: those of the program run in a process,
// which is started when the first of them does; the others are served.
type machine struct {
	program *eval.Program
	process *eval.Process
	host    *eval.Host
	serve   Server
	session *Bridge
	own     bool // the process was started here
	// carry, if not nil, is what the host has put before body.
	carry Server
}

func (m *machine) preset(f *check.Field) eval.Value { return m.program.Preset(f) }

func (m *machine) run(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	if m.carry != nil {
		return m.carry(ctx, v, args)
	}
	return m.body(ctx, v, args)
}

// body runs the body of a verb, wherever it is.
func (m *machine) body(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	if !v.Implemented {
		return m.foreign(ctx, v, args)
	}
	p, err := m.running()
	if err != nil {
		return eval.Outcome{}, err
	}
	o, err := p.Perform(ctx, v.Tor, args)
	if err != nil && nobody(err) {
		return m.foreign(ctx, v, args)
	}
	return o, err
}

func nobody(err error) bool {
	var e *eval.NoBody
	return errors.As(err, &e)
}

// foreign has a verb served by whoever opened the session (R3).
func (m *machine) foreign(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	if m.serve == nil {
		return eval.Outcome{}, fmt.Errorf("'%s' has no body here, and nobody serves it", v.Name)
	}
	return m.serve(ctx, v, args)
}

func (m *machine) running() (*eval.Process, error) {
	if m.process != nil {
		return m.process, nil
	}
	host := m.host
	if host == nil {
		host = &eval.Host{}
	}
	var err error
	m.process, err = m.program.Start(host, eval.Settings{})
	m.own = err == nil
	return m.process, err
}

// close ends the process of the session, if it has one of its own: what the
// stores of the program keep is let go of with it.
func (m *machine) close() error {
	if !m.own {
		return nil
	}
	m.own = false
	return m.process.Close()
}

func (m *machine) define(ctx context.Context, v *check.Verb, args []eval.Value, perform performer) (eval.Outcome, error) {
	p, err := m.running()
	if err != nil {
		return eval.Outcome{}, err
	}
	d := m.session.lessons.byName[v.Name]
	return p.Execute(ctx, d.code, args, func(c *eval.Call) (eval.Outcome, error) {
		inner := m.session.words.Called(syntax.CallView{Node: c.Node()}.Path().Text(), d.taught.Library)
		if inner == nil {
			return eval.Outcome{}, fmt.Errorf("'%s' is no verb of this session", c.Tor.Name)
		}
		return perform(c.Context, inner, c.Args)
	})
}
