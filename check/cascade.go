package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// One slip is one finding. Where the parser lost its way, what is said beyond
// its own fault would be a guess: the body of such an item is resolved, for an
// editor to ask about, but not judged; a verb with such a declaration is not
// held against its callers; and a name that is written in such an item may be
// declared there, so that it is not called unknown elsewhere.

// broken reports whether an item holds text that the parser could not follow.
func broken(item syntax.Node) bool {
	switch item.Kind() {
	case syntax.ErrorItem:
		return true
	case syntax.TorItem:
		if !wholeInputs(item) {
			return true
		}
	case syntax.ProcItem:
		if !item.Child(syntax.Block).IsValid() {
			return true
		}
	}
	for _, f := range item.Faults() {
		switch f.Code {
		case "PARSE001", "PARSE004", "KORU001":
			return true
		case "KORU010":
			if item.Child(syntax.ErrorNode).IsValid() {
				return true // lines that belong to the flow and were not understood
			}
		}
	}
	return false
}

// wholeInputs reports whether the inputs of a tor are there, each with a type.
func wholeInputs(item syntax.Node) bool {
	shape := syntax.TorView{Node: item}.Shape()
	if !shape.IsValid() {
		return false
	}
	for f := range shape.Fields() {
		if !f.Type().IsValid() {
			return false
		}
	}
	return true
}

// strayRest reports whether an item goes on where the one right above it went
// wrong: one slip has lost both.
func (p *Program) strayRest(item, before syntax.Node) bool {
	if !before.IsValid() || !broken(item) || linesBefore(firstSolid(item)) > 0 {
		return false
	}
	return before.Kind() == syntax.ErrorItem ||
		item.Kind() == syntax.ErrorItem && (broken(before) || wordOnly(before) || p.wordless[before].Code != "")
}

// endsEarly reports whether an item ends where something was still to come: the
// line right below it goes on with it.
func endsEarly(item syntax.Node) bool {
	last := item.LastToken()
	for last.IsValid() && last.Kind().IsTrivia() {
		last = last.Prev()
	}
	end := last.Span().End
	for _, f := range item.Faults() {
		switch f.Code {
		case "PARSE001", "PARSE003", "PARSE004":
			if f.Start == f.End && f.Start >= end || cutsOff(item, f) {
				return true
			}
		}
	}
	return false
}

// continued returns the ranges of a file that go on with what stands above them
// and was cut off there.
func continued(f *File) (ranges []syntax.Span) {
	if f.outline == nil {
		return nil // koru.json
	}
	inside := false
	for i, m := range f.outline.marks {
		switch {
		case i == 0 || f.outline.marks[i-1]&isFaulty == 0 || linesBefore(firstSolid(f.Syntax.Item(i))) > 0:
			inside = false
		case inside:
			inside = m&isBroken != 0
		default:
			inside = endsEarly(f.Syntax.Item(i - 1))
		}
		if inside {
			ranges = append(ranges, f.Syntax.Item(i).Span())
		}
	}
	return ranges
}

// wordOnly reports whether a flow is a word and nothing else: an arm that has
// lost its bar.
func wordOnly(item syntax.Node) bool {
	call := syntax.CallView{Node: item.Child(syntax.Chain).Child(syntax.Call)}
	return item.Kind() == syntax.FlowItem && !call.ArgList().IsValid() && !call.Block().IsValid()
}

// unclear reports whether the layout or the text of an item leaves open what
// belongs to what. A tab that indents a line has no width (PARSE002).
func unclear(item syntax.Node) bool {
	for _, f := range item.Faults() {
		if f.Code != "PARSE002" {
			continue
		}
		before := item.Tree().Text()[:max(f.Start-item.Base(), 0)]
		if line := before[strings.LastIndexAny(before, "\r\n")+1:]; strings.Trim(line, " \t") == "" {
			return true
		}
	}
	return broken(item)
}

// misreads collects the words of items that were not understood.
func (m *Module) misreads() {
	for _, f := range m.Files {
		for it := range f.items(isBroken) {
			m.lostImport = m.lostImport || it.Kind() == syntax.ImportItem
			m.lostName = m.lostName || it.Kind() == syntax.TorItem && !syntax.TorView{Node: it}.Name().IsValid()
			m.lostBody = m.lostBody || it.Kind() == syntax.ProcItem && !syntax.ProcView{Node: it}.Name().IsValid()
			text := solidText(it)
			for word := range kebabWords(text) {
				m.misreadName(word)
			}
			for _, word := range strings.Fields(text) {
				if strings.Contains(word, "/") {
					m.misreadName(word) // it may have been meant to be imported
				}
			}
		}
	}
}

