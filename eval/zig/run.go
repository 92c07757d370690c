package zig

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/koru-go/koru/eval"
)

// maxSteps bounds how many nodes one call evaluates. It counts work, not time,
// so that the same call ends the same way on every machine.
const maxSteps = 50_000_000

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
	result value
	left   control // how errLeave leaves
	err    error
}

// runtimeFault is a located failure of a running body.
type runtimeFault struct {
	off     int
	message string
}

func (f *runtimeFault) Error() string { return f.message }

// step counts one node and notices that the call was cancelled.
func (f *frame) step(off int) bool {
	if f.err != nil {
		return false
	}
	f.steps++
	if f.steps > maxSteps {
		return f.fail(off, "the body took more than %d steps", maxSteps)
	}
	if f.steps%1024 == 0 && f.call.Context != nil {
		if err := f.call.Context.Err(); err != nil {
			f.err = context.Cause(f.call.Context)
			return false
		}
	}
	return true
}

func (f *frame) fail(off int, format string, args ...any) bool {
	if f.err == nil {
		f.err = &runtimeFault{off, fmt.Sprintf(format, args...)}
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
		f.eval(n.kids[0])
	case opReturn:
		if len(n.kids) > 0 {
			f.result = f.eval(n.kids[0])
		}
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
		f.eval(n)
	}
	return flows
}

// declared computes the first value of a variable, with its declared type.
func (f *frame) declared(n *node) value {
	v := f.eval(n.kids[0])
	if v.kind == undefinedValue && n.typ != nil && n.typ.kind == arrayKind {
		return f.blank(n.off, n.typ)
	}
	return f.copied(f.cast(n.off, v, n.typ, "the declared type"))
}

// copied gives an array its own memory, since assigning one copies it.
func (f *frame) copied(v value) value {
	if v.kind != seqValue || v.typ == nil || v.typ.kind != arrayKind {
		return v
	}
	seq := &sequence{elem: v.seq.elem}
	if v.isText() {
		seq.bytes = append([]byte(nil), v.bytes()...)
	} else {
		seq.elems = append([]value(nil), v.seq.elems[v.off:v.off+v.len]...)
	}
	v.seq, v.off = seq, 0
	return v
}

// blank returns the memory of an array whose elements are not set yet.
func (f *frame) blank(off int, t *zigType) value {
	if t.length < 0 {
		return f.wrong(off, "an undefined array needs its length")
	}
	v := value{kind: seqValue, typ: t, len: t.length, seq: &sequence{elem: t.elem}}
	if t.elem.kind == intKind && t.elem.bits == 8 && !t.elem.signed {
		v.seq.bytes = make([]byte, t.length)
		return v
	}
	v.seq.elems = make([]value, t.length)
	for i := range v.seq.elems {
		v.seq.elems[i] = value{kind: undefinedValue}
		if t.elem.kind == arrayKind {
			v.seq.elems[i] = f.blank(off, t.elem)
		}
	}
	return v
}

func (f *frame) assign(n *node) {
	target := n.kids[0]
	v := f.eval(n.kids[1])
	if n.text != "" {
		v = f.binary(n.off, n.text, f.eval(target), v)
	}
	if f.err != nil {
		return
	}
	switch target.op {
	case opVar:
		old := f.vars[target.slot]
		if old.kind == intValue {
			v = f.cast(n.off, v, old.typ, "the variable")
		}
		f.vars[target.slot] = f.copied(v)
	case opIndex:
		f.store(target, v)
	case opField:
		f.storeField(target, v)
	}
}

