package zig

import (
	"errors"
	"fmt"

	"github.com/koru-go/koru/eval"
)

// maxSteps bounds how many nodes one call evaluates. It counts work, not time,
// so that the same call ends the same way on every machine.
const maxSteps = 50_000_000

// bytesAStep is how much memory costs a step: a body can make no more than 400
// MiB in all, and cannot hide work in long copies.
const bytesAStep = 8

// control says how a statement ended.
type control uint8

const (
	flows control = iota
	breaks
	continues
	returns
)

// frame is one call of a body.
type frame struct {
	call   *eval.Call
	vars   []value
	steps  int
	looked int // steps when the context was last looked at
	result value
	// returned is the place of the return that gave the result.
	returned int
	left     control // how errLeave leaves
	err      error
}

// lookEvery is how many steps pass between looks at the context.
const lookEvery = 4096

// step counts one node and notices that the call was cancelled.
func (f *frame) step(off int) bool { return f.charge(off, bytesAStep) }

// charge counts the work of making or moving so many bytes.
func (f *frame) charge(off, bytes int) bool {
	if f.err != nil {
		return false
	}
	f.steps += bytes / bytesAStep
	if f.steps-f.looked >= lookEvery {
		f.looked = f.steps
		if f.steps > maxSteps {
			return f.fail(off, "took more than %d steps and was stopped", maxSteps)
		}
		if ctx := f.call.Context; ctx != nil && ctx.Err() != nil {
			f.err = ctx.Err()
			return false
		}
	}
	return true
}

// fail ends the call with a fault at a place.
func (f *frame) fail(off int, format string, args ...any) bool {
	if f.err == nil {
		f.err = faultAt(off, "the |zig body "+format, args...)
	}
	return false
}

func (f *frame) wrong(off int, format string, args ...any) value {
	f.fail(off, format, args...)
	return value{}
}

// errLeave unwinds an expression that leaves its statement: x orelse return.
// How it leaves is in frame.left.
var errLeave = errors.New("leave")

func (f *frame) leave(n *node) value {
	if c := f.exec(n); f.err == nil {
		f.left, f.err = c, errLeave
	}
	return value{}
}

// exec runs one statement.
func (f *frame) exec(n *node) control {
	c := f.statement(n)
	if f.err == errLeave {
		f.err = nil
		return f.left
	}
	return c
}

func (f *frame) statement(n *node) control {
	if n == nil || !f.step(n.off) {
		return flows
	}
	switch n.op {
	case opBlock:
		for _, s := range n.kids {
			if c := f.exec(s); c != flows || f.err != nil {
				return c
			}
		}
	case opDeclare:
		f.vars[n.slot] = f.declared(n)
	case opAssign:
		f.assign(n)
	case opDiscard, opExprStmt:
		f.handled(n.kids[0])
	case opReturn:
		if len(n.kids) > 0 {
			f.result = f.handled(n.kids[0])
		}
		f.returned = n.off
		return returns
	case opIf:
		return f.branch(n)
	case opWhile:
		return f.while(n)
	case opFor:
		return f.forEach(n)
	case opSwitch:
		if body := f.chosen(n); body != nil {
			return f.exec(body)
		}
	case opBreak:
		return breaks
	case opContinue:
		return continues
	default:
		f.handled(n)
	}
	return flows
}

// handled evaluates an expression whose error, if it gives one, nothing catches.
func (f *frame) handled(n *node) value {
	v := f.eval(n)
	if v.kind == errorValue && f.err == nil {
		return f.wrong(n.off, "left error.%s without try or catch", v.name())
	}
	return v
}

// declared computes the first value of a variable, with its declared type.
func (f *frame) declared(n *node) value {
	v := f.handled(n.kids[0])
	if v.kind == undefinedValue && n.typ != nil && n.typ.kind == arrayKind {
		return f.blank(n.off, n.typ)
	}
	return f.copied(n.off, f.cast(n.off, v, n.typ, "the declared type"))
}

// copied gives an array its own memory, since assigning one copies it.
func (f *frame) copied(off int, v value) value {
	if v.kind == anonValue {
		return f.copiedLiteral(off, v)
	}
	if v.kind != seqValue || v.typ == nil || v.typ.kind != arrayKind {
		return v
	}
	if !f.charge(off, int(v.len)*v.seq.width()) {
		return value{}
	}
	seq := &sequence{elem: v.seq.elem}
	if v.isText() {
		seq.bytes = append([]byte{}, v.bytes()...)
	} else {
		seq.elems = append([]value{}, v.elems()...)
		for i, e := range seq.elems {
			seq.elems[i] = f.copied(off, e) // an array in an array is part of it
		}
	}
	v.seq, v.off = seq, 0
	return v
}

func (f *frame) copiedLiteral(off int, v value) value {
	if !f.charge(off, 64*len(v.anon.vals)) {
		return value{}
	}
	vals := make([]value, len(v.anon.vals))
	for i, e := range v.anon.vals {
		vals[i] = f.copied(off, e)
	}
	v.anon = &literal{names: v.anon.names, vals: vals}
	return v
}

