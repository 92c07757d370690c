package eval

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// anywhere asks for a value in whatever register or constant it is in.
const anywhere = int32(-1)

// expr compiles an expression and returns the operand that holds its value.
func (c *compiler) expr(e *check.Expr) int32 { return c.eval(e, anywhere) }

// exprTo compiles an expression into a register.
func (c *compiler) exprTo(dst int32, e *check.Expr) { c.move(dst, c.eval(e, dst)) }

// value compiles an expression for a place of a declared type.
func (c *compiler) value(e *check.Expr, want *check.Type, name string) int32 {
	if e.Kind == check.RecordOf && want != nil && want.Kind == check.RecordType {
		return c.record(e, want, anywhere)
	}
	return c.fitted(c.expr(e), e.Type, want, name)
}

// valueTo is [compiler.value] into a register.
func (c *compiler) valueTo(dst int32, e *check.Expr, want *check.Type, name string) {
	if e.Kind == check.RecordOf && want != nil && want.Kind == check.RecordType {
		c.record(e, want, dst)
		return
	}
	v := c.eval(e, dst)
	if !fitsAlways(e.Type, want) {
		v = c.fit(v, dst, want, name)
	}
	c.move(dst, v)
}

// fitted returns the operand of a value as a declared type holds it. Where the
// types say that it fits nothing is done at run time.
func (c *compiler) fitted(v int32, from, want *check.Type, name string) int32 {
	if v == nothing || fitsAlways(from, want) {
		return v
	}
	return c.fit(v, anywhere, want, name)
}

func (c *compiler) fit(v, dst int32, want *check.Type, name string) int32 {
	if v < 0 && v != nothing { // a constant: try it now
		if fitted, err := Convert(c.code.consts[^v], want); err == nil {
			return c.constOperand(fitted)
		}
	}
	dst = c.into(dst)
	c.emit(opFit, dst, v, c.typeIndex(want), c.name(name))
	return dst
}

// into returns dst, or a new register if the value may be anywhere.
func (c *compiler) into(dst int32) int32 {
	if dst == anywhere {
		return c.temps(1)
	}
	return dst
}

// fitsAlways reports whether every value of type from is one of type want as it
// stands, so that it need not be judged when it is passed on.
func fitsAlways(from, want *check.Type) bool {
	if want == nil || from == want {
		return true
	}
	switch want.Kind {
	case check.UnknownType, check.ExprType, check.SourceType, check.InjectedType, check.WildType:
		return true
	case check.HostType:
		if !want.Pointer {
			return true
		}
	}
	if from == nil || from.Kind != want.Kind || from.Optional && !want.Optional {
		return false
	}
	switch want.Kind {
	case check.TextType:
		return want.Bits == 0 || want.Bits == from.Bits
	case check.BoolType, check.HostType:
		return true
	case check.IntType:
		return from.Bits == want.Bits && from.Signed == want.Signed
	case check.FloatType:
		return from.Bits == want.Bits
	case check.ListType:
		return fitsAlways(from.Elem, want.Elem)
	}
	return false
}

// eval compiles an expression. The value is in the returned operand, which is
// dst if dst is a register and the value had to be computed.
func (c *compiler) eval(e *check.Expr, dst int32) int32 {
	defer c.at(c.at(e.Node))
	switch e.Kind {
	case check.LiteralExpr:
		return c.literalOperand(e)
	case check.ConstExpr:
		return c.constOperand(c.prog.constant(e.Const))
	case check.RawExpr:
		return c.constOperand(StringValue(e.Node.Text()))
	case check.BindingExpr:
		return c.binding(e.Ref, dst)
	case check.CaptureExpr:
		if cell, ok := c.cell(e); ok {
			return cell
		}
		c.refuse(e.Node, "no capture around this place has a value of that name")
		return c.constOperand(Value{})
	}
	if v, ok := negative(e); ok {
		return c.constOperand(v)
	}
	dst = c.into(dst)
	mark := c.next
	c.compute(e, dst)
	c.next = mark
	return dst
}

// negative returns the constant that a literal with a minus sign is.
func negative(e *check.Expr) (Value, bool) {
	if e.Kind != check.UnaryOp || e.Op != syntax.Minus || e.X.Kind != check.LiteralExpr {
		return Value{}, false
	}
	v, err := literalValue(e.X.Lit)
	if err != nil || !isNumber(v) {
		return Value{}, false
	}
	v, err = negate(v)
	return v, err == nil
}

