package format

import (
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// tor prints a declaration: the inputs and the output on one line if they fit,
// and every arm on a line of its own (language.md 14.8, 6.1).
func (p *printer) tor(n syntax.Node) {
	m := p.mark()
	s := n.Parts()
	p.inputs(&s)
	tail := s
	p.output(&s)
	if p.wide() && !p.world {
		p.reset(m)
		s = n.Parts()
		p.breakShape = true
		p.inputs(&s)
		p.breakShape = false
		p.fit(func() { s = tail; p.output(&s) }, 0)
	}
	for arm := n.FirstChild(); arm.IsValid(); arm = arm.Next() {
		if arm.Kind() != syntax.ArmDecl {
			continue
		}
		if p.world && !breaks(arm.FirstToken()) {
			p.gap = blank
		} else {
			p.start(p.base)
		}
		p.armDecl(arm)
	}
}

// inputs prints a declaration up to the end of its shape.
func (p *printer) inputs(s *syntax.Parts) {
	left := syntax.Invalid
	for s.Next() {
		kind := s.Kind()
		if left != syntax.Invalid && p.gap != line {
			p.gap = between(syntax.TorItem, left, kind)
		}
		p.part(s)
		if kind == syntax.Shape {
			return
		}
		left = kind
	}
}

// output prints what stands between the shape and the arms: -> T.
func (p *printer) output(s *syntax.Parts) {
	left := syntax.Shape
	for ahead := *s; ahead.Next() && ahead.Kind() != syntax.ArmDecl; *s = ahead {
		p.gap = between(syntax.TorItem, left, ahead.Kind())
		p.part(&ahead)
		left = ahead.Kind()
	}
}

// armDecl prints a declared arm. The named answers of an effect stay where the
// author put them: on its line, or under it.
func (p *printer) armDecl(n syntax.Node) {
	base := p.base
	p.fit(func() {
		left := syntax.Invalid
		s := n.Parts()
		for ; s.Next(); left = s.Kind() {
			switch {
			case s.Kind() == syntax.Resume && breaks(s.Token()):
				p.start(base + step)
			case left != syntax.Invalid:
				p.gap = between(syntax.ArmDecl, left, s.Kind())
			}
			p.part(&s)
		}
	}, 0)
	p.base = base
}

// implementation prints name = flow, name -> value and name => outcome. A flow
// that the author began on the line under the = moves up if it fits there as it
// is (language.md 14.5).
func (p *printer) implementation(n syntax.Node) {
	left := syntax.Invalid
	s := n.Parts()
	for ; s.Next(); left = s.Kind() {
		if left != syntax.Invalid && p.gap != line {
			p.gap = between(syntax.ImplItem, left, s.Kind())
		}
		if s.Kind() == syntax.Chain {
			p.body(s.Node())
			continue
		}
		p.part(&s)
	}
}

// body prints the flow of an implementation. One that the author began under
// the = goes behind it if that can be had as he broke it, stays where it is if
// that can, and otherwise is tried in both places with its chain broken.
func (p *printer) body(chain syntax.Node) {
	head := chain.FirstToken()
	switch {
	case !breaks(head):
		p.chain(chain, p.base)
		return
	case commented(head):
		p.under(chain, true)
		return
	}
	m := p.mark()
	for _, forced := range [...]bool{false, true} {
		if p.behind(chain, forced) {
			return
		}
		p.reset(m)
		if p.under(chain, forced) {
			return
		}
		p.reset(m)
	}
}

// behind prints the flow on the line of the =. It reports whether the head fits
// there and, unless forced is set, nothing had to be broken for it.
func (p *printer) behind(chain syntax.Node, forced bool) bool {
	start, end := p.lineStart, len(p.out)
	p.gap = blank
	broke := p.chain(chain, p.base)
	for end < len(p.out) && p.out[end] != '\n' {
		end++
	}
	return (forced || !broke) && utf8.RuneCount(p.out[start:end]) <= Width
}

// under prints the flow on the line under the =, one step to the right.
func (p *printer) under(chain syntax.Node, forced bool) bool {
	p.start(p.base + step)
	broke := p.chain(chain, p.base)
	return forced || !broke
}
