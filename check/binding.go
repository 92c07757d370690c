package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// visible is the set of names that a place in a flow can see. Names are added
// along a path and taken back where the path ends, so that siblings may reuse
// them; the trail remembers what each addition hid.
type visible struct {
	names map[string]*Binding
	trail []shadowed
}

type shadowed struct {
	name   string
	before *Binding
}

func (v *visible) lookup(name string) *Binding { return v.names[name] }

func (v *visible) add(b *Binding) {
	if v.names == nil {
		v.names = make(map[string]*Binding)
	}
	v.trail = append(v.trail, shadowed{b.Name, v.names[b.Name]})
	v.names[b.Name] = b
}

// mark returns a point on the trail that back returns to.
func (v *visible) mark() int { return len(v.trail) }

func (v *visible) back(mark int) {
	for len(v.trail) > mark {
		last := v.trail[len(v.trail)-1]
		v.trail = v.trail[:len(v.trail)-1]
		if last.before == nil {
			delete(v.names, last.name)
		} else {
			v.names[last.name] = last.before
		}
	}
}

// list returns the visible names in the order they were bound.
func (v *visible) list() []string {
	names := make([]string, 0, len(v.trail))
	for _, s := range v.trail {
		names = append(names, s.name)
	}
	return names
}

// newBinding gives a value of the flow its slot.
func (l *lowerer) newBinding(kind BindingKind, name string, typ *Type, node syntax.Node) *Binding {
	b := &Binding{Name: name, Kind: kind, Type: typ, Node: node, Slot: len(l.flow.Bindings)}
	l.flow.Bindings = append(l.flow.Bindings, b)
	return b
}

// declare makes a binding visible under its name. A name that the path already
// has is refused (KORU106): a reader could not tell the two apart.
func (l *lowerer) declare(b *Binding, at syntax.Token) {
	if before := l.visible.lookup(b.Name); before != nil {
		l.add(Shadows(b.Name, l.lineOf(before), at.Span()))
	}
	l.visible.add(b)
}

// Shadows is the finding for a name that is bound twice on one path.
func Shadows(name string, line int, at syntax.Span) Diagnostic {
	return Diagnostic{Code: "KORU106", Span: at,
		Message: "'" + name + "' is already bound at line " + strconv.Itoa(line) + ": give this one another name"}
}

// delivery is a value on its way to a binding.
type delivery struct {
	kind   BindingKind
	typ    *Type
	branch string // the outcome that carries it, or -> for a single value
	call   *Call
	arm    *Arm
	quiet  bool // what is wrong with the binding has been reported
}

// payload binds what an outcome or a call delivers, as a bind node says: by
// name, by its fields, or not at all; node stands for it in the last case. It
// returns the binding of the whole and those of the fields.
func (l *lowerer) payload(d delivery, bind syntax.BindView, node syntax.Node) (*Binding, []*Binding) {
	name := bind.Name()
	braces := bind.Destructure()
	if bind.IsValid() {
		node = bind.Node
	}
	whole := l.newBinding(d.kind, "", d.typ, node)
	whole.From, whole.Arm = d.call, d.arm
	if d.quiet {
		whole.mention(node)
	}
	switch {
	case braces.IsValid():
		var fields []*Binding
		l.destructure(d, whole, d.typ, nil, braces, &fields)
		return whole, fields
	case name.IsValid() && name.Text() != "_":
		whole.Name = name.Text()
		whole.Mut = annotated(bind.Node, "mutable")
		l.declare(whole, name)
	}
	return whole, nil
}

// destructure binds the fields of a record: `{ a, b: path, user: { city } }`.
func (l *lowerer) destructure(d delivery, whole *Binding, typ *Type, path []string, braces syntax.Node, out *[]*Binding) {
	for c := range braces.ChildrenOf(syntax.BindField) {
		v := syntax.BindFieldView{Node: c}
		field := v.Field()
		if !field.IsValid() || field.Text() == "_" {
			continue
		}
		steps, from := strings.Split(field.Text(), "."), field
		name := steps[len(steps)-1]
		if as := v.As(); (as.Kind() == syntax.Name || as.Kind() == syntax.Path) && scalarType(as.Text()) == nil {
			// name: path takes the field at the path under a name of its own.
			steps, from = strings.Split(as.Text(), "."), as
		}
		full := append(path[:len(path):len(path)], steps...)
		var t *Type
		if rest, ok := l.ofRow(d, whole, typ, c, steps); ok {
			full, t = rest.path, rest.typ
		} else {
			t = l.fieldType(d, typ, steps, from)
		}
		if nested := v.Nested(); nested.IsValid() {
			l.destructure(d, whole, t, full, nested, out)
			continue
		}
		b := l.newBinding(FieldBinding, name, t, c)
		b.Whole, b.Path, b.From, b.Arm = whole, full, d.call, d.arm
		b.Mut = annotated(c, "mutable")
		if d.quiet {
			b.mention(c)
		}
		l.declare(b, field)
		*out = append(*out, b)
	}
}

// part is what a destructured field takes of the payload.
type part struct {
	path []string
	typ  *Type
}

