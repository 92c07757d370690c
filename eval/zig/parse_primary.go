package zig

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/koru-go/koru/eval"
)

func (p *parser) primary() *node {
	off := p.tok.start
	switch p.tok.kind {
	case intToken:
		n, ok := parseInt(p.tok.text)
		if !ok {
			return p.fail(off, "'%s' is no integer", p.tok.text)
		}
		p.next()
		return &node{op: opConst, off: off, num: n}
	case floatToken:
		f, err := strconv.ParseFloat(strings.ReplaceAll(p.tok.text, "_", ""), 64)
		if err != nil {
			return p.fail(off, "'%s' is no number", p.tok.text)
		}
		p.next()
		return &node{op: opConst, off: off, num: floatOf(f)}
	case charToken:
		r := []rune(p.tok.value)
		p.next()
		return &node{op: opConst, off: off, num: intOf(int64(r[0]), comptimeInt)}
	case textToken:
		text := p.tok.value
		p.next()
		return &node{op: opConst, off: off, num: textOf(text)}
	case builtinToken:
		return p.builtin()
	case nameToken:
		return p.named()
	}
	switch {
	case p.accept("("):
		n := p.expr()
		p.want(")")
		return n
	case p.is("."):
		return p.anonymous()
	case p.is("["):
		t := p.sequenceType()
		return p.arrayLiteral(off, t)
	}
	return p.fail(off, "expected a value, found %s", p.found())
}

// named parses a word: a literal, a variable, or the path of a function.
func (p *parser) named() *node {
	off, name := p.tok.start, p.tok.text
	switch name {
	case "true", "false":
		p.next()
		return &node{op: opConst, off: off, num: boolOf(name == "true")}
	case "null":
		p.next()
		return &node{op: opConst, off: off, num: value{kind: nullValue}}
	case "undefined":
		p.next()
		return &node{op: opConst, off: off, num: value{kind: undefinedValue}}
	case "unreachable":
		p.next()
		return &node{op: opUnreachable, off: off}
	case "if":
		return p.conditional(false)
	case "switch":
		return p.switchOn()
	case "error":
		return p.beyond(off, "an error value")
	case "std":
		return p.function()
	case "$mod":
		return p.moduleName()
	}
	if what, ok := reserved[name]; ok {
		return p.beyond(off, what)
	}
	p.next()
	if p.is("(") {
		return p.effect(off, name)
	}
	b, ok := p.lookup(name)
	if !ok {
		return p.fail(off, "'%s' is no input of '%s' and no variable declared above%s", name, p.verb.Name, p.targets)
	}
	return &node{op: opVar, off: off, slot: b.slot, typ: b.typ}
}

// functions are the functions of std that are known, with their number of
// arguments. A first argument that is a type is not evaluated.
var functions = map[string]struct {
	args  int
	typed bool
}{
	"std.mem.eql":             {3, true},
	"std.mem.startsWith":      {3, true},
	"std.mem.endsWith":        {3, true},
	"std.mem.indexOf":         {3, true},
	"std.fmt.bufPrint":        {3, false},
	"std.fmt.allocPrint":      {3, false},
	"std.debug.print":         {2, false},
	"std.heap.page_allocator": {-1, false},
}

func (p *parser) function() *node {
	off := p.tok.start
	path := p.tok.text
	p.next()
	for p.is(".") {
		p.next()
		path += "." + p.name("a name of std")
	}
	f, ok := functions[path]
	if !ok {
		return p.beyond(off, "'"+path+"'")
	}
	n := &node{op: opCall, off: off, text: path}
	if f.args < 0 {
		return n
	}
	n.kids = p.arguments(f.typed)
	if f.typed {
		f.args--
	}
	if len(n.kids) != f.args && p.fault == nil {
		return p.fail(off, "'%s' takes %d values here, got %d", path, f.args, len(n.kids))
	}
	return n
}

