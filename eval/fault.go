package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// ErrSteps is what a run fails with that has used up its steps.
var ErrSteps = errors.New("the step budget is used up")

// Fault is why a running program failed, and where: an outcome nobody handles,
// an integer out of range, a body that failed, a used-up budget. It is data;
// [Fault.Diagnostic] gives it the form of every other finding.
type Fault struct {
	Code    string // a code of the registry, or ""
	Message string
	File    *check.File // nil if the place has no source
	Span    syntax.Span
	// Stack holds the calls that led to the place, the innermost first.
	Stack []Caller
	// Err is the error behind the fault, if there is one: what a body returned,
	// [ErrSteps], or the error of the context.
	Err error
}

// Caller is one call that was under way when a program failed.
type Caller struct {
	Verb string // what was called
	File *check.File
	Span syntax.Span // the call
}

// Error returns the message with its place: shop.k:12:5: division by zero.
func (f *Fault) Error() string {
	if f.File == nil || f.File.Syntax == nil {
		return f.Message
	}
	at := f.File.Syntax.Position(f.Span.Start, syntax.UTF8)
	return fmt.Sprintf("%s:%d:%d: %s", f.File.Path, at.Line+1, at.Column+1, f.Message)
}

// Unwrap returns the error behind the fault.
func (f *Fault) Unwrap() error { return f.Err }

// maxStackNotes bounds the calls that a diagnostic lists.
const maxStackNotes = 8

// Diagnostic returns the fault as a finding with one note for each call that
// led to it.
func (f *Fault) Diagnostic() check.Diagnostic {
	d := check.Diagnostic{Code: f.Code, Severity: check.Error, File: f.File, Span: f.Span, Message: f.Message}
	for i, c := range f.Stack {
		note := check.Note{File: c.File, Span: c.Span, Message: "in '" + c.Verb + "', called here"}
		if i == maxStackNotes {
			note.Message = fmt.Sprintf("and %d calls before it", len(f.Stack)-i)
			d.Notes = append(d.Notes, note)
			break
		}
		d.Notes = append(d.Notes, note)
	}
	return d
}

// Stopped reports whether a run ended because it was told to: by its context or
// by its step budget, not by a fault of the program.
func Stopped(err error) bool {
	return errors.Is(err, ErrSteps) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Unrunnable is why a program cannot be started. Nothing of it has run.
type Unrunnable struct {
	Diagnostics []check.Diagnostic
}

// Error returns the messages, one a line.
func (u *Unrunnable) Error() string {
	lines := make([]string, len(u.Diagnostics))
	for i, d := range u.Diagnostics {
		f := Fault{Message: d.Message, File: d.File, Span: d.Span}
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
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
		if f.code.file() == nil {
			continue
		}
		if !located {
			located = true
			fault.File, fault.Span = f.code.file(), f.code.nodes[max(f.pc-1, 0)].Span()
		}
		if caller, ok := m.callerOf(i); ok {
			fault.Stack = append(fault.Stack, caller)
		}
	}
	fault.enter(err)
	return fault
}

// callerOf returns the call that the frame at a place answers: of a verb, or of
// what declared a handler of a store.
func (m *machine) callerOf(at int) (Caller, bool) {
	if m.frames[at].kind != flowFrame || m.frames[at].verb == nil {
		return Caller{}, false
	}
	for i := at - 1; i >= 0; i-- {
		f := &m.frames[i]
		if file := f.code.file(); file != nil {
			return Caller{Verb: m.frames[at].verb.path, File: file, Span: f.code.nodes[max(f.pc-1, 0)].Span()}, true
		}
	}
	return Caller{}, false
}

// file returns the source of the code, nil for a notice frame or an expression.
func (c *Code) file() *check.File {
	if c == nil || c.flow == nil {
		return nil
	}
	return c.flow.File
}
