package bridge

import (
	"io"
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Examination is what can be said of wire text before any of it runs: what an
// editor shows of a reply, or of the definitions of a world.
type Examination struct {
	File        *check.File
	Words       *check.Vocabulary // what the text may call, its own definitions included
	Calls       []ExaminedCall    // in the order of the text
	Names       []*ExaminedName   // in the order in which they are bound
	Defined     []*check.Verb     // by the text itself
	Diagnostics []check.Diagnostic
}

// ExaminedCall is a call of a verb that the session knows.
type ExaminedCall struct {
	Node syntax.Node
	Verb *check.Verb
	Arms []ExaminedArm
	Flow *check.Flow // the body of a definition that the call is in, or nil
}

// ExaminedArm is an arm of a call.
type ExaminedArm struct {
	Node    syntax.Node
	Outcome *check.Outcome // nil for a word that the verb does not declare
}

// ExaminedName is a name that a reply binds.
type ExaminedName struct {
	Token   syntax.Token
	Type    *check.Type
	Verb    *check.Verb
	Outcome *check.Outcome // nil for an answer without a word
	Uses    []syntax.Token
}

// Examine judges wire text as a session on the scope would that has the
// definitions of world, by the same functions and in the same words, and carries
// nothing out. Every item is judged, whereas a session would stop at the first
// that is refused. What earlier replies have bound is not known: a name such as
// r3 is let pass.
// library names the module of the library that the text is, world/lib/NAME.k, or
// is empty.
func Examine(p *eval.Program, scope string, world []WorldFile, file *syntax.File, library string) (*Examination, error) {
	b, err := Create(Options{ID: "examination", Program: p, Scope: scope, Log: io.Discard, Introspect: true})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	for _, f := range world {
		if u := unpack(f); u.reason == "" {
			b.unshelve(u.shelved)
		}
	}
	x := &examining{
		r:       &reply{b: b, file: file, turn: &Turn{}},
		library: library,
		out:     &Examination{File: &check.File{Module: b.scope.Module, Syntax: file}},
	}
	x.out.Diagnostics = check.SyntaxFaults(x.out.File)
	for item := range file.Items() {
		x.item(item)
	}
	words := b.words
	words.Defined = slices.Clone(words.Defined)
	x.out.Words = &words
	x.out.Diagnostics = check.SortDiagnostics(x.out.Diagnostics)
	return x.out, nil
}

// examining is one text while it is judged. The reply never runs: it lends its
// judgements and remembers names.
type examining struct {
	r       *reply
	out     *Examination
	library string      // the text is that of world/lib/NAME.k
	decl    syntax.Node // a declaration whose body has not come yet
}

// item judges one item. A definition that a person has written, with comments
// and documentation, is two items of a file.
func (x *examining) item(item syntax.Node) {
	switch item.Kind() {
	case syntax.TorItem:
		x.decl = item
	case syntax.ImplItem:
		if x.decl.IsValid() {
			x.define(x.decl, item)
		}
		x.decl = syntax.Node{}
	case syntax.Definition:
		x.define(item.Child(syntax.TorItem), item.Child(syntax.ImplItem))
	case syntax.WireItem:
		x.calls(item)
	}
}

func (x *examining) define(decl, body syntax.Node) {
	if decl.Faulty() || body.Faulty() {
		return // said by the parser
	}
	d, refusal := x.r.b.install(check.Taught{Decl: decl, Body: body, File: x.r.file, Library: x.library})
	x.refused(refusal)
	if d == nil {
		return
	}
	x.out.Defined = append(x.out.Defined, d.Verb)
	for c := range d.Verb.Flow.Calls() {
		if v := x.verbOf(c.Tor); v != nil {
			x.out.Calls = append(x.out.Calls, ExaminedCall{Node: c.Node, Verb: v, Flow: d.Verb.Flow})
		}
	}
}

// verbOf returns the verb of the session that a tor stands behind.
func (x *examining) verbOf(t *check.Tor) *check.Verb {
	for _, list := range [][]*check.Verb{x.r.b.scope.Verbs, x.r.b.words.Defined} {
		for _, v := range list {
			if v.Tor == t {
				return v
			}
		}
	}
	return nil
}

func (x *examining) refused(refusal *check.Refusal) {
	if refusal == nil {
		return
	}
	d := refusal.Diagnostic
	d.File = x.out.File
	for i := range d.Notes {
		if d.Notes[i].File == nil {
			d.Notes[i].File = d.File
		}
	}
	x.out.Diagnostics = append(x.out.Diagnostics, d)
}

// calls judges the calls of an item, on all its paths.
func (x *examining) calls(item syntax.Node) {
	r := x.r
	r.plan.lay(item, &r.b.words)
	r.locals = r.locals[:0]
	for i := range r.plan.calls {
		c := &r.plan.calls[i]
		r.at = i
		switch {
		case c.verb != nil:
			x.call(c)
		case c.word == noWord && c.node.Kind() == syntax.Call:
			_, refusal := r.b.words.JudgeVerb(syntax.CallView{Node: c.node}.Path())
			x.refused(refusal)
		}
	}
	r.remember()
}

func (x *examining) call(c *planned) {
	r, view := x.r, syntax.CallView{Node: c.node}
	supplied, refusal := check.JudgeStep(c.verb, view)
	if refusal == nil {
		refusal = r.literals(c.verb, supplied)
	}
	if refusal == nil {
		refusal = r.judgeArms(c.verb, view)
	}
	if refusal == nil {
		refusal = x.splices(c.node)
	}
	x.refused(refusal)
	out := ExaminedCall{Node: c.node, Verb: c.verb}
	for _, l := range r.plan.links {
		if l.call != r.at {
			continue
		}
		a := &r.plan.arms[l.arm]
		o := c.verb.Tor.Outcome(a.word)
		out.Arms = append(out.Arms, ExaminedArm{a.view.Node, o})
		if o != nil && o.Payload != nil {
			x.bind(a.view.Bind().Name(), o.Payload, c.verb, o)
		}
	}
	if t := c.verb.Tor.Return; t != nil {
		x.bind(view.Bind().Name(), t, c.verb, nil)
	}
	x.out.Calls = append(x.out.Calls, out)
}

func (x *examining) bind(name syntax.Token, t *check.Type, v *check.Verb, o *check.Outcome) {
	if name.IsValid() && name.Text() != "_" && x.find(name.Text()) == nil {
		x.out.Names = append(x.out.Names, &ExaminedName{Token: name, Type: t, Verb: v, Outcome: o})
	}
}

func (x *examining) find(name string) *ExaminedName {
	for _, n := range x.out.Names {
		if n.Token.Text() == name {
			return n
		}
	}
	return nil
}

// splices judges the names in the splices of a call, and notes who reads what.
func (x *examining) splices(n syntax.Node) *check.Refusal {
	for c := range n.Children() {
		if c.Kind() == syntax.NameExpr {
			x.use(c.FirstToken())
		}
		if c.Kind() == syntax.Splice {
			if refusal := x.splice(c); refusal != nil {
				return refusal
			}
		} else if refusal := x.splices(c); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (x *examining) use(t syntax.Token) {
	if n := x.find(t.Text()); n != nil {
		n.Uses = append(n.Uses, t)
	}
}

// splice follows a path through the types, as far as they are known: text that
// holds JSON is walked into when it is there.
func (x *examining) splice(n syntax.Node) *check.Refusal {
	expr := syntax.SpliceView{Node: n}.Expr()
	path, ok := pathText(expr)
	if !ok {
		return nil // said by the parser
	}
	name, rest := cutDot(path)
	x.use(expr.FirstToken())
	bound := x.find(name)
	if bound == nil {
		if _, is := resultNumber(name); is {
			return nil
		}
		return check.Unnamed(path, name, x.live(), n.Span())
	}
	t, whole := bound.Type, name
	for rest != "" && t != nil && t.Kind == check.RecordType {
		var field string
		field, rest = cutDot(rest)
		i := slices.IndexFunc(t.Fields, func(f *check.Field) bool { return f.Name == field })
		if i < 0 {
			return check.Unreachable(path, whole, field, "", n.Span())
		}
		t, whole = t.Fields[i].Type, whole+"."+field
	}
	return nil
}

// live lists the names that are bound so far, the newest first.
func (x *examining) live() []string {
	var names []string
	for _, n := range slices.Backward(x.out.Names) {
		names = append(names, n.Token.Text())
	}
	return names
}
