package check

import (
	"slices"

	"github.com/koru-go/koru/syntax"
)

// JudgeSource resolves a flow of interpreted Koru: file dialect, over the verbs
// of a vocabulary and the control verbs (bridge.md 4.4, R46). Such a flow
// implements no tor and may all the same end in outcomes of its own: `=> result
// { a: x }` is what the run hands back. Its owner is made up for it and has an
// outcome for every word that the flow constructs, and discard for the paths
// that end in `_`.
//
// Outcomes that the flow does not accept are no fault of it (bridge.md 3.2): a
// call without arms hands back whatever it ends in, and at one with arms the
// run stops.
func (p *Program) JudgeSource(words *Vocabulary, file *syntax.File, item syntax.Node) (*Flow, *Refusal) {
	m := words.Scope.Module
	if m == nil {
		m = p.Entry
	}
	owner := &Tor{Module: m, Name: "source", Derived: true}
	owner.derive(item)
	s := &sourceNames{prog: p, words: words}
	flow, found := LowerDefinition(s, &File{Path: "source", Module: m, Syntax: file}, owner, item)
	if s.denied != nil {
		return nil, s.denied
	}
	if r := firstOf(found); r != nil {
		return nil, r
	}
	loosen(flow.Body, owner.Outcome(Discarded))
	return flow, nil
}

// Discarded is the outcome of a run whose path ends in `_`.
const Discarded = "discard"

// derive gives the owner of a source its outcomes.
func (t *Tor) derive(item syntax.Node) {
	t.derived(Discarded, false)
	t.deriveFrom(item)
}

func (t *Tor) deriveFrom(n syntax.Node) {
	for c := range n.Children() {
		if c.Kind() == syntax.Construct {
			v := syntax.ConstructView{Node: c}
			word, _ := armWord(v.Name())
			t.derived(word, v.Value().IsValid())
		}
		t.deriveFrom(c)
	}
}

func (t *Tor) derived(word string, carries bool) {
	if word == "" || slices.ContainsFunc(t.Outcomes, func(o *Outcome) bool { return o.Name == word }) {
		return
	}
	o := &Outcome{Name: word, Index: len(t.Outcomes), Optional: true}
	if carries {
		o.Payload = unknown
	}
	t.Outcomes = append(t.Outcomes, o)
}

// loosen lets the outcomes of calls that have no arm at all end their paths,
// and makes `_` an outcome.
func loosen(c *Chain, discard *Outcome) {
	if c == nil {
		return
	}
	if n := len(c.Steps); n > 0 && c.Steps[n-1].Kind == DiscardStep {
		c.Steps = c.Steps[:n-1]
		c.End = &End{Node: c.Node, Outcome: discard, Word: discard.Name}
	}
	for _, s := range c.Steps {
		if s.Call != nil {
			loosenCall(s.Call, discard)
		}
	}
}

func loosenCall(c *Call, discard *Outcome) {
	for _, a := range c.Arms {
		loosen(a.Body, discard)
	}
	if c.Tor == nil || slices.ContainsFunc(c.Arms, func(a *Arm) bool { return !a.Effect }) {
		return
	}
	for _, o := range c.Tor.Outcomes {
		if !o.Effect && o != c.Survivor {
			c.Arms = append(c.Arms, &Arm{Node: c.Node, Outcome: o, Word: o.Name, Forward: true})
		}
	}
}

// sourceNames is where the names of interpreted source lead.
type sourceNames struct {
	prog   *Program
	words  *Vocabulary
	denied *Refusal // the first verb that nobody grants
}

func (s *sourceNames) Verb(path string, _ []*Module) (*Tor, *Problem) {
	if v := s.words.Verb(path); v != nil {
		return v.Tor, nil
	}
	for _, name := range []string{path, trimModule(path, "std/control:"), trimModule(path, "std.control:")} {
		if t := s.prog.keywords[name]; t != nil {
			return t, nil
		}
	}
	if s.denied == nil {
		s.denied = refuse(Denied, Diagnostic{Code: "KORU040",
			Message: s.words.notGranted(path)})
		s.denied.Word = path
	}
	return nil, &Problem{Known: true}
}

func trimModule(path, module string) string {
	if len(path) > len(module) && path[:len(module)] == module {
		return path[len(module):]
	}
	return ""
}

// With, Const, Store and Values make nothing but bindings visible.
func (s *sourceNames) With(syntax.Node, string) ([]*Module, []Diagnostic) { return nil, nil }
func (s *sourceNames) Const(string) *ConstDecl                            { return nil }
func (s *sourceNames) Store(string) *Store                                { return nil }
func (s *sourceNames) Values() []string                                   { return nil }
