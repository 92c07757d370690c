package bridge

import (
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// What a turn and a run are to the Koru program that made them: outcomes of
// std/bridge:run and std/runtime:run, with the records that their contracts
// declare.

var (
	misparseShape  = eval.NewShape("message", "line", "column")
	misshapeShape  = eval.NewShape("branch", "field", "message")
	dispatchShape  = eval.NewShape("event_name", "message")
	exhaustedShape = eval.NewShape("used", "last_event", "handles")
	endShape       = eval.NewShape("value", "used", "handles")
	heldShape      = eval.NewShape("binding", "handle", "resource_type", "obligation")
	firedShape     = eval.NewShape("branch")
	carriedShape   = eval.NewShape("branch", "value")

	resultShape    = eval.NewShape("value", "bound", "trace", "used", "handles")
	unhandledShape = eval.NewShape("branch", "payload", "bound", "held", "step", "steps", "trace", "used", "handles")
	partialShape   = eval.NewShape("ran", "of", "message", "kind", "bound", "held", "trace", "used", "handles")
	residueShape   = eval.NewShape("text", "ran", "of", "value", "bound", "held", "trace", "used", "handles")
	errorShape     = eval.NewShape("kind", "message", "line", "column", "branch", "field", "event_name", "verb", "scope", "used", "last_event", "handles")
)

func misparseOutcome(m *misparse) eval.Outcome {
	return eval.Delivered("parse-error", eval.RecordValue(misparseShape, str(m.message), whole(m.line), whole(m.column)))
}

func str(s string) eval.Value { return eval.StringValue(s) }
func whole(n int) eval.Value  { return eval.IntValue(int64(n)) }
func sum(n uint64) eval.Value { return eval.UintValue(n) }
func orNull(s string) eval.Value {
	if s == "" {
		return eval.Value{}
	}
	return str(s)
}

func texts(list []string) eval.Value {
	values := make([]eval.Value, len(list))
	for i, s := range list {
		values[i] = str(s)
	}
	return eval.ListValue(values)
}

func heldList(held []Held) eval.Value {
	values := make([]eval.Value, len(held))
	for i, h := range held {
		values[i] = eval.RecordValue(heldShape, str(h.Binding), str(h.Handle), str(h.ResourceType), str(h.Obligation))
	}
	return eval.ListValue(values)
}

// fired returns an outcome as a value: a record that prints as the wire shows
// outcomes (R26).
func fired(o eval.Outcome) eval.Value {
	if !o.Has {
		return eval.RecordValue(firedShape, str(o.Branch))
	}
	return eval.RecordValue(carriedShape, str(o.Branch), o.Payload)
}

// turnOutcome returns a turn as the outcome of std/bridge:run.
func turnOutcome(t *Turn) eval.Outcome {
	bound, trace, held := texts(t.Bound), texts(t.Trace()), heldList(t.Held)
	used, handles := sum(t.Used), whole(len(t.Held))
	switch t.Tier {
	case TierResult:
		return eval.Delivered("result", eval.RecordValue(resultShape, fired(t.Value), bound, trace, used, handles))
	case TierDefined:
		return eval.Delivered("defined", str(t.Name))
	case TierUnhandled:
		u := t.Unhandled
		return eval.Delivered("unhandled-branch", eval.RecordValue(unhandledShape,
			str(u.Outcome.Branch), u.Outcome.Payload, str(u.Bound), held, whole(u.N), whole(u.Of), trace, used, handles))
	case TierPartial:
		return eval.Delivered("partial", eval.RecordValue(partialShape,
			whole(t.Ran), whole(t.Of), str(t.Message), str(t.Kind.String()), bound, held, trace, used, handles))
	case TierResidue:
		return eval.Delivered("residue", eval.RecordValue(residueShape,
			str(t.Text), whole(t.Ran), whole(t.Of), fired(t.Value), bound, held, trace, used, handles))
	}
	return eval.Delivered("error", errorRecord(t.Err))
}

// errorRecord returns a RunError as the record that error-decode takes. What
// its kind does not have is null.
func errorRecord(e *RunError) eval.Value {
	var line, column, branch, field, event, verb, scope, used, last, handles eval.Value
	switch e.Kind {
	case VerdictParse:
		line, column = whole(max(e.Line, 1)), whole(max(e.Column, 1))
	case VerdictShape:
		branch, field = str(e.Branch), orNull(e.Field)
	case VerdictDenied:
		verb = str(e.Verb)
	case VerdictDispatch:
		event = str(e.Verb)
	case VerdictExhausted:
		used, last, handles = sum(e.Used), str(e.LastEvent), whole(e.Handles)
	case VerdictNoScope:
		scope = str(e.Scope)
	}
	return eval.RecordValue(errorShape, str(e.Kind.String()), str(e.Message), line, column, branch, field, event, verb, scope, used, last, handles)
}

// outcomeOf returns the end of a run as the outcome of std/runtime:run. denies
// is whether the contract knows event-denied.
func (end sourceEnd) outcomeOf(denies bool) eval.Outcome {
	e := end.refused
	if e == nil {
		return eval.Delivered("result", eval.RecordValue(endShape, fired(end.outcome), sum(end.used), whole(end.handles)))
	}
	switch {
	case e.Kind == VerdictDenied && denies:
		return eval.Delivered("event-denied", str(e.Verb))
	case e.Kind == VerdictDenied:
		return eval.Delivered("dispatch-error", eval.RecordValue(dispatchShape, str(e.Verb), str("EventDenied")))
	case e.Kind == VerdictValidation:
		return eval.Delivered("validation-error", str(e.Message))
	case e.Kind == VerdictShape:
		return eval.Delivered("shape-error", eval.RecordValue(misshapeShape, str(e.Branch), orNull(e.Field), str(e.Message)))
	case e.Kind == VerdictExhausted:
		return eval.Delivered("exhausted", eval.RecordValue(exhaustedShape, sum(e.Used), str(e.LastEvent), whole(end.handles)))
	}
	return eval.Delivered("dispatch-error", eval.RecordValue(dispatchShape, str(e.Verb), str(e.Bare())))
}

// misshapen judges the result of a run against the outcomes of a verb of its
// scope (bridge.md 3.3).
func misshapen(scope *check.Scope, shape string, o eval.Outcome) *RunError {
	v := scope.Verb(shape)
	if v == nil || len(v.Tor.Outcomes) == 0 {
		return nil
	}
	declared := v.Tor.Outcome(o.Branch)
	if declared == nil || declared.Effect {
		return &RunError{Kind: VerdictShape, Branch: o.Branch, Message: "unknown branch - not in shape contract"}
	}
	if declared.Payload == nil || declared.Payload.Kind != check.RecordType {
		return nil
	}
	for _, f := range declared.Payload.Fields {
		if _, has := o.Payload.Field(f.Name); !has && !f.Type.Optional {
			return &RunError{Kind: VerdictShape, Branch: o.Branch, Field: f.Name, Message: "missing required field"}
		}
	}
	return nil
}
