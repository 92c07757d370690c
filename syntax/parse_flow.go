package syntax

import "strings"

// flowOrImpl parses a construct that starts with a path: an implementation if
// =, -> or => follows the path, otherwise a flow.
func (p *parser) flowOrImpl(indent int) Kind {
	m := p.start()
	if p.kind != Name {
		p.chain(m, indent)
		return FlowItem
	}
	if p.word("const") && p.spaceAfter() && isLetter(p.afterBlank()) {
		p.constLine()
		return FlowItem
	}
	p.path()
	if !p.implAhead() {
		p.chain(m, indent)
		return FlowItem
	}
	p.checkModule()
	p.checkKebab("tor")
	p.next()
	p.variant()
	switch p.kind {
	case Equal:
		p.next()
		if p.kind == eol && p.line.indent >= indent && !p.line.blank && p.line.comment < 0 && !isContinuation(p.line.kind) {
			p.takeLine()
			indent = p.line.indent
		}
		p.chain(p.start(), indent)
	case Arrow:
		p.produce()
	case FatArrow:
		p.construction()
	}
	return ImplItem
}

// afterBlank returns the first byte after the current token that is no blank, as
// [parser.at] does.
func (p *parser) afterBlank() byte {
	return p.at(p.skipBlanks(p.end))
}

// implAhead reports whether =, -> or => follows the path that was just scanned,
// with an optional |variant between.
func (p *parser) implAhead() bool {
	i := p.end
	if p.at(i) == '|' && isLetter(p.at(i+1)) {
		for i++; isWord(p.at(i)) || p.at(i) == '-' && isWord(p.at(i+1)); i++ {
		}
	}
	i = p.skipBlanks(i)
	p.far = max(p.far, i+2)
	switch p.at(i) {
	case '=':
		return p.at(i+1) != '='
	case '-':
		return p.at(i+1) == '>'
	}
	return false
}

// checkModule reports '.' used between modules: std.io:print.ln (KORU035).
func (p *parser) checkModule() {
	for i := p.pos; i < p.end; i++ {
		if p.text[i] == ':' {
			if strings.IndexByte(p.text[p.pos:i], '.') >= 0 {
				slashed := strings.ReplaceAll(p.text[p.pos:i], ".", "/")
				p.fault("KORU035", p.pos, i, "'.' does not separate modules: write "+slashed,
					&Fix{"write " + slashed, []Edit{{p.pos, i, slashed}}})
			}
			return
		}
	}
}

func (p *parser) variant() {
	if p.kind != Pipe || !p.adjacent() || !isLetter(p.at(p.end)) {
		return
	}
	m := p.start()
	p.next()
	p.kebab(false)
	p.next()
	p.finish(m, Variant)
}

// constLine parses `const name = literal` and `const name: T = literal`.
func (p *parser) constLine() {
	chain := p.start()
	call := p.start()
	p.next()
	block := p.start()
	p.constEntry()
	p.finish(block, ConstBlock)
	p.finish(call, Call)
	p.finish(chain, Chain)
}

// chain parses steps joined by |>, and the arms under the last step. Lines of
// the chain have at least the indentation min (language.md 8.6).
func (p *parser) chain(m mark, min int) {
	p.step()
	for {
		switch {
		case p.kind == PipeArrow:
			p.next()
			if p.wire && p.spineAhead() {
				p.step()
				continue
			}
			if p.ends() && !p.stepBelow(min+1) {
				start, end := p.here()
				p.broken("PARSE001", start, end, "expected a step after '|>', found the end of the line", nil)
				break
			}
			p.step()
			continue
		case p.kind == FatArrow:
			p.construction()
		case p.kind == Arrow:
			p.produce()
		case p.continues(min, PipeArrow):
			p.takeLine()
			continue
		}
		break
	}
	p.arms(min)
	p.finish(m, Chain)
}

// arms parses the arms under a chain, each of at least the indentation min.
func (p *parser) arms(min int) {
	inline := p.wire && p.kind == Pipe
	if !p.ends() && !inline {
		p.leftover()
		p.skipLine()
	}
	if !p.deeper() {
		p.shallower()
		return
	}
	for inline || p.continues(min, Pipe, Bang) {
		indent := 0
		if !inline {
			indent = p.line.indent
			p.takeLine()
		}
		p.arm(indent)
		inline = p.wire && p.kind == Pipe
	}
	p.shallower()
}

