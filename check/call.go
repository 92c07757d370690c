package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Supplied is an argument matched to the field of the verb that it fills.
type Supplied struct {
	Field  *Field
	Value  syntax.Node
	Node   syntax.Node // the argument as written; the zero Node if the field is not supplied
	Punned bool
}

// Dialect says by which rules arguments are read.
type Dialect uint8

// The dialects of a call.
const (
	InFile Dialect = iota // labels, puns, and the bare argument that fills expr
	OnWire                // every argument has its label (R46)
)

// JudgeFields matches the arguments of a call to the fields of the verb, which
// the call names as verb (language.md 8.1). The result holds one entry a field,
// in declared order. Unknown and repeated labels (KORU081), redundant ones
// (PARSE005) and values that name no field (PARSE006) are findings; what is
// missing is for [Missing] to say, since a value may still be threaded in.
func JudgeFields(tor *Tor, verb string, args syntax.Node, dialect Dialect) ([]Supplied, []Diagnostic) {
	m := matcher{tor: tor, verb: verb, dialect: dialect, supplied: make([]Supplied, len(tor.Fields))}
	for i, f := range tor.Fields {
		m.supplied[i].Field = f
	}
	for c := range args.ChildrenOf(syntax.Arg) {
		v := syntax.ArgView{Node: c}
		if v.Value().IsValid() || v.Has(syntax.Text) { // the title of a test is plain words
			m.match(v)
		}
	}
	return m.supplied, m.faults
}

type matcher struct {
	tor      *Tor
	verb     string
	dialect  Dialect
	supplied []Supplied
	faults   []Diagnostic
}

func (m *matcher) match(v syntax.ArgView) {
	if label := v.Label(); label.IsValid() {
		m.labelled(v, label)
		return
	}
	pun := punned(v.Value())
	switch i := m.field(pun); {
	case pun != "" && i >= 0 && !m.filled(i):
		m.fill(i, v, true)
	case m.fillExpression(v):
	case pun != "" && i >= 0:
		m.twice(pun, v.Span())
	case pun != "":
		m.unknown(pun, v.Value().Span(), true)
	case m.dialect == InFile:
		m.faults = append(m.faults, m.needsLabel(v))
	}
}

// punned returns the name that a bare value puns to: the last segment of a path
// of names, which may lead through a row of a store (orders[0].qty).
func punned(n syntax.Node) string {
	last := ""
	for depth := 0; depth < longest; depth++ {
		switch n.Kind() {
		case syntax.NameExpr:
			if last == "" && depth == 0 {
				last = n.Text()
			}
			return last
		case syntax.FieldExpr:
			name := n.Token(syntax.Name)
			if !name.IsValid() {
				return ""
			}
			if last == "" {
				last = name.Text()
			}
		case syntax.IndexExpr:
			if last == "" {
				return ""
			}
		default:
			return ""
		}
		n = n.FirstChild()
	}
	return ""
}

func (m *matcher) labelled(v syntax.ArgView, label syntax.Token) {
	name := label.Text()
	i := m.field(name)
	switch {
	case i < 0:
		m.unknown(name, label.Span(), false)
		return
	case m.filled(i):
		m.twice(name, label.Span())
		return
	}
	if m.dialect == InFile && v.Pun() == name {
		m.faults = append(m.faults, RedundantLabel(label, v.Value()))
	}
	m.fill(i, v, false)
}

