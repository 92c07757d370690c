package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// implementations judges the procs and flows of the file that do not simply stand
// behind a tor of their module (language.md 7): those of another module's, of
// none, and those that are one too many. All others are attached to their tor
// when that is read.
func (j *judge) implementations() {
	for _, n := range j.mod.decls.odd {
		f, i := j.mod.bodyPlace(n)
		if f != j.file {
			continue
		}
		switch it := f.Syntax.Item(i); it.Kind() {
		case syntax.ProcItem:
			j.proc(syntax.ProcView{Node: it})
		case syntax.ImplItem:
			j.impl(syntax.ImplView{Node: it})
		}
	}
}

// proc attaches a host body. A tor has one for each target.
func (j *judge) proc(v syntax.ProcView) {
	name := v.Name()
	t, foreign := j.implemented(name, "proc")
	if t == nil {
		return
	}
	proc := newProc(j.file, v.Node)
	if foreign {
		if j.overrides(t, name) {
			t.override = &override{file: j.file, name: name.Span(), proc: proc}
		}
		return
	}
	for _, other := range t.Procs {
		if slices.Equal(other.Targets, proc.Targets) {
			d := j.fault("KORU113", name.Span(), fmt.Sprintf("'%s' has two bodies for the target '%s': keep one", t.Name, strings.Join(proc.Targets, "|")))
			d.note(other.File, syntax.ProcView{Node: other.Node}.Name().Span(), "the first one is here")
			return
		}
	}
	t.Procs = append(t.Procs, proc)
}

// impl attaches an implementation by flow, bare return or constant outcome.
func (j *judge) impl(v syntax.ImplView) {
	name := v.Name()
	t, foreign := j.implemented(name, "implementation")
	if t == nil {
		return
	}
	impl := &Impl{Node: v.Node, File: j.file, tor: t, prog: j.prog}
	switch {
	case foreign:
		if j.overrides(t, name) {
			t.override = &override{file: j.file, name: name.Span(), impl: impl}
			j.mod.foreign[v.Node] = impl
		}
	case v.Variant() != "":
		// A variant stands beside the implementation; nothing here selects one.
	case t.Impl != nil:
		d := j.fault("KORU113", name.Span(), fmt.Sprintf("'%s' is implemented twice: a tor has one implementation — keep one", t.Name))
		d.note(t.Impl.File, syntax.ImplView{Node: t.Impl.Node}.Name().Span(), "implemented here first")
	default:
		t.Impl = impl
	}
}

// owner returns the tor that an implementation in the module stands behind, or
// nil.
func (m *Module) owner(item syntax.Node) *Tor {
	if impl := m.foreign[item]; impl != nil {
		return impl.tor
	}
	name := syntax.ImplView{Node: item}.Name()
	module, tor := syntax.SplitPath(name.Text())
	if !name.IsValid() || module != "" && m.lookup(module) != m {
		return nil
	}
	return m.declared(tor)
}

// implemented finds the tor that a proc or a flow implements: one of the same
// module, or an [abstract] one of another.
func (j *judge) implemented(name syntax.Token, what string) (t *Tor, foreign bool) {
	module, tor := syntax.SplitPath(name.Text())
	if !name.IsValid() {
		return nil, false
	}
	if owner := j.mod.lookup(module); module == "" || owner == j.mod {
		if t := j.mod.declared(tor); t != nil {
			return t, false
		}
		if j.mod.mayDeclare(tor) {
			return nil, false
		}
		d := j.fault("KORU040", name.Span(), fmt.Sprintf("unknown tor '%s': this %s has no declaration 'tor %s { … }' in its module", tor, what, tor))
		if near := Nearest(tor, j.mod.visible(j.mod)); near != "" {
			d.suggest(near)
			d.declared(j.mod.declared(near))
			j.mod.misreadName(near) // it has its implementation, under another name
		}
		j.mod.misreadName(tor) // who calls it misses the same declaration
		return nil, false
	}
	t, problem := j.prog.Resolve(j.mod, name.Text(), nil)
	if problem != nil {
		if !problem.Known {
			problem.Code = "KORU114"
			j.add(problem.At(j.file, name.Span()))
		}
		return nil, false
	}
	return t, true
}

// overrides reports whether the module may implement a tor of another one: it
// has to be [abstract], and nobody else may have done so (KORU113, KORU114).
func (j *judge) overrides(t *Tor, name syntax.Token) bool {
	if !t.Has("abstract") || t.Module.Std {
		d := j.fault("KORU114", name.Span(), fmt.Sprintf("'%s' is not [abstract]: only its own module implements it — mark it [abstract] there to let others", t.Path()))
		if !t.Module.Std {
			d.note(t.File, t.nameSpan(), "declared here")
		}
		return false
	}
	if o := t.override; o != nil {
		d := j.fault("KORU113", name.Span(), fmt.Sprintf("'%s' is implemented twice: an [abstract] tor has one implementation besides its default", t.Path()))
		d.note(o.file, o.name, "implemented here first")
		return false
	}
	j.prog.overridden = append(j.prog.overridden, t)
	return true
}

// override is the implementation that another module gives an [abstract] tor.
type override struct {
	file *File
	name syntax.Span
	impl *Impl
	proc *Proc
}

// install puts the overrides of abstract tors in place. What a tor's own module
// implements stays reachable as name.default (language.md 7.2).
func (p *Program) install() {
	for _, t := range p.overridden {
		if t.Impl != nil || t.Procs != nil {
			d := *t
			d.Name += ".default"
			d.override = nil
			if m := t.Module; m.Tor(d.Name) == nil {
				if m.defaults == nil {
					m.defaults = map[string]*Tor{}
				}
				m.defaults[d.Name] = &d
			}
		}
		o := t.override
		t.Impl, t.Procs = o.impl, nil
		if o.proc != nil {
			t.Procs = []*Proc{o.proc}
		}
	}
}
