package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/koru-go/koru/check"
)

// Process is one run of a program: its stores, its host and the machine that
// runs its code. A process serves one goroutine at a time; bodies may call back
// into it from inside a call. One [Program] backs any number of processes.
type Process struct {
	program *Program
	host    *Host
	trace   func(Trace)
	stores  []*storeState
	rules   int // rules declared so far
	mocks   map[*check.Tor]*Code
	machine machine
}

// Settings say how a process runs.
type Settings struct {
	// Steps is the step budget of the process; 0 is [DefaultSteps]. A step is a
	// call, a round of a loop, a jump or a handler that runs.
	Steps int64
	// Trace is told every call as it begins and as it ends. It must not call
	// into the process.
	Trace func(Trace)
}

// Dispatcher stands in for the bodies of all verbs that a flow calls: a session
// puts its own judgement in front of every call of a verb it has defined.
type Dispatcher func(c *Call) (Outcome, error)

// Start makes a process with fresh stores.
func (p *Program) Start(host *Host, s Settings) (*Process, error) {
	if s.Steps <= 0 {
		s.Steps = DefaultSteps
	}
	if host == nil {
		host = &Host{}
	}
	process := &Process{program: p, host: host, trace: s.Trace}
	process.machine = machine{process: process, limit: s.Steps}
	for _, info := range p.stores {
		store, err := info.open()
		if err != nil {
			return nil, &Fault{Message: err.Error(), File: fileOf(info.decl.Module, info.decl.Node), Span: info.decl.Node.Span(), Err: err}
		}
		state := &storeState{Store: store, info: info, watches: make([][]*handler, len(info.columns))}
		state.attach()
		process.stores = append(process.stores, state)
	}
	return process, nil
}

// open makes the store that a declaration asks for.
func (s *storeInfo) open() (*Store, error) {
	if s.decl.Singleton() {
		return NewSingleton(s.decl.Name, s.columns...)
	}
	return NewTable(s.decl.Name, s.capacity, s.columns...), nil
}

// Program returns the program that the process runs.
func (p *Process) Program() *Program { return p.program }

// Host returns the host of the process.
func (p *Process) Host() *Host { return p.host }

// Steps returns the number of steps taken so far.
func (p *Process) Steps() int64 { return p.machine.steps() }

// Run runs the top-level flows, those of imported modules first, each module in
// source order, and closes the process. If a flow fails, the rest does not run:
// handles that are still live are let go of, and the error is a *[Fault].
func (p *Process) Run(ctx context.Context) error {
	for _, code := range p.program.flows {
		if _, err := p.machine.execute(run{ctx: ctx}, code, nil, nil, nil); err != nil {
			if also := p.Close(); also != nil {
				p.say("%s", also)
			}
			return err
		}
	}
	return p.Close()
}

// Close lets go of everything the process still holds: handles of flows that
// failed, newest first, then what the owned columns of stores keep, the newest
// store and the newest row first. The process can go on afterwards, with empty
// stores.
func (p *Process) Close() error {
	var failed []error
	p.release(0)
	for i := len(p.stores) - 1; i >= 0; i-- {
		if s := p.stores[i]; s.owned() {
			if err := p.drainStore(s); err != nil {
				failed = append(failed, err)
			}
		}
	}
	p.release(0) // what a handler of discharge was given and did not settle
	return errors.Join(failed...)
}

// releaseSteps is what letting go may take. It is not counted against the budget
// of the process: a budget that is spent must not keep handles open.
const releaseSteps = 1_000_000

// allow grants steps beyond the budget and returns what takes them back.
func (m *machine) allow(steps int64) (done func()) {
	limit, spent, fuel := m.limit, m.spent, m.fuel
	m.limit, m.fuel = m.spent+steps, 0
	return func() { m.limit, m.spent, m.fuel = limit, spent, fuel }
}

func (s *storeState) owned() bool {
	for i := range s.columns {
		if s.columns[i].Owned {
			return true
		}
	}
	return false
}

