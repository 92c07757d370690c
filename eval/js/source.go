package js

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"

	"github.com/koru-go/koru/eval"
)

// Bounds of the source of a body. The engine's parser and compiler go down the
// stack with the nesting of the source, which can be one level a byte, and take
// time with the square of it; labels are the worst, and lexically a label is a
// colon.
const (
	maxSource  = 32 << 10
	maxColons  = 1500
	maxNesting = 1000 // nodes of the syntax tree inside each other
)

// bodyName is the file name of bodies in the engine's stack traces.
const bodyName = "body"

// source is a body wrapped into a function of its fields and effects.
type source struct {
	text    string
	start   int // where the body begins in text
	length  int
	file    *file.File // counts lines and columns as the engine does
	program *goja.Program
	returns []result
}

// result is a return statement of the body: where it stands, and the arm its
// literal names, if it has one.
type result struct {
	offset int
	arm    string
}

// compileSource wraps and compiles a body. A fault of the engine's own is a
// fault of the body: what it cannot compile it cannot run.
func compileSource(params []string, body string) (s *source, fault *eval.BodyError) {
	head := "(function(" + strings.Join(params, ", ") + ") {"
	s = &source{text: head + body + "\n})", start: len(head), length: len(body)}
	s.file = file.NewFile(bodyName, s.text, 1)
	defer func() {
		if x := recover(); x != nil {
			s, fault = nil, s.fault(s.start, "the JavaScript engine cannot compile this |js body: %v", x)
		}
	}()
	if len(body) > maxSource {
		return nil, s.fault(s.start+maxSource, "the |js body is longer than %d bytes", maxSource)
	}
	if strings.Count(body, ":") > maxColons {
		return nil, s.fault(s.start, "the |js body has more than %d keys and labels", maxColons)
	}
	// Source maps would make the parser read files.
	tree, err := parser.ParseFile(nil, bodyName, s.text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, s.syntaxFault(err)
	}
	function := onlyFunction(tree, len(s.text))
	if function == nil {
		return nil, s.fault(s.start+s.length, "the braces of the |js body do not match")
	}
	if fault := s.inspect(function); fault != nil {
		return nil, fault
	}
	s.program, err = goja.CompileAST(tree, true)
	if err != nil {
		return nil, s.syntaxFault(err)
	}
	return s, nil
}

// onlyFunction returns the wrapping function, if it is all there is: a body
// with unmatched braces could end it and begin something else.
func onlyFunction(tree *ast.Program, size int) *ast.FunctionLiteral {
	if len(tree.Body) != 1 {
		return nil
	}
	statement, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	function, ok := statement.Expression.(*ast.FunctionLiteral)
	if !ok || int(function.Body.RightBrace) != size-1 {
		return nil
	}
	return function
}

// fault makes an error about a place in the wrapped text.
func (s *source) fault(at int, format string, args ...any) *eval.BodyError {
	return &eval.BodyError{Offset: min(max(at-s.start, 0), s.length), Message: fmt.Sprintf(format, args...)}
}

func (s *source) syntaxFault(err error) *eval.BodyError {
	switch err := err.(type) {
	case parser.ErrorList:
		if len(err) > 0 {
			return s.fault(s.offset(err[0].Position), "the |js body is not JavaScript: %s", err[0].Message)
		}
	case *goja.CompilerSyntaxError:
		return s.fault(err.Offset, "the |js body is not JavaScript: %s", err.Message)
	}
	return s.fault(s.start, "the |js body is not JavaScript: %s", err)
}

// offset is the inverse of file.Position.
func (s *source) offset(p file.Position) int {
	return sort.Search(len(s.text), func(i int) bool {
		q := s.file.Position(i)
		return q.Line > p.Line || q.Line == p.Line && q.Column >= p.Column
	})
}

// offsetOf returns the place in the body that a stack trace leads to.
func (s *source) offsetOf(frames []goja.StackFrame) int {
	for i := range frames {
		if frames[i].SrcName() == bodyName {
			return min(max(s.offset(frames[i].Position())-s.start, 0), s.length)
		}
	}
	return 0
}