// arm parses `| name bind when guard |> body` and what is nested under it.
func (p *parser) arm(indent int) {
	m := p.start()
	p.next()
	p.armHead()
	if p.continues(indent+1, PipeArrow) {
		p.takeLine() // the body may start on the line under a bodiless arm
	}
	switch p.kind {
	case PipeArrow:
		p.next()
		if p.ends() && !(p.wire && p.spineAhead()) && !p.stepBelow(indent+1) {
			p.arms(indent + 1)
		} else {
			p.chain(p.start(), indent+1)
		}
	case FatArrow:
		c := p.start()
		p.construction()
		p.arms(indent + 1)
		p.finish(c, Chain)
	case Arrow:
		c := p.start()
		p.produce()
		p.arms(indent + 1)
		p.finish(c, Chain)
	default:
		p.arms(indent + 1)
	}
	p.finish(m, Arm)
}

// stepBelow takes the line under a |> that ends its line, if it has at least the
// indentation min and starts with a step: the layout of May 2026, when no line
// started with |>.
func (p *parser) stepBelow(min int) bool {
	if p.wire || p.kind != eol || p.line.indent < min || p.line.blank || p.line.comment >= 0 {
		return false
	}
	switch p.line.kind {
	case Name, Hash, At, LBracket:
	default:
		return false
	}
	arrow := p.prevPos
	p.takeLine()
	var fix *Fix
	if isSpace(p.text[arrow:p.pos]) {
		fix = &Fix{"join the lines", []Edit{{arrow, p.pos, " "}}}
	}
	p.fault("KORU010", p.pos, p.end, "stray continuation line: a step stands behind its '|>', which may start a line but does not end one", fix)
	return true
}

func isSpace(s string) bool { return strings.TrimSpace(s) == "" }

// armHead parses what stands between the glyph and the body of an arm.
func (p *parser) armHead() {
	if p.kind == Question && p.adjacent() {
		p.catchAll()
		return
	}
	if !p.armName() {
		return
	}
	p.armBind()
	p.guard()
}

func (p *parser) catchAll() {
	p.next()
	if p.kind == Name {
		p.next()
		p.armBind()
	}
}

// armName takes the outcome word: kebab, or raw in backticks or brackets.
func (p *parser) armName() bool {
	switch {
	case p.kind == Name:
		p.kebab(false)
		p.checkKebab("branch")
		p.next()
		return true
	case p.kind == LBracket || p.at(p.pos) == '`' && p.kind == Word:
		return p.rawName()
	}
	p.unexpected("the name of an outcome")
	return false
}

func (p *parser) rawName() bool {
	close := byte(']')
	if p.text[p.pos] == '`' {
		close = '`'
	}
	end := p.pos + 1
	for end < p.limit && p.text[end] != close && !isLine(p.text[end]) {
		end++
	}
	if p.at(end) != close {
		p.broken("PARSE004", p.pos, p.pos+1, "this outcome name has no closing "+string(close), nil)
		return false
	}
	p.raw(RawName, p.pos, end+1)
	p.next()
	return true
}

// armBind takes the name that an arm binds its payload to.
func (p *parser) armBind() {
	m := p.start()
	switch {
	case p.kind == LBrace:
		p.destructure()
		p.finish(m, Bind)
	case p.kind == Name && !p.word("when"):
		p.bindingName()
		p.bindAnnotation()
		p.finish(m, Bind)
	}
}

// bindingName takes a binding; a dash in it is a fault, since a name with a
// dash could not be told from a subtraction where it is used.
func (p *parser) bindingName() {
	if p.at(p.end) == '-' && isWord(p.at(p.end+1)) {
		start := p.pos
		p.kebab(false)
		snake := []byte(p.text[start:p.end])
		for i, c := range snake {
			if c == '-' {
				snake[i] = '_'
			}
		}
		p.fault("PARSE001", start, p.end, "a binding is a snake name: write '"+string(snake)+"'",
			&Fix{"write " + string(snake), []Edit{{start, p.end, string(snake)}}})
	}
	p.next()
}

