package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// longest is how many operators or path steps in a row an expression may have.
// The parser bounds how deep brackets nest; a row of operators is a deep tree
// too, and everything that walks expressions relies on this bound.
const longest = 1000

// value lowers an expression. want is the declared type it will be judged
// against, or nil; the judging is the caller's.
func (l *lowerer) value(n syntax.Node, want *Type) *Expr {
	switch n.Kind() {
	case syntax.Literal:
		return literal(n)
	case syntax.Template:
		return l.text(n, specOptional)
	case syntax.NameExpr, syntax.FieldExpr, syntax.IndexExpr, syntax.DerefExpr:
		return l.path(n)
	case syntax.UnaryExpr:
		return l.unary(n)
	case syntax.BinaryExpr:
		return l.binary(n)
	case syntax.CondExpr:
		return l.conditional(n, want)
	case syntax.ParenExpr:
		return l.value(n.FirstChild(), want)
	case syntax.RangeExpr:
		return l.rangeOf(n)
	case syntax.RecordExpr:
		return l.record(n, want)
	case syntax.ListExpr:
		return l.list(n, want)
	case syntax.TypedExpr:
		return l.typed(n)
	case syntax.BuiltinExpr:
		return l.builtin(n)
	case syntax.CallExpr:
		l.nestedCall(n)
		return l.brokenExpr(n)
	case syntax.HostExpr:
		l.touch(n)
		return &Expr{Kind: HostOf, Node: n, Type: unknown}
	}
	if l.splice.IsValid() {
		l.brokenSplice()
	} else {
		l.broken = true
	}
	return l.brokenExpr(n)
}

func (l *lowerer) brokenExpr(n syntax.Node) *Expr {
	l.touch(n)
	return &Expr{Kind: BrokenExpr, Node: n, Type: unknown}
}

// nestedCall reports a call inside an expression (KORU104; in a splice KORU168).
func (l *lowerer) nestedCall(n syntax.Node) {
	name := syntax.Operand(n, 0).Text()
	if l.splice.IsValid() {
		l.report("KORU168", l.splice.Span(), quoteSplice(l.splice)+" — a splice shows a value, it calls nothing: call '"+name+"' in a step before and bind the result")
		return
	}
	l.report("KORU104", n.Span(), "nested call in "+l.place+": call '"+name+"' in a step of its own, bind the result and use that")
}

// literal decodes a number, a character, a text, a truth value or null.
func literal(n syntax.Node) *Expr {
	e := &Expr{Kind: LiteralExpr, Node: n}
	t := n.FirstToken()
	switch t.Kind() {
	case syntax.Int:
		e.Lit, e.Type = Literal{Kind: IntLit, Text: strings.ReplaceAll(t.Text(), "_", "")}, wholeType
	case syntax.Float:
		e.Lit, e.Type = Literal{Kind: FloatLit, Text: strings.ReplaceAll(t.Text(), "_", "")}, floatType
	case syntax.Char:
		e.Lit, e.Type = Literal{Kind: IntLit, Text: charCode(t.Text())}, wholeType
	case syntax.String:
		e.Lit, e.Type = Literal{Kind: TextLit, Text: unquote(t.Text())}, textType
	default:
		switch t.Text() {
		case "true", "false":
			e.Lit, e.Type = Literal{Kind: BoolLit, Bool: t.Text() == "true"}, boolType
		case "null":
			e.Lit, e.Type = Literal{Kind: NullLit}, nullType
		default:
			e.Kind, e.Type = BrokenExpr, unknown
		}
	}
	return e
}

// spine collects a row of nodes that lean to the left, outermost first, and the
// node they start from. It reports a row that is too long and returns nil then.
func (l *lowerer) spine(n syntax.Node, in func(syntax.Kind) bool) (row []syntax.Node, base syntax.Node) {
	for in(n.Kind()) {
		if len(row) == longest {
			l.report("PARSE001", n.Span(), "this expression is too long: at most 1000 operators in a row are understood — split this up")
			return nil, syntax.Node{}
		}
		row = append(row, n)
		n = syntax.Operand(n, 0)
	}
	return row, n
}

func (l *lowerer) binary(n syntax.Node) *Expr {
	row, base := l.spine(n, func(k syntax.Kind) bool { return k == syntax.BinaryExpr })
	if row == nil {
		return l.brokenExpr(n)
	}
	e := l.value(base, nil)
	for i := len(row) - 1; i >= 0; i-- {
		e = l.operate(row[i], e, l.value(syntax.Operand(row[i], 1), nil))
	}
	return e
}

