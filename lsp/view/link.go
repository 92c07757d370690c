package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// DocumentLinks makes the paths of imports lead to the modules: to their files,
// or to the contracts of the standard library.
func DocumentLinks(_ context.Context, s *Snapshot, d *Document) ([]protocol.DocumentLink, error) {
	if d.Wire() {
		return nil, nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	var out []protocol.DocumentLink
	for it := range file.Syntax.Items() {
		if it.Kind() != syntax.ImportItem {
			continue // to look for them elsewhere would resolve every flow
		}
		for _, r := range prog.ReferencesIn(file, it) {
			if r.Role != check.Imports {
				continue
			}
			target := s.URI(r.Entity.Module.Files[0])
			tip := "Open " + display(r.Entity.Module.Files[0])
			out = append(out, protocol.DocumentLink{Range: s.Range(file.Syntax, r.Span), Target: &target, Tooltip: &tip})
		}
	}
	return out, nil
}
