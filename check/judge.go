package check

import (
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// judge is the work on one file of a module: where names resolve, and where
// findings go. A finding added without a file is one of this file.
type judge struct {
	prog *Program
	mod  *Module
	file *File
	out  *[]Diagnostic
	// apart means that a body is resolved after the program was judged, for
	// somebody who asks: nothing is noted in the program then.
	apart bool
	needs *needs // what a body asks, if somebody wants to know
	mocks bool   // the body is that of a mock, which owes nothing of what it is given
}

// add records a finding.
func (j *judge) add(d Diagnostic) {
	if d.File == nil {
		d.File = j.file
	}
	for i := range d.Notes {
		if d.Notes[i].File == nil {
			d.Notes[i].File = j.file
		}
	}
	for i := range d.Fixes {
		for k := range d.Fixes[i].Edits {
			if e := &d.Fixes[i].Edits[k]; e.File == nil {
				e.File = j.file
			}
		}
	}
	*j.out = append(*j.out, d)
}

// fault records an error and returns it, for notes and fixes to be added at once.
func (j *judge) fault(code string, span syntax.Span, message string) *Diagnostic {
	*j.out = append(*j.out, Diagnostic{Code: code, File: j.file, Span: span, Message: message})
	return &(*j.out)[len(*j.out)-1]
}

// judge runs the phases over the loaded modules. Each sees only what the ones
// before it have made of every module, so the order of declarations in a
// program does not matter (language.md 16.25).
func (p *Program) judge() {
	own := p.own()
	p.declare(own)
	p.sumImports(own)
	for _, m := range own {
		m.misreads()
	}
	p.collectKeywords()
	p.generated, p.called = map[string]bool{}, map[*Tor]callSite{}
	p.flows, p.tests = map[syntax.Node]*Flow{}, map[syntax.Node]*TestBlock{}
	p.each(own, (*judge).generates)
	if p.Options.Editing {
		p.recall(own)
	}
	p.each(own, (*judge).wordless)
	p.each(own, (*judge).declarations)
	p.each(own, (*judge).implementations)
	p.install()
	p.each(own, (*judge).hostBodies)
	p.collectTakers(own)
	p.loosen(own)
	p.each(own, (*judge).values)
	p.each(own, (*judge).initials)
	p.each(own, (*judge).bodies)
	p.backed()
	p.each(own, (*judge).drains)
	p.each(own, (*judge).rings)
	p.each(own, (*judge).registers)
	p.expand()
	p.each(own, (*judge).syntaxFaults)
	p.Diagnostics = p.causes(SortDiagnostics(p.Diagnostics))
	if muted := p.Options.muted; muted != "" {
		p.Diagnostics = slices.DeleteFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == muted })
	}
}

// own returns the modules that are not part of the standard library.
func (p *Program) own() []*Module {
	for i, m := range p.Modules {
		if m.Std {
			return p.Modules[:i]
		}
	}
	return p.Modules
}

// each runs one phase over every file of the given modules.
func (p *Program) each(modules []*Module, phase func(*judge)) {
	for _, m := range modules {
		for _, f := range m.Files {
			phase(&judge{prog: p, mod: m, file: f, out: &p.Diagnostics})
		}
	}
}

// collectKeywords finds the verbs that are callable everywhere without their
// module: those marked [keyword] in any loaded module (language.md 10.2).
func (p *Program) collectKeywords() {
	p.keywords = map[string]*Tor{}
	for _, m := range p.Modules {
		for _, n := range m.decls.keywords {
			if t := m.tor(n); p.keywords[t.Name] == nil {
				p.keywords[t.Name] = t
			}
		}
	}
}

// generates notes the names that top-level calls of foreign transforms are
// given: koru/vaxis:component(topbar) { … } declares a verb topbar. Nothing here
// expands it (R1), so nothing can be said about calls of such a name.
func (j *judge) generates() {
	for it := range j.file.items(mayGenerate) {
		call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
		t, problem := j.prog.Resolve(j.mod, call.Path().Text(), nil)
		if t != nil && !t.Has("transform") || problem != nil && !problem.Known {
			continue
		}
		for a := range call.Args() {
			// A kebab name is no expression, so the text is what counts.
			if name := a.Value().Text(); !a.Label().IsValid() && isVerb(name) {
				j.prog.generated[name] = true
			}
		}
	}
}

