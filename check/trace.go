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

// item adds the names of the item: those that its tree and the declarations of
// the program tell, and, if bodies is set, those that only a resolved body does.
func (t *tracer) item(n syntax.Node, bodies bool) {
	t.tree(n, t.opened(nil, n))
	switch n.Kind() {
	case syntax.ImportItem:
		t.imported(syntax.ImportView{Node: n}.Path())
	case syntax.TorItem:
		t.declaration(n)
	case syntax.ProcItem:
		t.implemented(syntax.ProcView{Node: n}.Name())
	case syntax.ImplItem, syntax.FlowItem:
		if bodies {
			t.body(t.prog.FlowOf(t.file, n))
		}
	}
}

// tree adds what needs no body: annotations, the verbs that are called and
// implemented, what blocks declare and grant. with are the modules that [with]
// opens for the flow.
func (t *tracer) tree(n syntax.Node, with []*Module) {
	if n.Kind() == syntax.ImplItem {
		t.implemented(syntax.ImplView{Node: n}.Name())
	}
	for c := range n.Children() {
		inner := with
		switch c.Kind() {
		case syntax.Annotations:
			t.annotations(n, c)
			continue
		case syntax.FlowItem, syntax.ImplItem: // in a test
			inner = t.opened(nil, c)
		case syntax.Call:
			t.called(syntax.CallView{Node: c}, with)
		case syntax.ConstBlock:
			t.constants(c)
		case syntax.ColumnBlock:
			t.columns(n)
		case syntax.GrantBlock:
			t.granted(n, c)
		}
		t.tree(c, inner)
	}
}

// opaque calls found with the calls under a node of which nobody knows what they
// do with what they are given.
func (t *tracer) opaque(n syntax.Node, with []*Module, found func(syntax.CallView)) {
	for c := range n.Children() {
		inner := with
		switch c.Kind() {
		case syntax.Annotations:
			continue
		case syntax.FlowItem, syntax.ImplItem: // in a test
			inner = t.opened(nil, c)
		case syntax.Call:
			v := syntax.CallView{Node: c}
			if tor := t.callee(v, with); tor == nil || tor.Broken() || formOf(tor) == Opaque {
				found(v)
			}
		}
		t.opaque(c, inner, found)
	}
}

// opened returns the modules that are open under a node, given those around it.
func (t *tracer) opened(with []*Module, n syntax.Node) []*Module {
	callee := n
	if n.Kind() != syntax.Call {
		callee = n.Child(syntax.Chain).Child(syntax.Call)
	}
	opened, _ := t.prog.OpenedBy(t.file, n, syntax.CallView{Node: callee}.Path().Text())
	return append(with[:len(with):len(with)], opened...)
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

// annotations adds the words of a list of annotations and the names in them: the
// modules of [with(…)], the fields of - doc(field).
func (t *tracer) annotations(n, list syntax.Node) {
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
	if m := t.prog.Module(path); m != nil {
		return m
	}
	return t.prog.std(path)
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

// callee returns the tor that a call names. Where the call is broken, private
// or to a broken declaration, the name still says which one is meant.
func (t *tracer) callee(v syntax.CallView, with []*Module) *Tor {
	if !v.Path().IsValid() {
		return nil
	}
	return t.resolve(v.Path().Text(), t.opened(with, v.Node))
}

// called adds the path of a call. A call of a module as such, koru/vaxis(app),
// names the module and its default verb at once.
func (t *tracer) called(v syntax.CallView, with []*Module) {
	path := v.Path()
	if !path.IsValid() {
		return
	}
	tor := t.callee(v, with)
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

// constants adds what a block of const declares.
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

// columns adds what the block of std/store:new or std/grid:new declares.
func (t *tracer) columns(call syntax.Node) {
	s := t.mod.declaredStore(call)
	if s == nil {
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

// declaredStore returns the store that a call declares, or nil.
func (m *Module) declaredStore(call syntax.Node) *Store {
	for _, s := range m.Stores {
		if s.Node == call {
			return s
		}
	}
	return nil
}

// granted adds what a register block grants and includes, and the name of its
// scope.
func (t *tracer) granted(call, block syntax.Node) {
	name, at := scopeName(t.root, syntax.CallView{Node: call})
	scope := Entity{Kind: ScopeEntity, Name: name, Module: t.mod, Node: t.root}
	for _, s := range t.prog.Scopes {
		if s.Node == t.root {
			scope.Fact = s
		}
	}
	if span := unquoted(t.file, at); t.file.Syntax.Text()[span.Start:span.End] == name {
		t.add(scope, span, Declares)
	}
	for n := range block.Children() {
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