func (m *matcher) field(name string) int {
	for i, f := range m.tor.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

func (m *matcher) filled(i int) bool { return m.supplied[i].Node.IsValid() }

func (m *matcher) fill(i int, v syntax.ArgView, punned bool) {
	m.supplied[i].Value, m.supplied[i].Node, m.supplied[i].Punned = v.Value(), v.Node, punned
}

// fillExpression gives the first argument that names no field to the field
// expr, if the verb takes the source of an expression there.
func (m *matcher) fillExpression(v syntax.ArgView) bool {
	i := m.field("expr")
	if m.dialect != InFile || i < 0 || m.tor.Fields[i].Type.Kind != ExprType || m.filled(i) {
		return false
	}
	m.fill(i, v, false)
	return true
}

func (m *matcher) twice(name string, span syntax.Span) {
	m.faults = append(m.faults, Diagnostic{
		Code: "KORU081", Sub: "duplicate", Span: span,
		Message: "the field '" + name + "' of '" + m.verb + "' is given twice",
	})
}

// unknown reports a name that is no field. For a pun the mend is a label.
func (m *matcher) unknown(name string, span syntax.Span, pun bool) {
	d := Diagnostic{Code: "KORU081", Span: span, Message: NoInput(m.tor, m.verb, name)}
	var open, free []string // fields without a value, and those that are for a flow to fill
	for i, f := range m.tor.Fields {
		if m.filled(i) {
			continue
		}
		open = append(open, f.Name)
		if f.Type.Kind != InjectedType && f.Type.Kind != SourceType {
			free = append(free, f.Name)
		}
	}
	near := Nearest(name, open)
	if i := m.field(near); i >= 0 {
		d.declaredIn(m.tor, m.tor.Fields[i].Node, near)
	}
	switch {
	case near != "" && pun:
		d.Message += didYouMean(near)
		d.replace("label it '"+near+"'", false, syntax.Span{Start: span.Start, End: span.Start}, near+": ")
	case near != "":
		d.suggest(near)
	case pun && len(free) == 1:
		d.replace("label it '"+free[0]+"'", false, syntax.Span{Start: span.Start, End: span.Start}, free[0]+": ")
	case len(free) == 1:
		d.replace("change to '"+free[0]+"'", false, span, free[0])
	}
	m.faults = append(m.faults, d)
}

// NoInput words the use of a field that a verb does not have (KORU081).
func NoInput(tor *Tor, verb, name string) string {
	message := "'" + verb + "' has no field '" + name + "'"
	if len(tor.Fields) == 0 {
		return message + ": it takes no input"
	}
	return message + " (fields: " + inputNames(tor.Fields) + ")"
}

// inputNames lists the fields of a verb; those that may be left out have a ? in
// front, as in its vocabulary.
func inputNames(fields []*Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
		if !f.Required() {
			names[i] = "?" + f.Name
		}
	}
	return enumerate(names)
}

// needsLabel reports a bare argument that is no path of names (PARSE006).
func (m *matcher) needsLabel(v syntax.ArgView) Diagnostic {
	d := Diagnostic{Code: "PARSE006", Span: v.Span()}
	var free []string
	for i, f := range m.tor.Fields {
		if !m.filled(i) && f.Required() {
			free = append(free, f.Name)
		}
	}
	label := "field"
	if len(free) == 1 {
		label = free[0]
		d.replace("label it '"+label+"'", false, syntax.Span{Start: v.Span().Start, End: v.Span().Start}, label+": ")
	}
	d.Message = "this argument names no field of '" + m.verb + "': write " + label + ": " + clip(v.Value().Text())
	return d
}

// RedundantLabel is the finding for a label that says what the value says
// already: turn(br: br) is turn(br) (PARSE005).
func RedundantLabel(label syntax.Token, value syntax.Node) Diagnostic {
	d := Diagnostic{
		Code: "PARSE005", Span: syntax.Span{Start: label.Span().Start, End: value.Span().End},
		Message: "redundant explicit label '" + label.Text() + "': the value names its field, write " + value.Text(),
	}
	d.replace("drop the label", true, syntax.Span{Start: label.Span().Start, End: value.Span().Start}, "")
	return d
}

// Missing is the finding for a field that a call must supply and does not
// (KORU080).
func Missing(verb string, f *Field, at syntax.Span) Diagnostic {
	return Diagnostic{
		Code: "KORU080", Span: at,
		Message: "'" + verb + "' requires input '" + f.Name + "' (" + f.Type.String() + ")",
	}
}

