package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// A session may teach itself verbs: a declaration and a flow over the verbs it
// has already (bridge.md 8). Everything that could go wrong with such a verb is
// judged before it is installed, so that calling it can fail in no way that
// calling its parts by hand could not.

// Limits of definitions. A body of definitions of definitions doubles with
// every level, so what counts is what one call expands to (issue of size, not
// of nesting); the nesting itself is bounded for the machine that runs it.
const (
	MaxExpansion = 10_000 // calls that one call of a defined verb can make
	MaxLevels    = 32     // definitions inside definitions
)

// Definition is a verb that a session teaches itself, judged.
type Definition struct {
	Verb  *Verb
	Calls []string // the verbs that its body calls, each once, in order

	// What one call expands to, the defined verbs in it expanded too.
	Steps  int
	Levels int
}

// Taught is what a definition is judged from.
type Taught struct {
	Decl syntax.Node // a TorItem
	Body syntax.Node // an ImplItem
	File *syntax.File
	// Library is set for a verb of world/lib/text.k: it is called text:trim, and
	// its siblings by their bare names.
	Library string
}

// VerbName returns the name that the defined verb goes by.
func (t *Taught) VerbName() string { return t.name(syntax.TorView{Node: t.Decl}.Name().Text()) }

// name returns the name that a verb of the library goes by.
func (t *Taught) name(declared string) string {
	if t.Library == "" {
		return declared
	}
	return t.Library + ":" + declared
}

// Definitions looks up what the session has defined so far.
type Definitions func(name string) *Definition

// JudgeDefinition judges a definition against what a session may call. Nothing
// is installed. words may hold an older definition of the same name, which the
// new one is to replace.
func (p *Program) JudgeDefinition(words *Vocabulary, known Definitions, t Taught) (*Definition, *Refusal) {
	m := words.Scope.Module
	if m == nil {
		m = p.Entry
	}
	file := &File{Path: "definition", Module: m, Syntax: t.File}
	tor := m.DeclareTor(file, t.Decl)
	tor.Name = t.name(tor.Name)
	adoptStates(tor, words)
	d := &defining{prog: p, words: words, known: known, taught: t, tor: tor, file: file}
	if r := d.declared(); r != nil {
		return nil, r
	}
	if r := d.plain(t.Body); r != nil {
		return nil, r
	}
	flow, found := LowerDefinition(d, file, tor, t.Body)
	if r := firstOf(found); r != nil {
		return nil, r
	}
	if r := d.expand(flow); r != nil {
		return nil, r
	}
	if r := d.honest(flow); r != nil {
		return nil, r
	}
	d.out.Verb = d.verb(flow, t)
	return &d.out, nil
}

// defining is one definition while it is judged. It is where the names of its
// body lead: to the verbs of the session, and nowhere else.
type defining struct {
	prog   *Program
	words  *Vocabulary
	known  Definitions
	taught Taught
	tor    *Tor
	file   *File
	out    Definition
}

// declared judges the declaration: by the rules of files (R36), and its name.
func (d *defining) declared() *Refusal {
	var found []Diagnostic
	j := &judge{prog: d.prog, mod: d.file.Module, file: d.file, out: &found}
	j.declaration(d.tor)
	if r := firstOf(found); r != nil {
		return r
	}
	name, span := d.tor.Name, d.tor.nameSpan()
	switch {
	case d.words.Scope.Verb(name) != nil:
		return refuse(Invalid, Diagnostic{Code: "PARSE003", Span: span,
			Message: fmt.Sprintf("'%s' is already granted by scope '%s'", name, d.words.Scope.Name)})
	case slices.Contains(WireWords, name):
		return refuse(Invalid, Diagnostic{Code: "PARSE003", Span: span,
			Message: fmt.Sprintf("'%s' is a word of the wire: a definition needs a name of its own", name)})
	case d.tor.pulses():
		return refuse(Invalid, Diagnostic{Code: "KORU175", Span: span,
			Message: fmt.Sprintf("'%s' pulses effects; a wire item cannot arm one", name)})
	}
	return nil
}

// WireWords are the words that begin an item of a reply without being verbs of
// a scope.
var WireWords = []string{"abandon", "grammar", "note", "release", "tor", "vocabulary"}

// plain refuses what files know and the body of a definition does not: it is
// one call or one chain in wire form (bridge.md 8.4, R46).
func (d *defining) plain(n syntax.Node) *Refusal {
	for c := range n.Children() {
		what := ""
		switch c.Kind() {
		case syntax.Guard:
			what = "no guards: 'when' belongs to files"
		case syntax.Jump, syntax.Label:
			what = "no labels and no jumps: definitions must terminate"
		case syntax.Variant:
			what = "no variants"
		case syntax.Annotations:
			what = "no annotations"
		case syntax.Block, syntax.FileBlock, syntax.GrantBlock, syntax.ConstBlock, syntax.ColumnBlock, syntax.AssignBlock, syntax.TemplateBlock, syntax.TestBlock:
			what = "no source blocks"
		}
		if what != "" {
			return refuse(Misread, Diagnostic{Code: "PARSE001", Span: c.Span(),
				Message: fmt.Sprintf("the body of '%s' is one call or one chain, and has %s", d.tor.Name, what)})
		}
		if r := d.plain(c); r != nil {
			return r
		}
	}
	return nil
}

