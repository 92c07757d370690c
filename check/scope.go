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
	// Implemented reports whether a body or a flow stands behind the verb, or
	// the opener serves it (R3, R40). A claim to discharge counts only then.
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

// Verb returns the verb exposed under name, or nil.
func (s *Scope) Verb(name string) *Verb {
	for _, v := range s.Verbs {
		if v.Name == name {
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
