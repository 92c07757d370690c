package check

import "github.com/koru-go/koru/syntax"

// moduleNames is where the names of one file lead: to what its module declares
// and imports.
type moduleNames struct {
	*judge
	unopened bool // [with] names a module that is not there
}

// Verb resolves the name of a call. A bare name may come from the module that
// [with] failed to open, and is then not reported again.
func (n *moduleNames) Verb(path string, with []*Module) (*Tor, *Problem) {
	t, problem := n.prog.Resolve(n.mod, path, with)
	n.needPath(path, with, t)
	if problem == nil || problem.Code != "KORU040" {
		return t, problem
	}
	if module, _ := syntax.SplitPath(path); module == "" && n.unopened {
		problem.Known = true
	}
	if problem.Import != "" {
		// Declarations for a build stand in files that import nothing for them.
		_, name := syntax.SplitPath(path)
		if m := n.prog.std(problem.Import); m != nil && m.Tor(name) != nil && m.Tor(name).Has("norun") {
			return m.Tor(name), nil
		}
	}
	return nil, problem
}

func (n *moduleNames) With(node syntax.Node, callee string) ([]*Module, []Diagnostic) {
	opened, faults := n.prog.OpenedBy(n.file, node, callee)
	n.unopened = n.unopened || len(faults) > 0
	if n.needs != nil && len(opened)+len(faults) > 0 {
		n.needs.imports = true
	}
	return opened, faults
}

// Const looks at the module itself and then at what it imports.
func (n *moduleNames) Const(name string) *ConstDecl {
	n.needValue(name)
	if c := n.mod.Const(name); c != nil {
		return c
	}
	for _, m := range n.mod.Imports {
		if c := m.Const(name); c != nil {
			return c
		}
	}
	return nil
}

// Store looks at the module, at what it imports, and then at the whole program:
// a store is shared by all modules (language.md 9.6).
func (n *moduleNames) Store(name string) *Store {
	n.needValue(name)
	if s := n.mod.Store(name); s != nil {
		return s
	}
	for _, modules := range [][]*Module{n.mod.Imports, n.prog.own()} {
		for _, m := range modules {
			if s := m.Store(name); s != nil {
				return s
			}
		}
	}
	return nil
}

func (n *moduleNames) Values() []string {
	var out []string
	for _, c := range n.mod.Consts {
		out = append(out, c.Name)
	}
	for _, m := range n.prog.own() {
		for _, s := range m.Stores {
			out = append(out, s.Name)
		}
	}
	return out
}

// lowerFlow resolves a FlowItem, an ImplItem or a flow of a test. A flow that
// implements a tor has its fields as parameters.
func (j *judge) lowerFlow(item syntax.Node, owner *Tor) *Flow {
	f, found := lowerFlow(&moduleNames{judge: j}, j.file, owner, item)
	for _, d := range found {
		j.add(d)
	}
	return f
}

// lowerValue resolves an expression that stands in no flow: the value of a
// constant, the initial value or the capacity of a store.
func (j *judge) lowerValue(n syntax.Node, want *Type) *Expr {
	e, found := lowerValue(&moduleNames{judge: j}, j.file, n, want)
	for _, d := range found {
		j.add(d)
	}
	return e
}
