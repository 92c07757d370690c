package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// handler is one arm as written, while the chain above it is lowered. An arm
// applies to every step of the chain that declares its word (language.md 8.3);
// its body is lowered once, at the first of them.
type handler struct {
	view    syntax.ArmView
	word    string
	effect  bool
	all     bool   // |? and !?
	claimed bool   // a step declares the word
	arm     *Arm   // as lowered at the first step that declares it
	verb    string // that step's verb
}

func handlersOf(v syntax.ChainView) []*handler {
	var out []*handler
	for a := range v.Arms() {
		word, _ := armWord(a.Name())
		h := &handler{view: a, word: word, effect: a.Effect(), all: a.CatchAll()}
		if !h.all && !a.Name().IsValid() {
			h.claimed = true // broken, reported by the parser
		}
		out = append(out, h)
	}
	return out
}

// effectsFirst reports an effect that is handled below an outcome (KORU023).
func (l *lowerer) effectsFirst(handlers []*handler) {
	outcome := false
	for _, h := range handlers {
		if !h.effect {
			outcome = true
		} else if outcome {
			l.report("KORU023", h.view.FirstToken().Span(), "effects are handled before outcomes: move this arm up")
			return
		}
	}
}

// deliver connects a call with the arms below it and with the next step: it
// binds a single value, applies the arms whose words the verb declares, judges
// what is left unhandled, and finds what threads on.
func (l *lowerer) deliver(t *track, c *Call, final bool) {
	v := syntax.CallView{Node: c.Node}
	if c.Tor == nil || c.Form == Opaque {
		l.deliverBlind(t, c, v)
		return
	}
	l.bindResult(t, c, v)
	l.applyArms(t, c)
	if c.Tor.Has("norun") || t.blind == c {
		return
	}
	l.unhandled(t, c, v, final)
}

// deliverBlind handles a call of which nobody knows what it ends in: an unknown
// verb, which has been reported, or an unknown transform (R1). Arms whose words
// no other step declares will be taken for its own.
func (l *lowerer) deliverBlind(t *track, c *Call, v syntax.CallView) {
	t.blind = c
	if !v.Bind().IsValid() {
		t.thread = adrift
		return
	}
	c.Result, c.Fields = l.payload(delivery{kind: ResultBinding, typ: unknown, branch: "->", call: c}, v.Bind(), v.Node)
}

// bindResult binds what a single-output verb delivers.
func (l *lowerer) bindResult(t *track, c *Call, v syntax.CallView) {
	bind := v.Bind()
	if c.Tor.Return != nil {
		c.Result, c.Fields = l.payload(delivery{kind: ResultBinding, typ: c.Tor.Return, branch: "->", call: c}, bind, v.Node)
		if !bind.IsValid() {
			t.thread = c.Result
		}
		return
	}
	if !bind.IsValid() {
		return
	}
	verb := v.Path().Text()
	d := Diagnostic{Code: "KORU101", Span: bind.Span()}
	if c.Tor.Branches() {
		d.Code = "KORU021"
		d.Message = "'" + verb + "' delivers no single value to bind: its outcomes (" + available(c.Tor, false) + ") are handled by arms"
	} else {
		d.Message = "'" + verb + "' carries no payload: there is nothing to bind"
		d.replace("do not bind", true, bind.Span(), "")
	}
	l.add(d)
	// The name exists all the same: one fault, one finding.
	l.payload(delivery{kind: ResultBinding, typ: unknown, branch: "->", call: c, quiet: true}, bind, v.Node)
}

// applyArms gives the call every arm whose word its verb declares.
func (l *lowerer) applyArms(t *track, c *Call) {
	if len(t.handlers) == 0 || len(c.Tor.Outcomes) == 0 {
		return
	}
	declared := l.declared(c)
	for _, h := range t.handlers {
		if h.all {
			if hasOptional(c.Tor, h.effect) {
				l.applyArm(c, h, nil)
			}
			continue
		}
		o := declared(h.word)
		if o == nil {
			continue
		}
		if o.Effect != h.effect && !h.claimed {
			l.wrongGlyph(h, o)
		}
		l.applyArm(c, h, o)
	}
}

