package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Problem says why a name leads nowhere. It becomes a finding where the name is
// written ([Problem.At]).
type Problem struct {
	Code    string
	Message string
	Near    string // the name that was probably meant, whole, or ""
	meant   *Tor   // and the verb that it names, where that is known
	Import  string // the module whose import is missing, or ""
	Notes   []Note
	Fixes   []Fix
	// Known reports that the cause has been reported elsewhere and nothing more
	// is to be said (R96).
	Known bool

	notImported bool
	either      []string // names of which one was meant
	doubt       *doubt
}

// At returns the problem as a finding about the given range.
func (p *Problem) At(f *File, span syntax.Span) Diagnostic {
	d := Diagnostic{Code: p.Code, File: f, Span: span, Message: p.Message, Notes: p.Notes, Fixes: p.Fixes, doubt: p.doubt}
	for _, name := range p.either {
		d.replace("write "+name, false, span, name)
	}
	if p.Near != "" {
		d.suggest(p.Near)
		d.declared(p.meant)
	}
	if p.notImported {
		d.Sub = notImported
	}
	if p.Import != "" {
		at, line := f.Importing(p.Import)
		d.replace("import "+p.Import, false, syntax.Span{Start: at, End: at}, line)
	}
	return d
}

// Resolve finds the tor that a path names, seen from a module: "find" of the
// module itself, a verb marked [keyword], "std/io:print.ln" of a module that it
// imports, or a bare name of a module opened by [with] (language.md 4, 10.4).
// Exactly one of the results is nil.
func (p *Program) Resolve(from *Module, name string, with []*Module) (*Tor, *Problem) {
	module, tor := syntax.SplitPath(name)
	switch {
	case module != "":
		return p.qualified(from, strings.ReplaceAll(module, ".", "/"), tor)
	case strings.Contains(tor, "/"):
		return p.qualified(from, tor, defaultTor)
	}
	if t := from.Tor(tor); t != nil {
		return t, nil
	}
	if t := p.keywords[tor]; t != nil {
		return t, nil
	}
	if m := from.names[tor]; m != nil && m.Tor(defaultTor) != nil {
		return p.qualified(from, tor, defaultTor)
	}
	return p.opened(from, tor, with)
}

// defaultTor is the verb that a call of a module as such means: koru/vaxis(app).
const defaultTor = "default"

// qualified resolves module:tor.
func (p *Program) qualified(from *Module, module, tor string) (*Tor, *Problem) {
	m := from.lookup(module)
	switch {
	case m == nil && from.missing[module]:
		return nil, &Problem{Code: "KORU040", Known: true}
	case m == nil:
		return nil, p.unimported(from, module, tor)
	}
	t := m.Tor(tor)
	switch {
	case t == nil:
		problem := &Problem{Code: "KORU040", Message: fmt.Sprintf("unknown tor '%s:%s'", module, tor), doubt: &doubt{verb: tor, in: m}}
		if near := p.near(tor, func() []string { return m.visible(from) }); near != "" {
			problem.Near, problem.meant = module+":"+near, m.declared(near)
		}
		return nil, problem
	case !t.Pub && m != from:
		return nil, &Problem{
			Code:    "KORU044",
			Message: fmt.Sprintf("'%s:%s' is private to its module: only a 'pub tor' can be called from elsewhere", module, tor),
			Notes:   []Note{{t.File, t.nameSpan(), "declared here without 'pub'"}},
			Fixes:   t.publish(),
		}
	}
	return t, nil
}

// publish offers to make a verb of the program's own public.
func (t *Tor) publish() []Fix {
	word := t.Node.Token(syntax.Name)
	if t.Module.Std || word.Text() != "tor" {
		return nil
	}
	at := syntax.Span{Start: word.Span().Start, End: word.Span().Start}
	return []Fix{{Title: "make it public", Edits: []TextEdit{{t.File, at, "pub "}}}}
}

// lookup returns the module that a path names in this module, or nil. A module
// may write its own path, also when it is judged as an entry and nobody has
// said under which alias others import it.
func (m *Module) lookup(path string) *Module {
	if n := m.names[path]; n != nil || path == "" {
		return n
	}
	if path == m.Path {
		return m
	}
	_, rest, deep := strings.Cut(path, "/")
	if m.Path != "" || m.missing[path] {
		return nil
	}
	home := strings.TrimSuffix(m.stem, "/index")
	if slices.Contains(m.aliases, path) || deep && (home == rest || strings.HasSuffix(home, "/"+rest)) {
		return m
	}
	return nil
}

// unimported words the use of a module that the program does not import.
func (p *Program) unimported(from *Module, module, tor string) *Problem {
	problem := &Problem{Code: "KORU040", Message: fmt.Sprintf("unknown tor '%s:%s'", module, tor), doubt: &doubt{module: module, in: from}}
	var paths []string
	for _, m := range from.Imports {
		if m.Tor(tor) != nil {
			paths = append(paths, m.Path)
		}
	}
	if near := Nearest(module, paths); near != "" {
		problem.Near = near + ":" + tor
		if tor == defaultTor {
			problem.Near = near
		}
		return problem
	}
	problem.notImported = true
	problem.Message += fmt.Sprintf(" — the module '%s' is not imported", module)
	if m := p.Module(module); m != nil || p.std(module) != nil {
		problem.Import = module
	}
	return problem
}

