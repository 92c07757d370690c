package check

import (
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

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

// Type makes the type that a piece of tree spells, with its names resolved in
// the module. A missing type is an UnknownType.
func (m *Module) Type(v syntax.TypeView) *Type {
	t := m.slabs.types.new(Type{Owner: m, Node: v.Node})
	if !v.IsValid() {
		return t
	}
	var room [8]syntax.Token
	marks := room[:0]
	for tok := range v.Tokens() {
		if !tok.Kind().IsTrivia() {
			marks = append(marks, tok)
		}
	}
	m.prefixed(t, v, marks)
	return t
}

// prefixed resolves a type from the marks in front of its base inwards.
func (m *Module) prefixed(t *Type, v syntax.TypeView, marks []syntax.Token) {
	for len(marks) > 0 {
		switch mark := marks[0]; mark.Kind() {
		case syntax.Question, syntax.Word, syntax.QuestionBang:
			t.Optional = true
		case syntax.Star, syntax.Deref:
			if len(marks) == 1 && !v.Shape().IsValid() && !v.Child(syntax.Type).IsValid() {
				t.Kind, t.Name = WildType, "*"
				return
			}
			t.Pointer = true
		case syntax.LBracket:
			for len(marks) > 0 && marks[0].Kind() != syntax.RBracket {
				marks = marks[1:]
			}
			if len(marks) > 0 {
				marks = marks[1:]
			}
			m.list(t, v, marks)
			return
		case syntax.Name:
			if mark.Text() == "const" && len(marks) > 1 {
				break
			}
			m.base(t, v, marks)
			return
		default:
			m.base(t, v, marks)
			return
		}
		marks = marks[1:]
	}
	m.base(t, v, marks)
}

// list resolves []T. The host's spelling of text, []const u8, is text.
func (m *Module) list(t *Type, v syntax.TypeView, marks []syntax.Token) {
	elem := m.slabs.types.new(Type{Owner: m, Node: v.Node})
	m.prefixed(elem, v, marks)
	if elem.Kind == IntType && elem.Name == "u8" && len(marks) == 2 && marks[0].Text() == "const" {
		t.Kind, t.Name, t.Phantom = TextType, "[]const u8", elem.Phantom
		return
	}
	t.Kind, t.Elem, t.Pointer = ListType, elem, false
	t.Phantom, elem.Phantom = elem.Phantom, nil
	if elem.Kind == TextType || elem.Kind == RecordType {
		t.Phantom, elem.Phantom = nil, t.Phantom // []string<payment>: each of them (R6)
	}
}

// base resolves what stands behind the prefix: a record, a choice or a name.
func (m *Module) base(t *Type, v syntax.TypeView, marks []syntax.Token) {
	switch {
	case v.Shape().IsValid():
		t.Kind = RecordType
		for f := range v.Shape().Fields() {
			t.Fields = append(t.Fields, m.field(f))
		}
	case len(marks) > 0 && marks[0].Kind() == syntax.String:
		t.Kind = ChoiceType
		for _, mark := range marks {
			if mark.Kind() == syntax.String {
				t.Choices = append(t.Choices, strings.Trim(mark.Text(), `"`))
			}
		}
	case len(marks) > 0 && (marks[0].Kind() == syntax.Name || marks[0].Kind() == syntax.Path):
		m.named(t, marks[0].Text())
		if t.Name == "char" && t.Kind == UnknownType {
			t.Kind, t.Bits = TextType, length(marks)
			t.Name = "char[" + strconv.Itoa(t.Bits) + "]"
		}
	}
	if p := v.Phantom(); p.IsValid() && t.Kind != SourceType {
		if t.Kind == InjectedType {
			t.Kind = HostType // what the compiler supplies is in no state
		}
		t.Phantom = m.phantom(p, t)
	}
}

// length returns N of char[N].
func length(marks []syntax.Token) int {
	for _, mark := range marks {
		if mark.Kind() == syntax.Int {
			n, _ := strconv.Atoi(strings.ReplaceAll(mark.Text(), "_", ""))
			return n
		}
	}
	return 0
}

// named resolves a base type written as a name.
func (m *Module) named(t *Type, written string) {
	module, name := syntax.SplitPath(written)
	t.Name = name
	if module != "" {
		t.Module = strings.ReplaceAll(module, ".", "/")
		t.Owner = m.lookup(t.Module)
	}
	switch name {
	case "string":
		t.Kind = TextType
	case "bool":
		t.Kind = BoolType
	case "usize", "isize":
		t.Kind, t.Bits, t.Signed = IntType, 64, name == "isize"
	case "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128":
		t.Kind, t.Signed = IntType, name[0] == 'i'
		t.Bits, _ = strconv.Atoi(name[1:])
	case "f32", "f64":
		t.Kind = FloatType
		t.Bits, _ = strconv.Atoi(name[1:])
	case "char":
		// The length is read by the caller.
	case "Expression":
		t.Kind = ExprType
	case "File", "EmbedFile":
		t.Kind = SourceType
		if t.Pointer {
			t.Kind = HostType // a host's own *File
		}
	case "Source":
		t.Kind = SourceType
	case "InvocationMeta":
		t.Kind = InjectedType
	case "Invocation", "Item", "Program", "ErrorReporter":
		t.Kind = HostType
		if t.Pointer && (t.Module == "" || t.Module == "std/compiler") {
			t.Kind = InjectedType
		}
	default:
		t.Kind = HostType
		if strings.HasSuffix(name, ".Allocator") {
			t.Kind = InjectedType
		}
	}
	if t.Module != "" && t.Kind != InjectedType {
		t.Kind = HostType
	}
}

// phantom resolves a possession label. An unqualified state belongs to the
// module of the declaration, or to that of the type if a tor there uses the
// state (language.md 5.1, 16.5).
func (m *Module) phantom(v syntax.PhantomView, t *Type) *Phantom {
	p := m.slabs.phantoms.new(Phantom{Raw: plainText(v.Node)})
	for s := range v.States() {
		name := s.Name().Text()
		if variable, ok := strings.CutSuffix(name, "'"); ok {
			p.Var = variable
			continue
		}
		if name == "" || name == "_" {
			continue
		}
		state := State{Name: name, Mint: s.Mint(), Consume: s.Consume(), Module: m.Path}
		if module, label := syntax.SplitPath(name); module != "" {
			state.Name, state.Module = label, strings.ReplaceAll(module, ".", "/")
			if owner := m.lookup(state.Module); owner != nil {
				state.Module = owner.Path
			}
		} else if t.Module != "" && t.Owner != nil && t.Owner.uses(name) {
			state.Module = t.Owner.Path
		}
		p.Members = append(p.Members, state)
	}
	return p
}

// plainText returns what stands between the brackets of a phantom, without blanks.
func plainText(n syntax.Node) string {
	text := strings.TrimSuffix(strings.TrimPrefix(n.Text(), "<"), ">")
	if !strings.ContainsAny(text, " \t\r\n") {
		return text
	}
	return strings.Join(strings.Fields(text), "")
}

// uses reports whether a tor of the module is declared with a state of that name.
func (m *Module) uses(state string) bool { return m.decls != nil && m.decls.states[state] }