// declared returns the function from words to the outcomes of the call's verb.
func (l *lowerer) declared(c *Call) func(word string) *Outcome {
	if c.Form == StoreWatch && c.Store != nil {
		return func(word string) *Outcome {
			if c.Store.Column(word) == nil {
				return nil
			}
			return c.Tor.Outcome(word)
		}
	}
	if len(c.Tor.Outcomes) <= few {
		return c.Tor.Outcome
	}
	index := make(map[string]*Outcome, len(c.Tor.Outcomes))
	for _, o := range c.Tor.Outcomes {
		if index[o.Name] == nil {
			index[o.Name] = o
		}
	}
	wild := c.Tor.Outcome("*")
	return func(word string) *Outcome {
		if o := index[word]; o != nil {
			return o
		}
		if wild != nil && wild.Raw {
			return wild
		}
		return nil
	}
}

func hasOptional(t *Tor, effect bool) bool {
	for _, o := range t.Outcomes {
		if o.Optional && o.Effect == effect {
			return true
		}
	}
	return false
}

// applyArm lowers a handler at the first call that it applies to; at a further
// one it shares payload and body with the first.
func (l *lowerer) applyArm(c *Call, h *handler, o *Outcome) {
	h.claimed = true
	var payload *Type
	if o != nil {
		payload = l.payloadType(c, o, h.word)
	}
	verb := syntax.CallView{Node: c.Node}.Path().Text()
	if h.arm == nil {
		h.verb = verb
		h.arm = l.arm(c, h, o, payload)
		c.Arms = append(c.Arms, h.arm)
		return
	}
	again := *h.arm
	again.Outcome = o
	c.Arms = append(c.Arms, &again)
	if h.arm.Payload == nil && payload == nil {
		return
	}
	if h.arm.Payload == nil || payload == nil || (h.arm.Payload.Name != "" || len(h.arm.Fields) > 0) && !sameType(h.arm.Payload.Type, payload) {
		l.report("KORU031", h.view.Name().Span(), "'"+h.word+"' carries "+carried(h.arm.Payload)+" from '"+h.verb+"' but "+
			typeOrNothing(payload)+" from '"+verb+"': one arm cannot take both")
	}
}

func carried(b *Binding) string {
	if b == nil {
		return "nothing"
	}
	return b.Type.String()
}

func typeOrNothing(t *Type) string {
	if t == nil {
		return "nothing"
	}
	return t.String()
}

func sameType(a, b *Type) bool {
	return a == b || !known(a) || !known(b) || a.String() == b.String()
}

// arm lowers one handler: what it binds, its guard and its body.
func (l *lowerer) arm(c *Call, h *handler, o *Outcome, payload *Type) *Arm {
	a := &Arm{Node: h.view.Node, Outcome: o, Word: h.word, Effect: h.effect, CatchAll: h.all}
	if h.all {
		a.Meta, a.Word = h.view.Name().Text(), ""
	}
	mark, outer, unnamed := l.visible.mark(), l.ends, l.unnamed
	l.bindPayload(c, h, o, payload, a)
	if g := h.view.Guard(); g.IsValid() {
		a.Guard = l.guard(g)
	}
	if h.effect {
		l.ends = ending{kind: endsEffect, effect: o}
	}
	done := l.enterCapture(c, a)
	a.Body = l.armBody(h, o)
	done()
	l.ends, l.unnamed = outer, unnamed
	l.visible.back(mark)
	return a
}

func (l *lowerer) armBody(h *handler, o *Outcome) *Chain {
	for nested := range h.view.ChildrenOf(syntax.Arm) {
		l.report("KORU105", nested.Span(), "this arm has no call to handle: '"+h.word+"' above it has no body")
		break
	}
	chain := h.view.Chain()
	if !chain.IsValid() {
		l.bodiless(h)
		return nil
	}
	empty := emptyBody(chain)
	switch {
	case empty && h.all:
		l.report("KORU026", chain.Span(), "a catch-all has work to do: with an empty body it says nothing, leave it out").Severity = Warning
	case empty && h.effect && o != nil && o.Optional:
		d := Diagnostic{Code: "KORU037", Severity: Warning, Span: h.view.Span(),
			Message: "the effect '" + h.word + "' is optional: an empty handler says nothing, leave it out"}
		l.add(d)
	}
	return l.chain(chain, true)
}

// emptyBody reports whether a body is just `_`.
func emptyBody(chain syntax.ChainView) bool {
	first := chain.FirstChild()
	return first.Kind() == syntax.Discard && !first.Next().IsValid()
}

