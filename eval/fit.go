package eval

import (
	"math"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
)

// Misfit says where and why a value does not fit a declared type.
type Misfit struct {
	// Path leads from the value to the part that does not fit: "[1].date", or
	// "" for the value itself.
	Path string
	// Problem is what is wrong there: "wants string, got 20240520".
	Problem string
}

// Error names the path and the problem.
func (m *Misfit) Error() string { return m.In("") }

// In words the misfit of a value that is known as name:
// 'flights[1].date' wants string, got 20240520.
func (m *Misfit) In(name string) string {
	if path := strings.TrimPrefix(name+m.Path, "."); path != "" {
		return "'" + path + "' " + m.Problem
	}
	return m.Problem
}

// Fits judges a value against a declared type. It returns the value as the
// type holds it: an integer where a float is declared becomes a float, record
// fields come in declared order, optional ones that are absent are null. If the
// value does not fit, path leads to the part that does not ("[1].date").
//
// Host types and types nobody knows are not judged (R41); a capability accepts
// handles and host objects only, for it cannot be spelled.
func Fits(v Value, t *check.Type) (fitted Value, path string, ok bool) {
	f := fitter{}
	if fitted, ok = f.fit(v, t); !ok {
		return v, f.path(), false
	}
	return fitted, "", true
}

// Convert is [Fits] with an error that says what was wanted and found. The
// error is a *[Misfit].
func Convert(v Value, t *check.Type) (Value, error) { return convert(fitter{}, v, t) }

// Coerce is [Convert] for a value that came over the wire, where numbers and
// booleans may stand in quotation marks and a list or a record may be given as
// a string that holds its JSON text (R4, bridge.md 3.8). The error is a *[Misfit]
// or, for such a text that is not JSON, a *[JSONError].
func Coerce(v Value, t *check.Type) (Value, error) {
	if v.kind == String && (t.Kind == check.ListType || t.Kind == check.RecordType) {
		decoded, err := DecodeAs(v.Str(), t)
		if err == nil && decoded.IsNull() {
			// Only a bare null means no value (R97).
			return v, &Misfit{Problem: wants(t, v)}
		}
		return decoded, err
	}
	return convert(fitter{lenient: true}, v, t)
}

// DecodeAs reads a JSON text and judges it against a declared type as [Coerce]
// does.
func DecodeAs(data string, t *check.Type) (Value, error) {
	v, err := decodeText(data, Limits{})
	if err != nil {
		return Value{}, err
	}
	return convert(fitter{lenient: true}, v, t)
}

func convert(f fitter, v Value, t *check.Type) (Value, error) {
	if fitted, ok := f.fit(v, t); ok {
		return fitted, nil
	}
	return v, &Misfit{Path: f.path(), Problem: f.problem}
}

// fitter carries one judgement. The path is gathered backwards, on the way out
// of a misfit, so that a value that fits costs nothing.
type fitter struct {
	lenient bool
	steps   []string
	problem string
	shape   *Shape // of the last record that was put in order
}

func (f *fitter) path() string {
	var b strings.Builder
	for i := len(f.steps) - 1; i >= 0; i-- {
		b.WriteString(f.steps[i])
	}
	return b.String()
}

func (f *fitter) misfit(v Value, t *check.Type) (Value, bool) {
	f.problem = wants(t, v)
	return v, false
}

func wants(t *check.Type, v Value) string {
	return "wants " + TypeText(t) + ", got " + Describe(v)
}

func (f *fitter) fit(v Value, t *check.Type) (Value, bool) {
	if t == nil {
		return v, true
	}
	if v.kind == Null && t.Optional {
		return v, true
	}
	if f.lenient && v.kind != List && v.kind != Record {
		v = unquote(v, t)
	}
	switch t.Kind {
	case check.TextType:
		if v.kind == String && (t.Bits == 0 || v.Len() <= t.Bits) {
			return v, true
		}
	case check.BoolType:
		if v.kind == Bool {
			return v, true
		}
	case check.IntType:
		if InRange(v, t.Bits, t.Signed) {
			return v, true
		}
	case check.FloatType:
		if fl, ok := asFloat(v, t.Bits); ok {
			return fl, true
		}
	case check.ChoiceType:
		if v.kind == String && contains(t.Choices, v.Str()) {
			return v, true
		}
	case check.ListType:
		if v.kind == List {
			return f.list(v, t)
		}
	case check.RecordType:
		if v.kind == Record {
			return f.record(v, t)
		}
	case check.ExprType, check.SourceType:
		if v.kind == String {
			return v, true
		}
	default:
		if !t.IsCapability() || v.kind == Handle || v.kind == Opaque {
			return v, true
		}
	}
	return f.misfit(v, t)
}

