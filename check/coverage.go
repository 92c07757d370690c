package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// group is the handlers of one word at one call.
type group struct {
	guarded, open *Arm // the first of each
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
			d := l.report("KORU053", name, "this arm is never reached: '"+a.Word+"' without a guard stands before it — move it above that one")
			d.note(l.file, armName(g.open).Span(), "this arm takes every '"+a.Word+"'")
			d.moveAbove("move this arm up", false, a.Node, g.open.Node)
		}
		return
	}
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
	d := l.report(code, name, message)
	d.note(l.file, armName(g.open).Span(), "the first one")
	d.removeLines("remove this arm", false, a.Node)
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
		l.noOutcome(v.Path().Span(), -1, "when '"+silent.Name+"' fires, this path ends")
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
			t.meant[u.outcome.Name] = true // one arm takes it from every step
		}
	}
}

// missingArm reports KORU022 with an edit that adds the arm.
func (l *lowerer) missingArm(t *track, c *Call, o *Outcome) {
	v := syntax.CallView{Node: c.Node}
	switch {
	case l.broken, l.file.Module != nil && l.file.Module.prototype:
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
	case declared.Payload == nil && o.Payload != nil:
		l.report("KORU030", v.Path().Span(), fmt.Sprintf("'%s' declares '| %s' without a payload; the body yields %s", owner.Name, o.Name, o.Payload))
	case declared.Payload != nil && (o.Payload == nil || !fitsType(o.Payload, declared.Payload)):
		l.report("KORU030", v.Path().Span(), fmt.Sprintf("'%s' declares '| %s %s'; the body yields %s", owner.Name, o.Name, declared.Payload, typeOrNothing(o.Payload)))
	default:
		l.report("KORU022", v.Path().Span(), fmt.Sprintf("'%s' goes on behind '%s' and does not say what '%s' leads to: accept it with an arm", owner.Name, v.Path().Text(), o.Name))
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
