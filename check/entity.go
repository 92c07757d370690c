package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// EntityKind sorts what a name can stand for.
type EntityKind uint8

// The kinds of entity.
const (
	NoEntity         EntityKind = iota
	TorEntity                   // a verb
	OutcomeEntity               // an outcome or effect of a tor, or a named answer to an effect
	FieldEntity                 // an input, a field of a record, a cell of a capture
	BindingEntity               // a name that a flow binds
	LabelEntity                 // #name of a flow
	ModuleEntity                // a module
	ConstEntity                 // a constant
	StoreEntity                 // a store or a grid
	ColumnEntity                // a column of a store
	ScopeEntity                 // what a register block grants
	GrantEntity                 // the name under which a scope exposes a verb
	StateEntity                 // a possession label of a module
	TypeEntity                  // a type of the host
	AnnotationEntity            // the word of an annotation
)

var entityKinds = [...]string{
	NoEntity: "nothing", TorEntity: "tor", OutcomeEntity: "outcome", FieldEntity: "field", BindingEntity: "binding",
	LabelEntity: "label", ModuleEntity: "module", ConstEntity: "constant", StoreEntity: "store", ColumnEntity: "column",
	ScopeEntity: "scope", GrantEntity: "granted verb", StateEntity: "state", TypeEntity: "host type", AnnotationEntity: "annotation",
}

func (k EntityKind) String() string { return entityKinds[k] }

// Entity is one thing of a program that a name stands for. It is what an editor
// asks about a place ([Program.EntityAt]) and looks for elsewhere
// ([Program.Uses]).
type Entity struct {
	Kind   EntityKind
	Name   string      // as it is declared, without module and marks
	Module *Module     // that owns it; nil for annotations
	Node   syntax.Node // its declaration; the zero Node if no source declares it

	// Fact is the record of the program: *Tor, *Outcome, *Field, *Binding, *Call
	// (of a label), *Module, *ConstDecl, *Store, *Column, *Scope, State or *Type;
	// nil where the name is all there is.
	Fact any
}

// EntityID names an entity across programs: two programs that share the file of
// a declaration mean the same entity where the IDs are equal.
type EntityID struct {
	Kind EntityKind
	Node syntax.Node
	Home string // of what no node declares: the files of the module
	Name string
}

// ID returns what identifies the entity.
func (e Entity) ID() EntityID {
	id := EntityID{Kind: e.Kind, Node: e.Node}
	if !e.Node.IsValid() {
		id.Name = e.Name
		if e.Module != nil {
			id.Home = e.Module.stem
		}
	}
	return id
}

// IsValid reports whether there is an entity.
func (e Entity) IsValid() bool { return e.Kind != NoEntity }

// Tor returns the verb that the entity is, or nil.
func (e Entity) Tor() *Tor { t, _ := e.Fact.(*Tor); return t }

// Outcome returns the outcome that the entity is, or nil.
func (e Entity) Outcome() *Outcome { o, _ := e.Fact.(*Outcome); return o }

// Field returns the field that the entity is, or nil.
func (e Entity) Field() *Field { f, _ := e.Fact.(*Field); return f }

// Binding returns the binding that the entity is, or nil.
func (e Entity) Binding() *Binding { b, _ := e.Fact.(*Binding); return b }

// Local reports whether only one flow can name the entity.
func (e Entity) Local() bool { return e.Kind == BindingEntity || e.Kind == LabelEntity }

// Role says what a name does to the entity it stands for.
type Role uint8

// The roles of a name.
const (
	Declares   Role = iota
	Implements      // a proc, a flow or a mock gives a tor its body
	Calls           // a call of a tor, or a jump to a label
	Handles         // an arm answers an outcome
	Constructs      // a path ends in an outcome
	Reads           // the name is read, required, opened
	Writes          // a field is given its value, a cell is written
	Grants          // a scope exposes the verb, or includes the scope
	Imports         // a module is imported
)

var roles = [...]string{
	Declares: "declares", Implements: "implements", Calls: "calls", Handles: "handles", Constructs: "constructs",
	Reads: "reads", Writes: "writes", Grants: "grants", Imports: "imports",
}

func (r Role) String() string { return roles[r] }

// Reference is one place where a name stands for an entity. A pun stands for
// several: turn(br) names the binding br and the field br, and is two
// references with one span.
type Reference struct {
	Entity Entity
	File   *File
	Span   syntax.Span
	Role   Role
	Item   syntax.Node // the top-level item that the name stands in

	// Pair is the node that pairs two names, one of which may stand for both: an
	// argument, a field of a record, an entry of an assignment block, a
	// destructured field, a grant. It is the zero Node for a name that stands by
	// itself.
	Pair syntax.Node
	Side Side
}

// Side says which of two paired names a reference is.
type Side uint8

// The sides of a pair. In `label: value` the label is what the value goes to; a
// destructured field `name: field` gives the field a name, and a grant `verb ->
// name` the verb.
const (
	Alone Side = iota
	Label
	Value
)

// lastName returns the last word of a path: the part that tells what it names.
func lastName(path string) string {
	return path[strings.LastIndexAny(path, "/:.")+1:]
}

func torEntity(t *Tor) Entity {
	name := (syntax.TorView{Node: t.Node}).Name().Text()
	return Entity{Kind: TorEntity, Name: name, Module: t.Module, Node: t.Node, Fact: t}
}

