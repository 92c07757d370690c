package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// body adds the names of a resolved body.
func (t *tracer) body(f *Flow) {
	if f == nil {
		return
	}
	outer := *t
	t.flow, t.answer = f, nil
	t.parts, t.pairs = map[syntax.Node]*Binding{}, map[syntax.Node]syntax.Node{}
	for _, b := range f.Bindings {
		if b.Kind == FieldBinding {
			t.parts[b.Node] = b
		}
	}
	t.chain(f.Body)
	for _, a := range f.stray {
		t.arm(nil, a)
	}
	t.bindings(f)
	t.flow, t.answer, t.parts, t.pairs = outer.flow, outer.answer, outer.parts, outer.pairs
}

// bindings adds where the names of the flow are bound and read. A parameter is
// the field of the tor that it comes from.
func (t *tracer) bindings(f *Flow) {
	for _, b := range f.Bindings {
		if b.Name == "" {
			continue
		}
		e := t.bound(b)
		if at := bindingToken(b.Node); b.Kind != ParamBinding && b.Kind != FieldBinding && at.Text() == b.Name {
			t.add(e, at.Span(), Declares)
		}
		for _, use := range b.Uses {
			if use.Kind() == syntax.NameExpr && use.Text() == b.Name {
				t.value(e, use, use.Span())
			}
		}
	}
}

func (t *tracer) bound(b *Binding) Entity {
	if b.Kind == ParamBinding && t.flow.Owner != nil {
		return fieldEntity(t.flow.Owner.Module, t.flow.Owner.Fields[b.Slot])
	}
	return Entity{Kind: BindingEntity, Name: b.Name, Module: t.mod, Node: b.Node, Fact: b}
}

// value adds a name inside a value. Where the path that ends in it is all there
// is to one side of a pair, it is that side.
func (t *tracer) value(e Entity, path syntax.Node, span syntax.Span) {
	r := t.add(e, span, Reads)
	if pair := t.pairs[path]; pair.IsValid() {
		r.Pair, r.Side = pair, Value
	}
}

func (t *tracer) chain(c *Chain) {
	if c == nil || t.walked[c] {
		return
	}
	t.walked[c] = true
	for _, s := range c.Steps {
		switch {
		case s.Call != nil:
			t.call(s.Call)
		case s.Jump != nil:
			t.jump(s.Jump)
		}
	}
	if c.End != nil {
		t.end(c.End)
	}
}

// end adds what a path ends in.
func (t *tracer) end(e *End) {
	var want *Type
	switch {
	case e.Outcome != nil:
		want = e.Outcome.Payload
		if e.Node.Kind() == syntax.Construct {
			t.add(outcomeEntity(t.ownerOf(e), e.Outcome), inner(syntax.ConstructView{Node: e.Node}.Name()), Constructs)
		}
	case e.Resume && t.answer != nil:
		want = t.answer.Resume
	case !e.Resume && t.flow.Owner != nil:
		want = t.flow.Owner.Return
	}
	t.expr(e.Value, want)
	if e.Call != nil {
		t.call(e.Call)
	}
}

// ownerOf returns the module that declares what a path ends in.
func (t *tracer) ownerOf(e *End) *Module {
	if f := t.fileOf(e.Outcome.Node); f != nil {
		return f.Module
	}
	return t.mod
}

func (t *tracer) call(c *Call) {
	v := syntax.CallView{Node: c.Node}
	if label := v.Label(); label.IsValid() {
		t.add(labelEntity(t.mod, c), label.Span(), Declares)
	}
	tor := c.Tor
	if tor == nil {
		tor = t.callee(v, t.opened(nil, t.flow.Node))
	}
	if tor != nil {
		t.args(tor, c.Args, v.ArgList())
	}
	t.stored(c, v)
	if bind := v.Bind(); bind.Destructure().IsValid() && tor != nil {
		t.destructured(c, tor.Return, bind.Destructure())
	}
	t.block(c)
	for _, a := range c.Arms {
		if a.Node.Kind() == syntax.Arm { // others are the checker's own
			t.arm(c, a)
		}
	}
}

func labelEntity(m *Module, c *Call) Entity {
	return Entity{Kind: LabelEntity, Name: c.Label, Module: m, Node: c.Node, Fact: c}
}