func (p *parser) arguments(typed bool) []*node {
	var args []*node
	p.want("(")
	if typed {
		p.typ()
		p.want(",")
	}
	for !p.is(")") && p.tok.kind != endToken {
		args = append(args, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.want(")")
	return args
}

// effect parses a call of an effect of the verb, by its snake name.
func (p *parser) effect(off int, name string) *node {
	for _, o := range p.verb.Outcomes {
		if !o.Effect || snake(o.Name) != name {
			continue
		}
		n := &node{op: opEffect, off: off, text: o.Name, effect: o, kids: p.arguments(false)}
		want := 0
		if o.Payload != nil {
			want = 1
		}
		if len(n.kids) != want && p.fault == nil {
			return p.fail(off, "the effect '%s' carries %d values, got %d", o.Name, want, len(n.kids))
		}
		return n
	}
	return p.fail(off, "'%s' is a function that is not known here: a body calls the effects of its verb and a few functions of std%s", name, p.targets)
}

// moduleName parses $mod.name.
func (p *parser) moduleName() *node {
	off := p.tok.start
	p.next()
	p.want(".")
	name := p.name("a name of the module")
	if p.is("(") {
		return p.beyond(off, "a call of the module's '"+name+"'")
	}
	v, ok := value{}, false
	if p.module != nil {
		v, ok = p.module(name)
	}
	if !ok && p.fault == nil {
		return p.fail(off, "'$mod.%s' is no literal or array that this file declares%s", name, p.targets)
	}
	return &node{op: opConst, off: off, num: v}
}

func (p *parser) builtin() *node {
	off, name := p.tok.start, p.tok.text
	p.next()
	n := &node{off: off, text: name}
	switch name {
	case "@as":
		p.want("(")
		n.op, n.typ = opCast, p.typ()
		p.want(",")
		n.kids = []*node{p.expr()}
		p.want(")")
		return n
	case "@intCast":
		n.op, n.kids = opCast, p.arguments(false)
	case "@mod":
		n.op, n.kids = opMod, p.arguments(false)
	case "@min":
		n.op, n.kids = opMin, p.arguments(false)
	case "@max":
		n.op, n.kids = opMax, p.arguments(false)
	case "@panic":
		n.op, n.kids = opPanic, p.arguments(false)
	default:
		return p.beyond(off, "'"+name+"'")
	}
	want := 1
	if n.op == opMod || n.op == opMin || n.op == opMax {
		want = 2
	}
	if len(n.kids) != want && p.fault == nil {
		return p.fail(off, "'%s' takes %d values, got %d", name, want, len(n.kids))
	}
	return n
}

// anonymous parses .name, .{ a, b } and .{ .a = x }.
func (p *parser) anonymous() *node {
	off := p.tok.start
	p.next()
	if !p.is("{") {
		name := p.name("a name or '{' after '.'")
		return &node{op: opEnum, off: off, text: name, num: enumOf(name)}
	}
	n := &node{op: opAnon, off: off}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	for !p.is("}") && p.tok.kind != endToken {
		if p.is(".") && p.fieldAhead() {
			p.next()
			n.names = append(n.names, p.name("the name of a field"))
			p.want("=")
		}
		n.kids = append(n.kids, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.want("}")
	if len(n.names) > 0 && len(n.names) != len(n.kids) && p.fault == nil {
		return p.fail(off, "a literal names all of its fields or none")
	}
	return n
}

// fieldAhead tells `.a = x` from the value `.a`.
func (p *parser) fieldAhead() bool {
	ahead := p.lex
	name, err := ahead.next()
	if err != nil || name.kind != nameToken {
		return false
	}
	eq, err := ahead.next()
	return err == nil && eq.kind == punctToken && eq.text == "="
}

func (p *parser) arrayLiteral(off int, t *zigType) *node {
	n := &node{op: opArray, off: off, typ: t}
	if !p.is("{") {
		return p.fail(p.tok.start, "expected '{' and the elements of the array, found %s", p.found())
	}
	if !p.deeper() {
		p.shallower()
		return n
	}
	defer p.shallower()
	p.next()
	for !p.is("}") && p.tok.kind != endToken {
		n.kids = append(n.kids, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.want("}")
	if t.length >= 0 && t.length != len(n.kids) && p.fault == nil {
		return p.fail(off, "this array has %d elements, its type says %d", len(n.kids), t.length)
	}
	return n
}

// maxDigits bounds the digits of a number; no type holds more.
const maxDigits = 150

// parseInt reads an integer as Zig writes it.
func parseInt(s string) (value, bool) {
	s = strings.ReplaceAll(s, "_", "")
	base := 10
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'x':
			base, s = 16, s[2:]
		case 'b':
			base, s = 2, s[2:]
		case 'o':
			base, s = 8, s[2:]
		}
	}
	if len(s) > maxDigits {
		return value{}, false
	}
	n, ok := new(big.Int).SetString(s, base)
	if !ok {
		return value{}, false
	}
	return integerOf(eval.BigValue(n), comptimeInt), true
}
