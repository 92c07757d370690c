package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// debt is a resource that some paths leave owed. It is reported once, at the
// binding that owes it (R23), with every path that forgets it.
type debt struct {
	holding
	choice choice
	ends   []pathEnd
	label  *Jump // the jump that would drop it, or nil
}

// maxForgetful bounds how many forgetting paths a diagnostic points at.
const maxForgetful = 3

// owe notes that a path ends with a debt.
func (w *warden) owe(h *holding, end pathEnd, c choice) {
	for _, d := range w.debts {
		if d.root == h.root && d.label == end.jump && slices.Equal(d.path, h.path) {
			d.ends = append(d.ends, end)
			return
		}
	}
	w.debts = append(w.debts, &debt{holding: *h, choice: c, ends: []pathEnd{end}, label: end.jump})
}

// findings returns everything that was found, debts in the order in which the
// first path forgot them.
func (w *warden) findings() []Diagnostic {
	for _, d := range w.debts {
		w.found = append(w.found, w.wordDebt(d))
	}
	return w.found
}

func (w *warden) wordDebt(d *debt) Diagnostic {
	what := fmt.Sprintf("Resource '%s' obligation <%s>", d.resource(), d.owing())
	takers := d.choice.takers
	var text string
	switch {
	case d.label != nil:
		text = fmt.Sprintf("Label jump '@%s' drops cleanup obligation for '%s' <%s>: pass it as an argument or discharge it before the jump",
			d.label.Label, d.resource(), d.owing())
	case w.insert && len(d.choice.several) > 1:
		takers = d.choice.several
		text = fmt.Sprintf("%s has multiple discharge options: %s. Discharge explicitly.", what, names(takers))
	case len(takers) == 1:
		text = fmt.Sprintf("%s was not discharged. Call: %s", what, names(takers))
	case len(takers) > 1:
		text = fmt.Sprintf("%s was not discharged. Call one of: %s", what, names(takers))
	case len(d.choice.returns) > 0:
		text = fmt.Sprintf("%s was not discharged. No tor accepts <!%s> for good: %s hands it back", what, stateNames(d.states), names(d.choice.returns))
	case d.choice.lenient != nil:
		text = fmt.Sprintf("%s was not discharged. No tor accepts <!%s>: '%s' takes <%[2]s> and leaves it owed, for in a union each state has a mark of its own",
			what, stateNames(d.states), d.choice.lenient.tor.Name)
	default:
		text = fmt.Sprintf("%s was not discharged. No tor accepts <!%s>", what, stateNames(d.states))
		if k := w.who.nearState(d.states[0], d.typ.Name); k != nil {
			return w.misspelledState(d, k, text)
		}
	}
	return Diagnostic{
		Code: "KORU030", File: w.flow.File, Span: w.birthplace(d), Message: text,
		Notes: append(w.mintNote(&d.holding), w.pathNotes(d)...),
		Fixes: w.dischargeFixes(d),
	}
}

// misspelledState words a debt that a verb takes under a state of nearly that name.
func (w *warden) misspelledState(d *debt, k *taker, text string) Diagnostic {
	field := k.tor.Fields[k.field]
	out := Diagnostic{Code: "KORU030", File: w.flow.File, Span: w.birthplace(d), Notes: w.mintNote(&d.holding),
		Message: fmt.Sprintf("%s — did you mean '%s', which '%s' takes?", text, field.Type.Phantom.Raw, k.tor.Name)}
	if d.mint != nil && d.mint.Tor != nil {
		out.declaredIn(d.mint.Tor, d.typ.Node, d.states[0].Name)
	}
	out.declaredIn(k.tor, field.Node, field.Name)
	return out
}

// resource is the name that a diagnostic gives to what is owed: the binding,
// or the field of a record that it is.
func (h *holding) resource() string {
	switch {
	case len(h.path) > 0:
		return h.path[len(h.path)-1]
	case h.root.Name != "":
		return h.root.Name
	}
	return "_"
}

// spelled is how the source names the place, r.d for a field of a record.
func (h *holding) spelled() string {
	name := h.root.Name
	if name == "" {
		name = "_"
	}
	return strings.Join(append([]string{name}, h.path...), ".")
}

// owing prints the state as the declaration spells the debt: open! of what was
// minted, !open of an input.
func (h *holding) owing() string {
	if h.mint == nil {
		return "!" + strings.ReplaceAll(stateNames(h.states), "|", "|!")
	}
	return stateNames(h.states) + "!"
}

