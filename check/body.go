package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// BodyFault says why a host body cannot run here, with offsets in the body.
type BodyFault struct {
	Start, End int
	Message    string
}

// Implemented reports whether something that runs on this host stands behind a
// tor: a flow, a Go body, or a proc for one of Options.Targets.
func (p *Program) Implemented(t *Tor) bool {
	if t.Impl != nil {
		return true
	}
	return p.Proc(t) != nil || p.Options.Bodies != nil && p.Options.Bodies(t.Path())
}

// Proc returns the host body of a tor that runs here, or nil: the first that
// is written for one of Options.Targets. Without Options.Targets every target
// is taken to run.
func (p *Program) Proc(t *Tor) *Proc {
	for _, proc := range t.Procs {
		if target(p.Options.Targets, proc.Targets) != "" {
			return proc
		}
	}
	return nil
}

// target returns the tag that runs on one of the targets, or "".
func target(targets, tags []string) string {
	for _, tag := range tags {
		if targets == nil || slices.Contains(targets, tag) {
			return tag
		}
	}
	return ""
}

// callSite is where a flow calls a verb.
type callSite struct {
	file *File
	span syntax.Span
}

// calls notes which verbs a flow calls, and where each is called first.
func (j *judge) calls(f *Flow) {
	for c := range f.Calls() {
		if c.Form == Plain && c.Tor != nil {
			j.prog.call(c.Tor, callSite{j.file, syntax.CallView{Node: c.Node}.Path().Span()})
		}
	}
}

// call notes a call of a verb that needs something to stand behind it.
func (p *Program) call(t *Tor, at callSite) {
	if t == nil || t.broken || t.Impl != nil {
		return
	}
	if _, known := p.called[t]; !known {
		p.called[t] = at
	}
}

// backed judges what stands behind the verbs that flows call, each verb once. A
// verb without anything that runs here is an error when the program is about to
// run, and a warning otherwise (R1, R58).
func (p *Program) backed() {
	for _, t := range p.calledInOrder() {
		if t.Has("norun") || t.Has("transform") || t.Has("comptime") {
			continue
		}
		site, m := p.called[t], t.Module
		j := &judge{prog: p, mod: site.file.Module, file: site.file, out: &p.Diagnostics}
		switch proc := p.Proc(t); {
		case proc != nil:
			j.hostBody(t, proc)
		case len(t.Procs) > 0:
			j.otherTargets(t, site.span)
		case p.Options.Bodies == nil && m.Std, p.Implemented(t), m.misread[t.Name], m.lostBody:
		default:
			j.unimplemented(t, site.span)
		}
	}
}

// calledInOrder lists the verbs that flows call, in the order of their
// declarations.
func (p *Program) calledInOrder() []*Tor {
	modules := make(map[*Module]int, len(p.Modules))
	for i, m := range p.Modules {
		modules[m] = i
	}
	list := make([]*Tor, 0, len(p.called))
	for t := range p.called {
		if _, ok := modules[t.Module]; ok && t.Module.declared(t.Name) == t {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *Tor) int {
		return cmp.Or(
			cmp.Compare(modules[a.Module], modules[b.Module]),
			cmp.Compare(slices.Index(a.Module.Files, a.File), slices.Index(b.Module.Files, b.File)),
			cmp.Compare(a.Node.Base(), b.Node.Base()),
		)
	})
	return list
}

// loosen finds the verbs of the own modules that something may be wrong with
// once a flow calls them. With all others a call that was judged before need not
// be looked at again.
func (p *Program) loosen(own []*Module) {
	if p.old == nil {
		return
	}
	for _, m := range own {
		if len(m.decls.loose) > 0 {
			p.loose = append(p.loose, m.decls.loose)
		}
		unheard := map[string]bool{}
		for _, h := range m.decls.hosted {
			f, i := m.bodyPlace(h.body)
			s := m.sketchOf(h.tor)
			if v := f.verdict(i); v == nil || v.asked != s.sum || len(v.faults) > 0 {
				unheard[pathOf(m, s.name)] = true
			}
		}
		if len(unheard) > 0 {
			p.loose = append(p.loose, unheard)
		}
	}
	for _, t := range p.overridden {
		p.loose = append(p.loose, map[string]bool{t.Path(): true})
	}
}

func (p *Program) isLoose(path string) bool {
	return slices.ContainsFunc(p.loose, func(paths map[string]bool) bool { return paths[path] })
}

// hosted is a proc that the host is asked about before it runs.
type hosted struct{ tor, body int32 }

// back sorts the tors of the module by what stands behind them: nothing, as far
// as the declarations tell, or a proc that the host has a say about.
func (m *Module) back(o *Options) {
	d := m.decls
	d.loose = map[string]bool{}
	for n := range int32(d.tors) {
		s := m.sketchOf(n)
		if s.marks&isBuildTime != 0 || d.names[s.name] != n {
			continue
		}
		body, procs, flow := int32(-1), 0, false
		for _, b := range d.list[d.behind[n].start:d.behind[n].end] {
			f, i := m.bodyPlace(b)
			switch its := f.outline.sketches[i]; {
			case its.marks&isVariant != 0:
			case its.marks&isImpl != 0:
				flow = true
			default:
				procs++
				if body < 0 && target(o.Targets, its.targets) != "" {
					body = b
				}
			}
		}
		switch {
		case flow:
		case body >= 0:
			if o.CheckBody != nil {
				d.hosted = append(d.hosted, hosted{n, body})
			}
		case procs > 0 || o.Bodies == nil || !o.Bodies(pathOf(m, s.name)):
			d.loose[pathOf(m, s.name)] = true
		}
	}
}

