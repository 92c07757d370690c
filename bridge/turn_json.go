package bridge

import (
	"strconv"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// MarshalJSON returns the turn as one JSON object. encoding/json escapes what
// it embeds (> becomes \u003e); a door that prints turns uses
// [Turn.AppendMembers], which escapes nothing that need not be.
func (t *Turn) MarshalJSON() ([]byte, error) {
	return append(t.AppendMembers([]byte{'{'}), '}'), nil
}

// AppendMembers appends the members of the turn's JSON object in their fixed
// order (R32), without the braces, so that a door can put its own before them:
// tier, what the tier carries, bound, steps, trace, held, said, notes, ran, of,
// used; where there is a budget, least and greatest say what the reply could
// cost, as it was known before it ran.
func (t *Turn) AppendMembers(dst []byte) []byte {
	dst = append(dst, `"tier":"`...)
	dst = append(dst, t.Tier.String()...)
	dst = append(dst, '"')
	dst = t.appendTierMembers(dst)
	dst = appendList(dst, `,"bound":[`, t.Bound, eval.AppendQuoted)
	dst = appendList(dst, `,"steps":[`, t.Steps, func(dst []byte, s Step) []byte { return s.AppendJSON(dst) })
	dst = appendList(dst, `,"trace":[`, t.Trace(), eval.AppendQuoted)
	dst = appendList(dst, `,"held":[`, t.Held, func(dst []byte, h Held) []byte { return h.AppendJSON(dst) })
	dst = appendList(dst, `,"said":[`, t.Said, eval.AppendQuoted)
	dst = appendList(dst, `,"notes":[`, t.Notes, eval.AppendQuoted)
	dst = append(dst, `,"ran":`...)
	dst = strconv.AppendInt(dst, int64(t.Ran), 10)
	dst = append(dst, `,"of":`...)
	dst = strconv.AppendInt(dst, int64(t.Of), 10)
	dst = append(dst, `,"used":`...)
	dst = strconv.AppendUint(dst, t.Used, 10)
	if t.Budgeted {
		dst = appendCost(dst, t.Cost)
	}
	return dst
}

// appendCost appends what a reply can cost; null is no bound.
func appendCost(dst []byte, c check.Cost) []byte {
	dst = strconv.AppendUint(append(dst, `,"least":`...), c.Least, 10)
	if c.Unbounded {
		return append(dst, `,"greatest":null`...)
	}
	return strconv.AppendUint(append(dst, `,"greatest":`...), c.Greatest, 10)
}

func (t *Turn) appendTierMembers(dst []byte) []byte {
	switch t.Tier {
	case TierResult:
		if t.Valued {
			dst = append(dst, `,"value":`...)
			dst = eval.AppendOutcomeJSON(dst, t.Value)
		}
	case TierDefined:
		dst = appendText(dst, `,"name":`, t.Name)
	case TierUnhandled:
		dst = appendText(dst, `,"branch":`, t.Unhandled.Outcome.Branch)
		dst = appendPayload(dst, `,"payload":`, t.Unhandled.Outcome)
		dst = appendText(dst, `,"binding":`, t.Unhandled.Bound)
	case TierPartial:
		dst = appendText(dst, `,"kind":`, t.Kind.String())
		dst = appendText(dst, `,"message":`, t.Message)
	case TierResidue:
		dst = appendText(dst, `,"text":`, t.Text)
	case TierError:
		dst = append(dst, `,"error":`...)
		dst = t.Err.AppendJSON(dst)
	}
	return dst
}

// AppendJSON appends the step as a JSON object: what it is, its verdict, what
// fired, and for a refusal why.
func (s *Step) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"step":`...)
	dst = strconv.AppendInt(dst, int64(s.N), 10)
	dst = append(dst, `,"of":`...)
	dst = strconv.AppendInt(dst, int64(s.Of), 10)
	if s.Verb != "" {
		dst = appendText(dst, `,"verb":`, s.Verb)
	}
	dst = appendText(dst, `,"verdict":`, s.Verdict.String())
	if s.fired() {
		dst = appendText(dst, `,"branch":`, s.Outcome.Branch)
		dst = appendPayload(dst, `,"value":`, s.Outcome)
	}
	if s.Bound != "" {
		dst = appendText(dst, `,"bound":`, s.Bound)
	}
	if s.fired() || s.Cost > 0 {
		dst = append(dst, `,"cost":`...)
		dst = strconv.AppendUint(dst, s.Cost, 10)
	}
	if m := s.message(); m != "" {
		dst = appendText(dst, `,"message":`, m)
	}
	if s.Refusal != nil && s.Refusal.Code != "" {
		dst = appendText(dst, `,"code":`, s.Refusal.Code)
	}
	return append(dst, '}')
}

// MarshalJSON returns the step as one JSON object.
func (s *Step) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// fired reports whether the step has an outcome to show.
func (s *Step) fired() bool {
	return s.Verdict == VerdictResult || s.Verdict == VerdictListing || s.Verdict == VerdictUnhandled
}

func (s *Step) message() string {
	if s.Refusal != nil {
		return s.Refusal.Text()
	}
	return s.Message
}

// AppendJSON appends the error as a JSON object: kind, message, and the fields
// of the kind (bridge.md 6.4, R32).
func (e *RunError) AppendJSON(dst []byte) []byte {
	dst = appendText(dst, `{"kind":`, e.Kind.String())
	dst = appendText(dst, `,"message":`, e.Text())
	switch e.Kind {
	case VerdictParse:
		dst = append(dst, `,"line":`...)
		dst = strconv.AppendInt(dst, int64(e.Line), 10)
		dst = append(dst, `,"column":`...)
		dst = strconv.AppendInt(dst, int64(e.Column), 10)
	case VerdictShape:
		dst = appendText(dst, `,"branch":`, e.Branch)
		if e.Field == "" {
			dst = append(dst, `,"field":null`...)
		} else {
			dst = appendText(dst, `,"field":`, e.Field)
		}
	case VerdictDenied:
		dst = appendText(dst, `,"verb":`, e.Verb)
	case VerdictDispatch:
		dst = appendText(dst, `,"event_name":`, e.Verb)
	case VerdictExhausted:
		dst = append(dst, `,"used":`...)
		dst = strconv.AppendUint(dst, e.Used, 10)
		dst = appendText(dst, `,"last_event":`, e.LastEvent)
		dst = append(dst, `,"handles":`...)
		dst = strconv.AppendInt(dst, int64(e.Handles), 10)
	case VerdictNoScope:
		dst = appendText(dst, `,"scope":`, e.Scope)
	}
	return append(dst, '}')
}

// MarshalJSON returns the error as one JSON object.
func (e *RunError) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// AppendJSON appends the handle as a JSON object.
func (h Held) AppendJSON(dst []byte) []byte {
	dst = appendText(dst, `{"binding":`, h.Binding)
	dst = appendText(dst, `,"handle":`, h.Handle)
	dst = appendText(dst, `,"resource_type":`, h.ResourceType)
	dst = appendText(dst, `,"obligation":`, h.Obligation)
	return append(dst, '}')
}

func appendText(dst []byte, key, text string) []byte {
	return eval.AppendQuoted(append(dst, key...), text)
}

// appendPayload appends the bare payload, or nothing if there is none.
func appendPayload(dst []byte, key string, o eval.Outcome) []byte {
	if !o.Has {
		return dst
	}
	return eval.AppendJSON(append(dst, key...), o.Payload)
}

func appendList[T any](dst []byte, open string, list []T, element func([]byte, T) []byte) []byte {
	dst = append(dst, open...)
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, e)
	}
	return append(dst, ']')
}
