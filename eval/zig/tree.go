package zig

import "github.com/koru-go/koru/check"

// The tree of a body. Names are resolved while parsing: a variable is a slot.

// node is a statement or an expression.
type node struct {
	op   op
	off  int
	slot int    // variable, loop item, capture; -1 for none
	aux  int    // loop index; -1 for none
	text string // operator, function, field, name
	num  value
	typ  *zigType // declared type of a variable, of a cast, of an array
	kids []*node
	// names are the fields of an anonymous literal
	names  []string
	prongs []prong
	effect *check.Outcome
}

// prong is one arm of a switch. An empty list of patterns is else. The slot
// takes what an arm of an effect's answer carries, or is -1.
type prong struct {
	patterns []*node
	slot     int
	body     *node
}

type op uint8

const (
	opNone op = iota

	// Statements.
	opBlock
	opDeclare  // slot = kids[0]
	opAssign   // kids[0] text kids[1]
	opDiscard  // _ = kids[0]
	opExprStmt // kids[0]
	opReturn   // kids[0] or nothing
	opIf       // cond, then, else; slot captures an optional if text is set
	opWhile    // cond, continue expression (may be nil), body
	opFor      // sequence, index, body; slot the item, aux the index
	opSwitch   // subject; prongs
	opBreak
	opContinue

	// Expressions.
	opConst   // num
	opVar     // slot
	opArray   // kids, of typ
	opAnon    // .{ .a = x } with names, or .{ a, b } without
	opEnum    // .name
	opIndex   // kids[0][kids[1]]
	opSlice   // kids[0][kids[1]..kids[2]]; a range has no kids[0]
	opLen     // kids[0].len
	opField   // kids[0].text
	opUnwrap  // kids[0].?
	opAddress // &kids[0]: slices and arrays are references already
	opBinary  // kids[0] text kids[1]
	opAnd
	opOr
	opNot
	opNegate
	opOrElse // kids[0] orelse kids[1]
	opCatch  // kids[0] catch kids[1]
	opTry
	opUnreachable
	opPanic
	opCall   // text: a known function
	opEffect // text: an effect of the verb
	opCast   // @as and @intCast to typ
	opMod
	opMin
	opMax
)

// zigType is a type the subset knows.
type zigType struct {
	kind   typeKind
	bits   int
	signed bool
	elem   *zigType // of a slice, an array, an optional
	length int      // of an array; -1 is inferred
	name   string
	names  []string // fields of a record
	fields []*zigType
}

type typeKind uint8

const (
	anyKind typeKind = iota
	intKind
	comptimeIntKind
	floatKind
	boolKind
	sliceKind
	arrayKind
	optionalKind
	voidKind
	otherKind // a named type the subset does not look into
)

var (
	anyType     = &zigType{kind: anyKind}
	comptimeInt = &zigType{kind: comptimeIntKind, name: "comptime_int"}
	u8Type      = &zigType{kind: intKind, bits: 8, name: "u8"}
	usizeType   = &zigType{kind: intKind, bits: 64, name: "usize"}
)

// isBytes reports whether arrays of the type are kept as bytes.
func (t *zigType) isBytes() bool { return t.kind == intKind && t.bits == 8 && !t.signed }

// namedType returns the type of a primitive name.
func namedType(name string) *zigType {
	switch name {
	case "bool":
		return &zigType{kind: boolKind, name: name}
	case "void":
		return &zigType{kind: voidKind, name: name}
	case "usize":
		return usizeType
	case "isize":
		return &zigType{kind: intKind, bits: 64, signed: true, name: name}
	case "comptime_int":
		return comptimeInt
	case "f32", "f64", "comptime_float":
		return &zigType{kind: floatKind, name: name}
	case "u8":
		return u8Type
	}
	if len(name) > 1 && len(name) <= 4 && (name[0] == 'i' || name[0] == 'u') {
		bits := 0
		for i := 1; i < len(name); i++ {
			if name[i] < '0' || name[i] > '9' {
				return &zigType{kind: otherKind, name: name}
			}
			bits = bits*10 + int(name[i]-'0')
		}
		if bits > 0 && bits <= 128 {
			return &zigType{kind: intKind, bits: bits, signed: name[0] == 'i', name: name}
		}
	}
	return &zigType{kind: otherKind, name: name}
}
