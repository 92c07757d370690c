package check

import (
	"github.com/koru-go/koru/syntax"
)

// storePath lowers what an expression reads of a store: totals.open of a
// singleton, orders[i].qty of a table, or orders.len (language.md 9.6). It
// returns the steps that are left.
func (l *lowerer) storePath(n syntax.Node, s *Store, row []syntax.Node) (*Expr, []syntax.Node) {
	if len(row) == 0 {
		l.report("KORU161", n.Span(), "'"+s.Name+"' is a store: "+s.howToRead())
		return &Expr{Kind: BrokenExpr, Node: n, Type: unknown}, nil
	}
	step := row[len(row)-1]
	row = row[:len(row)-1]
	switch {
	case s.Singleton() && step.Kind() == syntax.FieldExpr:
		return l.column(step, s, nil), row
	case step.Kind() == syntax.FieldExpr && fieldToken(step).Text() == "len":
		return &Expr{Kind: StoreLenExpr, Node: step, Store: s, Type: usize}, row
	case step.Kind() != syntax.IndexExpr || s.Singleton():
		l.report("KORU161", step.Span(), "'"+s.Name+"' is a store: "+s.howToRead())
		l.touch(step)
		return &Expr{Kind: BrokenExpr, Node: step, Type: unknown}, nil
	}
	index := l.rowIndex(step)
	if len(row) > 0 && row[len(row)-1].Kind() == syntax.FieldExpr && s.Column("") == nil {
		return l.column(row[len(row)-1], s, index), row[:len(row)-1]
	}
	e := &Expr{Kind: CellExpr, Node: step, Store: s, X: index, Type: s.row(borrowed)}
	if s.Column("") != nil {
		e.Names = []string{""}
	}
	return e, row
}

// howToRead says how the cells of a store are read.
func (s *Store) howToRead() string {
	cell := "cell"
	if len(s.Columns) > 0 && s.Columns[0].Name != "" {
		cell = s.Columns[0].Name
	}
	if s.Singleton() {
		return "read a cell of it, as in " + s.Name + "." + cell
	}
	return "read a cell as in " + s.Name + "[i]." + cell + ", or the count as " + s.Name + ".len"
}

// rowIndex lowers the place of a row.
func (l *lowerer) rowIndex(step syntax.Node) *Expr {
	e := l.value(syntax.Operand(step, 1), nil)
	if known(e.Type) && e.Type.Kind != IntType {
		l.report("KORU082", e.Node.Span(), "the place of a row is a whole number, found "+describe(e))
	}
	return e
}

// column lowers a cell: the column that a field step names, in a row.
func (l *lowerer) column(step syntax.Node, s *Store, index *Expr) *Expr {
	name := fieldToken(step)
	c := s.Column(name.Text())
	if c == nil {
		l.add(noColumn(s, name.Text(), name.Span()))
		return &Expr{Kind: BrokenExpr, Node: step, Type: unknown}
	}
	return &Expr{Kind: CellExpr, Node: step, Store: s, X: index, Names: []string{c.Name}, Type: borrow(c.Type)}
}

func noColumn(s *Store, name string, at syntax.Span) Diagnostic {
	d := Diagnostic{Code: "KORU161", Span: at, Message: "the store '" + s.Name + "' has no column '" + name + "'"}
	if near := Nearest(name, s.columnNames()); near != "" {
		d.suggest(near)
	}
	return d
}

func (s *Store) columnNames() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

// ownership says whether a row that leaves a store takes its debts along.
type ownership bool

const (
	borrowed ownership = false
	owned    ownership = true
)

// row returns the type of a whole row: a record of its columns, or the type of
// the only column if that has no name.
func (s *Store) row(o ownership) *Type {
	typ := func(c *Column) *Type {
		if o == owned {
			return orUnknown(c.Type)
		}
		return borrow(c.Type)
	}
	if len(s.Columns) == 1 && s.Columns[0].Name == "" {
		return typ(s.Columns[0])
	}
	t := &Type{Kind: RecordType}
	for _, c := range s.Columns {
		t.Fields = append(t.Fields, &Field{Name: c.Name, Type: typ(c), Node: c.Node})
	}
	return t
}

// borrow returns the type of a value that its owner keeps: the same state
// without the debt.
func borrow(t *Type) *Type {
	if t == nil {
		return unknown
	}
	if t.Phantom == nil {
		return t
	}
	plain := *t
	p := *t.Phantom
	p.Members = make([]State, len(t.Phantom.Members))
	for i, s := range t.Phantom.Members {
		s.Mint = false
		p.Members[i] = s
	}
	plain.Phantom = &p
	return &plain
}

// handleType is the type of the handle that insert gives: the place of a row.
var handleType = &Type{Kind: UnknownType, Name: "row"}

// payload returns what an arm of a store verb carries.
func (s *Store) payload(f Form, word string) *Type {
	switch f {
	case StoreInsert:
		if word == "row" {
			return handleType
		}
		return s.row(owned) // what did not fit comes back
	case StoreTake:
		return s.row(owned)
	case StoreWatch:
		if c := s.Column(word); c != nil {
			return borrow(c.Type)
		}
		return unknown
	case StoreNew:
		switch word {
		case "updated":
			return &Type{Kind: RecordType, Fields: []*Field{
				{Name: "old", Type: s.row(borrowed)}, {Name: "new", Type: s.row(borrowed)},
			}}
		case "discharge":
			return s.row(owned)
		}
	}
	return s.row(borrowed)
}