// bodiless judges an arm without a body: `| done`, or `| done |>`, which says
// that something was to follow.
func (l *lowerer) bodiless(h *handler) {
	arrow := h.view.Arrow()
	switch {
	case arrow.IsValid():
		d := Diagnostic{Code: "KORU010", Severity: Warning, Span: arrow.Span(),
			Message: "nothing follows '|>': an empty body is written '|> _'"}
		end := arrow.Span().End
		d.replace("write '_'", true, syntax.Span{Start: end, End: end}, " _")
		l.add(d)
	case l.ends.mustEnd():
		l.noOutcome(h.view.Span(), "this path ends")
	}
}

// guard lowers the condition of an arm (KORU024 for one in parentheses).
func (l *lowerer) guard(n syntax.Node) *Expr {
	if inner := n.FirstChild(); n.Kind() == syntax.ParenExpr && inner.IsValid() && n.Has(syntax.RParen) {
		d := Diagnostic{Code: "KORU024", Span: n.Span(), Message: "a guard needs no parentheses around it"}
		d.replace("drop the parentheses", true, syntax.Span{Start: n.Span().Start, End: inner.Span().Start}, "")
		d.Fixes[0].Edits = append(d.Fixes[0].Edits, TextEdit{Span: syntax.Span{Start: inner.Span().End, End: n.Span().End}})
		l.add(d)
	}
	l.place = "a guard"
	e := l.value(n, nil)
	l.condition(e, "a guard")
	return e
}

// bindPayload binds what the outcome carries. A payload is bound or discarded
// (KORU030), and where there is none nothing can be bound (KORU101).
func (l *lowerer) bindPayload(c *Call, h *handler, o *Outcome, payload *Type, a *Arm) {
	bind := h.view.Bind()
	d := delivery{kind: PayloadBinding, typ: payload, branch: h.word, call: c, arm: a}
	switch {
	case o == nil:
		if bind.IsValid() {
			d.typ = unknown
			if c.Single() {
				d.typ = c.Tor.Return
			}
			a.Payload, a.Fields = l.payload(d, bind, h.view.Node)
		}
		l.unnamed = l.unnamed || !h.all
	case payload == nil:
		if bind.IsValid() {
			if !c.Form.store() {
				l.add(l.nothingToBind(h, bind))
			}
			d.typ, d.quiet = unknown, true
			l.payload(d, bind, h.view.Node)
		}
	default:
		if !bind.IsValid() && !l.session && !c.Form.store() {
			l.add(unboundPayload(h, payload))
			l.unnamed = true
		}
		a.Payload, a.Fields = l.payload(d, bind, h.view.Node)
	}
}

func (l *lowerer) nothingToBind(h *handler, bind syntax.BindView) Diagnostic {
	d := Diagnostic{Code: "KORU101", Span: bind.Span(),
		Message: "branch '" + h.word + "' carries no payload: there is nothing to bind, not even '_'"}
	from := bind.Span().Start
	if prev := bind.FirstToken().Prev(); prev.Kind() == syntax.Space {
		from = prev.Span().Start
	}
	d.replace("bind nothing", true, syntax.Span{Start: from, End: bind.Span().End}, "")
	return d
}

func unboundPayload(h *handler, payload *Type) Diagnostic {
	name := h.view.Name().Span()
	d := Diagnostic{Code: "KORU030", Span: name,
		Message: "branch '" + h.word + "' carries " + payload.String() + ": bind it with a name, or discard it with '_'"}
	d.replace("discard it with '_'", true, syntax.Span{Start: name.End, End: name.End}, " _")
	return d
}

// wrongGlyph reports an effect handled as an outcome or the reverse (KORU025).
func (l *lowerer) wrongGlyph(h *handler, o *Outcome) {
	right, is := "|", "an outcome"
	if o.Effect {
		right, is = "!", "an effect"
	}
	glyph := h.view.FirstToken().Span()
	d := Diagnostic{Code: "KORU025", Span: syntax.Span{Start: glyph.Start, End: h.view.Name().Span().End},
		Message: "'" + h.word + "' is " + is + ": handle it with '" + right + "'"}
	d.replace("write '"+right+"'", true, glyph, right)
	l.add(d)
}

// available lists the words a verb declares, as messages show them.
func available(t *Tor, effect bool) string {
	var words []string
	for _, o := range t.Outcomes {
		if o.Effect == effect {
			words = append(words, o.Name)
		}
	}
	return enumerate(words)
}

