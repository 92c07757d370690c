package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Names of tors and outcomes are written with dashes (KORU034). What is wrong
// at one place is wrong wherever the name stands, so the fix of one place is the
// fix of all of them: declarations, bodies, calls, grants, arms, constructors.

// maxRenames bounds how many places a fix may have that hangs on each of them.
// A name with more offers it at one place only, its declaration if there is one.
const maxRenames = 200

// site is a place where the name of a tor or an outcome stands.
type site struct {
	file *File
	span syntax.Span
}

// spelling is a name that is not written with dashes, and where it stands.
type spelling struct {
	sites []site
	main  site // what offers the rename if there are too many sites
	taken bool // the right name is that of something else
}

// spellings are the names of a program's own files that are not written with
// dashes.
type spellings struct {
	verbs, words map[string]*spelling
	at           map[site]*spelling
}

// respell gives a finding about a name (KORU034) the fix that mends all of its
// places.
func (p *Program) respell(d *Diagnostic) {
	if p.misspelled == nil {
		p.misspelled = p.findSpellings()
	}
	here := site{d.File, d.Span}
	s := p.misspelled.at[here]
	if s == nil {
		return // it stands where no names are looked for: the parser's fix is all there is
	}
	d.Fixes = nil
	if s.taken || len(s.sites) > maxRenames && here != s.main {
		return
	}
	right := dashed(d.File.Syntax.Text()[d.Span.Start:d.Span.End])
	fix := Fix{Title: "rename to " + right, Safe: true}
	for _, at := range s.sites {
		fix.Edits = append(fix.Edits, TextEdit{at.file, at.span, right})
	}
	d.Fixes = []Fix{fix}
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

func (p *Program) findSpellings() *spellings {
	s := &spellings{verbs: map[string]*spelling{}, words: map[string]*spelling{}, at: map[site]*spelling{}}
	for _, m := range p.own() {
		for _, f := range m.Files {
			for it := range f.Syntax.Items() {
				if underscored(it) {
					s.node(f, it)
				}
			}
		}
	}
	for _, m := range p.own() {
		for n := range int32(len(m.slots)) {
			if f, i := m.torPlace(n); underscored(f.Syntax.Item(i)) {
				s.declared(m, m.tor(n))
			}
		}
	}
	return s
}

// underscored reports whether an item can hold a name without dashes.
func underscored(it syntax.Node) bool { return strings.IndexByte(it.Tree().Text(), '_') >= 0 }

// declared looks whether the right names of a tor and its outcomes are free.
func (s *spellings) declared(m *Module, t *Tor) {
	if name := s.verbs[t.Name]; name != nil && m.Tor(dashed(t.Name)) != nil {
		name.taken = true
	}
	s.outcomes(t.Outcomes)
}

func (s *spellings) outcomes(list []*Outcome) {
	for _, o := range list {
		s.outcomes(o.ResumeArms)
		if word := s.words[o.Name]; word != nil {
			for _, other := range list {
				word.taken = word.taken || other.Name == dashed(o.Name)
			}
		}
	}
}

// node collects the names that stand in a node.
func (s *spellings) node(f *File, n syntax.Node) {
	switch n.Kind() {
	case syntax.TorItem:
		s.verb(f, syntax.TorView{Node: n}.Name(), true)
	case syntax.ProcItem:
		s.verb(f, syntax.ProcView{Node: n}.Name(), false)
	case syntax.ImplItem:
		s.verb(f, syntax.ImplView{Node: n}.Name(), false)
	case syntax.Call:
		s.verb(f, syntax.CallView{Node: n}.Path(), false)
	case syntax.Grant:
		s.verb(f, syntax.GrantView{Node: n}.Source(), false)
	case syntax.ArmDecl:
		s.word(f, syntax.ArmDeclView{Node: n}.Name(), true)
	case syntax.Resume:
		s.word(f, syntax.ResumeView{Node: n}.Name(), true)
	case syntax.Arm:
		if arm := (syntax.ArmView{Node: n}); !arm.CatchAll() {
			s.word(f, arm.Name(), false)
		}
	case syntax.Construct:
		s.word(f, syntax.ConstructView{Node: n}.Name(), false)
	}
	for c := range n.Children() {
		s.node(f, c)
	}
}

// verb notes the name of a tor, without the module in front of it.
func (s *spellings) verb(f *File, at syntax.Token, main bool) {
	if !at.IsValid() {
		return
	}
	_, name := syntax.SplitPath(at.Text())
	span := at.Span()
	span.Start = span.End - len(name)
	s.note(s.verbs, name, site{f, span}, main)
}

func (s *spellings) word(f *File, at syntax.Token, main bool) {
	if at.Kind() == syntax.Name {
		s.note(s.words, at.Text(), site{f, at.Span()}, main)
	}
}

func (s *spellings) note(names map[string]*spelling, name string, at site, main bool) {
	if !strings.Contains(name, "_") || name[0] == '_' {
		return
	}
	n := names[name]
	if n == nil {
		n = &spelling{main: at}
		names[name] = n
	} else if main {
		n.main = at
	}
	n.sites = append(n.sites, at)
	s.at[at] = n
}
