package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

// SelectionRanges returns, for every position, the ranges that an editor grows a
// selection by: the word, the text of the string, every node around it, the
// item with the comments that belong to it, the document.
func SelectionRanges(_ context.Context, s *Snapshot, d *Document, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	out := make([]protocol.SelectionRange, len(p.Positions))
	for i, pos := range p.Positions {
		out[i] = s.selection(d.Syntax, s.Offset(d.Syntax, pos))
	}
	return out, nil
}

func (s *Snapshot) selection(f *syntax.File, off int) protocol.SelectionRange {
	spans := spansAround(f, off)
	var at *protocol.SelectionRange
	for i := len(spans) - 1; i >= 0; i-- {
		at = &protocol.SelectionRange{Range: s.Range(f, spans[i]), Parent: at}
	}
	return *at
}

// spansAround returns the spans that hold an offset, each inside the next.
func spansAround(f *syntax.File, off int) []syntax.Span {
	whole := syntax.Span{Start: 0, End: len(f.Text())}
	outer := []syntax.Span{whole}
	item := f.Item(f.ItemAt(off))
	add := func(span syntax.Span) {
		last := outer[len(outer)-1]
		if span.Contains(off) && span != last && span.Len() > 0 && last.Start <= span.Start && span.End <= last.End {
			outer = append(outer, span)
		}
	}
	for n := item; n.IsValid(); n = childAt(n, off) {
		add(n.Span())
		add(solid(n))
	}
	t := f.TokenAt(off)
	if t.Span().Start == off && t.Kind().IsTrivia() && t.Prev().IsValid() && t.Prev().Span().End == off {
		t = t.Prev()
	}
	if !t.Kind().IsTrivia() || t.Kind() == syntax.Comment {
		add(t.Span())
		if t.Kind() == syntax.String && t.Span().Len() >= 2 {
			add(syntax.Span{Start: t.Span().Start + 1, End: t.Span().End - 1})
		}
		add(wordAround(t, off))
	}
	for i, j := 0, len(outer)-1; i < j; i, j = i+1, j-1 {
		outer[i], outer[j] = outer[j], outer[i]
	}
	return outer
}

// childAt returns the child of a node that holds an offset; between two it is
// the one that begins there.
func childAt(n syntax.Node, off int) syntax.Node {
	found := syntax.Node{}
	for c := range n.Children() {
		if span := c.Span(); span.Contains(off) && span.Len() > 0 {
			found = c
			if off < span.End {
				break
			}
		}
	}
	return found
}

// wordAround returns the part of a token, of a path or of prose, that holds an
// offset.
func wordAround(t syntax.Token, off int) syntax.Span {
	text, base := t.Text(), t.Span().Start
	start, end := off-base, off-base
	for start > 0 && wordByte(text[start-1]) {
		start--
	}
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	return syntax.Span{Start: base + start, End: base + end}
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
