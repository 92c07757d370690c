package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// declarations judges the tors that the file declares, each by itself
// (language.md 5, 6).
func (j *judge) declarations() {
	first := int32(0) // number of the first tor of the file
	for _, f := range j.mod.Files {
		if f == j.file {
			break
		}
		first += int32(len(f.outline.tors))
	}
	for k, i := range j.file.outline.tors {
		n := first + int32(k)
		known := j.file.verdict(int(i)) != nil && j.prog.seesTheSame(j.file.outline.marks[i])
		if known && (j.prog.unmoved || j.mod.decls.names[j.file.outline.sketches[i].name] == n) {
			continue
		}
		before := len(*j.out)
		t := j.mod.tor(n)
		j.declared(t)
		switch {
		case len(*j.out) > before || t.broken:
			j.file.pass(int(i), nil)
		case j.file.outline.marks[i]&isStateful == 0:
			j.file.pass(int(i), sound)
		default:
			j.file.pass(int(i), &verdict{takes: takesOf(t)})
		}
	}
}

func (j *judge) declared(t *Tor) {
	contract := j.mod.Files[0] // the .k facet if there is one
	if first := j.mod.declared(t.Name); first != t {
		d := j.fault("PARSE003", t.nameSpan(), fmt.Sprintf("tor '%s' is declared twice in this module", t.Name))
		d.note(first.File, first.nameSpan(), "declared here first")
	}
	if t.Pub && contract != j.file && contract.Syntax.Kind == syntax.Pure && j.file.Syntax.Kind != syntax.Pure {
		j.fault("KORU111", t.nameSpan(), fmt.Sprintf("'%s' is public but stands outside %s: the contract of a module is its .k file — declare it there",
			t.Name, contract.Path))
	}
	if !t.broken {
		j.declaration(t)
	}
}

// declaration judges one tor. It also serves definitions of a session (R36).
func (j *judge) declaration(t *Tor) {
	for _, f := range t.Fields {
		j.input(t, f)
	}
	j.uniqueFields(t.Fields)
	for i, o := range t.Outcomes {
		j.arm(t, o, t.Outcomes[:i])
	}
	if t.Return != nil {
		j.output(t, t.Return, "a return")
	}
	j.outcomeShape(t)
	j.marks(t)
	j.twiceOwed(t)
}

// input judges one field of the tor's input record.
func (j *judge) input(t *Tor, f *Field) {
	j.hostText(f.Type, "a field")
	j.typeNames(f.Type)
	j.states(f.Type, func(s State, in *Type, span syntax.Span) {
		switch {
		case s.Mint && s.Consume:
			j.bothMarks(s, span)
		case s.Mint:
			j.mark(in, span, fmt.Sprintf("'%s!' mints, and an input cannot: write <!%s> to use the value up, <%s> to borrow it", s.Name, s.Name, s.Name),
				"<!%s>")
		}
	})
}

// output judges what an outcome carries or a tor returns.
func (j *judge) output(t *Tor, ty *Type, what string) {
	if ty.Kind == RecordType && !t.Has("transform") && !(t.lone() != nil && len(ty.Fields) < 2) {
		j.recordShape(ty, what)
	}
	j.hostText(ty, what)
	j.typeNames(ty)
	if ty.Kind == WildType && !t.Has("transform") {
		j.fault("PARSE003", ty.Node.Span(), "'*' stands for any payload, which only a [transform] can deliver: name a type")
	}
	j.states(ty, func(s State, in *Type, span syntax.Span) {
		switch {
		case s.Mint && s.Consume:
			j.bothMarks(s, span)
		case s.Consume:
			j.mark(in, span, fmt.Sprintf("'!%s' uses up, and only an input can: write <%s!> to mint, <%s> for a plain state", s.Name, s.Name, s.Name),
				"<%s!>")
		case len(in.Phantom.Members) > 1 && in.Phantom.Var == "" && s == in.Phantom.Members[0]:
			j.fault("KORU033", span, "a union of states belongs to inputs: what leaves a tor is in one state")
		}
	})
}