func pathOf(m *Module, tor string) string {
	if m.Path == "" {
		return tor
	}
	return m.Path + ":" + tor
}

func (j *judge) unimplemented(t *Tor, at syntax.Span) {
	d := j.fault("KORU047", at, fmt.Sprintf("'%s' is called but never implemented: give it a proc or a flow", t.Path()))
	if t.Has("abstract") {
		d.Message = fmt.Sprintf("'%s' is [abstract] and nothing implements it: write %s = … in one of the modules", t.Path(), t.Path())
	}
	d.Severity = j.prog.unrunnable()
	if !t.Module.Std {
		d.note(t.File, t.nameSpan(), "declared here")
	}
}

// otherTargets reports a verb whose bodies are all written for other hosts, or
// for none in particular.
func (j *judge) otherTargets(t *Tor, at syntax.Span) {
	var tags []string
	for _, proc := range t.Procs {
		tags = append(tags, proc.Targets...)
	}
	first := syntax.ProcView{Node: t.Procs[0].Node}.Name().Span()
	if len(tags) == 0 && broken(t.Procs[0].Node) {
		return // the tag may be what was not understood
	}
	if len(tags) == 0 {
		d := j.fault("KORU110", at, fmt.Sprintf("the proc of '%s' has no |variant tag: say which host it is written for, as in proc %s|js", t.Path(), t.Name))
		d.note(t.Procs[0].File, first, "this proc")
		if tag := tagFor(t.Procs[0].File); !t.Module.Std {
			d.Fixes = append(d.Fixes, Fix{Title: "write it for " + tag, respells: true, Edits: []TextEdit{{t.Procs[0].File, syntax.Span{Start: first.End, End: first.End}, "|" + tag}}})
		}
		return
	}
	d := j.fault("KORU176", at, fmt.Sprintf("'%s' has a body for |%s only; here run: %s", t.Path(), strings.Join(tags, ", |"), runnable(j.prog.Options.Targets)))
	d.Severity = j.prog.unrunnable()
	d.note(t.Procs[0].File, first, "this proc")
}

// tagFor returns the host language that a body in a file is most likely written in.
func tagFor(f *File) string {
	if strings.HasSuffix(f.Path, ".kjs") {
		return "js"
	}
	return "zig"
}

func runnable(targets []string) string {
	if len(targets) == 0 {
		return "no host bodies"
	}
	return "|" + strings.Join(targets, ", |")
}

// unrunnable is how severe it is that something cannot run here.
func (p *Program) unrunnable() Severity {
	if p.Options.Runs {
		return Error
	}
	return Warning
}

// hostBody asks the host whether it can run a body (KORU176).
func (j *judge) hostBody(t *Tor, proc *Proc) {
	if j.prog.Options.CheckBody == nil || proc.File.Module.Std {
		return
	}
	tag := target(j.prog.Options.Targets, proc.Targets)
	start := syntax.ProcView{Node: proc.Node}.Body().Span().Start
	for _, fault := range j.hostFaults(t, proc, tag) {
		j.add(Diagnostic{
			Code: "KORU176", Severity: j.prog.unrunnable(), File: proc.File,
			Span:    syntax.Span{Start: start + fault.Start, End: start + fault.End},
			Message: fmt.Sprintf("this |%s body cannot run here: %s", tag, fault.Message),
		})
	}
}

// hostFaults returns what the host says about a body. It is asked once about a
// body behind a declaration.
func (j *judge) hostFaults(t *Tor, proc *Proc, tag string) []BodyFault {
	f := proc.File
	if f.verdicts == nil || proc.File.Module != t.Module {
		return j.prog.Options.CheckBody(t, proc, tag)
	}
	i := f.Syntax.ItemAt(proc.Node.Base())
	sum := t.File.outline.sketches[t.File.Syntax.ItemAt(t.Node.Base())].sum
	old := f.verdict(i)
	if old != nil && old.asked == sum {
		return old.faults
	}
	faults := j.prog.Options.CheckBody(t, proc, tag)
	if old != nil || f.outline.marks[i]&isZig == 0 {
		f.pass(i, &verdict{asked: sum, faults: faults})
	}
	return faults
}

// Calls returns an iterator over every call of the flow, in the order in which
// they are written.
func (f *Flow) Calls() func(yield func(*Call) bool) {
	return func(yield func(*Call) bool) { f.Body.calls(yield) }
}

// calls walks a chain and the arms under it. Arms nest no deeper than the
// parser lets them.
func (c *Chain) calls(yield func(*Call) bool) bool {
	if c == nil {
		return true
	}
	seen := map[syntax.Node]bool(nil)
	for _, s := range c.Steps {
		if s.Call == nil {
			continue
		}
		if !yield(s.Call) {
			return false
		}
		for _, a := range s.Call.Arms {
			if seen[a.Node] {
				continue // one arm of the source may apply to several steps
			}
			if len(c.Steps) > 1 {
				if seen == nil {
					seen = map[syntax.Node]bool{}
				}
				seen[a.Node] = true
			}
			if !a.Body.calls(yield) {
				return false
			}
		}
	}
	return c.End == nil || c.End.Call == nil || yield(c.End.Call)
}
