package bridge

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// An argument gets its value in two rounds, for they are judged in that order
// (R54): what is written out is typed with the fields of its call; what names
// something is resolved once the arms have been judged, and typed then.

// literals gives the arguments that are written out their values and judges
// them against the fields. What it leaves to [reply.resolve] is in r.later.
func (r *reply) literals(v *check.Verb, supplied []check.Supplied) *check.Refusal {
	r.args, r.later, r.filled = r.args[:0], r.later[:0], 0
	for i := range supplied {
		s := &supplied[i]
		value := eval.Value{}
		switch {
		case !s.Node.IsValid():
			value = r.b.bodies.preset(s.Field)
		case !static(s.Value):
			r.later = append(r.later, i)
			if !r.b.isHandle(s.Field) {
				if refusal := r.judgeParts(v, s, s.Value, s.Field.Type, ""); refusal != nil {
					return refusal
				}
			}
		default:
			var refusal *check.Refusal
			if value, refusal = r.value(s.Value, s.Field.Type); refusal != nil {
				return refusal
			}
			if r.b.isHandle(s.Field) {
				break // whatever is spelled out is judged as a handle (R37, R38)
			}
			if value, refusal = typed(v, s, s.Value, value, s.Field.Type, ""); refusal != nil {
				return refusal
			}
		}
		r.args = append(r.args, value)
	}
	return nil
}

// resolve gives the other arguments their values. A handle that a name does not
// lead to is refused later, as one that is not held.
func (r *reply) resolve(v *check.Verb, supplied []check.Supplied) *check.Refusal {
	for _, i := range r.later {
		s := &supplied[i]
		value, refusal := r.value(s.Value, s.Field.Type)
		switch {
		case r.b.isHandle(s.Field):
			if refusal != nil {
				value = lost
			}
			r.args[i] = value
			continue
		case refusal != nil:
			return refusal
		}
		r.args[i] = value
	}
	for _, i := range r.later {
		s := &supplied[i]
		if r.b.isHandle(s.Field) {
			continue
		}
		if k := r.args[i].Kind(); (k == eval.List || k == eval.Record) && eval.Weight(r.args[i], maxValue) > maxValue {
			return check.Oversized(fmt.Sprintf("'%s.%s' would weigh more than %d bytes, and no value may", v.Name, s.Field.Name, maxValue), s.Node.Span())
		}
		value, refusal := typed(v, s, s.Value, r.args[i], s.Field.Type, "")
		if refusal != nil {
			return refusal
		}
		r.args[i] = value
	}
	return nil
}

// lost stands for what no name led to.
var lost = eval.OpaqueValue("nothing")

// typed judges a value against the type of its field (KORU082).
func typed(v *check.Verb, s *check.Supplied, at syntax.Node, value eval.Value, t *check.Type, path string) (eval.Value, *check.Refusal) {
	fitted, err := eval.Coerce(value, t)
	if err == nil {
		return fitted, nil
	}
	name := v.Name + "." + s.Field.Name + path
	message := ""
	switch e := err.(type) {
	case *eval.Misfit:
		message = e.In(name)
	default:
		message = fmt.Sprintf("'%s' wants %s, got \"%s\", a text that is no JSON: %v", name, t, clip(value.Str(), 60), err)
	}
	return value, check.Mistyped(s.Field, message, value.Str(), at.Span())
}