// glyph maps the operators that are words to the glyphs they stand for.
func glyph(t syntax.Token) syntax.Kind {
	switch t.Text() {
	case "and":
		return syntax.AmpAmp
	case "or":
		return syntax.PipePipe
	case "orelse":
		return syntax.Question
	case "not":
		return syntax.Bang
	}
	return t.Kind()
}

// operate types a binary operation. Only operands of known kinds are judged.
func (l *lowerer) operate(n syntax.Node, x, y *Expr) *Expr {
	op := syntax.Operator(n)
	e := &Expr{Kind: BinaryOp, Node: n, Op: glyph(op), X: x, Y: y, Type: unknown}
	if !y.Node.IsValid() {
		return e
	}
	switch e.Op {
	case syntax.AmpAmp, syntax.PipePipe:
		l.want(x, boolType, op)
		l.want(y, boolType, op)
		e.Type = boolType
	case syntax.Question:
		e.Type = y.Type
		if !known(y.Type) && x.Type != nil {
			plain := *x.Type
			plain.Optional = false
			e.Type = &plain
		}
	case syntax.EqualEqual, syntax.NotEqual:
		if !comparables(x.Type, y.Type) {
			l.report("KORU082", op.Span(), "'"+op.Text()+"' compares values of one kind, found "+x.Type.String()+" and "+y.Type.String())
		}
		e.Type = boolType
	case syntax.Less, syntax.Greater, syntax.LessEqual, syntax.GreaterEqual:
		if !ordered(x.Type) || !ordered(y.Type) || !comparables(x.Type, y.Type) {
			l.report("KORU082", op.Span(), "'"+op.Text()+"' orders numbers or texts, found "+x.Type.String()+" and "+y.Type.String())
		}
		e.Type = boolType
	case syntax.PlusPlus:
		e.Type = x.Type
		if !joinable(x.Type) || !joinable(y.Type) {
			l.report("KORU082", op.Span(), "'++' joins texts or lists, found "+x.Type.String()+" and "+y.Type.String())
		}
	default:
		e.Type = l.arithmetic(op, x, y)
	}
	return e
}

// want judges an operand against the type its operator works on.
func (l *lowerer) want(e *Expr, t *Type, op syntax.Token) {
	if known(e.Type) && !fitsType(e.Type, t) {
		l.report("KORU082", e.Node.Span(), "'"+op.Text()+"' wants "+t.String()+", got "+describe(e))
	}
}

func number(t *Type) bool { return t.Kind == IntType || t.Kind == FloatType }

func comparables(x, y *Type) bool {
	if !known(x) || !known(y) || number(x) && number(y) {
		return true
	}
	return fitsType(x, y) || fitsType(y, x)
}

func ordered(t *Type) bool { return !known(t) || number(t) || t.Kind == TextType }

func joinable(t *Type) bool {
	return !known(t) || t.Kind == TextType || t.Kind == ChoiceType || t.Kind == ListType
}

func (l *lowerer) arithmetic(op syntax.Token, x, y *Expr) *Type {
	for _, e := range []*Expr{x, y} {
		if known(e.Type) && !number(e.Type) {
			hint := ""
			if op.Kind() == syntax.Plus && e.Type.Kind == TextType {
				hint = " — '++' joins texts"
			}
			l.report("KORU082", op.Span(), "'"+op.Text()+"' works on numbers, found "+describe(e)+hint)
			return unknown
		}
	}
	switch {
	case !known(x.Type) || !known(y.Type):
		return unknown
	case x.Type.Kind == FloatType && y.Type != floatType:
		return x.Type
	case y.Type.Kind == FloatType:
		return y.Type
	case x.Type == wholeType:
		return y.Type
	}
	return x.Type
}

func (l *lowerer) unary(n syntax.Node) *Expr {
	op := syntax.Operator(n)
	e := &Expr{Kind: UnaryOp, Node: n, Op: glyph(op), X: l.value(syntax.Operand(n, 0), nil)}
	switch e.Op {
	case syntax.Bang:
		l.want(e.X, boolType, op)
		e.Type = boolType
	case syntax.Minus:
		e.Type = e.X.Type
		if known(e.Type) && !number(e.Type) {
			l.report("KORU082", op.Span(), "'-' works on numbers, found "+describe(e.X))
			e.Type = unknown
		}
	default: // & takes a host address: the value stays what it is
		return e.X
	}
	return e
}