// enumerated is how many names a message lists.
const enumerated = 24

// enumerate lists names in a message; of very many it shows the first.
func enumerate(words []string) string {
	return enumerateFirst(words[:min(len(words), enumerated)], len(words))
}

// enumerateFirst lists the first names of a number of them.
func enumerateFirst(words []string, all int) string {
	if all == 0 {
		return "none"
	}
	list := strings.Join(words, ", ")
	if more := all - len(words); more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	return list
}

// UndeclaredOutcome words an arm that the verb does not declare (KORU021), as
// an editor shows it.
func UndeclaredOutcome(tor *Tor, verb, word string) string {
	return "'" + verb + "' has no branch '" + word + "' (available: " + allWords(tor) + ")"
}

// InventedOutcome words the same fault of a reply (bridge.md 5.7).
func InventedOutcome(tor *Tor, verb, word string) string {
	return "'" + word + "' is not an outcome of '" + verb + "' — declared: " + allWords(tor)
}

func allWords(t *Tor) string {
	words := make([]string, min(len(t.Outcomes), enumerated))
	for i := range words {
		words[i] = t.Outcomes[i].Name
	}
	return enumerateFirst(words, len(t.Outcomes))
}

func outcomeWords(t *Tor) []string {
	words := make([]string, len(t.Outcomes))
	for i, o := range t.Outcomes {
		words[i] = o.Name
	}
	return words
}

// strayArms reports the arms that no step of the chain declares (KORU021).
func (l *lowerer) strayArms(t *track) {
	for _, h := range t.handlers {
		if h.claimed {
			continue
		}
		if t.blind != nil || t.last == nil {
			// Whoever nobody knows may declare it; without a call something is broken.
			if t.last == nil && !t.broken {
				l.report("KORU021", h.view.Span(), "this arm has no call to handle")
			}
			if t.blind == nil {
				t.blind = &Call{Node: t.chain.Node}
			}
			l.applyArm(t.blind, h, nil)
			continue
		}
		if h.all {
			l.report("KORU026", h.view.Span(), "a catch-all handles optional outcomes, and '"+verbOf(t.last)+"' declares none").Severity = Warning
			l.applyArm(&Call{Node: t.last.Node, Tor: t.last.Tor}, h, nil)
			continue
		}
		t.broken = true
		l.add(l.undeclared(t, h))
		// The body is judged all the same: with the one value there is, or with a
		// payload that nobody knows.
		c := &Call{Node: t.last.Node}
		if t.last.Single() {
			c = t.last
		}
		l.applyArm(c, h, nil)
	}
}

func verbOf(c *Call) string { return syntax.CallView{Node: c.Node}.Path().Text() }

// undeclared is KORU021 for an arm: with the words there are and the nearest.
func (l *lowerer) undeclared(t *track, h *handler) Diagnostic {
	c, near := l.meaning(t, h)
	d := Diagnostic{Code: "KORU021", Span: h.view.Name().Span(), Message: UndeclaredOutcome(c.Tor, verbOf(c), h.word)}
	if c.Form == StoreWatch && c.Store != nil {
		d.Message = "'" + c.Store.Name + "' has no branch '" + h.word + "' (available: " + enumerate(c.Store.columnNames()) + ")"
	}
	switch {
	case near != "":
		d.suggest(near)
		t.meant[near] = true
	case len(c.Tor.Outcomes) == 0 && c.Tor.Return != nil:
		d.Message += ": it delivers one value, bind it with ': name'"
		l.bindInstead(&d, c, h, len(t.handlers))
	default:
		d.replace("remove this arm", false, armLines(h.view.Node), "")
	}
	return d
}

// meaning finds the call that an undeclared word was meant for, and the word
// that was meant: of those no arm has yet, or of all. Without one the call is
// the last that declares outcomes, or the last.
func (l *lowerer) meaning(t *track, h *handler) (*Call, string) {
	last := t.last
	for i := len(t.chain.Steps) - 1; i >= 0; i-- {
		c := t.chain.Steps[i].Call
		if c == nil || c.Tor == nil || len(c.Tor.Outcomes) == 0 {
			continue
		}
		words := func() []string { return outcomeWords(c.Tor) }
		if c.Form == StoreWatch && c.Store != nil {
			words = c.Store.columnNames
		}
		near := l.near(h.word, func() []string { return t.open(words()) })
		if near == "" {
			near = l.near(h.word, words)
		}
		if near != "" {
			return c, near
		}
		if len(last.Tor.Outcomes) == 0 {
			last = c
		}
	}
	return last, ""
}

