package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
)

// The checker sees to it that a flow which ends settles what it owes. A flow
// that fails does not end, so the machine writes down what bodies have handed
// out and taken back, and lets go of what is left, newest first (R71). Only
// verbs with states in their signature are looked at, and only values that owe
// something are kept: a program without handles pays nothing. What a host calls
// for itself, or dispatches for a session, is the host's business.

// obligation is a value that somebody has to let go of.
type obligation struct {
	serial int // counts the obligations of a process
	value  Value
	state  check.State
	typ    *check.Type
	from   *check.Module // where it was minted
}

// mint is a part of what a verb delivers that is owed a discharge.
type mint struct {
	outcome int // place among the verb's arms, -1 for a bare return
	path    []string
	state   check.State
	typ     *check.Type
}

// consume is an input that ends a debt.
type consume struct {
	field  int
	states []check.State
}

// owes reports whether values of a type are owed a discharge.
func owes(t *check.Type) bool { return t != nil && len(statesOf(t, mints)) > 0 }

func mints(s check.State) bool    { return s.Mint }
func consumes(s check.State) bool { return s.Consume }

func statesOf(t *check.Type, which func(check.State) bool) []check.State {
	if t.Phantom == nil {
		return nil
	}
	var states []check.State
	for _, s := range t.Phantom.Members {
		if which(s) {
			states = append(states, s)
		}
	}
	return states
}

func consumesOf(tor *check.Tor) []consume {
	var out []consume
	for i, f := range tor.Fields {
		if f.Type == nil {
			continue
		}
		if states := statesOf(f.Type, consumes); len(states) > 0 {
			out = append(out, consume{field: i, states: states})
		}
	}
	return out
}

func mintsOf(tor *check.Tor) []mint {
	out := mintsIn(nil, tor.Return, -1)
	for _, o := range tor.Outcomes {
		out = mintsIn(out, o.Payload, o.Index)
	}
	return out
}

// mintsIn adds what a payload mints: as a whole or in a field of its record.
func mintsIn(out []mint, t *check.Type, outcome int) []mint {
	if t == nil {
		return out
	}
	for _, s := range statesOf(t, mints) {
		out = append(out, mint{outcome: outcome, state: s, typ: t})
	}
	if t.Kind != check.RecordType {
		return out
	}
	for _, f := range t.Fields {
		if f.Type == nil {
			continue
		}
		for _, s := range statesOf(f.Type, mints) {
			out = append(out, mint{outcome: outcome, path: []string{f.Name}, state: s, typ: f.Type})
		}
	}
	return out
}

// account writes down what a body that has ended took back and handed out.
func (m *machine) account(v *verb, args []Value) {
	for _, c := range v.consumes {
		m.settled(args[c.field], c.states)
	}
	m.minted(v, m.out.outcome, m.out.payload)
}

// minted writes down what an outcome or an effect of a verb hands out.
func (m *machine) minted(v *verb, outcome int, payload Value) {
	for _, k := range v.mints {
		if k.outcome != outcome {
			continue
		}
		if value, err := partOf(payload, k.path); err == nil && !value.IsNull() {
			m.owe(value, k.state, k.typ, v.tor.Module)
		}
	}
}

func (m *machine) owe(v Value, state check.State, t *check.Type, from *check.Module) {
	m.serial++
	m.owed = append(m.owed, obligation{m.serial, v, state, t, from})
}

// passOn strikes out what a verb delivers to the host that has called it: it is
// the host's to let go of.
func (m *machine) passOn(v *verb) {
	for _, k := range v.mints {
		if k.outcome != m.out.outcome {
			continue
		}
		if value, err := partOf(m.out.payload, k.path); err == nil {
			m.settled(value, []check.State{k.state})
		}
	}
}

// settled strikes out the newest obligation that a value in one of the states
// stands for.
func (m *machine) settled(v Value, states []check.State) {
	for i := len(m.owed) - 1; i >= 0; i-- {
		if o := &m.owed[i]; o.in(states) && o.value.Equal(v) {
			copy(m.owed[i:], m.owed[i+1:])
			m.owed[len(m.owed)-1] = obligation{}
			m.owed = m.owed[:len(m.owed)-1]
			return
		}
	}
}

