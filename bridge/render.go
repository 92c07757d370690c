package bridge

import (
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// A render says what a session may do, in the form that one kind of reader
// wants: a model (the vocabulary and the grammar text), a constrained decoder
// (GBNF, Lark), a program (the manifest), an agent with JSON tools (the
// schema). Each is a pure function of the vocabulary that the wire enforces, so
// none of them can promise what is refused, or hide what is granted
// (design.md 3.2, R11).

// RenderVocabulary returns the listing of what a session may call: a line a
// verb with its documentation below, granted verbs in the order of their
// grants, then what the session has defined (bridge.md 3.5, R44).
//
//	look-up(code: string, most: i64 = 10) | ok string | error string [cost 2]
//	    Fetch one crate by its label.
//	    code: the label, as printed on the crate
//
// Names, types, labels and prose are those of the declaration.
func RenderVocabulary(words *check.Vocabulary) string {
	var r verbLines
	for v := range verbsOf(words) {
		r.verb(words, v)
	}
	return strings.TrimSuffix(r.String(), "\n")
}

// verbsOf yields what a session may call in the order in which renders show it.
func verbsOf(words *check.Vocabulary) func(yield func(*check.Verb) bool) {
	return func(yield func(*check.Verb) bool) {
		if words.Scope != nil {
			for _, v := range words.Scope.Verbs {
				if !yield(v) {
					return
				}
			}
		}
		for _, v := range words.Defined {
			if !yield(v) {
				return
			}
		}
	}
}

// verbLines is a vocabulary being written; every line is closed.
type verbLines struct{ strings.Builder }

func (r *verbLines) verb(words *check.Vocabulary, v *check.Verb) {
	t := v.Tor
	r.WriteString(v.Name)
	r.WriteByte('(')
	for i, f := range inputsOf(t) {
		if i > 0 {
			r.WriteString(", ")
		}
		r.field(f)
	}
	r.WriteByte(')')
	if t.Return != nil {
		r.WriteString(" -> " + spelling(t.Return))
	}
	for _, o := range outcomesOf(t) {
		r.WriteString(" | " + outcomeSpelling(o))
	}
	r.cost(words.CostOf(v))
	r.WriteByte('\n')
	r.prose("    ", "", t.Doc)
	for _, f := range inputsOf(t) {
		r.prose("    ", f.Name+": ", f.Doc)
	}
}

// field writes `name: type = default`.
func (r *verbLines) field(f *check.Field) {
	r.WriteString(f.Name + ": " + spelling(f.Type))
	if f.Default.IsValid() {
		r.WriteString(" = " + onOneLine(f.Default))
	}
}

// cost says what a call costs where that is not 1.
func (r *verbLines) cost(c check.Cost) {
	least, greatest := strconv.FormatUint(c.Least, 10), strconv.FormatUint(c.Greatest, 10)
	switch {
	case c.Unbounded:
		r.WriteString(" [cost " + least + "..]")
	case c.Least != c.Greatest:
		r.WriteString(" [cost " + least + ".." + greatest + "]")
	case c.Least != 1:
		r.WriteString(" [cost " + least + "]")
	}
}

// prose writes documentation, indented; what follows a lead is indented deeper.
func (r *verbLines) prose(indent, lead, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			r.WriteString(indent + lead + line)
		}
		r.WriteByte('\n')
		if lead != "" {
			indent, lead = indent+"    ", ""
		}
	}
}

// inputsOf returns the fields that a call on the wire can fill: those that the
// compiler supplies, and source blocks, are none of a model's business.
func inputsOf(t *check.Tor) []*check.Field {
	for i, f := range t.Fields {
		if !suppliable(f) {
			inputs := append([]*check.Field(nil), t.Fields[:i]...)
			for _, f := range t.Fields[i:] {
				if suppliable(f) {
					inputs = append(inputs, f)
				}
			}
			return inputs
		}
	}
	return t.Fields
}

func suppliable(f *check.Field) bool {
	return f.Type.Kind != check.InjectedType && f.Type.Kind != check.SourceType
}

// outcomesOf returns what a verb can end in. Effects are never granted
// (bridge.md 2.5), so an arm that is one is not shown either.
func outcomesOf(t *check.Tor) []*check.Outcome {
	for i, o := range t.Outcomes {
		if o.Effect {
			outcomes := append([]*check.Outcome(nil), t.Outcomes[:i]...)
			for _, o := range t.Outcomes[i:] {
				if !o.Effect {
					outcomes = append(outcomes, o)
				}
			}
			return outcomes
		}
	}
	return t.Outcomes
}

// outcomeSpelling writes an outcome as its declaration does: ?word payload.
func outcomeSpelling(o *check.Outcome) string {
	text := o.Name
	switch {
	case o.Panic:
		text = "?!" + text
	case o.Optional:
		text = "?" + text
	}
	if o.Payload != nil {
		text += " " + spelling(o.Payload)
	}
	return text
}

// spelling returns a type as its declaration spells it, on one line. The type
// of an outcome that was derived has no declaration and is spelled the
// canonical way.
func spelling(t *check.Type) string {
	if t.Node.IsValid() {
		return onOneLine(t.Node)
	}
	text := t.String()
	if t.Phantom != nil {
		text += "<" + t.Phantom.Raw + ">"
	}
	return text
}

// onOneLine returns the source of a node with its line breaks, and what
// surrounds them, replaced by a blank. Text within one line stays as it is.
func onOneLine(n syntax.Node) string {
	text := n.Text()
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	var b strings.Builder
	var gap string
	for t, last := n.FirstToken(), n.LastToken(); ; t = t.Next() {
		switch {
		case t.Kind() == syntax.Space && gap == "":
			gap = t.Text()
		case t.Kind().IsTrivia():
			gap = " " // a line break, or a comment, which ends in one
		default:
			b.WriteString(gap)
			b.WriteString(t.Text())
			gap = ""
		}
		if t == last {
			return b.String()
		}
	}
}

// Binding is one result that a session keeps, under the name that replies use.
type Binding struct {
	Name    string // rN
	Handle  string // the token of a live handle that the result delivered, or ""
	Outcome eval.Outcome
}

// shownBinding is how many characters of a result the listing shows.
const shownBinding = 80

// RenderBindings returns the block that lists live results, or "" if there are
// none (bridge.md 6.6). It changes from turn to turn, so it stands apart from
// what a system message carries.
func RenderBindings(live []Binding) string {
	if len(live) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Live bindings:")
	for i := range live {
		v := &live[i]
		value := v.Handle
		if value == "" {
			value = clip(string(eval.AppendOutcomeJSON(nil, v.Outcome)), shownBinding)
		}
		b.WriteString("\n" + v.Name + " = " + oneLine(value))
	}
	return b.String()
}

// RenderListing returns what vocabulary() answers: the verbs and, after a blank
// line, the live results.
func RenderListing(words *check.Vocabulary, live []Binding) string {
	verbs, bindings := RenderVocabulary(words), RenderBindings(live)
	if bindings == "" || verbs == "" {
		return verbs + bindings
	}
	return verbs + "\n\n" + bindings
}
