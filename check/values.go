package check

import (
	"fmt"

	"github.com/koru-go/koru/syntax"
)

// values finds the constants and stores that the file declares at top level, so
// that every expression of the program can name them (language.md 9.5, 9.6).
func (j *judge) values() {
	for it := range j.file.items(isValue) {
		call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
		switch block := call.Block(); block.Kind() {
		case syntax.ConstBlock:
			for entry := range block.ChildrenOf(syntax.ConstEntry) {
				j.constant(syntax.ColumnView{Node: entry})
			}
		case syntax.ColumnBlock:
			j.store(call, block)
		}
	}
}

func (j *judge) constant(v syntax.ColumnView) {
	name := v.Name()
	if !name.IsValid() {
		return
	}
	if c := j.mod.Const(name.Text()); c != nil {
		j.duplicate("KORU106", name, c.file, syntax.ColumnView{Node: c.Node}.Name())
		return
	}
	c := &ConstDecl{Name: name.Text(), Module: j.mod, Node: v.Node, file: j.file}
	if v.Type().IsValid() {
		c.Type = j.mod.Type(v.Type())
	} else {
		c.Type = j.mod.literalType(v.Value())
	}
	j.mod.Consts = append(j.mod.Consts, c)
	j.mod.consts[c.Name] = c
}

// duplicate reports a name that is declared a second time.
func (j *judge) duplicate(code string, name syntax.Token, where *File, first syntax.Token) {
	line := where.Syntax.LineOf(first.Span().Start) + 1
	d := j.fault(code, name.Span(), fmt.Sprintf("'%s' is already bound at line %d: choose another name", name.Text(), line))
	d.note(where, first.Span(), "declared here first")
}

func (j *judge) store(call syntax.CallView, block syntax.Node) {
	name, capacity := storeHead(call)
	if !name.IsValid() {
		return // the call lacks its first argument
	}
	if s := j.mod.Store(name.Text()); s != nil {
		first, _ := storeHead(syntax.CallView{Node: s.Node})
		d := j.fault("KORU161", name.Span(), fmt.Sprintf("the store '%s' is declared twice", name.Text()))
		d.note(s.file, first.Span(), "declared here first")
		return
	}
	s := &Store{Name: name.Text(), Module: j.mod, Node: call.Node, file: j.file, size: capacity}
	if capacity.IsValid() {
		s.Capacity = &Expr{Node: capacity}
	}
	for c := range block.ChildrenOf(syntax.Column) {
		j.column(s, syntax.ColumnView{Node: c})
	}
	j.mod.Stores = append(j.mod.Stores, s)
	j.mod.stores[s.Name] = s
}

// storeHead returns the name of a declared store and its capacity, or size.
func storeHead(call syntax.CallView) (name syntax.Token, capacity syntax.Node) {
	for a := range call.Args() {
		switch label := a.Label().Text(); {
		case label == "" && !name.IsValid():
			if v := a.Value(); v.Kind() == syntax.NameExpr {
				name = v.FirstToken()
			}
		case label == "capacity" || label == "size":
			capacity = a.Value()
		}
	}
	return name, capacity
}

func (j *judge) column(s *Store, v syntax.ColumnView) {
	c := &Column{Name: v.Name().Text(), Node: v.Node}
	if v.Type().IsValid() {
		c.Type = j.mod.Type(v.Type())
	} else {
		c.Type = j.mod.literalType(v.Value())
	}
	switch {
	case c.Name != "" && s.Column(c.Name) != nil:
		j.fault("KORU161", v.Name().Span(), fmt.Sprintf("the store '%s' has two columns '%s'", s.Name, c.Name))
		return
	case len(s.Columns) > 0 && (c.Name == "" || s.Columns[0].Name == ""):
		j.fault("KORU161", v.Node.Span(), "an unnamed column is the only one of its store: name the columns, or keep one")
		return
	}
	s.Columns = append(s.Columns, c)
}

// initials resolves the values of what the file declares: constants, initial
// values of columns, capacities of stores.
func (j *judge) initials() {
	for _, c := range j.mod.Consts {
		if c.file == j.file {
			c.Value = j.lowerValue(syntax.ColumnView{Node: c.Node}.Value(), c.Type)
		}
	}
	for _, s := range j.mod.Stores {
		if s.file != j.file {
			continue
		}
		if s.size.IsValid() {
			s.Capacity = j.lowerValue(s.size, usize)
		}
		for _, c := range s.Columns {
			if v := (syntax.ColumnView{Node: c.Node}).Value(); v.IsValid() {
				c.Initial = j.lowerValue(v, c.Type)
			}
		}
	}
}

var usize = &Type{Kind: IntType, Name: "usize", Bits: 64}

// literalType returns the type that a literal has by itself: 0[i64] names it,
// plain numbers are i64 and f64.
func (m *Module) literalType(n syntax.Node) *Type {
	switch n.Kind() {
	case syntax.TypedExpr:
		if ty := n.Child(syntax.Type); ty.IsValid() {
			return m.Type(syntax.TypeView{Node: ty})
		}
	case syntax.ParenExpr, syntax.UnaryExpr:
		return m.literalType(syntax.Operand(n, 0))
	case syntax.Template:
		return &Type{Kind: TextType, Name: "string", Owner: m, Node: n}
	case syntax.ListExpr:
		return &Type{Kind: ListType, Elem: m.literalType(n.FirstChild()), Owner: m, Node: n}
	case syntax.Literal:
		t := &Type{Owner: m, Node: n}
		switch tok := n.FirstToken(); tok.Kind() {
		case syntax.Int:
			t.Kind, t.Name, t.Bits, t.Signed = IntType, "i64", 64, true
		case syntax.Float:
			t.Kind, t.Name, t.Bits = FloatType, "f64", 64
		case syntax.Char:
			t.Kind, t.Name, t.Bits = IntType, "u8", 8
		case syntax.String:
			t.Kind, t.Name = TextType, "string"
		case syntax.Name:
			if tok.Text() != "null" {
				t.Kind, t.Name = BoolType, "bool"
			}
		}
		return t
	}
	return &Type{Owner: m, Node: n}
}

// Store returns the module's store of that name, or nil.
func (m *Module) Store(name string) *Store { return m.stores[name] }

// Const returns the module's constant of that name, or nil.
func (m *Module) Const(name string) *ConstDecl { return m.consts[name] }
