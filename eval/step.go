package eval

import (
	"errors"
	"fmt"
)

// value returns what an operand stands for.
func value(regs, consts []Value, operand int32) Value {
	if operand >= 0 {
		return regs[operand]
	}
	return consts[^operand]
}

// step runs the newest frame until another frame is the newest.
func (m *machine) step(f *frame) error {
	code := f.code
	regs, consts := m.stack[f.base:f.base+code.size], code.consts
	pc := f.pc
	for {
		in := &code.instrs[pc]
		pc++
		switch in.op {
		case opMove:
			regs[in.a] = value(regs, consts, in.b)
		case opJump:
			pc = in.a
		case opUnless:
			if !truth(value(regs, consts, in.b)) {
				pc = in.a
			}
		case opWhen:
			if truth(value(regs, consts, in.b)) {
				pc = in.a
			}
		case opIfNull:
			if value(regs, consts, in.b).IsNull() {
				pc = in.a
			}
		case opArith:
			x, y := value(regs, consts, in.b), value(regs, consts, in.c)
			v, err := arith(code, in, x, y)
			if err != nil {
				f.pc = pc
				return err
			}
			regs[in.a] = v
		case opOrder:
			v, err := order(value(regs, consts, in.b), value(regs, consts, in.c), in.d)
			if err != nil {
				f.pc = pc
				return err
			}
			regs[in.a] = v
		case opEqual:
			x, y := value(regs, consts, in.b), value(regs, consts, in.c)
			if err := m.weigh(x); err != nil {
				f.pc = pc
				return err
			}
			regs[in.a] = BoolValue(x.Equal(y) == (in.d == 0))
		case opField:
			v, err := fieldOfValue(value(regs, consts, in.b), code.names[in.c])
			if err != nil {
				f.pc = pc
				return err
			}
			regs[in.a] = v
		case opRecord:
			shape := code.shapes[in.c]
			regs[in.a] = RecordValue(shape, regs[in.b:int(in.b)+len(shape.Names)]...)
		case opNext:
			f.pc = pc
			if err := m.tick(); err != nil {
				return err
			}
			if !next(regs[in.b:in.b+iteration], &regs[in.c]) {
				pc = in.a
			}
		case opLoop:
			f.pc = pc
			if err := m.tick(); err != nil {
				return err
			}
			pc = in.a
		case opCall:
			f.pc = pc
			if err := m.tick(); err != nil {
				return err
			}
			s := &code.sites[in.a]
			if pushed, err := m.call(s, f.base); err != nil {
				return err
			} else if pushed {
				return nil
			}
			// The body may have moved the frames and the registers.
			f = &m.frames[len(m.frames)-1]
			regs = m.stack[f.base : f.base+code.size]
			next, err := m.deliver(s, regs)
			if err != nil {
				return err
			}
			pc = next
		case opReturn:
			m.out = result{outcome: int(in.a)}
			if in.b != nothing {
				m.out.payload, m.out.has = value(regs, consts, in.b), true
			}
			return m.giveBack()
		case opEnd:
			m.out = result{outcome: -1}
			m.pop()
			return nil
		case opResume:
			m.out = result{outcome: -1}
			if in.a >= 0 {
				m.out.answer = code.names[in.a]
			}
			if in.b != nothing {
				m.out.payload, m.out.has = value(regs, consts, in.b), true
			}
			m.pop()
			return nil
		case opLeave:
			f.pc = pc
			m.leaving, m.to, m.pc = true, f.owner, pc
			return errLeaving
		case opFire:
			f.pc = pc
			var payload Value
			if in.b != nothing {
				payload = value(regs, consts, in.b)
			}
			if pushed, err := m.fireOwn(f, int(in.a), payload); err != nil {
				return err
			} else if pushed {
				return nil
			}
			f = &m.frames[len(m.frames)-1]
			regs = m.stack[f.base : f.base+code.size]
		default:
			f.pc = pc
			n := len(m.frames)
			next, err := m.rare(f, in, regs)
			if err != nil {
				return err
			}
			if len(m.frames) != n {
				return nil
			}
			// A disposer may have run, which moves frames and registers.
			f = &m.frames[n-1]
			regs = m.stack[f.base : f.base+code.size]
			pc = next
		}
	}
}

// giveBack ends the newest frame, a flow, and hands its result to the call that
// waits for it.
func (m *machine) giveBack() error {
	f := &m.frames[len(m.frames)-1]
	s, v := f.site, f.verb
	m.pop()
	if s == nil {
		return nil
	}
	if trace := m.process.trace; trace != nil && v != nil {
		m.traceEnd(v)
	}
	caller := &m.frames[len(m.frames)-1]
	pc, err := m.deliver(s, m.stack[caller.base:])
	if err != nil {
		return err
	}
	caller.pc = pc
	return nil
}

// deliver moves the result of a call to where its site wants it and returns
// where the site goes on.
func (m *machine) deliver(s *site, regs []Value) (pc int32, err error) {
	if s.dst >= 0 {
		regs[s.dst] = m.out.payload
	}
	m.out.payload = Value{}
	if s.arms == nil {
		return s.next, nil
	}
	if m.out.outcome < 0 {
		return 0, fmt.Errorf("'%s' ended without one of its outcomes", s.verb.tor.Name)
	}
	return s.arms[m.out.outcome], nil
}

// call makes the call of a site. It reports whether it pushed a frame, which
// will deliver the result; otherwise the result is in m.out.
func (m *machine) call(s *site, base int) (pushed bool, err error) {
	v := s.verb
	first, n := base+int(s.args), len(v.tor.Fields)
	args := m.stack[first : first+n : first+n]
	if m.process.trace != nil {
		m.traceCall(s, args)
	}
	if m.run.dispatch != nil {
		return false, m.body(v, Func(m.run.dispatch), s, args)
	}
	code := v.code
	if mock := m.process.mocks[v.tor]; mock != nil {
		code = mock
	} else if v.body != nil {
		return false, m.body(v, v.body, s, args)
	}
	if code == nil {
		return false, errors.New(v.problem)
	}
	if len(m.frames) >= MaxDepth {
		return false, fmt.Errorf("flows call each other more than %d deep", MaxDepth)
	}
	m.push(code, s, v)
	copy(m.stack[m.frames[len(m.frames)-1].base:], args)
	return true, nil
}
