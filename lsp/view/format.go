package view

import (
	"context"
	"errors"
	"slices"

	"go.lsp.dev/protocol"

	format "github.com/koru-go/koru/fmt"
	"github.com/koru-go/koru/syntax"
)

// Format returns the edits that bring a document into its canonical form. Items
// with a syntax fault are left as they are.
func Format(_ context.Context, s *Snapshot, d *Document) ([]protocol.TextEdit, error) {
	return s.format(d, nil)
}

// FormatRange formats the items that a range touches.
func FormatRange(_ context.Context, s *Snapshot, d *Document, span syntax.Span, _ *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(d, &span)
}

// FormatRanges formats the items that any of several ranges touches.
func FormatRanges(_ context.Context, s *Snapshot, d *Document, p *protocol.DocumentRangesFormattingParams) ([]protocol.TextEdit, error) {
	edits := []protocol.TextEdit{}
	end := -1 // of the last item that was formatted
	for _, span := range mergedSpans(s, d.Syntax, p.Ranges) {
		found, err := s.edits(d, &span)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if e.Start >= end {
				edits = append(edits, s.textEdit(d.Syntax, e))
				end = e.End
			}
		}
	}
	return edits, nil
}

// mergedSpans returns the ranges as spans in order, those that share an item
// as one.
func mergedSpans(s *Snapshot, f *syntax.File, ranges []protocol.Range) []syntax.Span {
	var spans []syntax.Span
	for _, r := range ranges {
		spans = append(spans, s.Span(f, r))
	}
	slices.SortFunc(spans, func(a, b syntax.Span) int { return a.Start - b.Start })
	var out []syntax.Span
	for _, span := range spans {
		if n := len(out); n > 0 && f.ItemAt(span.Start) <= f.ItemAt(out[n-1].End) {
			out[n-1].End = max(out[n-1].End, span.End)
			continue
		}
		out = append(out, span)
	}
	return out
}

// FormatOnType lays out the construct that a typed character has completed: the
// one before the new line, or the one that a brace closes. Nothing at the cursor
// or behind it moves.
func FormatOnType(_ context.Context, s *Snapshot, d *Document, off int, p *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	limit, at := off, off-1
	if p.Ch == "\n" {
		limit = d.Syntax.LineStart(d.Syntax.LineOf(off))
		for at = limit - 1; at > 0 && (d.Syntax.Text()[at] == '\n' || d.Syntax.Text()[at] == '\r'); at-- {
		}
	}
	if at < 0 {
		return []protocol.TextEdit{}, nil
	}
	found, err := s.edits(d, &syntax.Span{Start: at, End: at})
	if err != nil {
		return nil, err
	}
	edits := []protocol.TextEdit{}
	for _, e := range found {
		if e.End < limit {
			edits = append(edits, s.textEdit(d.Syntax, e))
		}
	}
	return edits, nil
}

func (s *Snapshot) format(d *Document, only *syntax.Span) ([]protocol.TextEdit, error) {
	found, err := s.edits(d, only)
	if err != nil {
		return nil, err
	}
	edits := make([]protocol.TextEdit, len(found))
	for i, e := range found {
		edits[i] = s.textEdit(d.Syntax, e)
	}
	return edits, nil
}

func (s *Snapshot) edits(d *Document, only *syntax.Span) ([]syntax.Edit, error) {
	found, err := format.Edits(d.Syntax, format.Options{World: s.inWorld(d.Path), Only: only})
	if errors.Is(err, format.ErrChanged) {
		return nil, Refusal(err.Error())
	}
	return found, err
}

// textEdit converts an edit for the client. There is no position between the two
// characters of a CRLF, so an edit that begins or ends there takes both.
func (s *Snapshot) textEdit(f *syntax.File, e syntax.Edit) protocol.TextEdit {
	text := f.Text()
	if splits(text, e.Start) {
		e.Start, e.Text = e.Start-1, "\r"+e.Text
	}
	if splits(text, e.End) {
		e.End, e.Text = e.End+1, e.Text+"\n"
	}
	return protocol.TextEdit{Range: s.Range(f, syntax.Span{Start: e.Start, End: e.End}), NewText: e.Text}
}

// splits reports whether an offset lies between a CR and its LF.
func splits(text string, off int) bool {
	return off > 0 && off < len(text) && text[off-1] == '\r' && text[off] == '\n'
}
