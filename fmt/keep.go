package format

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// keeps reports whether an item is not the formatter's to change.
func keeps(n syntax.Node) bool {
	switch n.Kind() {
	case syntax.HostItem, syntax.ErrorItem:
		return true
	case syntax.FlowItem, syntax.ImplItem:
		return n.Faulty() || opensDeclaration(n)
	}
	return n.Faulty()
}

// opensDeclaration reports whether a flow begins with a word that opens a
// declaration if a blank follows: tor{} calls a verb named tor.
func opensDeclaration(n syntax.Node) bool {
	s := n.Parts()
	for s.Next() {
		switch s.Kind() {
		case syntax.Tilde, syntax.Annotations:
			continue
		}
		switch s.Token().Text() {
		case "import", "pub", "tor", "event", "proc", "var", "fn", "inline", "export", "extern", "comptime":
			return true
		}
		return false
	}
	return false
}

// keep decides which items are printed as they are: those that are not to be
// changed, and those that would catch what is kept under them.
func (p *printer) keep(f *syntax.File, first, last int) {
	n := f.NumItems()
	p.kept = append(p.kept[:0], make([]bool, n)...)
	for i := n - 1; i >= 0; i-- {
		item := f.Item(i)
		p.kept[i] = i < first || i > last || keeps(item) || i+1 < n && p.kept[i+1] && catches(item, f.Item(i+1))
	}
}

// catches reports whether an item, once it and its arms stand at column 0, would
// take for its own what is kept under it: a stray arm, a line that is indented, or
// a step for a |> at its end. Such an item stays where it is.
func catches(item, below syntax.Node) bool {
	c, deep := firstSolid(below.Text())
	_, indented := firstSolid(item.Text())
	indented = indented || beginsUnder(item)
	if c == '|' || c == '!' {
		return deep || indented
	}
	return deep && (indented || endsInArrow(item))
}

func endsInArrow(n syntax.Node) bool {
	t := n.LastToken()
	for t.Kind().IsTrivia() {
		t = t.Prev()
	}
	return t.Kind() == syntax.PipeArrow
}

// beginsUnder reports whether the flow of an implementation begins on the line
// under its =.
func beginsUnder(n syntax.Node) bool {
	return n.Kind() == syntax.ImplItem && breaks(n.Child(syntax.Chain).FirstToken())
}

// firstSolid returns the first byte of a text behind blank lines and comment
// lines, or 0, and whether it is indented.
func firstSolid(text string) (c byte, indented bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == ' ' || text[i] == '\t':
			indented = true
		case text[i] == '\n' || text[i] == '\r':
			indented = false
		case strings.HasPrefix(text[i:], "//"):
			end := strings.IndexAny(text[i:], "\r\n")
			if end < 0 {
				return 0, false
			}
			i, indented = i+end, false
		default:
			return text[i], indented
		}
	}
	return 0, false
}
