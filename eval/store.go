package eval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
)

// Column is one column of a store as std/store:new declares it. The one column
// of a store that is declared by a type alone has no name.
type Column struct {
	Name string
	Type *check.Type // nil: any value fits
	// Initial is the literal the column was declared with, or null: what a cell
	// holds that was not given.
	Initial Value
	// Owned says that the column keeps the debt of its values until they are
	// taken out (language.md 9.6).
	Owned bool
}

// Store is the data behind one std/store: a table of rows in a fixed number of
// columns, or a singleton, which is one row that is always there.
//
// A store only holds data. What a program wants to happen when it changes
// (rule, watch, inserted and the like) is run by the machine: every operation
// returns a [Change] that says what it did, and the machine runs the handlers
// of that change before it goes on. A store is used by one machine at a time.
type Store struct {
	name     string
	columns  []Column
	shape    *Shape
	capacity int // Unbounded for none
	single   bool
	rows     []*Row
	// lent is set while a snapshot may share the array of rows, so that an
	// operation which moves rows copies them first.
	lent bool
}

// Unbounded is the capacity of a table that grows without a limit.
const Unbounded = -1

// NewTable returns an empty table. Capacity is the greatest number of rows, or
// [Unbounded].
func NewTable(name string, capacity int, columns ...Column) *Store {
	s := newStore(name, columns)
	s.capacity = capacity
	return s
}

// NewSingleton returns a store of one row. Cells that were declared without a
// literal start as the zero of their type.
func NewSingleton(name string, columns ...Column) (*Store, error) {
	s := newStore(name, columns)
	s.single, s.capacity = true, 1
	cells, err := s.fit(s.Blank())
	if err != nil {
		return nil, err
	}
	s.rows = []*Row{{store: s, cells: cells}}
	return s, nil
}

func newStore(name string, columns []Column) *Store {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return &Store{name: name, columns: columns, shape: NewShape(names...)}
}

// Name returns the name the store was declared with.
func (s *Store) Name() string { return s.name }

// Columns returns the columns in declared order. The caller must not change them.
func (s *Store) Columns() []Column { return s.columns }

// Column returns the place of the named column, or -1.
func (s *Store) Column(name string) int { return s.shape.Index(name) }

// Singleton reports whether the store is one row that is always there.
func (s *Store) Singleton() bool { return s.single }

// Len returns the number of rows: what name.len reads.
func (s *Store) Len() int { return len(s.rows) }

// Row is one row of a store. It stays the same row wherever it moves, and a
// program that still holds it after it was taken out can read it, not write it.
type Row struct {
	store   *Store
	cells   []Value // replaced by a write, never changed, so that a Change can keep it
	index   int
	gone    bool
	running []int // rules that run for the row right now
}

// Store returns the store that the row is, or was, in.
func (r *Row) Store() *Store { return r.store }

// Live reports whether the row is still in its store.
func (r *Row) Live() bool { return !r.gone }

// Index returns the place of the row: what name[i] finds it under.
func (r *Row) Index() int { return r.index }

// Cell returns the value in a column, counted from 0.
func (r *Row) Cell(column int) Value { return r.cells[column] }

// Value returns the row as programs see it: a record of its columns, or the
// value itself when the only column has no name.
func (r *Row) Value() Value { return r.store.payload(r.cells) }

func (s *Store) payload(cells []Value) Value {
	if len(s.columns) == 1 && s.columns[0].Name == "" {
		return cells[0]
	}
	return RecordValue(s.shape, cells...)
}

// Begin says that a rule starts to run for the row. It reports false while the
// same rule already runs for it: a rule that writes the row it looks at is not
// called again by its own write, so it ends.
func (r *Row) Begin(rule int) bool {
	for _, running := range r.running {
		if running == rule {
			return false
		}
	}
	r.running = append(r.running, rule)
	return true
}

// End says that the rule is done with the row.
func (r *Row) End(rule int) {
	for i, running := range r.running {
		if running == rule {
			r.running = append(r.running[:i], r.running[i+1:]...)
			return
		}
	}
}

