package check

import (
	"slices"

	"github.com/koru-go/koru/syntax"
)

// ending says what the paths around a place may end in.
type ending struct {
	kind   endingKind
	tor    *Tor     // endsTor
	effect *Outcome // endsEffect; nil if nobody knows the effect
}

type endingKind uint8

const (
	endsFree   endingKind = iota // a flow of its own: paths just end
	endsTor                      // the implementation of a tor
	endsEffect                   // the handler of an effect
)

// outcomes returns what => may construct here.
func (e ending) outcomes() []*Outcome {
	switch {
	case e.kind == endsTor:
		return e.tor.Outcomes
	case e.kind == endsEffect && e.effect != nil:
		return e.effect.ResumeArms
	}
	return nil
}

// value returns the type that -> must produce here, or nil.
func (e ending) value() *Type {
	switch {
	case e.kind == endsTor:
		return e.tor.Return
	case e.kind == endsEffect && e.effect != nil:
		return e.effect.Resume
	}
	return nil
}

// open reports whether nobody knows what a path ends in: the handler of an
// unknown effect, an owner whose declaration is broken or a transform.
func (e ending) open() bool {
	return e.kind == endsEffect && e.effect == nil || e.kind == endsTor && (e.tor.Broken() || e.tor.Has("transform") || e.tor.Derived)
}

// constructible returns the outcome that a word constructs here, or nil.
func (e ending) constructible(word string) *Outcome {
	if e.kind == endsTor {
		if o := e.tor.Outcome(word); o != nil && !o.Effect {
			return o
		}
		return nil
	}
	for _, o := range e.outcomes() {
		if o.Name == word {
			return o
		}
	}
	return nil
}

// forwards returns the owner's outcome under which an outcome of the last step
// leaves, or nil.
func (e ending) forwards(o *Outcome) *Outcome {
	if e.kind != endsTor {
		return nil
	}
	out := e.constructible(o.Name)
	if out == nil || out.Raw || (out.Payload == nil) != (o.Payload == nil) || o.Payload != nil && !fitsType(o.Payload, out.Payload) {
		return nil
	}
	return out
}

// mustEnd reports whether a path that just ends leaves something unsaid.
func (e ending) mustEnd() bool {
	if e.open() {
		return false
	}
	if e.value() != nil {
		return true
	}
	for _, o := range e.outcomes() {
		if !o.Effect && !o.Optional && !o.Panic {
			return true
		}
	}
	return false
}

// anyEnd writes a way to end that is allowed here, with values that are still to
// be written.
func (e ending) anyEnd() string {
	if !e.mustEnd() {
		return "|> _"
	}
	if t := e.value(); t != nil {
		return "-> " + blank(t)
	}
	var first *Outcome
	for _, o := range e.outcomes() {
		switch {
		case o.Effect:
		case o.Payload == nil:
			return "=> " + o.Name
		case first == nil:
			first = o
		}
	}
	return "=> " + first.Name + " " + blank(first.Payload)
}

// words lists what can be constructed here, for messages.
func (e ending) words() []string {
	var out []string
	for _, o := range e.outcomes() {
		if !o.Effect {
			out = append(out, o.Name)
		}
	}
	return out
}

// name says who must be answered.
func (e ending) name() string {
	if e.kind == endsEffect {
		return "the effect '" + e.effect.Name + "'"
	}
	return "'" + e.tor.Name + "'"
}

// end lowers what a path ends in: => outcome, -> value, or -> call(args).
func (l *lowerer) end(n syntax.Node) *End {
	if n.Kind() == syntax.Construct {
		return l.construct(syntax.ConstructView{Node: n})
	}
	return l.produce(syntax.ProduceView{Node: n})
}

