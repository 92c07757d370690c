package check

import "github.com/koru-go/koru/syntax"

// Scope is the vocabulary that one register block grants. It is built once and
// never changes; dispatch, cost, possession and every render read this record
// and nothing else (design.md 3.2).
type Scope struct {
	Name     string
	Module   *Module
	Node     syntax.Node
	Verbs    []*Verb  // in declared order, includes and globs expanded in place
	Includes []string // direct scope(...) lines, in order, without repeats

	byName map[string]*Verb
}

// Verb is one granted tor under the name that the scope exposes, or one verb a
// session has defined.
type Verb struct {
	Name string
	Tor  *Tor
	Cost uint64
	Node syntax.Node // the grant

	Mints    []Mint    // obligations its outcomes create
	Consumes []Consume // obligations its inputs discharge
	Requires []Consume // states its inputs demand without consuming
	// Implemented reports whether a body that runs here or a flow stands behind
	// the verb. One without is served by whoever opened the bridge (R3), or fails
	// when it is called; its claim to discharge counts only if it is served
	// (bridge.md 2.7, R40).
	Implemented bool
	// Definition is the source of a verb that a session defined, or "".
	Definition string
	Flow       *Flow // the body of a definition
	Least      uint64
	Greatest   uint64 // meaningless if Unbounded
	Unbounded  bool
}

// Mint is one obligation that an outcome creates.
type Mint struct {
	Outcome      string // "" for a bare return
	Field        string // field of a record payload, or SelfField
	State        State
	ResourceType string
}

// Consume is one state that an input demands.
type Consume struct {
	Field        int // index in Tor.Fields
	States       []State
	ResourceType string
	Capability   bool // a host object, named only through rN
}

// SelfField is the field name of a payload that is the resource itself
// (bridge.md 2.6).
const SelfField = "__type_ref"

// NewVerb makes the record of a verb: what it mints, consumes and requires is
// read off the declaration of its tor (bridge.md 2.6).
func (p *Program) NewVerb(name string, t *Tor, cost uint64, grant syntax.Node) *Verb {
	v := &Verb{Name: name, Tor: t, Cost: cost, Node: grant, Least: cost, Greatest: cost, Implemented: p.Implemented(t)}
	for i, f := range t.Fields {
		if f.Type.Phantom == nil {
			continue
		}
		takes := Consume{Field: i, ResourceType: f.Type.Resource(), Capability: f.Type.IsCapability()}
		needs := takes
		for _, s := range f.Type.Phantom.Members {
			if s.Consume {
				takes.States = append(takes.States, s)
			} else {
				needs.States = append(needs.States, s)
			}
		}
		if takes.States != nil {
			v.Consumes = append(v.Consumes, takes)
		}
		if needs.States != nil {
			v.Requires = append(v.Requires, needs)
		}
	}
	v.mints("", t.Return)
	for _, o := range t.Outcomes {
		if !o.Effect {
			v.mints(o.Name, o.Payload)
		}
	}
	return v
}

// mints records the obligations that one outcome creates, in declared order.
func (v *Verb) mints(outcome string, payload *Type) {
	if payload == nil {
		return
	}
	add := func(field string, ty *Type) {
		mintsOf(ty, func(ty *Type, s State) {
			v.Mints = append(v.Mints, Mint{outcome, field, s, ty.Resource()})
		})
	}
	if payload.Kind != RecordType {
		add(SelfField, payload)
	}
	for _, f := range payload.Fields {
		add(f.Name, f.Type)
	}
}

// Resource returns the name under which a handle of the type is known: its
// base, without pointer, brackets and module (bridge.md 2.6).
func (t *Type) Resource() string {
	for t.Kind == ListType {
		t = t.Elem
	}
	if t.Kind == TextType && t.Bits > 0 {
		return "char"
	}
	return t.Name
}

// Consumes reports whether the verb discharges the state.
func (v *Verb) consumes(state State) bool {
	for i := range v.Consumes {
		for _, s := range v.Consumes[i].States {
			if s.Same(state) {
				return true
			}
		}
	}
	return false
}

// reissues reports whether the verb creates the state.
func (v *Verb) reissues(state State) bool {
	for i := range v.Mints {
		if v.Mints[i].State.Same(state) {
			return true
		}
	}
	return false
}

// Verb returns the verb exposed under name, or nil.
func (s *Scope) Verb(name string) *Verb {
	if s.byName != nil {
		return s.byName[name]
	}
	for _, v := range s.Verbs {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func (s *Scope) index() {
	s.byName = make(map[string]*Verb, len(s.Verbs))
	for _, v := range s.Verbs {
		s.byName[v.Name] = v
	}
}

// Discharger returns the verb that lets go of what is held in a state: the
// first that consumes the state, does not create it again, and has something
// behind it, be it a body or an opener that serves it (bridge.md 2.7). Nil means
// that the obligation strands.
func (s *Scope) Discharger(state State, served bool) *Verb {
	for _, v := range s.Verbs {
		if v.consumes(state) && !v.reissues(state) && (v.Implemented || served) {
			return v
		}
	}
	return nil
}

// Vocabulary is what one session may call: the scope, and what it has defined,
// in order of definition.
type Vocabulary struct {
	Scope   *Scope
	Defined []*Verb
	// Introspect arms vocabulary() and grammar() on the wire.
	Introspect bool
}

// Verb returns the granted or defined verb of that name, or nil.
func (v *Vocabulary) Verb(name string) *Verb {
	for _, d := range v.Defined {
		if d.Name == name {
			return d
		}
	}
	if v.Scope == nil {
		return nil
	}
	return v.Scope.Verb(name)
}
