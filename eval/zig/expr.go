package zig

import (
	"math"

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
		return f.assigned(n, f.vars[n.slot], "a variable")
	case opEnum:
		return n.num
	case opArray:
		return f.arrayOf(n.off, f.all(n.kids), n.typ)
	case opAnon:
		return value{kind: anonValue, anon: &literal{names: n.names, vals: f.all(n.kids)}}
	case opIndex:
		seq := f.handled(n.kids[0])
		if i, ok := f.indexIn(n, seq); ok {
			return f.assigned(n, elementOf(seq, i), "an element")
		}
	case opSlice:
		return f.slice(n)
	case opLen:
		return f.length(n)
	case opField:
		return f.field(n)
	case opAddress:
		return f.handled(n.kids[0])
	case opUnwrap:
		v := f.handled(n.kids[0])
		if v.kind == nullValue {
			return f.wrong(n.off, "unwrapped a null")
		}
		return v
	case opAnd, opOr:
		left := f.condition(n.kids[0])
		if f.err != nil || left == (n.op == opOr) {
			return boolOf(left)
		}
		return boolOf(f.condition(n.kids[1]))
	case opNot:
		return boolOf(!f.condition(n.kids[0]))
	case opNegate:
		return f.negate(n)
	case opBinary:
		return f.binary(n.off, n.text, f.handled(n.kids[0]), f.handled(n.kids[1]))
	case opOrElse:
		if v := f.handled(n.kids[0]); v.kind != nullValue || f.err != nil {
			return v
		}
		return f.fallback(n.kids[1])
	case opCatch:
		if v := f.eval(n.kids[0]); v.kind != errorValue || f.err != nil {
			return v
		}
		return f.fallback(n.kids[1])
	case opTry:
		v := f.eval(n.kids[0])
		if v.kind == errorValue && f.err == nil {
			return f.wrong(n.off, "returned error.%s", v.name())
		}
		return v
	case opIf:
		return f.choice(n)
	case opSwitch:
		if body := f.chosen(n); body != nil {
			return f.tail(body)
		}
	case opUnreachable:
		f.fail(n.off, "reached unreachable code")
	case opPanic:
		v := f.handled(n.kids[0])
		if f.err == nil && v.isText() {
			f.fail(n.off, "panicked: %s", v.bytes())
		}
		f.fail(n.off, "panicked")
	case opCast:
		return f.castTo(n)
	case opMod, opMin, opMax:
		return f.pick(n, f.handled(n.kids[0]), f.handled(n.kids[1]))
	case opCall:
		return f.function(n)
	case opEffect:
		return f.effect(n)
	default:
		f.fail(n.off, "has a statement where a value is wanted")
	}
	return value{}
}

func (f *frame) all(kids []*node) []value {
	vals := make([]value, len(kids))
	for i, k := range kids {
		vals[i] = f.handled(k)
	}
	return vals
}

// assigned refuses to read what was never set.
func (f *frame) assigned(n *node, v value, what string) value {
	if v.kind == undefinedValue {
		return f.wrong(n.off, "read %s that has no value yet", what)
	}
	return v
}

// fallback evaluates what stands behind orelse and catch: a value, or a way out.
func (f *frame) fallback(n *node) value {
	switch n.op {
	case opReturn, opBreak, opContinue:
		return f.leave(n)
	}
	return f.handled(n)
}

// tail evaluates the body of a prong where a value is wanted.
func (f *frame) tail(n *node) value {
	switch n.op {
	case opExprStmt:
		return f.handled(n.kids[0])
	case opBlock, opAssign:
		return f.wrong(n.off, "has a prong without a value where one is wanted")
	}
	return f.fallback(n)
}

func (f *frame) condition(n *node) bool { return f.isTrue(n.off, f.handled(n)) }

func (f *frame) choice(n *node) value {
	if f.holds(n) {
		return f.handled(n.kids[1])
	}
	if f.err != nil || n.kids[2] == nil {
		return value{}
	}
	return f.handled(n.kids[2])
}