func (p *Program) std(module string) *Module {
	if !strings.HasPrefix(module, "std/") {
		return nil
	}
	return libraryOf(p.Options.Std).module(module)
}

// opened resolves a bare name through the modules that [with] opens. It can
// only turn an unresolved name into a resolution (KORU140).
func (p *Program) opened(from *Module, tor string, with []*Module) (*Tor, *Problem) {
	var found *Tor
	lost := false // one of the modules was not found, and may export the name
	for _, m := range with {
		if m == nil {
			lost = true
			continue
		}
		t := m.Tor(tor)
		if t == nil || !t.Pub && m != from || t == found {
			continue
		}
		if found != nil {
			return nil, &Problem{
				Code: "KORU140",
				Message: fmt.Sprintf("'%s' is ambiguous: both '%s' and '%s' export it — write the module in front of it",
					tor, found.Module.Path, m.Path),
				either: []string{found.Path(), t.Path()},
			}
		}
		found = t
	}
	if found != nil {
		return found, nil
	}
	if lost || p.mayGenerate(tor) {
		return nil, &Problem{Code: "KORU040", Known: true}
	}
	candidates := func() []string {
		list := from.visible(from)
		list = append(list, slices.Sorted(maps.Keys(p.generated))...)
		list = append(list, syntax.ControlTors...)
		for _, m := range with {
			list = append(list, m.visible(from)...)
		}
		return list
	}
	near := p.near(tor, candidates)
	return nil, &Problem{
		Code: "KORU040", Message: fmt.Sprintf("unknown tor '%s'", tor),
		Near: near, meant: from.declared(near), doubt: &doubt{verb: tor, in: from},
	}
}

// mostLooking bounds that search for a whole program.
const mostLooking = 5 * mostEffort

// near is [Nearest], within a bound: a program with so many unknown names is not
// one with slips in it.
func (p *Program) near(name string, candidates func() []string) string {
	if p.effort.Load() > mostLooking {
		return ""
	}
	list := candidates()
	p.effort.Add(int64(len(list)))
	return Nearest(name, list)
}

// visible lists the tors of the module that another may call, in declared order.
func (m *Module) visible(from *Module) []string {
	var out []string
	for n := range int32(len(m.slots)) {
		if s := m.sketchOf(n); s.marks&isPub != 0 || m == from {
			out = append(out, s.name)
		}
	}
	return out
}

// OpenedBy returns the modules that a [with] annotation in front of a node opens
// for the whole flow under it. Bare [with] opens the module of the annotated
// call, whose path the caller gives. A module that is not imported is KORU142.
func (p *Program) OpenedBy(f *File, n syntax.Node, callee string) ([]*Module, []Diagnostic) {
	var opened []*Module
	var faults []Diagnostic
	from := f.Module
	open := func(path string, span syntax.Span) {
		path = strings.ReplaceAll(path, ".", "/")
		switch m := from.lookup(path); {
		case m != nil:
			opened = append(opened, m)
		case from.missing[path]:
			opened = append(opened, nil)
		default:
			d := Diagnostic{
				Code: "KORU142", File: f, Span: span,
				Message: fmt.Sprintf("[with] opens '%s', which this module does not import", path),
				doubt:   &doubt{module: path, in: from},
			}
			if near := Nearest(path, from.importPaths()); near != "" {
				d.suggest(near)
			} else if p.Module(path) != nil || p.std(path) != nil {
				at, line := f.Importing(path)
				d.replace("import "+path, false, syntax.Span{Start: at, End: at}, line)
			}
			faults = append(faults, d)
		}
	}
	for list := range n.AnnotationList() {
		for entry := range list.ChildrenOf(syntax.Annotation) {
			if entry.FirstToken().Text() != "with" {
				continue
			}
			bare := true
			for arg := range entry.ChildrenOf(syntax.AnnotationArg) {
				bare = false
				open(arg.Text(), arg.Span())
			}
			if module, _ := syntax.SplitPath(callee); bare && module != "" {
				open(module, entry.Span())
			}
		}
	}
	return opened, faults
}

func (m *Module) importPaths() []string {
	out := make([]string, len(m.Imports))
	for i, n := range m.Imports {
		out[i] = n.Path
	}
	return out
}

// importPlace returns the offset at which a further import line belongs: after
// the last import, or before the first construct.
func importPlace(f *syntax.File) int {
	place, seen := 0, false
	for it := range f.Items() {
		switch it.Kind() {
		case syntax.ImportItem:
			place, seen = it.Base()+len(it.Tree().Text()), true
		case syntax.HostItem, syntax.BlankItem:
		default:
			if !seen {
				return firstSolid(it).Span().Start
			}
			return place
		}
	}
	return place
}

// firstSolid returns the first token of an item that is no trivia.
func firstSolid(item syntax.Node) syntax.Token {
	t := item.FirstToken()
	for t.IsValid() && t.Kind().IsTrivia() {
		t = t.Next()
	}
	return t
}
