package zig

import (
	"math"
	"math/big"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Bounds of what a body may hold.
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
	seqValue  // a slice or array: a window on a sequence
	anonValue // .{ … }
	enumValue // .name
	hostValue // what came from Koru and is not looked into: a record, a handle
)

// value is one value of a running body.
type value struct {
	kind valueKind
	typ  *zigType // of an integer; of an array
	n    int64    // an integer, or 1 for true
	big  *big.Int // an integer beyond int64
	f    float64
	seq  *sequence
	off  int // window on seq
	len  int
	anon *literal
	text string // of an enum literal
	host eval.Value
}

// sequence is the memory behind slices and arrays: bytes, or values.
type sequence struct {
	bytes []byte
	elems []value
	elem  *zigType // of bytes: u8
}

// literal is an anonymous literal: with names, or a tuple.
type literal struct {
	names []string
	vals  []value
}

var byteType = &zigType{kind: intKind, bits: 8, name: "u8"}

func intOf(n int64, t *zigType) value { return value{kind: intValue, n: n, typ: t} }
func floatOf(f float64) value         { return value{kind: floatValue, f: f} }

func boolOf(b bool) value {
	v := value{kind: boolValue}
	if b {
		v.n = 1
	}
	return v
}

func textOf(s string) value { return bytesOf([]byte(s)) }

func bytesOf(b []byte) value {
	return value{kind: seqValue, seq: &sequence{bytes: b, elem: byteType}, len: len(b)}
}

func bigOf(b *big.Int, t *zigType) value {
	if b.IsInt64() {
		return intOf(b.Int64(), t)
	}
	return value{kind: intValue, big: b, typ: t}
}

func (v value) integer() *big.Int {
	if v.big != nil {
		return v.big
	}
	return big.NewInt(v.n)
}

// small returns an integer that fits 64 bits.
func (v value) small() (int64, bool) { return v.n, v.kind == intValue && v.big == nil }

// isText reports whether the value is a window on bytes.
func (v value) isText() bool { return v.kind == seqValue && v.seq.elems == nil }

// bytes returns the bytes of a text.
func (v value) bytes() []byte { return v.seq.bytes[v.off : v.off+v.len] }

// at returns the i-th element of a sequence.
func (v value) at(i int) value {
	if v.isText() {
		return intOf(int64(v.seq.bytes[v.off+i]), byteType)
	}
	return v.seq.elems[v.off+i]
}

// kindName names a value in messages.
func (v value) kindName() string {
	switch v.kind {
	case voidValue:
		return "nothing"
	case undefinedValue:
		return "an undefined value"
	case nullValue:
		return "null"
	case boolValue:
		return "a bool"
	case intValue:
		return "an integer"
	case floatValue:
		return "a float"
	case anonValue:
		return "an anonymous literal"
	case enumValue:
		return "." + v.text
	case hostValue:
		return "a " + v.host.Kind().String()
	}
	if v.isText() {
		return "text"
	}
	return "an array"
}

// parseInt reads an integer as Zig writes it.
func parseInt(s string) (value, bool) {
	s = strings.ReplaceAll(s, "_", "")
	base := 10
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'x':
			base, s = 16, s[2:]
		case 'b':
			base, s = 2, s[2:]
		case 'o':
			base, s = 8, s[2:]
		}
	}
	if len(s) > 64 {
		return value{}, false
	}
	n, ok := new(big.Int).SetString(s, base)
	if !ok {
		return value{}, false
	}
	return bigOf(n, comptimeInt), true
}

// fits reports whether the integer n is in the range of t.
func fits(n *big.Int, t *zigType) bool {
	if t == nil || t.kind != intKind {
		return true
	}
	if !t.signed {
		return n.Sign() >= 0 && n.BitLen() <= t.bits
	}
	if n.Sign() < 0 {
		return new(big.Int).Not(n).BitLen() <= t.bits-1
	}
	return n.BitLen() <= t.bits-1
}

