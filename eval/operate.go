package eval

import (
	"fmt"
	"math"

	"github.com/koru-go/koru/check"
)

// truth says whether a value counts as true where a condition is wanted
// (bridge.md 4.6): true, a number other than zero, text that is not empty.
// Where types are known only bool gets this far.
func truth(v Value) bool {
	switch v.kind {
	case Bool:
		return v.num != 0
	case Int:
		return v.ptr != nil || v.num != 0
	case Float:
		return v.Float() != 0
	case String:
		return v.num != 0
	}
	return false
}

// arith computes an arithmetic instruction and holds an integer to its type.
func arith(code *Code, in *instr, x, y Value) (Value, error) {
	op := byte(in.d)
	v, err := Arith(op, x, y)
	if err != nil {
		return v, err
	}
	if v.kind == Null {
		return v, fmt.Errorf("'%c' wants two numbers, got %s and %s", op, Describe(x), Describe(y))
	}
	return ranged(code, in.d>>8, v)
}

// ranged holds an integer to the type that the checker derived for it.
func ranged(code *Code, width int32, v Value) (Value, error) {
	if width == 0 || v.kind != Int {
		return v, nil
	}
	t := code.types[width-1]
	if InRange(v, t.Bits, t.Signed) {
		return v, nil
	}
	return v, fmt.Errorf("integer overflow: %s is not in the range of %s", Describe(v), t.Name)
}

func negate(v Value) (Value, error) {
	switch v.kind {
	case Float:
		return FloatValue(-v.Float()), nil
	case Int:
		return Arith('-', IntValue(0), v)
	}
	return v, fmt.Errorf("'-' wants a number, got %s", Describe(v))
}

func order(x, y Value, want int32) (Value, error) {
	by, ok := Compare(x, y)
	if !ok {
		if isNumber(x) && isNumber(y) { // not a number: no order holds
			return BoolValue(false), nil
		}
		return Value{}, fmt.Errorf("%s and %s have no order: compare two numbers or two texts", Describe(x), Describe(y))
	}
	switch want {
	case less:
		return BoolValue(by < 0), nil
	case lessOrEqual:
		return BoolValue(by <= 0), nil
	case greater:
		return BoolValue(by > 0), nil
	}
	return BoolValue(by >= 0), nil
}

func isNumber(v Value) bool { return v.kind == Int || v.kind == Float }

// fieldOfValue reads a field of a record or a cell of a row.
func fieldOfValue(v Value, name string) (Value, error) {
	if v.kind == Record {
		if f, ok := v.Field(name); ok {
			return f, nil
		}
		return Value{}, fmt.Errorf("the value has no field '%s'", name)
	}
	if row, ok := v.Object().(*Row); ok && v.kind == Opaque {
		if i := row.store.Column(name); i >= 0 {
			return row.Cell(i), nil
		}
		return fieldOfValue(row.Value(), name)
	}
	if v.kind == Null {
		return Value{}, fmt.Errorf("there is no field '%s' in null", name)
	}
	return Value{}, fmt.Errorf("there is no field '%s' in %s", name, Describe(v))
}

// partOf follows a path of fields.
func partOf(v Value, path []string) (Value, error) {
	for _, name := range path {
		var err error
		if v, err = fieldOfValue(v, name); err != nil {
			return v, err
		}
	}
	return v, nil
}

// whole turns a row into the value that programs see.
func whole(v Value) Value {
	if v.kind == Opaque {
		if row, ok := v.Object().(*Row); ok {
			return row.Value()
		}
	}
	return v
}

// placeOf returns the place of a row, what name[i] finds it under.
func placeOf(v Value) Value {
	if row, ok := v.Object().(*Row); ok && v.kind == Opaque {
		return IntValue(int64(row.Index()))
	}
	return Value{}
}

func indexOf(x, y Value) (Value, error) {
	i, ok := y.Int()
	if y.kind != Int {
		return Value{}, fmt.Errorf("an index is an integer, got %s", Describe(y))
	}
	if x.kind != List && x.kind != String {
		return Value{}, fmt.Errorf("%s cannot be indexed", Describe(x))
	}
	if !ok || i < 0 || i >= int64(x.Len()) {
		return Value{}, fmt.Errorf("index %s is out of range: %s", Describe(y), extent(x))
	}
	if x.kind == String {
		return IntValue(int64(x.Str()[i])), nil
	}
	return x.Elems()[i], nil
}