func (p *parser) bindAnnotation() {
	if p.kind == LBracket && p.adjacent() {
		p.annotations()
	}
}

// destructure parses `{ a, b: c, [id]h, user: { city } }`.
func (p *parser) destructure() {
	m := p.start()
	p.depth++
	p.next()
	if p.deeper() {
		for p.kind != RBrace && !p.ends() {
			p.bindField()
			if p.kind == Comma {
				p.next()
			} else if p.kind != RBrace {
				break
			}
		}
	}
	p.shallower()
	p.closeBracket(RBrace, "}", m)
	p.finish(m, Destructure)
}

func (p *parser) bindField() {
	m := p.start()
	for p.kind == LBracket {
		p.annotations()
	}
	if p.kind != Name {
		p.unexpected("the name of a field")
		return
	}
	p.path()
	p.trimColon()
	p.next()
	if p.kind == Colon {
		p.next()
		switch p.kind {
		case LBrace:
			p.destructure()
		case Name:
			p.path()
			p.next()
			if p.kind == Less {
				p.phantom()
			}
		default:
			p.typ()
		}
	}
	p.finish(m, BindField)
}

// trimColon undoes a path that ran over a label's colon: in `buf:entity.text`
// the colon ends the name, as it does in `buf: entity.text`.
func (p *parser) trimColon() {
	name, _, label := strings.Cut(p.text[p.pos:p.end], ":")
	if !label {
		return
	}
	kind := Name
	if strings.ContainsAny(name, "./") {
		kind = Path
	}
	p.rescan(kind, p.pos+len(name))
}

// closeBracket consumes the bracket that closes the one opened at m.
func (p *parser) closeBracket(kind Kind, text string, m mark) {
	p.depth = max(p.depth-1, 0)
	if p.kind == kind {
		p.next()
		return
	}
	open := p.itemStart + int(p.tokens[p.tokBase+int(m.first)].off)
	if p.ends() {
		p.broken("PARSE004", open, open+1, "'"+p.text[open:open+1]+"' is never closed: expected '"+text+"'",
			&Fix{"close it with " + text, []Edit{{p.prevPos, p.prevPos, text}}})
	} else {
		start, end := p.here()
		p.broken("PARSE001", start, end, "expected ',' or '"+text+"', found "+p.found(), nil)
		p.depth++ // the bracket is still open: a line end is none
		p.skip(func() bool { return p.kind == RParen || p.kind == RBrace || p.kind == RBracket })
		p.depth = max(p.depth-1, 0)
		if p.kind == kind {
			p.next()
			p.muted = false
		}
	}
	if p.newline && p.depth == 0 && !p.ends() {
		p.kind = eol
	}
}

// guard parses `when expr`; the guard ends at |>, => or ->.
func (p *parser) guard() {
	if !p.word("when") {
		return
	}
	m := p.start()
	p.next()
	p.expr()
	p.finish(m, Guard)
}

// step parses one step of a chain.
func (p *parser) step() {
	call := p.start()
	if p.kind == LBracket {
		p.annotations()
		if p.kind == eol && !p.line.blank {
			p.takeLine()
		}
	}
	switch p.kind {
	case At:
		p.jump()
	case Hash:
		p.label()
		p.call(call)
	case Tilde:
		p.leftover()
		p.next()
		p.step()
	case Name, Path:
		if p.word("_") {
			m := p.start()
			p.next()
			p.finish(m, Discard)
			return
		}
		p.call(call)
	default:
		start, end := p.here()
		switch p.kind {
		case String, Int, Float, LBrace:
			p.broken("KORU103", start, end, "'|>' leads to a step, not to a value: write '=>' to construct an outcome or '->' to produce a value", nil)
		default:
			p.broken("PARSE001", start, end, "expected a step, found "+p.found(), nil)
		}
		p.skipLine()
	}
}

func (p *parser) label() {
	m := p.start()
	p.next()
	if p.kind != Name {
		p.unexpected("the name of a label after '#'")
		return
	}
	p.kebab(false)
	p.next()
	p.finish(m, Label)
}

