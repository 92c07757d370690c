package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// register is one std/runtime:register block before its includes are expanded
// (language.md 9.3, bridge.md 2).
type register struct {
	scope   *Scope
	file    *File
	entries []entry
}

// entry is one line of a block: the verbs it grants, or the scope it includes.
type entry struct {
	verbs   []*Verb
	include *register
	name    string // of the scope to include, while it is not known yet
	at      syntax.Span
}

// registers collects the register blocks of the file and resolves their grants.
func (j *judge) registers() {
	for it := range j.file.items(isGrant) {
		call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
		k := j
		if unclear(it) {
			k = j.aside()
		}
		k.register(it, call, call.Block())
	}
}

func (j *judge) register(item syntax.Node, call syntax.CallView, block syntax.Node) {
	name, at := scopeName(item, call)
	for _, r := range j.prog.registers {
		if r.scope.Name == name {
			d := j.fault("KORU175", at, fmt.Sprintf("register: scope '%s' is declared twice: a scope is one block — include the other with scope(…), or rename it", name))
			_, first := scopeName(r.scope.Node, syntax.CallView{Node: syntax.FlowView{Node: r.scope.Node}.Chain().Child(syntax.Call)})
			d.note(r.file, first, "declared here first")
			return
		}
	}
	r := &register{scope: &Scope{Name: name, Module: j.mod, Node: item}, file: j.file}
	j.prog.registers = append(j.prog.registers, r)
	for c := range block.Children() {
		kept := j.prog.Options.Debug || !debugOnly(c)
		var e entry
		switch c.Kind() {
		case syntax.Grant:
			e.verbs = j.grant(name, syntax.GrantView{Node: c})
		case syntax.GrantGlob:
			e.verbs = j.glob(name, c)
		case syntax.GrantInclude:
			included := syntax.IncludeName(c)
			e.name, e.at = included.Text(), included.Span()
		}
		if kept && (e.verbs != nil || e.name != "") {
			r.entries = append(r.entries, e)
		}
	}
}

// scopeName returns the name of a block's scope and where it is written: the
// argument, an annotation registry:scope(NAME) on the call or the flow, or
// "default" (bridge.md 2.2).
func scopeName(item syntax.Node, call syntax.CallView) (string, syntax.Span) {
	for a := range call.Args() {
		if label := a.Label().Text(); label == "scope" || label == "" {
			return strings.Trim(a.Value().Text(), `"`), a.Value().Span()
		}
	}
	for _, n := range []syntax.Node{call.Node, syntax.FlowView{Node: item}.Chain().Node, item} {
		for list := range n.AnnotationList() {
			for a := range list.ChildrenOf(syntax.Annotation) {
				if strings.TrimPrefix(a.FirstToken().Text(), "@") == "registry:scope" {
					arg := a.Child(syntax.AnnotationArg)
					return strings.Trim(arg.Text(), `"`), arg.Span()
				}
			}
		}
	}
	return "default", call.Path().Span()
}

// debugOnly reports whether an entry belongs to debug builds alone.
func debugOnly(n syntax.Node) bool {
	for list := range n.AnnotationList() {
		for a := range list.ChildrenOf(syntax.Annotation) {
			if a.Text() == "debug" {
				return true
			}
		}
	}
	return false
}

// grant resolves `path -> verb(cost)`, or `verb(cost)`.
func (j *judge) grant(scope string, v syntax.GrantView) []*Verb {
	source, verb := v.Source(), v.Verb()
	if !source.IsValid() {
		return nil
	}
	t := j.granted(scope, source)
	cost, ok := j.cost(v)
	if t == nil || !ok || !j.grantable(t, verb.Text(), source.Span()) {
		return nil
	}
	return []*Verb{j.prog.NewVerb(verb.Text(), t, cost, v.Node)}
}

// cost reads the price of a grant: a plain number of 64 bits, 1 if there is
// none (R58).
func (j *judge) cost(v syntax.GrantView) (uint64, bool) {
	list := v.Child(syntax.Args)
	if !list.IsValid() {
		return 1, true
	}
	n := v.Cost()
	cost, err := strconv.ParseUint(strings.ReplaceAll(n.Text(), "_", ""), 10, 64)
	if err != nil || list.Child(syntax.Arg).Next().IsValid() || n.FirstToken().Kind() != syntax.Int {
		span := n.Span()
		if !n.IsValid() {
			span = list.Span()
		}
		j.fault("KORU175", span, fmt.Sprintf("register: the cost of '%s' is a whole number from 0 to 18446744073709551615, as in %s(10)", v.Verb().Text(), v.Verb().Text()))
		return 0, false
	}
	return cost, true
}

// granted finds the tor that a grant names: a bare name at the top level of the
// program, then in the module of the block; a qualified one in the module it
// names, which it may spell with dots (bridge.md 2.3, 2.4).
func (j *judge) granted(scope string, source syntax.Token) *Tor {
	module, name := syntax.SplitPath(source.Text())
	if module == "" {
		for _, m := range []*Module{j.prog.Entry, j.mod} {
			if t := m.Tor(name); t != nil {
				return t
			}
		}
		candidates := j.prog.Entry.visible(j.prog.Entry)
		if j.mod != j.prog.Entry {
			candidates = append(candidates, j.mod.visible(j.mod)...)
		}
		j.ungranted(scope, source, Nearest(name, candidates))
		return nil
	}
	slashed := strings.ReplaceAll(module, ".", "/")
	if j.mod.missing[slashed] {
		return nil
	}
	m := j.mod.lookup(slashed)
	if m == nil {
		m = j.prog.Module(slashed)
	}
	if m == nil {
		near := Nearest(module, j.dottedImports())
		if near != "" {
			near += ":" + name
		}
		j.ungranted(scope, source, near)
		return nil
	}
	t := m.Tor(name)
	if t == nil {
		near := Nearest(name, m.visible(j.mod))
		if near != "" {
			near = module + ":" + near
		}
		j.ungranted(scope, source, near)
		return nil
	}
	if !t.Pub && m != j.mod {
		_, problem := j.prog.qualified(j.mod, slashed, name)
		if problem == nil {
			problem = &Problem{Code: "KORU044", Message: fmt.Sprintf("'%s:%s' is private to its module", slashed, name)}
		}
		j.add(problem.At(j.file, source.Span()))
		return nil
	}
	return t
}

