package check

import (
	"fmt"

	"github.com/koru-go/koru/syntax"
)

// implementations attaches the procs and flows of the file to the tors that
// they implement (language.md 7).
func (j *judge) implementations() {
	for it := range j.file.Syntax.Items() {
		switch it.Kind() {
		case syntax.ProcItem:
			j.proc(syntax.ProcView{Node: it})
		case syntax.ImplItem:
			j.impl(syntax.ImplView{Node: it})
		}
	}
}

func (j *judge) proc(v syntax.ProcView) {
	name := v.Name()
	t := j.implemented(name, "proc")
	if t == nil {
		return
	}
	proc := &Proc{Name: name.Text(), Targets: v.Targets(), Body: v.Body().Text(), Node: v.Node, File: j.file}
	t.Procs = append(t.Procs, proc)
}

func (j *judge) impl(v syntax.ImplView) {
	name := v.Name()
	t := j.implemented(name, "implementation")
	if t == nil {
		return
	}
	impl := &Impl{Node: v.Node, File: j.file, tor: t}
	if t.Impl != nil && v.Variant() == "" {
		d := j.fault("KORU113", name.Span(), fmt.Sprintf("'%s' is implemented twice: a tor has one implementation", name.Text()))
		d.note(t.Impl.File, syntax.ImplView{Node: t.Impl.Node}.Name().Span(), "implemented here first")
		return
	}
	t.Impl = impl
}

// implemented finds the tor that a proc or a flow implements: one of the same
// module, or an [abstract] one of another.
func (j *judge) implemented(name syntax.Token, what string) *Tor {
	module, tor := syntax.SplitPath(name.Text())
	if module == "" {
		if t := j.mod.tors[tor]; t != nil {
			return t
		}
		d := j.fault("KORU040", name.Span(), fmt.Sprintf("unknown tor '%s': this %s has no declaration 'tor %s { … }' in its module", tor, what, tor))
		if near := nearest(tor, j.mod.visible(j.mod)); near != "" {
			d.suggest(near)
		}
		return nil
	}
	t, problem := j.prog.Resolve(j.mod, name.Text(), nil)
	if problem != nil {
		if !problem.Known {
			problem.Code = "KORU114"
			j.add(problem.At(j.file, name.Span()))
		}
		return nil
	}
	return t
}

// implOf returns the implementation that an item became, or nil.
func (j *judge) implOf(item syntax.Node) *Impl {
	t, problem := j.prog.Resolve(j.mod, syntax.ImplView{Node: item}.Name().Text(), nil)
	if problem != nil || t.Impl == nil || t.Impl.Node != item {
		return nil
	}
	return t.Impl
}
