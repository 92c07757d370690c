package check

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Fact is what the checker knows about a verb or a flow and a reader cannot see
// at a glance: what it can cost, what it ends in, what it owes, and what is
// inserted into it (R9, R77).
type Fact struct {
	File *File
	Span syntax.Span

	Kind     string      // tor, flow or definition
	Name     string      // the verb; for a flow the one that it calls first
	Costs    []ScopeCost // what its body can cost, in the scopes where it costs anything
	Ends     []string    // the outcomes that its body ends in, in declared order
	Mints    []Mint
	Consumes []FieldState
	Requires []FieldState
	Inserted []Settlement
}

// ScopeCost is what something can cost in one scope.
type ScopeCost struct {
	Scope string
	Cost
}

// FieldState is a state that a field of a verb is asked to be in.
type FieldState struct {
	Field string
	Consume
}

// Facts returns what is known of the verbs and flows of the program's own
// modules, by file and position.
func (p *Program) Facts() []Fact {
	var facts []Fact
	for _, m := range p.own() {
		for _, t := range m.Tors() {
			if !t.Broken() {
				facts = append(facts, p.torFact(t))
			}
		}
		for _, f := range m.Flows {
			fact := Fact{File: f.File, Span: bodySpan(f.Node), Kind: "flow", Name: headOf(f)}
			p.bodyFacts(&fact, f)
			facts = append(facts, fact)
		}
	}
	slices.SortStableFunc(facts, func(a, b Fact) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	return facts
}

func (p *Program) torFact(t *Tor) Fact {
	fact := obligationsOf(p.NewVerb(t.Name, t, 0, t.Node))
	fact.File, fact.Span, fact.Kind = t.File, t.nameSpan(), "tor"
	if t.Impl != nil {
		if f := t.Impl.Body(); f != nil {
			p.bodyFacts(&fact, f)
		}
	}
	return fact
}

// DefinitionFact returns what is known of a verb that a session has defined.
func DefinitionFact(scope string, f *File, decl syntax.Node, v *Verb) Fact {
	fact := obligationsOf(v)
	fact.File, fact.Span, fact.Kind = f, (syntax.TorView{Node: decl}).Name().Span(), "definition"
	fact.Costs = []ScopeCost{{scope, Cost{Least: v.Least, Greatest: v.Greatest, Unbounded: v.Unbounded}}}
	fact.Ends = endsOf(v.Flow)
	return fact
}

// obligationsOf reads off a verb's signature what it does to debts.
func obligationsOf(v *Verb) Fact {
	fact := Fact{Name: v.Name, Mints: v.Mints}
	for _, c := range v.Consumes {
		fact.Consumes = append(fact.Consumes, FieldState{v.Tor.Fields[c.Field].Name, c})
	}
	for _, c := range v.Requires {
		fact.Requires = append(fact.Requires, FieldState{v.Tor.Fields[c.Field].Name, c})
	}
	return fact
}

// bodyFacts adds what follows from a body.
func (p *Program) bodyFacts(fact *Fact, f *Flow) {
	for _, s := range p.Scopes {
		words := Vocabulary{Scope: s}
		if c := words.FlowCost(f); c != (Cost{}) {
			fact.Costs = append(fact.Costs, ScopeCost{s.Name, c})
		}
	}
	fact.Ends = endsOf(f)
	fact.Inserted = f.Settlements()
}

// bodySpan is the part of an item that is the flow, without what stands above it.
func bodySpan(item syntax.Node) syntax.Span {
	if chain := item.Child(syntax.Chain); chain.IsValid() {
		return chain.Span()
	}
	return item.Span()
}

func headOf(f *Flow) string {
	return syntax.CallView{Node: f.Node.Child(syntax.Chain).Child(syntax.Call)}.Path().Text()
}

// endsOf lists the outcomes that the paths of a body end in.
func endsOf(f *Flow) []string {
	if f == nil || f.Owner == nil || f.Body == nil {
		return nil
	}
	e := ends{outcomes: map[*Outcome]bool{}, walked: map[*Chain]bool{}}
	e.chain(f.Body)
	var names []string
	for _, o := range f.Owner.Outcomes {
		if e.outcomes[o] {
			names = append(names, o.Name)
		}
	}
	return names
}

// ends collects where paths end. Bodies that calls share are walked once.
type ends struct {
	outcomes map[*Outcome]bool
	walked   map[*Chain]bool
}

func (e *ends) chain(c *Chain) {
	if c == nil || e.walked[c] {
		return
	}
	e.walked[c] = true
	for _, s := range c.Steps {
		e.call(s.Call)
	}
	if c.End != nil {
		if c.End.Outcome != nil && !c.End.Resume {
			e.outcomes[c.End.Outcome] = true
		}
		e.call(c.End.Call)
	}
}

func (e *ends) call(c *Call) {
	if c == nil {
		return
	}
	for _, a := range c.Arms {
		e.chain(a.Body)
	}
}

// WriteFacts writes facts as JSON, one object a line.
func WriteFacts(w io.Writer, facts []Fact) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for i := range facts {
		if err := out.Encode(factOf(&facts[i])); err != nil {
			return err
		}
	}
	return nil
}

