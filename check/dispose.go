package check

import (
	"fmt"
	"slices"

	"github.com/koru-go/koru/syntax"
)

// disposers knows every verb of a program that consumes a state, by the state
// and the base type it takes. Each module has a table of its own, which versions
// of a module share (Module.takers).
type disposers struct {
	modules []*Module       // in their order
	heirs   map[*Tor][]*Tor // the verbs that implementations leave their inputs to
	asked   func(takenKey)  // hears of every state that is looked for; or nil
}

// takenKey names a resource: a state and the base type that carries it. The
// module of the type is left out, for the owner of the state tells it.
type takenKey struct{ module, state, base string }

// taker is one input that consumes a state.
type taker struct {
	tor      *Tor
	field    int
	disposes bool // a call of it can be inserted
}

// choice is what can be done about a debt.
type choice struct {
	one     *taker   // the disposer to insert, if there is exactly one
	several []*taker // the disposers, if there is not
	takers  []*taker // who takes the state without handing it back
	returns []*taker // who takes it and hands it back
	lenient *taker   // who accepts it beside a state that it consumes
}

// collectTakers makes the tables of the own modules; those of the library have
// theirs.
func (p *Program) collectTakers(own []*Module) {
	for _, m := range own {
		if old := p.old.module(m.stem); p.imported && old.decls == m.decls {
			m.takers = old.takers
		} else {
			m.collectTakers(p)
		}
	}
	p.takers = &disposers{modules: p.Modules, heirs: map[*Tor][]*Tor{}}
}

// collectTakers makes the table of a module. What is known of a declaration from
// the last time is taken over if that still holds.
func (m *Module) collectTakers(p *Program) {
	m.takers = map[takenKey][]taken{}
	n := int32(0)
	for _, f := range m.Files {
		for _, i := range f.outline.tors {
			if f.outline.marks[i]&isStateful != 0 {
				var takes []take
				if v := f.verdict(int(i)); v != nil && p.seesTheSame(f.outline.marks[i]) {
					takes = v.takes
				} else {
					takes = takesOf(m.tor(n))
				}
				for _, t := range takes {
					m.takers[t.key] = append(m.takers[t.key], taken{n, t.field, t.lenient})
				}
			}
			n++
		}
	}
}

// takesOf lists the inputs of a tor that consume a state, with those that accept
// one beside the state that they consume.
func takesOf(t *Tor) []take {
	var out []take
	for i, f := range t.Fields {
		if f.Type == nil || f.Type.Phantom == nil {
			continue
		}
		for _, s := range f.Type.Phantom.Members {
			if s.Consume || consumes(f.Type.Phantom) {
				out = append(out, take{takenKey{s.Module, s.Name, f.Type.Name}, int32(i), !s.Consume})
			}
		}
	}
	return out
}

// of returns the inputs that consume a state, of all modules in their order.
func (d *disposers) of(key takenKey) []*taker {
	if d.asked != nil {
		d.asked(key)
	}
	var out []*taker
	for _, m := range d.modules {
		for _, in := range m.takers[key] {
			if !in.lenient {
				t := m.tor(in.tor)
				out = append(out, &taker{t, int(in.field), disposes(t, int(in.field))})
			}
		}
	}
	return out
}

// lenient returns the first input that consumes another state and accepts this
// one, which it leaves owed: <!open|closing> for closing.
func (d *disposers) lenient(key takenKey) *taker {
	for _, m := range d.modules {
		for _, in := range m.takers[key] {
			if in.lenient {
				return &taker{tor: m.tor(in.tor), field: int(in.field)}
			}
		}
	}
	return nil
}

// choose decides what ends a debt in one of the states, seen from a module:
// its own verbs and the public ones of every loaded module count (R74), but not
// the verb whose body is asking.
func (d *disposers) choose(states []State, t *Type, from *Module, asking *Tor) choice {
	var c choice
	if d == nil || len(states) == 0 {
		return c
	}
	for _, k := range d.of(takenKey{states[0].Module, states[0].Name, t.Name}) {
		switch {
		case k.tor == asking, !k.tor.Pub && k.tor.Module != from, !k.ends(states):
		case k.reissues(states):
			c.returns = append(c.returns, k)
		default:
			c.takers = append(c.takers, k)
			if k.disposes {
				c.several = append(c.several, k)
			}
		}
	}
	c.one, c.several = elect(c.several)
	if k := d.lenient(takenKey{states[0].Module, states[0].Name, t.Name}); k != nil && (k.tor.Pub || k.tor.Module == from) {
		c.lenient = k
	}
	return c
}

// elect picks the only disposer, or the only one marked [!].
func elect(among []*taker) (*taker, []*taker) {
	marked, n := (*taker)(nil), 0
	for _, k := range among {
		if k.tor.Has("!") {
			marked = k
			n++
		}
	}
	switch {
	case len(among) == 1:
		return among[0], nil
	case n == 1:
		return marked, nil
	}
	return nil, among
}

// ends reports whether the input discharges every one of the states.
func (k *taker) ends(states []State) bool {
	for _, s := range states {
		if !slices.ContainsFunc(k.tor.Fields[k.field].Type.Phantom.Members, func(m State) bool { return m.Consume && m.Same(s) }) {
			return false
		}
	}
	return true
}

