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

// arrive goes on where a handler that left for good wanted to.
func (m *machine) arrive() {
	m.unwind(m.to + 1)
	m.frames[m.to].pc = m.pc
	m.leaving = false
}