// args adds the labels and the values of arguments. supplied is what was
// understood of them.
func (t *tracer) args(tor *Tor, supplied []Arg, list syntax.Node) {
	byNode := make(map[syntax.Node]*Arg, len(supplied))
	for i := range supplied {
		if a := &supplied[i]; a.Node.IsValid() {
			byNode[a.Node] = a
		}
	}
	for n := range list.ChildrenOf(syntax.Arg) {
		v := syntax.ArgView{Node: n}
		a, label := byNode[n], v.Label()
		field := tor.Field(label.Text())
		if a != nil {
			field = a.Field
		}
		switch {
		case field == nil:
		case label.IsValid():
			t.pairs[v.Value()] = n
			t.paired(fieldEntity(tor.Module, field), label.Span(), Writes, n, Label)
		case a != nil && a.Punned:
			t.pairs[v.Value()] = n
			t.paired(fieldEntity(tor.Module, field), lastSpan(pathToken(v.Value())), Writes, n, Label)
		}
		if a != nil {
			t.expr(a.Value, a.Field.Type)
			t.scoped(tor, a)
		}
	}
}

// scoped adds the name of a scope that is handed to a verb of the runtime.
func (t *tracer) scoped(tor *Tor, a *Arg) {
	if a.Field.Name != "scope" || a.Value == nil || a.Value.Kind != LiteralExpr || a.Value.Lit.Kind != TextLit {
		return
	}
	if !tor.Module.Std || formOf(tor) == Register {
		return
	}
	if s := t.prog.Scope(a.Value.Lit.Text); s != nil {
		t.add(scopeEntity(s), unquoted(t.file, a.Value.Node.Span()), Reads)
	}
}

func scopeEntity(s *Scope) Entity {
	return Entity{Kind: ScopeEntity, Name: s.Name, Module: s.Module, Node: s.Node, Fact: s}
}

// stored adds the store that a call of std/store names.
func (t *tracer) stored(c *Call, v syntax.CallView) {
	store := t.storeOf(c)
	if store == nil {
		return
	}
	for a := range v.Args() {
		n := a.Value()
		if n.Kind() == syntax.IndexExpr {
			n = syntax.Operand(n, 0)
		}
		if a.Label().IsValid() || n.Text() != store.Name {
			continue
		}
		role := Reads
		if store.Node == c.Node {
			role = Declares
		}
		t.add(storeEntity(store), n.Span(), role)
		break
	}
	t.expr(c.Index, nil)
}

// storeOf returns the store that a call of std/store names, or the grid that it
// declares.
func (t *tracer) storeOf(c *Call) *Store {
	if c.Store != nil || c.Block.Kind() != syntax.ColumnBlock {
		return c.Store
	}
	return t.mod.declaredStore(c.Node)
}

func storeEntity(s *Store) Entity {
	return Entity{Kind: StoreEntity, Name: s.Name, Module: s.Module, Node: s.Node, Fact: s}
}

// arm adds the word of an arm, what it binds, its guard and its body. An arm
// that no step declares has no call.
func (t *tracer) arm(c *Call, a *Arm) {
	v := syntax.ArmView{Node: a.Node}
	var payload *Type
	if a.Payload != nil {
		payload = a.Payload.Type
	}
	if word := v.Name(); word.IsValid() && !a.CatchAll {
		switch {
		case c != nil && c.Form == StoreWatch && c.Store != nil:
			if column := c.Store.Column(a.Word); column != nil {
				t.add(columnEntity(c.Store, column), inner(word), Handles)
			}
		case a.Outcome != nil && c != nil && c.Tor != nil:
			t.add(outcomeEntity(c.Tor.Module, a.Outcome), inner(word), Handles)
		}
	}
	if braces := v.Bind().Destructure(); braces.IsValid() {
		t.destructured(c, payload, braces)
	}
	t.expr(a.Guard, nil)
	answer := t.answer
	if a.Effect {
		t.answer = a.Outcome
	}
	t.chain(a.Body)
	t.answer = answer
}

