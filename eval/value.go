package eval

import (
	"math"
	"math/big"
	"unsafe"
)

// Kind says what a [Value] holds.
type Kind uint8

// The kinds of value that Koru programs pass around.
const (
	Null   Kind = iota // no value: the payload of a void outcome, an absent optional
	Bool               // true or false
	Int                // any integer; outside the range of int64 it is kept as a big.Int
	Float              // a float64
	String             // UTF-8 text (other bytes are kept as they are)
	List               // an ordered list of values
	Record             // named fields in declared order
	Handle             // a capability: a token with a host object behind it (*Dir, *Bridge)
	Opaque             // a host object without possession, for example a compiled scope
)

var kindNames = [...]string{"null", "bool", "integer", "float", "string", "list", "record", "handle", "host value"}

// String names the kind in the words that messages use.
func (k Kind) String() string { return kindNames[k] }

// Value is one Koru value in three machine words. Text, lists and records are
// shared, never copied: a Value is immutable and safe to hand to other
// goroutines. The zero Value is null.
//
// The layout is the one of log/slog: a kind, a number (or a length) and a
// pointer whose meaning the kind gives, so that passing text or a record
// through the machine does not allocate.
type Value struct {
	num  uint64
	ptr  unsafe.Pointer
	kind Kind
}

// Shape is the ordered list of field names that records of one type share.
type Shape struct {
	Names []string
}

// NewShape returns a shape with the given field names, in order.
func NewShape(names ...string) *Shape { return &Shape{Names: names} }

// Index returns the position of name in the shape, or -1. Shapes are short, so
// a linear scan beats a map.
func (s *Shape) Index(name string) int {
	for i, n := range s.Names {
		if n == name {
			return i
		}
	}
	return -1
}

type handle struct {
	token  string
	object any
}

// NullValue is the absent value.
func NullValue() Value { return Value{} }

// BoolValue returns b as a value.
func BoolValue(b bool) Value {
	v := Value{kind: Bool}
	if b {
		v.num = 1
	}
	return v
}

// IntValue returns i as a value.
func IntValue(i int64) Value { return Value{kind: Int, num: uint64(i)} }

// UintValue returns u as a value.
func UintValue(u uint64) Value {
	if u <= math.MaxInt64 {
		return IntValue(int64(u))
	}
	return BigValue(new(big.Int).SetUint64(u))
}

// BigValue returns b as a value; one that fits an int64 is stored as such, so
// that every integer has exactly one representation. The caller must not
// change b afterwards.
func BigValue(b *big.Int) Value {
	if b.IsInt64() {
		return IntValue(b.Int64())
	}
	return Value{kind: Int, ptr: unsafe.Pointer(b)}
}

// FloatValue returns f as a value.
func FloatValue(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }

// StringValue returns s as a value without copying it.
func StringValue(s string) Value {
	return Value{kind: String, num: uint64(len(s)), ptr: unsafe.Pointer(unsafe.StringData(s))}
}

// ListValue returns a list of elems. The caller must not change elems afterwards.
func ListValue(elems []Value) Value {
	return Value{kind: List, num: uint64(len(elems)), ptr: unsafe.Pointer(unsafe.SliceData(elems))}
}

// RecordValue returns a record of the given shape. vals holds one value a
// field, in the shape's order; it is copied.
func RecordValue(shape *Shape, vals ...Value) Value {
	cells := make([]Value, len(shape.Names)+1)
	cells[0] = Value{ptr: unsafe.Pointer(shape)}
	copy(cells[1:], vals)
	return Value{kind: Record, num: uint64(len(shape.Names)), ptr: unsafe.Pointer(unsafe.SliceData(cells))}
}

// HandleValue returns a capability whose printed form is token. A token names
// a handle to people and ledgers; it never confers possession.
func HandleValue(token string, object any) Value {
	return Value{kind: Handle, ptr: unsafe.Pointer(&handle{token: token, object: object})}
}

// OpaqueValue wraps a host object that Koru code can pass on but not look into.
func OpaqueValue(object any) Value {
	return Value{kind: Opaque, ptr: unsafe.Pointer(&handle{object: object})}
}

// Kind returns what the value holds.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is absent.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns the truth value of a Bool; false for every other kind.
func (v Value) Bool() bool { return v.kind == Bool && v.num != 0 }

// Int returns an Int as int64 and whether it fits.
func (v Value) Int() (int64, bool) { return int64(v.num), v.kind == Int && v.ptr == nil }

// Big returns an Int as a new big.Int (zero for other kinds).
func (v Value) Big() *big.Int {
	switch {
	case v.kind != Int:
		return new(big.Int)
	case v.ptr != nil:
		return new(big.Int).Set((*big.Int)(v.ptr))
	}
	return big.NewInt(int64(v.num))
}