// The fields of a fact as scripts see it. What does not apply is left out.
type (
	jsonFact struct {
		File     string          `json:"file"`
		Kind     string          `json:"kind"`
		Name     string          `json:"name"`
		Range    json.RawMessage `json:"range"`
		Costs    []jsonCost      `json:"costs,omitempty"`
		Ends     []string        `json:"ends,omitempty"`
		Mints    []jsonMint      `json:"mints,omitempty"`
		Consumes []jsonState     `json:"consumes,omitempty"`
		Requires []jsonState     `json:"requires,omitempty"`
		Inserted []jsonInsertion `json:"inserted,omitempty"`
	}
	jsonCost struct {
		Scope    string  `json:"scope"`
		Least    uint64  `json:"least"`
		Greatest *uint64 `json:"greatest"` // null: without bound
	}
	jsonMint struct {
		Outcome string `json:"outcome"`
		Field   string `json:"field,omitempty"`
		Type    string `json:"type"`
		State   string `json:"state"`
	}
	jsonState struct {
		Field  string   `json:"field"`
		Type   string   `json:"type"`
		States []string `json:"states"`
	}
	jsonInsertion struct {
		Range json.RawMessage `json:"range"`
		Calls []jsonCall      `json:"calls"`
	}
	jsonCall struct {
		Verb     string `json:"verb"`
		Resource string `json:"resource"`
	}
)

func factOf(f *Fact) jsonFact {
	out := jsonFact{File: f.File.Path, Kind: f.Kind, Name: f.Name, Range: appendRange(nil, f.File, f.Span), Ends: f.Ends}
	for _, c := range f.Costs {
		cost := jsonCost{Scope: c.Scope, Least: c.Least}
		if !c.Unbounded {
			cost.Greatest = &c.Greatest
		}
		out.Costs = append(out.Costs, cost)
	}
	for _, m := range f.Mints {
		mint := jsonMint{Outcome: m.Outcome, Type: m.ResourceType, State: m.State.print()}
		if m.Field != SelfField {
			mint.Field = m.Field
		}
		out.Mints = append(out.Mints, mint)
	}
	out.Consumes, out.Requires = statesOf(f.Consumes), statesOf(f.Requires)
	for _, s := range f.Inserted {
		in := jsonInsertion{Range: appendRange(nil, f.File, s.At.Span())}
		for _, d := range s.Disposals {
			in.Calls = append(in.Calls, jsonCall{d.Tor.Path(), resourceName(d)})
		}
		out.Inserted = append(out.Inserted, in)
	}
	return out
}

func statesOf(list []FieldState) (out []jsonState) {
	for _, s := range list {
		state := jsonState{Field: s.Field, Type: s.ResourceType}
		for _, st := range s.States {
			state.States = append(state.States, st.print())
		}
		out = append(out, state)
	}
	return out
}

// resourceName names what an inserted call lets go of; a value that the flow
// discards goes by _.
func resourceName(d Disposal) string {
	name := d.Binding.Name
	if name == "" {
		name = "_"
	}
	return strings.Join(append([]string{name}, d.Path...), ".")
}