// destructured adds the fields that a binding takes apart, and the names that
// they are bound to.
func (t *tracer) destructured(c *Call, typ *Type, braces syntax.Node) {
	for n := range braces.ChildrenOf(syntax.BindField) {
		v := syntax.BindFieldView{Node: n}
		from, named := v.Field(), false
		if as := v.As(); (as.Kind() == syntax.Name || as.Kind() == syntax.Path) && scalarType(as.Text()) == nil {
			from, named = as, true
		}
		if !from.IsValid() || from.Text() == "_" {
			continue
		}
		if b := t.parts[n]; b != nil && b.Name != "" {
			at := v.Field()
			if !named {
				at = from
			}
			t.paired(t.bound(b), lastSpan(at), Declares, n, Label)
		}
		inner := t.taken(c, typ, n, from, v.Nested().IsValid())
		if nested := v.Nested(); nested.IsValid() {
			t.destructured(c, inner, nested)
		}
	}
}

// taken adds the fields on the path that a destructured field takes, and
// returns the type at its end.
func (t *tracer) taken(c *Call, typ *Type, n syntax.Node, path syntax.Token, nested bool) *Type {
	at := path.Span().Start
	steps := strings.Split(path.Text(), ".")
	if c != nil && c.Form.store() && (annotated(n, "row") || annotated(n, "id") || typ == nil || fieldOf(typ, steps[0]) == nil) {
		if steps[0] != "entity" {
			return nil
		}
		at += len("entity.")
		steps = steps[1:]
	}
	for i, step := range steps {
		var f *Field
		if typ != nil && typ.Kind == RecordType {
			f = fieldOf(typ, step)
		}
		if f == nil {
			return nil
		}
		span := syntax.Span{Start: at, End: at + len(step)}
		if last := i == len(steps)-1; last && !nested {
			t.paired(t.field(f), span, Reads, n, Value)
		} else {
			t.add(t.field(f), span, Reads)
		}
		typ, at = f.Type, span.End+1
	}
	return typ
}

// field returns the entity of a field of some type: it belongs to the module
// that declares the type.
func (t *tracer) field(f *Field) Entity {
	m := t.mod
	if file := t.fileOf(f.Node); file != nil {
		m = file.Module
	}
	return fieldEntity(m, f)
}

func (t *tracer) jump(j *Jump) {
	v := syntax.JumpView{Node: j.Node}
	if j.Target == nil {
		return
	}
	t.add(labelEntity(t.mod, j.Target), v.Label().Span(), Calls)
	if j.Target.Tor != nil {
		t.args(j.Target.Tor, j.Args, v.ArgList())
	}
}

// expr adds the names in a value. want is the type that the value is given to,
// if that is known: the fields of a record literal are those of it.
func (t *tracer) expr(e *Expr, want *Type) {
	if e == nil {
		return
	}
	switch e.Kind {
	case ConstExpr:
		c := e.Const
		t.value(Entity{Kind: ConstEntity, Name: c.Name, Module: c.Module, Node: c.Node, Fact: c}, e.Node, e.Node.Span())
	case CellExpr, StoreLenExpr:
		t.cell(e)
	case FieldOfExpr:
		t.member(e, e.X.Type)
	case CaptureExpr:
		t.member(e, e.Ref.Type)
	case RecordOf:
		t.record(e, want)
		return
	}
	var elem *Type
	if e.Kind == ListOf && want != nil {
		elem = want.Elem
	}
	if e.Kind != CondOp {
		want = nil
	}
	t.expr(e.X, nil)
	t.expr(e.Y, want)
	t.expr(e.Z, want)
	for _, x := range e.List {
		t.expr(x, elem)
	}
	t.spliced(e.Parts)
}

// member adds the field that a path takes of a record.
func (t *tracer) member(e *Expr, of *Type) {
	if of == nil || of.Kind != RecordType {
		return
	}
	if f := fieldOf(of, e.Names[0]); f != nil {
		t.value(t.field(f), e.Node, fieldToken(e.Node).Span())
	}
}

