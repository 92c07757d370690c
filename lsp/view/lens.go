package view

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// lensData is what a lens is resolved from.
type lensData struct {
	URI uri.URI `json:"uri"`
}

// CodeLenses puts over a verb how often it is used, over a register block what
// it grants in the forms that models read, over the first flow of a program a
// way to run it. How often is counted when a lens comes into view.
func CodeLenses(_ context.Context, s *Snapshot, d *Document) ([]protocol.CodeLens, error) {
	if d.Wire() {
		return nil, nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	data := argument(lensData{d.URI})
	var out []protocol.CodeLens
	runs := false
	for it := range file.Syntax.Items() {
		switch it.Kind() {
		case syntax.TorItem:
			if at := (syntax.TorView{Node: it}).Name(); at.IsValid() {
				out = append(out, protocol.CodeLens{Range: s.Range(d.Syntax, at.Span()), Data: data})
			}
		case syntax.FlowItem:
			call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
			at := s.Range(d.Syntax, call.Path().Span())
			switch block := call.Block(); {
			case !call.Path().IsValid():
			case block.Kind() == syntax.GrantBlock:
				out = append(out, scopeLenses(prog, it, at, d.URI)...)
			case block.Kind() == syntax.ConstBlock || block.Kind() == syntax.ColumnBlock || block.Kind() == syntax.TestBlock:
			case !runs && file.Module == prog.Entry:
				runs = true
				out = append(out, command(at, "run", RunCommand, d.URI))
			}
		}
	}
	return out, nil
}

// scopeLenses lead to what the scope of a register block reads like.
func scopeLenses(p *check.Program, item syntax.Node, at protocol.Range, u uri.URI) []protocol.CodeLens {
	for _, scope := range p.Scopes {
		if scope.Node == item {
			return []protocol.CodeLens{
				command(at, "grammar of this scope", GrammarCommand, u, scope.Name),
				command(at, "vocabulary", VocabularyCommand, u, scope.Name),
				command(at, "manifest", ManifestCommand, u, scope.Name),
			}
		}
	}
	return nil
}

func command(at protocol.Range, title, name string, args ...any) protocol.CodeLens {
	lens := protocol.CodeLens{Range: at, Command: protocol.Command{Title: title, Command: name}}
	for _, arg := range args {
		lens.Command.Arguments = append(lens.Command.Arguments, argument(arg))
	}
	return lens
}

// argument encodes an argument of a command.
func argument(v any) protocol.LSPAny {
	data, err := json.Marshal(v)
	if err != nil {
		panic("view: an argument of our own cannot fail to encode: " + err.Error())
	}
	return protocol.LSPAny(data)
}

// ResolveCodeLens counts the uses of the verb under a lens.
func ResolveCodeLens(_ context.Context, s *Snapshot, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	out := *lens
	var data lensData
	if json.Unmarshal([]byte(lens.Data), &data) != nil || data.URI == "" {
		return &out, nil
	}
	d, err := s.Document(data.URI)
	if err != nil {
		return nil, err
	}
	n, err := s.nameAt(d, s.Offset(d.Syntax, lens.Range.Start))
	if err != nil || !n.named() {
		return &out, err
	}
	locations := s.references(d, n.prog, n.entity(), false)
	title := fmt.Sprintf("%d references", len(locations))
	if len(locations) == 1 {
		title = "1 reference"
	}
	raw, err := protocol.Marshal(locations)
	if err != nil {
		return nil, err
	}
	place, err := protocol.Marshal(lens.Range.Start)
	if err != nil {
		return nil, err
	}
	out.Command = protocol.Command{Title: title, Command: ShowReferences, Arguments: []protocol.LSPAny{
		argument(data.URI), protocol.LSPAny(place), protocol.LSPAny(raw),
	}}
	return &out, nil
}