// Float returns a Float, or an Int converted to float64.
func (v Value) Float() float64 {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.num)
	case Int:
		if v.ptr != nil {
			f, _ := new(big.Float).SetInt((*big.Int)(v.ptr)).Float64()
			return f
		}
		return float64(int64(v.num))
	}
	return 0
}

// Str returns the text of a String, the token of a Handle, and "" otherwise.
func (v Value) Str() string {
	switch v.kind {
	case String:
		return unsafe.String((*byte)(v.ptr), int(v.num))
	case Handle:
		return (*handle)(v.ptr).token
	}
	return ""
}

// Len returns the number of elements of a List, of fields of a Record, of
// bytes of a String.
func (v Value) Len() int {
	switch v.kind {
	case List, Record, String:
		return int(v.num)
	}
	return 0
}

// Elems returns the elements of a List, or the field values of a Record in
// shape order. The caller must not change them.
func (v Value) Elems() []Value {
	switch v.kind {
	case List:
		return unsafe.Slice((*Value)(v.ptr), int(v.num))
	case Record:
		return unsafe.Slice((*Value)(v.ptr), int(v.num)+1)[1:]
	}
	return nil
}

// Shape returns the field names of a Record, nil for other kinds.
func (v Value) Shape() *Shape {
	if v.kind != Record {
		return nil
	}
	return (*Shape)((*Value)(v.ptr).ptr)
}

// Field returns the field of a Record by name and whether it has one.
func (v Value) Field(name string) (Value, bool) {
	if v.kind != Record {
		return Value{}, false
	}
	if i := v.Shape().Index(name); i >= 0 {
		return v.Elems()[i], true
	}
	return Value{}, false
}

// Object returns the host object behind a Handle or an Opaque value.
func (v Value) Object() any {
	if v.kind == Handle || v.kind == Opaque {
		return (*handle)(v.ptr).object
	}
	return nil
}

// Equal reports whether two values are the same: numbers compare by value
// across Int and Float, lists element by element, records by field name, handles
// by token (those that have none yet, by identity), host values by identity.
//
// Like [AppendJSON] it keeps its own stack.
func (v Value) Equal(w Value) bool {
	if v.kind != List && v.kind != Record {
		return equalScalars(v, w)
	}
	var room [16]equalFrame
	stack := room[:0]
	for {
		switch {
		case v == w: // the same object, or the same scalar other than NaN
			if v.kind == Float && math.IsNaN(v.Float()) {
				return false
			}
		case v.kind == w.kind && (v.kind == List || v.kind == Record):
			if v.num != w.num {
				return false
			}
			stack = append(stack, equalFrame{v: v, w: w})
		case !equalScalars(v, w):
			return false
		}
		for len(stack) > 0 && stack[len(stack)-1].next == stack[len(stack)-1].v.Len() {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return true
		}
		var ok bool
		if v, w, ok = stack[len(stack)-1].step(); !ok {
			return false
		}
	}
}

// equalFrame is a pair of lists or records that is half compared.
type equalFrame struct {
	v, w Value
	next int
}

// step returns the next pair of elements; ok is false if w lacks the field.
func (f *equalFrame) step() (v, w Value, ok bool) {
	i := f.next
	f.next++
	v = f.v.Elems()[i]
	if f.v.kind == List {
		return v, f.w.Elems()[i], true
	}
	// Records of one type share their order, so the same place is tried first.
	name := f.v.Shape().Names[i]
	if f.w.Shape().Names[i] == name {
		return v, f.w.Elems()[i], true
	}
	w, ok = f.w.Field(name)
	return v, w, ok
}

func equalScalars(v, w Value) bool {
	if v.kind != w.kind {
		return (v.kind == Int || v.kind == Float) && (w.kind == Int || w.kind == Float) && v.Float() == w.Float()
	}
	switch v.kind {
	case Null:
		return true
	case Bool:
		return v.num == w.num
	case Int:
		if v.ptr != nil && w.ptr != nil {
			return (*big.Int)(v.ptr).Cmp((*big.Int)(w.ptr)) == 0
		}
		return v.ptr == nil && w.ptr == nil && v.num == w.num
	case Float:
		return v.Float() == w.Float()
	case String:
		return v.Str() == w.Str()
	case Handle:
		return v.ptr == w.ptr || v.Str() != "" && v.Str() == w.Str()
	case Opaque:
		return v.ptr == w.ptr
	}
	return false
}

// Outcome is what one call ended in: the branch that fired ("" for a void verb
// and for a bare return) and its payload, if it has one.
type Outcome struct {
	Branch  string
	Payload Value
	// Has tells a null payload from no payload.
	Has bool
}

// Fired returns an outcome without a payload.
func Fired(branch string) Outcome { return Outcome{Branch: branch} }

// Delivered returns an outcome that carries a payload. An empty branch is a
// bare return.
func Delivered(branch string, payload Value) Outcome {
	return Outcome{Branch: branch, Payload: payload, Has: true}
}