// cell adds the store and the column of a cell.
func (t *tracer) cell(e *Expr) {
	base := e.Node
	for base.Kind() == syntax.FieldExpr || base.Kind() == syntax.IndexExpr {
		base = syntax.Operand(base, 0)
	}
	t.add(storeEntity(e.Store), base.Span(), Reads)
	if len(e.Names) == 1 && e.Node.Kind() == syntax.FieldExpr {
		if c := e.Store.Column(e.Names[0]); c != nil {
			t.value(columnEntity(e.Store, c), e.Node, fieldToken(e.Node).Span())
		}
	}
}

// record adds the labels and values of a record literal. One that is given to
// no declared record declares its own fields.
func (t *tracer) record(e *Expr, want *Type) {
	for i, name := range e.Names {
		made := e.Type.Fields[i]
		field, role := made, Declares
		if want != nil && want.Kind == RecordType {
			field, role = fieldOf(want, name), Writes
		}
		var typ *Type
		if field != nil {
			typ = field.Type
			t.pairs[syntax.RecordFieldView{Node: made.Node}.Value()] = made.Node
			t.paired(t.field(field), lastSpan(labelOf(made.Node)), role, made.Node, Label)
		}
		t.expr(e.List[i], typ)
	}
}

func (t *tracer) spliced(parts []Part) {
	for _, p := range parts {
		t.expr(p.Expr, nil)
		t.spliced(p.Body)
		t.spliced(p.Else)
	}
}

// block adds the names in the block of a call.
func (t *tracer) block(c *Call) {
	t.expr(c.Template, nil)
	for i := range c.Assigns {
		t.assigned(c, &c.Assigns[i])
	}
	if c.Block.Kind() == syntax.TestBlock {
		t.tested(c)
	}
}

// assigned adds what an entry of an assignment block writes, and its value.
func (t *tracer) assigned(c *Call, a *Assign) {
	v := syntax.AssignView{Node: a.Node}
	target := v.Target()
	t.pairs[v.Value()] = a.Node
	var e Entity
	var want *Type
	role := Writes
	switch at := labelOf(a.Node); {
	case len(a.Path) == 0 || a.Path[0] == "" || !at.IsValid():
	case a.Store != nil && c.Form != Capture && c.Form != Captured:
		e, want = t.written(a)
	case c.Form == Capture:
		role = Declares
		e = Entity{Kind: FieldEntity, Name: a.Path[0], Module: t.mod, Node: a.Node}
	case a.Base != nil && a.Base.Type != nil && a.Base.Type.Kind == RecordType:
		if f := fieldOf(a.Base.Type, a.Path[0]); f != nil {
			e, want = t.field(f), f.Type
		}
	}
	if e.IsValid() {
		t.assignee(e, a, target, role)
	}
	t.expr(a.Row, nil)
	t.expr(a.Value, want)
}

// written returns the column that an entry writes, after the store that it
// names has been added.
func (t *tracer) written(a *Assign) (Entity, *Type) {
	base := syntax.AssignView{Node: a.Node}.Target()
	for base.Kind() == syntax.FieldExpr || base.Kind() == syntax.IndexExpr {
		base = syntax.Operand(base, 0)
	}
	if a.Base == nil && base.Text() == a.Store.Name && !a.Punned {
		t.add(storeEntity(a.Store), base.Span(), Reads)
	}
	if column := a.Store.Column(a.Path[0]); column != nil {
		return columnEntity(a.Store, column), column.Type
	}
	return Entity{}, nil
}

// assignee adds the name that an entry writes to: the label of the entry if it
// is a name by itself, the last word of a path otherwise.
func (t *tracer) assignee(e Entity, a *Assign, target syntax.Node, role Role) {
	if target.Kind() == syntax.NameExpr || a.Punned {
		t.paired(e, lastSpan(labelOf(a.Node)), role, a.Node, Label)
		return
	}
	steps := 1
	for n := target; n.Kind() == syntax.FieldExpr; n = syntax.Operand(n, 0) {
		if steps == len(a.Path) {
			t.add(e, fieldToken(n).Span(), role)
			return
		}
		steps++
	}
}

// tested adds the flows and mocks of a test.
func (t *tracer) tested(c *Call) {
	b := t.prog.TestOf(t.file, t.root)
	if b == nil || b.Node != c.Node {
		return
	}
	for _, f := range b.Flows {
		t.body(f)
	}
	for _, m := range b.Mocks {
		t.body(m.Flow)
	}
}
