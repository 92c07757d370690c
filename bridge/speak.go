package bridge

import (
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// say carries out a `say:` line. Where the scope grants a verb say that takes
// one text, the line is a call of it; else the text is delivered by the host,
// which costs nothing and binds nothing (bridge.md 5.12, R53).
func (r *reply) say(n syntax.Node, s *Step) {
	r.at, r.plan = none, plan{calls: r.plan.calls[:0], arms: r.plan.arms[:0], links: r.plan.links[:0]}
	v, field := voice(&r.b.words)
	text, refusal := r.spokenLine(n)
	if refusal == nil && v != nil {
		refusal = r.voiced(v, field, text, n)
	}
	switch {
	case refusal != nil:
		r.refuse(s, runError(s.Verb, refusal))
	case v == nil:
		r.turn.Said = append(r.turn.Said, text)
		s.Verdict, s.Outcome = VerdictResult, eval.Outcome{}
	default:
		if o, ok := r.make(v, s); ok {
			r.proceed(&planned{verb: v, onward: none}, s, o, syntax.BindView{})
		}
	}
}

// voice returns the granted verb that say lines are calls of, and the field
// that takes their text; nil if there is none.
func voice(words *check.Vocabulary) (v *check.Verb, field int) {
	v = words.Verb("say")
	if v == nil {
		return nil, 0
	}
	field = -1
	for i, f := range v.Tor.Fields {
		switch {
		case f.Name == "text" && f.Type.Kind == check.TextType:
			field = i
		case f.Required():
			return nil, 0
		}
	}
	if field < 0 {
		return nil, 0
	}
	return v, field
}

// spokenLine returns the text of a say line with its splices filled.
func (r *reply) spokenLine(n syntax.Node) (string, *check.Refusal) {
	if !n.Child(syntax.Splice).IsValid() {
		return spokenText(n), nil
	}
	r.filled = 0
	return r.fill(n)
}

// voiced gives the fields of say their values.
func (r *reply) voiced(v *check.Verb, field int, text string, n syntax.Node) *check.Refusal {
	r.args = r.args[:0]
	for i, f := range v.Tor.Fields {
		if i != field {
			r.args = append(r.args, r.b.bodies.preset(f))
			continue
		}
		s := check.Supplied{Field: f, Value: n, Node: n}
		value, refusal := typed(v, &s, n, eval.StringValue(text), f.Type, "")
		if refusal != nil {
			return refusal
		}
		r.args = append(r.args, value)
	}
	return nil
}
