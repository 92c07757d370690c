package format

import "github.com/koru-go/koru/syntax"

// part prints the current part of s, which begins at the current gap.
func (p *printer) part(s *syntax.Parts) {
	if s.Single() {
		p.token(s.Token()) // also a name, a literal, a pun
		return
	}
	switch n := s.Node(); n.Kind() {
	case syntax.Chain:
		p.chain(n, p.base)
	case syntax.Call:
		p.call(n)
	case syntax.Args:
		p.args(n)
	case syntax.RecordExpr, syntax.Destructure:
		p.list(n, blank)
	case syntax.ListExpr:
		p.list(n, tight)
	case syntax.Shape:
		p.shape(n)
	case syntax.ParenExpr, syntax.CondExpr, syntax.IndexExpr:
		p.bracketed(n)
	case syntax.BinaryExpr:
		p.binary(n)
	case syntax.Type:
		p.typ(n)
	case syntax.Template:
		p.template(n)
	case syntax.Annotations:
		p.annotations(n)
	case syntax.GrantBlock, syntax.ConstBlock:
		p.entries(n)
	case syntax.Block, syntax.TemplateBlock, syntax.ColumnBlock, syntax.AssignBlock, syntax.TestBlock:
		p.block(n)
	default:
		p.plain(n)
	}
}

// plain prints a node with the gaps that [between] gives for it.
func (p *printer) plain(n syntax.Node) {
	in, left := n.Kind(), syntax.Invalid
	s := n.Parts()
	for s.Next() {
		right := s.Kind()
		if left != syntax.Invalid && p.gap != line {
			p.gap = between(in, left, right)
		}
		p.part(&s)
		left = right
	}
}

// between is the spacing inside a line (language.md 14.6): the gap between two
// neighbours, tokens or nodes, of a node of kind in.
func between(in, left, right syntax.Kind) gap {
	switch {
	case left == syntax.Annotations || right == syntax.Annotations:
		return tight // [pure]tor f, x[mutable]
	case left == syntax.Tilde:
		return tight
	case right == syntax.Comma:
		return tight
	case left == syntax.Comma:
		return blank
	}
	switch in {
	case syntax.ImportItem, syntax.TorItem, syntax.ImplItem, syntax.FlowItem:
		if right == syntax.Variant {
			return tight // name|js = flow
		}
		return blank
	case syntax.ProcItem:
		if left == syntax.Pipe || right == syntax.Pipe {
			return tight // proc name|js
		}
		return blank

	case syntax.ArmDecl, syntax.Arm:
		if left == syntax.Question || left == syntax.QuestionBang {
			if in == syntax.Arm {
				return blank // |? Transition t
			}
			return tight // | ?name
		}
		if in == syntax.Arm && right == syntax.Question {
			return tight // |?
		}
		return blank
	case syntax.Resume, syntax.Guard, syntax.Construct, syntax.Produce:
		return blank

	case syntax.FieldDecl, syntax.ConstEntry:
		if right == syntax.Colon {
			return tight // name: type = default
		}
		return blank
	case syntax.Grant:
		if left == syntax.Arrow || right == syntax.Arrow {
			return blank // std.fs:dir -> dir(1)
		}
	case syntax.GrantGlob:
		return tight // koru.audit:*
	case syntax.UnaryExpr:
		if left == syntax.Name {
			return blank // not x
		}
	case syntax.Splice:
		if left == syntax.OpenSplice || right == syntax.CloseSplice {
			return blank // {{ name:s }}
		}
		return tight
	case syntax.Call:
		switch {
		case left == syntax.Label:
			return blank // #again f()
		case right == syntax.Variant, right == syntax.Args, right == syntax.Bind:
			return tight // name(args): bind
		case isBlock(right):
			return blank // name(args) { block }
		}
	}
	if left == syntax.Colon {
		return blank // label: value, : bind
	}
	return tight
}

func isBlock(k syntax.Kind) bool {
	switch k {
	case syntax.Block, syntax.FileBlock, syntax.GrantBlock, syntax.ConstBlock, syntax.ColumnBlock,
		syntax.AssignBlock, syntax.TemplateBlock, syntax.TestBlock:
		return true
	}
	return false
}

// bracketed prints a node that has brackets of its own around an expression:
// (a), a[i], if (c) a else b.
func (p *printer) bracketed(n syntax.Node) {
	outer, inner := p.outer, p.inner
	in, left := n.Kind(), syntax.Invalid
	s := n.Parts()
	for s.Next() {
		right := s.Kind()
		switch right {
		case syntax.RParen, syntax.RBracket:
			p.closes(s.Token(), tight)
			p.part(&s)
			p.leave(outer, inner)
			left = right
			continue
		}
		switch {
		case left == syntax.LParen, left == syntax.LBracket:
			p.opens(s.Token(), tight)
		case in == syntax.CondExpr && left != syntax.Invalid:
			p.gap = blank
		}
		p.part(&s)
		if right == syntax.LParen || right == syntax.LBracket {
			p.enter()
		}
		left = right
	}
}

// binary prints an operator with a blank on either side. A dash or a slash that
// joins two names stays as it is: where an argument is quoted rather than
// computed, shader-toy is a name.
func (p *printer) binary(n syntax.Node) {
	joins := false
	s := n.Parts()
	for s.Next() {
		switch {
		case s.Node().IsValid() && s.Token() == n.FirstToken():
		case !s.Node().IsValid():
			joins = joinsNames(s.Token())
			fallthrough
		default:
			if p.gap = blank; joins {
				p.gap = tight
			}
		}
		p.part(&s)
	}
}

func joinsNames(operator syntax.Token) bool {
	switch operator.Kind() {
	case syntax.Minus, syntax.Slash:
		return operator.Prev().Kind() == syntax.Name && operator.Next().Kind() == syntax.Name
	}
	return false
}

// typ prints a type: everything is tight but the word const and choices.
func (p *printer) typ(n syntax.Node) {
	left := syntax.Token{}
	s := n.Parts()
	for s.Next() {
		switch {
		case !left.IsValid():
		case left.Kind() == syntax.Name && left.Text() == "const",
			left.Kind() == syntax.Pipe, s.Token().Kind() == syntax.Pipe && !s.Node().IsValid():
			p.gap = blank
		}
		p.part(&s)
		left = s.Token()
	}
}
