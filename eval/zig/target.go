package zig

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Target evaluates |zig bodies.
type Target struct {
	// Others names the targets that do run in full, for messages: "js".
	Others string
}

var _ eval.Target = (*Target)(nil)

// Name returns the tag of the target.
func (*Target) Name() string { return "zig" }

// Compile parses a body and resolves its names; it evaluates nothing of it. The
// error is an *eval.BodyError.
func (t *Target) Compile(tor *check.Tor, proc *check.Proc) (eval.Func, error) {
	p := &parser{lex: lexer{src: proc.Body}, verb: tor, targets: t.hint()}
	p.module = func(name string) (value, bool) { return moduleLiteral(proc.File, name) }
	for _, f := range tor.Fields {
		p.bind(f.Name, false)
	}
	root := p.body()
	if p.fault != nil {
		return nil, p.fault
	}
	b := &body{tor: tor, root: root, slots: p.slots, source: proc.Body}
	return b.run, nil
}

func (t *Target) hint() string {
	if t.Others == "" {
		return ""
	}
	return " — bodies of these targets run in full: " + t.Others
}

// body is a compiled body. It is immutable and serves any number of calls at a
// time.
type body struct {
	tor    *check.Tor
	root   *node
	slots  int
	source string
}

func (b *body) run(c *eval.Call) (eval.Outcome, error) {
	f := &frame{call: c, vars: make([]value, b.slots)}
	for i, field := range b.tor.Fields {
		f.vars[i] = fromKoru(c.Args[i], field.Type)
	}
	ended := f.exec(b.root)
	if f.err != nil {
		if fault, ok := f.err.(*runtimeFault); ok {
			return eval.Outcome{}, fmt.Errorf("%s in the zig body of '%s', %s", fault.message, b.tor.Name, b.place(fault.off))
		}
		return eval.Outcome{}, f.err
	}
	if ended != returns && !b.tor.Void() {
		return eval.Outcome{}, fmt.Errorf("the zig body of '%s' ended without a return", b.tor.Name)
	}
	out, problem := b.outcome(f.result)
	if problem != "" {
		return eval.Outcome{}, fmt.Errorf("the zig body of '%s' returned what it does not declare: %s", b.tor.Name, problem)
	}
	return out, nil
}

// place says where in the body an offset is.
func (b *body) place(off int) string {
	off = min(off, len(b.source))
	line := strings.Count(b.source[:off], "\n") + 1
	return fmt.Sprintf("line %d", line)
}

// outcome turns what the body returned into an outcome of the verb (R47): no
// outcome is invented.
func (b *body) outcome(v value) (eval.Outcome, string) {
	switch {
	case b.tor.Void():
		if v.kind != voidValue {
			return eval.Outcome{}, "'" + b.tor.Name + "' returns nothing, this is " + v.kindName()
		}
		return eval.Outcome{}, ""
	case b.tor.Return != nil:
		out, problem := payload(v, b.tor.Return)
		return eval.Delivered("", out), problem
	case v.kind == enumValue:
		return b.arm(v.text, value{})
	case v.kind == anonValue && len(v.anon.names) == 1:
		return b.arm(v.anon.names[0], v.anon.vals[0])
	}
	return eval.Outcome{}, "an outcome is .{ .arm = value } or .arm, this is " + v.kindName()
}

func (b *body) arm(name string, v value) (eval.Outcome, string) {
	for _, o := range b.tor.Outcomes {
		if o.Effect || o.Name != name && strings.ReplaceAll(o.Name, "-", "_") != name {
			continue
		}
		empty := v.kind == voidValue || v.kind == anonValue && len(v.anon.vals) == 0
		switch {
		case o.Payload == nil && empty:
			return eval.Fired(o.Name), ""
		case o.Payload == nil:
			return eval.Outcome{}, "'" + o.Name + "' carries no payload"
		case v.kind == voidValue:
			return eval.Outcome{}, "'" + o.Name + "' carries a payload"
		}
		out, problem := payload(v, o.Payload)
		if problem != "" {
			problem = "'" + o.Name + "': " + problem
		}
		return eval.Delivered(o.Name, out), problem
	}
	return eval.Outcome{}, "'" + name + "' is no outcome of '" + b.tor.Name + "'"
}

func payload(v value, t *check.Type) (eval.Value, string) {
	out, problem := toKoru(v, t)
	if problem != "" {
		return out, problem
	}
	return fitted(out, t)
}

// fitted checks a value against a declared type.
func fitted(v eval.Value, t *check.Type) (eval.Value, string) {
	out, path, ok := eval.Fits(v, t)
	if !ok {
		if path != "" {
			return out, "the value at '" + path + "' does not fit its type"
		}
		return out, "a " + v.Kind().String() + " does not fit " + t.Name
	}
	return out, ""
}

// moduleLiteral finds `const name = literal;` or `var name = …;` among the host
// lines of a file and evaluates it.
func moduleLiteral(f *check.File, name string) (value, bool) {
	if f == nil || f.Syntax == nil {
		return value{}, false
	}
	for item := range f.Syntax.Items() {
		if item.Kind() != syntax.HostItem {
			continue
		}
		if v, ok := hostLiteral(item.Text(), name); ok {
			return v, true
		}
	}
	return value{}, false
}

func hostLiteral(text, name string) (value, bool) {
	for _, word := range []string{"const ", "var "} {
		decl := word + name
		for at := strings.Index(text, decl); at >= 0; {
			if v, ok := literalAt(text[at:], name); ok && (at == 0 || !isLetter(text[at-1])) {
				return v, true
			}
			next := strings.Index(text[at+1:], decl)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return value{}, false
}

// literalAt evaluates the declaration that text begins with, if it is one of
// name with a literal or array behind it.
func literalAt(text, name string) (value, bool) {
	p := &parser{lex: lexer{src: text}, verb: &check.Tor{}}
	p.next()
	n := p.declaration()
	if p.fault != nil || len(p.scope) != 1 || p.scope[0].name != name {
		return value{}, false
	}
	f := &frame{call: &eval.Call{}, vars: make([]value, p.slots)}
	v := f.declared(n)
	return v, f.err == nil && v.kind != undefinedValue
}