// call lowers one invocation: what it calls, with what, in which form.
func (l *lowerer) call(v syntax.CallView, thread *Binding) *Call {
	c := &Call{Node: v.Node, Variant: v.Variant(), Label: v.Label().Text()}
	outer := l.with
	defer func() { l.with = outer }()
	opened, faults := l.names.With(v.Node, v.Path().Text())
	l.with = append(outer[:len(outer):len(outer)], opened...)
	for _, d := range faults {
		l.add(d)
	}
	if c.Label != "" {
		l.anchor(c)
	}
	if block := v.Block(); block.IsValid() {
		c.Block = block
	}
	if fault := v.Child(syntax.ErrorNode); fault.IsValid() {
		l.touch(v.Node)
		return c
	}
	if c.Tor = l.verb(v); c.Tor == nil {
		l.touch(v.ArgList())
		l.touch(c.Block)
		return c
	}
	if len(c.Tor.Fields) > 0 && !v.ArgList().IsValid() && !v.Block().IsValid() && !before(v.FirstToken(), syntax.PipeArrow).IsValid() {
		l.add(unparenthesized(v))
		l.broken = true
		c.Tor = nil
		return c
	}
	if c.Form = formOf(c.Tor); c.Form == Opaque {
		l.touch(v.ArgList())
		l.touch(c.Block)
		return c
	}
	l.fields(c, v, thread)
	l.carry(c)
	return c
}

// unparenthesized is the finding for a call of a verb with inputs that is just a
// name and is no step behind a |>, where the value of the step before fills it
// (language.md 8.1).
func unparenthesized(v syntax.CallView) Diagnostic {
	name := v.Path()
	d := Diagnostic{Code: "PARSE001", Span: name.Span(), Message: "a call has its arguments in parentheses: write " + name.Text() + "()"}
	d.replace("write "+name.Text()+"()", true, syntax.Span{Start: name.Span().End, End: name.Span().End}, "()")
	return d
}

// verb resolves the callee and reports one that is not there.
func (l *lowerer) verb(v syntax.CallView) *Tor {
	path := v.Path()
	if !path.IsValid() {
		l.broken = true
		return nil
	}
	tor, problem := l.names.Verb(path.Text(), l.with)
	if problem == nil {
		if tor.Broken() {
			return nil
		}
		return tor
	}
	if problem.Known || l.constructs(v) {
		return nil
	}
	l.add(problem.At(l.file, path.Span()))
	return nil
}

// constructs reports `|> refused`, the removed way to construct an outcome of
// the flow's owner (KORU103, language.md 7.4).
func (l *lowerer) constructs(v syntax.CallView) bool {
	name := v.Path().Text()
	owner := l.flow.Owner
	if owner != nil && producesBlock(owner, v) {
		l.add(l.producesValue(v))
		return true
	}
	if owner == nil || v.ArgList().IsValid() || owner.Outcome(name) == nil {
		return false
	}
	d := Diagnostic{Code: "KORU103", Span: v.Path().Span(),
		Message: "'|>' introduces a step, not a value: construct the outcome with '=> " + name + "'"}
	if arrow := before(v.FirstToken(), syntax.PipeArrow); arrow.IsValid() {
		d.replace("construct with =>", true, arrow.Span(), "=>")
	}
	l.add(d)
	return true
}

// producesBlock reports whether a call is the removed way to end a tor that
// delivers a record, under a name that it once had: `|> response { … }`
// (language.md 16.21). Of a host's type nobody knows the fields, but its name.
func producesBlock(owner *Tor, v syntax.CallView) bool {
	if owner.Return == nil || owner.Branches() || v.ArgList().IsValid() || !v.Block().IsValid() {
		return false
	}
	named := owner.Return.Kind == HostType && strings.EqualFold(owner.Return.Name, v.Path().Text())
	if owner.Return.Kind != RecordType && !named {
		return false
	}
	f := syntax.Parse("a.k", syntax.Pure, "f -> "+v.Block().Text()+"\n")
	value := syntax.ImplView{Node: f.Item(0)}.Produce().Value()
	if value.Kind() != syntax.RecordExpr {
		return false
	}
	given := 0
	for c := range value.ChildrenOf(syntax.RecordField) {
		name := syntax.RecordFieldView{Node: c}.Label().Text()
		if name == "" {
			name = syntax.RecordFieldView{Node: c}.Pun()
		}
		if name == "" || !named && fieldOf(owner.Return, name) == nil {
			return false
		}
		given++
	}
	return given > 0
}

func (l *lowerer) producesValue(v syntax.CallView) Diagnostic {
	d := Diagnostic{Code: "KORU103", File: l.file, Span: v.Path().Span(),
		Message: "'|>' introduces a step, not a value: '" + l.flow.Owner.Name + "' delivers its record without a name, produce it with '-> { … }'"}
	if arrow := before(v.FirstToken(), syntax.PipeArrow); arrow.IsValid() {
		d.replace("produce with ->", true, syntax.Span{Start: arrow.Span().Start, End: v.Block().Span().Start}, "-> ")
	}
	l.touch(v.Block())
	return d
}

