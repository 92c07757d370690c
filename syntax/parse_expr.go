package syntax

// Binding strengths of the binary operators, weakest first (language.md 2.6).
var strength = [kindCount]uint8{
	PipePipe: 1, AmpAmp: 2, EqualEqual: 3, NotEqual: 3,
	Less: 4, Greater: 4, LessEqual: 4, GreaterEqual: 4,
	PlusPlus: 5, Plus: 6, Minus: 6, Star: 7, Slash: 7, Percent: 7,
}

// The operators that are words.
const (
	strengthOr  = 1 // or, orelse
	strengthAnd = 2
)

// operator returns the strength of the binary operator at the current token, or 0.
func (p *parser) operator() uint8 {
	if p.ends() {
		return 0
	}
	if p.kind == Name {
		switch p.text[p.pos:p.end] {
		case "or", "orelse":
			return strengthOr
		case "and":
			return strengthAnd
		}
		return 0
	}
	return strength[p.kind]
}

// value parses an expression where a record may stand as well.
func (p *parser) value() {
	switch p.kind {
	case LBrace:
		p.record()
	case Dot, Amp:
		if p.hostValueAhead() {
			p.hostExpr()
			return
		}
		p.expr()
	default:
		p.expr()
	}
}

// expr parses an expression.
func (p *parser) expr() {
	m := p.start()
	if p.word("if") && p.afterBlank() == '(' {
		p.condition(m)
		return
	}
	p.binary(1)
	if p.kind == DotDot {
		p.next()
		if p.kind != RBracket { // buf[0..]: to the end
			p.binary(1)
		}
		p.finish(m, RangeExpr)
	}
}

// condition parses `if (c) a else b` as a value.
func (p *parser) condition(m mark) {
	if !p.deeper() {
		p.shallower()
		p.finish(m, CondExpr)
		return
	}
	p.next()
	open := p.start()
	p.depth++
	p.next()
	p.expr()
	p.closeBracket(RParen, ")", open)
	p.value()
	if p.word("else") {
		p.next()
		p.value()
	} else {
		p.unexpected("'else'")
	}
	p.shallower()
	p.finish(m, CondExpr)
}

// binary parses operators of at least the strength min by climbing: operands
// of stronger operators are completed before weaker ones are looked at.
func (p *parser) binary(min uint8) {
	m := p.start()
	p.unary()
	for {
		s := p.operator()
		if s < min || s == 0 {
			return
		}
		p.next()
		if p.word("if") && p.afterBlank() == '(' {
			p.condition(p.start())
		} else {
			p.binary(s + 1)
		}
		p.finish(m, BinaryExpr)
	}
}

func (p *parser) unary() {
	switch {
	case p.kind == Bang, p.kind == Minus, p.kind == Amp && !p.hostValueAhead(), p.word("not") && !p.bareNot():
		m := p.start()
		if p.deeper() {
			p.next()
			p.unary()
		}
		p.shallower()
		p.finish(m, UnaryExpr)
		return
	}
	p.postfix()
}

// bareNot reports whether `not` is a name here: nothing follows it.
func (p *parser) bareNot() bool {
	switch p.afterBlank() {
	case ',', ')', '}', ']', '\n', '\r', '.', ':':
		return true
	}
	return p.past(p.skipBlanks(p.end))
}

func (p *parser) postfix() {
	m := p.start()
	p.primary()
	for !p.ends() {
		switch {
		case p.kind == Dot && p.adjacent():
			p.next()
			switch p.kind {
			case Name, Int:
				p.next()
				p.finish(m, FieldExpr)
			case Question: // the host's unwrap
				p.next()
				p.finish(m, DerefExpr)
			default:
				p.unexpected("the name of a field after '.'")
				return
			}
		case p.kind == Deref && p.adjacent():
			p.next()
			p.finish(m, DerefExpr)
		case p.kind == LBracket && p.adjacent():
			p.index(m)
		case p.kind == LParen && p.adjacent():
			p.args()
			p.finish(m, CallExpr)
		default:
			return
		}
	}
}

// index parses a[i], or the type of a literal: 0[i64].
func (p *parser) index(m mark) {
	kind := IndexExpr
	if len(p.stack) == m.stack+1 {
		operand := &p.nodes[p.nodeBase+int(p.stack[m.stack])]
		if operand.kind == Literal {
			kind = TypedExpr
		}
	}
	open := p.start()
	p.depth++
	p.next()
	if kind == TypedExpr {
		p.typ()
	} else if p.deeper() {
		p.expr()
		p.shallower()
	} else {
		p.shallower()
	}
	p.closeBracket(RBracket, "]", open)
	p.finish(m, kind)
}