func extent(x Value) string {
	what := "the list has %d elements"
	if x.kind == String {
		what = "the text has %d bytes"
	}
	return fmt.Sprintf(what, x.Len())
}

// sliceOf returns the elements or bytes from one place up to another.
func sliceOf(x, from, to Value) (Value, error) {
	if x.kind != List && x.kind != String {
		return Value{}, fmt.Errorf("%s cannot be sliced", Describe(x))
	}
	if to.kind == Null {
		to = IntValue(int64(x.Len()))
	}
	i, ok1 := from.Int()
	j, ok2 := to.Int()
	if !ok1 || !ok2 || i < 0 || j < i || j > int64(x.Len()) {
		return Value{}, fmt.Errorf("%s..%s is out of range: %s", Describe(from), Describe(to), extent(x))
	}
	if x.kind == String {
		return StringValue(x.Str()[i:j]), nil
	}
	return ListValue(x.Elems()[i:j:j]), nil
}

func lengthOf(v Value) (Value, error) {
	if v.kind == List || v.kind == String {
		return IntValue(int64(v.Len())), nil
	}
	return Value{}, fmt.Errorf("there is no length of %s", Describe(v))
}

// weigh refuses a value that is too large to be looked at as a whole. Values
// share their parts, so a few steps can make one that has more parts than there
// are bytes; whoever walks over it would never end.
func (m *machine) weigh(v Value) error {
	if !nested(v) {
		return nil
	}
	w := Weight(v, MaxText)
	m.charge(w)
	if w > MaxText {
		return fmt.Errorf("%s takes more than %d bytes, too much for one value", Describe(v), MaxText)
	}
	return nil
}

// nested reports whether a value has parts that have parts.
func nested(v Value) bool {
	switch v.kind {
	case List:
		return true
	case Record:
		for _, e := range v.Elems() {
			if e.kind == List || e.kind == Record {
				return true
			}
		}
	}
	return false
}

func concat(x, y Value) (Value, error) {
	switch {
	case x.kind == String && y.kind == String:
		if x.Len()+y.Len() > MaxText {
			return Value{}, tooLong(x.Len() + y.Len())
		}
		return StringValue(x.Str() + y.Str()), nil
	case x.kind == List && y.kind == List:
		n := x.Len() + y.Len()
		if n > maxElements {
			return Value{}, fmt.Errorf("a list of %d elements is longer than %d, the most that a list has", n, maxElements)
		}
		elems := make([]Value, 0, n)
		return ListValue(append(append(elems, x.Elems()...), y.Elems()...)), nil
	}
	return Value{}, fmt.Errorf("'++' joins two texts or two lists, got %s and %s", Describe(x), Describe(y))
}

// maxElements bounds the lists that a program joins.
const maxElements = MaxText / 24

func tooLong(n int) error {
	return fmt.Errorf("a text of %d bytes is longer than %d, the most that a text has", n, MaxText)
}

// rangeState begins an iteration over whole numbers: next, end, and no list.
func rangeState(state []Value, from, to Value) error {
	a, ok1 := from.Int()
	b, ok2 := to.Int()
	if !ok1 || !ok2 {
		return fmt.Errorf("a range goes from one i64 to another, got %s..%s", Describe(from), Describe(to))
	}
	state[0], state[1], state[2] = IntValue(a), IntValue(b), Value{}
	return nil
}

// listState begins an iteration over a list or the bytes of a text: next, end,
// the list.
func listState(state []Value, v Value) error {
	if v.kind != List && v.kind != String {
		return fmt.Errorf("'for' goes over a list, the bytes of a text, or a range, got %s", Describe(v))
	}
	state[0], state[1], state[2] = IntValue(0), IntValue(int64(v.Len())), v
	return nil
}

// next moves an iteration on and reports whether there was another item.
func next(state []Value, item *Value) bool {
	at := int64(state[0].num)
	if at >= int64(state[1].num) {
		return false
	}
	state[0].num++
	switch state[2].kind {
	case List:
		*item = state[2].Elems()[at]
	case String:
		*item = IntValue(int64(state[2].Str()[at]))
	default:
		*item = IntValue(at)
	}
	return true
}

