package bridge

import (
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// wireWord is a verb that belongs to the wire and not to any scope. A scope's
// own verb of the name wins (U44).
type wireWord uint8

const (
	noWord wireWord = iota
	wordRelease
	wordAbandon
	wordVocabulary
	wordGrammar
)

var wireWords = map[string]wireWord{
	"release": wordRelease, "abandon": wordAbandon,
	"vocabulary": wordVocabulary, "grammar": wordGrammar,
}

// wireWordOf returns the word of the wire that a name is. The listings are
// words only where the session grants introspection (U18).
func wireWordOf(name string, words *check.Vocabulary) wireWord {
	w := wireWords[name]
	if (w == wordVocabulary || w == wordGrammar) && !words.Introspect {
		return noWord
	}
	return w
}

// The words of the wire are judged like verbs.
var (
	releaseVerb  = wireVerb("release", &check.Field{Name: "r", Type: &check.Type{Name: "rN"}})
	abandonVerb  = wireVerb("abandon", &check.Field{Name: "reason", Type: &check.Type{Kind: check.TextType, Name: "string"}})
	listingVerbs = map[wireWord]*check.Verb{wordVocabulary: listingVerb("vocabulary"), wordGrammar: listingVerb("grammar")}
)

func wireVerb(name string, fields ...*check.Field) *check.Verb {
	return &check.Verb{Name: name, Tor: &check.Tor{Name: name, Fields: fields}}
}

func listingVerb(name string) *check.Verb {
	v := wireVerb(name)
	v.Tor.Outcomes = []*check.Outcome{{Name: "ok", Payload: &check.Type{Kind: check.TextType, Name: "string"}}}
	return v
}

// wireVerbs lists the words of the wire that replies may use, as verbs: those
// that no verb of the vocabulary goes by.
func wireVerbs(words *check.Vocabulary) []*check.Verb {
	var verbs []*check.Verb
	for _, v := range []*check.Verb{releaseVerb, abandonVerb, listingVerbs[wordVocabulary], listingVerbs[wordGrammar]} {
		if words.Verb(v.Name) == nil && wireWordOf(v.Name, words) != noWord {
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// verb returns the declaration that a word is judged by, or nil.
func (w wireWord) verb() *check.Verb {
	switch w {
	case wordAbandon:
		return abandonVerb
	case wordRelease:
		return releaseVerb
	}
	return listingVerbs[w]
}

// declares reports whether a word of the wire can end in an outcome. What
// release ends in is up to the verb that lets the handle go, which is not known
// before its turn: see [plan.own].
func (w wireWord) declares(outcome string) bool {
	return outcome == "ok" && (w == wordVocabulary || w == wordGrammar)
}

// control carries out a word of the wire and returns the next call.
func (r *reply) control(c *planned, s *Step) (next int) {
	switch c.word {
	case wordRelease:
		return r.release(c, s)
	case wordAbandon:
		return r.abandon(c, s)
	}
	return r.listed(c, s)
}

// judgeWord judges a word of the wire as far as a verb is judged.
func (r *reply) judgeWord(v *check.Verb, c *planned) ([]check.Supplied, *check.Refusal) {
	view := syntax.CallView{Node: c.node}
	supplied, refusal := check.JudgeStep(v, view)
	if refusal == nil {
		refusal = r.literals(v, supplied)
	}
	if refusal == nil {
		refusal = r.judgeArms(v, view)
	}
	return supplied, refusal
}

// abandon ends the reply because the model says so (bridge.md 5.10).
func (r *reply) abandon(c *planned, s *Step) (next int) {
	supplied, refusal := r.judgeWord(abandonVerb, c)
	if refusal == nil {
		refusal = r.resolve(abandonVerb, supplied)
	}
	if refusal != nil {
		r.refuse(s, runError(s.Verb, refusal))
		return none
	}
	s.Verdict, s.Message = VerdictAbandoned, r.args[0].Str()
	r.stop = s
	return none
}

// listed answers vocabulary() or grammar(). It binds no rN, but an arm may name
// the text for the rest of the reply.
func (r *reply) listed(c *planned, s *Step) (next int) {
	v := c.word.verb()
	if _, refusal := r.judgeWord(v, c); refusal != nil {
		r.refuse(s, runError(s.Verb, refusal))
		return none
	}
	text := r.b.vocabulary()
	if c.word == wordGrammar {
		text = r.b.grammar()
	}
	s.Verdict, s.Outcome = VerdictListing, eval.Delivered("ok", eval.StringValue(text))
	if a := r.plan.arm(r.at, "ok"); a != nil {
		r.bindName(a.view.Bind().Name(), s.Outcome)
		return a.next
	}
	return c.onward
}

// release lets go of the handle that an rN names, through the verb that
// discharges it (bridge.md 5.9).
func (r *reply) release(c *planned, s *Step) (next int) {
	supplied, faults := check.JudgeFields(releaseVerb.Tor, releaseVerb.Name, syntax.CallView{Node: c.node}.ArgList(), check.OnWire)
	switch {
	case len(faults) > 0:
		r.refuse(s, runError(s.Verb, &check.Refusal{Kind: check.Invalid, Diagnostic: faults[0]}))
		return none
	case !supplied[0].Node.IsValid():
		d := check.NeedsField(s.Verb, releaseVerb.Tor.Fields[0], c.node.Span())
		r.refuse(s, runError(s.Verb, &check.Refusal{Kind: check.Invalid, Diagnostic: d}))
		return none
	}
	held, refusal := r.released(supplied[0].Value)
	if refusal != nil {
		r.refuse(s, runError(s.Verb, refusal))
		return none
	}
	v := r.b.words.Verb(held.discharge)
	if refusal := r.judgeArms(v, syntax.CallView{Node: c.node}); refusal != nil {
		r.refuse(s, runError(s.Verb, refusal))
		return none
	}
	r.args = r.b.dischargeArgs(r.args[:0], v, held)
	o, ok := r.make(v, s)
	if !ok {
		return none
	}
	if a := r.plan.arm(r.at, o.Branch); a != nil {
		r.bindName(a.view.Bind().Name(), o)
		return a.next
	}
	return c.onward
}

// released returns the record that release is about, or why it cannot be let
// go: nothing is held there, something leans on it, or no verb takes it alone.
func (r *reply) released(n syntax.Node) (*record, *check.Refusal) {
	held := r.b.heldAs(n)
	switch {
	case held == nil:
		return nil, check.NotHeld(handleNotHeld+liveHandles(r.b.pool.held()), n.Span())
	case held.dependents > 0:
		return nil, check.NotHeld(inUse(r.b.pool.leaningOn(held, fittingHandles)), n.Span())
	}
	v := r.b.words.Verb(held.discharge)
	if v == nil || !takesAlone(v, held) {
		return nil, check.NotHeld(noDischarger+" — no verb of the scope lets go of "+held.owes.String()+" by itself", n.Span())
	}
	return held, nil
}

// heldAs returns the owed record that a bare rN leads to, or nil.
func (b *Bridge) heldAs(n syntax.Node) *record {
	if n.Kind() != syntax.NameExpr {
		return nil
	}
	number, ok := resultNumber(n.Text())
	if !ok {
		return nil
	}
	found := b.results.find(number)
	if found == nil {
		return nil
	}
	v := found.outcome.Payload
	if held, ok := b.pool.named(v.Kind() == eval.Handle, v.Str(), b.scope.Name); ok && v.Kind() != eval.Record {
		return held.record
	}
	return found.handle()
}

// takesAlone reports whether a verb can be called with nothing but the handle.
func takesAlone(v *check.Verb, held *record) bool {
	at := dischargeField(v, held)
	for i, f := range v.Tor.Fields {
		if i != at && f.Required() {
			return false
		}
	}
	return at >= 0
}

// dischargeField returns the field that takes the handle, or -1.
func dischargeField(v *check.Verb, held *record) int {
	for _, c := range v.Consumes {
		if slices.ContainsFunc(c.States, func(st check.State) bool { return obligationOf(st) == held.owes }) {
			return c.Field
		}
	}
	return -1
}

// dischargeArgs appends the arguments with which a verb lets a handle go.
func (s *session) dischargeArgs(args []eval.Value, v *check.Verb, held *record) []eval.Value {
	at := dischargeField(v, held)
	for i, f := range v.Tor.Fields {
		switch {
		case i != at:
			args = append(args, s.bodies.preset(f))
		case held.capability:
			args = append(args, eval.HandleValue(held.handle, held.object))
		default:
			args = append(args, eval.StringValue(held.handle))
		}
	}
	return args
}