// compute compiles an expression that has to be computed into dst.
func (c *compiler) compute(e *check.Expr, dst int32) {
	switch e.Kind {
	case check.CellExpr:
		c.storeCell(e, dst)
	case check.StoreLenExpr:
		c.emit(opCount, dst, c.prog.store(e.Store), 0, 0)
	case check.FieldOfExpr:
		c.field(e, dst)
	case check.IndexOfExpr:
		c.index(e, dst)
	case check.LengthExpr:
		c.emit(opLength, dst, c.expr(e.X), 0, 0)
	case check.UnaryOp:
		c.unary(e, dst)
	case check.BinaryOp:
		c.binary(e, dst)
	case check.CondOp:
		c.conditional(e, dst)
	case check.RecordOf:
		c.plainRecord(e, dst)
	case check.ListOf:
		first := c.temps(len(e.List))
		for i, x := range e.List {
			c.valueTo(first+int32(i), x, elemType(e.Type), "")
		}
		c.emit(opList, dst, first, int32(len(e.List)), 0)
	case check.TextOf:
		c.text(e.Parts, dst)
	case check.BuiltinOf:
		c.builtin(e, dst)
	case check.RangeOf:
		c.refuse(e.Node, "a range stands only in for(a..b)")
	case check.HostOf:
		c.refuse(e.Node, "'"+e.Node.Text()+"' is a value of a host language, which cannot be evaluated here")
	default:
		c.refuse(e.Node, "this expression was not understood")
	}
}

func elemType(t *check.Type) *check.Type {
	if t == nil || t.Kind != check.ListType {
		return nil
	}
	return t.Elem
}

// binding returns the operand of a bound value. A row of a store that is used as
// a whole becomes a record; the cells of an open capture become one too.
func (c *compiler) binding(b *check.Binding, dst int32) int32 {
	if b == nil {
		c.refuse(syntax.Node{}, "nothing is bound here")
		return c.constOperand(Value{})
	}
	if open := c.captureOf(b); open != nil {
		dst = c.into(dst)
		c.emit(opRecord, dst, open.first, c.shapeIndex(open.shape), 0)
		return dst
	}
	if !mayBeRow(b) {
		return int32(b.Slot)
	}
	dst = c.into(dst)
	c.emit(opWhole, dst, int32(b.Slot), 0, 0)
	return dst
}

// mayBeRow reports whether a binding can hold a row of a store instead of a
// plain value: the payload of a store verb, or that payload under another name.
func mayBeRow(b *check.Binding) bool {
	if b.Kind == check.FieldBinding {
		return len(b.Path) == 0 && b.Whole != nil && fromStore(b.Whole)
	}
	return fromStore(b)
}

// fromStore reports whether a store verb delivers the binding.
func fromStore(b *check.Binding) bool {
	if b.From == nil {
		return false
	}
	switch b.From.Form {
	case check.StoreNew, check.StoreInsert, check.StoreTake, check.StoreQuery, check.StoreRule:
		return b.From.Store != nil
	}
	return false
}

func (c *compiler) field(e *check.Expr, dst int32) {
	if e.X.Kind == check.BindingExpr && e.X.Ref != nil {
		if cell, ok := c.cell(e); ok {
			c.move(dst, cell)
			return
		}
		c.emit(opField, dst, int32(e.X.Ref.Slot), c.name(e.Names[0]), 0)
		return
	}
	c.emit(opField, dst, c.expr(e.X), c.name(e.Names[0]), 0)
}

// index compiles x[i] and the slice x[a..b].
func (c *compiler) index(e *check.Expr, dst int32) {
	x := c.expr(e.X)
	if e.Y.Kind != check.RangeOf {
		c.emit(opIndex, dst, x, c.expr(e.Y), 0)
		return
	}
	from, to := c.expr(e.Y.X), c.constOperand(Value{})
	if e.Y.Y.Kind != check.BrokenExpr { // x[a..] goes to the end
		to = c.expr(e.Y.Y)
	}
	c.emit(opSlice, dst, x, from, to)
}

