package format

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// block copies a source block. Its text is the author's; only the closing
// brace, if it has a line of its own, goes to the column of the line that the
// block began on (language.md 14.10).
func (p *printer) block(n syntax.Node) {
	p.before(n.FirstToken())
	text := n.Text()
	end := len(text) - 1
	inside := trimRight(text[:end])
	if last := inside[len(inside)-1]; last == '\n' || last == '\r' {
		p.raw(inside)
		p.pad(p.base)
		p.out = append(p.out, text[end])
	} else {
		p.raw(text)
	}
	p.last, p.gap = n.LastToken(), tight
}

// template prints a string with splices. Only a call that prints gives them
// their canonical spacing; to every other receiver the string is data (R49).
func (p *printer) template(n syntax.Node) {
	if !p.prints || brokenSplice(n) {
		p.copy(n)
		return
	}
	p.plain(n)
}

func brokenSplice(n syntax.Node) bool {
	for c := n.FirstChild(); c.IsValid(); c = c.Next() {
		if (syntax.SpliceView{Node: c}).Broken() {
			return true
		}
	}
	return false
}

// annotations prints [pure|comptime] with single bars. A block with lines of
// its own holds documentation and is copied up to its closing bracket, which
// stands alone at the column of what it annotates. Among host lines a flow has to
// stay on the line of the bracket.
func (p *printer) annotations(n syntax.Node) {
	if !spansLines(n) {
		p.plain(n)
		return
	}
	p.before(n.FirstToken())
	text := n.Text()
	end := len(text) - 1
	p.raw(trimRight(text[:end]))
	p.pad(p.base)
	p.out = append(p.out, text[end])
	p.last = n.LastToken()
	if p.host && !breaks(following(p.last)) {
		p.gap = tight
		return
	}
	p.start(p.base)
}

func spansLines(n syntax.Node) bool {
	text := n.Text()
	return strings.IndexByte(text, '\n') >= 0 || strings.IndexByte(text, '\r') >= 0
}
