package zig

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Bounds of what a body may hold. What it may make in all is bounded by its
// steps, see [frame.charge].
const (
	maxElements = 1 << 20  // of one array
	maxText     = 16 << 20 // bytes of one text
)

type valueKind uint8

const (
	voidValue valueKind = iota
	undefinedValue
	nullValue
	boolValue
	intValue
	floatValue
	seqValue   // a slice or array: a window on a sequence
	anonValue  // .{ … }
	enumValue  // .name
	errorValue // what bufPrint gives when its buffer is too small
	hostValue  // what came from Koru and is not looked into: a record, a handle
)

// value is one value of a running body.
type value struct {
	kind valueKind
	typ  *zigType   // of an integer, of an array, of a record
	koru eval.Value // a bool, a number, a name, what came from Koru
	seq  *sequence
	off  int32 // window on seq
	len  int32
	anon *literal
}

// sequence is the memory behind slices and arrays: bytes, or values.
type sequence struct {
	bytes []byte
	elems []value
	elem  *zigType // of bytes: u8
	// constant memory is that of literals, inputs and constants of the module:
	// other calls see it too.
	constant bool
}

// literal is an anonymous literal: with names, or a tuple.
type literal struct {
	names []string
	vals  []value
}

func boolOf(b bool) value                      { return value{kind: boolValue, koru: eval.BoolValue(b)} }
func intOf(n int64, t *zigType) value          { return value{kind: intValue, koru: eval.IntValue(n), typ: t} }
func integerOf(n eval.Value, t *zigType) value { return value{kind: intValue, koru: n, typ: t} }
func floatOf(f float64) value                  { return value{kind: floatValue, koru: eval.FloatValue(f)} }
func enumOf(name string) value                 { return value{kind: enumValue, koru: eval.StringValue(name)} }

// bytesOf returns text that the body may change, if it has a variable for it.
func bytesOf(b []byte) value {
	return value{kind: seqValue, seq: &sequence{bytes: b, elem: u8Type}, len: int32(len(b))}
}

// textOf returns text that no body may change.
func textOf(s string) value {
	v := bytesOf([]byte(s))
	v.seq.constant = true
	return v
}

func sequenceOf(elems []value, elem *zigType) value {
	if elems == nil {
		elems = []value{} // nil elements mean bytes
	}
	return value{kind: seqValue, seq: &sequence{elems: elems, elem: elem}, len: int32(len(elems))}
}

// small returns an integer that fits 64 bits.
func (v value) small() (int64, bool) {
	if v.kind != intValue {
		return 0, false
	}
	return v.koru.Int()
}

func (v value) truth() bool  { return v.koru.Bool() }
func (v value) name() string { return v.koru.Str() }

func (v value) isNumber() bool { return v.kind == intValue || v.kind == floatValue }

// isText reports whether the value is a window on bytes.
func (v value) isText() bool { return v.kind == seqValue && v.seq.elems == nil }

// bytes returns the bytes of a text.
func (v value) bytes() []byte { return v.seq.bytes[v.off : v.off+v.len] }

// elems returns the elements of an array that is no text.
func (v value) elems() []value { return v.seq.elems[v.off : v.off+v.len] }

// at returns the i-th element of a sequence.
func (v value) at(i int) value {
	if v.isText() {
		return intOf(int64(v.bytes()[i]), u8Type)
	}
	return v.elems()[i]
}

// describe names a value in messages.
func (v value) describe() string {
	switch v.kind {
	case voidValue:
		return "nothing"
	case undefinedValue:
		return "an undefined value"
	case nullValue, boolValue, intValue, floatValue:
		return eval.Describe(v.koru)
	case anonValue:
		return "an anonymous literal"
	case enumValue:
		return "." + v.name()
	case errorValue:
		return "error." + v.name()
	case hostValue:
		return eval.Describe(v.koru)
	}
	if v.isText() {
		return eval.Describe(eval.StringValue(string(v.bytes())))
	}
	return "an array"
}

// fromKoru turns an input into a value of the body.
func fromKoru(v eval.Value, t *zigType) value {
	if t.kind == optionalKind {
		t = t.elem
	}
	switch v.Kind() {
	case eval.Null:
		return value{kind: nullValue}
	case eval.Bool:
		return boolOf(v.Bool())
	case eval.Int:
		if t.kind != intKind {
			t = comptimeInt
		}
		return integerOf(v, t)
	case eval.Float:
		return floatOf(v.Float())
	case eval.String:
		return textOf(v.Str())
	case eval.List:
		elem := anyType
		if t.kind == sliceKind {
			elem = t.elem
		}
		elems := make([]value, v.Len())
		for i, e := range v.Elems() {
			elems[i] = fromKoru(e, elem)
		}
		list := sequenceOf(elems, elem)
		list.seq.constant = true
		return list
	}
	return value{kind: hostValue, koru: v, typ: t}
}