// construct lowers => word value and compares it with the declared outcome
// (language.md 7.4, R83).
func (l *lowerer) construct(v syntax.ConstructView) *End {
	word, _ := armWord(v.Name())
	e := &End{Node: v.Node, Word: word, Resume: l.ends.kind == endsEffect}
	if word == "" {
		l.broken = true
		return e
	}
	e.Outcome = l.ends.constructible(word)
	var payload *Type
	if e.Outcome != nil {
		payload = e.Outcome.Payload
	}
	l.place = "the constructor '" + word + "'"
	if v.Value().IsValid() {
		e.Value = l.value(v.Value(), payload)
	}
	switch {
	case l.ends.open():
	case e.Outcome == nil && v.FirstToken().Kind() == syntax.Arrow:
		// `-> word value` is no way to end anything, and has been reported.
	case e.Outcome == nil:
		l.add(l.notConstructible(v, word))
	default:
		l.judgePayload(v, word, payload, e.Value)
	}
	return e
}

func (l *lowerer) notConstructible(v syntax.ConstructView, word string) Diagnostic {
	d := Diagnostic{Code: "KORU021", Span: v.Name().Span()}
	words := l.ends.words()
	switch {
	case l.ends.kind == endsFree:
		d.Message = "'=> " + word + "' constructs an outcome, but this flow implements no tor"
	case l.ends.value() != nil && len(words) == 0:
		d.Code, d.Span = "KORU102", v.Span()
		d.Message = l.ends.name() + " delivers one value (" + l.ends.value().String() + "): produce it with '->', '=>' constructs an outcome"
		l.producesInstead(&d, v)
	case len(words) == 0:
		d.Message = l.ends.name() + " has no branch '" + word + "' (available: none): it ends without a word"
	default:
		d.Message = l.ends.name() + " has no branch '" + word + "' (available: " + enumerate(words) + ")"
		if near := l.near(word, func() []string { return words }); near != "" {
			d.suggest(near)
		}
	}
	return d
}

// producesInstead offers -> for => where the word itself is a value.
func (l *lowerer) producesInstead(d *Diagnostic, v syntax.ConstructView) {
	if value := v.Value(); value.IsValid() {
		d.replace("produce the value", false, syntax.Span{Start: v.Span().Start, End: value.Span().Start}, "-> ")
		d.Fixes[len(d.Fixes)-1].respells = true
		return
	}
	if l.visible.lookup(v.Name().Text()) == nil {
		return
	}
	d.replace("produce '"+v.Name().Text()+"'", true, v.Token(syntax.FatArrow).Span(), "->")
}

// judgePayload compares a constructed value with the declared payload.
func (l *lowerer) judgePayload(v syntax.ConstructView, word string, payload *Type, value *Expr) {
	at := v.Span()
	if value != nil {
		at = v.Value().Span()
	}
	switch {
	case value == nil && payload == nil:
	case value == nil:
		d := Diagnostic{Code: "KORU030", Span: v.Name().Span(), Message: "branch '" + word + "' carries " + payload.String() + ": give it its value"}
		end := v.Name().Span().End
		d.replace("give it a value", false, syntax.Span{Start: end, End: end}, " "+blank(payload))
		l.add(d)
	case value.Kind == RecordOf && len(value.Names) == 0 && !v.Value().FirstChild().IsValid():
		l.report("PARSE003", at, "empty braces say nothing: write '=> "+word+"'")
	case payload == nil:
		d := Diagnostic{Code: "KORU030", Span: at, Message: "branch '" + word + "' carries no payload: construct it without a value"}
		d.replace("drop the value", false, syntax.Span{Start: v.Name().Span().End, End: at.End}, "")
		l.add(d)
	default:
		l.judgeShape(word, "branch '"+word+"' carries", payload, value, "TYPE003")
	}
}

// judgeShape compares a value with the declared type of what it becomes. A
// record is judged field by field: TYPE003 for one of the wrong type, TYPE004
// for a missing, TYPE005 for an unknown one. misfit is the code for a plain
// value of the wrong type.
func (l *lowerer) judgeShape(name, declared string, t *Type, value *Expr, misfit string) {
	at := value.Node.Span()
	if value.Kind == RecordOf && t.Kind == RecordType {
		l.judgeRecord(t, value)
		return
	}
	m := fit(value, t)
	if m == nil {
		return
	}
	if value.Kind == RecordOf || t.Kind == RecordType && value.Type.Kind != RecordType {
		l.report("KORU030", at, declared+" "+t.String()+", found "+describe(value))
		return
	}
	l.report(misfit, at, m.in(name)).requote(value, t)
}

