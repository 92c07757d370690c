package eval

import (
	"context"

	"github.com/koru-go/koru/check"
)

// Func is the body of a verb: it takes the arguments of one call and returns
// the outcome that fired. An error means that the body failed (a dispatch-error
// on the wire, a located message under `koru run`); a declared failure of the
// verb is an outcome, not an error.
type Func func(c *Call) (Outcome, error)

// Call is one invocation of a verb body.
type Call struct {
	Context context.Context
	Tor     *check.Tor
	// Args holds one value a field of Tor, in declared order. A field that was
	// left out holds its default, or null.
	Args []Value
	// Block is the text of the source block, if the call has one.
	Block string
	Host  *Host

	fire func(effect int, payload Value) (Outcome, error)
}

// Arg returns the argument of the named field, or null.
func (c *Call) Arg(name string) Value {
	for i, f := range c.Tor.Fields {
		if f.Name == name {
			return c.Args[i]
		}
	}
	return Value{}
}

// OnEffect sets what runs the caller's handlers of an effect, given its place
// among the arms of Tor. The machine sets it for every call that has handlers;
// tests of a body set it to watch what the body fires.
func (c *Call) OnEffect(fire func(effect int, payload Value) (Outcome, error)) { c.fire = fire }

// Handled reports whether the caller handles the named effect.
func (c *Call) Handled(effect string) bool { return c.fire != nil }

// Fire runs the caller's handlers of the named effect with a payload and
// returns the resume: a bare value, a named resume arm, or nothing for a void
// effect. An effect nobody handles does nothing.
func (c *Call) Fire(effect string, payload Value) (Outcome, error) {
	if c.fire == nil {
		return Outcome{}, nil
	}
	for _, o := range c.Tor.Outcomes {
		if o.Effect && o.Name == effect {
			return c.fire(o.Index, payload)
		}
	}
	return Outcome{}, nil
}

// Target compiles proc bodies of one host language.
type Target interface {
	// Name is the tag after the bar: js, zig.
	Name() string
	// Compile turns a body into a Func. The error is a *BodyError: it names the
	// construct that the target does not know and the line it stands on.
	Compile(tor *check.Tor, proc *check.Proc) (Func, error)
}

// BodyError says why a host body cannot run: its message and the offset in the
// body (bytes from the start of Proc.Body) that it is about.
type BodyError struct {
	Offset  int
	Message string
}

func (e *BodyError) Error() string { return e.Message }
