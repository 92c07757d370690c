package lsp

import (
	"encoding/json"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/syntax"
)

// target is what most requests are about. It is decoded apart from the
// parameters of the protocol's types because those cannot tell a member that is
// missing from a zero, and respell the URI, which answers are to repeat as the
// client wrote it.
type target struct {
	TextDocument *struct {
		URI *string `json:"uri"`
	} `json:"textDocument"`
	Position *place `json:"position"`
	Range    *struct {
		Start *place `json:"start"`
		End   *place `json:"end"`
	} `json:"range"`

	doc  *view.Document
	off  int
	span syntax.Span
}

type place struct {
	Line      *uint32 `json:"line"`
	Character *uint32 `json:"character"`
}

func (p *place) position() protocol.Position {
	return protocol.Position{Line: *p.Line, Character: *p.Character}
}

// decodeTarget reads what a request is about and finds it in the snapshot.
func decodeTarget(s *view.Snapshot, raw json.RawMessage, position, span bool) (*target, error) {
	t := &target{}
	if len(raw) == 0 {
		return nil, invalid("params are missing")
	}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, invalid("params: %v", err)
	}
	if t.TextDocument == nil || t.TextDocument.URI == nil {
		return nil, invalid("params.textDocument.uri is missing")
	}
	if position && !t.Position.whole() {
		return nil, invalid("params.position needs a line and a character")
	}
	if span && (t.Range == nil || !t.Range.Start.whole() || !t.Range.End.whole()) {
		return nil, invalid("params.range needs a start and an end")
	}
	doc, err := s.Document(uri.URI(*t.TextDocument.URI))
	if err != nil {
		return nil, err
	}
	t.doc = doc
	if position {
		t.off = s.Offset(doc.Syntax, t.Position.position())
	}
	if span {
		t.span = s.Span(doc.Syntax, protocol.Range{Start: t.Range.Start.position(), End: t.Range.End.position()})
	}
	return t, nil
}

func (p *place) whole() bool { return p != nil && p.Line != nil && p.Character != nil }

// decode reads the parameters of a request.
func decode[P any](raw json.RawMessage) (*P, error) {
	p := new(P)
	if len(raw) == 0 {
		return nil, invalid("params are missing")
	}
	if err := protocol.Unmarshal(raw, p); err != nil {
		return nil, invalid("params: %v", err)
	}
	return p, nil
}

// decodeAbout reads the parameters of a request about a document. Some clients
// spell URIs as the protocol's types will not have them; those are read again
// with the canonical spelling in that place.
func decodeAbout[P any](s *view.Snapshot, u uri.URI, raw json.RawMessage) (*P, error) {
	p, err := decode[P](raw)
	if err == nil {
		return p, nil
	}
	if again, ok := respelled(raw, s.Canonical(u)); ok {
		if p, again := decode[P](again); again == nil {
			return p, nil
		}
	}
	return nil, err
}

// respelled puts a URI in the place of params.textDocument.uri.
func respelled(raw json.RawMessage, u uri.URI) (json.RawMessage, bool) {
	var params, document map[string]json.RawMessage
	if json.Unmarshal(raw, &params) != nil || json.Unmarshal(params["textDocument"], &document) != nil {
		return nil, false
	}
	document["uri"] = quote(string(u))
	text, err := json.Marshal(document)
	if err != nil {
		return nil, false
	}
	params["textDocument"] = text
	text, err = json.Marshal(params)
	return text, err == nil
}

func invalid(format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
