package format

import (
	"bytes"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// neighbour is what the printer remembers of the item above.
type neighbour struct {
	node  syntax.Node
	lines bool // it has more than one line
	fixed bool // its bytes were kept: the space around it is the author's
}

// file prints all items. Line ends are those of the text that is copied, if it
// has any, so that a second run sees the same majority as the first (R81).
func (p *printer) file(f *syntax.File, o Options) {
	text := f.Text()
	if strings.IndexByte(text, '\r') < 0 {
		p.items(f, o, "\n")
		return
	}
	eol := "\n"
	if crlf := strings.Count(text, "\r\n"); 2*crlf > strings.Count(text, "\n") {
		eol = "\r\n"
	}
	p.items(f, o, eol)
	switch crlf, lf := p.copiedCRLF, p.copiedLF; {
	case crlf > lf && eol == "\n":
		p.items(f, o, "\r\n")
	case lf > crlf && eol == "\r\n":
		p.items(f, o, "\n")
	}
}

func (p *printer) items(f *syntax.File, o Options, eol string) {
	*p = printer{memory: p.memory, out: p.out[:0], eol: eol, world: o.World, host: f.Kind != syntax.Pure}
	p.starts = p.starts[:0]
	first, last := 0, f.NumItems()-1
	if o.Only != nil {
		first, last = f.ItemAt(o.Only.Start), f.ItemAt(max(o.Only.Start, o.Only.End-1))
	}
	p.keep(f, first, last)
	above, broken := neighbour{}, 0
	for i := range f.NumItems() {
		n := f.Item(i)
		p.starts = append(p.starts, len(p.out))
		if p.kept[i] {
			p.raw(n.Text())
			above = neighbour{fixed: true}
			if n.Kind() != syntax.HostItem {
				broken = len(p.out)
			}
			continue
		}
		above = p.item(n, above)
	}
	if last == f.NumItems()-1 {
		p.endFile(broken, above.fixed)
	}
	for i := range p.starts {
		p.starts[i] = min(p.starts[i], len(p.out))
	}
	p.starts = append(p.starts, len(p.out))
}

// endFile leaves one line end at the end of the file. What was printed up to
// offset from is not its to change. If the rest was copied, the line ends that go
// no longer count among those that were.
func (p *printer) endFile(from int, copied bool) {
	end := from + len(bytes.TrimRight(p.out[from:], " \t\r\n"))
	if copied {
		p.countLines(string(p.out[end:]), -1)
	}
	p.out = p.out[:end]
	if end > from {
		p.out = append(p.out, p.eol...)
	}
}

// item prints one item with the comments above it, and returns what the next
// item has to know of it.
func (p *printer) item(n syntax.Node, above neighbour) neighbour {
	start := len(p.out)
	first, spaced := p.leading(n, start == 0)
	body := len(p.out)
	p.last, p.gap = syntax.Token{}, tight
	p.lineStart, p.indent, p.base = body, 0, 0
	p.depth, p.outer, p.inner = 0, 0, step
	p.construct(n)
	p.trailing(first)
	self := neighbour{node: n, lines: bytes.IndexByte(p.out[body:], '\n') >= 0}
	if len(p.out) > body {
		p.out = append(p.out, p.eol...)
	}
	if !p.host && !spaced && start > 0 && parted(above, self) {
		p.out = slices.Insert(p.out, start, []byte(p.eol)...)
	}
	return self
}

// parted reports whether a blank line has to stand between two items. Between
// one-line constructs, and between a tor and what implements it, it is the
// author's choice (language.md 14.2, R49, R81).
func parted(above, self neighbour) bool {
	if above.fixed || self.node.Kind() == syntax.BlankItem || !above.lines && !self.lines {
		return false
	}
	switch self.node.Kind() {
	case syntax.ProcItem, syntax.ImplItem:
		return subject(self.node) != subject(above.node)
	}
	return true
}

// subject returns the tor that an item declares or implements.
func subject(n syntax.Node) string {
	switch n.Kind() {
	case syntax.TorItem:
		return syntax.TorView{Node: n}.Name().Text()
	case syntax.ProcItem:
		return syntax.ProcView{Node: n}.Name().Text()
	case syntax.ImplItem:
		return syntax.ImplView{Node: n}.Name().Text()
	}
	return ""
}

// leading prints the comments in front of an item, with at most one blank line
// before each and before the item. It returns the item's first token and
// whether any blank line stands there.
func (p *printer) leading(n syntax.Node, top bool) (first syntax.Token, spaced bool) {
	lines := 1
	t := n.FirstToken()
	for ; t.IsValid() && t.Kind().IsTrivia(); t = t.Next() {
		switch t.Kind() {
		case syntax.BOM:
			p.out = append(p.out, t.Text()...)
		case syntax.Newline:
			lines++
		case syntax.Comment:
			if p.blankLine(lines, top) {
				spaced = true
			}
			p.out = append(p.out, trimRight(t.Text())...)
			p.out = append(p.out, p.eol...)
			lines, top = 0, false
		}
	}
	if p.blankLine(lines, top || !t.IsValid()) {
		spaced = true
	}
	return t, spaced
}

// blankLine prints a blank line if the source has one there.
func (p *printer) blankLine(lines int, never bool) bool {
	if lines < 2 || never {
		return false
	}
	if n := len(p.out); p.out[n-1] == '\r' && p.eol == "\n" {
		p.out = append(p.out, '\r') // kept text ended its line so: do not complete that
	}
	p.out = append(p.out, p.eol...)
	return true
}

// trailing prints the comment behind the last token of an item. The item has
// nothing else there.
func (p *printer) trailing(first syntax.Token) {
	t := p.last
	if !t.IsValid() {
		t = first
	}
	for ; t.IsValid(); t = t.Next() {
		if t.Kind() == syntax.Comment {
			p.out = append(p.out, ' ')
			p.out = append(p.out, trimRight(t.Text())...)
		}
	}
}

// construct prints an item without what stands around it.
func (p *printer) construct(n syntax.Node) {
	switch n.Kind() {
	case syntax.TorItem:
		p.tor(n)
	case syntax.ImplItem:
		p.implementation(n)
	case syntax.ProcItem:
		p.proc(n)
	default:
		p.plain(n)
	}
}

// proc prints the head of a host body and copies the body.
func (p *printer) proc(n syntax.Node) {
	left := syntax.Invalid
	s := n.Parts()
	for ; s.Next(); left = s.Kind() {
		if left != syntax.Invalid && p.gap != line {
			p.gap = between(syntax.ProcItem, left, s.Kind())
		}
		if s.Kind() == syntax.Block {
			p.copy(s.Node())
			continue
		}
		p.part(&s)
	}
}