// fields fills the arguments of a call, one a field, and judges them.
func (l *lowerer) fields(c *Call, v syntax.CallView, thread *Binding) {
	verb := v.Path().Text()
	_, verb = syntax.SplitPath(verb)
	supplied, faults := JudgeFields(c.Tor, verb, v.ArgList(), InFile)
	for _, d := range faults {
		if d.Code != "PARSE005" || !l.session {
			l.add(d)
		}
	}
	faulty := len(faults) > 0 || v.ArgList().Child(syntax.ErrorNode).IsValid()
	c.Args = make([]Arg, len(supplied))
	for i, s := range supplied {
		c.Args[i] = Arg{Field: s.Field, Punned: s.Punned, Node: s.Node}
		if s.Node.IsValid() {
			c.Args[i].Value = l.argument(c, s)
		}
	}
	if len(faults) > 0 {
		l.touch(v.ArgList()) // names in arguments that fill no field are used all the same
	}
	home := l.threadInto(c, v, thread, faulty)
	if c.Tor.Has("norun") || faulty {
		return
	}
	for i := range c.Args {
		a := &c.Args[i]
		if !a.Field.Required() || a.Node.IsValid() || a.Threaded != nil || home {
			continue
		}
		l.add(l.missing(c, v, verb, a.Field))
	}
}

// missing is KORU080 with an edit that adds the field: as a pun if a value of
// that name is at hand, from the only value that can be meant, or with an empty
// literal that is still to be filled in.
func (l *lowerer) missing(c *Call, v syntax.CallView, verb string, f *Field) Diagnostic {
	d := Missing(verb, f, v.Path().Span())
	l.supply(&d, f, v.Node, v.ArgList(), v.Path().Span().End)
	return d
}

// supply offers to give a field to the argument list of a call or a jump, or to
// begin one behind the name of what is called, which ends at an offset.
func (l *lowerer) supply(d *Diagnostic, f *Field, call, list syntax.Node, name int) {
	value := ""
	b := l.visible.lookup(f.Name)
	bound := b != nil && fitsType(b.Type, f.Type)
	switch only := l.onlyFor(f.Type); {
	case bound:
		b.mention(call) // one fault, one finding
		d.Message += " — '" + f.Name + "' is bound here, name it"
	case only != nil:
		only.mention(call)
		d.Message += " — '" + only.Name + "' is one"
		value = only.Name
	case spellable(f.Type):
		value = blank(f.Type)
	default:
		return
	}
	text := f.Name
	if value != "" {
		text += ": " + value
	}
	at := list.Span().End - 1
	switch {
	case !list.IsValid():
		at = name
		text = "(" + text + ")"
	case list.FirstChild().IsValid():
		text = ", " + text
	}
	d.File = l.file
	d.replace("supply '"+f.Name+"'", bound, syntax.Span{Start: at, End: at}, text)
}

// onlyFor returns the only visible binding whose value can fill a field of type
// t, where that tells something: the type is a handle or carries a state.
func (l *lowerer) onlyFor(t *Type) (only *Binding) {
	if !t.IsCapability() && t.Phantom == nil {
		return nil
	}
	for _, name := range l.visible.list() {
		b := l.visible.lookup(name)
		switch {
		case !known(b.Type) || !fitsType(b.Type, t) || b.Type.Optional && !t.Optional:
		case t.Phantom != nil && (b.Type.Phantom == nil || !accepts(t.Phantom, b.Type.Phantom.Members)):
		case only != nil && only != b:
			return nil
		default:
			only = b
		}
	}
	return only
}