func (m *Module) misreadName(name string) {
	if m.misread == nil {
		m.misread = map[string]bool{}
	}
	m.misread[name] = true
}

// solidText returns the text of an item with a blank for each piece of trivia,
// string and prose: what is said there declares nothing.
func solidText(item syntax.Node) string {
	var b strings.Builder
	for t := range item.AllTokens() {
		switch k := t.Kind(); {
		case k.IsTrivia(), k == syntax.String, k == syntax.Quote, k == syntax.Prose, k == syntax.Text:
			b.WriteByte(' ')
		default:
			b.WriteString(t.Text())
		}
	}
	return b.String()
}

// kebabWords returns an iterator over the words of a text that could name a verb.
func kebabWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			start := i
			for i < len(text) && isFlagByte(text[i]) {
				i++
			}
			if i > start && !yield(text[start:i]) {
				return
			}
		}
	}
}

// mayDeclare reports whether the module may declare a verb in text that was not
// understood.
func (m *Module) mayDeclare(tor string) bool { return m.lostName || m.misread[tor] }

// doubt is what else would explain a finding: a verb or an import that stands in
// text of a module that was not understood.
type doubt struct {
	in       *Module
	verb     string // a verb of that name may be declared there
	value    string // a store or a constant of that name may be declared there
	module   string // that module may be imported there
	disposer bool   // a verb that discharges may be declared there
}

// explained reports whether a finding has its cause in text that was not
// understood. It is asked last, so that what is known of a body does not depend
// on how far the text around it makes sense while somebody types.
func (d *Diagnostic) explained(p *Program) bool {
	w := d.doubt
	switch {
	case w == nil:
		return false
	case w.verb != "":
		return w.in.mayDeclare(w.verb)
	case w.value != "":
		p.lostValues(w.in)
		return w.in.lostValue || w.in.misread[w.value]
	case w.module != "":
		return w.in.lostImport || w.in.misread[w.module]
	}
	return w.in.lostTor || w.in.decls.broken
}

// aside returns a judge whose findings nobody hears.
func (j *judge) aside() *judge {
	var findings []Diagnostic
	return &judge{prog: j.prog, mod: j.mod, file: j.file, out: &findings, apart: j.apart, needs: j.needs, mocks: j.mocks}
}

// wordless finds declarations and imports that lack the word they start with.
// Such a line reads as a call of a verb that nobody knows; what it would have
// declared is not reported as unknown elsewhere.
func (j *judge) wordless() {
	for it := range j.file.items(isBare) {
		if broken(it) {
			continue
		}
		call := syntax.CallView{Node: it.Child(syntax.Chain).Child(syntax.Call)}
		name := call.Path().Text()
		if _, own := j.mod.decls.names[name]; own && call.Variant() == "" {
			continue
		}
		_, problem := j.prog.Resolve(j.mod, name, nil)
		word := ""
		switch {
		case call.Variant() != "" && call.Block().Kind() == syntax.Block:
			word = "proc"
			j.mod.misreadName(name)
		case problem == nil || problem.Known:
			continue
		case strings.Contains(name, "/") && !call.Block().IsValid():
			word = "import"
			j.mod.misreadName(name)
		case !strings.Contains(name, "/") && declaresFields(call.Block()):
			word = "tor"
			j.mod.lostTor = true
			j.mod.misreadName(name)
		default:
			continue
		}
		at := call.Path().Span()
		d := Diagnostic{Code: "KORU040", File: j.file, Span: at,
			Message: fmt.Sprintf("unknown tor '%s' — a line like this starts with the word '%s'", name, word)}
		if problem == nil {
			d.Code, d.Message = "PARSE003", fmt.Sprintf("the body of '%s' starts with the word 'proc'", name)
		}
		d.replace("write "+word+" "+name, false, syntax.Span{Start: at.Start, End: at.Start}, word+" ")
		if j.prog.wordless == nil {
			j.prog.wordless = map[syntax.Node]Diagnostic{}
		}
		j.prog.wordless[it] = d
	}
}

