package format

import "github.com/koru-go/koru/syntax"

// list prints a record, a list or a destructure. A line end of the author's
// stays wherever it is; a comma stands behind an element, never in front.
func (p *printer) list(n syntax.Node, pad gap) {
	outer, inner := p.outer, p.inner
	closing := n.LastToken()
	elements, comma := -1, false
	for s := n.Parts(); s.Next(); {
		switch {
		case elements < 0:
			p.part(&s)
			p.enter()
			elements = 0
		case s.Kind() == syntax.Comma:
			comma = true
		case s.Token() == closing:
			if elements == 0 {
				pad = tight
			}
			if comma {
				p.out = append(p.out, ',')
			}
			p.closes(closing, pad)
			p.part(&s)
		default:
			if comma {
				p.out = append(p.out, ',')
			}
			between := blank
			if elements == 0 {
				between = pad
			}
			p.opens(s.Token(), between)
			p.part(&s)
			elements++
			comma = false
		}
	}
	p.leave(outer, inner)
}

// args prints an argument list. It breaks where the author broke it and nowhere
// else: how arguments group is for the author to say. The closing bracket
// follows the last argument (language.md 14.7).
func (p *printer) args(n syntax.Node) {
	outer, inner := p.outer, p.inner
	closing := n.LastToken()
	arguments := -1
	for s := n.Parts(); s.Next(); {
		switch {
		case arguments < 0:
			p.part(&s)
			p.enter()
			arguments = 0
		case s.Kind() == syntax.Comma:
		case s.Token() == closing:
			p.gap = tight
			if commented(closing) || breaks(closing) && readsAsTitle(n) {
				p.gap, p.column = line, p.outer
			}
			p.part(&s)
		default:
			pad := tight
			if arguments > 0 {
				p.out = append(p.out, ',')
				pad = blank
			}
			p.opens(s.Token(), pad)
			p.part(&s)
			arguments++
		}
	}
	p.leave(outer, inner)
}

// readsAsTitle reports whether an argument list in front of a block would read
// as plain words, as in case(gzip round-trip) { … }, were its parenthesis to
// follow: f(a - b) {}.
func readsAsTitle(args syntax.Node) bool {
	block := args.LastToken().Next()
	for block.Kind().IsTrivia() {
		block = block.Next()
	}
	only := args.FirstChild()
	if block.Kind() != syntax.LBrace || only.Next().IsValid() {
		return false
	}
	for _, c := range []byte(only.Text()) {
		if !isWord(c) && c != '-' && c != ' ' {
			return false
		}
	}
	return true
}

// shape prints { name: type, … } on one line, or with one field a line and a
// trailing comma if the author broke it or it is too wide (language.md 14.8).
func (p *printer) shape(n syntax.Node) {
	broken := spansLines(n) && brokenShape(n)
	if p.breakShape && n.FirstChild().IsValid() {
		broken = true
	}
	p.breakShape = false
	outer, inner := p.outer, p.inner
	closing := n.LastToken()
	fields := -1
	for s := n.Parts(); s.Next(); {
		switch {
		case fields < 0:
			p.part(&s)
			p.enter()
			fields = 0
		case s.Kind() == syntax.Comma:
		case s.Token() == closing:
			if broken && fields > 0 {
				p.out = append(p.out, ',')
			}
			p.separate(broken, fields == 0, p.outer)
			p.part(&s)
		default:
			if fields > 0 {
				p.out = append(p.out, ',')
			}
			p.separate(broken, false, p.inner)
			p.field(&s)
			fields++
		}
	}
	p.leave(outer, inner)
}

// separate sets the gap around the fields of a shape.
func (p *printer) separate(broken, empty bool, column int) {
	switch {
	case broken:
		p.gap, p.column = line, column
	case empty:
		p.gap = tight
	default:
		p.gap = blank
	}
}

// field prints a field. In a broken shape it has a line of its own, and the
// shape in its type is broken if that line is too wide.
func (p *printer) field(s *syntax.Parts) {
	if p.gap != line {
		p.part(s)
		return
	}
	p.fit(func() { p.part(s) })
}

// fit prints a line; if it is too wide, again with its first shape broken.
func (p *printer) fit(print func()) {
	m := p.mark()
	p.breakShape = false
	print()
	if p.world || !p.wide() || p.lineStart > m.written+len(p.eol) {
		return
	}
	p.reset(m)
	p.breakShape = true
	print()
	p.breakShape = false
}

// brokenShape reports whether the author ended a line between the fields of a
// shape, not only inside one of them.
func brokenShape(n syntax.Node) bool {
	for s := n.Parts(); s.Next(); {
		if s.Token() != n.FirstToken() && breaks(s.Token()) {
			return true
		}
	}
	return false
}