// storeNamed resolves the store that a store verb names: orders, or orders[i]
// for take.
func (l *lowerer) storeNamed(c *Call, n syntax.Node) *Expr {
	raw := &Expr{Kind: RawExpr, Node: n, Type: unknown}
	name := n
	if c.Form == StoreTake && n.Kind() == syntax.IndexExpr {
		name = syntax.Operand(n, 0)
		c.Index = l.rowIndex(n)
	}
	if name.Kind() != syntax.NameExpr {
		l.touch(n)
		l.report("KORU161", n.Span(), "'"+c.Tor.Name+"' takes the name of a store here")
		return raw
	}
	c.Store = l.names.Store(name.Text())
	switch {
	case c.Store == nil:
		d := Diagnostic{Code: "KORU040", Span: name.Span(), Message: "there is no store '" + name.Text() + "'"}
		if near := l.near(name.Text(), l.names.Values); near != "" {
			d.suggest(near)
		}
		if l.file.Module != nil {
			d.doubt = &doubt{value: name.Text(), in: l.file.Module}
		}
		l.add(d)
	case c.Form == StoreNew && c.Store.Node == c.Node:
		c.Store.New = c
	case c.Form == StoreTake && c.Index == nil:
		l.report("KORU161", n.Span(), "'take' removes one row: say which, as in "+c.Store.Name+"[0]")
	}
	return raw
}

// insertedColumn resolves an entry of an insert: a column of the store.
func (l *lowerer) insertedColumn(c *Call, v syntax.AssignView, a *Assign) *Type {
	a.Store = c.Store
	name := v.Target().Text()
	if a.Punned {
		name = v.Pun()
	}
	a.Path = []string{name}
	if c.Store == nil {
		return nil
	}
	if only := c.Store.Column(""); only != nil {
		a.Path = []string{""}
		return only.Type
	}
	column := c.Store.Column(name)
	if column == nil {
		at := v.Target()
		if a.Punned && at.Kind() == syntax.FieldExpr {
			l.add(noColumn(c.Store, name, fieldToken(at).Span()))
		} else {
			l.add(noColumn(c.Store, clip(name), at.Span()))
		}
		return nil
	}
	if !a.Punned && v.Pun() == "" {
		return column.Type
	}
	return column.Type
}

// emptyColumns reports the columns that an insert leaves empty though they have
// no value of their own.
func (l *lowerer) emptyColumns(c *Call) {
	if c.Store == nil || l.broken {
		return
	}
	for _, column := range c.Store.Columns {
		given := column.Initial != nil || column.Type != nil && column.Type.Optional
		for _, a := range c.Assigns {
			given = given || len(a.Path) > 0 && a.Path[0] == column.Name
		}
		if !given {
			l.report("KORU161", syntax.CallView{Node: c.Node}.Path().Span(),
				"the row has no value for the column '"+column.Name+"' ("+orUnknown(column.Type).String()+")")
		}
	}
}

// storedCell resolves an entry of stored: a cell of a singleton, of a row by
// its place, or of a row that is bound.
func (l *lowerer) storedCell(c *Call, v syntax.AssignView, a *Assign) *Type {
	target := v.Target()
	var columns []syntax.Node // the field steps, outermost first
	for target.Kind() == syntax.FieldExpr && len(columns) < longest {
		columns = append(columns, target)
		target = syntax.Operand(target, 0)
	}
	if target.Kind() == syntax.IndexExpr {
		a.Row = l.rowIndex(target)
		target = syntax.Operand(target, 0)
	}
	if target.Kind() != syntax.NameExpr {
		l.touch(v.Target())
		l.report("KORU161", v.Target().Span(), "'stored' writes cells: name them as store.column, store[i].column or row.column")
		return nil
	}
	for i := len(columns) - 1; i >= 0; i-- {
		a.Path = append(a.Path, fieldToken(columns[i]).Text())
	}
	return l.cellOf(v, a, target, columns)
}

// cellOf finds the column that an assignment to a name writes.
func (l *lowerer) cellOf(v syntax.AssignView, a *Assign, base syntax.Node, columns []syntax.Node) *Type {
	if b := l.visible.lookup(base.Text()); b != nil {
		b.use(base)
		a.Base = b
		if b.From != nil {
			a.Store = b.From.Store
		}
	} else if a.Store = l.names.Store(base.Text()); a.Store == nil {
		if !l.host() {
			l.unbound(base.FirstToken())
		}
		return nil
	}
	if a.Store == nil {
		return nil
	}
	if len(a.Path) == 0 {
		if only := a.Store.Column(""); only != nil {
			a.Path = []string{""}
			return only.Type
		}
		l.report("KORU161", v.Target().Span(), "'stored' writes one cell at a time: "+a.Store.howToRead())
		return nil
	}
	column := a.Store.Column(a.Path[0])
	if column == nil {
		l.add(noColumn(a.Store, a.Path[0], fieldToken(columns[len(columns)-1]).Span()))
		return nil
	}
	if len(a.Path) > 1 {
		return nil // a field inside a cell: what it holds is the host's business
	}
	return column.Type
}
