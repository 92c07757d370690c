package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
)

// LinkedEditing returns the places where the name of an outcome stands in its
// declaration, in arms and behind =>, to be typed over all at once. It answers
// only if that is the whole of a rename: if no other document names the outcome,
// no host body does, and no arm answers another verb as well.
func LinkedEditing(_ context.Context, s *Snapshot, d *Document, off int) (*protocol.LinkedEditingRanges, error) {
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() || n.entity().Kind != check.OutcomeEntity || s.renamable(n) != nil {
		return nil, err
	}
	r := &renaming{s: s, entity: n.entity()}
	out := &protocol.LinkedEditingRanges{}
	for _, use := range s.uses(d, n.prog, n.entity()) {
		if pathOfFile(use.File) != d.Path || r.single(use) != nil {
			return nil, nil
		}
		out.Ranges = append(out.Ranges, s.Range(d.Syntax, use.Span))
	}
	if len(out.Ranges) < 2 {
		return nil, nil
	}
	word := "[A-Za-z][A-Za-z0-9-]*"
	out.WordPattern = &word
	return out, nil
}