// ChangeKind says what an operation did to a store.
type ChangeKind uint8

// The kinds of change, named as the effects of std/store:new.
const (
	Unchanged ChangeKind = iota
	Inserted             // Row is new
	Updated              // cells of Row were written
	Removed              // Row was taken out
	Cleared              // every row was removed
)

// Change is what one operation did: the machine runs the handlers that fit it.
type Change struct {
	Kind ChangeKind
	Row  *Row
	// Columns are the places of the cells that now hold another value than
	// before. A write of the same value is an update without columns: rules run
	// for it, watches do not (R91).
	Columns []int

	before, after []Value
}

// Old returns the row before an update, as programs see it.
func (c *Change) Old() Value { return c.Row.store.payload(c.before) }

// New returns the row after an update, as programs see it.
func (c *Change) New() Value { return c.Row.store.payload(c.after) }

// Blank returns the cells of a row in which nothing was given: the literals of
// the columns, and the zero of the type where there is none.
func (s *Store) Blank() []Value {
	cells := make([]Value, len(s.columns))
	for i := range s.columns {
		c := &s.columns[i]
		if cells[i] = c.Initial; c.Initial.IsNull() {
			cells[i] = zeroOf(c.Type)
		}
	}
	return cells
}

func zeroOf(t *check.Type) Value {
	if t == nil || t.Optional {
		return Value{}
	}
	switch t.Kind {
	case check.TextType:
		return StringValue("")
	case check.BoolType:
		return BoolValue(false)
	case check.IntType:
		return IntValue(0)
	case check.FloatType:
		return FloatValue(0)
	case check.ListType:
		return ListValue(nil)
	}
	return Value{}
}

// Insert adds a row of the given cells, one a column, at the end. If the table
// is full it adds nothing, ok is false and full is what was to be added: the
// payload of the outcome full, which now owes what its owned columns owe (R94).
func (s *Store) Insert(cells []Value) (change Change, full Value, ok bool, err error) {
	if s.single {
		return Change{}, Value{}, false, fmt.Errorf("'%s' is a singleton: it takes no rows — declare it with a capacity", s.name)
	}
	fitted, err := s.fit(cells)
	if err != nil {
		return Change{}, Value{}, false, err
	}
	if s.capacity != Unbounded && len(s.rows) >= s.capacity {
		return Change{}, s.payload(fitted), false, nil
	}
	row := &Row{store: s, cells: fitted, index: len(s.rows)}
	s.rows = append(s.rows, row)
	return Change{Kind: Inserted, Row: row}, Value{}, true, nil
}

// fit judges one value a column and returns the cells as the columns hold them.
func (s *Store) fit(cells []Value) ([]Value, error) {
	if len(cells) != len(s.columns) {
		return nil, fmt.Errorf("'%s' has %d columns, got %d values", s.name, len(s.columns), len(cells))
	}
	fitted := make([]Value, len(cells))
	for i, v := range cells {
		var err error
		if fitted[i], err = s.fitCell(i, v); err != nil {
			return nil, err
		}
	}
	return fitted, nil
}

func (s *Store) fitCell(column int, v Value) (Value, error) {
	t := s.columns[column].Type
	if t == nil {
		return v, nil
	}
	if t.Kind == check.TextType && t.Bits > 0 && v.Kind() == String && v.Len() > t.Bits {
		return v, fmt.Errorf("'%s' holds %d bytes of text, got %d", s.cellName(column), t.Bits, v.Len())
	}
	fitted, err := Convert(v, t)
	if err != nil {
		return v, named(err, s.cellName(column))
	}
	return fitted, nil
}

func named(err error, name string) error {
	var misfit *Misfit
	if errors.As(err, &misfit) {
		return errors.New(misfit.In(name))
	}
	return fmt.Errorf("'%s': %w", name, err)
}

func (s *Store) cellName(column int) string {
	return strings.TrimSuffix(s.name+"."+s.columns[column].Name, ".")
}

