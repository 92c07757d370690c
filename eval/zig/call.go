package zig

import (
	"bytes"
	"io"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// function calls one of the known functions of std.
func (f *frame) function(n *node) value {
	args := f.all(n.kids)
	if f.err != nil {
		return value{}
	}
	switch n.text {
	case "std.fmt.bufPrint":
		return f.bufPrint(n, args)
	case "std.fmt.allocPrint":
		return bytesOf(f.format(n.off, args[1], args[2]))
	case "std.debug.print":
		text := f.format(n.off, args[0], args[1])
		if f.err == nil && f.call.Host != nil && f.call.Host.Stderr != nil {
			io.WriteString(f.call.Host.Stderr, string(text))
		}
	case "std.heap.page_allocator":
	default:
		return f.memory(n, args[0], args[1])
	}
	return value{}
}

// memory carries out the functions of std.mem.
func (f *frame) memory(n *node, a, b value) value {
	if a.kind != seqValue || b.kind != seqValue {
		if a.kind == seqValue {
			a = b
		}
		return f.wrong(n.off, "has %s where %s wants a slice", a.describe(), n.text)
	}
	if !f.charge(n.off, int(a.len)+int(b.len)) {
		return value{}
	}
	switch n.text {
	case "std.mem.eql":
		return boolOf(a.len == b.len && f.beginsAt(n, a, b, 0))
	case "std.mem.startsWith":
		return boolOf(a.len >= b.len && f.beginsAt(n, a, b, 0))
	case "std.mem.endsWith":
		return boolOf(a.len >= b.len && f.beginsAt(n, a, b, int(a.len-b.len)))
	}
	if a.isText() && b.isText() {
		if i := bytes.Index(a.bytes(), b.bytes()); i >= 0 {
			return intOf(int64(i), usizeType)
		}
		return value{kind: nullValue}
	}
	for i := 0; i <= int(a.len-b.len) && f.err == nil; i++ {
		if f.charge(n.off, bytesAStep) && f.beginsAt(n, a, b, i) {
			return intOf(int64(i), usizeType)
		}
	}
	return value{kind: nullValue}
}

// beginsAt reports whether b stands at a place of a, which has room for it.
func (f *frame) beginsAt(n *node, a, b value, at int) bool {
	if a.isText() && b.isText() {
		return bytes.Equal(a.bytes()[at:at+int(b.len)], b.bytes())
	}
	for i := range int(b.len) {
		x, y := a.at(at+i), b.at(i)
		if !f.charge(n.off, bytesAStep) || !f.comparable(n.off, x, y) || !equal(x, y) {
			return false
		}
	}
	return true
}

// bufPrint prints into a buffer and returns the part that was filled, or
// error.NoSpaceLeft.
func (f *frame) bufPrint(n *node, args []value) value {
	buf := args[0]
	text := f.format(n.off, args[1], args[2])
	switch {
	case f.err != nil:
		return value{}
	case !buf.isText():
		return f.wrong(n.off, "has %s where std.fmt.bufPrint wants a buffer of u8", buf.describe())
	case buf.seq.constant:
		return f.wrong(n.off, "printed into a constant")
	case len(text) > int(buf.len):
		return value{kind: errorValue, koru: eval.StringValue("NoSpaceLeft")}
	}
	copy(buf.bytes(), text)
	buf.len, buf.typ = int32(len(text)), nil
	return buf
}

// effect fires an effect of the verb and returns what the handler answers: the
// value of a `-> T`, .{ .arm = payload } of named resume arms, nothing of a void
// effect.
func (f *frame) effect(n *node) value {
	declared := n.effect
	payload := eval.NullValue()
	for _, v := range f.all(n.kids) {
		if f.err != nil {
			return value{}
		}
		var err error
		if payload, err = toKoru(v, declared.Payload); err != nil {
			return f.wrong(n.off, "fired '%s' with a payload that does not fit: %s", declared.Name, err)
		}
	}
	if f.err != nil {
		return value{}
	}
	answer, err := f.call.Fire(declared.Name, payload)
	switch {
	case err != nil:
		f.err = err
		return value{}
	case answer.Branch == "" && !answer.Has:
		return value{}
	case answer.Branch == "":
		return fromKoru(answer.Payload, typeOf(declared.Resume))
	}
	l := &literal{names: []string{snake(answer.Branch)}, vals: []value{{}}}
	if answer.Has {
		l.vals[0] = fromKoru(answer.Payload, typeOf(armPayload(declared, answer.Branch)))
	}
	return value{kind: anonValue, anon: l}
}

func armPayload(effect *check.Outcome, arm string) *check.Type {
	for _, a := range effect.ResumeArms {
		if a.Name == arm {
			return a.Payload
		}
	}
	return nil
}
