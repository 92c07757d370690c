package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/syntax"
)

// feature is one request that is answered from a snapshot. What the server says
// it can do is made of the offers of this table, and of nothing else, so that a
// capability cannot be advertised without what stands behind it.
type feature struct {
	method string
	offer  offer
	answer func(ctx context.Context, s *view.Snapshot, params json.RawMessage) (any, error)
}

// offer adds to the capabilities of the server what a feature provides. A method
// that belongs to the offer of another, as a resolve does, has none of its own.
type offer func(*protocol.ServerCapabilities)

// features lists every request about sources. Each group is a file of its own.
var features = slices.Concat(diagnosticFeatures, formatFeatures, readingFeatures, navigationFeatures)

// atPosition is a feature that asks about a place in a document.
func atPosition[R any](method string, o offer, body func(context.Context, *view.Snapshot, *view.Document, int) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		t, err := decodeTarget(s, raw, true, false)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, t.doc, t.off)
	}}
}

// atPositionWith is atPosition for a feature that reads further parameters.
func atPositionWith[P, R any](method string, o offer, body func(context.Context, *view.Snapshot, *view.Document, int, *P) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		t, err := decodeTarget(s, raw, true, false)
		if err != nil {
			return nil, err
		}
		p, err := decodeAbout[P](s, t.doc.URI, raw)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, t.doc, t.off, p)
	}}
}

// inRange is a feature that asks about a range of a document.
func inRange[P, R any](method string, o offer, body func(context.Context, *view.Snapshot, *view.Document, syntax.Span, *P) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		t, err := decodeTarget(s, raw, false, true)
		if err != nil {
			return nil, err
		}
		p, err := decodeAbout[P](s, t.doc.URI, raw)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, t.doc, t.span, p)
	}}
}

// ofDocument is a feature that asks about a whole document.
func ofDocument[R any](method string, o offer, body func(context.Context, *view.Snapshot, *view.Document) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		t, err := decodeTarget(s, raw, false, false)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, t.doc)
	}}
}

// ofDocumentWith is ofDocument for a feature that reads further parameters.
func ofDocumentWith[P, R any](method string, o offer, body func(context.Context, *view.Snapshot, *view.Document, *P) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		t, err := decodeTarget(s, raw, false, false)
		if err != nil {
			return nil, err
		}
		p, err := decodeAbout[P](s, t.doc.URI, raw)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, t.doc, p)
	}}
}

// ofWorkspace is a feature whose parameters name no document: a search, or
// something that an answer has handed out before.
func ofWorkspace[P, R any](method string, o offer, body func(context.Context, *view.Snapshot, *P) (R, error)) feature {
	return feature{method, o, func(ctx context.Context, s *view.Snapshot, raw json.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return body(ctx, s, p)
	}}
}
