package eval

import (
	"errors"
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// placedError is a [BodyError] that knows its body: it has a place in a file.
type placedError struct {
	*BodyError
	verb string
	proc *check.Proc
}

func (e *placedError) Unwrap() error { return e.BodyError }

// placed ties the errors that a host body locates to its source.
func placed(body Func, verb string, proc *check.Proc) Func {
	return func(c *Call) (Outcome, error) {
		out, err := body(c)
		if located, ok := err.(*BodyError); ok {
			err = &placedError{located, verb, proc}
		}
		return out, err
	}
}

// enter moves a fault from the call of a body to the place in the body that its
// error is about. The call goes among those that led there.
func (f *Fault) enter(err error) {
	var at *placedError
	if !errors.As(err, &at) {
		return
	}
	if f.File != nil {
		f.Stack = slices.Insert(f.Stack, 0, Caller{Verb: at.verb, File: f.File, Span: f.Span})
	}
	f.File, f.Span = at.proc.File, bodySpan(at.proc, at)
}

// bodySpan returns the place in the source that the error of a body is about.
func bodySpan(proc *check.Proc, err error) syntax.Span {
	var body *BodyError
	text := syntax.ProcView{Node: proc.Node}.Body()
	if !errors.As(err, &body) || !text.IsValid() {
		return proc.Node.Span()
	}
	at := text.Span()
	start := min(max(at.Start+body.Offset, at.Start), at.End)
	return syntax.Span{Start: start, End: start}
}
