package view

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Hover tells what the name at an offset is.
func Hover(_ context.Context, s *Snapshot, d *Document, off int) (*protocol.Hover, error) {
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	o, ok := SymbolAt(prog, file, off)
	if !ok {
		return nil, nil
	}
	var text string
	switch o.Symbol.Kind {
	case VerbSymbol:
		text = describeVerb(o.Symbol.Tor)
	}
	if text == "" {
		return nil, nil
	}
	r := s.Range(file.Syntax, o.Span)
	return &protocol.Hover{Contents: s.markup(text), Range: &r}, nil
}

// describeVerb is what is to be known of a verb: the declaration as its author
// wrote it, and the prose.
func describeVerb(t *check.Tor) string {
	var b strings.Builder
	b.WriteString("```koru\n" + declaration(t) + "\n```\n")
	if t.Doc != "" {
		b.WriteString("\n" + strings.TrimSpace(t.Doc) + "\n")
	}
	for _, f := range t.Fields {
		if f.Doc != "" {
			b.WriteString("\n- `" + f.Name + "` — " + strings.Join(strings.Fields(f.Doc), " "))
		}
	}
	return b.String()
}

// declaration returns the source of a tor without its annotations.
func declaration(t *check.Tor) string {
	span := t.Node.Span()
	for tok := range t.Node.Tokens() {
		if tok.Kind() == syntax.Name {
			span.Start = tok.Span().Start
			break
		}
	}
	return strings.TrimSpace(t.File.Syntax.Text()[span.Start:span.End])
}

// markup wraps Markdown in the form that the client can show.
func (s *Snapshot) markup(text string) *protocol.MarkupContent {
	if s.opts.Client.Markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: plain(text)}
}

// plain takes the fences out of Markdown of our own.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "```") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}