// open returns the words that no arm of the chain has.
func (t *track) open(words []string) []string {
	handled := make(map[string]bool, len(t.handlers))
	for _, h := range t.handlers {
		handled[h.word] = true
	}
	var open []string
	for _, w := range words {
		if !handled[w] {
			open = append(open, w)
		}
	}
	return open
}

// bindInstead offers `call(): name` for the one arm `| line name` under a verb
// that delivers a single value (language.md 16.4).
func (l *lowerer) bindInstead(d *Diagnostic, c *Call, h *handler, arms int) {
	name := h.view.Bind().Name()
	if arms != 1 || !name.IsValid() || (syntax.CallView{Node: c.Node}).Bind().IsValid() {
		return
	}
	d.replace("bind the value", false, syntax.Span{Start: c.Node.Span().End, End: name.Span().End}, ": "+name.Text())
}

// armLines returns the range of an arm with the line end in front of it.
func armLines(n syntax.Node) syntax.Span {
	span := n.Span()
	for t := n.FirstToken().Prev(); t.Kind() == syntax.Space || t.Kind() == syntax.Newline; t = t.Prev() {
		span.Start = t.Span().Start
		if t.Kind() == syntax.Newline {
			break
		}
	}
	return span
}

// group is the handlers of one word at one call.
type group struct {
	guarded, open *Arm // the first of each
	unguarded     int
}

// judgeGroups judges the handlers of each word together (language.md 12.3).
func (l *lowerer) judgeGroups(t *track) {
	for _, s := range t.chain.Steps {
		if c := s.Call; c != nil && c.Tor != nil && c != t.blind && len(c.Arms) > 0 {
			l.judgeGroup(t, c)
		}
	}
}

func (l *lowerer) judgeGroup(t *track, c *Call) {
	groups := make(map[string]*group, len(c.Arms))
	for _, a := range c.Arms {
		if a.Outcome == nil || a.Forward {
			continue
		}
		g := groups[a.Word]
		if g == nil {
			g = &group{}
			groups[a.Word] = g
		}
		l.join(g, a)
	}
	for _, a := range c.Arms {
		if g := groups[a.Word]; g == nil || a != g.guarded || g.open != nil || !needsElse(a.Outcome) || t.meant[a.Word] {
			continue
		}
		d := Diagnostic{Code: "KORU050", Span: armName(a).Span(),
			Message: "'" + a.Word + "' is handled only under a guard: add an arm '| " + a.Word + " …' without one, as the last"}
		l.offerArm(&d, t, a.Outcome)
		l.add(d)
	}
}

// needsElse reports whether something must answer when no guard holds: an
// optional outcome may go unhandled, and a void effect goes on.
func needsElse(o *Outcome) bool {
	if o.Optional || o.Panic {
		return false
	}
	return !o.Effect || resumes(o)
}

func resumes(o *Outcome) bool { return o.Resume != nil || len(o.ResumeArms) > 0 }

// join adds an arm to its group. All handlers of a void effect fire, so there
// they do not exclude each other (R82).
func (l *lowerer) join(g *group, a *Arm) {
	multicast := a.Outcome.Effect && !resumes(a.Outcome)
	name := armName(a).Span()
	if a.Guard != nil {
		if g.guarded == nil {
			g.guarded = a
		}
		if g.open != nil && !multicast {
			l.report("KORU053", name, "this arm is never reached: '"+a.Word+"' without a guard stands before it").
				note(l.file, armName(g.open).Span(), "this arm takes every '"+a.Word+"'")
		}
		return
	}
	g.unguarded++
	if g.open == nil {
		g.open = a
		return
	}
	if multicast {
		return
	}
	code, message := "SHAPE002", "Duplicate handler for branch '"+a.Word+"': is one of them indented wrongly?"
	if g.guarded != nil {
		code, message = "KORU051", "'"+a.Word+"' has more than one arm without a guard: only the first is ever reached"
	}
	l.report(code, name, message).note(l.file, armName(g.open).Span(), "the first one")
}

func armName(a *Arm) syntax.Token { return syntax.ArmView{Node: a.Node}.Name() }

