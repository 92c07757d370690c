package view

import (
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// inWire returns the places in the wire documents that are open which name an
// entity of a program: a verb that their scope grants, one of its fields, one of
// its outcomes.
func (s *Snapshot) inWire(e check.Entity) []protocol.Location {
	var out []protocol.Location
	for _, path := range slices.Sorted(maps.Keys(s.open)) {
		d := s.open[path]
		if !s.speaksWire(d) {
			continue
		}
		w, err := s.examine(d)
		if err != nil {
			continue // no scope is chosen for it
		}
		for i := range w.Calls {
			for _, n := range namesOfCall(&w.Calls[i]) {
				if n.entity.ID() == e.ID() {
					out = append(out, protocol.Location{URI: d.URI, Range: s.Range(d.Syntax, n.span)})
				}
			}
		}
	}
	return out
}

// namesOfCall returns the names of the program that a call of wire text holds.
func namesOfCall(c *bridge.ExaminedCall) []wireName {
	view := syntax.CallView{Node: c.Node}
	tor := c.Verb.Tor
	out := []wireName{{span: view.Path().Span(), verb: c.Verb, entity: torEntity(tor)}}
	for a := range view.Args() {
		if f := tor.Field(a.Label().Text()); f != nil && a.Label().IsValid() {
			out = append(out, wireName{span: a.Label().Span(), entity: check.Entity{
				Kind: check.FieldEntity, Name: f.Name, Module: tor.Module, Node: f.Node, Fact: f,
			}})
		}
	}
	for _, a := range c.Arms {
		if a.Outcome != nil {
			out = append(out, wireName{span: syntax.ArmView{Node: a.Node}.Name().Span(), entity: check.Entity{
				Kind: check.OutcomeEntity, Name: a.Outcome.Name, Module: tor.Module, Node: a.Outcome.Node, Fact: a.Outcome,
			}})
		}
	}
	return out
}
