package zig

import (
	"slices"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Bounds of a body. The evaluator goes down its stack with the tree: maxNesting
// bounds what stands inside each other, maxSource the length of chains such as
// a + b + c, which lean to one side.
const (
	maxNesting = 200
	maxSource  = 64 << 10
)

// parser turns a body into a tree. The first fault ends it.
type parser struct {
	lex     lexer
	tok     token
	prevEnd int
	fault   *eval.BodyError
	nesting int

	scope   []binding
	slots   int
	loops   int
	verb    *check.Tor
	module  func(name string) (value, bool)
	targets string
}

// binding is a name in scope.
type binding struct {
	name    string
	slot    int
	typ     *zigType // declared type, or nil
	mutable bool
}

func newParser(src string) *parser {
	p := &parser{lex: lexer{src: src}, verb: &check.Tor{}}
	if len(src) > maxSource {
		p.fail(maxSource, "the |zig body is longer than %d bytes", maxSource)
	}
	return p
}

// beyond reports a construct that the subset does not have.
func (p *parser) beyond(off int, what string) *node {
	return p.fail(off, "%s is beyond the Zig that is evaluated here%s", what, p.targets)
}

func (p *parser) fail(off int, format string, args ...any) *node {
	if p.fault == nil {
		p.fault = faultAt(off, format, args...)
	}
	p.tok = token{kind: endToken, start: off, end: off}
	return &node{op: opNone, off: off}
}

func (p *parser) next() {
	p.prevEnd = p.tok.end
	if p.fault != nil {
		return
	}
	tok, err := p.lex.next()
	if err != nil {
		p.fail(err.Offset, "%s", err.Message)
		return
	}
	p.tok = tok
}

func (p *parser) is(text string) bool {
	return (p.tok.kind == punctToken || p.tok.kind == nameToken) && p.tok.text == text
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) want(text string) {
	if !p.accept(text) {
		p.fail(p.tok.start, "expected '%s', found %s", text, p.found())
	}
}

func (p *parser) found() string {
	if p.tok.kind == endToken {
		return "the end of the body"
	}
	return "'" + p.tok.text + "'"
}

func (p *parser) deeper() bool {
	p.nesting++
	if p.nesting > maxNesting {
		p.fail(p.tok.start, "nested too deeply: at most %d levels are evaluated", maxNesting)
		return false
	}
	return true
}

func (p *parser) shallower() { p.nesting-- }

func (p *parser) bind(name string, typ *zigType, mutable bool) int {
	p.scope = append(p.scope, binding{name, p.slots, typ, mutable})
	p.slots++
	return p.slots - 1
}

func (p *parser) lookup(name string) (binding, bool) {
	for i := len(p.scope) - 1; i >= 0; i-- {
		if p.scope[i].name == name {
			return p.scope[i], true
		}
	}
	return binding{}, false
}

// body parses statements up to the end of the source.
func (p *parser) body() *node {
	p.next()
	n := &node{op: opBlock}
	for p.tok.kind != endToken && p.fault == nil {
		n.kids = append(n.kids, p.statement())
	}
	return n
}

func (p *parser) block() *node {
	n := &node{op: opBlock, off: p.tok.start}
	mark := len(p.scope)
	if p.deeper() {
		p.want("{")
		for !p.is("}") && p.tok.kind != endToken {
			n.kids = append(n.kids, p.statement())
		}
		p.want("}")
	}
	p.shallower()
	p.scope = p.scope[:mark]
	return n
}

// reserved names the statements of Zig that the subset leaves out.
var reserved = map[string]string{
	"defer": "'defer'", "errdefer": "'errdefer'", "fn": "a function", "struct": "a struct declaration",
	"comptime": "'comptime'", "inline": "'inline'", "asm": "inline assembly", "suspend": "'suspend'",
	"resume": "'resume'", "threadlocal": "a thread-local variable", "pub": "a public declaration",
	"test": "a test", "usingnamespace": "'usingnamespace'", "nosuspend": "'nosuspend'",
}

func (p *parser) statement() *node {
	off := p.tok.start
	if p.tok.kind == nameToken {
		if what, ok := reserved[p.tok.text]; ok {
			return p.beyond(off, what)
		}
		switch p.tok.text {
		case "const", "var":
			return p.declaration()
		case "return":
			return p.returns()
		case "if":
			return p.conditional(true)
		case "while":
			return p.while()
		case "for":
			return p.forLoop()
		case "switch":
			n := p.switchOn()
			p.accept(";")
			return n
		case "break", "continue":
			return p.leave()
		case "_":
			p.next()
			p.want("=")
			n := &node{op: opDiscard, off: off, kids: []*node{p.expr()}}
			p.want(";")
			return n
		}
	}
	if p.is("{") {
		return p.block()
	}
	n := p.assignment()
	p.want(";")
	return n
}

func (p *parser) declaration() *node {
	off := p.tok.start
	mutable := p.tok.text == "var"
	p.next()
	name := p.name("the name of a variable")
	n := &node{op: opDeclare, off: off, typ: nil}
	if p.accept(":") {
		n.typ = p.typ()
	}
	p.want("=")
	n.kids = []*node{p.expr()}
	p.want(";")
	if _, ok := p.lookup(name); ok && p.fault == nil {
		return p.fail(off, "'%s' is declared already", name)
	}
	n.slot = p.bind(name, n.typ, mutable)
	return n
}

func (p *parser) name(what string) string {
	if p.tok.kind != nameToken {
		p.fail(p.tok.start, "expected %s, found %s", what, p.found())
		return ""
	}
	name := p.tok.text
	p.next()
	return name
}

func (p *parser) returns() *node {
	n := &node{op: opReturn, off: p.tok.start}
	p.next()
	if !p.is(";") {
		n.kids = []*node{p.expr()}
	}
	p.want(";")
	return n
}

// assignment parses an expression statement or an assignment.
func (p *parser) assignment() *node {
	off := p.tok.start
	target := p.expr()
	switch {
	case p.tok.kind != punctToken:
	case p.is("=") || p.is("+=") || p.is("-=") || p.is("*=") || p.is("/=") || p.is("%="):
		sign := p.tok.text
		if !p.assignable(target) {
			return p.fail(off, "this cannot be assigned to: it is no variable declared with var, and no element of one")
		}
		p.next()
		return &node{op: opAssign, off: off, text: strings.TrimSuffix(sign, "="), kids: []*node{target, p.expr()}}
	case strings.HasSuffix(p.tok.text, "=") && p.tok.text != "==" && len(p.tok.text) > 1:
		return p.beyond(p.tok.start, "the operator '"+p.tok.text+"'")
	}
	return &node{op: opExprStmt, off: off, kids: []*node{target}}
}

func (p *parser) assignable(n *node) bool {
	switch n.op {
	case opVar:
		for _, b := range p.scope {
			if b.slot == n.slot {
				return b.mutable
			}
		}
	case opIndex, opField:
		return n.kids[0].op == opVar || p.assignable(n.kids[0])
	}
	return n.op == opNone
}

// captured parses |name| or |name, index|; missing parts are -1.
func (p *parser) captured() (item, index string) {
	if !p.accept("|") {
		return "", ""
	}
	if p.accept("*") {
		p.beyond(p.prevEnd, "a capture by pointer")
	}
	item = p.name("the name of a capture")
	if p.accept(",") {
		index = p.name("the name of an index")
	}
	p.want("|")
	return item, index
}

func (p *parser) bindCapture(name string) int {
	if name == "" || name == "_" {
		return -1
	}
	return p.bind(name, nil, false)
}

// conditional parses an if, as a statement or as a value.
func (p *parser) conditional(statement bool) *node {
	n := &node{op: opIf, off: p.tok.start, aux: -1}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	p.want("(")
	cond := p.expr()
	p.want(")")
	mark := len(p.scope)
	item, _ := p.captured()
	n.slot = p.bindCapture(item)
	n.text = item
	then := p.branch(statement)
	p.scope = p.scope[:mark]
	n.kids = []*node{cond, then, nil}
	if p.accept("else") {
		if p.is("|") {
			return p.beyond(p.tok.start, "a captured error")
		}
		n.kids[2] = p.branch(statement)
	} else if !statement {
		return p.fail(p.tok.start, "an if that gives a value needs an else, found %s", p.found())
	}
	return n
}

// branch parses what an if, a loop or a prong leads to.
func (p *parser) branch(statement bool) *node {
	if !statement {
		return p.expr()
	}
	if p.is("{") {
		return p.block()
	}
	if p.is("if") || p.is("while") || p.is("for") || p.is("switch") || p.is("return") || p.is("break") || p.is("continue") || p.is("_") {
		return p.statement()
	}
	n := p.assignment()
	p.accept(";")
	return n
}

func (p *parser) while() *node {
	n := &node{op: opWhile, off: p.tok.start, aux: -1}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	p.want("(")
	cond := p.expr()
	p.want(")")
	mark := len(p.scope)
	item, _ := p.captured()
	n.slot, n.text = p.bindCapture(item), item
	var step *node
	if p.accept(":") {
		p.want("(")
		step = p.assignment()
		p.want(")")
	}
	p.loops++
	body := p.branch(true)
	p.loops--
	p.scope = p.scope[:mark]
	n.kids = []*node{cond, step, body}
	if p.is("else") {
		return p.beyond(p.tok.start, "the else of a loop")
	}
	return n
}

func (p *parser) forLoop() *node {
	n := &node{op: opFor, off: p.tok.start, slot: -1, aux: -1}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	p.want("(")
	seq := p.rangeOrExpr()
	var index *node
	if p.accept(",") {
		index = p.rangeOrExpr()
		if index.op != opSlice || index.kids[0] != nil {
			return p.beyond(index.off, "a loop over two sequences")
		}
	}
	p.want(")")
	mark := len(p.scope)
	item, at := p.captured()
	if (at != "") != (index != nil) {
		return p.fail(p.tok.start, "a loop with an index is for (items, 0..) |item, i|")
	}
	n.slot, n.aux = p.bindCapture(item), p.bindCapture(at)
	p.loops++
	body := p.branch(true)
	p.loops--
	p.scope = p.scope[:mark]
	n.kids = []*node{seq, index, body}
	if p.is("else") {
		return p.beyond(p.tok.start, "the else of a loop")
	}
	return n
}

// rangeOrExpr parses a..b, a.. or an expression. A range is a slice of nothing.
func (p *parser) rangeOrExpr() *node {
	off := p.tok.start
	from := p.expr()
	if !p.accept("..") {
		return from
	}
	n := &node{op: opSlice, off: off, kids: []*node{nil, from, nil}}
	if !p.is(")") && !p.is(",") {
		n.kids[2] = p.expr()
	}
	return n
}

func (p *parser) leave() *node {
	n := &node{op: opBreak, off: p.tok.start}
	if p.tok.text == "continue" {
		n.op = opContinue
	}
	word := p.tok.text
	p.next()
	if p.is(":") {
		return p.beyond(p.tok.start, "a label")
	}
	if p.loops == 0 {
		return p.fail(n.off, "'%s' outside a loop", word)
	}
	p.accept(";")
	return n
}

func (p *parser) switchOn() *node {
	n := &node{op: opSwitch, off: p.tok.start}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	p.want("(")
	n.kids = []*node{p.expr()}
	p.want(")")
	p.want("{")
	for !p.is("}") && p.tok.kind != endToken {
		n.prongs = append(n.prongs, p.prong())
		if !p.accept(",") && !p.is("}") {
			p.want(",")
		}
	}
	p.want("}")
	return n
}

func (p *parser) prong() prong {
	pr := prong{slot: -1}
	if !p.accept("else") {
		for {
			from := p.expr()
			if p.accept("...") {
				from = &node{op: opSlice, off: from.off, kids: []*node{nil, from, p.expr()}}
			}
			pr.patterns = append(pr.patterns, from)
			if !p.accept(",") || p.is("=>") {
				break
			}
		}
	}
	p.want("=>")
	mark := len(p.scope)
	if item, index := p.captured(); index != "" {
		p.beyond(p.prevEnd, "a second capture")
	} else {
		pr.slot = p.bindCapture(item)
	}
	defer func() { p.scope = p.scope[:min(mark, len(p.scope))] }()
	switch {
	case p.is("{"):
		pr.body = p.block()
	case p.is("return") || p.is("break") || p.is("continue"):
		pr.body = p.jump()
	default:
		pr.body = p.assignment()
	}
	return pr
}

// jump parses return, break or continue where no semicolon follows.
func (p *parser) jump() *node {
	if !p.is("return") {
		return p.leave()
	}
	n := &node{op: opReturn, off: p.tok.start}
	p.next()
	if !p.is(",") && !p.is("}") && !p.is(";") {
		n.kids = []*node{p.expr()}
	}
	return n
}

// typ parses a type.
func (p *parser) typ() *zigType {
	if !p.deeper() {
		p.shallower()
		return comptimeInt
	}
	defer p.shallower()
	switch {
	case p.accept("?"):
		return &zigType{kind: optionalKind, elem: p.typ()}
	case p.accept("*"):
		p.accept("const")
		return p.typ() // a pointer to a value is used as the value
	case p.accept("!"):
		return p.typ()
	case p.is("["):
		return p.sequenceType()
	case p.tok.kind == nameToken:
		name := p.tok.text
		p.next()
		for p.is(".") {
			p.next()
			name += "." + p.name("the name of a type")
		}
		return namedType(name)
	}
	p.fail(p.tok.start, "expected a type, found %s", p.found())
	return comptimeInt
}

func (p *parser) sequenceType() *zigType {
	p.want("[")
	t := &zigType{kind: sliceKind, length: -1}
	switch {
	case p.accept("_"):
		t.kind = arrayKind
	case p.is("]"):
	case p.tok.kind == intToken:
		t.kind = arrayKind
		n, ok := parseInt(p.tok.text)
		if length, small := n.small(); ok && small && length <= maxElements {
			t.length = int(length)
		} else {
			p.fail(p.tok.start, "an array has at most %d elements", maxElements)
		}
		p.next()
	default:
		p.beyond(p.tok.start, "this kind of array type")
	}
	p.want("]")
	p.accept("const")
	t.elem = p.typ()
	return t
}

// expr parses an expression: orelse and catch bind weakest, then or, and,
// comparison, sums, products.
func (p *parser) expr() *node {
	if !p.deeper() {
		p.shallower()
		return &node{op: opNone}
	}
	defer p.shallower()
	left := p.or()
	for p.is("orelse") || p.is("catch") {
		n := &node{op: opOrElse, off: p.tok.start}
		if p.is("catch") {
			n.op = opCatch
		}
		p.next()
		if n.op == opCatch && p.is("|") {
			return p.beyond(p.tok.start, "a captured error")
		}
		right := p.fallback()
		n.kids = []*node{left, right}
		left = n
	}
	return left
}

// fallback parses what stands behind orelse and catch: a value, or a way out.
func (p *parser) fallback() *node {
	switch {
	case p.is("return") || p.is("break") || p.is("continue"):
		return p.jump()
	case p.is("{"):
		return p.beyond(p.tok.start, "a block as a value")
	}
	return p.or()
}

func (p *parser) or() *node { return p.joined("or", opOr, p.and) }

func (p *parser) and() *node { return p.joined("and", opAnd, p.comparison) }

// joined parses operands with a word between them, grouped from the left.
func (p *parser) joined(word string, does op, operand func() *node) *node {
	left := operand()
	for p.is(word) {
		off := p.tok.start
		p.next()
		left = &node{op: does, off: off, kids: []*node{left, operand()}}
	}
	return left
}

func (p *parser) comparison() *node {
	left := p.sum()
	switch p.tok.text {
	case "==", "!=", "<", ">", "<=", ">=":
		if p.tok.kind == punctToken {
			n := &node{op: opBinary, off: p.tok.start, text: p.tok.text}
			p.next()
			n.kids = []*node{left, p.sum()}
			return n
		}
	}
	return left
}

var (
	sums           = []string{"+", "-", "++"}
	sumsBeyond     = []string{"+%", "-%", "<<", ">>", "&", "^"}
	products       = []string{"*", "/", "%"}
	productsBeyond = []string{"*%", "**", "||"}
)

func (p *parser) sum() *node { return p.operations(sums, sumsBeyond, p.product) }

func (p *parser) product() *node { return p.operations(products, productsBeyond, p.prefix) }

// operations parses operands with signs between them, grouped from the left. The
// signs in beyond bind as strongly, and are not of the subset that runs here.
func (p *parser) operations(signs, beyond []string, operand func() *node) *node {
	left := operand()
	for p.tok.kind == punctToken {
		switch {
		case slices.Contains(beyond, p.tok.text):
			return p.beyond(p.tok.start, "the operator '"+p.tok.text+"'")
		case !slices.Contains(signs, p.tok.text):
			return left
		}
		n := &node{op: opBinary, off: p.tok.start, text: p.tok.text}
		p.next()
		n.kids = []*node{left, operand()}
		left = n
	}
	return left
}

func (p *parser) prefix() *node {
	off := p.tok.start
	unary := opNone
	switch {
	case p.tok.kind == punctToken && p.tok.text == "!":
		unary = opNot
	case p.tok.kind == punctToken && p.tok.text == "-":
		unary = opNegate
	case p.tok.kind == punctToken && p.tok.text == "&":
		unary = opAddress
	case p.is("try"):
		unary = opTry
	case p.tok.kind == punctToken && p.tok.text == "~":
		return p.beyond(off, "the operator '~'")
	}
	if unary == opNone {
		return p.postfix()
	}
	p.next()
	n := &node{op: unary, off: off, kids: []*node{nil}}
	if p.deeper() {
		n.kids[0] = p.prefix()
	} else {
		n.op = opNone
	}
	p.shallower()
	return n
}

func (p *parser) postfix() *node {
	n := p.primary()
	for p.fault == nil {
		off := p.tok.start
		switch {
		case p.is("["):
			n = p.index(n)
		case p.is(".?"):
			p.next()
			n = &node{op: opUnwrap, off: off, kids: []*node{n}}
		case p.is(".*"):
			p.next()
		case p.is("."):
			p.next()
			name := p.name("the name of a field")
			if name == "len" {
				n = &node{op: opLen, off: off, kids: []*node{n}}
			} else {
				n = &node{op: opField, off: off, text: name, kids: []*node{n}}
			}
		case p.is("("):
			return p.beyond(off, "a call of anything but the named functions")
		case p.is("{"):
			return n
		default:
			return n
		}
	}
	return n
}

func (p *parser) index(of *node) *node {
	off := p.tok.start
	p.next()
	from := p.expr()
	if !p.accept("..") {
		p.want("]")
		return &node{op: opIndex, off: off, kids: []*node{of, from}}
	}
	n := &node{op: opSlice, off: off, kids: []*node{of, from, nil}}
	if !p.is("]") {
		n.kids[2] = p.expr()
	}
	p.want("]")
	return n
}
