package check

import (
	"slices"

	"github.com/koru-go/koru/syntax"
)

// Names is where the names of a flow lead: the modules of a program, or the
// vocabulary of a session that defines a verb.
type Names interface {
	// Verb resolves what a call names. Exactly one of the results is nil.
	Verb(path string, with []*Module) (*Tor, *Problem)
	// With returns the modules that [with] in front of a node opens.
	With(n syntax.Node, callee string) ([]*Module, []Diagnostic)
	// Const returns the visible constant of that name, or nil.
	Const(name string) *ConstDecl
	// Store returns the visible store of that name, or nil.
	Store(name string) *Store
	// Values lists the names of all constants and stores, for suggestions.
	Values() []string
}

// lowerer resolves one flow: it turns the tree of a body into a [Flow], in which
// every name leads somewhere and every value has a binding, and judges on the
// way what needs nothing but the flow itself and the signatures it calls.
type lowerer struct {
	names Names
	file  *File
	flow  *Flow
	diags []Diagnostic

	visible  visible
	with     []*Module
	labels   map[string]*label
	ends     ending     // what the path that is being lowered may end in
	captures []*capture // the captures around this place, outermost first
	place    string     // where an expression stands, for messages
	splice   syntax.Node
	lost     map[string]bool // names that have been reported as bound nowhere
	unnamed  bool            // in an arm that should have named its payload and did not

	// broken is set once the flow holds text that nobody understood. What seems
	// unused, unhandled or unfinished may be used, handled or finished there.
	broken bool
	deaf   map[*Binding]string // the verb without inputs that follows where a value is bound
	effort int                 // how many names misspelt ones were compared with

	// session marks the definition of a session, where a text parameter may
	// stand for a handle (R36) and layout is not judged (R28).
	session bool
}

// lowerFlow resolves one top-level flow or, with an owner, one implementation.
// The flow is complete even where findings say that it is wrong: what could not
// be resolved is a broken step or a broken expression.
func lowerFlow(names Names, file *File, owner *Tor, item syntax.Node) (*Flow, []Diagnostic) {
	l := &lowerer{names: names, file: file}
	return l.lower(owner, item), l.diags
}

// LowerDefinition resolves the flow of a verb that a session defines: item is
// the implementation inside the Definition node.
func LowerDefinition(names Names, file *File, owner *Tor, item syntax.Node) (*Flow, []Diagnostic) {
	l := &lowerer{names: names, file: file, session: true}
	return l.lower(owner, item), l.diags
}

// lowerValue resolves an expression that stands in no flow, and judges it
// against the type it is declared with.
func lowerValue(names Names, file *File, n syntax.Node, want *Type) (*Expr, []Diagnostic) {
	l := &lowerer{names: names, file: file, flow: &Flow{File: file, Module: file.Module}, place: "a declared value"}
	e := l.value(n, want)
	if m := fit(e, want); m != nil {
		l.report("KORU082", n.Span(), "this value "+m.problem)
	}
	return e, l.diags
}

func (l *lowerer) lower(owner *Tor, item syntax.Node) *Flow {
	l.flow = &Flow{Owner: owner, Module: l.file.Module, File: l.file, Node: item}
	l.ends = ending{kind: endsFree}
	if owner != nil {
		l.ends = ending{kind: endsTor, tor: owner}
		for _, f := range owner.Fields {
			b := l.newBinding(ParamBinding, f.Name, f.Type, f.Node)
			l.visible.add(b)
			l.flow.Params = append(l.flow.Params, b)
		}
	}
	l.broken = broken(item)
	l.openWith(item)
	l.findLabels(item)
	l.flow.Body = l.body(item)
	l.boundPaths()
	l.unused()
	return l.flow
}

