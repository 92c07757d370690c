package eval

import "fmt"

// storeState is a store of a running program, and the handlers that are told
// when it changes.
type storeState struct {
	*Store
	info     *storeInfo
	declared [onDischarge + 1]*handler // at the declaration
	rules    []*handler                // in the order in which they were declared
	watches  [][]*handler              // by column
}

// The effects of std/store:new.
const (
	onInserted = iota
	onRemoved
	onUpdated
	onCleared
	onDischarge
)

var storeEffects = map[string]int{
	"inserted": onInserted, "removed": onRemoved, "updated": onUpdated, "cleared": onCleared, "discharge": onDischarge,
}

// handler is code that runs when a store changes, in a frame of its own.
type handler struct {
	code  *Code
	entry int32
	fired int32
	verb  *verb   // what declared it
	kept  []Value // what the flow that declared it had bound
	rule  int     // number of a rule, from 1; 0 for other handlers
}

// notices are handlers that wait for their turn. Each runs to its end before the
// next begins, and what it changes is told before that too.
type notices struct {
	list []notice
	// A rule that goes over a whole table takes its rows one by one.
	rules []*handler
	rows  []*Row
	at    int
}

type notice struct {
	handler *handler
	payload Value
	row     *Row
}

// next returns the next handler to run.
func (q *notices) next() (notice, bool) {
	if len(q.list) > 0 {
		n := q.list[0]
		q.list = q.list[1:]
		return n, true
	}
	if q.at >= len(q.rules)*len(q.rows) {
		return notice{}, false
	}
	row := q.rows[q.at%len(q.rows)]
	n := notice{handler: q.rules[q.at/len(q.rows)], payload: OpaqueValue(row), row: row}
	q.at++
	return n, true
}

func (q *notices) empty() bool { return len(q.list) == 0 && q.at >= len(q.rules)*len(q.rows) }

// tell pushes a frame that hands out notices.
func (m *machine) tell(q notices) {
	if q.empty() {
		return
	}
	m.frames = append(m.frames, frame{kind: noticeFrame, queue: &q, base: m.top, flow: len(m.frames)})
}

// notice runs the next handler of the newest frame, or ends it.
func (m *machine) notice(f *frame) error {
	for {
		n, ok := f.queue.next()
		if !ok {
			m.pop()
			return nil
		}
		if n.handler.rule > 0 && !n.row.Live() {
			continue
		}
		if n.handler.rule > 0 && !n.row.Begin(n.handler.rule) {
			continue
		}
		return m.runHandler(n)
	}
}

func (m *machine) runHandler(n notice) error {
	if err := m.tick(); err != nil {
		return err
	}
	if len(m.frames) >= MaxDepth {
		return fmt.Errorf("changes of stores set off changes more than %d deep", MaxDepth)
	}
	h := n.handler
	m.push(h.code, nil, nil)
	f := &m.frames[len(m.frames)-1]
	f.pc, f.verb = h.entry, h.verb
	if h.rule > 0 {
		f.row, f.rule = n.row, h.rule
	}
	regs := m.stack[f.base:]
	copy(regs, h.kept)
	regs[h.fired] = n.payload
	return nil
}

// attach finds the handlers that stand at the declaration of the store.
func (s *storeState) attach() {
	h := s.info.hook
	if h == nil {
		return
	}
	for i, o := range h.verb.tor.Outcomes {
		if at, ok := storeEffects[o.Name]; ok && h.entries[i] >= 0 {
			s.declared[at] = &handler{code: s.info.code, entry: h.entries[i], fired: h.fired, verb: h.verb}
		}
	}
}

// changed lists who is told of a change: first the handlers at the declaration,
// then the rules, then the watches (R91).
func (s *storeState) changed(c Change) notices {
	var q notices
	add := func(h *handler, payload Value) {
		if h != nil {
			q.list = append(q.list, notice{handler: h, payload: payload, row: c.Row})
		}
	}
	switch c.Kind {
	case Inserted:
		add(s.declared[onInserted], OpaqueValue(c.Row))
	case Updated:
		if h := s.declared[onUpdated]; h != nil {
			add(h, RecordValue(updatedShape, c.Old(), c.New()))
		}
	case Removed:
		add(s.declared[onRemoved], OpaqueValue(c.Row))
	case Cleared:
		add(s.declared[onCleared], Value{})
	}
	if c.Kind == Inserted || c.Kind == Updated {
		for _, r := range s.rules {
			add(r, OpaqueValue(c.Row))
		}
	}
	for _, column := range c.Columns {
		for _, h := range s.watches[column] {
			add(h, c.Row.Cell(column))
		}
	}
	return q
}

var updatedShape = NewShape("old", "new")

// read reads a cell, a row or the number of rows.
func (m *machine) read(in *instr, regs, consts []Value) (Value, error) {
	s := m.process.stores[in.b]
	if in.op == opCount {
		return IntValue(int64(s.Len())), nil
	}
	row, err := s.rowAt(in.c, regs, consts)
	if err != nil {
		return Value{}, err
	}
	if in.op == opRow {
		return row.Value(), nil
	}
	return row.Cell(int(in.d)), nil
}

