package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// constant is a module constant (language.md 9.5): evaluated once, when the
// program is linked.
type constant struct {
	value Value
	open  bool // being evaluated
}

// constant returns the value of a constant.
func (p *Program) constant(decl *check.ConstDecl) Value {
	if decl == nil {
		return Value{}
	}
	k := p.consts[decl]
	if k == nil {
		k = &constant{open: true}
		p.consts[decl] = k
		k.value = p.constValue(decl)
		k.open = false
	} else if k.open {
		p.report("KORU040", fileOf(decl.Module, decl.Node), decl.Node.Span(), fmt.Sprintf("the constant '%s' is made of itself", decl.Name))
	}
	return k.value
}

func (p *Program) constValue(decl *check.ConstDecl) Value {
	file := fileOf(decl.Module, decl.Node)
	v, err := p.evaluate(decl.Value, file)
	if err == nil && decl.Type != nil {
		v, err = Convert(v, decl.Type)
	}
	if err != nil {
		p.report("KORU082", file, decl.Node.Span(), fmt.Sprintf("the constant '%s': %s", decl.Name, messageOf(err)))
	}
	return v
}

// messageOf returns what an error says without its place.
func messageOf(err error) string {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault.Message
	}
	return err.Error()
}

// evaluate computes an expression that stands in no flow: a constant, the first
// value of a column, a capacity.
func (p *Program) evaluate(e *check.Expr, file *check.File) (Value, error) {
	if e == nil {
		return Value{}, nil
	}
	if len(p.stores) > 0 && readsStore(e) {
		return Value{}, errors.New("a store cannot be read before the program runs")
	}
	c := newCompiler(p, file)
	c.emit(opReturn, -1, c.expr(e), 0, 0)
	if len(p.found) > 0 {
		return Value{}, nil
	}
	process := &Process{program: p, host: &Host{}}
	process.machine = machine{process: process, limit: DefaultSteps}
	out, err := process.machine.execute(run{ctx: context.Background()}, c.code, nil, nil, nil)
	return out.Payload, err
}

// readsStore reports whether an expression reads a store.
func readsStore(e *check.Expr) bool {
	if e == nil {
		return false
	}
	if e.Kind == check.CellExpr || e.Kind == check.StoreLenExpr {
		return true
	}
	for _, x := range e.List {
		if readsStore(x) {
			return true
		}
	}
	return readsStore(e.X) || readsStore(e.Y) || readsStore(e.Z)
}

// literal returns the value of a literal in the source: the default of a field.
func (p *Program) literal(n syntax.Node, want *check.Type) (Value, error) {
	v, err := literalNode(n)
	if err != nil || want == nil {
		return v, err
	}
	return Convert(v, want)
}

func literalNode(n syntax.Node) (Value, error) {
	text := n.Text()
	switch n.Kind() {
	case syntax.Literal:
		if lit, ok := check.LiteralAt(n); ok {
			return literalValue(lit)
		}
	case syntax.TypedExpr, syntax.ParenExpr:
		return literalNode(n.FirstChild())
	case syntax.UnaryExpr:
		v, err := literalNode(n.FirstChild())
		if err != nil || !strings.HasPrefix(text, "-") {
			return v, err
		}
		return negate(v)
	case syntax.ListExpr:
		var elems []Value
		for c := range n.Children() {
			v, err := literalNode(c)
			if err != nil {
				return Value{}, err
			}
			elems = append(elems, v)
		}
		return ListValue(elems), nil
	case syntax.RecordExpr:
		return literalRecord(n)
	}
	return Value{}, fmt.Errorf("'%.40s' is not a literal", text)
}

func literalRecord(n syntax.Node) (Value, error) {
	var names []string
	var vals []Value
	for c := range n.ChildrenOf(syntax.RecordField) {
		field := syntax.RecordFieldView{Node: c}
		v, err := literalNode(field.Value())
		if err != nil {
			return Value{}, err
		}
		names, vals = append(names, field.Label().Text()), append(vals, v)
	}
	return RecordValue(NewShape(names...), vals...), nil
}