// width is the memory an element takes.
func (s *sequence) width() int {
	if s.elems == nil {
		return 1
	}
	return 64
}

// blank returns the memory of an array whose elements are not set yet.
func (f *frame) blank(off int, t *zigType) value {
	if t.length < 0 {
		return f.wrong(off, "made an undefined array without a length")
	}
	v := value{kind: seqValue, typ: t, len: int32(t.length), seq: &sequence{elem: t.elem}}
	if t.elem.isBytes() {
		if f.charge(off, t.length) {
			v.seq.bytes = make([]byte, t.length)
		}
		return v
	}
	if !f.charge(off, 64*t.length) {
		return value{}
	}
	v.seq.elems = make([]value, t.length)
	for i := range v.seq.elems {
		v.seq.elems[i] = value{kind: undefinedValue}
		if t.elem.kind == arrayKind {
			if v.seq.elems[i] = f.blank(off, t.elem); f.err != nil {
				return value{}
			}
		}
	}
	return v
}

func (f *frame) assign(n *node) {
	target := n.kids[0]
	v := f.handled(n.kids[1])
	if n.text != "" {
		v = f.binary(n.off, n.text, f.eval(target), v)
	}
	if f.err != nil {
		return
	}
	switch target.op {
	case opVar:
		f.vars[target.slot] = f.copied(n.off, f.cast(n.off, v, f.typeOf(target), "the variable"))
	case opIndex:
		f.store(target, v)
	case opField:
		f.storeField(target, v)
	}
}

// typeOf returns the type of a variable: the declared one, or that of what it
// holds.
func (f *frame) typeOf(n *node) *zigType {
	if n.typ != nil {
		return n.typ
	}
	switch v := f.vars[n.slot]; v.kind {
	case intValue:
		return v.typ
	case floatValue:
		return f64Type
	case seqValue:
		if v.typ != nil && v.typ.kind == arrayKind {
			return v.typ
		}
	}
	return nil
}

func (f *frame) store(target *node, v value) {
	seq := f.eval(target.kids[0])
	i, ok := f.indexIn(target, seq)
	switch {
	case !ok:
	case seq.kind != seqValue || seq.seq.constant:
		f.fail(target.off, "assigned to an element of a constant")
	case seq.isText():
		if v = f.cast(target.off, v, u8Type, "the element"); f.err == nil {
			n, _ := v.small()
			seq.bytes()[i] = byte(n)
		}
	default:
		seq.elems()[i] = f.copied(target.off, f.cast(target.off, v, seq.seq.elem, "the element"))
	}
}

func (f *frame) storeField(target *node, v value) {
	of := f.eval(target.kids[0])
	if of.kind == anonValue {
		for i, name := range of.anon.names {
			if name == target.text {
				of.anon.vals[i] = v
				return
			}
		}
	}
	f.fail(target.off, "assigned to '%s', which %s does not have", target.text, of.describe())
}

// holds evaluates a condition; with a capture it asks for a value that is not
// null and binds it.
func (f *frame) holds(n *node) bool {
	v := f.handled(n.kids[0])
	switch {
	case f.err != nil:
		return false
	case n.text == "":
		return f.isTrue(n.kids[0].off, v)
	case v.kind == nullValue:
		return false
	}
	if n.slot >= 0 {
		f.vars[n.slot] = v
	}
	return true
}

func (f *frame) isTrue(off int, v value) bool {
	if f.err == nil && v.kind != boolValue {
		return f.fail(off, "has %s where a bool is wanted", v.describe())
	}
	return v.truth()
}

func (f *frame) branch(n *node) control {
	if f.holds(n) {
		return f.exec(n.kids[1])
	}
	if f.err != nil || n.kids[2] == nil {
		return flows
	}
	return f.exec(n.kids[2])
}

func (f *frame) while(n *node) control {
	for f.step(n.off) && f.holds(n) {
		switch c := f.exec(n.kids[2]); {
		case c == breaks:
			return flows
		case c == returns || f.err != nil:
			return c
		}
		f.exec(n.kids[1])
	}
	return flows
}

func (f *frame) forEach(n *node) control {
	items, from, to := f.items(n)
	base := int64(0)
	if n.kids[1] != nil {
		base = f.bound(n.kids[1].kids[1])
	}
	for i := from; f.err == nil && i < to && f.step(n.off); i++ {
		if n.slot >= 0 {
			f.vars[n.slot] = intOf(i, usizeType)
			if items.kind == seqValue {
				f.vars[n.slot] = items.at(int(i))
			}
		}
		if n.aux >= 0 {
			f.vars[n.aux] = intOf(base+i-from, usizeType)
		}
		switch c := f.exec(n.kids[2]); {
		case c == breaks:
			return flows
		case c == returns || f.err != nil:
			return c
		}
	}
	return flows
}