// arm judges one declared outcome or effect, given those before it.
func (j *judge) arm(t *Tor, o *Outcome, before []*Outcome) {
	name := syntax.ArmDeclView{Node: o.Node}.Name()
	for _, b := range before {
		if b.Name == o.Name && b.Raw == o.Raw {
			d := j.fault("KORU020", name.Span(), fmt.Sprintf("duplicate branch name '%s'", o.Name))
			d.note(nil, syntax.ArmDeclView{Node: b.Node}.Name().Span(), "declared here first")
			d.Notes[0].File = j.file
			d.removeLines("remove this one", false, o.Node)
			break
		}
	}
	if o.Effect && slices.ContainsFunc(before, func(b *Outcome) bool { return !b.Effect }) {
		d := j.fault("KORU023", name.Span(), fmt.Sprintf("effect '%s' stands after an outcome: effects (!) are declared first, then outcomes (|)", o.Name))
		first := before[slices.IndexFunc(before, func(b *Outcome) bool { return !b.Effect })]
		if j.startsLine(o.Node) && j.startsLine(first.Node) {
			d.moveAbove("move it up", true, o.Node, first.Node)
		}
	}
	if o.Payload != nil {
		if o.Effect {
			j.effectPayload(t, o)
		} else {
			j.output(t, o.Payload, "an outcome")
		}
	}
	j.resumes(t, o)
}

// effectPayload judges what an effect fires with: it may mint, one debt a
// firing, but not consume (KORU027).
func (j *judge) effectPayload(t *Tor, o *Outcome) {
	if o.Payload.Kind == RecordType && !t.Has("transform") {
		j.recordShape(o.Payload, "an effect")
	}
	j.hostText(o.Payload, "an effect")
	j.typeNames(o.Payload)
	j.states(o.Payload, func(s State, in *Type, span syntax.Span) {
		if s.Consume {
			j.marked("KORU027", in, span, fmt.Sprintf("effect '%s' hands a value out and cannot use one up: write <%s!> to mint, <%s> to lend", o.Name, s.Name, s.Name), "<%s!>")
		}
	})
}

// resumes judges what the handler of an effect answers: it may consume, but not
// mint (KORU027).
func (j *judge) resumes(t *Tor, o *Outcome) {
	if o.Resume != nil && o.ResumeArms != nil {
		j.fault("PARSE003", syntax.ArmDeclView{Node: o.Node}.Name().Span(),
			fmt.Sprintf("effect '%s' is answered either by a value (->) or by named arms (|), not by both", o.Name))
	}
	answers := o.ResumeArms
	if o.Resume != nil {
		answers = append([]*Outcome{{Payload: o.Resume}}, answers...)
	}
	for _, a := range answers {
		if a.Payload == nil {
			continue
		}
		if a.Payload.Kind == RecordType && !t.Has("transform") {
			j.recordShape(a.Payload, "a resume")
		}
		j.hostText(a.Payload, "a resume")
		j.typeNames(a.Payload)
		j.states(a.Payload, func(s State, in *Type, span syntax.Span) {
			if s.Mint {
				j.marked("KORU027", in, span, fmt.Sprintf("the answer to effect '%s' goes into the tor and cannot mint: write <!%s> to hand it over, <%s> to lend it", o.Name, s.Name, s.Name), "<!%s>")
			}
		})
	}
	for i, a := range o.ResumeArms {
		for _, b := range o.ResumeArms[:i] {
			if a.Name == b.Name {
				j.fault("KORU020", syntax.ResumeView{Node: a.Node}.Name().Span(), fmt.Sprintf("duplicate branch name '%s'", a.Name))
				break
			}
		}
	}
}

// recordShape refuses a record that is a whole outcome and has fewer than two
// fields (language.md 6.1, R42).
func (j *judge) recordShape(ty *Type, what string) {
	j.uniqueFields(ty.Fields)
	span := ty.Node.Span()
	switch len(ty.Fields) {
	case 0:
		if (syntax.TypeView{Node: ty.Node}).Shape().FirstChild().IsValid() {
			return // its fields were not understood
		}
		d := j.fault("PARSE003", span, fmt.Sprintf("%s without payload has no braces: drop them", what))
		start := span.Start
		if text := j.file.Syntax.Text(); start > 0 && text[start-1] == ' ' {
			start--
		}
		d.replace("remove the braces", true, syntax.Span{Start: start, End: span.End}, "")
	case 1:
		f := ty.Fields[0]
		bare := f.Type.Node.Text()
		d := j.fault("PARSE003", span, fmt.Sprintf("%s that carries one value carries it bare: write %s instead of { %s: %s }", what, bare, f.Name, bare))
		d.replace("write "+bare, false, span, bare)
	}
}

// uniqueFields refuses two fields of one name, in a record and in those inside it.
func (j *judge) uniqueFields(fields []*Field) {
	first := byName(fields)
	for _, f := range fields {
		if g := first(f.Name); g != f && f.Name != "" {
			d := j.fault("PARSE003", syntax.FieldView{Node: f.Node}.Name().Span(), fmt.Sprintf("field '%s' is declared twice", f.Name))
			d.note(j.file, syntax.FieldView{Node: g.Node}.Name().Span(), "declared here first")
		}
		j.innerFields(f.Type)
	}
}

