package eval

import (
	"fmt"
)

// rare runs the instructions that are not worth a place in the inner loop. It
// returns where the frame goes on; if it pushed a frame, the frame has been told
// already.
func (m *machine) rare(f *frame, in *instr, regs []Value) (pc int32, err error) {
	code, pc := f.code, f.pc
	consts := code.consts
	var v Value
	switch in.op {
	case opPart:
		v, err = partOf(value(regs, consts, in.b), code.paths[in.c])
	case opPlace:
		v = placeOf(value(regs, consts, in.b))
	case opWhole:
		v = whole(value(regs, consts, in.b))
	case opIndex:
		v, err = indexOf(value(regs, consts, in.b), value(regs, consts, in.c))
	case opSlice:
		v, err = sliceOf(value(regs, consts, in.b), value(regs, consts, in.c), value(regs, consts, in.d))
	case opLength:
		v, err = lengthOf(value(regs, consts, in.b))
	case opNot:
		v = BoolValue(!truth(value(regs, consts, in.b)))
	case opNegate:
		if v, err = negate(value(regs, consts, in.b)); err == nil {
			v, err = ranged(code, in.d>>8, v)
		}
	case opConcat:
		v, err = concat(value(regs, consts, in.b), value(regs, consts, in.c))
		m.charge(sizeOf(v))
	case opList:
		v = ListValue(append([]Value(nil), regs[in.b:in.b+in.c]...))
	case opBuiltin:
		v, err = callBuiltin(in.c, regs[in.b:in.b+in.d])
	case opFit:
		v = value(regs, consts, in.b)
		if err = m.weigh(v); err == nil {
			v, err = fitOp(v, code.types[in.c], code.names[in.d])
		}
	case opText:
		v = IntValue(int64(len(m.text)))
	case opLit:
		m.text = append(m.text, consts[^in.a].Str()...)
		return pc, m.textFits()
	case opSplice:
		return pc, m.splice(value(regs, consts, in.a), code.names[in.b])
	case opEndText:
		start := int(regs[in.a].num)
		v = StringValue(string(m.text[start:]))
		m.text = m.text[:start]
		m.charge(v.Len())
	case opCell, opRow, opCount:
		v, err = m.read(in, regs, consts)
	default:
		return m.path(f, in, regs)
	}
	if err != nil {
		return pc, err
	}
	regs[in.a] = v
	return pc, nil
}

// sizeOf returns the bytes that a new text or list takes.
func sizeOf(v Value) int {
	if v.kind == List {
		return 24 * v.Len()
	}
	return v.Len()
}

// splice appends a value to the text that is being put together.
func (m *machine) splice(v Value, spec string) error {
	if err := m.weigh(v); err != nil {
		return err
	}
	text, err := AppendFormat(m.text, v, spec)
	if err != nil {
		return err
	}
	m.text = text
	return m.textFits()
}

func (m *machine) textFits() error {
	if len(m.text) > MaxText {
		n := len(m.text)
		m.text = nil
		return tooLong(n)
	}
	return nil
}

// path runs the instructions that choose where a path goes on.
func (m *machine) path(f *frame, in *instr, regs []Value) (pc int32, err error) {
	code, pc := f.code, f.pc
	switch in.op {
	case opPanic, opUnarmed:
		return pc, unhandled(in, regs, code)
	case opEach:
		return pc, listState(regs[in.b:in.b+iteration], value(regs, code.consts, in.c))
	case opRange:
		return pc, rangeState(regs[in.b:in.b+iteration], value(regs, code.consts, in.c), value(regs, code.consts, in.d))
	}
	return m.store(f, in, regs)
}

// unhandled words an outcome that nobody handles.
func unhandled(in *instr, regs []Value, code *Code) error {
	verb, branch := code.names[in.c], code.names[in.d]
	carried := ""
	if in.b != nothing {
		carried = " with " + brief(value(regs, code.consts, in.b))
	}
	if in.op == opPanic {
		return fmt.Errorf("'%s' fired '%s'%s, which stops the program where nobody handles it", verb, branch, carried)
	}
	return fmt.Errorf("'%s' fired '%s'%s and no arm applies to it", verb, branch, carried)
}