func (l *lowerer) judgeRecord(t *Type, value *Expr) {
	missing := missingFields(t, value.Names)
	fields := byName(t.Fields)
	for i, name := range value.Names {
		field := fields(name)
		at := value.List[i].Node.Span()
		if field == nil {
			d := Diagnostic{Code: "TYPE005", Span: at, Message: "'" + name + "' is not a field here (fields: " + fieldNames(t.Fields) + ")"}
			if near := l.near(name, func() []string { return missing }); near != "" {
				l.renameField(&d, value.Node, i, near)
				missing = slices.DeleteFunc(missing, func(m string) bool { return m == near })
			} else {
				l.dropField(&d, value.Node, i)
			}
			l.add(d)
			continue
		}
		if m := fit(value.List[i], field.Type); m != nil {
			l.report("TYPE003", at, m.in(name)).requote(value.List[i], field.Type)
		}
	}
	for _, name := range missing {
		if f := fields(name); f.Required() {
			d := l.report("TYPE004", value.Node.Span(), "the field '"+name+"' ("+f.Type.String()+") is missing")
			last := value.Node.LastToken()
			if last.Kind() == syntax.RBrace && spellable(f.Type) && len(value.Names) > 0 {
				end := value.List[len(value.List)-1].Node.Span().End
				d.replace("add '"+name+"'", false, syntax.Span{Start: end, End: end}, ", "+name+": "+blank(f.Type))
			}
		}
	}
}

// renameField ends a finding about a field of a record in the name that was
// probably meant, and offers it where the record spells the field.
func (l *lowerer) renameField(d *Diagnostic, record syntax.Node, i int, near string) {
	d.Message += didYouMean(near)
	for c := range record.ChildrenOf(syntax.RecordField) {
		if i--; i >= 0 {
			continue
		}
		if label := (syntax.RecordFieldView{Node: c}).Label(); label.IsValid() {
			d.Span = label.Span()
			d.replace("change to '"+near+"'", false, d.Span, near)
		}
		return
	}
}

// dropField offers to take a field out of a record, with the comma beside it.
func (l *lowerer) dropField(d *Diagnostic, record syntax.Node, i int) {
	var before syntax.Node
	for c := range record.ChildrenOf(syntax.RecordField) {
		if i--; i >= 0 {
			before = c
			continue
		}
		span := c.Span()
		if before.IsValid() {
			span.Start = before.Span().End
		} else if next := c.Next(); next.IsValid() {
			span.End = next.Span().Start
		}
		d.File = l.file
		d.replace("remove the field", false, span, "")
		return
	}
}

func missingFields(t *Type, names []string) []string {
	var out []string
	given := setOf(names)
	for _, f := range t.Fields {
		if !given[f.Name] {
			out = append(out, f.Name)
		}
	}
	return out
}

// produce lowers -> value.
func (l *lowerer) produce(v syntax.ProduceView) *End {
	e := &End{Node: v.Node, Resume: l.ends.kind == endsEffect}
	want := l.ends.value()
	n := v.Value()
	if !n.IsValid() {
		l.broken = true
		return e
	}
	if n.Kind() == syntax.Call {
		return l.produceCall(e, n, want)
	}
	l.place = "a produced value"
	if want == nil && l.ends.constructible(n.Text()) != nil && l.visible.lookup(n.Text()) == nil {
		d := l.notProducible(v)
		d.replace("construct the outcome", true, v.Token(syntax.Arrow).Span(), "=>")
		l.add(d)
		return e
	}
	if only, ok := grouped(n, want); ok {
		n = only
	}
	e.Value = l.value(n, want)
	switch {
	case l.ends.open():
	case want == nil:
		l.add(l.notProducible(v))
	default:
		l.judgeShape("value", l.ends.name()+" delivers", want, e.Value, "KORU094")
	}
	return e
}