// rowAt returns the row that an operand names: by its place, or itself.
func (s *storeState) rowAt(operand int32, regs, consts []Value) (*Row, error) {
	if operand == nothing {
		return s.Single()
	}
	v := value(regs, consts, operand)
	if row, ok := v.Object().(*Row); ok && v.kind == Opaque {
		return row, nil
	}
	return s.At(v)
}

// store runs the instructions of std/store.
func (m *machine) store(f *frame, in *instr, regs []Value) (pc int32, err error) {
	code, pc := f.code, f.pc
	switch in.op {
	case opRows:
		rows := m.process.stores[in.c].Rows()
		regs[in.b], regs[in.b+1] = IntValue(0), OpaqueValue(rows)
		return pc, nil
	case opNextRow:
		return m.nextRow(in, regs, pc)
	case opInsert:
		return m.insert(f, in, regs)
	case opWrite:
		return pc, m.write(&code.writes[in.a], regs, code.consts)
	case opTake:
		return m.take(f, in, regs)
	case opClear:
		return pc, m.clearStore(m.process.stores[in.a])
	case opStripe:
		s := m.process.stores[in.a]
		m.tell(notices{rules: s.rules, rows: s.Rows()})
		return pc, nil
	case opRule:
		m.rule(code, code.hooks[in.a], regs)
		return pc, nil
	case opWatch:
		m.watch(code, code.hooks[in.a], regs)
		return pc, nil
	}
	return pc, fmt.Errorf("unknown instruction %d", in.op)
}

// nextRow moves a query on to the next row that is still there.
func (m *machine) nextRow(in *instr, regs []Value, pc int32) (int32, error) {
	if err := m.tick(); err != nil {
		return pc, err
	}
	rows := regs[in.b+1].Object().([]*Row)
	for at := int(regs[in.b].num); at < len(rows); at++ {
		if rows[at].Live() {
			regs[in.b] = IntValue(int64(at) + 1)
			regs[in.c] = OpaqueValue(rows[at])
			return pc, nil
		}
	}
	return in.a, nil
}

func (m *machine) insert(f *frame, in *instr, regs []Value) (int32, error) {
	s := m.process.stores[in.c]
	if s.Len() >= MaxRows {
		return f.pc, fmt.Errorf("'%s' holds %d rows, the most that a store has", s.name, s.Len())
	}
	cells := regs[in.b : int(in.b)+len(s.columns)]
	change, full, ok, err := s.Insert(cells)
	switch {
	case err != nil:
		return f.pc, err
	case !ok:
		regs[in.d] = full
		return in.a, nil
	}
	m.keep(s, change.Row)
	regs[in.d] = OpaqueValue(change.Row)
	pc := f.pc
	m.tell(s.changed(change))
	return pc, nil
}

func (m *machine) write(w *write, regs, consts []Value) error {
	s := m.process.stores[w.store]
	row, err := s.rowAt(w.row, regs, consts)
	if err != nil {
		return err
	}
	var room [8]Cell
	cells := room[:0]
	for i, column := range w.columns {
		cells = append(cells, Cell{Column: column, Value: regs[int(w.first)+i]})
	}
	change, err := row.Write(cells...)
	if err != nil {
		return err
	}
	m.tell(s.changed(change))
	return nil
}

func (m *machine) take(f *frame, in *instr, regs []Value) (int32, error) {
	s := m.process.stores[in.b]
	change, ok, err := s.Take(value(regs, f.code.consts, in.c))
	switch {
	case err != nil:
		return f.pc, err
	case !ok:
		return in.a, nil
	}
	m.handOver(s, change.Row)
	regs[in.d] = OpaqueValue(change.Row)
	pc := f.pc
	m.tell(s.changed(change))
	return pc, nil
}

// clearStore removes all rows. Owned columns are drained: what they owe is
// settled like at the end of the program.
func (m *machine) clearStore(s *storeState) error {
	rows, change, err := s.Clear()
	if err != nil {
		return err
	}
	q := s.changed(change)
	if err := m.drain(s, rows, &q); err != nil {
		return err
	}
	m.tell(q)
	return nil
}

// rule adds a rule and runs it for every row there is.
func (m *machine) rule(code *Code, h *hook, regs []Value) {
	s := m.process.stores[h.store]
	if h.entries[0] < 0 {
		return
	}
	r := m.handlerOf(code, h, h.entries[0], regs)
	m.process.rules++
	r.rule = m.process.rules
	s.rules = append(s.rules, r)
	m.tell(notices{rules: []*handler{r}, rows: s.Rows()})
}

func (m *machine) watch(code *Code, h *hook, regs []Value) {
	s := m.process.stores[h.store]
	for column, entry := range h.entries {
		if entry >= 0 {
			s.watches[column] = append(s.watches[column], m.handlerOf(code, h, entry, regs))
		}
	}
}

// handlerOf returns a handler that keeps what the flow has bound so far.
func (m *machine) handlerOf(code *Code, h *hook, entry int32, regs []Value) *handler {
	r := &handler{code: code, entry: entry, fired: h.fired, verb: h.verb}
	if code.flow != nil {
		r.kept = append([]Value(nil), regs[:len(code.flow.Bindings)]...)
	}
	return r
}