func (j *judge) innerFields(ty *Type) {
	for ty.Kind == ListType {
		ty = ty.Elem
	}
	if ty.Kind == RecordType {
		j.uniqueFields(ty.Fields)
	}
}

// outcomeShape judges the arms of a tor together: one way to end is no choice,
// so it is no arm.
func (j *judge) outcomeShape(t *Tor) {
	if t.broken || len(t.Outcomes) == 0 {
		return
	}
	o := t.Outcomes[0]
	if t.Return != nil && t.Branches() {
		for _, o = range t.Outcomes {
			if !o.Effect {
				break
			}
		}
		j.fault("PARSE003", syntax.ArmDeclView{Node: o.Node}.Name().Span(),
			fmt.Sprintf("'%s' returns a value (->) and so ends in no named outcome: declare either", t.Name))
		return
	}
	if t.lone() == nil {
		return
	}
	span := o.Node.Span()
	if o.Payload == nil || o.Payload.Kind == RecordType && len(o.Payload.Fields) == 0 {
		d := j.fault("PARSE003", span, fmt.Sprintf("'%s' is the only outcome and carries nothing: drop it, '%s' is then a tor that just ends", o.Name, t.Name))
		d.replace("remove the outcome", false, j.wholeLine(span), "")
		return
	}
	if o.Payload.Kind == WildType {
		return
	}
	payload := o.Payload.Node.Text()
	if o.Payload.Kind == RecordType && len(o.Payload.Fields) == 1 {
		payload = o.Payload.Fields[0].Type.Node.Text()
	}
	d := j.fault("PARSE003", span, fmt.Sprintf("'%s' is the only outcome, so there is nothing to tell apart: declare '%s' with -> %s", o.Name, t.Name, payload))
	d.replace("write -> "+payload, false, j.wholeLine(span), " -> "+payload)
	d.Fixes[len(d.Fixes)-1].respells = true
}

// lone returns the outcome that is the only way a tor can end, and so tells
// nothing apart, or nil.
func (t *Tor) lone() *Outcome {
	if len(t.Outcomes) != 1 || t.Has("transform") {
		return nil
	}
	if o := t.Outcomes[0]; !o.Effect && !o.Panic && !o.Optional {
		return o
	}
	return nil
}

// startsLine reports whether nothing but blanks stands in front of a node.
func (j *judge) startsLine(n syntax.Node) bool {
	span := j.wholeLine(n.Span())
	return span.Start < n.Span().Start
}

// wholeLine widens a span that starts its line to the line end before it.
func (j *judge) wholeLine(span syntax.Span) syntax.Span {
	text := j.file.Syntax.Text()
	start := span.Start
	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	if start > 0 && text[start-1] == '\n' {
		if start--; start > 0 && text[start-1] == '\r' {
			start--
		}
		return syntax.Span{Start: start, End: span.End}
	}
	return span
}

// marks judges the annotations that only fit certain tors (language.md 10.2).
func (j *judge) marks(t *Tor) {
	for _, a := range t.Annotations {
		switch {
		case a.Name == "transform" && !t.Has("comptime"):
			d := j.fault("PARSE003", a.Node.Span(), "a [transform] runs at compile time and has to say so: write [comptime|transform]")
			d.replace("add comptime", true, syntax.Span{Start: a.Node.Span().Start, End: a.Node.Span().Start}, "comptime|")
		case a.Name == "keyword" && !t.Pub:
			j.fault("PARSE003", a.Node.Span(), fmt.Sprintf("'%s' is a [keyword], visible everywhere, and so must be a 'pub tor'", t.Name))
		case a.Name == "!" && (len(t.Outcomes) > 1 || t.Branches() && t.Return != nil):
			j.fault("KORU083", a.Node.Span(), fmt.Sprintf("[!] marks '%s' as the preferred disposer, but it can end in several outcomes: a call that the compiler inserts has nobody to handle them", t.Name))
		}
	}
}

// twiceOwed refuses a tor that borrows a value in a state and mints the same
// state of the same type: one object could then be owed twice (R93).
func (j *judge) twiceOwed(t *Tor) {
	eachMint(t, func(ty *Type, s State) {
		var borrowed *Field
		for _, f := range t.Fields {
			if f.Type.Phantom == nil || !sameBase(f.Type, ty) {
				continue
			}
			for _, m := range f.Type.Phantom.Members {
				if m.Same(s) && m.Consume {
					return
				}
				if m.Same(s) && borrowed == nil {
					borrowed = f
				}
			}
		}
		if borrowed == nil {
			return
		}
		d := j.fault("KORU033", ty.Node.Span(), fmt.Sprintf(
			"'%s' borrows '%s' in state '%s' and mints the same state: one object could be owed twice — consume it (<!%s>), or return a plain <%s>",
			t.Name, borrowed.Name, s.Name, s.Name, s.Name))
		d.note(j.file, borrowed.Node.Span(), "borrowed here")
	})
}

