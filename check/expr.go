package check

import "github.com/koru-go/koru/syntax"

// ExprKind says what an expression does.
type ExprKind uint8

// The kinds of expression (language.md 2.6).
const (
	BrokenExpr   ExprKind = iota // not understood, reported elsewhere
	LiteralExpr                  // Lit
	BindingExpr                  // Ref
	ConstExpr                    // Const
	CellExpr                     // Store, with X as the row index and Names as the column
	StoreLenExpr                 // orders.len
	CaptureExpr                  // a cell of the capture that is open: Names[0]
	FieldOfExpr                  // X.Names[0]
	IndexOfExpr                  // X[Y]
	LengthExpr                   // X.len of text or a list
	UnaryOp                      // Op X
	BinaryOp                     // X Op Y
	CondOp                       // if (X) Y else Z
	RecordOf                     // Names and List
	ListOf                       // List
	RangeOf                      // X..Y
	TextOf                       // a string with splices: Parts
	BuiltinOf                    // @Names[0](List)
	RawExpr                      // source text handed to an Expression field
	HostOf                       // a host value such as .fast: opaque
)

// Expr is a resolved, typed expression.
type Expr struct {
	Kind  ExprKind
	Node  syntax.Node
	Type  *Type
	Op    syntax.Kind // UnaryOp, BinaryOp; words are mapped to their glyphs: and is AmpAmp, orelse is Question
	Lit   Literal
	Ref   *Binding
	Const *ConstDecl
	Store *Store
	X     *Expr
	Y     *Expr
	Z     *Expr
	List  []*Expr
	Names []string
	Parts []Part
}

// LiteralKind sorts literals.
type LiteralKind uint8

// The kinds of literal.
const (
	NullLit LiteralKind = iota
	BoolLit
	IntLit
	FloatLit
	TextLit
)

// Literal is a constant written in the source, decoded.
type Literal struct {
	Kind LiteralKind
	Bool bool
	Text string // TextLit: the text; IntLit and FloatLit: digits without separators (0x kept)
}

// Part is one piece of a text with splices or of a template block.
type Part struct {
	Kind PartKind
	Text string   // TextPart
	Expr *Expr    // SplicePart, IfPart (the condition), ForPart (the list)
	Spec string   // s, d, f, any or ""
	Item *Binding // ForPart
	Body []Part   // IfPart, ForPart
	Else []Part   // IfPart
	Node syntax.Node
}

// PartKind says what a part of a text is.
type PartKind uint8

// The kinds of part.
const (
	TextPart PartKind = iota
	SplicePart
	IfPart
	ForPart
)

// ConstDecl is a module constant.
type ConstDecl struct {
	Name   string
	Module *Module
	Type   *Type
	Value  *Expr
	Node   syntax.Node

	file *File
}

// Store is a declared store or grid (language.md 9.6).
type Store struct {
	Name     string
	Module   *Module
	Columns  []*Column
	Capacity *Expr // nil for a singleton
	Node     syntax.Node
	New      *Call // the declaring call, with its arms

	file *File
	size syntax.Node // the capacity as written
}

// Singleton reports whether the store has exactly one row, read as name.column.
func (s *Store) Singleton() bool { return s.Capacity == nil }

// Column returns the column of that name, or nil.
func (s *Store) Column(name string) *Column {
	for _, c := range s.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Column is one column of a store. An anonymous column has the name "".
type Column struct {
	Name    string
	Type    *Type
	Initial *Expr // nil if the column has none
	Node    syntax.Node
	// Drain is the disposer of what the column still owes when the program
	// ends, DrainField the input that takes it. Drain is nil if the column owes
	// nothing or the store has a discharge arm.
	Drain      *Tor
	DrainField int
}