// fitOp holds a value to the declared type of the place it goes to.
func fitOp(v Value, t *check.Type, name string) (Value, error) {
	fitted, err := Convert(v, t)
	if err != nil {
		return v, fmt.Errorf("%s", misfitOf(name, err))
	}
	return fitted, nil
}

// builtins are the functions that expressions may call: @name(...).
var builtins = []struct {
	name string
	args int
	fn   func(args []Value) (Value, error)
}{
	{"as", 1, same}, {"intCast", 1, same}, {"floatCast", 1, same}, {"truncate", 1, same},
	{"floatFromInt", 1, func(a []Value) (Value, error) { return FloatValue(a[0].Float()), nil }},
	{"intFromFloat", 1, func(a []Value) (Value, error) { return wholeNumber(math.Trunc(a[0].Float())) }},
	{"intFromBool", 1, func(a []Value) (Value, error) { return IntValue(int64(a[0].num & 1)), nil }},
	{"abs", 1, absolute},
	{"min", 2, func(a []Value) (Value, error) { return pick(a, less) }},
	{"max", 2, func(a []Value) (Value, error) { return pick(a, greater) }},
	{"mod", 2, modulo},
	{"rem", 2, func(a []Value) (Value, error) { return Arith('%', a[0], a[1]) }},
	{"divTrunc", 2, func(a []Value) (Value, error) { return Arith('/', a[0], a[1]) }},
	{"divFloor", 2, floorDivide},
	{"sqrt", 1, func(a []Value) (Value, error) { return FloatValue(math.Sqrt(a[0].Float())), nil }},
	{"floor", 1, func(a []Value) (Value, error) { return FloatValue(math.Floor(a[0].Float())), nil }},
	{"ceil", 1, func(a []Value) (Value, error) { return FloatValue(math.Ceil(a[0].Float())), nil }},
	{"round", 1, func(a []Value) (Value, error) { return FloatValue(math.Round(a[0].Float())), nil }},
	{"trunc", 1, func(a []Value) (Value, error) { return FloatValue(math.Trunc(a[0].Float())), nil }},
}

// callBuiltin runs a builtin on numbers.
func callBuiltin(at int32, args []Value) (Value, error) {
	b := &builtins[at]
	for _, v := range args {
		if !isNumber(v) && v.kind != Bool {
			return Value{}, fmt.Errorf("@%s wants numbers, got %s", b.name, Describe(v))
		}
	}
	return b.fn(args)
}

func same(a []Value) (Value, error) { return a[0], nil }

// wholeNumber returns the integer that a float stands for.
func wholeNumber(f float64) (Value, error) {
	const limit = 1 << 63
	if !(f >= -limit && f < limit) {
		return Value{}, fmt.Errorf("%s does not fit an integer", Describe(FloatValue(f)))
	}
	return IntValue(int64(f)), nil
}

func absolute(a []Value) (Value, error) {
	if by, ok := Compare(a[0], IntValue(0)); !ok || by >= 0 {
		return a[0], nil
	}
	return negate(a[0])
}

func pick(a []Value, want int32) (Value, error) {
	first, err := order(a[0], a[1], want)
	if err != nil {
		return Value{}, err
	}
	if first.Bool() {
		return a[0], nil
	}
	return a[1], nil
}

// modulo is the remainder with the sign of the divisor.
func modulo(a []Value) (Value, error) {
	r, err := Arith('%', a[0], a[1])
	if err != nil || r.kind == Null {
		return r, err
	}
	zero := IntValue(0)
	left, _ := Compare(r, zero)
	right, _ := Compare(a[1], zero)
	if left != 0 && left != right {
		return Arith('+', r, a[1])
	}
	return r, nil
}

func floorDivide(a []Value) (Value, error) {
	m, err := modulo(a)
	if err != nil || m.kind == Null {
		return m, err
	}
	if m.kind == Float {
		return FloatValue(math.Floor(a[0].Float() / a[1].Float())), nil
	}
	exact, err := Arith('-', a[0], m)
	if err != nil {
		return exact, err
	}
	return Arith('/', exact, a[1])
}