// reissues reports whether some outcome hands the same resource back in one of
// the states: a use, not a disposal (language.md 5.1).
func (k *taker) reissues(states []State) bool {
	base := k.tor.Fields[k.field].Type.Name
	return delivers(k.tor, func(t *Type) bool {
		return t.Name == base && slices.ContainsFunc(t.Phantom.Members, func(m State) bool {
			return m.Mint && slices.ContainsFunc(states, m.Same)
		})
	})
}

// nearState returns the input that consumes a state whose name is near, of the
// same module and carried by the same base type, or nil.
func (d *disposers) nearState(s State, base string) *taker {
	if d == nil {
		return nil
	}
	var names []string
	for _, m := range d.modules {
		for k := range m.takers {
			if k.module == s.Module && k.base == base && len(d.of(k)) > 0 {
				names = append(names, k.state)
			}
		}
	}
	slices.Sort(names)
	if near := Nearest(s.Name, names); near != "" {
		return d.of(takenKey{s.Module, near, base})[0]
	}
	return nil
}

// leads reports whether a resource of type t gets from its states to one that a
// place consumes, through verbs that take it in one state and hand it back in
// another.
func (d *disposers) leads(from []State, to *Phantom, t *Type) bool {
	if d == nil || t == nil {
		return false
	}
	seen := slices.Clone(from)
	for i := 0; i < len(seen); i++ {
		if i >= len(from) && slices.ContainsFunc(to.Members, func(m State) bool { return m.Consume && m.Same(seen[i]) }) {
			return true
		}
		for _, k := range d.of(takenKey{seen[i].Module, seen[i].Name, t.Name}) {
			delivers(k.tor, func(out *Type) bool {
				for _, m := range out.Phantom.Members {
					if out.Name == t.Name && m.Mint && !slices.ContainsFunc(seen, m.Same) {
						seen = append(seen, m)
					}
				}
				return false
			})
		}
	}
	return false
}

// disposes reports whether a call of the verb can be written without knowing
// anything but the resource: every other input has a default, no effect needs
// a handler, and nothing comes back that somebody would have to bind. A verb
// marked [!] may return a value, as long as it owes nothing.
func disposes(t *Tor, field int) bool {
	if t.Has("transform") || t.Has("norun") || !t.Void() && !(t.Has("!") && !t.Branches()) {
		return false
	}
	for _, o := range t.Outcomes {
		if o.Effect && !o.Optional {
			return false
		}
	}
	for i, f := range t.Fields {
		if i != field && f.Required() {
			return false
		}
	}
	return !delivers(t, func(t *Type) bool {
		return slices.ContainsFunc(t.Phantom.Members, func(m State) bool { return m.Mint })
	})
}

// delivers reports whether some part of what the verb delivers has a state
// that is looked for.
func delivers(t *Tor, want func(*Type) bool) bool {
	if finds(t.Return, want) {
		return true
	}
	for _, o := range t.Outcomes {
		if finds(o.Payload, want) {
			return true
		}
	}
	return false
}

func finds(t *Type, want func(*Type) bool) bool {
	if t == nil {
		return false
	}
	if t.Phantom != nil && want(t) {
		return true
	}
	if finds(t.Elem, want) {
		return true
	}
	for _, f := range t.Fields {
		if finds(f.Type, want) {
			return true
		}
	}
	return false
}

// rings refuses implementations that leave their input to each other: the
// inserted calls would go round for ever and nobody would discharge anything.
func (j *judge) rings() {
	for t := range j.prog.takers.heirs {
		if t.File != j.file {
			continue
		}
		ring := j.prog.takers.ring(t)
		if ring == nil {
			continue
		}
		field := t.Fields[0]
		for _, f := range t.Fields {
			if f.Type.Phantom != nil && slices.ContainsFunc(f.Type.Phantom.Members, func(s State) bool { return s.Consume }) {
				field = f
				break
			}
		}
		h := holding{states: field.Type.Phantom.Members}
		text := fmt.Sprintf("Resource '%s' obligation <%s> was not discharged: '%s' leaves it to '%s'", field.Name, h.owing(), t.Name, ring[0].Name)
		for _, next := range ring[1:] {
			text += fmt.Sprintf(", which leaves it to '%s'", next.Name)
		}
		j.fault("KORU030", syntax.FieldView{Node: field.Node}.Name().Span(), text)
	}
}

// ring follows the heirs of a verb back to it: it returns the verbs after the
// first, which ends the list, or nil. Of each ring only the verb whose path
// sorts first has one, so that it is reported once.
func (d *disposers) ring(t *Tor) []*Tor {
	from := map[*Tor]*Tor{}
	for queue := []*Tor{t}; len(queue) > 0; queue = queue[1:] {
		for _, next := range d.heirs[queue[0]] {
			if from[next] != nil || next.Path() < t.Path() {
				continue
			}
			from[next] = queue[0]
			queue = append(queue, next)
		}
	}
	if from[t] == nil {
		return nil
	}
	way := []*Tor{t}
	for at := from[t]; at != t; at = from[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return way
}

// Disposer returns the verb whose call lets go of a resource of type t in a
// state, and the field that takes it; nil if there is none or a choice. What a
// machine does for a flow that has failed is what the checker would have
// inserted into it.
func (p *Program) Disposer(s State, t *Type, from *Module) (tor *Tor, field int) {
	if c := p.takers.choose([]State{s}, t, from, nil); c.one != nil {
		return c.one.tor, c.one.field
	}
	return nil, 0
}