func (j *judge) dottedImports() []string {
	out := j.mod.importPaths()
	for i := range out {
		out[i] = PrintModule(out[i])
	}
	return out
}

func (j *judge) ungranted(scope string, source syntax.Token, near string) {
	if _, name := syntax.SplitPath(source.Text()); j.mod.mayDeclare(name) {
		return
	}
	d := j.fault("KORU040", source.Span(), fmt.Sprintf("unknown tor '%s' — register: scope '%s' names '%s', which no module declares", source.Text(), scope, source.Text()))
	if near != "" {
		d.suggest(near)
	}
}

// grantable refuses verbs that a wire cannot call: what pulses effects cannot
// be armed, and what only exists while compiling cannot be run.
func (j *judge) grantable(t *Tor, verb string, at syntax.Span) bool {
	switch {
	case t.pulses():
		j.fault("KORU175", at, fmt.Sprintf("register: '%s' pulses effects; a wire item cannot arm one — drop it from the block", verb))
	case t.Has("transform") || t.Has("norun"):
		j.fault("KORU175", at, fmt.Sprintf("register: '%s' exists only while a program is compiled; a wire item cannot call it", verb))
	default:
		return true
	}
	return false
}

// pulses reports whether the tor has effects.
func (t *Tor) pulses() bool {
	return slices.ContainsFunc(t.Outcomes, func(o *Outcome) bool { return o.Effect })
}

// glob resolves `prefix:*` and `prefix.*`: every verb whose full name starts
// with the prefix and its separator, under that name, at cost 1. What a wire
// cannot call is left out, and so is what the module may not see.
func (j *judge) glob(scope string, n syntax.Node) []*Verb {
	prefix := PrintModule(syntax.GrantView{Node: n}.Source().Text())
	if j.mod.missing[strings.ReplaceAll(prefix, ".", "/")] {
		return nil
	}
	verbs := j.under(prefix, n)
	if verbs == nil && j.mod != j.prog.Entry {
		verbs = j.under(j.mod.Print()+":"+prefix, n)
	}
	if verbs == nil {
		j.fault("KORU175", n.Span(), fmt.Sprintf("register: scope '%s' grants '%s', and no verb has a name like that", scope, n.Text()))
	}
	return verbs
}

func (j *judge) under(prefix string, at syntax.Node) []*Verb {
	var out []*Verb
	for _, m := range j.prog.Modules {
		for n := range int32(len(m.slots)) {
			s := m.sketchOf(n)
			name := eventOf(m, s.name)
			if !strings.HasPrefix(name, prefix) || len(name) == len(prefix) || name[len(prefix)] != ':' && name[len(prefix)] != '.' {
				continue
			}
			if s.marks&isPub != 0 || m == j.mod {
				if t := m.tor(n); !t.pulses() && !t.Has("transform") && !t.Has("norun") {
					out = append(out, j.prog.NewVerb(name, t, 1, at))
				}
			}
		}
	}
	return out
}

// eventOf returns the full name of a verb as a register block spells it:
// std.fs:dir, and plain for the entry program.
func eventOf(m *Module, tor string) string {
	if m.Path == "" {
		return tor
	}
	return m.Print() + ":" + tor
}

// expand makes the scopes of the program from their blocks. The first grant of
// a name wins, and a scope that includes itself in a round about way is visited
// once.
func (p *Program) expand() {
	byName := map[string]*register{}
	var names []string
	for _, r := range p.registers {
		byName[r.scope.Name] = r
		names = append(names, r.scope.Name)
	}
	for _, r := range p.registers {
		for i := range r.entries {
			e := &r.entries[i]
			if e.name == "" {
				continue
			}
			if e.include = byName[e.name]; e.include == nil {
				d := Diagnostic{Code: "KORU040", File: r.file, Span: e.at, Message: fmt.Sprintf("unknown scope '%s': no register block declares it", e.name), doubt: &doubt{value: e.name, in: r.file.Module}}
				if near := Nearest(e.name, names); near != "" {
					d.suggest(near)
				}
				p.Diagnostics = append(p.Diagnostics, d)
			} else if !slices.Contains(r.scope.Includes, e.name) {
				r.scope.Includes = append(r.scope.Includes, e.name)
			}
		}
	}
	for _, r := range p.registers {
		r.scope.Verbs = r.verbs()
		r.scope.index()
		p.Scopes = append(p.Scopes, r.scope)
	}
}

// verbs lists what a block grants, includes expanded in place.
func (r *register) verbs() []*Verb {
	var out []*Verb
	granted := map[string]bool{}
	seen := map[*register]bool{r: true}
	type place struct {
		r    *register
		next int
	}
	for stack := []place{{r, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.r.entries) {
			stack = stack[:len(stack)-1]
			continue
		}
		e := &top.r.entries[top.next]
		top.next++
		for _, v := range e.verbs {
			if !granted[v.Name] {
				granted[v.Name] = true
				out = append(out, v)
			}
		}
		if e.include != nil && !seen[e.include] {
			seen[e.include] = true
			stack = append(stack, place{e.include, 0})
		}
	}
	return out
}