func (p *parser) primary() {
	m := p.start()
	switch p.kind {
	case Name:
		kind := NameExpr
		switch p.text[p.pos:p.end] {
		case "true", "false", "null":
			kind = Literal
		}
		p.next()
		p.finish(m, kind)
	case Int, Float, Char:
		p.next()
		p.finish(m, Literal)
	case String:
		p.str()
	case LParen:
		p.paren(m)
	case LBrace:
		p.record()
	case LBracket:
		p.list()
	case At:
		p.builtin(m)
	case Dot, Amp:
		if p.hostValueAhead() {
			p.hostExpr()
			return
		}
		p.unexpected("a value")
	default:
		p.unexpected("a value")
	}
}

func (p *parser) paren(m mark) {
	p.depth++
	ok := p.deeper()
	if ok {
		p.next()
		p.expr()
	}
	p.shallower()
	if !ok {
		p.depth = 0
		p.finish(m, ParenExpr)
		return
	}
	p.closeBracket(RParen, ")", m)
	p.finish(m, ParenExpr)
}

// builtin parses @name(args); arguments may be types.
func (p *parser) builtin(m mark) {
	p.next()
	if p.kind != Name || !p.adjacent() {
		p.unexpected("the name of a builtin after '@'")
		return
	}
	p.next()
	if p.kind == LParen {
		if p.deeper() {
			p.args()
		}
		p.shallower()
	}
	p.finish(m, BuiltinExpr)
}

// record parses `{ x: 1, p.y }`.
func (p *parser) record() {
	m := p.start()
	p.depth++
	if p.deeper() {
		p.next()
		for p.kind != RBrace && !p.ends() {
			f := p.start()
			if p.labelAhead() {
				p.next()
				p.next()
			}
			p.value()
			p.finish(f, RecordField)
			if p.kind == Comma {
				p.next()
			} else if !p.newline {
				break
			}
			if p.muted {
				break
			}
		}
		p.shallower()
		p.closeBracket(RBrace, "}", m)
	} else {
		p.shallower()
	}
	p.finish(m, RecordExpr)
}

// list parses `[a, b, c]`.
func (p *parser) list() {
	m := p.start()
	p.depth++
	if p.deeper() {
		p.next()
		for p.kind != RBracket && !p.ends() {
			p.value()
			if p.kind != Comma || p.muted {
				break
			}
			p.next()
		}
		p.shallower()
		p.closeBracket(RBracket, "]", m)
	} else {
		p.shallower()
	}
	p.finish(m, ListExpr)
}

// hostValueAhead reports whether host text such as `&.{ … }`, `&[_]i32{ … }`,
// `.{ … }` or `.name` starts at the current token.
func (p *parser) hostValueAhead() bool {
	i := p.pos
	if p.at(i) == '&' {
		i++
		if p.at(i) == '[' {
			return true
		}
	}
	return p.at(i) == '.' && (p.at(i+1) == '{' || p.kind == Dot && isLetter(p.at(i+1)))
}

// hostExpr takes a host value as one token, brackets balanced.
func (p *parser) hostExpr() {
	m := p.start()
	end, open := p.hostValueEnd()
	p.far = max(p.far, end+2) // the line behind it may have gone on with it
	for end > p.pos+1 && (isBlank(p.text[end-1]) || isLine(p.text[end-1])) {
		end--
	}
	switch {
	case open >= 0:
		p.broken("PARSE004", open, open+1, "'"+p.text[open:open+1]+"' is never closed", nil)
	case p.kind == Dot && p.at(p.end) == '{':
		p.fault("PARSE003", p.pos, end, "a host value cannot stand alone here: Koru records are written { field: value }", nil)
	}
	p.raw(Text, p.pos, end)
	p.next()
	p.finish(m, HostExpr)
}