// lostValues finds declarations of stores, constants and scopes that were not
// understood: their verb is not known, or they name nothing. It looks when a
// name is asked for.
func (p *Program) lostValues(m *Module) {
	if m.soughtValues {
		return
	}
	m.soughtValues = true
	for _, f := range m.Files {
		for it := range f.items(isFlow) {
			call := syntax.CallView{Node: it.Child(syntax.Chain).Child(syntax.Call)}
			if !call.Block().IsValid() {
				continue
			}
			if t, problem := p.Resolve(m, call.Path().Text(), nil); problem != nil && !problem.Known {
				for word := range kebabWords(call.ArgList().Text()) {
					m.misreadName(word)
				}
			} else if t != nil && declaresValue(t) && !namesValue(call) {
				m.lostValue = true
			}
		}
	}
}

// declaresValue reports whether calls of a verb declare something by a name.
func declaresValue(t *Tor) bool {
	switch t.Path() {
	case "std/store:new", "std/grid:new", "std/runtime:register":
		return true
	}
	return false
}

// namesValue reports whether a call gives a name to what it declares.
func namesValue(call syntax.CallView) bool {
	for a := range call.Args() {
		switch v := a.Value(); {
		case !a.Label().IsValid() && v.Kind() == syntax.NameExpr:
			return true
		case a.Label().Text() == "scope" && v.FirstToken().Kind() == syntax.String:
			return true
		}
	}
	return false
}

// declaresFields reports whether a block reads like the inputs of a tor.
func declaresFields(block syntax.Node) bool {
	if block.Kind() != syntax.Block {
		return false
	}
	text := strings.TrimSpace(block.Token(syntax.Text).Text())
	name, _, ok := strings.Cut(text, ":")
	return text == "" || ok && isAlias(strings.TrimSpace(name))
}

// oneSlip returns the faults of an item. Where the parser lost its way, what it
// trips over on the same line is a consequence, and so are further lines that it
// cannot take in, and the line behind one that was cut off.
func oneSlip(f *syntax.File, item syntax.Node) []syntax.Fault {
	faults := item.Faults()
	if !broken(item) {
		return faults
	}
	faults = slices.Clone(faults)
	slices.SortStableFunc(faults, func(a, b syntax.Fault) int { return a.Start - b.Start })
	last, stray := -1, false // the last line that holds a slip, or goes on with one
	return slices.DeleteFunc(faults, func(ft syntax.Fault) bool {
		switch ft.Code {
		case "PARSE001", "PARSE004", "KORU001":
			line := f.LineOf(ft.Start)
			again := line <= last
			last = max(last, line)
			if cutsOff(item, ft) {
				last = max(last, line+1)
			}
			stray = true
			return again
		case "KORU010":
			again := stray
			stray = true
			return again
		}
		return false
	})
}

// cutsOff reports whether a fault is a bracket or a quote that is not closed, so
// that the line behind it goes on with what it opens.
func cutsOff(item syntax.Node, f syntax.Fault) bool {
	text, at := item.Tree().Text(), f.Start-item.Base()
	return f.Start < f.End && at < len(text) && strings.IndexByte("([{<\"", text[at]) >= 0
}

// notImported marks findings that an import would mend.
const notImported = "not-imported"

// causes leaves out findings that have their cause elsewhere, and of those that
// one import would mend all but the first in each file.
func (p *Program) causes(list []Diagnostic) []Diagnostic {
	type lack struct {
		file   *File
		module string
	}
	seen := map[lack]bool{}
	rests := map[*File][]syntax.Span{}
	return slices.DeleteFunc(list, func(d Diagnostic) bool {
		rest, ok := rests[d.File]
		if !ok {
			rest = continued(d.File)
			rests[d.File] = rest
		}
		if slices.ContainsFunc(rest, func(s syntax.Span) bool { return s.Start <= d.Span.Start && d.Span.Start < s.End }) {
			return true
		}
		if d.Sub != notImported || d.explained(p) {
			return d.explained(p)
		}
		module, _ := syntax.SplitPath(d.File.Syntax.Text()[d.Span.Start:d.Span.End])
		l := lack{d.File, module}
		again := seen[l]
		seen[l] = true
		return again
	})
}

// readsNames are the codes of findings about a name that leads nowhere or not
// where it should, or that is missing.
var readsNames = []string{"KORU021", "KORU036", "KORU040", "KORU080", "KORU081", "KORU168", "PARSE006"}

// unreadForAReason leaves out that a binding is not read (KORU100) where the
// same body has a name behind it that was not understood: it may be the one.
func unreadForAReason(found []Diagnostic) []Diagnostic {
	last := -1
	for i := range found {
		if slices.Contains(readsNames, found[i].Code) {
			last = max(last, found[i].Span.Start)
		}
	}
	return slices.DeleteFunc(found, func(d Diagnostic) bool {
		return d.Code == "KORU100" && d.Span.Start < last
	})
}
