package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// tracer finds what the names of one top-level item stand for. It adds no
// judgement: it reads the records of the program and the resolved bodies, and
// says where in the text they come from. Broken text keeps what could be
// resolved of it.
type tracer struct {
	prog   *Program
	mod    *Module
	file   *File
	root   syntax.Node // the top-level item
	flow   *Flow       // the body that is being read
	out    []Reference
	walked map[*Chain]bool
	found  *File    // where the last foreign declaration was found
	answer *Outcome // the effect whose handler is being read
	// Of the body that is being read: the bindings of destructured fields by
	// their node, and the pairs by the path that is their value.
	parts map[syntax.Node]*Binding
	pairs map[syntax.Node]syntax.Node
}

func (t *tracer) add(e Entity, span syntax.Span, role Role) *Reference {
	t.out = append(t.out, Reference{Entity: e, File: t.file, Span: span, Role: role, Item: t.root})
	return &t.out[len(t.out)-1]
}

// paired adds a name that is one side of a pair.
func (t *tracer) paired(e Entity, span syntax.Span, role Role, pair syntax.Node, side Side) {
	r := t.add(e, span, role)
	r.Pair, r.Side = pair, side
}

// fileOf is Program.fileOf, which looks first where it found something last.
func (t *tracer) fileOf(n syntax.Node) *File {
	for _, f := range []*File{t.file, t.found} {
		if f != nil && n.IsValid() && f.holds(n) {
			return f
		}
	}
	t.found = t.prog.FileOf(n)
	return t.found
}

func (t *tracer) item(n syntax.Node) {
	t.annotations(n)
	switch n.Kind() {
	case syntax.ImportItem:
		t.imported(syntax.ImportView{Node: n}.Path())
	case syntax.TorItem:
		t.declaration(n)
	case syntax.ProcItem:
		t.implemented(syntax.ProcView{Node: n}.Name())
	case syntax.ImplItem:
		t.implemented(syntax.ImplView{Node: n}.Name())
		t.body(t.prog.FlowOf(t.file, n))
	case syntax.FlowItem:
		t.body(t.prog.FlowOf(t.file, n))
	}
}

func (t *tracer) imported(at syntax.Token) {
	if at.Kind() != syntax.Name && at.Kind() != syntax.Path {
		return
	}
	if m := t.mod.lookup(importPath(at)); m != nil {
		module, _, _ := strings.Cut(at.Text(), ":")
		t.add(moduleEntity(m), syntax.Span{Start: at.Span().Start, End: at.Span().Start + len(module)}, Imports)
	}
}

// annotations adds the words of annotations and the names in them: the modules
// of [with(…)], the fields of - doc(field).
func (t *tracer) annotations(n syntax.Node) {
	for list := range n.AnnotationList() {
		for entry := range list.ChildrenOf(syntax.Annotation) {
			word := entry.FirstToken()
			if word.Kind() != syntax.Name {
				continue
			}
			t.add(Entity{Kind: AnnotationEntity, Name: word.Text()}, word.Span(), Reads)
			for arg := range entry.ChildrenOf(syntax.AnnotationArg) {
				t.annotated(n, word.Text(), arg)
			}
		}
	}
}

func (t *tracer) annotated(n syntax.Node, word string, arg syntax.Node) {
	switch word {
	case "with":
		if m := t.mod.lookup(strings.ReplaceAll(arg.Text(), ".", "/")); m != nil {
			t.add(moduleEntity(m), arg.Span(), Reads)
		}
	case "doc":
		if tor := t.mod.torAt(n); tor != nil {
			if f := tor.Field(arg.Text()); f != nil {
				t.add(fieldEntity(t.mod, f), arg.Span(), Reads)
			}
		}
	}
}

// declaration adds the names of a tor: its own, and those of what it takes and
// ends in.
func (t *tracer) declaration(n syntax.Node) {
	tor := t.mod.torAt(n)
	if tor == nil || tor.Name == "" {
		return
	}
	t.add(torEntity(tor), tor.nameSpan(), Declares)
	t.declaredFields(tor.Fields)
	t.typed(tor.Return)
	t.outcomes(tor.Outcomes)
}

func (t *tracer) outcomes(list []*Outcome) {
	for _, o := range list {
		at := syntax.ArmDeclView{Node: o.Node}.Name()
		if o.Node.Kind() == syntax.Resume {
			at = syntax.ResumeView{Node: o.Node}.Name()
		}
		if at.IsValid() {
			t.add(outcomeEntity(t.mod, o), inner(at), Declares)
		}
		t.typed(o.Payload)
		t.typed(o.Resume)
		t.outcomes(o.ResumeArms)
	}
}