func asFloat(v Value, width int) (Value, bool) {
	if v.kind != Float && v.kind != Int {
		return v, false
	}
	fl := v.Float()
	if v.kind == Int {
		if math.IsInf(fl, 0) {
			return v, false
		}
		v = FloatValue(fl)
	}
	if width == 32 && math.Abs(fl) > math.MaxFloat32 && !math.IsInf(fl, 0) {
		return v, false
	}
	return v, true
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// unquote reads a number or a boolean out of a wire text, and 0 and 1 as
// booleans. What it cannot read it returns as it is.
func unquote(v Value, t *check.Type) Value {
	switch t.Kind {
	case check.BoolType:
		switch {
		case v.kind == String && v.Str() == "true", v.kind == String && v.Str() == "1", v.Equal(IntValue(1)):
			return BoolValue(true)
		case v.kind == String && v.Str() == "false", v.kind == String && v.Str() == "0", v.Equal(IntValue(0)):
			return BoolValue(false)
		}
	case check.IntType, check.FloatType:
		if v.kind != String {
			return v
		}
		if n, err := decodeText(v.Str(), Limits{}); err == nil && (n.kind == Int || n.kind == Float) {
			return n
		}
	}
	return v
}

// list fits the elements; the list is copied only once an element changes.
func (f *fitter) list(v Value, t *check.Type) (Value, bool) {
	elems := v.Elems()
	var changed []Value
	for i, e := range elems {
		fitted, ok := f.fit(e, t.Elem)
		if !ok {
			f.steps = append(f.steps, "["+strconv.Itoa(i)+"]")
			return v, false
		}
		if changed == nil && fitted != e {
			changed = append(make([]Value, 0, len(elems)), elems[:i]...)
		}
		if changed != nil {
			changed = append(changed, fitted)
		}
	}
	if changed != nil {
		return ListValue(changed), true
	}
	return v, true
}

// record fits the fields by name. A record that has them all, in order and
// unchanged, is returned as it is.
func (f *fitter) record(v Value, t *check.Type) (Value, bool) {
	if names(v.Shape(), t.Fields) {
		return f.inOrder(v, t)
	}
	if name, unknown := unknownField(v, t); unknown {
		f.steps = append(f.steps, "."+name)
		f.problem = "is not a field — the fields are " + fieldNames(t)
		return v, false
	}
	var room [8]Value
	vals := room[:0]
	same := len(t.Fields) == v.Len()
	for i, field := range t.Fields {
		val, has := v.Field(field.Name)
		fitted, ok := val, true
		if has {
			fitted, ok = f.fit(val, field.Type)
		} else if fitted, ok = absent(field); !ok {
			f.problem = "is missing, it wants " + TypeText(field.Type)
		}
		if !ok {
			f.steps = append(f.steps, "."+field.Name)
			return v, false
		}
		vals = append(vals, fitted)
		same = same && has && v.Shape().Names[i] == field.Name && fitted == val
	}
	if same {
		return v, true
	}
	if f.shape == nil || !names(f.shape, t.Fields) {
		f.shape = shapeOf(t.Fields)
	}
	return RecordValue(f.shape, vals...), true
}

// inOrder fits a record whose fields are those of the type, in declared order:
// what most bodies deliver.
func (f *fitter) inOrder(v Value, t *check.Type) (Value, bool) {
	elems := v.Elems()
	var changed []Value
	for i, field := range t.Fields {
		fitted, ok := f.fit(elems[i], field.Type)
		if !ok {
			f.steps = append(f.steps, "."+field.Name)
			return v, false
		}
		if changed == nil && fitted != elems[i] {
			changed = append(make([]Value, 0, len(elems)), elems[:i]...)
		}
		if changed != nil {
			changed = append(changed, fitted)
		}
	}
	if changed != nil {
		return RecordValue(v.Shape(), changed...), true
	}
	return v, true
}

func unknownField(v Value, t *check.Type) (string, bool) {
	for _, name := range v.Shape().Names {
		if fieldOf(t, name) == nil {
			return name, true
		}
	}
	return "", false
}

func fieldOf(t *check.Type, name string) *check.Field {
	for _, field := range t.Fields {
		if field.Name == name {
			return field
		}
	}
	return nil
}

// absent returns what a field holds that was left out: its default, if that is
// a literal, or null if it is optional.
func absent(field *check.Field) (Value, bool) {
	if field.Default.IsValid() {
		if v, err := decodeText(field.Default.Text(), Limits{}); err == nil {
			fitted, _, ok := Fits(v, field.Type)
			return fitted, ok
		}
	}
	return Value{}, field.Type.Optional
}

func names(s *Shape, fields []*check.Field) bool {
	if len(s.Names) != len(fields) {
		return false
	}
	for i, field := range fields {
		if s.Names[i] != field.Name {
			return false
		}
	}
	return true
}

// shapeOf returns the shape of records with the given fields.
func shapeOf(fields []*check.Field) *Shape {
	s := &Shape{Names: make([]string, len(fields))}
	for i, field := range fields {
		s.Names[i] = field.Name
	}
	return s
}

func fieldNames(t *check.Type) string {
	list := make([]string, len(t.Fields))
	for i, field := range t.Fields {
		list[i] = field.Name
	}
	return strings.Join(list, ", ")
}

// TypeText writes a type as a declaration spells it, without possession labels.
func TypeText(t *check.Type) string {
	var b strings.Builder
	writeType(&b, t)
	return b.String()
}

func writeType(b *strings.Builder, t *check.Type) {
	if t == nil {
		b.WriteString("any value")
		return
	}
	if t.Optional {
		b.WriteByte('?')
	}
	if t.Pointer {
		b.WriteByte('*')
	}
	switch t.Kind {
	case check.ListType:
		b.WriteString("[]")
		writeType(b, t.Elem)
	case check.RecordType:
		for i, field := range t.Fields {
			b.WriteString([...]string{"{ ", ", "}[min(i, 1)])
			b.WriteString(field.Name + ": ")
			writeType(b, field.Type)
		}
		b.WriteString(" }")
	case check.ChoiceType:
		for i, c := range t.Choices {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(strconv.Quote(c))
		}
	default:
		if t.Module != "" {
			b.WriteString(t.Module + ":")
		}
		b.WriteString(t.Name)
	}
}