// returnOf returns where the body returns the named arm. A body with one return
// statement returns everything there.
func (s *source) returnOf(arm string) int {
	if i := slices.IndexFunc(s.returns, func(r result) bool { return arm != "" && r.arm == arm }); i >= 0 {
		return s.returns[i].offset
	}
	if len(s.returns) == 1 {
		return s.returns[0].offset
	}
	return 0
}

// inspect walks the tree once. It refuses what the engine cannot bound and
// notes the return statements.
func (s *source) inspect(function *ast.FunctionLiteral) *eval.BodyError {
	w := walker{source: s, seen: map[any]bool{}, big: strings.Contains(s.text, "BigInt")}
	w.walk(reflect.ValueOf(function.Body))
	if w.big && w.power != nil {
		return w.power
	}
	return w.fault
}

// walker visits every node below a value of the syntax tree. The tree has some
// ninety types of node and the engine offers no walk of its own, so this one
// goes by reflection; it runs once a body.
type walker struct {
	source    *source
	seen      map[any]bool
	nesting   int
	functions int // functions around the node, the body itself not counted
	fault     *eval.BodyError
	big       bool            // the body has big integers
	power     *eval.BodyError // about a power or shift of unknown size, if it has them
}

var treePackage = reflect.TypeFor[ast.Program]().PkgPath()

func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == treePackage && !w.seen[v.Interface()] {
			w.seen[v.Interface()] = true
			w.enter(v)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	}
}

// enter visits a node and then what is below it.
func (w *walker) enter(v reflect.Value) {
	if w.nesting++; w.nesting > maxNesting {
		if w.fault == nil {
			w.fault = w.source.fault(w.source.start, "the |js body is nested more than %d deep", maxNesting)
		}
	} else {
		inner := w.visit(v.Interface())
		w.functions += inner
		w.walk(v.Elem())
		w.functions -= inner
	}
	w.nesting--
}

// visit looks at one node and returns 1 if it is a function.
func (w *walker) visit(node any) int {
	switch n := node.(type) {
	case *ast.FunctionLiteral:
		if n.Generator && w.fault == nil {
			w.fault = w.source.fault(int(n.Function)-1, "a |js body cannot have generator functions: the engine cannot bound them — build an array instead")
		}
		return 1
	case *ast.ArrowFunctionLiteral:
		return 1
	case *ast.ReturnStatement:
		if w.functions == 0 {
			w.source.returns = append(w.source.returns, result{int(n.Return) - 1 - w.source.start, literalArm(n.Argument)})
		}
	case *ast.NumberLiteral:
		_, isBig := n.Value.(*big.Int)
		w.big = w.big || isBig
	case *ast.BinaryExpression:
		w.checkPower(n.Operator, n.Right)
	case *ast.AssignExpression:
		w.checkPower(n.Operator, n.Right)
	}
	return 0
}

// maxPower is the greatest exponent or shift of a body with big integers, whose
// powers the engine computes in one step.
const maxPower = 1024

func (w *walker) checkPower(operator token.Token, right ast.Expression) {
	if w.power != nil || operator != token.EXPONENT && operator != token.SHIFT_LEFT && operator != token.SHIFT_RIGHT {
		return
	}
	if n, ok := right.(*ast.NumberLiteral); ok {
		switch v := n.Value.(type) {
		case int64:
			if v <= maxPower {
				return
			}
		case float64:
			return // no big integer takes one
		case *big.Int:
			if v.IsInt64() && v.Int64() <= maxPower {
				return
			}
		}
	}
	w.power = w.source.fault(int(right.Idx0())-1, "in a |js body with big integers the right side of %s must be a literal of at most %d", operator, maxPower)
}

// literalArm returns the arm that a returned literal names: "sold-out" or
// { sold_out: … }.
func literalArm(e ast.Expression) string {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String()
	case *ast.ObjectLiteral:
		if len(e.Value) != 1 {
			return ""
		}
		switch p := e.Value[0].(type) {
		case *ast.PropertyKeyed:
			if key, ok := p.Key.(*ast.StringLiteral); ok && !p.Computed {
				return key.Value.String()
			}
		case *ast.PropertyShort:
			return p.Name.Name.String()
		}
	}
	return ""
}
