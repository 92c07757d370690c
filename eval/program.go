package eval

import (
	"fmt"
	"strings"
	"sync"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Program is a checked program with every body found and every flow compiled.
// It holds no state of a run: one Program can back many processes at a time,
// see [Program.Start].
type Program struct {
	checked *check.Program
	bodies  Bodies
	targets []Target
	flows   []*Code // top-level flows, in the order they run

	mu      sync.Mutex // guards what Compile adds
	verbs   map[*check.Tor]*verb
	pending []*verb // met, not linked yet
	stores  []*storeInfo
	places  map[*check.Store]int32
	consts  map[*check.ConstDecl]*constant
	shapes  map[*check.Type]*Shape
	calls   []calling // made by the flows compiled so far
	found   []check.Diagnostic
}

// calling is a call of a flow, kept until the verb behind it is linked.
type calling struct {
	verb *verb
	file *check.File
	node syntax.Node
}

// verb is what stands behind a tor: a Go body, a compiled flow, or nothing.
type verb struct {
	tor      *check.Tor
	path     string
	body     Func
	code     *Code
	linked   bool
	problem  string // why neither body nor code is there
	consumes []consume
	mints    []mint
}

// ready reports whether a body or a flow stands behind the verb.
func (v *verb) ready() bool { return v.body != nil || v.code != nil }

// NewProgram links a checked program: it finds the body of every verb that is
// called or granted, compiles every flow, and evaluates every constant. Bodies
// come before flows, flows before procs, so that an embedder can replace a
// verb. The error is an *[Unrunnable] that lists all that is in the way; a body
// that no target can run is KORU176, a call of a verb without a body KORU047.
func NewProgram(p *check.Program, bodies Bodies, targets []Target) (*Program, error) {
	prog := &Program{
		checked: p, bodies: bodies, targets: targets,
		verbs:  map[*check.Tor]*verb{},
		places: map[*check.Store]int32{},
		consts: map[*check.ConstDecl]*constant{},
		shapes: map[*check.Type]*Shape{},
	}
	for _, d := range p.Diagnostics {
		if d.Severity == check.Error {
			prog.found = append(prog.found, d)
		}
	}
	if len(prog.found) > 0 {
		return nil, &Unrunnable{prog.found}
	}
	prog.declare()
	for _, m := range initOrder(p.Entry) {
		for _, f := range m.Flows {
			prog.flows = append(prog.flows, prog.compile(f))
		}
	}
	prog.grant()
	prog.linkPending()
	prog.missing()
	if len(prog.found) > 0 {
		return nil, &Unrunnable{prog.found}
	}
	return prog, nil
}

// Checked returns the facts that the program was linked from.
func (p *Program) Checked() *check.Program { return p.checked }

// initOrder returns the modules in the order their top-level flows run: what a
// module imports comes before it, each module once. It walks with a stack of
// its own, for imports may nest deeply, and a cycle ends where it closes.
func initOrder(entry *check.Module) []*check.Module {
	if entry == nil {
		return nil
	}
	type visit struct {
		module *check.Module
		next   int
	}
	var order []*check.Module
	seen := map[*check.Module]bool{entry: true}
	stack := []visit{{module: entry}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.module.Imports) {
			order = append(order, top.module)
			stack = stack[:len(stack)-1]
			continue
		}
		m := top.module.Imports[top.next]
		top.next++
		if m != nil && !seen[m] {
			seen[m] = true
			stack = append(stack, visit{module: m})
		}
	}
	return order
}

// declare numbers the stores of all modules and evaluates their columns and the
// constants.
func (p *Program) declare() {
	for _, m := range p.checked.Modules {
		for _, decl := range m.Consts {
			p.constant(decl)
		}
	}
	for _, m := range p.checked.Modules {
		for _, s := range m.Stores {
			p.store(s)
		}
	}
}

// Compile compiles a flow that is not part of the program, for example a verb
// that a session has defined. Verbs it calls that have no body are no error:
// they are left to the [Dispatcher] it will run under. The error is an
// *[Unrunnable].
func (p *Program) Compile(flow *check.Flow) (*Code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = nil
	code := p.compile(flow)
	p.linkPending()
	p.calls = nil
	if len(p.found) > 0 {
		return nil, &Unrunnable{p.found}
	}
	return code, nil
}