func (l *lowerer) conditional(n syntax.Node, want *Type) *Expr {
	e := &Expr{Kind: CondOp, Node: n, Type: unknown,
		X: l.value(syntax.Operand(n, 0), nil), Y: l.value(syntax.Operand(n, 1), want), Z: l.value(syntax.Operand(n, 2), want)}
	l.condition(e.X, "the condition of 'if'")
	switch {
	case e.Y.Type == nullType || e.Y.Type == wholeType:
		e.Type = e.Z.Type
	case known(e.Y.Type) && known(e.Z.Type) && comparables(e.Y.Type, e.Z.Type):
		e.Type = e.Y.Type
	}
	return e
}

// condition judges an expression that decides something.
func (l *lowerer) condition(e *Expr, what string) {
	if known(e.Type) && e.Type.Kind != BoolType {
		l.report("KORU082", e.Node.Span(), what+" wants bool, got "+describe(e))
	}
}

func (l *lowerer) rangeOf(n syntax.Node) *Expr {
	e := &Expr{Kind: RangeOf, Node: n, Type: &Type{Kind: ListType, Elem: countType}, X: l.value(syntax.Operand(n, 0), nil)}
	e.Y = &Expr{Kind: BrokenExpr, Node: n, Type: unknown}
	if end := syntax.Operand(n, 1); end.IsValid() {
		e.Y = l.value(end, nil)
	}
	for _, bound := range []*Expr{e.X, e.Y} {
		if known(bound.Type) && bound.Type.Kind != IntType {
			l.report("KORU082", bound.Node.Span(), "a range counts whole numbers, found "+describe(bound))
		}
	}
	return e
}

// countType is the type of the numbers that a range runs through.
var countType = &Type{Kind: IntType, Name: "i64", Bits: 64, Signed: true}

func (l *lowerer) record(n syntax.Node, want *Type) *Expr {
	e := &Expr{Kind: RecordOf, Node: n}
	made := &Type{Kind: RecordType}
	declared := func(string) *Field { return nil }
	if want != nil && want.Kind == RecordType {
		declared = byName(want.Fields)
	}
	seen := map[string]bool{}
	for c := range n.ChildrenOf(syntax.RecordField) {
		v := syntax.RecordFieldView{Node: c}
		name := l.fieldName(v)
		if name == "" {
			l.value(v.Value(), nil)
			continue
		}
		var typ *Type
		if f := declared(name); f != nil {
			typ = f.Type
		}
		x := l.value(v.Value(), typ)
		if seen[name] {
			l.report("KORU081", c.Span(), "the record names '"+name+"' twice").Sub = "duplicate"
			continue
		}
		seen[name] = true
		e.Names = append(e.Names, name)
		e.List = append(e.List, x)
		made.Fields = append(made.Fields, &Field{Name: name, Type: x.Type, Node: c})
	}
	e.Type = made
	return e
}

// fieldName returns the name of a record field and judges how it is spelled: a
// label that repeats the pun is PARSE005, a value without a name PARSE006.
func (l *lowerer) fieldName(v syntax.RecordFieldView) string {
	label := v.Label()
	pun := v.Pun()
	switch {
	case label.IsValid():
		if label.Text() == pun && !l.session {
			l.add(RedundantLabel(label, v.Value()))
		}
		return label.Text()
	case pun == "" && v.Value().IsValid():
		l.report("PARSE006", v.Span(), "a field of a record needs its name in front: write field: "+clip(v.Text()))
	}
	return pun
}

func (l *lowerer) list(n syntax.Node, want *Type) *Expr {
	var elem *Type
	if want != nil && want.Kind == ListType {
		elem = want.Elem
	}
	e := &Expr{Kind: ListOf, Node: n, Type: &Type{Kind: ListType, Elem: unknown}}
	for c := range n.Children() {
		e.List = append(e.List, l.value(c, elem))
	}
	if len(e.List) > 0 {
		e.Type.Elem = e.List[0].Type
	}
	for _, x := range e.List[min(1, len(e.List)):] {
		if !fitsType(x.Type, e.Type.Elem) || !known(x.Type) {
			e.Type.Elem = unknown
		}
	}
	return e
}

// typed lowers 0[i64]: a literal with its base type.
func (l *lowerer) typed(n syntax.Node) *Expr {
	e := l.value(syntax.Operand(n, 0), nil)
	v := syntax.TypeView{Node: n.Child(syntax.Type)}
	t := scalarType(v.Path().Text())
	if t == nil {
		return e
	}
	if m := fit(e, t); m != nil {
		l.report("KORU082", n.Span(), "the literal "+m.problem)
	}
	e.Type = t
	return e
}

