package check

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// What a body can see of a program is what its names lead to. While a body is
// judged for an editor, every question that it asks of the declarations of the
// program is noted with a sum of the answer. Once a declaration has changed, a
// body need not be judged again if all its questions have the same answers.

// need is a question and the sum of its answer, 0 for nothing.
type need struct {
	kind   needKind
	module int16 // in own modules of the program, for the declaration of a verb
	name   string
	state  takenKey
	sum    uint64
}

type needKind uint8

const (
	needsModule needKind = iota // what a module imports under a path
	needsVerb                   // a verb of a module
	needsValue                  // the constants and stores of a name that a module can see
	needsTaker                  // who consumes a state
)

// needs are the questions of one body.
type needs struct {
	list []need
	// The answers to some questions are summed up with all others: the body has to
	// be judged again when the imports have changed, or when anything has.
	imports, bound bool
}

func (n *needs) add(q need) {
	for i := range n.list {
		if p := &n.list[i]; p.kind == q.kind && p.module == q.module && p.name == q.name && p.state == q.state {
			return
		}
	}
	n.list = append(n.list, q)
}

// holds reports whether a verdict on a body still holds.
func (p *Program) holds(v *verdict) bool {
	if p.unmoved {
		return true
	}
	if v.found != nil || !p.settled || v.needs.bound || v.needs.imports && !p.imported {
		return false
	}
	for i := range v.needs.list {
		if n := &v.needs.list[i]; p.answer(n) != n.sum {
			return false
		}
	}
	return true
}

// answer sums up what a question leads to in this program.
func (p *Program) answer(n *need) uint64 {
	m := p.Modules[n.module]
	switch n.kind {
	case needsModule:
		return m.leadsTo(n.name)
	case needsVerb:
		return m.verb(n.name)
	case needsValue:
		return m.value(n.name)
	}
	if sum, ok := p.takerSums[n.state]; ok {
		return sum
	}
	sum := uint64(0)
	for _, m := range p.Modules {
		for _, in := range m.takers[n.state] {
			sum = mix(sum, mix(maphash.String(seed, m.Path), m.sumOf(in.tor))+uint64(in.field))
		}
	}
	if p.takerSums == nil {
		p.takerSums = map[takenKey]uint64{}
	}
	p.takerSums[n.state] = sum
	return sum
}

// leadsTo sums up what the module imports under a path.
func (m *Module) leadsTo(path string) uint64 {
	switch n := m.lookup(path); {
	case n != nil:
		return maphash.String(seed, n.Path)
	case m.missing[path]:
		return 1
	}
	return 0
}

// verb sums up the declaration of a verb.
func (m *Module) verb(name string) uint64 {
	n, ok := m.decls.names[name]
	if !ok {
		return 0
	}
	return m.sumOf(n)
}

// sumOf sums up the declaration of a tor. One of the library is always the same.
func (m *Module) sumOf(n int32) uint64 {
	if m.Std {
		return uint64(n)
	}
	s := m.sketchOf(n)
	sum := s.sum
	if m.decls.stray[n] {
		sum = ^sum
	}
	if s.marks&isQualified != 0 {
		sum = mix(sum, m.prog.sums.imports)
	}
	return sum
}

// value sums up the constants and stores of a name that the module can see:
// constants are those of the module and what it imports, stores those of the
// program.
func (m *Module) value(name string) uint64 {
	sum := uint64(0)
	for _, n := range m.prog.own() {
		if d := n.decls; d.values[name] != 0 {
			sum = mix(sum, d.values[name])
			if n == m || slices.Contains(m.Imports, n) {
				sum = ^sum
			}
			if d.qualifiedValues {
				sum = mix(sum, m.prog.sums.imports)
			}
		}
	}
	return sum
}

// seesTheSame reports whether a declaration sees what it saw when the last verdict
// on it was passed.
func (p *Program) seesTheSame(m marks) bool {
	return p != nil && (p.imported || p.settled && m&isQualified == 0)
}

// number returns which of the own modules of the program it is, or -1.
func (m *Module) number() int16 {
	if m.prog != nil {
		for i, own := range m.prog.own() {
			if own == m {
				return int16(i)
			}
		}
	}
	return -1
}

// needModule notes that a body looks for what its module imports under a path.
func (j *judge) needModule(path string) {
	if j.needs != nil {
		j.needs.add(need{kind: needsModule, module: j.mod.number(), name: path, sum: j.mod.leadsTo(path)})
	}
}

// needVerb notes that a body looks for a verb in a module.
func (j *judge) needVerb(m *Module, name string) {
	if j.needs == nil || m == nil || m.Std {
		return
	}
	if _, ok := m.decls.names[name]; !ok && m.defaults[name] != nil {
		j.needs.bound = true
		return
	}
	j.needs.add(need{kind: needsVerb, module: m.number(), name: name, sum: m.verb(name)})
}

// needPath notes the modules that the resolution of a path looks into.
func (j *judge) needPath(path string, with []*Module, found *Tor) {
	if j.needs == nil {
		return
	}
	if found != nil {
		j.needVerb(found.Module, found.Name)
	}
	module, tor := syntax.SplitPath(path)
	switch {
	case module != "":
		module = strings.ReplaceAll(module, ".", "/")
		j.needModule(module)
		j.needVerb(j.mod.lookup(module), tor)
		return
	case strings.Contains(tor, "/"):
		j.needModule(tor)
		j.needVerb(j.mod.lookup(tor), defaultTor)
		return
	}
	j.needVerb(j.mod, tor)
	if found != nil && found.Module == j.mod {
		return
	}
	j.needModule(tor)
	j.needVerb(j.mod.names[tor], defaultTor)
	for _, m := range with {
		j.needVerb(m, tor)
	}
}

// needValue notes that a body looks for a constant or a store.
func (j *judge) needValue(name string) {
	if j.needs != nil {
		q := need{kind: needsValue, module: j.mod.number(), name: name}
		q.sum = j.prog.answer(&q)
		j.needs.add(q)
	}
}

// needTaker notes that a body looks for who consumes a state.
func (j *judge) needTaker(state takenKey) {
	if j.needs != nil {
		q := need{kind: needsTaker, state: state}
		q.sum = j.prog.answer(&q)
		j.needs.add(q)
	}
}