// hostValueEnd returns where the host value ends that begins at the current
// token, and the offset of a bracket in it that is never closed, or -1.
func (p *parser) hostValueEnd() (end, open int) {
	level, open := 0, -1
	quoted := quotes{text: p.text[:p.limit]}
	for i := p.pos; i < p.limit; i++ {
		switch c := p.text[i]; c {
		case '"':
			i = quoted.skip(i) - 1
		case '/':
			if p.at(i+1) != '/' {
				continue
			}
			if level == 0 {
				return i, -1
			}
			i = lineEnd(quoted.text, i) - 1
		case '{', '(', '[':
			if level++; level == 1 {
				open = i
			}
		case '}', ')', ']':
			if level--; level < 0 {
				return i, -1
			}
			if level == 0 {
				open = -1
				if c == '}' {
					return i + 1, -1
				}
			}
		case ',':
			if level == 0 {
				return i, -1
			}
		case '\n', '\r':
			if level == 0 || p.breaksHostValue(i) {
				return i, open
			}
		}
	}
	return p.limit, open
}

// breaksHostValue reports whether the line behind the line end at i cannot be
// the inside of an open bracket, as [parser.breaksBracket] does.
func (p *parser) breaksHostValue(i int) bool {
	if p.wire || p.fenced {
		return false
	}
	start := afterLineEnd(p.text, i, p.limit)
	c := p.at(p.skipBlanks(start))
	switch c {
	case ')', '}', ']', ',':
		return false
	case '|':
		return true
	}
	return !p.past(start) && !isBlank(p.text[start]) && !isLine(c)
}

// str takes a string. Where it holds splices it becomes a Template: the pieces
// of text are Quote tokens, the splices nodes. Whether a receiver fills them is
// not for the parser to say.
func (p *parser) str() {
	m := p.start()
	start, end := p.pos, p.end
	if p.unclosed == start {
		if p.wire {
			p.fault("PARSE001", start, end, "this string has no closing quote: the reply looks truncated", nil)
		}
		p.muted = true
	}
	if !p.hasSplice(start, end) {
		p.next()
		p.finish(m, Literal)
		return
	}
	p.splices(Quote, start, end)
	p.next()
	p.finish(m, Template)
}

// hasSplice reports whether {{ … }} stands between start and end.
func (p *parser) hasSplice(start, end int) bool {
	open, _ := p.findSplice(start, end)
	return open >= 0
}

// findSplice returns where the next {{ begins and where its }} ends.
func (p *parser) findSplice(start, end int) (open, close int) {
	for i := start; i+1 < end; i++ {
		if p.text[i] != '{' || p.text[i+1] != '{' {
			continue
		}
		for j := i + 2; j+1 < end; j++ {
			if p.text[j] == '}' && p.text[j+1] == '}' {
				return i, j + 2
			}
		}
		return -1, -1
	}
	return -1, -1
}

// splices cuts [start, end) into text tokens of the given kind and Splice
// nodes. The last piece becomes the current token.
func (p *parser) splices(kind Kind, start, end int) {
	for {
		open, close := p.findSplice(start, end)
		if open < 0 {
			break
		}
		if open > start {
			p.raw(kind, start, open)
			p.next1()
		}
		p.splice(open, close)
		start = close
	}
	p.raw(kind, start, end)
}

// splice parses {{ expr:spec }} between open and close. What is no expression
// becomes an error node without a fault: only a receiver that fills splices
// makes a fault of it (KORU168).
func (p *parser) splice(open, close int) {
	p.raw(OpenSplice, open, open+2)
	m := p.start()
	p.next1()
	p.quietly(open+2, close-2, func() {
		if p.kind != eof {
			p.expr()
		}
		if p.kind == Colon {
			p.next()
			if p.kind == Name {
				p.next()
			}
		}
	})
	p.raw(CloseSplice, close-2, close)
	p.next1()
	p.finish(m, Splice)
}

// quietly parses the text between start and end, in which there are no comments,
// without reporting faults. If there would be any, or if text is left over, an
// error node behind what was understood says so.
func (p *parser) quietly(start, end int, parse func()) {
	depth, limit, quiet, slipped, muted, tooDeep := p.depth, p.limit, p.quiet, p.slipped, p.muted, p.tooDeep
	p.depth, p.limit, p.quiet, p.slipped, p.muted = 1, end, true, false, false
	p.scan(start)
	if p.kind == eol {
		p.takeLine()
	}
	parse()
	if p.slipped || p.kind != eof {
		e := p.start()
		for p.kind != eof {
			if p.kind == eol {
				p.takeLine()
			}
			p.next()
		}
		p.finish(e, ErrorNode)
	}
	p.depth, p.limit, p.quiet, p.slipped, p.muted, p.tooDeep = depth, limit, quiet, slipped, muted, tooDeep
	p.cur = uint32(len(p.tokens) - p.tokBase)
}
