package js

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Rename returns the edits, in offsets of the body, that give an input of a verb
// another name in its |js body. The error says why it cannot be done: the body is
// no JavaScript, it declares a name that is spelled the same, or the new one
// means something in it.
func Rename(tor *check.Tor, body, name, to string) ([]syntax.Edit, error) {
	params, err := params(tor)
	if err != nil {
		return nil, err
	}
	return rename(params, body, variableOf(name), variableOf(to))
}

func params(tor *check.Tor) ([]string, error) { return (&body{tor: tor}).params() }

func rename(params []string, body, name, to string) ([]syntax.Edit, error) {
	s, fault := compileSource(params, body)
	if fault != nil {
		return nil, fault
	}
	tree, err := parser.ParseFile(nil, bodyName, s.text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	r := &renamer{source: s, body: body, name: name, to: to, seen: map[any]bool{}}
	r.walk(reflect.ValueOf(onlyFunction(tree, len(s.text)).Body))
	if r.err != nil {
		return nil, r.err
	}
	params = slices.Clone(params)
	for i := range params {
		if params[i] == name {
			params[i] = to
		}
	}
	if _, fault := compileSource(params, r.edited()); fault != nil {
		return nil, fmt.Errorf("with '%s' in it, %s", to, fault.Message)
	}
	return r.edits, nil
}

// renamer walks a body and finds where it reads an input.
type renamer struct {
	source   *source
	body     string
	name, to string
	seen     map[any]bool
	edits    []syntax.Edit
	err      error
}

// walk visits every node below a value of the syntax tree, as walker does.
func (r *renamer) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		r.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			r.walk(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == treePackage && !r.seen[v.Interface()] {
			r.seen[v.Interface()] = true
			if r.visit(v.Interface()) {
				r.walk(v.Elem())
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.walk(v.Field(i))
			}
		}
	}
}

// visit looks at one node and reports whether to go on below it.
func (r *renamer) visit(node any) bool {
	switch n := node.(type) {
	case *ast.Identifier:
		r.use(n.Name.String(), n.Idx, "")
	case *ast.PropertyShort:
		r.use(n.Name.Name.String(), n.Name.Idx, n.Name.Name.String()+": ")
	case *ast.PropertyKeyed:
		r.close(n)
	case *ast.MetaProperty:
		return false // new.target names nothing
	case *ast.Binding:
		r.declares(n.Target)
	case *ast.ForDeclaration:
		r.declares(n.Target)
	case *ast.CatchStatement:
		r.declares(n.Parameter)
	case *ast.ObjectPattern, *ast.ArrayPattern:
		r.declares(n)
	case *ast.FunctionLiteral:
		r.declares(n.Name)
	case *ast.ClassLiteral:
		r.declares(n.Name)
	case *ast.LabelledStatement:
		r.declares(n.Label)
	}
	return r.err == nil
}

// use takes down a name that is read: the input, or what the new name would
// hide. A property { a } is written out.
func (r *renamer) use(name string, at file.Idx, label string) {
	switch name {
	case r.to:
		r.err = fmt.Errorf("it uses '%s' for something else", r.to)
	case r.name:
		off := int(at) - 1 - r.source.start
		if off < 0 || !strings.HasPrefix(r.body[min(off, len(r.body)):], name) {
			r.err = fmt.Errorf("it spells '%s' with escapes", name)
			return
		}
		r.edits = append(r.edits, syntax.Edit{Start: off, End: off + len(name), Text: label + r.to})
	}
}

// close writes { a: b } as { a }, where b becomes a.
func (r *renamer) close(n *ast.PropertyKeyed) {
	key, plain := n.Key.(*ast.StringLiteral)
	value, reads := n.Value.(*ast.Identifier)
	if !plain || !reads || n.Computed || key.Literal != r.to || value.Name.String() != r.name {
		return
	}
	before := len(r.edits)
	if r.use(r.name, value.Idx, ""); len(r.edits) > before {
		r.seen[value] = true
		r.edits[before].Start = int(key.Idx) - 1 - r.source.start
	}
}

// declares refuses a body with a name of its own that is spelled like the input:
// which of the two is meant where would be a guess.
func (r *renamer) declares(target any) {
	v := reflect.ValueOf(target)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	inner := &renamer{source: r.source, body: r.body, name: r.name, to: r.to, seen: map[any]bool{}}
	if id, ok := target.(*ast.Identifier); ok {
		inner.visit(id)
	} else {
		inner.walk(v.Elem())
	}
	if len(inner.edits) > 0 {
		r.err = fmt.Errorf("it declares a '%s' of its own", r.name)
	}
}

// edited returns the body with the edits made.
func (r *renamer) edited() string {
	slices.SortFunc(r.edits, func(a, b syntax.Edit) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, e := range r.edits {
		b.WriteString(r.body[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	return b.String() + r.body[at:]
}
