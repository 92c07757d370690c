package zig

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
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
	p := newParser(proc.Body)
	p.verb, p.targets = tor, t.hint()
	p.module = func(name string) (value, bool) { return moduleValue(proc.File, name) }
	b := &body{tor: tor}
	for _, f := range tor.Fields {
		p.bind(f.Name, nil, false)
		b.inputs = append(b.inputs, typeOf(f.Type))
	}
	b.root = p.body()
	if p.fault != nil {
		return nil, p.fault
	}
	b.slots = p.slots
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
	inputs []*zigType
}

func (b *body) run(c *eval.Call) (eval.Outcome, error) {
	f := &frame{call: c, vars: make([]value, b.slots)}
	for i, t := range b.inputs {
		f.vars[i] = fromKoru(c.Args[i], t)
	}
	ended := f.exec(b.root)
	switch {
	case f.err != nil:
		return eval.Outcome{}, f.err
	case ended != returns && !b.tor.Void():
		return eval.Outcome{}, faultAt(0, "the |zig body of '%s' ended without a return", b.tor.Name)
	}
	out, problem := b.outcome(f.result)
	if problem != "" {
		return eval.Outcome{}, faultAt(f.returned, "the |zig body returned %s", problem)
	}
	return out, nil
}

// outcome turns what the body returned into an outcome of the verb (R47): no
// outcome is invented. The problem says what it returned instead.
func (b *body) outcome(v value) (out eval.Outcome, problem string) {
	switch {
	case b.tor.Void():
		if v.kind != voidValue {
			return out, v.describe() + ", but '" + b.tor.Name + "' declares neither a value nor an outcome"
		}
		return eval.Fired(""), ""
	case b.tor.Return != nil:
		value, err := toKoru(v, b.tor.Return)
		if err != nil {
			return out, "a value that does not fit: " + err.Error()
		}
		return eval.Delivered("", value), ""
	case v.kind == enumValue:
		return b.arm(v.name(), value{})
	case v.kind == anonValue && len(v.anon.names) == 1:
		return b.arm(v.anon.names[0], v.anon.vals[0])
	}
	return out, v.describe() + ", expected .{ .outcome = payload } or .outcome with one of: " + b.arms()
}

func (b *body) arm(name string, v value) (out eval.Outcome, problem string) {
	for _, o := range b.tor.Outcomes {
		if o.Effect || o.Name != name && (o.Raw || snake(o.Name) != name) {
			continue
		}
		empty := v.kind == voidValue || v.kind == anonValue && len(v.anon.vals) == 0
		switch {
		case o.Payload == nil && empty:
			return eval.Fired(o.Name), ""
		case o.Payload == nil:
			return out, "a payload for '" + o.Name + "', which carries none: return ." + snake(o.Name)
		case v.kind == voidValue:
			return out, "the bare name of '" + o.Name + "', which carries " + eval.TypeText(o.Payload)
		}
		payload, err := toKoru(v, o.Payload)
		if err != nil {
			return out, "'" + o.Name + "' with a payload that does not fit: " + err.Error()
		}
		return eval.Delivered(o.Name, payload), ""
	}
	return out, "'" + name + "', which is not an outcome of '" + b.tor.Name + "' — declared: " + b.arms()
}

func (b *body) arms() string {
	var names []string
	for _, o := range b.tor.Outcomes {
		if !o.Effect {
			names = append(names, o.Name)
		}
	}
	return strings.Join(names, ", ")
}
