package format

import "github.com/koru-go/koru/syntax"

// block copies a source block. Its text is the author's; only the closing
// brace, if it has a line of its own, goes to the column of the line that the
// block began on (language.md 14.10).
func (p *printer) block(n syntax.Node) {
	p.before(n.FirstToken())
	text := n.Text()
	end := len(text) - 1
	brace := end
	for brace > 0 && (text[brace-1] == ' ' || text[brace-1] == '\t') {
		brace--
	}
	if brace == 0 || text[brace-1] != '\n' && text[brace-1] != '\r' {
		brace = end
		p.raw(text)
	} else {
		p.raw(text[:brace])
		for range p.base {
			p.out = append(p.out, ' ')
		}
		p.out = append(p.out, text[end:]...)
	}
	p.last = n.LastToken()
	p.gap = tight
}

// entries prints the two dialects that are Koru's own, grants and constants: on
// one line as the author wrote them, or one entry a line (R80).
func (p *printer) entries(n syntax.Node) {
	if n.FirstToken().Kind() != syntax.LBrace {
		p.plain(n) // const name = value
		return
	}
	outer, inner := p.outer, p.inner
	closing := n.LastToken()
	broken := spansLines(n)
	entries, comma := -1, false
	for s := n.Parts(); s.Next(); {
		if comma && s.Kind() != syntax.Comma {
			p.out = append(p.out, ',')
			comma = false
		}
		switch {
		case entries < 0:
			p.part(&s)
			p.enter()
			entries = 0
		case s.Kind() == syntax.Comma:
			comma = true
		case s.Token() == closing:
			p.separate(broken, entries == 0, p.outer)
			p.part(&s)
		default:
			p.separate(broken, false, p.inner)
			p.keepBlank = broken && entries > 0
			p.part(&s)
			entries++
		}
	}
	p.leave(outer, inner)
}
