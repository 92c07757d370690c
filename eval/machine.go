package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/koru-go/koru/check"
)

// machine runs code. Flows that call flows push frames, so the depth of a
// program costs heap, never Go stack; only a Go body that fires an effect, or
// that runs another verb, nests a run inside a run, and that is bounded.
//
// Frames share one array of registers. A frame's registers end where the next
// frame's begin; a block, which is a handler that runs for somebody further up,
// has no registers of its own but uses those of the frame that it belongs to.
type machine struct {
	process *Process
	run     run
	frames  []frame
	stack   []Value
	top     int // registers in use
	depth   int // runs inside runs
	calls   []*Call
	text    []byte // texts being put together

	fuel  int64 // steps until the next look at the budget and the context
	spent int64 // steps taken, fuel included
	limit int64

	out    result
	owed   []obligation
	serial int // of the newest obligation

	// leaving is set while handlers that leave for good unwind the Go bodies
	// that fired them: go on in frame to, at instruction pc.
	leaving bool
	to      int
	pc      int32
}

// run is what one run has of its own: runs nest when a body makes the machine
// run something.
type run struct {
	ctx      context.Context
	dispatch Dispatcher
	floor    int // frames below belong to the runs around this one
}

// result is how the last call ended: the place of its outcome among the verb's
// arms, or -1, and the payload.
type result struct {
	outcome int
	payload Value
	has     bool
	answer  string // the arm of a resume
}

type frame struct {
	code *Code
	base int
	pc   int32
	kind frameKind
	// site is the call in the frame below that waits for this one, nil if the
	// host waits for it.
	site *site
	// flow is the place of the frame of the flow that the code belongs to: this
	// frame, or for a block the one that it works for.
	flow int
	// owner is, for a block, the place of the frame that set it up.
	owner int
	verb  *verb
	fire  effectFunc // takes the effects of a flow that the host called
	queue *notices   // of a notice frame
	row   *Row       // a rule runs for it
	rule  int
}

// effectFunc handles the effects that a body or a flow fires, given their place
// among the arms of the verb.
type effectFunc func(effect int, payload Value) (Outcome, error)

type frameKind uint8

const (
	flowFrame   frameKind = iota // a flow, or a handler of a store
	blockFrame                   // handlers of an effect
	noticeFrame                  // hands out what happened to a store
)

// Limits of a run. They are constants of the machine, not of the language.
const (
	// DefaultSteps is the step budget of a run that sets none. A step is a call,
	// a round of a loop, a jump or a handler.
	DefaultSteps = 100_000_000
	// MaxDepth is how deeply flows may call each other.
	MaxDepth = 100_000
	// MaxNesting is how deeply bodies may run handlers that call bodies.
	MaxNesting = 200
	// MaxText is the greatest number of bytes that a text of a program has.
	MaxText = 64 << 20
	// MaxRows is the greatest number of rows of a store, whatever its capacity.
	MaxRows = 10_000_000

	slice        = 1024 // steps between two looks at the context
	bytesPerStep = 4096
)

// errLeaving unwinds a Go body whose handler has left for good.
var errLeaving = errors.New("the handler has left the call")

// execute runs code to its end and returns the outcome of the flow. v is the
// verb that the flow implements, if it is called as one.
func (m *machine) execute(r run, code *Code, v *verb, args []Value, fire effectFunc) (Outcome, error) {
	outer, err := m.enter(r)
	if err != nil {
		return Outcome{}, err
	}
	defer m.leave(outer)
	m.push(code, nil, v)
	f := &m.frames[len(m.frames)-1]
	f.fire = fire
	copy(m.stack[f.base:], args)
	if err := m.loop(); err != nil {
		return Outcome{}, err
	}
	if code.flow == nil {
		return Outcome{Payload: m.out.payload, Has: m.out.has}, nil
	}
	return m.outcomeOf(code.flow.Owner), nil
}

// outcomeOf words the result of a verb.
func (m *machine) outcomeOf(tor *check.Tor) Outcome {
	out := Outcome{Payload: m.out.payload, Has: m.out.has}
	if tor != nil && m.out.outcome >= 0 {
		out.Branch = tor.Outcomes[m.out.outcome].Name
	}
	return out
}

// enter begins a run inside those that are under way. What it returns goes to
// leave.
func (m *machine) enter(r run) (outer run, err error) {
	if m.depth >= MaxNesting {
		return run{}, fmt.Errorf("verbs and handlers are nested more than %d deep", MaxNesting)
	}
	outer = m.run
	r.floor = len(m.frames)
	m.depth++
	m.run = r
	return outer, nil
}

// leave ends a run: its frames are gone, and the one around it goes on.
func (m *machine) leave(outer run) {
	m.unwind(m.run.floor)
	m.depth--
	m.run = outer
}