// fromKoru turns an input into a value of the body.
func fromKoru(v eval.Value, t *check.Type) value {
	switch v.Kind() {
	case eval.Null:
		return value{kind: nullValue}
	case eval.Bool:
		return boolOf(v.Bool())
	case eval.Int:
		return bigOf(v.Big(), intTypeOf(t))
	case eval.Float:
		return floatOf(v.Float())
	case eval.String:
		return textOf(v.Str())
	case eval.List:
		elems := make([]value, v.Len())
		for i, e := range v.Elems() {
			elem := (*check.Type)(nil)
			if t != nil {
				elem = t.Elem
			}
			elems[i] = fromKoru(e, elem)
		}
		return value{kind: seqValue, seq: &sequence{elems: elems}, len: len(elems)}
	}
	return value{kind: hostValue, host: v}
}

func intTypeOf(t *check.Type) *zigType {
	if t == nil || t.Kind != check.IntType || t.Bits == 0 {
		return comptimeInt
	}
	return &zigType{kind: intKind, bits: t.Bits, signed: t.Signed, name: t.Name}
}

// toKoru turns a value of the body into one of Koru; t says what is expected,
// so that a text and a list of bytes are told apart.
func toKoru(v value, t *check.Type) (eval.Value, string) {
	switch v.kind {
	case nullValue, voidValue:
		return eval.NullValue(), ""
	case boolValue:
		return eval.BoolValue(v.n != 0), ""
	case intValue:
		return eval.BigValue(v.integer()), ""
	case floatValue:
		return eval.FloatValue(v.f), ""
	case hostValue:
		return v.host, ""
	case enumValue:
		return eval.StringValue(strings.ReplaceAll(v.text, "_", "-")), ""
	case seqValue:
		return sequenceToKoru(v, t)
	case anonValue:
		return literalToKoru(v.anon, t)
	}
	return eval.Value{}, v.kindName() + " is no value to return"
}

func sequenceToKoru(v value, t *check.Type) (eval.Value, string) {
	if v.isText() && (t == nil || t.Kind != check.ListType) {
		return eval.StringValue(string(v.bytes())), ""
	}
	elem := (*check.Type)(nil)
	if t != nil {
		elem = t.Elem
	}
	elems := make([]eval.Value, v.len)
	for i := range elems {
		e, problem := toKoru(v.at(i), elem)
		if problem != "" {
			return eval.Value{}, problem
		}
		elems[i] = e
	}
	return eval.ListValue(elems), ""
}

func literalToKoru(l *literal, t *check.Type) (eval.Value, string) {
	if len(l.names) == 0 {
		elems := value{kind: seqValue, seq: &sequence{elems: l.vals}, len: len(l.vals)}
		return sequenceToKoru(elems, t)
	}
	vals := make([]eval.Value, len(l.vals))
	for i, v := range l.vals {
		field := (*check.Type)(nil)
		if t != nil {
			for _, f := range t.Fields {
				if f.Name == l.names[i] {
					field = f.Type
				}
			}
		}
		e, problem := toKoru(v, field)
		if problem != "" {
			return eval.Value{}, problem
		}
		vals[i] = e
	}
	return eval.RecordValue(eval.NewShape(l.names...), vals...), ""
}

// equal compares two values as == does.
func equal(a, b value) bool {
	switch {
	case a.kind == intValue && b.kind == intValue:
		return a.integer().Cmp(b.integer()) == 0
	case isNumber(a) && isNumber(b):
		return a.float() == b.float()
	case a.kind == hostValue && b.kind == hostValue:
		return a.host.Equal(b.host)
	case a.kind != b.kind:
		return false
	case a.kind == enumValue:
		return a.text == b.text
	}
	return a.n == b.n
}

func isNumber(v value) bool { return v.kind == intValue || v.kind == floatValue }

func (v value) float() float64 {
	if v.kind == floatValue {
		return v.f
	}
	if v.big != nil {
		f, _ := new(big.Float).SetInt(v.big).Float64()
		return f
	}
	return float64(v.n)
}

// floatText prints a float in decimal, as {d} does.
func floatText(f float64) string {
	if math.IsNaN(f) {
		return "nan"
	}
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(map[bool]string{true: "inf", false: "-inf"}[f > 0], "+")
	}
	return eval.Text(eval.FloatValue(f))
}