// body lowers what stands behind =, -> or => of an implementation, or a flow.
func (l *lowerer) body(item syntax.Node) *Chain {
	if item.Kind() == syntax.ImplItem {
		v := syntax.ImplView{Node: item}
		for _, end := range []syntax.Node{v.Produce().Node, v.Construct().Node} {
			if end.IsValid() {
				return &Chain{Node: end, End: l.end(end)}
			}
		}
	}
	chain := syntax.ChainView{Node: item.Child(syntax.Chain)}
	if !chain.IsValid() {
		l.broken = true
		return &Chain{Node: item}
	}
	return l.chain(chain, false)
}

// openWith opens the modules that [with] in front of the flow names.
func (l *lowerer) openWith(item syntax.Node) {
	head := item.Child(syntax.Chain).Child(syntax.Call)
	callee := syntax.CallView{Node: head}.Path().Text()
	opened, faults := l.names.With(item, callee)
	l.with = append(l.with, opened...)
	for _, d := range faults {
		l.add(d)
	}
}

// add records a finding about the flow.
func (l *lowerer) add(d Diagnostic) {
	if d.File == nil {
		d.File = l.file
	}
	for i := range d.Fixes {
		for j := range d.Fixes[i].Edits {
			if d.Fixes[i].Edits[j].File == nil {
				d.Fixes[i].Edits[j].File = d.File
			}
		}
	}
	l.diags = append(l.diags, d)
}

func (l *lowerer) report(code string, span syntax.Span, message string) *Diagnostic {
	l.add(Diagnostic{Code: code, Span: span, Message: message})
	return &l.diags[len(l.diags)-1]
}

// lineOf returns the line of a binding, counted from 1, in the file that it is
// declared in.
func (l *lowerer) lineOf(b *Binding) int {
	f := l.file
	if b.Kind == ParamBinding && l.flow.Owner.File != nil {
		f = l.flow.Owner.File
	}
	return f.Syntax.LineOf(b.Node.Span().Start) + 1
}

// track is one chain while it is being lowered.
type track struct {
	chain    *Chain
	handlers []*handler
	thread   *Binding        // what the step before delivered, bound to no name
	last     *Call           // the last call so far
	blind    *Call           // a call whose outcomes nobody knows
	broken   bool            // a step was not understood
	unmet    []unmet         // outcomes that no arm takes
	meant    map[string]bool // outcomes that a misspelt arm was meant to take
	closed   bool            // nothing goes on after the last step: a jump, or every outcome is armed
}

// adrift stands for a thread that nobody can say anything about: what came
// before has been reported. It is never filled in.
var adrift = &Binding{Type: unknown}

// chain lowers steps, what ends them, and the arms below (language.md 8). An
// arm's body may be a lone discard.
func (l *lowerer) chain(v syntax.ChainView, arm bool) *Chain {
	t := &track{chain: &Chain{Node: v.Node}, handlers: handlersOf(v), meant: map[string]bool{}}
	mark := l.visible.mark()
	steps, end := l.steps(v, arm), v.End()
	for i, n := range steps {
		final := i == len(steps)-1 && !end.IsValid()
		t.chain.Steps = append(t.chain.Steps, l.step(t, n, final))
	}
	l.effectsFirst(t.handlers)
	l.strayArms(t)
	l.judgeGroups(t)
	l.missingArms(t)
	switch {
	case end.IsValid():
		if !arm {
			l.boundBefore(t, end)
		}
		t.chain.End = l.end(end)
	case !t.closed && !t.broken:
		l.openEnd(t)
	}
	l.visible.back(mark)
	l.leaveLabels(t.chain)
	return t.chain
}

// boundBefore reports `call() -> value` where the call delivers something and
// nothing of the chain is bound: a reader would take the value for what the
// call delivers (language.md 8.2).
func (l *lowerer) boundBefore(t *track, end syntax.Node) {
	if end.Kind() != syntax.Produce || t.last == nil || t.last.Tor == nil || t.last.Tor.Void() {
		return
	}
	for _, s := range t.chain.Steps {
		if s.Call == nil || (syntax.CallView{Node: s.Call.Node}).Bind().IsValid() {
			return
		}
	}
	l.report("PARSE001", end.Token(syntax.Arrow).Span(), "'->' produces a value, it binds none: write "+verbOf(t.last)+"(…): name -> value")
}