func (o *obligation) in(states []check.State) bool {
	for _, s := range states {
		if s.Same(o.state) {
			return true
		}
	}
	return false
}

// keep moves the debts of a row's owned columns into its store.
func (m *machine) keep(s *storeState, row *Row) {
	for i := range s.columns {
		if s.columns[i].Owned {
			m.settled(row.Cell(i), statesOf(s.columns[i].Type, mints))
		}
	}
}

// handOver moves the debts of a row that was taken out to the flow.
func (m *machine) handOver(s *storeState, row *Row) {
	for i := range s.columns {
		c := &s.columns[i]
		if !c.Owned || row.Cell(i).IsNull() {
			continue
		}
		for _, state := range statesOf(c.Type, mints) {
			m.owe(row.Cell(i), state, c.Type, s.info.decl.Module)
		}
	}
}

// drain settles the debts of rows that have left a store: by the handler of
// discharge, which is told, or by the one disposer. A disposer that fails does
// not keep the others from their work.
func (m *machine) drain(s *storeState, rows []*Row, q *notices) error {
	discharge := s.declared[onDischarge]
	var failed []error
	for _, row := range rows {
		if discharge != nil {
			q.list = append(q.list, notice{handler: discharge, payload: OpaqueValue(row), row: row})
			continue
		}
		for i := range s.columns {
			if !s.columns[i].Owned || row.Cell(i).IsNull() {
				continue
			}
			if err := m.drainCell(s, i, row.Cell(i)); err != nil {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

func (m *machine) drainCell(s *storeState, column int, v Value) error {
	decl := s.info.decl.Columns[column]
	if decl.Drain == nil {
		return fmt.Errorf("no verb lets go of '%s' by itself", s.cellName(column))
	}
	if err := m.process.dispose(m.run.ctx, decl.Drain, decl.DrainField, v); err != nil {
		return fmt.Errorf("'%s' was not let go of: %s", s.cellName(column), messageOf(err))
	}
	return nil
}

// dispose calls a disposer: every input but the resource has a default.
func (p *Process) dispose(ctx context.Context, tor *check.Tor, field int, resource Value) error {
	args := make([]Value, len(tor.Fields))
	for i, f := range tor.Fields {
		switch {
		case i == field:
			args[i] = resource
		case f.Default.IsValid():
			var err error
			if args[i], err = p.program.literal(f.Default, f.Type); err != nil {
				return err
			}
		}
	}
	_, err := p.invoke(ctx, p.program.lookup(tor), args, nil)
	return err
}

// text names the resource to people: its token, or its type if it has none.
func (o *obligation) text() string {
	if s := o.value.Str(); s != "" {
		return s
	}
	return TypeText(o.typ)
}

// release lets go of what is owed since a serial number, newest first, and says
// so (R71, R72). What cannot be let go of is said too, and the rest goes on.
func (p *Process) release(since int) {
	m := &p.machine
	for len(m.owed) > 0 && m.owed[len(m.owed)-1].serial > since {
		o := m.owed[len(m.owed)-1]
		m.owed = m.owed[:len(m.owed)-1]
		p.letGo(&o)
	}
}

func (p *Process) letGo(o *obligation) {
	where := check.PrintModule(o.state.Module) + ":" + o.state.Name
	tor, field := p.program.checked.Disposer(o.state, o.typ, o.from)
	if tor == nil {
		p.say("[AUTO-DISCHARGE] No spec for '%s' [%s], skipping", o.text(), where)
		return
	}
	defer p.machine.allow(releaseSteps)()
	if err := p.dispose(context.Background(), tor, field, o.value); err != nil {
		p.say("[AUTO-DISCHARGE] Failed '%s': %s", tor.Name, firstLine(messageOf(err)))
		return
	}
	p.say("[AUTO-DISCHARGE] Invoked '%s' for handle '%s' [%s]", tor.Name, o.text(), where)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// say writes a line about the program to standard error.
func (p *Process) say(format string, args ...any) {
	if p.host.Stderr != nil {
		fmt.Fprintf(p.host.Stderr, format+"\n", args...)
	}
}