// unjudged are findings about layout and style, which nobody holds a model to
// (R28).
var unjudged = []string{"KORU010", "KORU100", "KORU101", "PARSE005"}

// firstOf returns the first error among findings as a refusal.
func firstOf(found []Diagnostic) *Refusal {
	for _, d := range found {
		if d.Severity != Error || slices.Contains(unjudged, d.Code) {
			continue
		}
		kind := Invalid
		if strings.HasPrefix(d.Code, "PARSE") || d.Code == "KORU034" {
			kind = Misread
		}
		return refuse(kind, d)
	}
	return nil
}

// Verb resolves what the body calls: a verb of the session other than itself.
func (d *defining) Verb(path string, _ []*Module) (*Tor, *Problem) {
	v := d.words.Called(path, d.taught.Library)
	switch {
	case path == d.tor.Name || d.taught.name(path) == d.tor.Name:
		return nil, &Problem{Code: "KORU040", Message: d.recursive()}
	case v == nil:
		return nil, &Problem{
			Code:    "KORU040",
			Message: fmt.Sprintf("'%s' calls '%s', which scope '%s' does not grant", d.tor.Name, path, d.words.Scope.Name),
			Near:    Nearest(path, d.words.Names()),
		}
	}
	return v.Tor, nil
}

// Called returns the verb that a body calls by a name: one of its own library,
// if it belongs to one, or one of the session.
func (v *Vocabulary) Called(name, library string) *Verb {
	if library != "" {
		if sibling := v.Verb(library + ":" + name); sibling != nil {
			return sibling
		}
	}
	return v.Verb(name)
}

func (d *defining) recursive() string {
	return fmt.Sprintf("'%s' calls itself — definitions must terminate", d.tor.Name)
}

// With, Const, Store and Values make nothing but parameters visible.
func (d *defining) With(syntax.Node, string) ([]*Module, []Diagnostic) { return nil, nil }
func (d *defining) Const(string) *ConstDecl                            { return nil }
func (d *defining) Store(string) *Store                                { return nil }
func (d *defining) Values() []string                                   { return nil }

// expand counts what one call of the verb can come to, and refuses what comes
// to too much, or back to itself.
func (d *defining) expand(flow *Flow) *Refusal {
	d.count(flow.Body)
	switch {
	case slices.ContainsFunc(d.out.Calls, d.leadsHere):
		return refuse(Invalid, Diagnostic{Code: "KORU040", Span: d.tor.nameSpan(), Message: d.recursive()})
	case d.out.Steps > MaxExpansion:
		return refuse(Invalid, Diagnostic{Span: d.tor.nameSpan(),
			Message: fmt.Sprintf("'%s' expands to more than %s calls, and no definition may: teach a smaller one", d.tor.Name, thousands(MaxExpansion))})
	case d.out.Levels > MaxLevels:
		return refuse(Invalid, Diagnostic{Span: d.tor.nameSpan(),
			Message: fmt.Sprintf("'%s' leads through %d definitions inside each other, and at most %d may nest", d.tor.Name, d.out.Levels, MaxLevels)})
	}
	return nil
}

// count adds up the calls of a path and of all its arms. An arm that several
// calls share is counted for each, as those who walk the flow walk it; beyond
// the limit counting stops.
func (d *defining) count(c *Chain) {
	if c == nil {
		return
	}
	for _, s := range c.Steps {
		d.countCall(s.Call)
	}
	if c.End != nil {
		d.countCall(c.End.Call)
	}
}

func (d *defining) countCall(c *Call) {
	if c == nil || d.out.Steps > MaxExpansion {
		return
	}
	d.out.Steps++
	name := ""
	if v := d.callee(c); v != nil {
		name = v.Name
	}
	if !slices.Contains(d.out.Calls, name) {
		d.out.Calls = append(d.out.Calls, name)
	}
	if inner := d.known(name); inner != nil {
		d.out.Steps += inner.Steps
		d.out.Levels = max(d.out.Levels, inner.Levels+1)
	}
	for _, a := range c.Arms {
		d.count(a.Body)
	}
}

// callee returns the verb of the session that a call of the body dispatches.
func (d *defining) callee(c *Call) *Verb {
	return d.words.Called(syntax.CallView{Node: c.Node}.Path().Text(), d.taught.Library)
}