// builtin compiles @name(args). An argument that names a type says what the
// result is held to.
func (c *compiler) builtin(e *check.Expr, dst int32) {
	at := builtinNamed(e.Names[0])
	if at < 0 {
		c.refuse(e.Node, "the builtin '@"+e.Names[0]+"' is not known here")
		return
	}
	var args []*check.Expr
	for _, x := range e.List {
		if x.Kind != check.HostOf {
			args = append(args, x)
		}
	}
	if len(args) != builtins[at].args {
		c.refuse(e.Node, fmt.Sprintf("'@%s' takes %d values, got %d", e.Names[0], builtins[at].args, len(args)))
		return
	}
	first := c.temps(len(args))
	for i, x := range args {
		c.exprTo(first+int32(i), x)
	}
	c.emit(opBuiltin, dst, first, int32(at), int32(len(args)))
	if t := e.Type; t != nil && (t.Kind == check.IntType && t.Bits > 0 || t.Kind == check.FloatType) {
		c.emit(opFit, dst, dst, c.typeIndex(t), c.name("@"+e.Names[0]))
	}
}

func builtinNamed(name string) int {
	for i := range builtins {
		if builtins[i].name == name {
			return i
		}
	}
	return -1
}

var arithmetic = map[syntax.Kind]int32{
	syntax.Plus: '+', syntax.Minus: '-', syntax.Star: '*', syntax.Slash: '/', syntax.Percent: '%',
}

var orderings = map[syntax.Kind]int32{
	syntax.Less: less, syntax.LessEqual: lessOrEqual, syntax.Greater: greater, syntax.GreaterEqual: greaterOrEqual,
}

func (c *compiler) binary(e *check.Expr, dst int32) {
	switch e.Op {
	case syntax.AmpAmp, syntax.PipePipe, syntax.Question:
		c.shortCut(e, dst)
		return
	}
	x := c.expr(e.X)
	y := c.expr(e.Y)
	if d, ok := arithmetic[e.Op]; ok {
		c.emit(opArith, dst, x, y, d|c.width(e.Type)<<8)
		return
	}
	if d, ok := orderings[e.Op]; ok {
		c.emit(opOrder, dst, x, y, d)
		return
	}
	switch e.Op {
	case syntax.PlusPlus:
		c.emit(opConcat, dst, x, y, 0)
	case syntax.EqualEqual:
		c.emit(opEqual, dst, x, y, 0)
	case syntax.NotEqual:
		c.emit(opEqual, dst, x, y, 1)
	default:
		c.refuse(e.Node, fmt.Sprintf("the operator '%s' is not known", e.Op))
	}
}

// width returns one more than the index of an integer type that results are
// checked against, or 0 if the type says no width.
func (c *compiler) width(t *check.Type) int32 {
	if t == nil || t.Kind != check.IntType || t.Bits == 0 {
		return 0
	}
	return c.typeIndex(t) + 1
}

// shortCut compiles and, or and orelse: the second operand is evaluated only if
// the first does not settle the value.
func (c *compiler) shortCut(e *check.Expr, dst int32) {
	end := newLabel()
	c.exprTo(dst, e.X)
	switch e.Op {
	case syntax.AmpAmp:
		c.jump(opUnless, end, dst, 0, 0)
	case syntax.PipePipe:
		c.jump(opWhen, end, dst, 0, 0)
	default:
		other := newLabel()
		c.jump(opIfNull, other, dst, 0, 0)
		c.jump(opJump, end, 0, 0, 0)
		c.place(other)
	}
	c.exprTo(dst, e.Y)
	c.place(end)
}

func (c *compiler) unary(e *check.Expr, dst int32) {
	x := c.expr(e.X)
	switch e.Op {
	case syntax.Bang:
		c.emit(opNot, dst, x, 0, 0)
	case syntax.Minus:
		c.emit(opNegate, dst, x, 0, c.width(e.Type)<<8)
	case syntax.Amp: // an address: values are shared anyway
		c.move(dst, x)
	default:
		c.refuse(e.Node, fmt.Sprintf("the operator '%s' is not known", e.Op))
	}
}

func (c *compiler) conditional(e *check.Expr, dst int32) {
	other, end := newLabel(), newLabel()
	c.jump(opUnless, other, c.expr(e.X), 0, 0)
	c.exprTo(dst, e.Y)
	c.jump(opJump, end, 0, 0, 0)
	c.place(other)
	c.exprTo(dst, e.Z)
	c.place(end)
}

// plainRecord compiles a record as it is written.
func (c *compiler) plainRecord(e *check.Expr, dst int32) {
	first := c.temps(len(e.List))
	for i, x := range e.List {
		c.exprTo(first+int32(i), x)
	}
	c.emit(opRecord, dst, first, c.shapeIndex(NewShape(e.Names...)), 0)
}

