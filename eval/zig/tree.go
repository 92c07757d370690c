package zig

// The tree of a body. Names are resolved while parsing: a variable is a slot.

// node is a statement or an expression.
type node struct {
	op   op
	off  int
	slot int // variable, loop item
	aux  int // loop index, captured value of an else, or -1
	text string
	num  value
	typ  *zigType
	kids []*node
	// prongs of a switch, fields of an anonymous literal
	names  []string
	prongs []prong
	label  int // loop that a break or continue leaves
}

// prong is one arm of a switch. An empty list of patterns is else.
type prong struct {
	patterns []*node
	body     *node
	capture  int
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
	opIf       // cond, then, else; slot captures an optional
	opWhile    // cond, continue expression (may be nil), body, else (may be nil)
	opFor      // kids: sequences…, body; slot the item, aux the index
	opSwitch   // subject; prongs
	opBreak
	opContinue

	// Expressions.
	opConst   // num
	opVar     // slot
	opModule  // text: $mod.name
	opArray   // kids, of typ
	opAnon    // .{ .a = x } with names, or .{ a, b } without
	opEnum    // .name
	opIndex   // kids[0][kids[1]]
	opSlice   // kids[0][kids[1]..kids[2]]
	opLen     // kids[0].len
	opField   // kids[0].text
	opUnwrap  // kids[0].?
	opAddress // &kids[0]: slices and arrays are references already
	opBinary  // kids[0] text kids[1]
	opAnd
	opOr
	opNot
	opNegate
	opOrElse
	opCatch
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

// zigType is a type the subset knows. The zero kind is inferred.
type zigType struct {
	kind   typeKind
	bits   int
	signed bool
	elem   *zigType
	length int // arrays; -1 is inferred
	name   string
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

var comptimeInt = &zigType{kind: comptimeIntKind, name: "comptime_int"}

// namedType returns the type of a primitive name.
func namedType(name string) *zigType {
	switch name {
	case "bool":
		return &zigType{kind: boolKind, name: name}
	case "void":
		return &zigType{kind: voidKind, name: name}
	case "usize":
		return &zigType{kind: intKind, bits: 64, name: name}
	case "isize":
		return &zigType{kind: intKind, bits: 64, signed: true, name: name}
	case "comptime_int":
		return comptimeInt
	case "f32", "f64", "comptime_float":
		return &zigType{kind: floatKind, name: name}
	}
	if len(name) > 1 && (name[0] == 'i' || name[0] == 'u') {
		bits := 0
		for i := 1; i < len(name); i++ {
			if name[i] < '0' || name[i] > '9' || bits > 128 {
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
