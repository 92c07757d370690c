package format

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// itemEdits appends the edits of a changed item. Both token streams differ in
// layout only, so that what lies between two tokens is an edit or the same.
func itemEdits(out []syntax.Edit, a, b syntax.Node) []syntax.Edit {
	source, formatted := gapsOf(a), gapsOf(b)
	for {
		more := source.next()
		formatted.next()
		out = appendEdit(out, source.start, source.text(source.start, source.end), formatted.text(formatted.start, formatted.end))
		if !more {
			return out
		}
		out = appendEdit(out, source.end, source.token.Text(), formatted.token.Text())
	}
}

// gaps walks the tokens of an item and the layout between them.
type gaps struct {
	item       syntax.Node
	token      syntax.Token // the token behind the gap, or the zero Token at the end
	start, end int          // the gap
}

func gapsOf(item syntax.Node) gaps { return gaps{item: item, end: item.Base()} }

// next goes on to the next gap and reports whether a token follows it.
func (g *gaps) next() bool {
	t := g.item.FirstToken()
	g.start = g.end
	if g.token.IsValid() {
		t = g.token.Next()
		g.start = g.token.Span().End
	}
	for t.IsValid() && isLayout(t.Kind()) {
		t = t.Next()
	}
	g.token, g.end = t, g.item.Span().End
	if t.IsValid() {
		g.end = t.Span().Start
	}
	return t.IsValid()
}

func (g *gaps) text(start, end int) string {
	return g.item.Text()[start-g.item.Base() : end-g.item.Base()]
}

// isLayout reports whether a token is the formatter's to move.
func isLayout(k syntax.Kind) bool {
	return k == syntax.Space || k == syntax.Newline || k == syntax.Comma || k == syntax.BOM
}

// appendEdit appends the edit that turns old, which begins at offset start, into
// text, without what both have in common at their ends.
func appendEdit(out []syntax.Edit, start int, old, text string) []syntax.Edit {
	if old == text {
		return out
	}
	same := 0
	for same < len(old) && same < len(text) && old[same] == text[same] {
		same++
	}
	old, text, start = old[same:], text[same:], start+same
	for len(old) > 0 && len(text) > 0 && old[len(old)-1] == text[len(text)-1] {
		old, text = old[:len(old)-1], text[:len(text)-1]
	}
	return append(out, syntax.Edit{Start: start, End: start + len(old), Text: strings.Clone(text)})
}