func outcomeEntity(m *Module, o *Outcome) Entity {
	return Entity{Kind: OutcomeEntity, Name: o.Name, Module: m, Node: o.Node, Fact: o}
}

// fieldEntity returns the entity of a field of a type. A row of a store is a
// record whose fields are the columns.
func fieldEntity(m *Module, f *Field) Entity {
	e := Entity{Kind: FieldEntity, Name: f.Name, Module: m, Node: f.Node, Fact: f}
	if f.Node.Kind() == syntax.Column {
		e.Kind = ColumnEntity
	}
	return e
}

func columnEntity(s *Store, c *Column) Entity {
	return Entity{Kind: ColumnEntity, Name: c.Name, Module: s.Module, Node: c.Node, Fact: c}
}

func moduleEntity(m *Module) Entity {
	stem, _ := stemOf(m.stem)
	stem = strings.TrimSuffix(stem, "/index")
	return Entity{Kind: ModuleEntity, Name: stem[strings.LastIndexByte(stem, '/')+1:], Module: m, Fact: m}
}

// DeclaredAt returns the file of the entity's declaration and the range of its
// name there. It reports false for what no source of the program declares: a
// type of the host, a state. A module is declared at the start of its first
// file.
func (p *Program) DeclaredAt(e Entity) (*File, syntax.Span, bool) {
	if e.Kind == ModuleEntity && e.Module != nil {
		return e.Module.Files[0], syntax.Span{}, true
	}
	f := p.FileOf(e.Node)
	if f == nil {
		return nil, syntax.Span{}, false
	}
	at, ok := nameOf(f, e)
	return f, at, ok
}

// nameOf returns where the name of an entity stands in its declaration.
func nameOf(f *File, e Entity) (syntax.Span, bool) {
	var at syntax.Token
	n := e.Node
	switch n.Kind() {
	case syntax.TorItem:
		at = syntax.TorView{Node: n}.Name()
	case syntax.ArmDecl:
		return inner(syntax.ArmDeclView{Node: n}.Name()), true
	case syntax.Resume:
		return inner(syntax.ResumeView{Node: n}.Name()), true
	case syntax.FieldDecl:
		at = syntax.FieldView{Node: n}.Name()
	case syntax.Bind:
		at = syntax.BindView{Node: n}.Name()
	case syntax.BindField:
		return lastSpan(syntax.BindFieldView{Node: n}.Field()), true
	case syntax.Call:
		if e.Kind == StoreEntity {
			at, _ = storeHead(syntax.CallView{Node: n})
		} else {
			at = syntax.CallView{Node: n}.Label()
		}
	case syntax.ConstEntry, syntax.Column:
		at = syntax.ColumnView{Node: n}.Name()
	case syntax.Grant:
		at = syntax.GrantView{Node: n}.Verb()
	case syntax.FlowItem:
		_, span := scopeName(n, syntax.CallView{Node: syntax.FlowView{Node: n}.Chain().Child(syntax.Call)})
		return unquoted(f, span), true
	case syntax.RecordField, syntax.Assign, syntax.Arg:
		return lastSpan(labelOf(n)), true
	}
	return at.Span(), at.IsValid()
}

// labelOf returns the token that names the label of a pair: its own, or the
// last name of the value that a pun takes it from.
func labelOf(pair syntax.Node) syntax.Token {
	switch pair.Kind() {
	case syntax.Arg:
		if label := (syntax.ArgView{Node: pair}).Label(); label.IsValid() {
			return label
		}
	case syntax.RecordField:
		if label := (syntax.RecordFieldView{Node: pair}).Label(); label.IsValid() {
			return label
		}
	case syntax.Assign:
		if !(syntax.AssignView{Node: pair}).Punned() {
			return pathToken(pair.FirstChild())
		}
	}
	return pathToken(pair.FirstChild())
}

// pathToken returns the last name of a path expression.
func pathToken(n syntax.Node) syntax.Token {
	switch n.Kind() {
	case syntax.NameExpr:
		return n.FirstToken()
	case syntax.FieldExpr:
		return n.Token(syntax.Name)
	}
	return syntax.Token{}
}

// inner returns the range of a name without the marks of a raw one.
func inner(t syntax.Token) syntax.Span {
	span := t.Span()
	if t.Kind() == syntax.RawName && span.Len() >= 2 {
		span.Start, span.End = span.Start+1, span.End-1
	}
	return span
}

// lastSpan returns the range of the last word of a path.
func lastSpan(t syntax.Token) syntax.Span {
	span := t.Span()
	span.Start = span.End - len(lastName(t.Text()))
	return span
}

// unquoted takes the quotes off the range of a string.
func unquoted(f *File, span syntax.Span) syntax.Span {
	text := f.Syntax.Text()[span.Start:span.End]
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		span.Start, span.End = span.Start+1, span.End-1
	}
	return span
}

// Owner returns the tor whose declaration holds that of the entity: of an
// outcome, an input, a field of a payload. It is nil for any other entity.
func (p *Program) Owner(e Entity) *Tor {
	f := p.FileOf(e.Node)
	if f == nil || e.Kind == TorEntity {
		return nil
	}
	return f.Module.torAt(f.Syntax.Item(f.Syntax.ItemAt(e.Node.Span().Start)))
}