// steps returns the steps of a chain without the discards that are none: only
// the body of an arm is `_`, and nothing else then (KORU010).
func (l *lowerer) steps(v syntax.ChainView, arm bool) []syntax.Node {
	var steps []syntax.Node
	for n := range v.Steps() {
		steps = append(steps, n)
	}
	if arm && len(steps) == 1 && !v.End().IsValid() {
		return steps
	}
	return slices.DeleteFunc(steps, func(n syntax.Node) bool {
		if n.Kind() != syntax.Discard {
			return false
		}
		l.misplacedDiscard(n)
		return true
	})
}

func (l *lowerer) step(t *track, n syntax.Node, final bool) *Step {
	switch n.Kind() {
	case syntax.Discard:
		return &Step{Kind: DiscardStep, Node: n}
	case syntax.Jump:
		t.closed, t.thread = true, nil
		return &Step{Kind: JumpStep, Node: n, Jump: l.jump(syntax.JumpView{Node: n})}
	case syntax.Call:
		c := l.call(syntax.CallView{Node: n}, t.thread)
		l.barren(t.last, c)
		t.thread, t.closed = nil, false
		l.deliver(t, c, final)
		t.last = c
		return &Step{Kind: CallStep, Node: n, Call: c}
	}
	l.broken, t.broken = true, true
	l.touch(n)
	return &Step{Kind: BrokenStep, Node: n}
}

// mostEffort bounds the search for what was meant: a flow with so many unknown
// names is not one with slips in it.
const mostEffort = 100_000

// near returns the candidate that was probably meant, or "".
func (l *lowerer) near(name string, candidates func() []string) string {
	if l.effort > mostEffort {
		return ""
	}
	list := candidates()
	l.effort += len(list)
	return Nearest(name, list)
}

// misplacedDiscard reports a `_` that is not the whole body of an arm (KORU010).
func (l *lowerer) misplacedDiscard(n syntax.Node) {
	d := Diagnostic{Code: "KORU010", Span: n.Span(),
		Message: "stray continuation line: '_' is the empty body of an arm and stands there alone; a chain just ends"}
	if arrow := before(n.FirstToken(), syntax.PipeArrow); arrow.IsValid() {
		from := arrow.Span().Start
		for prev := arrow.Prev(); prev.Kind() == syntax.Space || prev.Kind() == syntax.Newline; prev = prev.Prev() {
			from = prev.Span().Start
		}
		d.replace("end the chain here", true, syntax.Span{Start: from, End: n.Span().End}, "")
	}
	l.add(d)
}

// before returns the token in front of t, blanks aside, if it has the kind.
func before(t syntax.Token, kind syntax.Kind) syntax.Token {
	prev := t.Prev()
	for prev.IsValid() && prev.Kind().IsTrivia() {
		prev = prev.Prev()
	}
	if prev.Kind() == kind {
		return prev
	}
	return syntax.Token{}
}

// touch counts the names that a piece of the tree uses without judging it: it
// stands under something that has been reported, or in a language that only its
// receiver knows.
func (l *lowerer) touch(n syntax.Node) {
	if !n.IsValid() {
		return
	}
	stack := []syntax.Node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Kind() == syntax.NameExpr {
			if b := l.visible.lookup(n.Text()); b != nil {
				b.use(n)
			}
			continue
		}
		for t := range n.Tokens() {
			if !t.Kind().IsTrivia() {
				words(t.Text(), func(w string) { l.mention(w, n) })
			}
		}
		for c := range n.Children() {
			stack = append(stack, c)
		}
	}
}

func (l *lowerer) mention(name string, n syntax.Node) {
	if b := l.visible.lookup(name); b != nil {
		b.mention(n)
	}
}

// words calls f with every identifier in a text.
func words(text string, f func(string)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i] == '_' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9') {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			f(text[start:i])
			start = -1
		}
	}
}