// leadsHere reports whether a defined verb calls, in a roundabout way, the one
// that is being defined.
func (d *defining) leadsHere(name string) bool {
	seen := map[string]bool{}
	open := []string{name}
	for len(open) > 0 {
		name, open = open[len(open)-1], open[:len(open)-1]
		inner := d.known(name)
		switch {
		case name == d.tor.Name:
			return true
		case inner == nil || seen[name]:
			continue
		}
		seen[name] = true
		open = append(open, inner.Calls...)
	}
	return false
}

// honest refuses a body that does more to what it is given, or gets, than the
// signature says (bridge.md 8.3).
func (d *defining) honest(flow *Flow) *Refusal {
	balance, found := Obligations(flow)
	if r := firstOf(found); r != nil {
		return r
	}
	name := d.tor.Name
	message := ""
	switch {
	case len(balance.Unsaid) > 0:
		message = fmt.Sprintf("'%s' mints <%s!> but its signature does not say so", name, stateNames(balance.Unsaid[0].States))
	case len(balance.Unpaid) > 0:
		message = fmt.Sprintf("'%s' declares <!%s> but never discharges it", name, stateNames(balance.Unpaid[0].States))
	case len(balance.Taken) > 0:
		message = fmt.Sprintf("'%s' discharges <!%s> but its signature does not say so", name, stateNames(balance.Taken[0].States))
	default:
		return nil
	}
	return refuse(Invalid, Diagnostic{Code: "KORU030", Span: d.tor.nameSpan(), Message: message})
}

// verb makes the record of the defined verb.
func (d *defining) verb(flow *Flow, t Taught) *Verb {
	d.lend(flow.Body)
	v := d.prog.NewVerb(d.tor.Name, d.tor, 1, t.Decl)
	v.Definition = t.File.Text()[t.Decl.Span().Start:t.Body.Span().End]
	v.Flow = flow
	v.Implemented = true
	cost := d.words.CostOf(v)
	v.Least, v.Greatest, v.Unbounded = cost.Least, cost.Greatest, cost.Unbounded
	return v
}

// lend finds the text parameters that a path passes on where a handle is
// wanted: they are handles to whoever calls the verb (R36).
func (d *defining) lend(c *Chain) {
	if c == nil {
		return
	}
	for _, s := range c.Steps {
		d.lendTo(s.Call)
	}
	if c.End != nil {
		d.lendTo(c.End.Call)
	}
}

func (d *defining) lendTo(c *Call) {
	if c == nil {
		return
	}
	for _, a := range c.Args {
		if a.Value == nil || a.Value.Kind != BindingExpr || a.Value.Ref.Kind != ParamBinding {
			continue
		}
		param := d.tor.Fields[a.Value.Ref.Slot]
		wanted := a.Field.Takes()
		if param.plainText() && (wanted.IsCapability() || wanted.Kind == TextType && wanted.Phantom != nil) {
			param.Lent = wanted
		}
	}
	for _, arm := range c.Arms {
		d.lend(arm.Body)
	}
}

// plainText reports whether the field is declared as text in no state.
func (f *Field) plainText() bool { return f.Type.Kind == TextType && f.Type.Phantom == nil }

// adoptStates gives the labels of a definition the modules that the verbs of
// the session use them in: a model reads *Dir<dir!> in its vocabulary and does
// not see that std/fs owns the label.
func adoptStates(t *Tor, words *Vocabulary) {
	own := t.Module
	adopt := func(ty *Type) {
		if ty.Phantom == nil {
			return
		}
		for i := range ty.Phantom.Members {
			s := &ty.Phantom.Members[i]
			if s.Module != own.Path || own.uses(s.Name) {
				continue
			}
			if module, ok := words.owner(s.Name); ok {
				s.Module = module
			}
		}
	}
	for _, f := range t.Fields {
		eachType(f.Type, adopt)
	}
	eachType(t.Return, adopt)
	for _, o := range t.Outcomes {
		eachType(o.Payload, adopt)
	}
}

// owner returns the module whose label the granted verbs mean by a name.
func (v *Vocabulary) owner(state string) (module string, ok bool) {
	for _, verb := range v.Scope.Verbs {
		for _, m := range verb.Mints {
			if m.State.Name == state {
				return m.State.Module, true
			}
		}
		for _, list := range [][]Consume{verb.Consumes, verb.Requires} {
			for _, c := range list {
				for _, s := range c.States {
					if s.Name == state {
						return s.Module, true
					}
				}
			}
		}
	}
	return "", false
}

// eachType calls f for a type and the types inside it.
func eachType(t *Type, f func(*Type)) {
	if t == nil {
		return
	}
	f(t)
	eachType(t.Elem, f)
	for _, field := range t.Fields {
		eachType(field.Type, f)
	}
}