// push adds the frame of a flow.
func (m *machine) push(code *Code, s *site, v *verb) {
	base := m.top
	m.top += code.size
	if m.top > len(m.stack) {
		m.grow()
	}
	m.frames = append(m.frames, frame{code: code, base: base, site: s, flow: len(m.frames), verb: v})
}

func (m *machine) grow() {
	stack := make([]Value, max(2*len(m.stack), m.top, 256))
	copy(stack, m.stack)
	m.stack = stack
}

// pushBlock adds the frame of a block that works for the frame at owner.
func (m *machine) pushBlock(owner int, entry int32) {
	f := &m.frames[owner]
	m.frames = append(m.frames, frame{
		code: f.code, base: f.base, pc: entry, kind: blockFrame, flow: f.flow, owner: owner, verb: f.verb,
	})
}

// pop removes the newest frame.
func (m *machine) pop() {
	f := &m.frames[len(m.frames)-1]
	if f.kind == flowFrame {
		clear(m.stack[f.base:m.top])
		m.top = f.base
	}
	if f.row != nil {
		f.row.End(f.rule)
	}
	*f = frame{}
	m.frames = m.frames[:len(m.frames)-1]
}

func (m *machine) unwind(to int) {
	for len(m.frames) > to {
		m.pop()
	}
}

// tick takes one step.
func (m *machine) tick() error {
	if m.fuel > 0 {
		m.fuel--
		return nil
	}
	return m.refuel()
}

// refuel looks at the context and the budget, then takes the step.
func (m *machine) refuel() error {
	if err := m.run.ctx.Err(); err != nil {
		return err
	}
	m.spent -= m.fuel // work may have been charged beyond what there was
	m.fuel = 0
	left := m.limit - m.spent
	if left <= 0 {
		return ErrSteps
	}
	n := min(left, slice)
	m.spent += n
	m.fuel = n - 1
	return nil
}

// charge counts bytes that a single instruction has made as steps, so that the
// budget bounds the work of a program and not only its instructions.
func (m *machine) charge(bytes int) { m.fuel -= int64(bytes) / bytesPerStep }

// steps returns the number of steps taken.
func (m *machine) steps() int64 { return m.spent - m.fuel }

// loop runs until no frame above the floor is left.
func (m *machine) loop() error {
	floor := m.run.floor
	for len(m.frames) > floor {
		f := &m.frames[len(m.frames)-1]
		if f.kind == noticeFrame {
			if err := m.notice(f); err != nil {
				return m.failed(err)
			}
			continue
		}
		if err := m.step(f); err != nil {
			if err == errLeaving && m.leaving {
				if m.to >= floor {
					m.arrive()
					continue
				}
				m.unwind(floor)
				return err
			}
			return m.failed(err)
		}
	}
	return nil
}

// failed turns an error into a fault at the place where it happened, and takes
// the frames of the run away.
func (m *machine) failed(err error) error {
	var fault *Fault
	if !errors.As(err, &fault) {
		fault = m.faultOf(err)
	}
	m.unwind(m.run.floor)
	m.text = m.text[:0]
	return fault
}

// faultOf locates an error.
func (m *machine) faultOf(err error) *Fault {
	fault := &Fault{Message: err.Error(), Err: err}
	switch {
	case errors.Is(err, ErrSteps):
		fault.Message = fmt.Sprintf("the program was stopped after %d steps: it may run for ever (--steps sets the limit)", m.limit)
	case errors.Is(err, context.Canceled):
		fault.Message = "the program was interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		fault.Message = "the program ran out of time"
	}
	located := false
	for i := len(m.frames) - 1; i >= 0; i-- {
		f := &m.frames[i]
		if f.code == nil || f.code.file() == nil {
			continue
		}
		if !located {
			located = true
			fault.File, fault.Span = f.code.file(), f.code.nodes[max(f.pc-1, 0)].Span()
		}
		if f.kind == flowFrame && f.verb != nil && f.site != nil {
			fault.Stack = append(fault.Stack, m.callerOf(i))
		}
	}
	return fault
}

// callerOf returns the call that the frame at a place answers.
func (m *machine) callerOf(at int) Caller {
	c := Caller{Verb: m.frames[at].verb.path}
	for i := at - 1; i >= 0; i-- {
		if f := &m.frames[i]; f.code != nil && f.code.file() != nil {
			c.File, c.Span = f.code.file(), m.frames[at].site.node.Span()
			break
		}
	}
	return c
}

func (c *Code) file() *check.File {
	if c.flow == nil {
		return nil
	}
	return c.flow.File
}

// arrive goes on where a handler that left for good wanted to.
func (m *machine) arrive() {
	m.unwind(m.to + 1)
	m.frames[m.to].pc = m.pc
	m.leaving = false
}

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
	args := m.stack[base+int(s.args) : base+int(s.args)+len(v.tor.Fields)]
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
	switch {
	case want == nil:
		m.out.payload, m.out.has = Value{}, false
	case out.Has || !want.Optional:
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
	}
	return nil
}

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