func (f *frame) store(target *node, v value) {
	seq := f.eval(target.kids[0])
	i, ok := f.indexIn(target, seq)
	if !ok {
		return
	}
	if !seq.isText() {
		seq.seq.elems[seq.off+i] = f.copied(f.cast(target.off, v, seq.seq.elem, "the element"))
		return
	}
	if v = f.cast(target.off, v, byteType, "the element"); f.err == nil {
		seq.seq.bytes[seq.off+i] = byte(v.n)
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
	f.fail(target.off, "%s has no field '%s' to assign", of.kindName(), target.text)
}

// holds evaluates a condition; with a capture it asks for a value that is not
// null and binds it.
func (f *frame) holds(n *node) bool {
	v := f.eval(n.kids[0])
	if n.text != "" {
		if v.kind == nullValue || f.err != nil {
			return false
		}
		if n.slot >= 0 {
			f.vars[n.slot] = v
		}
		return true
	}
	if v.kind != boolValue {
		return f.fail(n.kids[0].off, "a condition is a bool, this is %s", v.kindName())
	}
	return v.n != 0
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
	var seq value
	from, to := int64(0), int64(0)
	isRange := n.kids[0].op == opSlice && n.kids[0].kids[0] == nil
	if isRange {
		if n.kids[0].kids[2] == nil {
			f.fail(n.off, "a loop needs a range with an end")
			return flows
		}
		from, to = f.bound(n.kids[0].kids[1]), f.bound(n.kids[0].kids[2])
	} else {
		if seq = f.eval(n.kids[0]); f.err == nil && seq.kind != seqValue {
			f.fail(n.off, "a loop runs over a slice, an array or a range, this is %s", seq.kindName())
		}
		to = int64(seq.len)
	}
	base := int64(0)
	if n.kids[1] != nil {
		base = f.bound(n.kids[1].kids[1])
	}
	usize := namedType("usize")
	for i := from; i < to && f.step(n.off); i++ {
		if n.slot >= 0 {
			f.vars[n.slot] = intOf(i, usize)
			if !isRange {
				f.vars[n.slot] = seq.at(int(i))
			}
		}
		if n.aux >= 0 {
			f.vars[n.aux] = intOf(base+i-from, usize)
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

// bound evaluates the bound of a range.
func (f *frame) bound(n *node) int64 {
	v := f.eval(n)
	i, ok := v.small()
	if !ok || i < 0 {
		f.fail(n.off, "a bound is an integer that is not negative, this is %s", v.kindName())
		return 0
	}
	return i
}

// chosen returns the body of the prong that matches, or nil.
func (f *frame) chosen(n *node) *node {
	subject := f.eval(n.kids[0])
	for _, p := range n.prongs {
		if f.err != nil {
			return nil
		}
		if len(p.patterns) == 0 || f.matches(subject, p.patterns) {
			return p.body
		}
	}
	f.fail(n.off, "no prong of this switch matches %s", subject.kindName())
	return nil
}

func (f *frame) matches(subject value, patterns []*node) bool {
	for _, p := range patterns {
		if p.op == opSlice {
			from, to := f.eval(p.kids[1]), f.eval(p.kids[2])
			if subject.kind == intValue && from.kind == intValue && to.kind == intValue &&
				subject.integer().Cmp(from.integer()) >= 0 && subject.integer().Cmp(to.integer()) <= 0 {
				return true
			}
			continue
		}
		if equal(subject, f.eval(p)) {
			return true
		}
	}
	return false
}

// cast checks that v may stand where t is expected.
func (f *frame) cast(off int, v value, t *zigType, where string) value {
	if t == nil || f.err != nil {
		return v
	}
	switch {
	case t.kind == optionalKind:
		if v.kind == nullValue {
			return v
		}
		return f.cast(off, v, t.elem, where)
	case t.kind == intKind && v.kind == intValue:
		if !fits(v.integer(), t) {
			return f.wrong(off, "%s is out of range of %s", v.integer(), t.name)
		}
		v.typ = t
	case t.kind == floatKind && v.kind == intValue && v.typ == comptimeInt:
		return floatOf(v.float())
	case t.kind == intKind && v.kind != undefinedValue,
		t.kind == floatKind && v.kind != floatValue && v.kind != undefinedValue,
		t.kind == boolKind && v.kind != boolValue && v.kind != undefinedValue:
		return f.wrong(off, "%s wants %s, this is %s", where, t.name, v.kindName())
	}
	return v
}

// errUnreachable is what a body fails with that reached `unreachable`.
var errUnreachable = errors.New("reached unreachable code")

// arithmetic of integers beyond 64 bits.
func bigArithmetic(op string, a, b *big.Int) *big.Int {
	z := new(big.Int)
	switch op {
	case "+":
		return z.Add(a, b)
	case "-":
		return z.Sub(a, b)
	case "*":
		return z.Mul(a, b)
	case "/":
		return z.Quo(a, b)
	}
	return z.Rem(a, b)
}