func stateNames(states []State) string {
	var b strings.Builder
	for i, s := range states {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(s.Name)
	}
	return b.String()
}

// names lists verbs as M fragments do, by their own names (language.md 13).
func names(takers []*taker) string {
	var list []string
	for _, k := range takers {
		if !slices.Contains(list, k.tor.Name) {
			list = append(list, k.tor.Name)
		}
	}
	return strings.Join(list, ", ")
}

// birthplace is where the debt is reported: at the binding that owes it (R23),
// or at the call whose value nobody binds.
func (w *warden) birthplace(d *debt) syntax.Span {
	n := d.root.Node
	switch {
	case n.Kind() == syntax.Call:
		return calleeSpan(n)
	case n.Kind() == syntax.Arm:
		return syntax.ArmView{Node: n}.Name().Span()
	case n.IsValid() && bindingToken(n).IsValid():
		return bindingToken(n).Span()
	}
	return n.Span()
}

func (w *warden) mintNote(h *holding) []Note {
	if h.mint == nil || h.mint.Tor == nil {
		return nil
	}
	return []Note{{File: w.flow.File, Span: calleeSpan(h.mint.Node),
		Message: fmt.Sprintf("'%s' mints <%s!> here", h.mint.Tor.Name, stateNames(h.states))}}
}

func (w *warden) pathNotes(d *debt) []Note {
	var notes []Note
	for _, end := range d.ends[:min(len(d.ends), maxForgetful)] {
		span, text := end.describe()
		if span.Len() > 0 {
			notes = append(notes, Note{File: w.flow.File, Span: span, Message: fmt.Sprintf(text, d.spelled())})
		}
	}
	if rest := len(d.ends) - maxForgetful; rest > 0 {
		notes[len(notes)-1].Message += fmt.Sprintf(", and so do %d more", rest)
	}
	return notes
}

// describe returns where a path ends and what to say of it.
func (e *pathEnd) describe() (span syntax.Span, text string) {
	switch {
	case e.jump != nil:
		return e.jump.Node.Span(), "this jump leaves '%s' behind"
	case e.arm != nil:
		return e.arm.Node.Span(), "this path ends without discharging '%s'"
	case e.call != nil:
		return calleeSpan(e.call.Node), "a path ends here without discharging '%s', when an outcome that nobody handles fires"
	case e.chain.End != nil:
		return e.chain.End.Node.Span(), "this path ends without discharging '%s'"
	case len(e.chain.Steps) > 0:
		return stepSpan(e.chain.Steps[len(e.chain.Steps)-1]), "this path ends without discharging '%s'"
	}
	return e.chain.Node.Span(), "this path ends without discharging '%s'"
}

// stepSpan is the place of a step: of a call its name, so that a block or an
// argument list of many lines is not underlined.
func stepSpan(s *Step) syntax.Span {
	if s.Kind == CallStep {
		return calleeSpan(s.Node)
	}
	return s.Node.Span()
}

// calleeSpan is the place of a call's name.
func calleeSpan(call syntax.Node) syntax.Span {
	if call.Kind() == syntax.Call {
		if t := (syntax.CallView{Node: call}).Path(); t.IsValid() {
			return t.Span()
		}
	}
	return call.Span()
}

// The faults of single steps.

func (w *warden) report(s *demand, text string, notes ...Note) {
	w.found = append(w.found, Diagnostic{Code: "KORU030", File: w.flow.File, Span: s.span(), Message: text, Notes: notes})
}

// span is where a fault of a demand is reported: at the argument (R23).
func (s *demand) span() syntax.Span {
	if s.node.Kind() == syntax.Call {
		return calleeSpan(s.node)
	}
	return s.node.Span()
}

// place names where the value was going: argument 'h', outcome 'ok', the result.
func (s *demand) place() string {
	if s.name == "" {
		return "the " + s.what
	}
	return fmt.Sprintf("%s '%s'", s.what, strings.TrimPrefix(s.name, "."))
}

func (w *warden) reportMismatch(states []State, how standing, t *Type, s *demand) {
	text := fmt.Sprintf("Phantom state mismatch: expected '%s' but got '%s' for %s", printPhantom(t.Phantom), printStates(states, how == owed), s.place())
	d := Diagnostic{Code: "KORU030", File: w.flow.File, Span: s.span(), Message: text}
	if s.tor != nil && t.Node.IsValid() && s.tor.File != nil && !s.tor.Module.Std {
		d.note(s.tor.File, t.Node.Span(), "'"+s.tor.Name+"' asks for it here")
	}
	w.found = append(w.found, d)
}

