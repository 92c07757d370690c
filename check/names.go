package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// moduleNames is where the names of one file lead: to what its module declares
// and imports.
type moduleNames struct{ *judge }

func (n moduleNames) Verb(path string, with []*Module) (*Tor, *Problem) {
	t, problem := n.prog.Resolve(n.mod, path, with)
	if problem == nil || problem.Code != "KORU040" {
		return t, problem
	}
	if problem.Import != "" {
		// Declarations for a build stand in files that import nothing for them.
		_, name := syntax.SplitPath(path)
		if m := n.prog.std(problem.Import); m != nil && m.Tor(name) != nil && m.Tor(name).Has("norun") {
			return m.Tor(name), nil
		}
	}
	if n.made(path) {
		problem.Known = true
	}
	return nil, problem
}

// made reports whether a verb may come from a transform that this toolchain
// does not expand (R1): its name is given to one at top level, as in
// koru/vaxis:component(app) { … }, or it is a module called as a whole.
func (n moduleNames) made(path string) bool {
	module, name := syntax.SplitPath(path)
	if module == "" && strings.Contains(name, "/") {
		return n.mod.lookup(name) != nil || n.mod.missing[name]
	}
	if module != "" {
		return false
	}
	if n.mod.made == nil {
		n.mod.made = map[string]bool{}
		for _, f := range n.mod.Files {
			for it := range f.Syntax.Items() {
				if it.Kind() == syntax.FlowItem {
					n.collectMade(it)
				}
			}
		}
	}
	for i := range name {
		// A component may bring verbs along: Row-repaint-label of Row.
		if name[i] == '-' && n.mod.made[name[:i]] {
			return true
		}
	}
	return n.mod.made[name]
}

// collectMade notes the names that a top-level flow gives to a transform.
func (n moduleNames) collectMade(flow syntax.Node) {
	head := syntax.CallView{Node: syntax.FlowView{Node: flow}.Chain().Child(syntax.Call)}
	t, problem := n.prog.Resolve(n.mod, head.Path().Text(), nil)
	if t != nil && formOf(t) != Opaque || problem != nil && !problem.Known {
		return
	}
	for a := range head.Args() {
		// A name with a dash is no expression: its text is what counts.
		n.mod.made[a.Value().Text()] = true
	}
}

func (n moduleNames) With(node syntax.Node, callee string) ([]*Module, []Diagnostic) {
	return n.prog.OpenedBy(n.file, node, callee)
}

// Const looks at the module itself and then at what it imports.
func (n moduleNames) Const(name string) *ConstDecl {
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
func (n moduleNames) Store(name string) *Store {
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

func (n moduleNames) Values() []string {
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
	f, found := lowerFlow(moduleNames{j}, j.file, owner, item)
	for _, d := range found {
		j.add(d)
	}
	return f
}

// lowerValue resolves an expression that stands in no flow: the value of a
// constant, the initial value or the capacity of a store.
func (j *judge) lowerValue(n syntax.Node, want *Type) *Expr {
	e, found := lowerValue(moduleNames{j}, j.file, n, want)
	for _, d := range found {
		j.add(d)
	}
	return e
}
