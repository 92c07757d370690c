package check

import "slices"

// Implemented reports whether something that runs on this host stands behind a
// tor: a flow, a Go body, or a proc for one of Options.Targets.
func (p *Program) Implemented(t *Tor) bool {
	if t.Impl != nil {
		return true
	}
	for _, proc := range t.Procs {
		if p.runs(proc) {
			return true
		}
	}
	return p.Options.Bodies != nil && p.Options.Bodies(t.Path())
}

// runs reports whether a proc is written for a target of this host. Without
// Options.Targets every target is taken to run.
func (p *Program) runs(proc *Proc) bool {
	if p.Options.Targets == nil {
		return len(proc.Targets) > 0
	}
	return slices.ContainsFunc(proc.Targets, func(t string) bool { return slices.Contains(p.Options.Targets, t) })
}