func (p *parser) jump() {
	m := p.start()
	p.next()
	if !p.nameHere("the name of a label after '@'") {
		return
	}
	p.kebab(false)
	p.next()
	if p.kind == LParen {
		p.args()
	}
	p.finish(m, Jump)
}

// call parses path|variant(args) { block }: bind.
func (p *parser) call(m mark) {
	if p.kind != Name && p.kind != Path {
		p.unexpected("the name of a tor")
		p.skipLine()
		return
	}
	p.path()
	p.checkModule()
	callee := p.text[p.pos:p.end]
	p.next()
	p.variant()
	if p.kind == eol && !p.wire && p.line.kind == LParen && !p.line.blank && p.line.comment < 0 {
		p.argsBelow()
	}
	if p.kind == LParen {
		if p.isTest(callee) {
			callee = testVerb
			p.testTitle()
		} else {
			p.args()
		}
	}
	switch {
	case p.kind == LBrace:
		p.block(callee)
	case p.kind == At && p.at(p.end) == '"', p.kind == Less && p.typedBlockAhead():
		p.fileBlock()
	case p.kind == Name && p.arrowBefore(p.prevPos-len(callee)) >= 0:
		p.valueAfterStep(callee)
	}
	p.bind()
	p.finish(m, Call)
}

// argsBelow takes an argument list that stands on the line under its verb.
func (p *parser) argsBelow() {
	verb := p.prevPos
	p.takeLine()
	var fix *Fix
	if isSpace(p.text[verb:p.pos]) {
		fix = &Fix{"join the lines", []Edit{{verb, p.pos, ""}}}
	}
	p.fault("PARSE001", p.pos, p.end, "the arguments of a call begin on the line of its verb", fix)
}

// valueAfterStep reports `|> done v`, the removed way to construct an outcome.
func (p *parser) valueAfterStep(callee string) {
	start := p.prevPos - len(callee)
	i := p.arrowBefore(start)
	fix := &Fix{"construct with =>", []Edit{{i, i + 2, "=>"}}}
	p.broken("KORU103", start, p.end, "'|>' introduces a step, not a value: construct the outcome with '=> "+callee+" …'", fix)
	m := p.start()
	p.expr()
	p.finish(m, ErrorNode)
}

// arrowBefore returns the offset of a |> right before pos, or -1.
func (p *parser) arrowBefore(pos int) int {
	for pos > p.itemStart && isBlank(p.text[pos-1]) {
		pos--
	}
	if pos-2 >= p.itemStart && p.text[pos-2:pos] == "|>" {
		return pos - 2
	}
	return -1
}

// bind parses `: name`, `: { a, b }` or `: name[mutable]` after a call.
func (p *parser) bind() {
	if p.kind != Colon {
		return
	}
	m := p.start()
	p.next()
	switch p.kind {
	case Name:
		p.bindingName()
		p.bindAnnotation()
	case LBrace:
		p.destructure()
	default:
		p.unexpected("a name to bind the result to")
	}
	p.finish(m, Bind)
}

// args parses a parenthesized argument list.
func (p *parser) args() {
	m := p.start()
	p.depth++
	if !p.deeper() {
		p.shallower()
		p.finish(m, Args)
		return
	}
	p.next()
	if p.titleAhead() {
		p.title()
	}
	for p.kind != RParen && !p.ends() {
		p.arg()
		switch p.kind {
		case Comma:
			p.next()
			continue
		case RParen:
			continue
		}
		if p.ends() {
			break
		}
		start, end := p.here()
		p.broken("PARSE001", start, end, "expected ',' or ')' after an argument, found "+p.found(), nil)
		p.skipArg()
		p.muted = false
	}
	p.shallower()
	p.closeBracket(RParen, ")", m)
	p.finish(m, Args)
}

// titleAhead recognises the first argument of a block-taking transform that is
// no expression but plain words: case(gzip round-trip) { … }. Only the receiver
// can say what such text means.
func (p *parser) titleAhead() bool {
	if p.kind != Name {
		return false
	}
	i := p.skipBlanks(p.end)
	if i == p.end && p.at(i) != '-' || !isWord(p.at(i)) && p.at(i) != '-' {
		return false
	}
	for isWord(p.at(i)) || isBlank(p.at(i)) || p.at(i) == '-' {
		i++
	}
	if p.at(i) != ')' {
		return false
	}
	i = p.skipBlanks(i + 1)
	p.far = max(p.far, i+1)
	return p.at(i) == '{'
}