// spellable reports whether a value of the type can be written down.
func spellable(t *Type) bool {
	switch t.Kind {
	case TextType, BoolType, IntType, FloatType, ListType, ChoiceType:
		return t.Phantom == nil
	case RecordType:
		for _, f := range t.Fields {
			if !spellable(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// blank returns a literal that stands for a value to be written.
func blank(t *Type) string {
	switch t.Kind {
	case BoolType:
		return "false"
	case IntType:
		return "0"
	case FloatType:
		return "0.0"
	case ListType:
		return "[]"
	case RecordType:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + blank(f.Type)
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case ChoiceType:
		if len(t.Choices) > 0 {
			return `"` + t.Choices[0] + `"`
		}
	}
	return `""`
}

// argument lowers the value of one field and judges it against the field's type.
func (l *lowerer) argument(c *Call, s Supplied) *Expr {
	l.place = "argument '" + s.Field.Name + "'"
	if s.Field.Type.Kind == ExprType {
		return l.expression(c, s)
	}
	if s.Value.Kind() == syntax.Template && rawSource(c.Tor, s.Field) {
		// The source of a reply is filled when it runs, not by the host (R30).
		text := unquote(s.Value.Text())
		return &Expr{Kind: LiteralExpr, Node: s.Value, Type: textType, Lit: Literal{Kind: TextLit, Text: text}}
	}
	e := l.value(s.Value, s.Field.Type)
	l.judge(e, s.Field.Takes(), s)
	return e
}

// rawSource reports whether a text field is source for a session.
func rawSource(t *Tor, f *Field) bool {
	if f.Name != "source" || t.Module == nil {
		return false
	}
	switch t.Module.Path {
	case "std/bridge", "std/runtime", "std/interpreter":
		return true
	}
	return false
}

// judge reports a value that does not fit its field (KORU082; KORU038 for a
// record that was meant to be the field it holds).
func (l *lowerer) judge(e *Expr, t *Type, s Supplied) {
	m := fit(e, t)
	if m == nil || l.session && e.Kind == BindingExpr && e.Ref.Kind == ParamBinding && e.Type.Kind == TextType && t.IsCapability() {
		return
	}
	if s.Punned && e.Type.Kind == RecordType {
		if f := fieldOf(e.Type, s.Field.Name); f != nil && fitsType(f.Type, t) {
			path := s.Value.Text() + "." + s.Field.Name
			d := Diagnostic{Code: "KORU038", Span: s.Value.Span(),
				Message: "'" + s.Value.Text() + "' is the whole record: its field '" + s.Field.Name + "' is meant, write " + path}
			d.replace("use the field", true, s.Value.Span(), path)
			l.add(d)
			return
		}
	}
	d := Diagnostic{Code: "KORU082", Span: s.Value.Span(), Message: m.in(s.Field.Name)}
	if t.Kind == ChoiceType && e.Kind == LiteralExpr && e.Lit.Kind == TextLit {
		if near := Nearest(e.Lit.Text, t.Choices); near != "" {
			d.Message += didYouMean(near)
			d.replace("change to \""+near+"\"", false, s.Value.Span(), `"`+near+`"`)
		}
	}
	d.requote(e, t)
	l.add(d)
}

// threadInto gives the value of the step before a home among the fields that
// are still open (language.md 8.3). It reports whether the call is in order as
// far as missing fields go: a thread without a home has been reported.
func (l *lowerer) threadInto(c *Call, v syntax.CallView, thread *Binding, faulty bool) bool {
	switch thread {
	case nil:
		return false
	case adrift:
		return true
	}
	var required, optional []int
	for i, a := range c.Args {
		if a.Node.IsValid() || !threads(thread.Type, a.Field.Type) {
			continue
		}
		if a.Field.Required() {
			required = append(required, i)
		} else {
			optional = append(optional, i)
		}
	}
	homes := required
	if len(homes) == 0 {
		homes = optional
	}
	verb := v.Path().Text()
	switch {
	case len(homes) == 1:
		c.Args[homes[0]].Threaded = thread
		thread.use(v.Node)
		return false
	case faulty:
		return true
	case len(homes) == 0:
		l.report("KORU092", v.Path().Span(), "the value of the step before ("+thread.Type.String()+") has no home: '"+verb+
			"' has no open field that takes it — bind it with ': name', or ': _' to drop it")
	default:
		names := make([]string, len(homes))
		for i, h := range homes {
			names[i] = c.Args[h].Field.Name
		}
		l.report("KORU093", v.Path().Span(), "the value of the step before ("+thread.Type.String()+") fits several fields of '"+verb+"': "+
			strings.Join(names, ", ")+" — bind it with ': name' and write the field")
	}
	return true
}

// threads reports whether a field takes a value that threads on.
func threads(from, to *Type) bool {
	switch to.Kind {
	case ExprType, SourceType, InjectedType:
		return false
	}
	return fitsType(from, to)
}
