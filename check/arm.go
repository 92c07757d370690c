package check

import (
	"github.com/koru-go/koru/syntax"
)

// handler is one arm as written, while the chain above it is lowered. An arm
// applies to every step of the chain that declares its word (language.md 8.3);
// its body is lowered once, at the first of them.
type handler struct {
	view    syntax.ArmView
	word    string
	effect  bool
	all     bool // |? and !?
	claimed bool // a step declares the word
	// wrongGlyph means that it handles an effect as an outcome or the reverse.
	wrongGlyph bool
	arm        *Arm   // as lowered at the first step that declares it
	verb       string // that step's verb
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
	var outcome syntax.Node
	for _, h := range handlers {
		switch {
		case h.wrongGlyph:
		case !h.effect:
			if !outcome.IsValid() {
				outcome = h.view.Node
			}
		case outcome.IsValid():
			d := l.report("KORU023", h.view.FirstToken().Span(), "effects are handled before outcomes: move this arm up")
			d.moveAbove("move this arm up", true, h.view.Node, outcome)
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
	if c.Tor.Has("norun") {
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
		d.replace("do not bind", mentioned(t.chain.Node, bind.Name().Text()) < 2, bind.Span(), "")
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
			typeOrNothing(payload)+" from '"+verb+"': one arm cannot take both — give the inner call arms of its own")
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
	done := l.enterCapture(c, a)
	if h.effect {
		l.ends = ending{kind: endsEffect, effect: o}
	}
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
		d := l.report("KORU026", chain.Span(), "a catch-all has work to do: with an empty body it says nothing, leave it out")
		d.Severity = Warning
		d.removeLines("remove this arm", true, h.view.Node)
	case empty && h.effect && o != nil && o.Effect && o.Optional:
		d := Diagnostic{Code: "KORU037", Severity: Warning, Span: h.view.Span(),
			Message: "the effect '" + h.word + "' is optional: an empty handler says nothing, leave it out"}
		d.File = l.file
		d.removeLines("remove this arm", h.view.Guard() == (syntax.Node{}), h.view.Node)
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
			Message: "stray continuation line: nothing follows '|>'; an empty body is written '|> _'"}
		end := arrow.Span().End
		d.replace("write '_'", true, syntax.Span{Start: end, End: end}, " _")
		l.add(d)
	case l.ends.mustEnd():
		l.noOutcome(h.view.Span(), h.view.Span().End, "this path ends")
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
	unread := bind.Name().Text() == "_" || mentioned(h.view.Node, bind.Name().Text()) == 1
	d.replace("bind nothing", unread, syntax.Span{Start: from, End: bind.Span().End}, "")
	return d
}

// mentioned counts how often a piece of the tree has a word.
func mentioned(n syntax.Node, word string) (times int) {
	words(n.Text(), func(w string) {
		if w == word {
			times++
		}
	})
	return times
}

func unboundPayload(h *handler, payload *Type) Diagnostic {
	name := h.view.Name().Span()
	d := Diagnostic{Code: "KORU030", Span: name,
		Message: "branch '" + h.word + "' carries " + payload.String() + ": bind it with a name, or discard it with '_'"}
	// In programs of May 2026 a payload goes by the name of its outcome.
	if word := h.view.Name().Text(); mentioned(h.view.Node, word) > 1 {
		d.replace("bind it as '"+word+"'", true, syntax.Span{Start: name.End, End: name.End}, " "+word)
		return d
	}
	d.replace("discard it with '_'", true, syntax.Span{Start: name.End, End: name.End}, " _")
	return d
}

// wrongGlyph reports an effect handled as an outcome or the reverse (KORU025).
func (l *lowerer) wrongGlyph(h *handler, o *Outcome) {
	h.wrongGlyph = true
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
