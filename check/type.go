package check

import "github.com/koru-go/koru/syntax"

// TypeKind sorts types by how their values behave.
type TypeKind uint8

// The kinds of type. Only known kinds are compared with each other (R41);
// host and unknown types are never judged.
const (
	UnknownType  TypeKind = iota // a name the checker knows nothing about
	TextType                     // string, char[N], []const u8
	BoolType                     // bool
	IntType                      // i8 ... u128, usize, isize
	FloatType                    // f32, f64
	ListType                     // []T
	RecordType                   // { a: T, b: U }
	ChoiceType                   // "a" | "b" (R4)
	HostType                     // a named host type, usually behind a pointer: *Dir
	ExprType                     // Expression: the argument's source text
	SourceType                   // Source, Source<T>: a source block
	InjectedType                 // *const Invocation and its like: supplied by the compiler
	WildType                     // *: any payload (transforms only)
)

// Type is a declared type. Types are immutable once resolved.
type Type struct {
	Kind     TypeKind
	Name     string   // the base as written: "i64", "Dir", "char[32]", "std.mem.Allocator"
	Module   string   // the qualifier as written, "std/fs", or ""
	Owner    *Module  // the module that the qualifier names, or the module of the declaration
	Pointer  bool     // *T: a capability when Kind is HostType
	Optional bool     // ?T
	Bits     int      // width of an integer or float; N of char[N]
	Signed   bool     // integers
	Elem     *Type    // element of a ListType
	Fields   []*Field // fields of a RecordType
	Choices  []string // literals of a ChoiceType, unquoted
	Phantom  *Phantom // possession label, or nil
	Node     syntax.Node
}

// Phantom is the state label of a type: T<open!>, T<!open>, T<open>, a union or
// a state variable (language.md 5.1).
type Phantom struct {
	Raw     string // the text between < and >, spaces normalised
	Var     string // name of a state variable M'_ , or ""
	Members []State
}

// State is one member of a phantom. Module is the module that owns the label.
type State struct {
	Module  string // slash path of the owner, "" for the entry program ("main" in print)
	Name    string
	Mint    bool // open!
	Consume bool // !open
}

// Same reports whether two states carry the same label of the same module.
func (s State) Same(t State) bool { return s.Module == t.Module && s.Name == t.Name }

// IsCapability reports whether values of the type are host objects that a
// session tracks by token: a pointer to a host type.
func (t *Type) IsCapability() bool { return t != nil && t.Kind == HostType && t.Pointer }