// eachMint calls f for every state that an outcome or the return of a tor
// mints, with the type that carries it.
func eachMint(t *Tor, f func(ty *Type, s State)) {
	each := func(ty *Type) {
		if ty == nil {
			return
		}
		mintsOf(ty, f)
		for _, field := range ty.Fields {
			mintsOf(field.Type, f)
		}
	}
	each(t.Return)
	for _, o := range t.Outcomes {
		if !o.Effect {
			each(o.Payload)
		}
	}
}

func mintsOf(ty *Type, f func(ty *Type, s State)) {
	if ty.Phantom == nil {
		return
	}
	for _, s := range ty.Phantom.Members {
		if s.Mint {
			f(ty, s)
		}
	}
}

// sameBase reports whether two types have the same base, whatever their state.
func sameBase(a, b *Type) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Owner == b.Owner
}

// states calls f for every member of every possession label in a type, with the
// part of the type that carries the label and the range of the member.
func (j *judge) states(ty *Type, f func(s State, in *Type, span syntax.Span)) {
	if p := ty.Phantom; p != nil {
		i := 0
		for v := range (syntax.TypeView{Node: ty.Node}).Phantom().States() {
			name := v.Name().Text()
			if strings.HasSuffix(name, "'") || name == "" || name == "_" {
				continue
			}
			if i < len(p.Members) {
				f(p.Members[i], ty, v.Span())
				i++
			}
		}
	}
	if ty.Elem != nil {
		j.states(ty.Elem, f)
	}
	for _, field := range ty.Fields {
		j.states(field.Type, f)
	}
}

func (j *judge) bothMarks(s State, span syntax.Span) {
	j.fault("KORU033", span, fmt.Sprintf("'!%s!' uses up and mints at once: a state carries one mark", s.Name))
}

// mark reports a mark on the wrong side of a state (KORU033); form is how the
// label is to be written, with %s for the state.
func (j *judge) mark(ty *Type, span syntax.Span, message, form string) {
	j.marked("KORU033", ty, span, message, form)
}

func (j *judge) marked(code string, ty *Type, span syntax.Span, message, form string) {
	d := j.fault(code, span, message)
	want := fmt.Sprintf(form, strings.Trim(j.file.Syntax.Text()[span.Start:span.End], "!"))
	if len(ty.Phantom.Members) == 1 {
		d.replace("write "+want, false, syntax.TypeView{Node: ty.Node}.Phantom().Span(), want)
	}
}

// hostText refuses the host's spelling of text where Koru has one of its own.
func (j *judge) hostText(ty *Type, what string) {
	switch {
	case ty.Kind == TextType && ty.Name == "[]const u8":
		d := j.fault("PARSE003", ty.Node.Span(), fmt.Sprintf("%s that holds text is a string: write string instead of []const u8", what))
		text := ty.Node.Text()
		if strings.HasPrefix(strings.TrimLeft(text, "?"), "[]const u8") {
			d.replace("write string", true, ty.Node.Span(), strings.Replace(text, "[]const u8", "string", 1))
		}
	case ty.Kind == ListType:
		j.hostText(ty.Elem, what)
	}
	for _, f := range ty.Fields {
		j.hostText(f.Type, "a field")
	}
}

// typeNames reports types of modules that this module does not import.
func (j *judge) typeNames(ty *Type) {
	if ty.Elem != nil {
		j.typeNames(ty.Elem)
	}
	for _, f := range ty.Fields {
		j.typeNames(f.Type)
	}
	if ty.Module == "" || ty.Owner != nil || j.mod.missing[ty.Module] || ty.Kind == InjectedType {
		return
	}
	name := syntax.TypeView{Node: ty.Node}.Path()
	problem := Problem{Code: "KORU040", Message: fmt.Sprintf("unknown type '%s:%s' — the module '%s' is not imported", ty.Module, ty.Name, ty.Module)}
	if near := Nearest(ty.Module, j.mod.importPaths()); near != "" {
		problem.Message = fmt.Sprintf("unknown type '%s:%s'", ty.Module, ty.Name)
		problem.Near = near + ":" + ty.Name
	} else if j.prog.Module(ty.Module) != nil || j.prog.std(ty.Module) != nil {
		problem.Import = ty.Module
	}
	j.add(problem.At(j.file, name.Span()))
}