func (p *parser) title() {
	m := p.start()
	end := p.pos
	for end < p.limit && p.text[end] != ')' {
		end++
	}
	h := p.start()
	p.raw(Text, p.pos, end)
	p.next()
	p.finish(h, HostExpr)
	p.finish(m, Arg)
}

// skipArg skips to the end of an argument: behind a comma, or in front of the
// parenthesis. Another bracket closes nothing here, and does not stop it.
func (p *parser) skipArg() {
	p.skip(func() bool { return p.kind == Comma || p.kind == RParen })
	if p.kind == Comma {
		p.next()
	}
}

// arg parses `field: value` or a bare value.
func (p *parser) arg() {
	m := p.start()
	if p.labelAhead() {
		p.next()
		p.next()
	}
	p.value()
	p.finish(m, Arg)
}

// labelAhead reports whether the current token is a label: a name and a colon.
// A label with a dash is taken as one name, so that the fault is about the name.
func (p *parser) labelAhead() bool {
	if p.kind != Name {
		return false
	}
	i := p.end
	for isWord(p.at(i)) || p.at(i) == '-' && isWord(p.at(i+1)) {
		i++
	}
	if p.at(p.skipBlanks(i)) != ':' {
		return false
	}
	if i > p.end {
		p.rescan(Name, i)
	}
	return true
}

// construction parses `=> arm value`.
func (p *parser) construction() {
	m := p.start()
	p.next()
	if p.kind == LBracket || p.kind == Word && p.text[p.pos] == '`' {
		p.rawName()
	} else if p.kind != Name {
		p.unexpected("the outcome to construct after '=>'")
		p.skipLine()
		p.finish(m, Construct)
		return
	} else {
		p.kebab(false)
		p.next()
	}
	p.carried()
	p.finish(m, Construct)
}

// carried parses the value behind the word of a constructor, if there is one.
func (p *parser) carried() {
	if !p.ends() && p.kind != PipeArrow && p.kind != Pipe && p.kind != Bang {
		p.value()
	}
}

// valueAfterWord reports whether a value follows the word that the parser
// stands on, as in `sold-out v`, which no expression does.
func (p *parser) valueAfterWord() bool {
	if p.kind != Name || p.word("if") || p.word("not") {
		return false
	}
	i := p.end
	for isWord(p.at(i)) || p.at(i) == '-' && isLetter(p.at(i+1)) {
		i++
	}
	value := i
	for isBlank(p.at(value)) {
		value++
	}
	end := value
	for isWord(p.at(end)) {
		end++
	}
	p.far = max(p.far, end+1)
	if i == value || end == value {
		return i < value && p.at(value) == '"'
	}
	switch p.text[value:end] {
	case "and", "or", "orelse", "if", "else", "when":
		return false
	}
	return true
}

// produce parses `-> value` or `-> call(args)`.
func (p *parser) produce() {
	m := p.start()
	arrow := p.pos
	p.next()
	switch {
	case p.ends():
		start, end := p.here()
		p.broken("PARSE001", start, end, "expected a value after '->', found "+p.found(), nil)
	case p.valueAfterWord():
		p.kebab(false)
		word := p.text[p.pos:p.end]
		p.fault("KORU021", arrow, arrow+2, "'->' produces one value: the outcome '"+word+"' and what it carries are constructed with '=>'",
			&Fix{"construct with =>", []Edit{{arrow, arrow + 2, "=>"}}})
		p.next()
		p.carried()
		p.finish(m, Construct)
		return
	case p.producesCall():
		p.call(p.start())
	default:
		p.value()
	}
	p.finish(m, Produce)
}

// producesCall tells `-> quote(sku)` from an expression: a path that is
// directly followed by an argument list or a block.
func (p *parser) producesCall() bool {
	if p.kind != Name || p.word("if") || p.word("not") {
		return false
	}
	end, _ := p.pathEnd(p.end)
	if p.at(end) == '(' {
		return true
	}
	return p.at(p.skipBlanks(end)) == '{'
}