// builtin lowers @name(args). Its first argument may be a type; what a builtin
// makes of its arguments is typed only where the name says it.
func (l *lowerer) builtin(n syntax.Node) *Expr {
	e := &Expr{Kind: BuiltinOf, Node: n, Type: unknown, Names: []string{n.Token(syntax.Name).Text()}}
	for c := range n.Child(syntax.Args).ChildrenOf(syntax.Arg) {
		v := syntax.ArgView{Node: c}.Value()
		if v.Kind() == syntax.NameExpr && scalarType(v.Text()) != nil {
			e.Type = scalarType(v.Text())
			e.List = append(e.List, &Expr{Kind: HostOf, Node: v, Type: unknown})
			continue
		}
		e.List = append(e.List, l.value(v, nil))
	}
	switch e.Names[0] {
	case "mod", "rem", "min", "max", "abs", "divTrunc", "divFloor":
		if len(e.List) > 0 && number(e.List[0].Type) {
			e.Type = e.List[0].Type
			if e.Type == wholeType && len(e.List) > 1 {
				e.Type = e.List[1].Type
			}
		}
	case "sqrt":
		e.Type = floatType
	}
	return e
}

// path lowers a name with its fields and indexes.
func (l *lowerer) path(n syntax.Node) *Expr {
	row, base := l.spine(n, func(k syntax.Kind) bool {
		return k == syntax.FieldExpr || k == syntax.IndexExpr || k == syntax.DerefExpr
	})
	if n.Kind() != syntax.NameExpr && row == nil {
		return l.brokenExpr(n)
	}
	var e *Expr
	if base.Kind() == syntax.NameExpr {
		e, row = l.name(base, row)
	} else {
		e = l.value(base, nil)
	}
	for i := len(row) - 1; i >= 0; i-- {
		e = l.follow(row[i], e)
	}
	return e
}

// follow takes one step of a path: .field, [index] or .*.
func (l *lowerer) follow(n syntax.Node, x *Expr) *Expr {
	switch n.Kind() {
	case syntax.IndexExpr:
		return l.index(n, x)
	case syntax.DerefExpr:
		return x
	}
	name := fieldToken(n)
	e := &Expr{Kind: FieldOfExpr, Node: n, X: x, Names: []string{name.Text()}, Type: unknown}
	if !known(x.Type) {
		return e
	}
	t, ok := member(x.Type, name.Text())
	switch {
	case !ok:
		l.noField(x, name)
		return &Expr{Kind: BrokenExpr, Node: n, Type: unknown}
	case x.Type.Kind == TextType || x.Type.Kind == ListType:
		return &Expr{Kind: LengthExpr, Node: n, X: x, Type: t}
	}
	e.Type = t
	return e
}

// fieldToken returns the name after the dot of a field expression.
func fieldToken(n syntax.Node) syntax.Token {
	if t := n.Token(syntax.Name); t.IsValid() {
		return t
	}
	return n.LastToken()
}

// member returns the type of a field of a value, and whether there is one.
func member(t *Type, name string) (*Type, bool) {
	switch t.Kind {
	case RecordType:
		if f := fieldOf(t, name); f != nil {
			return f.Type, true
		}
		return unknown, false
	case TextType, ListType:
		return usize, name == "len"
	case HostType:
		return unknown, true // what a host object has is the host's business
	}
	return unknown, false
}

func (l *lowerer) index(n syntax.Node, x *Expr) *Expr {
	y := l.value(syntax.Operand(n, 1), nil)
	e := &Expr{Kind: IndexOfExpr, Node: n, X: x, Y: y, Type: unknown}
	slice := y.Kind == RangeOf
	if !slice && known(y.Type) && y.Type.Kind != IntType {
		l.report("KORU082", y.Node.Span(), "an index is a whole number, found "+describe(y))
	}
	switch {
	case !known(x.Type):
	case slice && (x.Type.Kind == ListType || x.Type.Kind == TextType):
		e.Type = x.Type
	case x.Type.Kind == ListType:
		e.Type = x.Type.Elem
	case x.Type.Kind == TextType:
		e.Type = byteType
	case x.Type.Kind != HostType:
		l.report("KORU082", n.Span(), "only lists and texts have places to index, found "+describe(x))
	}
	return e
}