func (w *warden) reportUntracked(v operand, t *Type, s *demand) {
	text := fmt.Sprintf("Phantom state mismatch: %s has no tracked phantom state, but <%s> is required", s.place(), t.Phantom.Raw)
	if v.root == nil {
		text += ": a value in that state comes from a call, it cannot be written"
	}
	w.report(s, text)
}

func (w *warden) reportNoDebt(v operand, t *Type, s *demand) {
	ends := "consumes"
	if s.outward {
		ends = "hands on"
	}
	w.report(s, fmt.Sprintf("Phantom state mismatch: %s carries no obligation here, but <%s> %s one: pass a value that this path still owes",
		s.place(), t.Phantom.Raw, ends))
}

func (w *warden) reportDead(h *holding, v operand, at syntax.Node) {
	d := Diagnostic{Code: "KORU030", File: w.flow.File, Span: at.Span(),
		Message: fmt.Sprintf("Use-after-discharge: binding '%s' was already discharged and cannot be used", h.spelled())}
	if h.spent.IsValid() {
		by := "it left here"
		if h.spender != nil {
			by = fmt.Sprintf("'%s' discharged it here", h.spender.Name)
		}
		d.Notes = []Note{{File: w.flow.File, Span: h.spent.Span(), Message: by}}
	}
	w.found = append(w.found, d)
}

// reportSecond words a debt that would have two owners.
func (w *warden) reportSecond(a *Arm) {
	w.found = append(w.found, Diagnostic{Code: "KORU030", File: w.flow.File, Span: armName(a).Span(),
		Message: fmt.Sprintf("'%s' hands over one debt a firing, and the handler before this one has it: handle it in one place", a.Word)})
}

// reportSwallowed words a debt that a catch-all takes without a name for it.
func (w *warden) reportSwallowed(o *Outcome, a *Arm) {
	w.found = append(w.found, Diagnostic{Code: "KORU030", File: w.flow.File, Span: a.Node.FirstToken().Span(),
		Message: fmt.Sprintf("a catch-all has no name for what '%s' hands over, which is owed: handle '%s' in an arm of its own", o.Name, o.Name)})
}

// reportOutside words KORU032: a handler may run any number of times, so it
// may not end a debt that was there before it.
func (w *warden) reportOutside(h *holding, s *demand) {
	w.found = append(w.found, Diagnostic{Code: "KORU032", File: w.flow.File, Span: s.span(),
		Message: fmt.Sprintf("'%s' <%s> is owed from outside this handler, which may run any number of times or not at all: discharge it after the loop", h.spelled(), h.owing()),
		Notes:   w.mintNote(h)})
}

// reportRound words KORU032 for a label: the second round would find nothing.
func (w *warden) reportRound(h *holding, jump *Jump) {
	d := Diagnostic{Code: "KORU032", File: w.flow.File, Span: jump.Node.Span(),
		Message: fmt.Sprintf("'%s' <%s> is owed from outside the loop of '#%s' and discharged inside it: the next round would have nothing to discharge", h.spelled(), h.owing(), jump.Label)}
	if h.spent.IsValid() {
		d.Notes = []Note{{File: w.flow.File, Span: h.spent.Span(), Message: "it was discharged here"}}
	}
	w.found = append(w.found, d)
}

// printPhantom prints what a place demands: one state by its full name, of a
// union every member with its mark.
func printPhantom(p *Phantom) string {
	if p.Var != "" && len(p.Members) == 0 {
		return p.Raw
	}
	if len(p.Members) == 1 {
		return p.Members[0].print()
	}
	var b strings.Builder
	for i, s := range p.Members {
		if i > 0 {
			b.WriteByte('|')
		}
		if s.Consume {
			b.WriteByte('!')
		}
		b.WriteString(s.print())
	}
	return b.String()
}

func printStates(states []State, owed bool) string {
	var b strings.Builder
	for i, s := range states {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(s.print())
		if owed {
			b.WriteByte('!')
		}
	}
	return b.String()
}

// print returns the state with its owner, as diagnostics and ledgers do.
func (s State) print() string { return PrintModule(s.Module) + ":" + s.Name }