// Runs reports whether a body or a flow of this host stands behind a verb, and
// if not, why.
func (p *Program) Runs(tor *check.Tor) (ok bool, problem string) {
	v := p.lookup(tor)
	return v.ready(), v.problem
}

// lookup returns the linked verb behind a tor.
func (p *Program) lookup(tor *check.Tor) *verb {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.verbs[tor]
	if v == nil || !v.linked {
		v = p.verb(tor)
		p.linkPending()
	}
	return v
}

// verb returns the verb behind a tor and makes sure that it gets linked.
func (p *Program) verb(tor *check.Tor) *verb {
	v := p.verbs[tor]
	if v == nil {
		v = &verb{tor: tor, path: tor.Path()}
		p.verbs[tor] = v
		p.pending = append(p.pending, v)
	}
	return v
}

// linkPending links verbs until none is left: the flows behind them call others.
func (p *Program) linkPending() {
	for len(p.pending) > 0 {
		v := p.pending[len(p.pending)-1]
		p.pending = p.pending[:len(p.pending)-1]
		p.link(v)
	}
}

func (p *Program) link(v *verb) {
	if v.linked {
		return
	}
	v.linked = true
	v.consumes, v.mints = consumesOf(v.tor), mintsOf(v.tor)
	if v.body = p.bodies[v.path]; v.body != nil {
		return
	}
	if impl := v.tor.Impl; impl != nil && impl.Flow != nil {
		v.code = p.compile(impl.Flow)
		return
	}
	proc, target := p.choose(v.tor)
	if proc == nil {
		v.problem = p.without(v.tor)
		return
	}
	body, err := target.Compile(v.tor, proc)
	if err != nil {
		v.problem = fmt.Sprintf("this |%s body cannot run here: %s", target.Name(), err)
		p.report("KORU176", proc.File, bodySpan(proc, err), v.problem)
		return
	}
	v.body = placed(body, v.path, proc)
}

// choose returns the first proc of a tor that a target of this host runs.
func (p *Program) choose(tor *check.Tor) (*check.Proc, Target) {
	for _, proc := range tor.Procs {
		for _, tag := range proc.Targets {
			for _, t := range p.targets {
				if t.Name() == tag {
					return proc, t
				}
			}
		}
	}
	return nil, nil
}

// without says why nothing stands behind a tor.
func (p *Program) without(tor *check.Tor) string {
	if len(tor.Procs) == 0 {
		return fmt.Sprintf("'%s' is called but never implemented: give it a proc or a flow", tor.Path())
	}
	var tags []string
	for _, proc := range tor.Procs {
		tags = append(tags, proc.Targets...)
	}
	return fmt.Sprintf("'%s' has a body for |%s only; here run: %s", tor.Path(), strings.Join(tags, ", |"), p.targetNames())
}

func (p *Program) targetNames() string {
	if len(p.targets) == 0 {
		return "none"
	}
	names := make([]string, len(p.targets))
	for i, t := range p.targets {
		names[i] = "|" + t.Name()
	}
	return strings.Join(names, ", ")
}

// grant links what the scopes grant. A grant without a body here is served by
// whoever opens a session (R3); one whose body is at fault is an error.
func (p *Program) grant() {
	for _, s := range p.checked.Scopes {
		for _, v := range s.Verbs {
			if v.Tor != nil {
				p.verb(v.Tor)
			}
		}
	}
}

// missing reports the calls behind which nothing stands: at the call if the
// verb has no body at all, at the body if no target here runs it.
func (p *Program) missing() {
	reported := map[*verb]bool{}
	for _, c := range p.calls {
		switch {
		case c.verb.ready() || reported[c.verb]:
		case len(c.verb.tor.Procs) == 0:
			p.report("KORU047", c.file, c.node.Span(), c.verb.problem)
		default:
			reported[c.verb] = true
			if proc, _ := p.choose(c.verb.tor); proc == nil {
				proc = c.verb.tor.Procs[0]
				p.report("KORU176", proc.File, proc.Node.Span(), c.verb.problem)
			}
		}
	}
	p.calls = nil
}

func (p *Program) report(code string, file *check.File, span syntax.Span, message string) {
	p.found = append(p.found, check.Diagnostic{Code: code, Severity: check.Error, File: file, Span: span, Message: message})
}

// shape returns the shape that records of a declared type share.
func (p *Program) shape(t *check.Type) *Shape {
	s := p.shapes[t]
	if s == nil {
		s = shapeOf(t.Fields)
		p.shapes[t] = s
	}
	return s
}
