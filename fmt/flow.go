package format

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// chain prints steps joined by |>, and the arms under the last one. The lines
// of the chain and its arms begin at column under. A chain that stands on one
// line stays there if it fits; otherwise it breaks in front of every |>. Where
// the author broke it, it stays broken (language.md 14.3, 14.4, R81).
//
// It reports whether the chain had to be broken.
func (p *printer) chain(n syntax.Node, under int) (broke bool) {
	if m := p.mark(); !p.steps(n, under, false) {
		p.reset(m)
		p.steps(n, under, true)
		broke = true
	}
	for c := n.FirstChild(); c.IsValid(); c = c.Next() {
		if c.Kind() == syntax.Arm {
			p.start(under)
			p.arm(c)
		}
	}
	return broke
}

// steps prints a chain up to its arms. Unless all is set, only the author's
// line ends are taken; false means that a line with a |> inside it is too wide.
func (p *printer) steps(n syntax.Node, under int, all bool) bool {
	joined := false // the line has a |> inside
	left := syntax.Invalid
	s := n.Parts()
	for ; s.Next() && s.Kind() != syntax.Arm; left = s.Kind() {
		if s.Kind() == syntax.PipeArrow {
			if all || breaks(s.Token()) {
				if joined && p.wide() {
					return false
				}
				joined = false
				p.start(under)
			} else {
				joined = true
				p.gap = blank
			}
			p.part(&s)
			continue
		}
		if left != syntax.Invalid && left != syntax.Annotations {
			p.gap = blank
		}
		p.part(&s)
	}
	return !joined || !p.wide()
}

// call prints one invocation.
func (p *printer) call(n syntax.Node) {
	prints, left := p.prints, syntax.Invalid
	s := n.Parts()
	for s.Next() {
		right := s.Kind()
		if left != syntax.Invalid && p.gap != line {
			p.gap = between(syntax.Call, left, right)
		}
		p.part(&s)
		if right == syntax.Path || right == syntax.Name {
			p.prints = printing(s.Token().Text())
		}
		left = right
	}
	p.prints = prints
}

// printing reports whether a verb fills the splices of its strings while it
// prints or formats (language.md 9.2).
func printing(path string) bool {
	switch path {
	case "print", "print.ln", "eprint", "eprint.ln":
		return true // keywords of std/io
	}
	return strings.HasPrefix(path, "std/io:") || strings.HasPrefix(path, "std/fmt:")
}

// arm prints a handler and what is nested under it, one step to the right.
func (p *printer) arm(n syntax.Node) {
	under := p.base + step
	left := syntax.Invalid
	s := n.Parts()
	for ; s.Next(); left = s.Kind() {
		switch kind := s.Kind(); {
		case left == syntax.Invalid:
			p.part(&s)
		case kind == syntax.Arm:
			p.start(under)
			p.arm(s.Node())
		case kind == syntax.PipeArrow && breaks(s.Token()):
			p.start(under)
			p.part(&s)
		case kind == syntax.Chain:
			p.gap = blank
			p.chain(s.Node(), under)
		default:
			p.gap = between(syntax.Arm, left, kind)
			p.part(&s)
		}
	}
}