// At returns the row at a place. An index outside the table is an error that
// names the place (R91).
func (s *Store) At(index Value) (*Row, error) {
	i, ok := index.Int()
	switch {
	case index.Kind() != Int:
		return nil, fmt.Errorf("'%s[…]' wants an integer, got %s", s.name, index.Kind())
	case !ok || i < 0 || i >= int64(len(s.rows)):
		return nil, fmt.Errorf("'%s[%s]' is out of range — %s", s.name, index.Big(), s.extent())
	}
	return s.rows[i], nil
}

func (s *Store) extent() string {
	switch len(s.rows) {
	case 0:
		return "the store is empty"
	case 1:
		return "the store holds 1 row, at 0"
	}
	return fmt.Sprintf("the store holds %d rows, 0 to %d", len(s.rows), len(s.rows)-1)
}

// Single returns the row of a singleton.
func (s *Store) Single() (*Row, error) {
	if !s.single {
		return nil, fmt.Errorf("'%s' has rows: name one of them, as in %s[0]", s.name, s.name)
	}
	return s.rows[0], nil
}

// Cell names a cell to write and its new value.
type Cell struct {
	Column int
	Value  Value
}

// Write writes cells of one row, all of them or, if one does not fit, none.
func (r *Row) Write(cells ...Cell) (Change, error) {
	s := r.store
	if r.gone {
		return Change{}, fmt.Errorf("a row of '%s' that was taken out cannot be written", s.name)
	}
	after := append(make([]Value, 0, len(r.cells)), r.cells...)
	change := Change{Kind: Updated, Row: r, before: r.cells, after: after}
	for _, c := range cells {
		v, err := s.fitCell(c.Column, c.Value)
		if err != nil {
			return Change{}, err
		}
		if !r.cells[c.Column].Equal(v) {
			change.Columns = append(change.Columns, c.Column)
		}
		after[c.Column] = v
	}
	r.cells = after
	return change, nil
}

// Take removes the row at a place; the last row moves into the gap (R91). ok is
// false, and nothing happens, when the table is empty: the outcome empty.
func (s *Store) Take(index Value) (change Change, ok bool, err error) {
	switch {
	case s.single:
		return Change{}, false, fmt.Errorf("'%s' is a singleton: its row cannot be taken", s.name)
	case len(s.rows) == 0:
		return Change{}, false, nil
	}
	row, err := s.At(index)
	if err != nil {
		return Change{}, false, err
	}
	s.own()
	last := len(s.rows) - 1
	s.rows[row.index] = s.rows[last]
	s.rows[row.index].index = row.index
	s.rows[last] = nil
	s.rows = s.rows[:last]
	row.gone = true
	return Change{Kind: Removed, Row: row}, true, nil
}

// Clear removes every row and returns them as they stood, so that the machine
// can settle what owned columns owe.
func (s *Store) Clear() (rows []*Row, change Change, err error) {
	if s.single {
		return nil, Change{}, fmt.Errorf("'%s' is a singleton: it has no rows to clear", s.name)
	}
	return s.empty(), Change{Kind: Cleared}, nil
}

// Drain empties the store at the end of the program and returns its rows, the
// newest first: the order in which debts are settled (R71). A singleton loses
// its row too.
func (s *Store) Drain() []*Row {
	rows := append([]*Row(nil), s.empty()...)
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows
}

func (s *Store) empty() []*Row {
	rows := s.rows
	for _, row := range rows {
		row.gone = true
	}
	s.rows, s.lent = nil, false
	return rows
}

// Rows returns the rows as they stand now, for query and rule to walk over. The
// walk sees neither rows that are inserted nor moves that happen meanwhile; it
// passes over rows that are no longer [Row.Live]. The caller must not change
// the slice.
func (s *Store) Rows() []*Row {
	s.lent = true
	return s.rows[:len(s.rows):len(s.rows)]
}

// own makes the array of rows the store's own before rows move in it.
func (s *Store) own() {
	if s.lent {
		s.rows = append(make([]*Row, 0, len(s.rows)+1), s.rows...)
		s.lent = false
	}
}