// items returns what a loop runs over: a sequence, or a range.
func (f *frame) items(n *node) (items value, from, to int64) {
	if r := n.kids[0]; r.op == opSlice && r.kids[0] == nil {
		if r.kids[2] == nil {
			f.fail(n.off, "loops over a range without an end")
			return
		}
		return value{}, f.bound(r.kids[1]), f.bound(r.kids[2])
	}
	items = f.handled(n.kids[0])
	if f.err == nil && items.kind != seqValue {
		f.fail(n.off, "loops over %s, which is no slice, array or range", items.describe())
	}
	return items, 0, int64(items.len)
}

// bound evaluates the bound of a range.
func (f *frame) bound(n *node) int64 {
	v := f.handled(n)
	i, ok := v.small()
	if f.err == nil && (!ok || i < 0) {
		f.fail(n.off, "has %s where the bound of a range is wanted", v.describe())
	}
	return i
}

// chosen returns the body of the prong that matches, or nil.
func (f *frame) chosen(n *node) *node {
	subject := f.handled(n.kids[0])
	for i := range n.prongs {
		p := &n.prongs[i]
		if f.err != nil {
			return nil
		}
		if len(p.patterns) == 0 || f.matches(subject, p) {
			return p.body
		}
	}
	f.fail(n.off, "has no prong in this switch for %s", subject.describe())
	return nil
}

func (f *frame) matches(subject value, p *prong) bool {
	for _, pattern := range p.patterns {
		switch {
		case pattern.op == opSlice:
			from, to := f.eval(pattern.kids[1]), f.eval(pattern.kids[2])
			if f.within(subject, from, to) {
				return true
			}
		case pattern.op == opEnum && subject.kind == anonValue:
			// The answer of an effect with named resume arms.
			if len(subject.anon.names) == 1 && subject.anon.names[0] == pattern.text {
				if p.slot >= 0 {
					f.vars[p.slot] = subject.anon.vals[0]
				}
				return true
			}
		default:
			if v := f.eval(pattern); f.comparable(pattern.off, subject, v) && equal(subject, v) {
				return true
			}
		}
	}
	return false
}

func (f *frame) within(v, from, to value) bool {
	if v.kind != intValue || from.kind != intValue || to.kind != intValue {
		return false
	}
	low, _ := eval.Compare(v.koru, from.koru)
	high, _ := eval.Compare(v.koru, to.koru)
	return low >= 0 && high <= 0
}

// cast checks that v may stand where t is expected, and gives it the type.
func (f *frame) cast(off int, v value, t *zigType, where string) value {
	if t == nil || f.err != nil || v.kind == undefinedValue {
		return v
	}
	misfit := false
	switch t.kind {
	case optionalKind:
		if v.kind == nullValue {
			return v
		}
		return f.cast(off, v, t.elem, where)
	case intKind:
		if misfit = v.kind != intValue; misfit {
			break
		}
		if !eval.InRange(v.koru, t.bits, t.signed) {
			return f.wrong(off, "has %s, which is out of range of %s", v.describe(), t.name)
		}
		v.typ = t
	case floatKind:
		if v.kind == intValue && v.typ == comptimeInt {
			return floatOf(v.koru.Float())
		}
		misfit = v.kind != floatValue
	case boolKind:
		misfit = v.kind != boolValue
	case sliceKind, arrayKind:
		if v.kind == anonValue && len(v.anon.names) == 0 {
			return f.arrayOf(off, v.anon.vals, t)
		}
		misfit = v.kind != seqValue || t.kind == arrayKind && t.length >= 0 && t.length != int(v.len)
	}
	if misfit {
		return f.wrong(off, "has %s, but %s wants %s", v.describe(), where, t)
	}
	return v
}

// arrayOf makes an array, or the array behind a slice, of values.
func (f *frame) arrayOf(off int, vals []value, t *zigType) value {
	if t.kind == arrayKind && t.length >= 0 && t.length != len(vals) {
		return f.wrong(off, "has %d elements, but the type says %d", len(vals), t.length)
	}
	if !f.charge(off, 64*len(vals)) {
		return value{}
	}
	typ := &zigType{kind: arrayKind, elem: t.elem, length: len(vals)}
	if t.elem.isBytes() {
		v := bytesOf(make([]byte, len(vals)))
		for i, e := range vals {
			n, _ := f.cast(off, e, t.elem, "the element").small()
			v.seq.bytes[i] = byte(n)
		}
		v.typ = typ
		return v
	}
	v := sequenceOf(make([]value, len(vals)), t.elem)
	v.typ = typ
	for i, e := range vals {
		v.seq.elems[i] = f.copied(off, f.cast(off, e, t.elem, "the element"))
	}
	return v
}

var f64Type = namedType("f64")

// String spells a type as Zig does.
func (t *zigType) String() string {
	switch t.kind {
	case anyKind:
		return "a value"
	case optionalKind:
		return "?" + t.elem.String()
	case sliceKind:
		return "[]" + t.elem.String()
	case arrayKind:
		if t.length < 0 {
			return "[_]" + t.elem.String()
		}
		return fmt.Sprintf("[%d]%s", t.length, t.elem)
	}
	return t.name
}