// castTo carries out @as, and @intCast, whose type comes from where the value
// goes.
func (f *frame) castTo(n *node) value {
	v := f.handled(n.kids[0])
	if n.typ != nil {
		return f.cast(n.off, v, n.typ, n.text)
	}
	if f.err == nil && v.kind != intValue {
		return f.wrong(n.off, "has %s, but @intCast wants an integer", v.describe())
	}
	v.typ = comptimeInt
	return v
}

func elementOf(seq value, i int) value {
	if seq.kind == anonValue {
		return seq.anon.vals[i]
	}
	return seq.at(i)
}

// lengthOf returns the number of elements of a sequence or a tuple.
func lengthOf(v value) (int, bool) {
	switch {
	case v.kind == seqValue:
		return int(v.len), true
	case v.kind == anonValue && len(v.anon.names) == 0:
		return len(v.anon.vals), true
	}
	return 0, false
}

// indexIn evaluates the index of n and checks it against the sequence.
func (f *frame) indexIn(n *node, seq value) (int, bool) {
	length, ok := lengthOf(seq)
	if f.err == nil && !ok {
		return 0, f.fail(n.off, "indexed %s", seq.describe())
	}
	index := f.handled(n.kids[1])
	if f.err != nil {
		return 0, false
	}
	if index.kind != intValue {
		return 0, f.fail(n.kids[1].off, "has %s where an index is wanted", index.describe())
	}
	i, ok := index.small()
	if !ok || i < 0 || i >= int64(length) {
		return 0, f.fail(n.kids[1].off, "used index %s out of bounds: the length is %d", index.describe(), length)
	}
	return int(i), true
}

func (f *frame) slice(n *node) value {
	if n.kids[0] == nil {
		return f.wrong(n.off, "has a range where a value is wanted")
	}
	seq := f.handled(n.kids[0])
	if f.err == nil && seq.kind != seqValue {
		return f.wrong(n.off, "sliced %s", seq.describe())
	}
	from, to := f.bound(n.kids[1]), int64(seq.len)
	if n.kids[2] != nil {
		to = f.bound(n.kids[2])
	}
	if f.err != nil {
		return value{}
	}
	if from > to || to > int64(seq.len) {
		return f.wrong(n.off, "took the slice %d..%d out of bounds: the length is %d", from, to, seq.len)
	}
	seq.off += int32(from)
	seq.len = int32(to - from)
	seq.typ = nil // a slice refers to the array, it does not copy it
	return seq
}

func (f *frame) length(n *node) value {
	v := f.handled(n.kids[0])
	if length, ok := lengthOf(v); ok {
		return intOf(int64(length), usizeType)
	}
	return f.fieldOf(n, v, "len")
}

func (f *frame) field(n *node) value { return f.fieldOf(n, f.handled(n.kids[0]), n.text) }

func (f *frame) fieldOf(n *node, v value, name string) value {
	if f.err != nil {
		return value{}
	}
	switch v.kind {
	case anonValue:
		for i, n := range v.anon.names {
			if n == name {
				return v.anon.vals[i]
			}
		}
	case hostValue:
		if field, ok := v.koru.Field(name); ok {
			return fromKoru(field, v.typ.field(name))
		}
	}
	return f.wrong(n.off, "read '%s', which %s does not have", name, v.describe())
}

// field returns the type of a field of a record.
func (t *zigType) field(name string) *zigType {
	for i, n := range t.names {
		if n == name {
			return t.fields[i]
		}
	}
	return anyType
}

func (f *frame) negate(n *node) value {
	v := f.handled(n.kids[0])
	switch {
	case v.kind == floatValue:
		return floatOf(-v.koru.Float())
	case v.kind == intValue:
		return f.binary(n.off, "-", intOf(0, v.typ), v)
	}
	return f.wrong(n.off, "negated %s", v.describe())
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
	if !a.isNumber() || !b.isNumber() {
		if a.isNumber() {
			a = b
		}
		return f.wrong(off, "has %s where '%s' wants a number", a.describe(), op)
	}
	switch op {
	case "<", ">", "<=", ">=":
		order, ok := eval.Compare(a.koru, b.koru)
		return boolOf(ok && ordered(op, order))
	}
	return f.arithmetic(off, op[0], a, b)
}

