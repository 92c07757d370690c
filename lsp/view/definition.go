package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Definition leads from a name to what it stands for: a verb to its contract, a
// word of an arm to the declared outcome, a state to what mints it. From the
// name in the declaration of a verb it leads on to the bodies. A pun leads to
// the value and to the field.
func Definition(_ context.Context, s *Snapshot, d *Document, off int) (protocol.DefinitionResult, error) {
	if s.speaksWire(d) {
		return s.links(s.wireTargets(d, off)), nil
	}
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	var out []target
	for _, r := range n.refs {
		switch {
		case r.Entity.Kind == check.StateEntity:
			out = append(out, s.minted(d, n, r.Entity)...)
		case r.Entity.Kind == check.TorEntity && r.Role == check.Declares:
			if bodies := s.bodies(d, n, r.Entity); len(bodies) > 0 {
				out = append(out, bodies...)
				break
			}
			fallthrough
		default:
			if t, ok := declared(n.prog, r.Entity); ok && (r.Role != check.Declares || len(n.refs) == 1) {
				out = append(out, t)
			}
		}
	}
	return s.links(n, out), nil
}

// Declaration leads from a name to its declaration: from the body of a verb to
// the contract.
func Declaration(_ context.Context, s *Snapshot, d *Document, off int) (protocol.DefinitionResult, error) {
	if s.speaksWire(d) {
		return s.links(s.wireTargets(d, off)), nil
	}
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	var out []target
	for _, r := range n.refs {
		if t, ok := declared(n.prog, r.Entity); ok {
			out = append(out, t)
		}
	}
	return s.links(n, out), nil
}

// Implementation leads from a verb to the bodies that stand behind it: flows,
// host bodies, and those that other modules give an abstract one. From an
// outcome it leads to the places that end in it.
func Implementation(_ context.Context, s *Snapshot, d *Document, off int) (protocol.DefinitionResult, error) {
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	switch e := n.entity(); e.Kind {
	case check.TorEntity:
		return s.links(n, s.bodies(d, n, e)), nil
	case check.OutcomeEntity:
		var out []target
		for _, use := range s.uses(d, n.prog, e) {
			if use.Role == check.Constructs {
				out = append(out, target{use.File, use.Span, use.Span})
			}
		}
		return s.links(n, out), nil
	}
	return nil, nil
}

// bodies returns the bodies of a tor. A mock in a test is none.
func (s *Snapshot) bodies(d *Document, n name, e check.Entity) []target {
	var out []target
	for _, use := range s.uses(d, n.prog, e) {
		if use.Role == check.Implements && use.Item.Kind() != syntax.FlowItem {
			out = append(out, target{use.File, solid(use.Item), use.Span})
		}
	}
	return out
}

// minted returns where a state is minted.
func (s *Snapshot) minted(d *Document, n name, e check.Entity) []target {
	var out []target
	for _, use := range s.uses(d, n.prog, e) {
		if use.Role == check.Declares {
			out = append(out, target{use.File, use.Span, use.Span})
		}
	}
	return out
}

// TypeDefinition leads from a value to where its type is declared: the record,
// or the type as the verb that delivers the value names it. From a verb it leads
// to what it returns.
func TypeDefinition(_ context.Context, s *Snapshot, d *Document, off int) (protocol.DefinitionResult, error) {
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	typ := typeOf(n.entity())
	for typ != nil && typ.Kind == check.ListType && typ.Elem != nil {
		typ = typ.Elem
	}
	if typ == nil {
		return nil, nil
	}
	f := n.prog.FileOf(typ.Node)
	if f == nil {
		return nil, nil
	}
	span := typ.Node.Span()
	return s.links(n, []target{{f, span, span}}), nil
}

// typeOf returns the type of what an entity holds or delivers, or nil.
func typeOf(e check.Entity) *check.Type {
	switch fact := e.Fact.(type) {
	case *check.Binding:
		return fact.Type
	case *check.Field:
		return fact.Type
	case *check.Column:
		return fact.Type
	case *check.ConstDecl:
		return fact.Type
	case *check.Outcome:
		return fact.Payload
	case *check.Tor:
		return fact.Return
	case *check.Type:
		return fact
	}
	return nil
}