// drainStore empties a store and settles what its rows owe.
func (p *Process) drainStore(s *storeState) error {
	m := &p.machine
	defer m.allow(releaseSteps)()
	outer, err := m.enter(run{ctx: context.Background()})
	if err != nil {
		return err
	}
	defer m.leave(outer)
	var q notices
	err = m.drain(s, s.Drain(), &q)
	m.tell(q)
	return errors.Join(err, m.loop())
}

// Invoke calls a verb as a host does, with one argument a field of the tor, and
// returns what it ended in. Arguments are held to their types. fire takes the
// effects that the verb fires; it may be nil. The error is a *[Fault], or
// a *[NoBody] if nothing stands behind the verb.
func (p *Process) Invoke(ctx context.Context, tor *check.Tor, args []Value, fire func(effect int, payload Value) (Outcome, error)) (Outcome, error) {
	v := p.program.lookup(tor)
	if len(args) != len(tor.Fields) {
		return Outcome{}, &Fault{Message: fmt.Sprintf("'%s' takes %d values, got %d", tor.Name, len(tor.Fields), len(args))}
	}
	for i, f := range tor.Fields {
		if f.Type == nil {
			continue
		}
		fitted, err := Convert(args[i], f.Type)
		if err != nil {
			return Outcome{}, &Fault{Code: "KORU082", Message: misfitOf(f.Name, err), Err: err}
		}
		args[i] = fitted
	}
	return p.invoke(ctx, v, args, fire)
}

// NoBody is the error of a verb behind which nothing stands: its opener may
// serve it (R3).
type NoBody struct {
	Tor     *check.Tor
	Problem string
}

func (e *NoBody) Error() string { return e.Problem }

// invoke calls a verb for the host. What the verb hands out is the host's; what
// it took for itself and could not let go of because it failed is let go of.
func (p *Process) invoke(ctx context.Context, v *verb, args []Value, fire effectFunc) (Outcome, error) {
	m := &p.machine
	serial := m.serial
	out, err := m.host(run{ctx: ctx}, v, args, fire)
	if err != nil {
		p.release(serial)
		return Outcome{}, err
	}
	m.passOn(v)
	return out, nil
}

func (m *machine) host(r run, v *verb, args []Value, fire effectFunc) (Outcome, error) {
	if code := m.process.codeOf(v); code != nil {
		return m.execute(r, code, v, args, fire)
	}
	if v.body == nil {
		return Outcome{}, &NoBody{v.tor, v.problem}
	}
	outer, err := m.enter(r)
	if err != nil {
		return Outcome{}, err
	}
	defer m.leave(outer)
	if err := m.tick(); err != nil {
		return Outcome{}, m.failed(err)
	}
	return m.serve(v, args, fire)
}

// serve runs a Go body for the host.
func (m *machine) serve(v *verb, args []Value, fire effectFunc) (Outcome, error) {
	c := m.callAt(m.depth)
	c.Context, c.Tor, c.Args, c.Block, c.fire = m.run.ctx, v.tor, args, "", fire
	out, err := guarded(v.body, c, v)
	c.close()
	if m.leaving {
		return Outcome{}, errLeaving
	}
	if err == nil {
		err = m.ended(v, args, out)
	}
	if err != nil {
		return Outcome{}, m.failed(err)
	}
	return m.outcomeOf(v.tor), nil
}

func (p *Process) codeOf(v *verb) *Code {
	if mock := p.mocks[v.tor]; mock != nil {
		return mock
	}
	if v.body != nil {
		return nil
	}
	return v.code
}

// Execute runs a compiled flow with one argument a field of its owner. Every
// verb that it calls goes to dispatch, if that is not nil; what it is handed
// then is the dispatcher's to keep account of.
func (p *Process) Execute(ctx context.Context, code *Code, args []Value, dispatch Dispatcher) (Outcome, error) {
	if dispatch != nil {
		p.refresh()
	}
	serial := p.machine.serial
	out, err := p.machine.execute(run{ctx: ctx, dispatch: dispatch}, code, nil, args, nil)
	if err != nil && dispatch == nil {
		p.release(serial)
	}
	return out, err
}