// ofRow resolves what an arm of a store may take of a row besides its columns:
// the row itself, as [row]e or through the word entity, and its place in the
// store, as [id]h or by the word row (language.md 9.6).
func (l *lowerer) ofRow(d delivery, whole *Binding, typ *Type, field syntax.Node, steps []string) (part, bool) {
	if d.call == nil || !d.call.Form.store() {
		return part{}, false
	}
	column := typ.Kind == RecordType && fieldOf(typ, steps[0]) != nil
	switch {
	case annotated(field, "row"):
		return part{nil, typ}, true
	case annotated(field, "id"), steps[0] == "row" && len(steps) == 1 && !column:
		return part{[]string{RowPlace}, handleType}, true
	case steps[0] != "entity" || column:
		return part{}, false
	}
	if whole.Name == "" && l.visible.lookup("entity") == nil {
		whole.Name = "entity"
		l.visible.add(whole)
	}
	at := syntax.BindFieldView{Node: field}
	from := at.As()
	if !from.IsValid() {
		from = at.Field()
	}
	return part{steps[1:], l.fieldType(d, typ, steps[1:], from)}, true
}

// fieldType follows the steps of a destructured field through the type of the
// payload and reports the first that is not there (KORU036).
func (l *lowerer) fieldType(d delivery, t *Type, steps []string, at syntax.Token) *Type {
	end := at.Span().Start + len(at.Text()) - len(strings.Join(steps, "."))
	for _, step := range steps {
		start := end
		end = start + len(step) + len(".")
		if !known(t) {
			return unknown
		}
		next, ok := member(t, step)
		if !ok {
			l.add(noBranchField(step, t, d.branch, syntax.Span{Start: start, End: start + len(step)}))
			return unknown
		}
		t = next
	}
	return t
}

// noBranchField is the finding for a destructured field that the payload lacks.
func noBranchField(field string, t *Type, branch string, at syntax.Span) Diagnostic {
	d := Diagnostic{Code: "KORU036", Span: at, Message: "'" + field + "' is not a field of branch '" + branch + "'"}
	if t.Kind != RecordType {
		d.Message += ": it carries " + t.String()
		return d
	}
	names := namesOf(t.Fields)
	d.Message += " (fields: " + enumerate(names) + ")"
	if near := Nearest(field, names); near != "" {
		d.suggest(near)
		d.noteField(t, near)
	}
	return d
}

// use records that a binding is read at a node.
func (b *Binding) use(node syntax.Node) { b.Uses = append(b.Uses, node) }

// mention records that a node may read a binding.
func (b *Binding) mention(node syntax.Node) { b.mentions = append(b.mentions, node) }

// readIn reports whether a name inside the range reads the binding, or may.
func (b *Binding) readIn(span syntax.Span) bool {
	inside := func(n syntax.Node) bool { return span.Contains(n.Span().Start) }
	return slices.ContainsFunc(b.Uses, inside) || slices.ContainsFunc(b.mentions, inside)
}

// unused reports every named binding that nothing reads (KORU100).
func (l *lowerer) unused() {
	if l.broken {
		return
	}
	for _, b := range l.flow.Bindings {
		if b.Name == "" || b.Name[0] == '_' || b.Kind == ParamBinding || b.Kind == LoopBinding || len(b.Uses)+len(b.mentions) > 0 || l.exempt(b) {
			continue
		}
		l.add(l.unusedBinding(b))
	}
}

// exempt reports whether a binding may stay unread: it carries a debt that an
// inserted disposer settles, or its payload is made by a transform.
func (l *lowerer) exempt(b *Binding) bool {
	if mints(b.Type) {
		return true
	}
	return b.From != nil && (b.From.Tor == nil || b.From.Tor.Has("transform") && b.Kind != ResultBinding)
}

func (l *lowerer) unusedBinding(b *Binding) Diagnostic {
	name := bindingToken(b.Node)
	why := "read it below, or discard it with '_'"
	if verb := l.deaf[b]; verb != "" {
		why = "'" + verb + "' takes no input; " + why
	}
	d := Diagnostic{Code: "KORU100", Span: name.Span(), Message: "unused binding '" + b.Name + "': " + why}
	place := name.Span()
	if b.Kind == FieldBinding {
		place = b.Node.Span()
	}
	d.replace("discard it with '_'", true, place, "_")
	return d
}

// barren notes that a value is bound in front of a verb that takes no input.
func (l *lowerer) barren(before, c *Call) {
	if before == nil || before.Result == nil || before.Result.Name == "" || c.Tor == nil || c.Form == Opaque || len(c.Tor.Fields) > 0 {
		return
	}
	if l.deaf == nil {
		l.deaf = map[*Binding]string{}
	}
	l.deaf[before.Result] = verbOf(c)
}

// bindingToken returns the token that gives a binding its name.
func bindingToken(n syntax.Node) syntax.Token {
	switch n.Kind() {
	case syntax.Bind:
		return syntax.BindView{Node: n}.Name()
	case syntax.BindField:
		return syntax.BindFieldView{Node: n}.Field()
	case syntax.FieldDecl:
		return syntax.FieldView{Node: n}.Name()
	}
	return n.FirstToken()
}

// mints reports whether values of the type carry a debt, in themselves or in
// one of their fields.
func mints(t *Type) bool {
	if t == nil {
		return false
	}
	if t.Phantom != nil {
		for _, s := range t.Phantom.Members {
			if s.Mint {
				return true
			}
		}
	}
	if t.Kind == RecordType {
		for _, f := range t.Fields {
			if mints(f.Type) {
				return true
			}
		}
	}
	return false
}
