package check

import (
	"github.com/koru-go/koru/syntax"
)

// forms are the verbs of the standard library that are part of the language
// itself (language.md 9.4, 9.6). Any other transform is opaque.
var forms = map[string]Form{
	"std/control:if":       If,
	"std/control:for":      For,
	"std/control:while":    While,
	"std/control:cond":     Cond,
	"std/control:capture":  Capture,
	"std/control:captured": Captured,
	"std/control:const":    Const,
	"std/runtime:register": Register,
	"std/store:new":        StoreNew,
	"std/store:insert":     StoreInsert,
	"std/store:stored":     StoreStored,
	"std/store:take":       StoreTake,
	"std/store:query":      StoreQuery,
	"std/store:sweep":      StoreQuery,
	"std/store:clear":      StoreClear,
	"std/store:stripe":     StoreStripe,
	"std/store:rule":       StoreRule,
	"std/store:watch":      StoreWatch,
	"std/testing:test":     Test,
}

// plainTransforms are transforms of the standard library that run like any
// other verb once their text or condition has been lowered.
var plainTransforms = map[string]specRule{
	"std/io:print":       specRequired,
	"std/io:print.ln":    specRequired,
	"std/io:print.blk":   specRequired,
	"std/io:eprint":      specRequired,
	"std/io:eprint.ln":   specRequired,
	"std/fmt:ln":         specOptional,
	"std/fmt:blk":        specOptional,
	"std/testing:assert": specOptional,
}

func formOf(t *Tor) Form {
	path := t.Path()
	if f, ok := forms[path]; ok {
		return f
	}
	if _, plain := plainTransforms[path]; plain || !t.Has("transform") {
		return Plain
	}
	return Opaque
}

// store reports whether the form is a verb of std/store. What their arms carry
// is made by a transform: programs bind it or leave it, as they need it.
func (f Form) store() bool { return f >= StoreNew && f <= StoreWatch }

// expression lowers the argument of a field that takes the source of an
// expression: what it means is the verb's business.
func (l *lowerer) expression(c *Call, s Supplied) *Expr {
	switch c.Form {
	case If, While:
		e := l.value(s.Value, nil)
		l.condition(e, "'"+c.Tor.Name+"'")
		return e
	case For, Cond:
		return l.value(s.Value, nil)
	case StoreNew, StoreInsert, StoreQuery, StoreClear, StoreStripe, StoreRule, StoreWatch, StoreTake:
		return l.storeNamed(c, s.Value)
	case Plain:
		if rule, ok := plainTransforms[c.Tor.Path()]; ok {
			e := l.printed(s.Value, rule)
			if c.Tor.Name == "assert" {
				l.condition(e, "'assert'")
			}
			return e
		}
	}
	l.touch(s.Value)
	return &Expr{Kind: RawExpr, Node: s.Value, Type: unknown}
}

func (l *lowerer) printed(n syntax.Node, rule specRule) *Expr {
	if n.Kind() == syntax.Template {
		return l.text(n, rule)
	}
	return l.value(n, nil)
}

// carry lowers the block of a call and what its form needs beyond arguments.
func (l *lowerer) carry(c *Call) {
	if !c.Block.IsValid() {
		return
	}
	switch c.Form {
	case Capture:
		l.assigns(c, l.capturedCell)
	case Captured:
		l.assigns(c, l.writtenCell)
	case StoreInsert:
		l.assigns(c, l.insertedColumn)
		l.emptyColumns(c)
	case StoreStored:
		l.assigns(c, l.storedCell)
	case Const, Register, StoreNew, Test:
		// Read where the program's constants, scopes, stores and tests are made.
	case Plain:
		if rule, ok := plainTransforms[c.Tor.Path()]; ok && c.Block.Kind() == syntax.TemplateBlock {
			c.Template = l.template(c.Block, rule)
			return
		}
		l.touch(c.Block)
	default:
		l.touch(c.Block)
	}
}

// assigns lowers an assignment block. target says what an entry writes.
func (l *lowerer) assigns(c *Call, target func(*Call, syntax.AssignView, *Assign) *Type) {
	if c.Block.Kind() != syntax.AssignBlock {
		l.touch(c.Block)
		return
	}
	for n := range c.Block.Children() {
		if n.Kind() != syntax.Assign {
			l.broken = true
			l.touch(n)
			continue
		}
		v := syntax.AssignView{Node: n}
		a := Assign{Node: n, Punned: v.Punned()}
		want := target(c, v, &a)
		l.place = "the value of '" + clip(v.Target().Text()) + "'"
		a.Value = l.value(v.Value(), want)
		if m := fit(a.Value, want); m != nil {
			l.report("KORU082", v.Value().Span(), m.in(clip(v.Target().Text())))
		}
		c.Assigns = append(c.Assigns, a)
	}
}

