package check

import "github.com/koru-go/koru/syntax"

// Field is one input of a verb, or one field of a record.
type Field struct {
	Name    string
	Type    *Type
	Default syntax.Node // default expression, or the zero Node
	Doc     string      // prose of `- doc(field)` (R5)
	Node    syntax.Node
	// Lent is, for a text field of a verb that a session has defined, the type of
	// the handle that it stands for: `d: string` that the body passes on as a
	// *Dir (R36). It is nil for every other field.
	Lent *Type
}

// Takes returns the type that a session holds the values of the field to.
func (f *Field) Takes() *Type {
	if f.Lent != nil {
		return f.Lent
	}
	return f.Type
}

// Required reports whether a call must supply the field (language.md 12.5).
func (f *Field) Required() bool {
	if f.Default.IsValid() || f.Type.Optional {
		return false
	}
	switch f.Type.Kind {
	case SourceType, InjectedType:
		return false
	}
	return true
}

// Outcome is one declared arm of a verb: an outcome (|) or an effect (!).
type Outcome struct {
	Name     string
	Index    int  // position among the verb's arms
	Raw      bool // `GET /` or [a-z]: any byte string
	Effect   bool
	Optional bool // ?name
	Panic    bool // ?!name
	Payload  *Type
	// Resume is what a handler of an effect must answer: a type, or named arms.
	Resume     *Type
	ResumeArms []*Outcome
	Node       syntax.Node
}

// Annotation is one entry of an annotation block: [pure], [with(std/io)], - doc.
type Annotation struct {
	Name string
	Args []string
	Node syntax.Node
}

// Tor is a verb: what it takes, what it can end in, and how it is implemented.
// It is the one record that calls are judged against, in a file and on the wire.
type Tor struct {
	Module      *Module
	Name        string // dotted: print.ln
	Pub         bool
	Fields      []*Field
	Outcomes    []*Outcome // arms in declared order, effects first
	Return      *Type      // bare return, or nil
	Annotations []Annotation
	Doc         string // prose of the `- doc` block
	Node        syntax.Node
	File        *File // the facet that declares it

	// Procs are the host bodies by target, in source order.
	Procs []*Proc
	// Impl is the implementation by flow, bare return or constant outcome, or nil.
	Impl *Impl
	// Derived marks a verb whose outcomes were derived from a definition.
	Derived bool

	broken   bool
	override *override
}

// Broken reports whether the declaration holds text that the parser could not
// follow. Calls of such a verb are not judged against it: what is missing may
// stand in the broken text.
func (t *Tor) Broken() bool { return t.broken }

// Proc is a host body: proc name|js { ... }.
type Proc struct {
	Name    string
	Targets []string
	Body    string // host text between the braces, byte for byte
	Node    syntax.Node
	File    *File
}

// Has reports whether the verb carries an annotation of that name.
func (t *Tor) Has(annotation string) bool {
	for i := range t.Annotations {
		if t.Annotations[i].Name == annotation {
			return true
		}
	}
	return false
}

// Field returns the input of that name, or nil.
func (t *Tor) Field(name string) *Field {
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Outcome returns the arm of that name, or nil. A declared raw name "*" answers
// for every name that nothing else matches.
func (t *Tor) Outcome(name string) *Outcome {
	var wild *Outcome
	for _, o := range t.Outcomes {
		if o.Name == name {
			return o
		}
		if o.Raw && o.Name == "*" {
			wild = o
		}
	}
	return wild
}

// Branches reports whether the verb ends in named outcomes.
func (t *Tor) Branches() bool {
	for _, o := range t.Outcomes {
		if !o.Effect {
			return true
		}
	}
	return false
}

// Void reports whether the verb ends without an outcome name and without a value.
func (t *Tor) Void() bool { return t.Return == nil && !t.Branches() }

// Path returns the verb's full name as calls spell it: std/io:print.ln.
func (t *Tor) Path() string {
	if t.Module == nil {
		return t.Name
	}
	return pathOf(t.Module, t.Name)
}