func (t *tracer) declaredFields(list []*Field) {
	for _, f := range list {
		if name := (syntax.FieldView{Node: f.Node}).Name(); name.IsValid() {
			t.add(fieldEntity(t.mod, f), name.Span(), Declares)
		}
		t.typed(f.Type)
	}
}

// typed adds the names of a type: its module, itself, its states, its fields.
func (t *tracer) typed(ty *Type) {
	if ty == nil || !ty.Node.IsValid() {
		return
	}
	v := syntax.TypeView{Node: ty.Node}
	switch ty.Kind {
	case ListType:
		t.typed(ty.Elem)
	case RecordType:
		t.declaredFields(ty.Fields)
	case HostType, InjectedType, UnknownType:
		if path := v.Path(); path.IsValid() && ty.Name != "" {
			name := t.qualified(path, t.mod)
			if ty.Owner != nil {
				t.add(Entity{Kind: TypeEntity, Name: ty.Name, Module: ty.Owner, Fact: ty}, name, Reads)
			}
		}
	}
	t.states(ty, v.Phantom())
}

// states adds the labels of a possession label; the type holds them in order.
func (t *tracer) states(ty *Type, v syntax.PhantomView) {
	if ty.Phantom == nil {
		return
	}
	i := 0
	for s := range v.States() {
		at := s.Name()
		if name := at.Text(); strings.HasSuffix(name, "'") || name == "" || name == "_" {
			continue
		}
		if i == len(ty.Phantom.Members) {
			return
		}
		state := ty.Phantom.Members[i]
		i++
		role := Reads
		switch {
		case state.Mint:
			role = Declares
		case state.Consume:
			role = Writes
		}
		e := Entity{Kind: StateEntity, Name: state.Name, Module: t.prog.Module(state.Module), Fact: state}
		t.add(e, t.qualified(at, t.mod), role)
	}
}

// qualified adds the module in front of a name, and returns where the name
// behind it stands.
func (t *tracer) qualified(path syntax.Token, from *Module) syntax.Span {
	span := path.Span()
	module, name := syntax.SplitPath(path.Text())
	if module == "" {
		return span
	}
	if m := t.moduleNamed(from, module); m != nil {
		t.add(moduleEntity(m), syntax.Span{Start: span.Start, End: span.Start + len(module)}, Reads)
	}
	span.Start = span.End - len(name)
	return span
}

// moduleNamed returns the module that a path means here. The modules that need
// no import and those that only declarations for a build name are found too.
func (t *tracer) moduleNamed(from *Module, path string) *Module {
	path = strings.ReplaceAll(path, ".", "/")
	if m := from.lookup(path); m != nil {
		return m
	}
	return t.prog.Module(path)
}

// implemented adds the name in front of a body.
func (t *tracer) implemented(at syntax.Token) {
	if !at.IsValid() {
		return
	}
	if tor := t.resolve(at.Text(), nil); tor != nil {
		t.verb(tor, t.qualified(at, t.mod), Implements)
		return
	}
	t.qualified(at, t.mod)
}

// verb adds the name of a tor. The default body of an overridden tor is called
// by the name of the tor and a word behind it.
func (t *tracer) verb(tor *Tor, span syntax.Span, role Role) {
	e := torEntity(tor)
	if extra := len(tor.Name) - len(e.Name); extra > 0 && strings.HasPrefix(tor.Name, e.Name+".") {
		span.End -= extra
	}
	t.add(e, span, role)
}

// resolve finds the tor that a path names here, also one that may not be called.
func (t *tracer) resolve(path string, with []*Module) *Tor {
	tor, _ := t.prog.Resolve(t.mod, path, with)
	if tor != nil {
		return tor
	}
	module, name := syntax.SplitPath(path)
	m := t.mod
	if module != "" {
		m = t.moduleNamed(t.mod, module)
	}
	if m == nil {
		return nil
	}
	return m.Tor(name)
}

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
		t.annotations(s.Node)
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
	tor := t.callee(c, v)
	t.called(tor, v.Path())
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

// callee returns the tor that a call names. Where the call is broken, private
// or to a broken declaration, the name still says which one is meant.
func (t *tracer) callee(c *Call, v syntax.CallView) *Tor {
	if c.Tor != nil || !v.Path().IsValid() {
		return c.Tor
	}
	var with []*Module
	for _, n := range []syntax.Node{t.flow.Node, c.Node} {
		opened, _ := t.prog.OpenedBy(t.file, n, v.Path().Text())
		with = append(with, opened...)
	}
	return t.resolve(v.Path().Text(), with)
}