// typeOf returns the type under which a body sees what Koru declares as t.
func typeOf(t *check.Type) *zigType {
	if t == nil {
		return anyType
	}
	z := &zigType{kind: otherKind, name: t.Name}
	switch t.Kind {
	case check.IntType:
		z.kind, z.bits, z.signed = intKind, t.Bits, t.Signed
	case check.FloatType:
		z.kind = floatKind
	case check.BoolType:
		z.kind = boolKind
	case check.TextType, check.ChoiceType, check.SourceType, check.ExprType:
		z.kind, z.elem = sliceKind, u8Type
	case check.ListType:
		z.kind, z.elem = sliceKind, typeOf(t.Elem)
	case check.RecordType:
		z.names, z.fields = make([]string, len(t.Fields)), make([]*zigType, len(t.Fields))
		for i, f := range t.Fields {
			z.names[i], z.fields[i] = f.Name, typeOf(f.Type)
		}
	}
	if t.Optional {
		return &zigType{kind: optionalKind, elem: z, name: "?" + z.name}
	}
	return z
}

// toKoru turns a value of the body into one of Koru that fits t.
func toKoru(v value, t *check.Type) (eval.Value, error) {
	out, err := unfitted(v, t)
	if err != nil || t == nil {
		return out, err
	}
	return eval.Convert(out, t)
}

// unfitted does the turning; t says what is expected, so that a text and a list
// of bytes are told apart.
func unfitted(v value, t *check.Type) (eval.Value, error) {
	switch v.kind {
	case nullValue, voidValue:
		return eval.NullValue(), nil
	case boolValue, intValue, floatValue, hostValue:
		return v.koru, nil
	case enumValue:
		return choice(v, t)
	case seqValue:
		return sequenceToKoru(v, t)
	case anonValue:
		return literalToKoru(v.anon, t)
	}
	return eval.Value{}, &eval.Misfit{Problem: "wants a value, got " + v.describe()}
}

// choice turns .name into the literal of a choice type that it spells.
func choice(v value, t *check.Type) (eval.Value, error) {
	if t != nil && t.Kind == check.ChoiceType {
		for _, c := range t.Choices {
			if snake(c) == v.name() {
				return eval.StringValue(c), nil
			}
		}
	}
	return eval.Value{}, &eval.Misfit{Problem: "wants " + eval.TypeText(t) + ", got " + v.describe()}
}

// snake is the Zig spelling of a kebab name.
func snake(name string) string { return strings.ReplaceAll(name, "-", "_") }

func sequenceToKoru(v value, t *check.Type) (eval.Value, error) {
	if v.isText() && (t == nil || t.Kind != check.ListType) {
		return eval.StringValue(string(v.bytes())), nil
	}
	elem := (*check.Type)(nil)
	if t != nil {
		elem = t.Elem
	}
	elems := make([]eval.Value, v.len)
	for i := range elems {
		e, err := unfitted(v.at(i), elem)
		if err != nil {
			return eval.Value{}, err
		}
		elems[i] = e
	}
	return eval.ListValue(elems), nil
}

func literalToKoru(l *literal, t *check.Type) (eval.Value, error) {
	if len(l.names) == 0 {
		return sequenceToKoru(sequenceOf(l.vals, anyType), t)
	}
	vals := make([]eval.Value, len(l.vals))
	for i, v := range l.vals {
		e, err := unfitted(v, fieldType(t, l.names[i]))
		if err != nil {
			return eval.Value{}, err
		}
		vals[i] = e
	}
	return eval.RecordValue(eval.NewShape(l.names...), vals...), nil
}

func fieldType(t *check.Type, name string) *check.Type {
	if t != nil {
		for _, f := range t.Fields {
			if f.Name == name {
				return f.Type
			}
		}
	}
	return nil
}

// equal compares two values as == does.
func equal(a, b value) bool {
	switch {
	case a.isNumber() && b.isNumber():
		order, ok := eval.Compare(a.koru, b.koru)
		return ok && order == 0
	case a.kind != b.kind:
		return false
	}
	return a.koru.Equal(b.koru)
}
