package zig

import (
	"bytes"
	"math"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// eval evaluates an expression.
func (f *frame) eval(n *node) value {
	if !f.step(n.off) {
		return value{}
	}
	switch n.op {
	case opConst:
		return n.num
	case opVar:
		v := f.vars[n.slot]
		if v.kind == undefinedValue {
			return f.wrong(n.off, "this variable has no value yet")
		}
		return v
	case opEnum:
		return value{kind: enumValue, text: n.text}
	case opArray:
		return f.array(n)
	case opAnon:
		l := &literal{names: n.names, vals: make([]value, len(n.kids))}
		for i, k := range n.kids {
			l.vals[i] = f.eval(k)
		}
		return value{kind: anonValue, anon: l}
	case opIndex:
		seq := f.eval(n.kids[0])
		if i, ok := f.indexIn(n, seq); ok {
			v := seq.at(i)
			if v.kind == undefinedValue {
				return f.wrong(n.off, "this element has no value yet")
			}
			return v
		}
		return value{}
	case opSlice:
		return f.slice(n)
	case opLen:
		return f.length(n)
	case opField:
		return f.field(n)
	case opAddress:
		return f.eval(n.kids[0])
	case opUnwrap:
		v := f.eval(n.kids[0])
		if v.kind == nullValue {
			return f.wrong(n.off, "unwrapped a null")
		}
		return v
	case opAnd, opOr:
		left := f.truth(n.kids[0])
		if f.err != nil || left == (n.op == opOr) {
			return boolOf(left)
		}
		return boolOf(f.truth(n.kids[1]))
	case opNot:
		return boolOf(!f.truth(n.kids[0]))
	case opNegate:
		return f.negate(n)
	case opBinary:
		return f.binary(n.off, n.text, f.eval(n.kids[0]), f.eval(n.kids[1]))
	case opOrElse:
		return f.orElse(n)
	case opCatch, opTry:
		return f.eval(n.kids[0]) // nothing of the subset returns an error
	case opIf:
		return f.choice(n)
	case opSwitch:
		if body := f.chosen(n); body != nil {
			return f.tail(body)
		}
		return value{}
	case opUnreachable:
		f.fail(n.off, "%v", errUnreachable)
	case opPanic:
		v := f.eval(n.kids[0])
		if f.err == nil && v.isText() {
			f.fail(n.off, "%s", v.bytes())
		}
		f.fail(n.off, "the body panicked")
	case opCast:
		return f.cast(n.off, f.eval(n.kids[0]), n.typ, "@as")
	case opMod, opMin, opMax:
		return f.pick(n, f.eval(n.kids[0]), f.eval(n.kids[1]))
	case opCall:
		return f.function(n)
	case opEffect:
		return f.effect(n)
	default:
		f.fail(n.off, "this statement gives no value")
	}
	return value{}
}

// tail evaluates the body of a prong where a value is wanted.
func (f *frame) tail(n *node) value {
	switch n.op {
	case opExprStmt:
		return f.eval(n.kids[0])
	case opReturn, opBreak, opContinue:
		return f.leave(n)
	case opBlock, opAssign:
		return f.wrong(n.off, "this prong gives no value")
	}
	return f.eval(n)
}

func (f *frame) truth(n *node) bool {
	v := f.eval(n)
	if f.err == nil && v.kind != boolValue {
		f.fail(n.off, "a bool is wanted here, this is %s", v.kindName())
	}
	return v.n != 0 && v.kind == boolValue
}

func (f *frame) choice(n *node) value {
	if f.holds(n) {
		return f.eval(n.kids[1])
	}
	if f.err != nil || n.kids[2] == nil {
		return value{}
	}
	return f.eval(n.kids[2])
}

func (f *frame) orElse(n *node) value {
	v := f.eval(n.kids[0])
	if v.kind != nullValue || f.err != nil {
		return v
	}
	if n.kids[1].op == opReturn || n.kids[1].op == opBreak || n.kids[1].op == opContinue {
		return f.leave(n.kids[1])
	}
	return f.eval(n.kids[1])
}

func (f *frame) array(n *node) value {
	elem := n.typ.elem
	v := value{kind: seqValue, typ: &zigType{kind: arrayKind, elem: elem, length: len(n.kids)}, len: len(n.kids)}
	if elem.kind == intKind && elem.bits == 8 && !elem.signed {
		v.seq = &sequence{bytes: make([]byte, len(n.kids)), elem: elem}
		for i, k := range n.kids {
			v.seq.bytes[i] = byte(f.cast(k.off, f.eval(k), elem, "the element").n)
		}
		return v
	}
	v.seq = &sequence{elems: make([]value, len(n.kids)), elem: elem}
	for i, k := range n.kids {
		v.seq.elems[i] = f.cast(k.off, f.eval(k), elem, "the element")
	}
	return v
}

// indexIn evaluates the index of n and checks it against the sequence.
func (f *frame) indexIn(n *node, seq value) (int, bool) {
	if f.err == nil && seq.kind != seqValue {
		return 0, f.fail(n.off, "%s cannot be indexed", seq.kindName())
	}
	index := f.eval(n.kids[1])
	if f.err != nil {
		return 0, false
	}
	i, ok := index.small()
	if index.kind != intValue {
		return 0, f.fail(n.kids[1].off, "an index is an integer, this is %s", index.kindName())
	}
	if !ok || i < 0 || i >= int64(seq.len) {
		return 0, f.fail(n.kids[1].off, "index %s out of bounds: the length is %d", index.integer(), seq.len)
	}
	return int(i), true
}

func (f *frame) slice(n *node) value {
	if n.kids[0] == nil {
		return f.wrong(n.off, "a range is no value")
	}
	seq := f.eval(n.kids[0])
	if f.err == nil && seq.kind != seqValue {
		return f.wrong(n.off, "%s cannot be sliced", seq.kindName())
	}
	from, to := f.bound(n.kids[1]), int64(seq.len)
	if n.kids[2] != nil {
		to = f.bound(n.kids[2])
	}
	if f.err != nil {
		return value{}
	}
	if from > to || to > int64(seq.len) {
		return f.wrong(n.off, "slice %d..%d out of bounds: the length is %d", from, to, seq.len)
	}
	seq.off += int(from)
	seq.len = int(to - from)
	seq.typ = nil // a slice refers to the array, it does not copy it
	return seq
}

func (f *frame) length(n *node) value {
	v := f.eval(n.kids[0])
	switch {
	case v.kind == seqValue:
		return intOf(int64(v.len), namedType("usize"))
	case v.kind == anonValue && len(v.anon.names) == 0:
		return intOf(int64(len(v.anon.vals)), namedType("usize"))
	case v.kind == hostValue:
		return f.hostField(n, v, "len")
	}
	if f.err == nil {
		f.fail(n.off, "%s has no length", v.kindName())
	}
	return value{}
}

func (f *frame) field(n *node) value {
	v := f.eval(n.kids[0])
	if f.err != nil {
		return value{}
	}
	switch v.kind {
	case anonValue:
		for i, name := range v.anon.names {
			if name == n.text {
				return v.anon.vals[i]
			}
		}
	case hostValue:
		return f.hostField(n, v, n.text)
	}
	return f.wrong(n.off, "%s has no field '%s'", v.kindName(), n.text)
}

func (f *frame) hostField(n *node, v value, name string) value {
	field, ok := v.host.Field(name)
	if !ok {
		return f.wrong(n.off, "%s has no field '%s'", v.kindName(), name)
	}
	return fromKoru(field, nil)
}

func (f *frame) negate(n *node) value {
	v := f.eval(n.kids[0])
	switch {
	case v.kind == floatValue:
		return floatOf(-v.f)
	case v.kind == intValue:
		return f.binary(n.off, "-", intOf(0, v.typ), v)
	}
	if f.err == nil {
		f.fail(n.off, "%s cannot be negated", v.kindName())
	}
	return value{}
}

// binary applies an operator.
func (f *frame) binary(off int, op string, a, b value) value {
	if f.err != nil {
		return value{}
	}
	switch op {
	case "==":
		return boolOf(f.comparable(off, a, b) && equal(a, b))
	case "!=":
		return boolOf(f.comparable(off, a, b) && !equal(a, b))
	case "++":
		return f.concat(off, a, b)
	}
	if !isNumber(a) || !isNumber(b) {
		bad := a
		if isNumber(a) {
			bad = b
		}
		return f.wrong(off, "'%s' works on numbers, this is %s", op, bad.kindName())
	}
	switch op {
	case "<":
		return boolOf(compare(a, b) < 0)
	case ">":
		return boolOf(compare(a, b) > 0)
	case "<=":
		return boolOf(compare(a, b) <= 0)
	case ">=":
		return boolOf(compare(a, b) >= 0)
	}
	if a.kind == floatValue || b.kind == floatValue {
		return f.floats(off, op, a.float(), b.float())
	}
	return f.integers(off, op, a, b)
}

// comparable refuses == on slices, as Zig does: their contents are compared
// with std.mem.eql.
func (f *frame) comparable(off int, a, b value) bool {
	if a.kind == seqValue || b.kind == seqValue {
		return f.fail(off, "slices are compared with std.mem.eql, not with ==")
	}
	return true
}

func compare(a, b value) int {
	if a.kind == intValue && b.kind == intValue {
		return a.integer().Cmp(b.integer())
	}
	switch x, y := a.float(), b.float(); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (f *frame) floats(off int, op string, a, b float64) value {
	switch op {
	case "+":
		return floatOf(a + b)
	case "-":
		return floatOf(a - b)
	case "*":
		return floatOf(a * b)
	case "/":
		if b == 0 {
			return f.wrong(off, "division by zero")
		}
		return floatOf(a / b)
	}
	return floatOf(math.Mod(a, b))
}

// integers computes in the wider of the two types and checks the result.
func (f *frame) integers(off int, op string, a, b value) value {
	if (op == "/" || op == "%") && b.big == nil && b.n == 0 {
		return f.wrong(off, "division by zero")
	}
	t := peer(a.typ, b.typ)
	x, y := a.integer(), b.integer()
	if x.BitLen()+y.BitLen() > 4096 {
		return f.wrong(off, "this integer is too large")
	}
	r := bigArithmetic(op, x, y)
	if !fits(r, t) {
		return f.wrong(off, "%s %s %s is out of range of %s", x, op, y, t.name)
	}
	return bigOf(r, t)
}

// peer returns the type that two integers meet in.
func peer(a, b *zigType) *zigType {
	switch {
	case a == nil || a.kind != intKind:
		return b
	case b == nil || b.kind != intKind:
		return a
	case b.bits > a.bits:
		return b
	}
	return a
}

func (f *frame) concat(off int, a, b value) value {
	if a.kind != seqValue || b.kind != seqValue || a.isText() != b.isText() {
		return f.wrong(off, "'++' joins two texts or two arrays, not %s and %s", a.kindName(), b.kindName())
	}
	if a.isText() {
		if a.len+b.len > maxText {
			return f.wrong(off, "this text is longer than %d bytes", maxText)
		}
		return bytesOf(append(append(make([]byte, 0, a.len+b.len), a.bytes()...), b.bytes()...))
	}
	if a.len+b.len > maxElements {
		return f.wrong(off, "this array has more than %d elements", maxElements)
	}
	elems := make([]value, 0, a.len+b.len)
	elems = append(append(elems, a.seq.elems[a.off:a.off+a.len]...), b.seq.elems[b.off:b.off+b.len]...)
	return value{kind: seqValue, seq: &sequence{elems: elems, elem: a.seq.elem}, len: len(elems)}
}

// pick carries out @mod, @min and @max.
func (f *frame) pick(n *node, a, b value) value {
	if f.err != nil {
		return value{}
	}
	if !isNumber(a) || !isNumber(b) {
		return f.wrong(n.off, "'%s' works on numbers", n.text)
	}
	switch n.op {
	case opMin, opMax:
		if (compare(a, b) <= 0) == (n.op == opMin) {
			return a
		}
		return b
	}
	if a.kind == floatValue || b.kind == floatValue {
		if b.float() == 0 {
			return f.wrong(n.off, "division by zero")
		}
		m := math.Mod(a.float(), b.float())
		if m != 0 && (m < 0) != (b.float() < 0) {
			m += b.float()
		}
		return floatOf(m)
	}
	r := f.integers(n.off, "%", a, b)
	if r.integer().Sign() != 0 && r.integer().Sign() != b.integer().Sign() {
		r = f.integers(n.off, "+", r, b)
	}
	return r
}

// function calls one of the known functions of std.
func (f *frame) function(n *node) value {
	args := make([]value, len(n.kids))
	for i, k := range n.kids {
		args[i] = f.eval(k)
	}
	if f.err != nil {
		return value{}
	}
	switch n.text {
	case "std.mem.eql", "std.mem.startsWith", "std.mem.endsWith", "std.mem.indexOf":
		return f.memory(n, args[0], args[1])
	case "std.fmt.bufPrint":
		return f.bufPrint(n, args)
	case "std.fmt.allocPrint":
		return bytesOf(f.format(n.off, args[1], args[2]))
	case "std.debug.print":
		text := f.format(n.off, args[0], args[1])
		if f.err == nil && f.call.Host != nil && f.call.Host.Stderr != nil {
			f.call.Host.Stderr.Write(text)
		}
	}
	return value{}
}

func (f *frame) memory(n *node, a, b value) value {
	if a.kind != seqValue || b.kind != seqValue {
		return f.wrong(n.off, "'%s' works on slices", n.text)
	}
	if a.isText() && b.isText() {
		switch n.text {
		case "std.mem.startsWith":
			return boolOf(bytes.HasPrefix(a.bytes(), b.bytes()))
		case "std.mem.endsWith":
			return boolOf(bytes.HasSuffix(a.bytes(), b.bytes()))
		case "std.mem.indexOf":
			if i := bytes.Index(a.bytes(), b.bytes()); i >= 0 {
				return intOf(int64(i), namedType("usize"))
			}
			return value{kind: nullValue}
		}
		return boolOf(bytes.Equal(a.bytes(), b.bytes()))
	}
	if n.text == "std.mem.indexOf" {
		return f.wrong(n.off, "'std.mem.indexOf' works on text here")
	}
	if a.len < b.len || n.text == "std.mem.eql" && a.len != b.len {
		return boolOf(false)
	}
	from := 0
	if n.text == "std.mem.endsWith" {
		from = a.len - b.len
	}
	for i := range b.len {
		if !equal(a.at(from+i), b.at(i)) {
			return boolOf(false)
		}
	}
	return boolOf(true)
}

func (f *frame) bufPrint(n *node, args []value) value {
	buf := args[0]
	text := f.format(n.off, args[1], args[2])
	if f.err != nil {
		return value{}
	}
	if !buf.isText() {
		return f.wrong(n.off, "'std.fmt.bufPrint' prints into a buffer of u8")
	}
	if len(text) > buf.len {
		return f.wrong(n.off, "the text has %d bytes, the buffer %d", len(text), buf.len)
	}
	copy(buf.bytes(), text)
	buf.len, buf.typ = len(text), nil
	return buf
}

// effect fires an effect of the verb and returns what the handler answers.
func (f *frame) effect(n *node) value {
	var declared *check.Outcome
	for _, o := range f.call.Tor.Outcomes {
		if o.Effect && o.Name == n.text {
			declared = o
		}
	}
	payload := eval.NullValue()
	if len(n.kids) > 0 {
		v := f.eval(n.kids[0])
		if f.err != nil {
			return value{}
		}
		out, problem := toKoru(v, declared.Payload)
		if problem == "" && declared.Payload != nil {
			out, problem = fitted(out, declared.Payload)
		}
		if problem != "" {
			return f.wrong(n.off, "effect '%s': %s", n.text, problem)
		}
		payload = out
	}
	answer, err := f.call.Fire(n.text, payload)
	if err != nil {
		f.err = err
		return value{}
	}
	if answer.Branch != "" {
		l := &literal{names: []string{answer.Branch}, vals: []value{fromKoru(answer.Payload, nil)}}
		return value{kind: anonValue, anon: l}
	}
	return fromKoru(answer.Payload, declared.Resume)
}
