package check

import (
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
	needsVerb  needKind = iota // a verb of a module
	needsValue                 // constants and stores of a name, wherever they are declared
	needsTaker                 // who consumes a state
)

// needs are the questions of one body.
type needs struct {
	list []need
	// bound says that some answer cannot be summed up: the body has to be judged
	// again when anything has changed.
	bound bool
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
	if !p.settled || v.needs.bound {
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
	switch n.kind {
	case needsVerb:
		return p.Modules[n.module].decls.verb(p.Modules[n.module], n.name)
	case needsValue:
		sum := uint64(0)
		for _, m := range p.own() {
			sum = mix(sum, m.decls.values[n.name])
		}
		return sum
	}
	if sum, ok := p.takerSums[n.state]; ok {
		return sum
	}
	sum := uint64(0)
	for i, m := range p.own() {
		for _, in := range m.takers[n.state] {
			sum = mix(sum, uint64(i)) ^ mix(uint64(in.field), m.decls.sumOf(m, in.tor))
		}
	}
	if p.takerSums == nil {
		p.takerSums = map[takenKey]uint64{}
	}
	p.takerSums[n.state] = sum
	return sum
}

// verb sums up the declaration of a verb.
func (d *declarations) verb(m *Module, name string) uint64 {
	n, ok := d.names[name]
	if !ok {
		return 0
	}
	return d.sumOf(m, n)
}

// sumOf sums up the declaration of a tor.
func (d *declarations) sumOf(m *Module, n int32) uint64 {
	sum := m.sketchOf(n).sum
	if d.stray[n] {
		sum = ^sum
	}
	return sum
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
	for i, own := range j.prog.own() {
		if own == m {
			j.needs.add(need{kind: needsVerb, module: int16(i), name: name, sum: m.decls.verb(m, name)})
			return
		}
	}
	j.needs.bound = true
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
		j.needVerb(j.mod.lookup(strings.ReplaceAll(module, ".", "/")), tor)
		return
	case strings.Contains(tor, "/"):
		j.needVerb(j.mod.lookup(tor), defaultTor)
		return
	}
	j.needVerb(j.mod, tor)
	if found != nil && found.Module == j.mod {
		return
	}
	j.needVerb(j.mod.names[tor], defaultTor)
	for _, m := range with {
		j.needVerb(m, tor)
	}
}

// needValue notes that a body looks for a constant or a store.
func (j *judge) needValue(name string) {
	if j.needs != nil {
		q := need{kind: needsValue, name: name}
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