// name resolves the first name of a path. It returns what is left of the row of
// steps: a store takes its index and column at once.
func (l *lowerer) name(n syntax.Node, row []syntax.Node) (*Expr, []syntax.Node) {
	name := n.Text()
	if b := l.visible.lookup(name); b != nil {
		b.use(n)
		if c := l.captureOf(b); c != nil && len(row) > 0 {
			return l.cell(c, row)
		}
		return &Expr{Kind: BindingExpr, Node: n, Ref: b, Type: b.Type}, row
	}
	if c := l.names.Const(name); c != nil {
		return &Expr{Kind: ConstExpr, Node: n, Const: c, Type: orUnknown(c.Type)}, row
	}
	if s := l.names.Store(name); s != nil {
		return l.storePath(n, s, row)
	}
	if !l.host() {
		l.unbound(n.FirstToken())
	}
	return &Expr{Kind: BrokenExpr, Node: n, Type: unknown}, row
}

// host reports whether the file has host lines: a name that Koru does not know
// may be one of theirs.
func (l *lowerer) host() bool {
	return l.file.Syntax.Kind == syntax.Zig || l.file.Syntax.Kind == syntax.JS
}

func orUnknown(t *Type) *Type {
	if t == nil {
		return unknown
	}
	return t
}

// unbound reports a name that nothing is bound as.
func (l *lowerer) unbound(name syntax.Token) {
	if l.unnamed || l.lost[name.Text()] {
		return // the cause has been reported
	}
	if l.lost == nil {
		l.lost = map[string]bool{}
	}
	l.lost[name.Text()] = true
	d := Diagnostic{Code: "KORU040", Span: name.Span(), Message: Unbound("", name.Text())}
	if l.splice.IsValid() {
		d.Code, d.Span = "KORU168", l.splice.Span()
		d.Message = Unbound(spliceText(l.splice), name.Text())
	}
	if l.session && l.ends.kind == endsTor && !l.ends.open() {
		d.Message = fmt.Sprintf("'%s' uses '%s', which is no parameter", l.ends.tor.Name, name.Text())
	}
	values := func() []string { return append(l.visible.list(), l.names.Values()...) }
	if near := l.near(name.Text(), values); near != "" {
		d.suggestAt(near, name.Span())
		if b := l.visible.lookup(near); b != nil {
			b.mention(l.flow.Node) // what was meant is not unread as well
			if b.Kind == ParamBinding {
				d.declaredIn(l.flow.Owner, b.Node, near)
			} else {
				d.note(l.file, b.Node.Span(), "'"+near+"' is bound here")
			}
		}
	}
	if d.Code == "KORU040" && l.file.Module != nil {
		d.doubt = &doubt{value: name.Text(), in: l.file.Module}
	}
	l.add(d)
}

// noField reports a field that the value of an expression does not have.
func (l *lowerer) noField(x *Expr, field syntax.Token) {
	d := Diagnostic{Code: "KORU040", Span: field.Span(), Message: NoField("", x.Node.Text(), field.Text())}
	if l.splice.IsValid() {
		d.Code, d.Span = "KORU168", l.splice.Span()
		d.Message = NoField(spliceText(l.splice), x.Node.Text(), field.Text())
	}
	if x.Type.Kind == RecordType {
		if near := l.near(field.Text(), func() []string { return namesOf(x.Type.Fields) }); near != "" {
			d.suggestAt(near, field.Span())
			d.noteField(x.Type, near)
		}
	}
	l.add(d)
}

// noteField points at the declaration of a field of a record, if it is one of
// the program's own.
func (d *Diagnostic) noteField(t *Type, name string) {
	f := fieldOf(t, name)
	if f == nil || !f.Node.IsValid() || t.Owner == nil || t.Owner.Std {
		return
	}
	for _, file := range t.Owner.Files {
		for it := range file.Syntax.Items() {
			if it.Tree() == f.Node.Tree() {
				d.note(file, f.Node.Span(), "'"+name+"' is declared here")
				return
			}
		}
	}
}

// suggestAt is suggest for a name that is only a part of the range of the finding.
func (d *Diagnostic) suggestAt(near string, at syntax.Span) {
	d.Message += didYouMean(near)
	d.replace("change to '"+near+"'", false, at, near)
}

// Unbound words the use of a name that nothing is bound as. splice is the text
// inside the braces of a splice, or "" for any other place (R7, R37).
func Unbound(splice, name string) string {
	if splice == "" {
		return "nothing is bound as '" + name + "'"
	}
	return "'{ " + splice + " }' — nothing is bound as '" + name + "'"
}

// NoField words the use of a field that a bound value does not have.
func NoField(splice, name, field string) string {
	message := "the bound value '" + name + "' carries no field '" + field + "'"
	if splice == "" {
		return message
	}
	return "'{ " + splice + " }' — " + message
}

// clip shortens source text for a message.
func clip(s string) string {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i] + "…"
	}
	if len(s) > shown {
		cut := shown
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