// capture is a capture whose body is being lowered: the cells that captured may
// write (language.md 9.4).
type capture struct {
	cells *Type
	cell  *Binding // what the body's arm binds: c of `! as c`
}

func (l *lowerer) capturedCell(c *Call, v syntax.AssignView, a *Assign) *Type {
	name := v.Target().Text()
	if a.Punned {
		name = v.Pun()
	}
	if name == "" {
		l.report("KORU164", v.Span(), "a capture gives each value a name: write name: "+clip(v.Target().Text()))
	}
	a.Path = []string{name}
	return nil
}

// cells returns the record of what a capture holds.
func cells(c *Call) *Type {
	t := &Type{Kind: RecordType}
	for _, a := range c.Assigns {
		typ := a.Value.Type
		if typ == wholeType {
			typ = countType
		}
		t.Fields = append(t.Fields, &Field{Name: a.Path[0], Type: typ, Node: a.Node})
	}
	return t
}

// enterCapture opens the capture whose body an arm is, and returns what closes it.
func (l *lowerer) enterCapture(c *Call, a *Arm) func() {
	if c.Form != Capture || !a.Effect {
		return func() {}
	}
	l.captures = append(l.captures, &capture{cells(c), a.Payload})
	return func() { l.captures = l.captures[:len(l.captures)-1] }
}

// captureOf returns the open capture that a binding stands for, or nil.
func (l *lowerer) captureOf(b *Binding) *capture {
	for _, c := range l.captures {
		if c.cell == b {
			return c
		}
	}
	return nil
}

// cell lowers c.name, the value that a captured cell has now.
func (l *lowerer) cell(c *capture, row []syntax.Node) (*Expr, []syntax.Node) {
	n := row[len(row)-1]
	whole := &Expr{Kind: BindingExpr, Node: syntax.Operand(n, 0), Ref: c.cell, Type: c.cells}
	if n.Kind() != syntax.FieldExpr {
		return whole, row
	}
	name := fieldToken(n)
	f := fieldOf(c.cells, name.Text())
	if f == nil {
		return whole, row // reported as a field that the record lacks
	}
	return &Expr{Kind: CaptureExpr, Node: n, Ref: c.cell, Names: []string{f.Name}, Type: f.Type}, row[:len(row)-1]
}

// writtenCell resolves an entry of captured: a cell of an open capture, the
// innermost that has it.
func (l *lowerer) writtenCell(c *Call, v syntax.AssignView, a *Assign) *Type {
	name := v.Target().Text()
	if a.Punned {
		name = v.Pun()
	}
	a.Path = []string{name}
	var names []string
	for i := len(l.captures) - 1; i >= 0; i-- {
		if f := fieldOf(l.captures[i].cells, name); f != nil {
			a.Base = l.captures[i].cell
			return f.Type
		}
		names = append(names, namesOf(l.captures[i].cells.Fields)...)
	}
	d := Diagnostic{Code: "KORU164", Span: v.Target().Span(), Message: "no capture around this place holds '" + clip(name) + "'"}
	if near := l.near(name, func() []string { return names }); near != "" {
		d.suggest(near)
	}
	l.add(d)
	return nil
}

// payloadType returns what an outcome of a call carries. Where a verb of the
// language declares the wildcard, the call itself says what that is.
func (l *lowerer) payloadType(c *Call, o *Outcome, word string) *Type {
	if o.Payload == nil || o.Payload.Kind != WildType {
		return o.Payload
	}
	switch c.Form {
	case For:
		return l.item(c)
	case Cond:
		if len(c.Args) > 0 && c.Args[0].Value != nil {
			if t := c.Args[0].Value.Type; t != wholeType {
				return t
			}
			return countType
		}
	case Capture:
		return cells(c)
	case StoreNew, StoreInsert, StoreTake, StoreQuery, StoreRule, StoreWatch:
		if c.Store != nil {
			return c.Store.payload(c.Form, word)
		}
	}
	return unknown
}

// item returns the type of what a for runs through.
func (l *lowerer) item(c *Call) *Type {
	if len(c.Args) == 0 || c.Args[0].Value == nil {
		return unknown
	}
	switch t := c.Args[0].Value.Type; {
	case !known(t):
		return unknown
	case t.Kind == ListType:
		return orUnknown(t.Elem)
	case t.Kind == TextType:
		return byteType
	default:
		l.report("KORU082", c.Args[0].Value.Node.Span(), "'for' runs through a list or a range, got "+describe(c.Args[0].Value))
		return unknown
	}
}