// judgeParts judges the parts of a list or record that are written out, where
// others are not.
func (r *reply) judgeParts(v *check.Verb, s *check.Supplied, n syntax.Node, t *check.Type, path string) *check.Refusal {
	switch {
	case static(n):
		value, refusal := r.value(n, t)
		if refusal == nil {
			_, refusal = typed(v, s, n, value, t, path)
		}
		return refusal
	case n.Kind() == syntax.ListExpr && t.Kind == check.ListType:
		i := 0
		for c := range n.Children() {
			if refusal := r.judgeParts(v, s, c, t.Elem, fmt.Sprintf("%s[%d]", path, i)); refusal != nil {
				return refusal
			}
			i++
		}
	case n.Kind() == syntax.RecordExpr && t.Kind == check.RecordType:
		for c := range n.ChildrenOf(syntax.RecordField) {
			field := syntax.RecordFieldView{Node: c}
			name := fieldLabel(field)
			for _, f := range t.Fields {
				if f.Name == name {
					if refusal := r.judgeParts(v, s, field.Value(), f.Type, path+"."+name); refusal != nil {
						return refusal
					}
				}
			}
		}
	}
	return nil
}

// static reports whether a value is written out: it names nothing.
func static(n syntax.Node) bool {
	switch n.Kind() {
	case syntax.Literal, syntax.UnaryExpr:
		return true
	case syntax.ListExpr:
		for c := range n.Children() {
			if !static(c) {
				return false
			}
		}
		return true
	case syntax.RecordExpr:
		for c := range n.ChildrenOf(syntax.RecordField) {
			if !static((syntax.RecordFieldView{Node: c}).Value()) {
				return false
			}
		}
		return true
	}
	return false
}

// value evaluates what a field is given. The parser has bounded how deep lists
// and records nest.
func (r *reply) value(n syntax.Node, t *check.Type) (eval.Value, *check.Refusal) {
	switch n.Kind() {
	case syntax.Template:
		if t != nil && (t.Kind == check.ListType || t.Kind == check.RecordType) {
			v, refusal, err := r.fillJSON(n)
			if err != nil {
				return eval.StringValue(unquote(n.Text())), nil // judged, and refused, as a text
			}
			return v, refusal
		}
		text, refusal := r.fill(n)
		return eval.StringValue(text), refusal
	case syntax.NameExpr, syntax.FieldExpr:
		path, _ := pathText(n)
		return r.path(path, "", n.Span())
	case syntax.ListExpr:
		return r.list(n, t)
	case syntax.RecordExpr:
		return r.record(n, t)
	}
	v, _ := literal(n)
	if r.long && v.Kind() == eval.String {
		v = eval.StringValue(strings.Clone(v.Str()))
	}
	return v, nil
}

func (r *reply) list(n syntax.Node, t *check.Type) (eval.Value, *check.Refusal) {
	var elem *check.Type
	if t != nil {
		elem = t.Elem
	}
	var elems []eval.Value
	for c := range n.Children() {
		v, refusal := r.value(c, elem)
		if refusal != nil {
			return v, refusal
		}
		elems = append(elems, v)
	}
	return eval.ListValue(elems), nil
}

func (r *reply) record(n syntax.Node, t *check.Type) (eval.Value, *check.Refusal) {
	shape := &eval.Shape{}
	var values []eval.Value
	for c := range n.ChildrenOf(syntax.RecordField) {
		field := syntax.RecordFieldView{Node: c}
		name := fieldLabel(field)
		v, refusal := r.value(field.Value(), typeOf(t, name))
		if refusal != nil {
			return v, refusal
		}
		switch {
		case shape.Index(name) >= 0:
			return v, check.NamedTwice(name, c.Span())
		case len(shape.Names) == maxFields:
			return v, check.Oversized(fmt.Sprintf("a record has more than %d fields, and none may", maxFields), c.Span())
		}
		shape.Names = append(shape.Names, name)
		values = append(values, v)
	}
	return eval.RecordValue(shape, values...), nil
}

// typeOf returns the type of a field of a record type, or nil.
func typeOf(t *check.Type, name string) *check.Type {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		if f.Name == name {
			return f.Type
		}
	}
	return nil
}

// fieldLabel returns the label of a record's field; JSON puts it in quotes.
func fieldLabel(v syntax.RecordFieldView) string {
	if name := v.Label(); name.IsValid() {
		return name.Text()
	}
	return unquote(v.FirstToken().Text())
}
