package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
)

// References returns every place in the workspace that names what stands at an
// offset, the declaration only if it is asked for.
func References(_ context.Context, s *Snapshot, d *Document, off int, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	if s.speaksWire(d) {
		out := []protocol.Location{}
		for _, span := range s.wireUses(d, off) {
			out = append(out, protocol.Location{URI: d.URI, Range: s.Range(d.Syntax, span)})
		}
		return out, nil
	}
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	return s.references(d, n.prog, n.entity(), p.Context.IncludeDeclaration), nil
}

func (s *Snapshot) references(d *Document, p *check.Program, e check.Entity, declaration bool) []protocol.Location {
	out := []protocol.Location{}
	for _, use := range s.uses(d, p, e) {
		if use.Role != check.Declares || declaration || e.Kind == check.StateEntity {
			out = append(out, s.Location(use.File, use.Span))
		}
	}
	return append(out, s.inWire(e)...)
}

// Highlights returns the places in the document that name what stands at an
// offset. What gives the entity its value, its body or its name is a write.
func Highlights(_ context.Context, s *Snapshot, d *Document, off int) ([]protocol.DocumentHighlight, error) {
	if s.speaksWire(d) {
		out := []protocol.DocumentHighlight{}
		for _, span := range s.wireUses(d, off) {
			out = append(out, protocol.DocumentHighlight{Range: s.Range(d.Syntax, span), Kind: protocol.DocumentHighlightKindRead})
		}
		return out, nil
	}
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() {
		return nil, err
	}
	var out []protocol.DocumentHighlight
	for _, use := range n.prog.UsesIn(n.file, n.entity()) {
		kind := protocol.DocumentHighlightKindRead
		switch use.Role {
		case check.Declares, check.Implements, check.Writes, check.Constructs:
			kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: s.Range(n.file.Syntax, use.Span), Kind: kind})
	}
	return out, nil
}