// record compiles a record for a declared type: fields in declared order, each
// fitted to its type, those left out as their default.
func (c *compiler) record(e *check.Expr, want *check.Type, dst int32) int32 {
	defer c.at(c.at(e.Node))
	dst = c.into(dst)
	mark := c.next
	first := c.temps(len(want.Fields))
	for i, f := range want.Fields {
		reg := first + int32(i)
		if x := fieldExpr(e, f.Name); x != nil {
			c.valueTo(reg, x, f.Type, f.Name)
		} else {
			c.emit(opMove, reg, c.absent(f), 0, 0)
		}
	}
	c.emit(opRecord, dst, first, c.shapeIndex(c.prog.shape(want)), 0)
	c.next = mark
	return dst
}

func fieldExpr(e *check.Expr, name string) *check.Expr {
	for i, n := range e.Names {
		if n == name && i < len(e.List) {
			return e.List[i]
		}
	}
	return nil
}

func (c *compiler) shapeIndex(s *Shape) int32 {
	return index(&c.code.shapes, c.shapeAt, s)
}

// text compiles a text with splices, or a template.
func (c *compiler) text(parts []check.Part, dst int32) {
	c.emit(opText, dst, 0, 0, 0)
	c.parts(parts)
	c.emit(opEndText, dst, 0, 0, 0)
}

func (c *compiler) parts(parts []check.Part) {
	for i := range parts {
		p := &parts[i]
		last := c.at(p.Node)
		mark := c.next
		switch p.Kind {
		case check.TextPart:
			if p.Text != "" {
				c.emit(opLit, c.constOperand(StringValue(p.Text)), 0, 0, 0)
			}
		case check.SplicePart:
			c.emit(opSplice, c.expr(p.Expr), c.name(p.Spec), 0, 0)
		case check.IfPart:
			c.ifPart(p)
		case check.ForPart:
			c.forPart(p)
		}
		c.next = mark
		c.at(last)
	}
}

func (c *compiler) ifPart(p *check.Part) {
	other, end := newLabel(), newLabel()
	c.jump(opUnless, other, c.expr(p.Expr), 0, 0)
	c.parts(p.Body)
	if len(p.Else) > 0 {
		c.jump(opJump, end, 0, 0, 0)
	}
	c.place(other)
	c.parts(p.Else)
	c.place(end)
}

func (c *compiler) forPart(p *check.Part) {
	item := c.next
	if p.Item != nil {
		item = int32(p.Item.Slot)
	} else {
		item = c.temps(1)
	}
	c.each(p.Expr, item, func() { c.parts(p.Body) })
}

// each compiles a loop over a range or a list. body is compiled once; its value
// is in item.
func (c *compiler) each(over *check.Expr, item int32, body func()) {
	state := c.temps(iteration)
	mark := c.next
	if over.Kind == check.RangeOf {
		x, y := c.expr(over.X), c.expr(over.Y)
		c.emit(opRange, 0, state, x, y)
	} else {
		c.emit(opEach, 0, state, c.expr(over), 0)
	}
	c.next = mark
	again, done := newLabel(), newLabel()
	c.place(again)
	c.jump(opNext, done, state, item, 0)
	body()
	c.jump(opJump, again, 0, 0, 0)
	c.place(done)
}

// literalOperand returns the constant that a literal stands for.
func (c *compiler) literalOperand(e *check.Expr) int32 {
	v, err := literalValue(e.Lit)
	if err != nil {
		c.refuse(e.Node, err.Error())
	}
	if e.Type != nil && e.Type.Kind == check.FloatType && v.Kind() == Int {
		v = FloatValue(v.Float())
	}
	return c.constOperand(v)
}

func literalValue(l check.Literal) (Value, error) {
	switch l.Kind {
	case check.BoolLit:
		return BoolValue(l.Bool), nil
	case check.TextLit:
		return StringValue(l.Text), nil
	case check.IntLit:
		return intLiteral(l.Text)
	case check.FloatLit:
		return floatLiteral(l.Text)
	}
	return Value{}, nil
}

// maxDigits bounds the digits of an integer literal: no type needs more than 39.
const maxDigits = 400

func intLiteral(text string) (Value, error) {
	digits, base := strings.ReplaceAll(text, "_", ""), 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	if len(digits) <= maxDigits {
		if b, ok := new(big.Int).SetString(digits, base); ok {
			return BigValue(b), nil
		}
	}
	return Value{}, fmt.Errorf("'%.40s' is not an integer", text)
}

func floatLiteral(text string) (Value, error) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil {
		return Value{}, fmt.Errorf("'%.40s' is not a number that a float holds", text)
	}
	return FloatValue(f), nil
}