// called adds the path of a call. A call of a module as such, koru/vaxis(app),
// names the module and its default verb at once.
func (t *tracer) called(tor *Tor, path syntax.Token) {
	if !path.IsValid() {
		return
	}
	if tor == nil {
		t.qualified(path, t.mod)
		return
	}
	module, _ := syntax.SplitPath(path.Text())
	if tor.Name == defaultTor && module == "" && tor.Module != t.mod {
		t.add(moduleEntity(tor.Module), path.Span(), Reads)
		t.add(torEntity(tor), path.Span(), Calls)
		return
	}
	t.verb(tor, t.qualified(path, t.mod), Calls)
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
	for _, s := range t.mod.Stores {
		if s.Node == c.Node {
			return s
		}
	}
	return nil
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
		t.annotations(n)
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
	switch c.Block.Kind() {
	case syntax.ConstBlock:
		t.constants(c.Block)
	case syntax.ColumnBlock:
		t.columns(c)
	case syntax.GrantBlock:
		t.granted(c)
	case syntax.TestBlock:
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

func (t *tracer) constants(block syntax.Node) {
	for n := range block.ChildrenOf(syntax.ConstEntry) {
		name := (syntax.ColumnView{Node: n}).Name()
		c := t.mod.consts[name.Text()]
		if c == nil || c.Node != n {
			continue
		}
		t.add(Entity{Kind: ConstEntity, Name: c.Name, Module: t.mod, Node: n, Fact: c}, name.Span(), Declares)
		t.typed(c.Type)
		t.expr(c.Value, c.Type)
	}
}

func (t *tracer) columns(c *Call) {
	s := t.storeOf(c)
	if s == nil || s.Node != c.Node {
		return
	}
	for _, column := range s.Columns {
		if name := (syntax.ColumnView{Node: column.Node}).Name(); name.IsValid() {
			t.add(columnEntity(s, column), name.Span(), Declares)
		}
		if (syntax.ColumnView{Node: column.Node}).Type().IsValid() {
			t.typed(column.Type)
		}
		t.expr(column.Initial, column.Type)
	}
	t.expr(s.Capacity, nil)
}

// granted adds what a register block grants and includes, and the name of its
// scope.
func (t *tracer) granted(c *Call) {
	name, at := scopeName(t.root, syntax.CallView{Node: c.Node})
	scope := Entity{Kind: ScopeEntity, Name: name, Module: t.mod, Node: t.root}
	for _, s := range t.prog.Scopes {
		if s.Node == t.root {
			scope.Fact = s
		}
	}
	if span := unquoted(t.file, at); t.file.Syntax.Text()[span.Start:span.End] == name {
		t.add(scope, span, Declares)
	}
	for n := range c.Block.Children() {
		t.annotations(n)
		switch n.Kind() {
		case syntax.Grant:
			t.grant(name, syntax.GrantView{Node: n})
		case syntax.GrantGlob:
			if m := t.moduleNamed(t.mod, syntax.GrantView{Node: n}.Source().Text()); m != nil {
				t.add(moduleEntity(m), syntax.GrantView{Node: n}.Source().Span(), Grants)
			}
		case syntax.GrantInclude:
			if included := syntax.IncludeName(n); t.prog.Scope(included.Text()) != nil {
				t.add(scopeEntity(t.prog.Scope(included.Text())), included.Span(), Grants)
			}
		}
	}
}

// grant adds the verb that a grant names and the name it is exposed under,
// which are the same without an arrow.
func (t *tracer) grant(scope string, v syntax.GrantView) {
	source, verb := v.Source(), v.Verb()
	if !source.IsValid() {
		return
	}
	var unsaid []Diagnostic
	j := &judge{prog: t.prog, mod: t.mod, file: t.file, out: &unsaid}
	if tor := j.granted(scope, source); tor != nil {
		t.paired(torEntity(tor), t.qualified(source, t.mod), Grants, v.Node, Value)
	}
	t.paired(Entity{Kind: GrantEntity, Name: verb.Text(), Module: t.mod, Node: v.Node}, verb.Span(), Declares, v.Node, Label)
}

// tested adds the flows and mocks of a test.
func (t *tracer) tested(c *Call) {
	for _, b := range t.mod.Tests {
		if b.Node != c.Node {
			continue
		}
		for _, f := range b.Flows {
			t.annotations(f.Node)
			t.body(f)
		}
		for _, m := range b.Mocks {
			t.implemented(syntax.ImplView{Node: m.Flow.Node}.Name())
			t.body(m.Flow)
		}
	}
}
