package check

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// The types that expressions have without a declaration. An integer literal
// fits every integer field that can hold it and every float field, so it has a
// type of its own until it meets one.
var (
	textType  = &Type{Kind: TextType, Name: "string"}
	boolType  = &Type{Kind: BoolType, Name: "bool"}
	wholeType = &Type{Kind: IntType, Name: "integer", Bits: 128, Signed: true}
	floatType = &Type{Kind: FloatType, Name: "float", Bits: 64}
	byteType  = &Type{Kind: IntType, Name: "u8", Bits: 8}
	nullType  = &Type{Kind: UnknownType, Name: "null", Optional: true}
	unknown   = &Type{Kind: UnknownType}
)

// misfit says where a value does not fit a type and what is wrong there, in the
// words that the evaluator uses for values (R4, R7).
type misfit struct {
	path    string // "[1].date", or "" for the value itself
	problem string // "wants string, got 20240520"
}

// in words the misfit of a value that is known as name.
func (m *misfit) in(name string) string {
	if path := strings.TrimPrefix(name+m.path, "."); path != "" {
		return "'" + path + "' " + m.problem
	}
	return m.problem
}

func (m *misfit) under(step string) *misfit {
	if m != nil {
		m.path = step + m.path
	}
	return m
}

// known reports whether values of the type are judged at all: host types that
// are no pointers, and types nobody knows, never are (R41).
func known(t *Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind {
	case UnknownType, ExprType, SourceType, InjectedType, WildType:
		return false
	case HostType:
		return t.Pointer
	}
	return true
}

// fit judges an expression against a declared type. Literals are judged by
// their value and, inside lists and records, part by part; anything else by its
// type. A nil result means that it fits, or that nobody can say.
func fit(e *Expr, t *Type) *misfit {
	if e == nil || t == nil || e.Kind == BrokenExpr || e.Kind == HostOf || e.Kind == RawExpr {
		return nil
	}
	switch e.Kind {
	case LiteralExpr:
		return fitLiteral(e, t)
	case UnaryOp:
		if e.X != nil && e.X.Kind == LiteralExpr && e.Op == syntax.Minus {
			return fitLiteral(e, t)
		}
	case ConstExpr:
		// A number without a type of its own is what it is written as.
		if v := e.Const.Value; v != nil && v.Type == wholeType {
			return fit(v, t)
		}
	case ListOf:
		if t.Kind == ListType {
			return fitList(e, t)
		}
	case RecordOf:
		if t.Kind == RecordType {
			return fitRecord(e, t)
		}
	case CondOp:
		if m := fit(e.Y, t); m != nil {
			return m
		}
		return fit(e.Z, t)
	}
	if fitsType(e.Type, t) {
		return nil
	}
	return &misfit{problem: "wants " + t.String() + ", got " + describe(e)}
}

func fitLiteral(e *Expr, t *Type) *misfit {
	lit, negative := e.Lit, false
	if e.Kind == UnaryOp {
		lit, negative = e.X.Lit, true
	}
	ok := true
	switch {
	case !known(t):
		ok = lit.Kind != NullLit || t.Kind != HostType || t.Optional
	case lit.Kind == NullLit:
		ok = t.Optional
	case t.Kind == TextType:
		ok = lit.Kind == TextLit && (t.Bits == 0 || len(lit.Text) <= t.Bits)
	case t.Kind == ChoiceType:
		return fitChoice(lit, t, e)
	case t.Kind == BoolType:
		ok = lit.Kind == BoolLit
	case t.Kind == IntType:
		ok = lit.Kind == IntLit && inRange(lit.Text, negative, t)
	case t.Kind == FloatType:
		ok = lit.Kind == IntLit || lit.Kind == FloatLit
	default:
		ok = false
	}
	if ok {
		return nil
	}
	return &misfit{problem: "wants " + t.String() + ", got " + describe(e)}
}

func fitChoice(lit Literal, t *Type, e *Expr) *misfit {
	if lit.Kind == TextLit {
		for _, c := range t.Choices {
			if c == lit.Text {
				return nil
			}
		}
	}
	return &misfit{problem: "wants " + t.String() + ", got " + describe(e)}
}