// isVerb reports whether a text is spelled like the name of a verb.
func isVerb(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isFlagByte(s[i]) || s[i] == '.' {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// mayGenerate reports whether a foreign transform may have declared the verb:
// it is called like one of the names it was given, or like a part of one
// (Row, Row-repaint).
func (p *Program) mayGenerate(name string) bool {
	for i := len(name); i > 0; i = strings.LastIndexByte(name[:i], '-') {
		if p.generated[name[:i]] {
			return true
		}
	}
	return false
}

// syntaxFaults turns what the parser found into findings.
func (j *judge) syntaxFaults() {
	j.file.outline.each(isFaulty, func(i int) {
		var before syntax.Node
		if i > 0 {
			before = j.file.Syntax.Item(i - 1)
		}
		if it := j.file.Syntax.Item(i); !j.prog.strayRest(it, before) {
			j.faultsOf(it)
		}
	})
}

func (j *judge) faultsOf(item syntax.Node) {
	for _, f := range oneSlip(j.file.Syntax, item) {
		d := fromFault(j.file, f)
		if d.Code == "KORU034" {
			j.prog.respell(&d)
		}
		j.add(d)
	}
}

// SyntaxFaults turns what the parser found in a file into findings, each slip
// once.
func SyntaxFaults(file *File) []Diagnostic {
	var list []Diagnostic
	for it := range file.Syntax.Items() {
		for _, f := range oneSlip(file.Syntax, it) {
			list = append(list, fromFault(file, f))
		}
	}
	return list
}

func fromFault(file *File, f syntax.Fault) Diagnostic {
	d := Diagnostic{Code: f.Code, File: file, Span: syntax.Span{Start: f.Start, End: f.End}, Message: f.Message}
	if f.Fix != nil {
		// Where a bracket is to be closed is a guess.
		fix := Fix{Title: f.Fix.Title, Safe: f.Code != "PARSE004"}
		for _, e := range f.Fix.Edits {
			fix.Edits = append(fix.Edits, TextEdit{file, syntax.Span{Start: e.Start, End: e.End}, e.Text})
		}
		d.Fixes = []Fix{fix}
	}
	return d
}

// bodies resolves and judges every body of the file: top-level flows and
// implementations (language.md 7, 8). A body that the last judgement found
// nothing wrong with is passed over if it cannot see anything new.
func (j *judge) bodies() {
	for i, m := range j.file.outline.marks {
		if m&(isFlow|isImpl) == 0 {
			continue
		}
		if v := j.file.verdict(i); v != nil && j.prog.holds(v) && j.repeat(i, v) {
			continue
		}
		j.file.pass(i, nil)
		it := j.file.Syntax.Item(i)
		var f *Flow
		if m&isFlow != 0 {
			if f = j.flow(i, it); f != nil {
				j.mod.Flows = append(j.mod.Flows, f)
			}
		} else if owner := j.mod.owner(it); owner != nil {
			f = j.remember(i, owner)
			if impl := owner.Impl; impl != nil && impl.Node == it {
				impl.Flow = f
			}
			if impl := j.mod.foreign[it]; impl != nil {
				impl.Flow, impl.prog = f, j.prog
			}
		}
		if f != nil {
			j.prog.flows[it] = f
		}
	}
}

// flow judges a top-level flow. What stores declare is part of the program, so
// they are resolved each time.
func (j *judge) flow(i int, it syntax.Node) *Flow {
	if d, ok := j.prog.wordless[it]; ok {
		j.add(d)
		return j.aside().body(it, nil)
	}
	call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
	switch block := call.Block(); block.Kind() {
	case syntax.TestBlock:
		return j.rememberTest(i, it, call, block)
	case syntax.ColumnBlock:
		return j.body(it, nil)
	}
	return j.remember(i, nil)
}

// body resolves one body and judges what it does with what it is given.
func (j *judge) body(item syntax.Node, owner *Tor) *Flow {
	k := j.aside()
	f := k.lowerFlow(item, owner)
	if f != nil {
		k.possess(f)
		if !k.apart {
			k.calls(f)
		}
	}
	if !unclear(item) {
		*j.out = append(*j.out, unreadForAReason(*k.out)...)
	}
	return f
}
