package format

import "github.com/koru-go/koru/syntax"

// elements walks what stands between two brackets. The commas are not among it:
// each kind of list says where it has them.
type elements struct {
	syntax.Parts
	closing      syntax.Token
	count        int  // elements so far
	comma        bool // the source has a comma in front of this one
	outer, inner int  // as they were outside
}

func (p *printer) elements(n syntax.Node) elements {
	return elements{Parts: n.Parts(), closing: n.LastToken(), outer: p.outer, inner: p.inner}
}

// open prints the opening bracket.
func (p *printer) open(e *elements) {
	e.Next()
	p.part(&e.Parts)
	p.enter()
}

// next goes on to the next element. At the closing bracket it returns false.
func (e *elements) next() bool {
	e.comma = false
	for e.Next() {
		switch {
		case e.Kind() == syntax.Comma:
			e.comma = true
		case e.Token() == e.closing:
			return false
		default:
			e.count++
			return true
		}
	}
	return false
}

// close prints the closing bracket.
func (p *printer) close(e *elements) {
	p.part(&e.Parts)
	p.leave(e.outer, e.inner)
}

// enter begins the inside of a bracket that was just printed.
func (p *printer) enter() {
	p.outer = p.indent
	if p.depth == 0 {
		p.outer = p.base
	}
	p.inner = p.outer + step
	p.depth++
}

func (p *printer) leave(outer, inner int) {
	p.outer, p.inner = outer, inner
	p.depth--
}

// opens sets the gap behind an opening bracket or a comma, in front of t: a line
// end of the author's stays.
func (p *printer) opens(t syntax.Token, pad gap) {
	p.gap = pad
	if breaks(t) {
		p.gap, p.column = line, p.inner
	}
}

// closes sets the gap in front of a closing bracket likewise.
func (p *printer) closes(t syntax.Token, pad gap) {
	p.gap = pad
	if breaks(t) {
		p.gap, p.column = line, p.outer
	}
}

// list prints a record, a list or a destructure. A line end of the author's
// stays wherever it is; a comma stands behind an element, never in front.
func (p *printer) list(n syntax.Node, pad gap) {
	e := p.elements(n)
	p.open(&e)
	between := pad
	for e.next() {
		p.comma(e.comma)
		p.opens(e.Token(), between)
		p.part(&e.Parts)
		between = blank
	}
	if e.count == 0 {
		pad = tight
	}
	p.comma(e.comma)
	p.closes(e.closing, pad)
	p.close(&e)
}

// comma prints a comma, if there is to be one.
func (p *printer) comma(wanted bool) {
	if wanted {
		p.out = append(p.out, ',')
	}
}

// args prints an argument list. It breaks where the author broke it and nowhere
// else: how arguments group is for the author to say. The closing bracket
// follows the last argument (language.md 14.7).
func (p *printer) args(n syntax.Node) {
	e := p.elements(n)
	p.open(&e)
	between := tight
	for e.next() {
		p.comma(e.count > 1)
		p.opens(e.Token(), between)
		p.part(&e.Parts)
		between = blank
	}
	title := (e.comma || breaks(e.closing)) && readsAsTitle(n)
	p.comma(e.comma && title)
	p.gap = tight
	if commented(e.closing) || !e.comma && title {
		p.gap, p.column = line, p.outer
	}
	p.close(&e)
}

// readsAsTitle reports whether an argument list in front of a block would read
// as plain words, as in case(gzip round-trip) { … }, were its parenthesis to
// follow the argument: f(a - b,) {}.
func readsAsTitle(args syntax.Node) bool {
	only := args.FirstChild()
	if following(args.LastToken()).Kind() != syntax.LBrace || only.Next().IsValid() {
		return false
	}
	words := false
	for _, c := range []byte(only.Text()) {
		switch {
		case c == '-' || c == ' ':
			words = true
		case !isWord(c):
			return false
		}
	}
	return words
}

// shape prints { name: type, … } on one line, or with one field a line and a
// trailing comma if the author broke it or it is too wide (language.md 14.8).
func (p *printer) shape(n syntax.Node) {
	broken := p.breakShape && n.FirstChild().IsValid() || spansLines(n) && brokenShape(n)
	p.breakShape = false
	if broken {
		p.brokenShapes++
	}
	e := p.elements(n)
	p.open(&e)
	for e.next() {
		p.comma(e.count > 1)
		p.separate(broken, p.inner)
		p.field(&e.Parts)
	}
	p.comma(broken && e.count > 0)
	p.separate(broken, p.outer)
	p.unlessEmpty(&e)
	p.close(&e)
}

// separate sets the gap around the fields of a shape and the entries of a block.
func (p *printer) separate(broken bool, column int) {
	p.gap = blank
	if broken {
		p.gap, p.column = line, column
	}
}

// unlessEmpty makes {} of brackets that hold nothing, not even a comment.
func (p *printer) unlessEmpty(e *elements) {
	if e.count == 0 && !commented(e.closing) {
		p.gap = tight
	}
}

// field prints a field. In a broken shape it has a line of its own, and the
// shape in its type is broken if that line is too wide.
func (p *printer) field(s *syntax.Parts) {
	if p.gap != line {
		p.part(s)
		return
	}
	p.fit(func() { p.part(s) }, len(","))
}

// fit prints a line. If it is too wide, with the columns that will stand behind
// it, it is printed again with its first shape broken. Once a shape is broken
// nothing is printed twice: in nested shapes that would double the work with every
// level.
func (p *printer) fit(print func(), behind int) {
	m := p.mark()
	p.breakShape = false
	print()
	if p.world || !p.wider(Width-behind) || p.brokenShapes > m.brokenShapes {
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
	s := n.Parts()
	for s.Next() {
		if s.Token() != n.FirstToken() && breaks(s.Token()) {
			return true
		}
	}
	return false
}

// entries prints the two block dialects that are Koru's own, grants and
// constants: on one line as the author wrote them, or one entry a line (R80).
func (p *printer) entries(n syntax.Node) {
	if n.FirstToken().Kind() != syntax.LBrace {
		p.plain(n) // const name = value
		return
	}
	// A comment that the closing brace cut short takes the rest of its line once
	// it is printed, so that the brace needs a line of its own.
	broken := spansLines(n) || commented(n.LastToken())
	e := p.elements(n)
	p.open(&e)
	for e.next() {
		p.comma(e.comma)
		p.separate(broken, p.inner)
		p.keepBlank = broken && e.count > 1
		p.part(&e.Parts)
	}
	p.comma(e.comma)
	p.separate(broken, p.outer)
	p.unlessEmpty(&e)
	p.close(&e)
}