// unhandled judges the outcomes that no arm takes. In front of another step one
// of them goes on, the survivor; at the end of a chain they leave the owner
// under their own name if it declares them (language.md 8.3); what is left is
// KORU022.
func (l *lowerer) unhandled(t *track, c *Call, v syntax.CallView, final bool) {
	var missing, optional []*Outcome
	claimed := false
	all := map[bool]bool{}
	handled := make([]bool, len(c.Tor.Outcomes))
	for _, a := range c.Arms {
		if a.CatchAll {
			all[a.Effect] = true
		} else if a.Outcome != nil {
			handled[a.Outcome.Index] = true
			claimed = claimed || !a.Outcome.Effect
		}
	}
	for i, o := range c.Tor.Outcomes {
		switch {
		case handled[i] || o.Panic || o.Raw && o.Name == "*" || o.Optional && all[o.Effect]:
		case o.Optional:
			if !o.Effect {
				optional = append(optional, o)
			}
		default:
			missing = append(missing, o)
		}
	}
	outcomes := missing[:0:0]
	for _, o := range missing {
		if o.Effect {
			t.unmet = append(t.unmet, unmet{c, o})
		} else {
			outcomes = append(outcomes, o)
		}
	}
	if !c.Tor.Branches() {
		return
	}
	if final {
		l.leave(t, c, v, outcomes, optional, claimed)
		return
	}
	l.survive(t, c, v, outcomes, optional)
}

// survive finds the outcome that goes on to the next step.
func (l *lowerer) survive(t *track, c *Call, v syntax.CallView, missing, optional []*Outcome) {
	switch {
	case len(missing) > 0:
		// One may go on; of several the first is taken to be the one that is meant to.
		c.Survivor = missing[0]
		for _, o := range missing[1:] {
			t.unmet = append(t.unmet, unmet{c, o})
		}
	case len(optional) > 0:
		return // they all go on, and bring nothing along
	default:
		l.report("KORU092", v.Path().Span(), "no outcome of '"+v.Path().Text()+"' goes on to the next step: the arms below take all of them")
		return
	}
	if c.Survivor.Payload != nil {
		c.Result = l.newBinding(ResultBinding, "", l.payloadType(c, c.Survivor, c.Survivor.Name), c.Node)
		c.Result.From = c
		t.thread = c.Result
	}
}

// leave forwards the outcomes that the owner declares too, and reports the
// others that must be handled.
func (l *lowerer) leave(t *track, c *Call, v syntax.CallView, missing, optional []*Outcome, claimed bool) {
	t.closed = claimed || len(missing) > 0
	var silent *Outcome // an optional outcome that ends the path without a word
	for _, o := range append(missing[:len(missing):len(missing)], optional...) {
		switch out := l.ends.forwards(o); {
		case out != nil:
			c.Arms = append(c.Arms, l.forward(c, o, out))
			t.closed = true
		case !o.Optional:
			t.unmet = append(t.unmet, unmet{c, o})
		case silent == nil:
			silent = o
		}
	}
	if silent != nil && t.closed && l.ends.mustEnd() {
		l.noOutcome(v.Path().Span(), "when '"+silent.Name+"' fires, this path ends")
	}
}

// forward is the arm that stands for an outcome which leaves the owner under
// its own name.
func (l *lowerer) forward(c *Call, o, out *Outcome) *Arm {
	a := &Arm{Node: c.Node, Outcome: o, Word: o.Name, Forward: true}
	end := &End{Node: c.Node, Outcome: out, Word: out.Name}
	if o.Payload != nil {
		a.Payload = l.newBinding(PayloadBinding, "", o.Payload, c.Node)
		a.Payload.From, a.Payload.Arm = c, a
		end.Value = &Expr{Kind: BindingExpr, Node: c.Node, Ref: a.Payload, Type: o.Payload}
	}
	a.Body = &Chain{Node: c.Node, End: end}
	return a
}

// unmet is an outcome of a call that no arm takes though one must.
type unmet struct {
	call    *Call
	outcome *Outcome
}

// missingArms reports what no arm takes, unless an arm was meant to: a word that
// is misspelt has been reported.
func (l *lowerer) missingArms(t *track) {
	for _, u := range t.unmet {
		if !t.meant[u.outcome.Name] {
			l.missingArm(t, u.call, u.outcome)
		}
	}
}

