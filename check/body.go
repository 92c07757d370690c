package check

import (
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
		if target(p.Options.Targets, proc) != "" {
			return proc
		}
	}
	return nil
}

// target returns the tag of a proc that runs on one of the targets, or "".
func target(targets []string, proc *Proc) string {
	for _, tag := range proc.Targets {
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

// calls notes which verbs a flow calls that need something to stand behind
// them, and where each is called first.
func (j *judge) calls(f *Flow) {
	for c := range f.Calls() {
		if c.Form != Plain || c.Tor == nil || c.Tor.broken || c.Tor.Impl != nil {
			continue
		}
		if _, known := j.prog.called[c.Tor]; !known {
			j.prog.called[c.Tor] = callSite{j.file, syntax.CallView{Node: c.Node}.Path().Span()}
		}
	}
}

// backed judges what stands behind the verbs that flows call, each verb once. A
// verb without anything that runs here is an error when the program is about to
// run, and a warning otherwise (R1, R58).
func (p *Program) backed() {
	for _, m := range p.Modules {
		for _, t := range m.Tors() {
			site, called := p.called[t]
			if !called || t.Has("norun") || t.Has("transform") || t.Has("comptime") {
				continue
			}
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
		return
	}
	d := j.fault("KORU176", at, fmt.Sprintf("'%s' has a body for |%s only; here run: %s", t.Path(), strings.Join(tags, ", |"), runnable(j.prog.Options.Targets)))
	d.Severity = j.prog.unrunnable()
	d.note(t.Procs[0].File, first, "this proc")
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
	tag := target(j.prog.Options.Targets, proc)
	start := syntax.ProcView{Node: proc.Node}.Body().Span().Start
	for _, fault := range j.hostFaults(t, proc, tag) {
		j.add(Diagnostic{
			Code: "KORU176", Severity: j.prog.unrunnable(), File: proc.File,
			Span:    syntax.Span{Start: start + fault.Start, End: start + fault.End},
			Message: fmt.Sprintf("this |%s body cannot run here: %s", tag, fault.Message),
		})
	}
}

func (j *judge) hostFaults(t *Tor, proc *Proc, tag string) []BodyFault {
	tree := proc.Node.Tree()
	faults, known := j.prog.checked[tree]
	if !known {
		faults = j.prog.Options.CheckBody(t, proc, tag)
	}
	if j.prog.fresh != nil {
		j.prog.fresh.procs[tree] = faults
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