// grouped returns the expression inside braces that only group it: a record has
// two fields or more, so `{ a + b }` is no record (language.md 16.15).
func grouped(n syntax.Node, want *Type) (syntax.Node, bool) {
	if n.Kind() != syntax.RecordExpr || want != nil && want.Kind == RecordType && len(want.Fields) == 1 {
		return n, false
	}
	f := n.FirstChild()
	if f.Kind() != syntax.RecordField || f.Next().IsValid() || (syntax.RecordFieldView{Node: f}).Label().IsValid() {
		return n, false
	}
	return f.FirstChild(), true
}

func (l *lowerer) notProducible(v syntax.ProduceView) Diagnostic {
	d := Diagnostic{Code: "KORU021", Span: v.Span()}
	words := l.ends.words()
	switch {
	case l.ends.kind == endsFree:
		d.Message = "'->' produces a value, but this flow implements no tor"
	case len(words) > 0:
		d.Message = l.ends.name() + " ends in outcomes (available: " + enumerate(words) + "): construct one with '=>'"
	default:
		d.Message = l.ends.name() + " takes no value: the path just ends"
		d.replace("drop the value", false, v.Span(), "")
	}
	return d
}

// produceCall lowers -> call(args): the result of the call is the result.
func (l *lowerer) produceCall(e *End, n syntax.Node, want *Type) *End {
	v := syntax.CallView{Node: n}
	c := l.call(v, nil)
	e.Call = c
	if c.Tor == nil || c.Form == Opaque || l.ends.open() {
		return e
	}
	name := v.Path().Text()
	switch {
	case want == nil:
		l.add(l.notProducible(syntax.ProduceView{Node: e.Node}))
	case c.Tor.Return == nil:
		l.report("KORU094", v.Path().Span(), "'"+name+"' delivers no single value, and "+l.ends.name()+" must produce "+want.String())
	default:
		c.Result = l.newBinding(ResultBinding, "", c.Tor.Return, n)
		c.Result.From = c
		if !fitsType(c.Tor.Return, want) {
			l.report("KORU094", v.Path().Span(), "'"+name+"' delivers "+c.Tor.Return.String()+", and "+l.ends.name()+" must produce "+want.String())
		}
	}
	return e
}

// openEnd judges a path that ends without => or ->. The value of the last step
// is produced if that is what the path must end in; where an outcome is owed,
// something is missing.
func (l *lowerer) openEnd(t *track) {
	if t.thread == adrift || t.blind != nil && t.blind == t.last || !l.ends.mustEnd() {
		return
	}
	if want := l.ends.value(); want != nil && t.thread != nil && t.last != nil && fitsType(t.thread.Type, want) {
		n := t.last.Node
		t.thread.use(n)
		t.chain.End = &End{Node: n, Resume: l.ends.kind == endsEffect,
			Value: &Expr{Kind: BindingExpr, Node: n, Ref: t.thread, Type: t.thread.Type}}
		return
	}
	at := t.chain.Node.Span()
	end := at.End
	if n := len(t.chain.Steps); n > 0 {
		at = t.chain.Steps[n-1].Node.Span()
		end = at.End
		if c := t.chain.Steps[n-1].Call; c != nil {
			at = (syntax.CallView{Node: c.Node}).Path().Span()
		}
	}
	l.noOutcome(at, end, "this path ends")
}

// noOutcome reports a path that leaves without what its owner promised: KORU094
// for a value, SHAPE001 for an outcome. What is missing may be put in at end,
// unless that is negative.
func (l *lowerer) noOutcome(at syntax.Span, end int, when string) {
	if l.broken {
		return
	}
	if want := l.ends.value(); want != nil {
		d := l.report("KORU094", at, when+" without a value: "+l.ends.name()+" must produce "+want.String()+", end it with '-> value'")
		if spellable(want) {
			d.endWith(end, l.ends.anyEnd())
		}
		return
	}
	l.report("SHAPE001", at, when+" without an outcome: "+l.ends.name()+" must end in one of "+enumerate(l.ends.words())+", end it with '=> outcome'").
		endWith(end, l.ends.anyEnd())
}