// missingArm reports KORU022 with an edit that adds the arm.
func (l *lowerer) missingArm(t *track, c *Call, o *Outcome) {
	v := syntax.CallView{Node: c.Node}
	switch {
	case l.broken:
		return
	case l.session && l.ends.open():
		return // what a source does not accept, it hands back
	case l.session && l.ends.kind == endsTor:
		l.dishonest(v, o)
		return
	}
	d := Diagnostic{Code: "KORU022", Span: v.Path().Span(),
		Message: "required branch '" + o.Name + "' not handled: branch '" + o.Name + "' must be handled by an arm of '" + v.Path().Text() + "'"}
	d.note(declaringFile(c.Tor, l.file), o.Node.Span(), "declared here")
	l.offerArm(&d, t, o)
	l.add(d)
}

// offerArm offers a further arm of the chain, for an outcome.
func (l *lowerer) offerArm(d *Diagnostic, t *track, o *Outcome) {
	at, text := l.armPlace(t, o.Effect)
	d.replace("add an arm for '"+o.Name+"'", false, syntax.Span{Start: at, End: at}, strings.Replace(text, "…", l.armFor(o), 1))
}

// dishonest reports an outcome that a definition can end in and its declaration
// does not have: what its body does not accept leaves it (bridge.md 8.3, 8.4).
func (l *lowerer) dishonest(v syntax.CallView, o *Outcome) {
	owner := l.ends.tor
	declared := owner.Outcome(o.Name)
	switch {
	case declared == nil:
		l.report("KORU021", v.Path().Span(), fmt.Sprintf("'%s' can end in '%s' but does not declare it", owner.Name, o.Name))
	case declared.Payload == nil:
		l.report("KORU030", v.Path().Span(), fmt.Sprintf("'%s' declares '| %s' without a payload; the body yields %s", owner.Name, o.Name, o.Payload))
	default:
		l.report("KORU030", v.Path().Span(), fmt.Sprintf("'%s' declares '| %s %s'; the body yields %s", owner.Name, o.Name, declared.Payload, typeOrNothing(o.Payload)))
	}
}

func declaringFile(t *Tor, otherwise *File) *File {
	if t.File != nil {
		return t.File
	}
	return otherwise
}

// armFor writes an arm for an outcome: one that passes it on if the owner
// declares it too, one that drops it otherwise.
func (l *lowerer) armFor(o *Outcome) string {
	word := o.Name
	if o.Raw {
		word = "[" + word + "]"
	}
	glyph, bind := "| ", ""
	ends := l.ends
	if o.Effect {
		glyph, ends = "! ", ending{kind: endsEffect, effect: o}
	}
	if o.Payload != nil {
		bind = " _"
	}
	if ends.forwards(o) != nil {
		if o.Payload == nil {
			return glyph + word + " => " + word
		}
		v := l.free("v")
		return glyph + word + " " + v + " => " + word + " " + v
	}
	return glyph + word + bind + " " + ends.anyEnd()
}

// free returns a name that this path has not bound yet.
func (l *lowerer) free(name string) string {
	for l.visible.lookup(name) != nil {
		name += "_"
	}
	return name
}

// armPlace returns where a further arm of the chain goes, and the text around
// it, with … in its place: below the other arms, or above the outcomes if it
// handles an effect, or below the chain.
func (l *lowerer) armPlace(t *track, effect bool) (at int, text string) {
	src := l.file.Syntax
	for i := 0; effect && i < len(t.handlers); i++ {
		if h := t.handlers[i]; !h.effect {
			line := src.LineOf(h.view.Span().Start)
			return src.LineStart(line), indentOf(src.Line(line)) + "…\n"
		}
	}
	if n := len(t.handlers); n > 0 {
		line := src.Line(src.LineOf(t.handlers[0].view.Span().Start))
		return l.lineEnd(t.handlers[n-1].view.Span().End), "\n" + indentOf(line) + "…"
	}
	line := src.Line(src.LineOf(t.chain.Node.Span().Start))
	indent := indentOf(line)
	if body := line[len(indent):]; strings.HasPrefix(body, "|") || strings.HasPrefix(body, "!") {
		indent += "    "
	}
	return l.lineEnd(t.chain.Node.Span().End), "\n" + indent + "…"
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// lineEnd returns the end of the line that an offset lies on, comment included.
func (l *lowerer) lineEnd(off int) int {
	src := l.file.Syntax
	line := src.LineOf(off)
	return src.LineStart(line) + len(src.Line(line))
}
