package eval

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/koru-go/koru/check"
)

// Host is the world a program runs against: its streams, its arguments and
// environment, its clock and its files. The zero value of a field means "none":
// no input, no output, no files.
type Host struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Args   []string
	Env    func(name string) (string, bool)
	Now    func() time.Time
	// Dir is the folder that relative paths start from.
	Dir string
	// Files serves reads of sources (imports, embedded blocks).
	Files fs.FS
}

// Func is the body of a verb: it takes the arguments of one call and returns
// the outcome that fired. An error means that the body failed (a dispatch-error
// on the wire, a located message under `koru run`); a declared failure of the
// verb is an outcome, not an error.
//
// A body that gets an error from [Call.Fire] returns that error: the handler
// has failed or has left the call for good.
type Func func(c *Call) (Outcome, error)

// Bodies are Go bodies by the full path of their verb: std/io:print.ln.
type Bodies map[string]Func

// Call is one invocation of a verb body. It and its Args belong to the machine:
// a body must not keep them after it has returned. Values may be kept.
type Call struct {
	Context context.Context
	Tor     *check.Tor
	// Args holds one value a field of Tor, in declared order. A field that was
	// left out holds its default, or null.
	Args []Value
	// Block is the text of the source block, if the call has one.
	Block string
	Host  *Host
	// Process is the running program that makes the call, nil in the test of a body.
	Process *Process

	fire effectFunc
	// A call of the machine has a site instead of fire, so that it need not
	// make a closure; frame is the place of the caller's frame, dispatch what
	// the caller's run sends its calls to.
	site     *site
	frame    int
	dispatch Dispatcher
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

// OnEffect sets what handles the effects that the body fires, given their place
// among the arms of Tor. Calls that a flow makes need none: the machine knows
// their handlers. It serves tests of a body, and bodies that pass their effects
// on to another call.
func (c *Call) OnEffect(fire func(effect int, payload Value) (Outcome, error)) { c.fire = fire }

// Handled reports whether the caller handles the named effect.
func (c *Call) Handled(effect string) bool {
	if c.fire != nil {
		return true
	}
	o := c.effect(effect)
	return o != nil && c.site.handles(o.Index)
}

// Fire runs the caller's handlers of the named effect with a payload and
// returns the resume: a bare value, a named resume arm, or nothing for a void
// effect. An effect nobody handles does nothing.
func (c *Call) Fire(effect string, payload Value) (Outcome, error) {
	o := c.effect(effect)
	switch {
	case o == nil:
		return Outcome{}, nil
	case c.fire != nil:
		return c.fire(o.Index, payload)
	case c.site.handles(o.Index):
		return c.Process.machine.fire(c, o, payload)
	}
	return Outcome{}, nil
}

func (c *Call) effect(name string) *check.Outcome {
	for _, o := range c.Tor.Outcomes {
		if o.Effect && o.Name == name {
			return o
		}
	}
	return nil
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
