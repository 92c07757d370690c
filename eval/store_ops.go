package eval

import (
	"fmt"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// storeInfo is what a program knows of a store before it runs.
type storeInfo struct {
	decl     *check.Store
	columns  []Column
	capacity int
	blank    []Value // the cells of a row in which nothing was given
	// hook holds the handlers that stand at its declaration.
	code *Code
	hook *hook
}

// store returns the number of a store and evaluates its declaration the first
// time.
func (p *Program) store(decl *check.Store) int32 {
	if at, ok := p.places[decl]; ok {
		return at
	}
	at := int32(len(p.stores))
	p.places[decl] = at
	info := &storeInfo{decl: decl, capacity: Unbounded}
	p.stores = append(p.stores, info)
	for _, c := range decl.Columns {
		column := Column{Name: c.Name, Type: c.Type, Owned: owes(c.Type)}
		if c.Initial != nil {
			column.Initial = p.initial(decl, c)
		}
		info.columns = append(info.columns, column)
	}
	if decl.Capacity != nil {
		info.capacity = p.capacity(decl)
	}
	info.blank = newStore(decl.Name, info.columns).Blank()
	return at
}

func (p *Program) initial(decl *check.Store, c *check.Column) Value {
	file := fileOf(decl.Module, decl.Node)
	v, err := p.evaluate(c.Initial, file)
	if err == nil && c.Type != nil {
		v, err = Convert(v, c.Type)
	}
	if err != nil {
		p.report("KORU161", file, c.Node.Span(), fmt.Sprintf("the first value of '%s': %s", c.Name, messageOf(err)))
	}
	return v
}

// capacity returns the declared capacity. Names the table never reaches are no
// reason to reserve room for it: rows are added as they come.
func (p *Program) capacity(decl *check.Store) int {
	file := fileOf(decl.Module, decl.Node)
	v, err := p.evaluate(decl.Capacity, file)
	n, ok := v.Int()
	if err != nil || !ok || n < 0 || int64(int(n)) != n {
		p.report("KORU161", file, decl.Capacity.Node.Span(), fmt.Sprintf("the capacity of '%s' wants an integer from 0 on, got %s", decl.Name, Describe(v)))
		return 0
	}
	return int(n)
}

// fileOf returns the file of a module that a node stands in.
func fileOf(m *check.Module, node syntax.Node) *check.File {
	if m == nil {
		return nil
	}
	for _, f := range m.Files {
		if f.Syntax == nil || f.Syntax.NumItems() == 0 {
			continue
		}
		item := f.Syntax.Item(f.Syntax.ItemAt(node.Base()))
		if item.Tree() == node.Tree() {
			return f
		}
	}
	return nil
}

// storeNew leaves the handlers that stand at a declaration behind. The store
// itself exists from the start of the program.
func (c *compiler) storeNew(call *check.Call) bool {
	if call.Store == nil || !hasEffects(call) {
		return true
	}
	h := c.hookOf(call)
	for _, o := range call.Tor.Outcomes {
		h.entries = append(h.entries, c.detached(call, o, h.fired))
	}
	info := c.prog.stores[h.store]
	info.code, info.hook = c.code, h
	return true
}

func (c *compiler) hookOf(call *check.Call) *hook {
	return &hook{store: c.prog.store(call.Store), verb: c.prog.verb(call.Tor), fired: c.temps(1)}
}

// detached compiles handlers that run in a frame of their own, and jumps over
// them.
func (c *compiler) detached(call *check.Call, o *check.Outcome, fired int32) int32 {
	over := newLabel()
	c.jump(opJump, over, 0, 0, 0)
	entry := c.effectBlock(call, o, fired, true)
	c.place(over)
	return entry
}

// storeHook compiles rule and watch.
func (c *compiler) storeHook(call *check.Call) bool {
	if call.Store == nil {
		c.refuse(call.Node, "no store is named here")
		return true
	}
	mark := c.next
	h := c.hookOf(call)
	op := opRule
	if call.Form == check.StoreRule {
		h.entries = append(h.entries, c.detached(call, outcomeNamed(call, "row"), h.fired))
	} else {
		op = opWatch
		for _, column := range call.Store.Columns {
			watchers, o := watchersOf(call, column.Name)
			h.entries = append(h.entries, c.detached(watchers, o, h.fired))
		}
	}
	c.code.hooks = append(c.code.hooks, h)
	c.emit(op, int32(len(c.code.hooks))-1, 0, 0, 0)
	c.next = mark
	return true
}

// watchersOf returns a watch of one column only. All of its arms handle the one
// raw effect that watch declares; each column gets an effect of its own.
func watchersOf(call *check.Call, column string) (*check.Call, *check.Outcome) {
	o := &check.Outcome{Name: column, Effect: true, Payload: &check.Type{}}
	one := *call
	one.Arms = nil
	for _, a := range call.Arms {
		if a.Word == column {
			arm := *a
			arm.Outcome = o
			one.Arms = append(one.Arms, &arm)
		}
	}
	return &one, o
}

// storeInsert compiles insert: one register a column, then row or full.
func (c *compiler) storeInsert(call *check.Call, out exit, rest bool) bool {
	if call.Store == nil {
		c.refuse(call.Node, "no store is named here")
		return true
	}
	mark := c.next
	at := c.prog.store(call.Store)
	got := c.temps(1)
	first := c.temps(len(call.Store.Columns))
	for i, column := range call.Store.Columns {
		reg := first + int32(i)
		if a := assignTo(call, column.Name); a != nil {
			c.valueTo(reg, a.Value, column.Type, column.Name)
		} else {
			c.emit(opMove, reg, c.constOperand(c.prog.stores[at].blank[i]), 0, 0)
		}
	}
	full, next := newLabel(), newLabel()
	c.jump(opInsert, full, first, at, got)
	c.next = got + 1
	c.outcome(call, outcomeNamed(call, "row"), got, out, rest, next)
	c.place(full)
	c.outcome(call, outcomeNamed(call, "full"), got, out, rest, next)
	c.place(next)
	c.next = mark
	return len(next.uses) > 0
}

// assignTo returns the entry of an insert for a column. The only entry of a
// store with an unnamed column is for that, whatever it is called.
func assignTo(call *check.Call, column string) *check.Assign {
	for i := range call.Assigns {
		a := &call.Assigns[i]
		if column == "" || nameOf(a) == column {
			return a
		}
	}
	return nil
}

// storeStored compiles stored: all values are read, then the cells are written,
// those of one row together.
func (c *compiler) storeStored(call *check.Call) bool {
	mark := c.next
	n := len(call.Assigns)
	first := c.temps(n)
	rows := make([]int32, n)
	for i := range call.Assigns {
		a := &call.Assigns[i]
		last := c.at(a.Node)
		c.valueTo(first+int32(i), a.Value, columnType(a), nameOf(a))
		rows[i] = c.rowOperand(a)
		c.at(last)
	}
	for i := 0; i < n; {
		end := i + 1
		for end < n && sameRow(&call.Assigns[i], &call.Assigns[end]) {
			end++
		}
		c.writeRow(call.Assigns[i:end], rows[i], first+int32(i))
		i = end
	}
	c.next = mark
	return true
}

// rowOperand compiles what says which row an entry writes.
func (c *compiler) rowOperand(a *check.Assign) int32 {
	switch {
	case a.Base != nil:
		return int32(a.Base.Slot)
	case a.Row != nil:
		row := c.temps(1)
		c.exprTo(row, a.Row)
		return row
	}
	return nothing
}

func (c *compiler) writeRow(assigns []check.Assign, row, first int32) {
	store := storeOf(&assigns[0])
	if store == nil {
		c.refuse(assigns[0].Node, "this names no cell of a store")
		return
	}
	w := write{store: c.prog.store(store), row: row, first: first}
	for i := range assigns {
		column := columnIndex(store, nameOf(&assigns[i]))
		switch {
		case column < 0:
			c.refuse(assigns[i].Node, "'"+store.Name+"' has no column '"+nameOf(&assigns[i])+"'")
			return
		case len(assigns[i].Path) > 1:
			c.refuse(assigns[i].Node, "a cell is written as a whole: '"+store.Name+"."+nameOf(&assigns[i])+"' takes a new value")
			return
		}
		w.columns = append(w.columns, column)
	}
	defer c.at(c.at(assigns[0].Node))
	c.code.writes = append(c.code.writes, w)
	c.emit(opWrite, int32(len(c.code.writes))-1, 0, 0, 0)
}

// sameRow reports whether two entries surely write the same row.
func sameRow(a, b *check.Assign) bool {
	if storeOf(a) != storeOf(b) {
		return false
	}
	if a.Base != nil || b.Base != nil {
		return a.Base == b.Base
	}
	if a.Row == nil || b.Row == nil {
		return a.Row == b.Row
	}
	return a.Row.Node.Text() == b.Row.Node.Text()
}

func storeOf(a *check.Assign) *check.Store {
	if a.Store == nil && a.Base != nil && a.Base.From != nil {
		return a.Base.From.Store
	}
	return a.Store
}

// nameOf returns the column that an entry writes.
func nameOf(a *check.Assign) string {
	if len(a.Path) == 0 {
		return ""
	}
	return a.Path[0]
}

func columnIndex(s *check.Store, name string) int {
	for i, c := range s.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

func columnType(a *check.Assign) *check.Type {
	if s := storeOf(a); s != nil {
		if c := s.Column(nameOf(a)); c != nil {
			return c.Type
		}
	}
	return nil
}

// storeTake compiles take(name[index]).
func (c *compiler) storeTake(call *check.Call, out exit, rest bool) bool {
	if call.Store == nil || call.Index == nil {
		c.refuse(call.Node, "take names a row, as in take(name[0])")
		return true
	}
	mark := c.next
	got := c.temps(1)
	empty, next := newLabel(), newLabel()
	index := c.expr(call.Index)
	c.jump(opTake, empty, c.prog.store(call.Store), index, got)
	c.next = got + 1
	c.outcome(call, outcomeNamed(call, "item"), got, out, rest, next)
	c.place(empty)
	c.outcome(call, outcomeNamed(call, "empty"), got, out, rest, next)
	c.place(next)
	c.next = mark
	return len(next.uses) > 0
}

// storeQuery compiles query and its older name sweep: a loop over the rows as
// they stand when it begins.
func (c *compiler) storeQuery(call *check.Call, out exit) bool {
	if call.Store == nil {
		c.refuse(call.Node, "no store is named here")
		return true
	}
	mark := c.next
	row := c.temps(1)
	state := c.temps(iteration)
	c.emit(opRows, 0, state, c.prog.store(call.Store), 0)
	again, done := newLabel(), newLabel()
	c.place(again)
	c.jump(opNextRow, done, state, row, 0)
	for _, o := range call.Tor.Outcomes {
		c.handlers(call, o, row)
	}
	c.jump(opJump, again, 0, 0, 0)
	c.place(done)
	c.next = mark
	return true
}

// storeWhole compiles clear and stripe.
func (c *compiler) storeWhole(call *check.Call) bool {
	if call.Store == nil {
		c.refuse(call.Node, "no store is named here")
		return true
	}
	op := opClear
	if call.Form == check.StoreStripe {
		op = opStripe
	}
	c.emit(op, c.prog.store(call.Store), 0, 0, 0)
	return true
}

// storeCell compiles the read of a cell, of a whole row, or of a singleton.
func (c *compiler) storeCell(e *check.Expr, dst int32) {
	if e.Store == nil {
		c.refuse(e.Node, "no store is named here")
		return
	}
	row := int32(nothing)
	if e.X != nil {
		row = c.expr(e.X)
	}
	at := c.prog.store(e.Store)
	if len(e.Names) == 0 && len(e.Store.Columns) != 1 {
		c.emit(opRow, dst, at, row, 0)
		return
	}
	name := ""
	if len(e.Names) > 0 {
		name = e.Names[0]
	}
	column := columnIndex(e.Store, name)
	if column < 0 && len(e.Names) > 0 {
		c.refuse(e.Node, "'"+e.Store.Name+"' has no column '"+name+"'")
		return
	}
	if column < 0 { // the only column has a name: the row is a record of one
		c.emit(opRow, dst, at, row, 0)
		return
	}
	c.emit(opCell, dst, at, row, int32(column))
}