// inRange reports whether the digits of an integer literal lie in the range of
// an integer type.
func inRange(digits string, negative bool, t *Type) bool {
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok {
		return true // not a number the parser lets through
	}
	if negative {
		n.Neg(n)
	}
	bits := t.Bits
	if bits == 0 {
		bits = 64
	}
	if !t.Signed {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	if n.Sign() < 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.BitLen() < bits
}

func fitList(e *Expr, t *Type) *misfit {
	for i, elem := range e.List {
		if m := fit(elem, t.Elem); m != nil {
			return m.under("[" + strconv.Itoa(i) + "]")
		}
	}
	return nil
}

func fitRecord(e *Expr, t *Type) *misfit {
	fields := byName(t.Fields)
	for i, name := range e.Names {
		field := fields(name)
		if field == nil {
			return &misfit{"." + name, "is not a field — the fields are " + fieldNames(t.Fields)}
		}
		if m := fit(e.List[i], field.Type); m != nil {
			return m.under("." + name)
		}
	}
	for _, name := range missingFields(t, e.Names) {
		if field := fields(name); field.Required() {
			return &misfit{"." + name, "is missing, it wants " + field.Type.String()}
		}
	}
	return nil
}

// fitsType judges a type against a declared type, between known kinds only.
func fitsType(from, to *Type) bool {
	if from == nil || to == nil {
		return true
	}
	if from == nullType {
		return to.Optional || !known(to)
	}
	if !known(from) || !known(to) {
		return true
	}
	switch to.Kind {
	case TextType, ChoiceType:
		return textual(from)
	case FloatType:
		return from.Kind == FloatType || from == wholeType
	case ListType:
		return from.Kind == ListType && fitsType(from.Elem, to.Elem)
	case RecordType:
		return from.Kind == RecordType && fitsFields(from, to)
	case HostType:
		return from.Kind == HostType && from.Name == to.Name
	}
	return from.Kind == to.Kind
}

// textual reports whether values of the type are text: the host's []u8 is too.
func textual(t *Type) bool {
	switch t.Kind {
	case TextType, ChoiceType:
		return true
	case ListType:
		return t.Elem != nil && t.Elem.Kind == IntType && t.Elem.Bits == 8
	}
	return false
}

func fitsFields(from, to *Type) bool {
	fields := byName(from.Fields)
	for _, want := range to.Fields {
		have := fields(want.Name)
		if have == nil && want.Required() || have != nil && !fitsType(have.Type, want.Type) {
			return false
		}
	}
	return true
}

// fieldOf returns the field of a record type, or nil.
func fieldOf(t *Type, name string) *Field {
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func fieldNames(fields []*Field) string { return enumerate(namesOf(fields)) }

func namesOf(fields []*Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// few is how many names are searched one by one; more are looked up in a map,
// so that a text with many of them is not searched in quadratic time.
const few = 16

// byName returns the function from names to the given fields.
func byName(fields []*Field) func(string) *Field {
	if len(fields) <= few {
		return func(name string) *Field {
			for _, f := range fields {
				if f.Name == name {
					return f
				}
			}
			return nil
		}
	}
	index := make(map[string]*Field, len(fields))
	for _, f := range fields {
		if index[f.Name] == nil {
			index[f.Name] = f
		}
	}
	return func(name string) *Field { return index[name] }
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// describe names an expression in a message: a literal by its value, anything
// else by its type.
func describe(e *Expr) string {
	switch e.Kind {
	case LiteralExpr:
		return describeLiteral(e.Lit)
	case UnaryOp:
		if e.X.Kind == LiteralExpr && e.Op == syntax.Minus {
			return "-" + describeLiteral(e.X.Lit)
		}
	case ListOf:
		return "a list of " + strconv.Itoa(len(e.List))
	case RecordOf:
		return "a record of " + strconv.Itoa(len(e.Names)) + " fields"
	}
	return e.Type.String()
}

// shown is how many bytes of a text a message quotes.
const shown = 60

func describeLiteral(l Literal) string {
	switch l.Kind {
	case NullLit:
		return "null"
	case BoolLit:
		return strconv.FormatBool(l.Bool)
	case TextLit:
		if len(l.Text) > shown {
			return "a string of " + strconv.Itoa(len(l.Text)) + " bytes"
		}
		return strconv.Quote(l.Text)
	}
	return l.Text
}

// String writes the type as a declaration spells it, without possession labels.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Type) write(b *strings.Builder) {
	if t == nil {
		b.WriteString("any value")
		return
	}
	if t.Optional {
		b.WriteByte('?')
	}
	if t.Pointer {
		b.WriteByte('*')
	}
	switch t.Kind {
	case ListType:
		b.WriteString("[]")
		t.Elem.write(b)
	case RecordType:
		b.WriteString("{ ")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.Name + ": ")
			f.Type.write(b)
		}
		b.WriteString(" }")
	case ChoiceType:
		for i, c := range t.Choices {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(strconv.Quote(c))
		}
	case UnknownType:
		if t.Name == "" {
			b.WriteString("a value")
			return
		}
		fallthrough
	default:
		if t.Module != "" {
			b.WriteString(t.Module + ":")
		}
		b.WriteString(t.Name)
	}
}