func ordered(op string, order int) bool {
	switch op {
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	}
	return order >= 0
}

// comparable refuses what Zig does: == on slices, whose contents are compared
// with std.mem.eql, and on values of different kinds. Everything may be compared
// with null.
func (f *frame) comparable(off int, a, b value) bool {
	switch {
	case f.err != nil:
		return false
	case a.kind == nullValue || b.kind == nullValue || a.isNumber() && b.isNumber():
		return true
	case a.kind == seqValue && b.kind == seqValue:
		return f.fail(off, "compared slices with ==, which std.mem.eql does")
	case a.kind != b.kind:
		return f.fail(off, "compared %s with %s", a.describe(), b.describe())
	}
	return true
}

// arithmetic computes in the wider of the two types and checks the result.
func (f *frame) arithmetic(off int, op byte, a, b value) value {
	zero := b.koru.Float() == 0
	if zero && (op == '/' || op == '%') {
		return f.wrong(off, "came to a division by zero")
	}
	r, err := eval.Arith(op, a.koru, b.koru)
	switch {
	case err != nil:
		return f.wrong(off, "computed %s %c %s: %v", a.describe(), op, b.describe(), err)
	case r.Kind() == eval.Float:
		return floatOf(r.Float())
	}
	t := peer(a.typ, b.typ)
	if t.kind == intKind && !eval.InRange(r, t.bits, t.signed) {
		return f.wrong(off, "computed %s %c %s, which is out of range of %s", a.describe(), op, b.describe(), t.name)
	}
	return integerOf(r, t)
}

// peer returns the type that two integers meet in.
func peer(a, b *zigType) *zigType {
	if a.kind != intKind || b.kind == intKind && b.bits > a.bits {
		return b
	}
	return a
}

func (f *frame) concat(off int, a, b value) value {
	if a.kind == anonValue && len(a.anon.names) == 0 && b.kind == seqValue {
		a = f.arrayOf(off, a.anon.vals, &zigType{kind: sliceKind, elem: b.seq.elem})
	}
	if b.kind == anonValue && len(b.anon.names) == 0 && a.kind == seqValue {
		b = f.arrayOf(off, b.anon.vals, &zigType{kind: sliceKind, elem: a.seq.elem})
	}
	if f.err != nil {
		return value{}
	}
	if a.kind != seqValue || b.kind != seqValue || a.isText() != b.isText() {
		return f.wrong(off, "joined %s and %s with '++', which joins two texts or two arrays", a.describe(), b.describe())
	}
	length := int(a.len) + int(b.len)
	if a.isText() {
		if length > maxText {
			return f.wrong(off, "made a text longer than %d bytes", maxText)
		}
		if !f.charge(off, length) {
			return value{}
		}
		return bytesOf(append(append(make([]byte, 0, length), a.bytes()...), b.bytes()...))
	}
	if length > maxElements {
		return f.wrong(off, "made an array of more than %d elements", maxElements)
	}
	if !f.charge(off, 64*length) {
		return value{}
	}
	return sequenceOf(append(append(make([]value, 0, length), a.elems()...), b.elems()...), a.seq.elem)
}

// pick carries out @mod, @min and @max.
func (f *frame) pick(n *node, a, b value) value {
	if f.err != nil {
		return value{}
	}
	if !a.isNumber() || !b.isNumber() {
		if a.isNumber() {
			a = b
		}
		return f.wrong(n.off, "has %s where %s wants a number", a.describe(), n.text)
	}
	if n.op != opMod {
		order, _ := eval.Compare(a.koru, b.koru)
		if (order <= 0) == (n.op == opMin) {
			return a
		}
		return b
	}
	r := f.arithmetic(n.off, '%', a, b)
	if f.err != nil || sign(r) == 0 || sign(r) == sign(b) {
		return r
	}
	return f.arithmetic(n.off, '+', r, b) // the sign is the divisor's
}

func sign(v value) int {
	switch x := v.koru.Float(); {
	case x > 0:
		return 1
	case x < 0 || math.Signbit(x):
		return -1
	}
	return 0
}
