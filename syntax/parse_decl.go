package syntax

import "strings"

// torItem parses `tor name { fields } -> T` and the arms under it.
func (p *parser) torItem(indent int) {
	p.next()
	if !p.nameHere("the name of the tor") {
		return
	}
	p.path()
	p.checkTorName()
	p.next()
	if p.kind == Pipe && p.adjacent() && isLetter(p.at(p.end)) {
		start := p.pos
		p.next()
		p.fault("PARSE003", start, p.end, "a tor has no variant: the target belongs to the proc", nil)
		p.next()
	}
	if p.kind != LBrace {
		start, end := p.here()
		var fix *Fix
		if p.ends() || p.kind == Arrow {
			fix = p.insertAt(p.prevPos, " {}")
		}
		p.broken("PARSE003", start, end, "a tor declares its inputs in braces: write {} when it takes none", fix)
	} else {
		p.shape()
	}
	if p.kind == LBracket {
		p.annotations()
	}
	if p.kind == Arrow {
		p.next()
		p.returnType()
	}
	p.armDecls(indent)
}

func (p *parser) insertAt(pos int, text string) *Fix {
	return &Fix{"insert " + strings.TrimSpace(text), []Edit{{pos, pos, text}}}
}

// checkTorName reports what a tor may not be called.
func (p *parser) checkTorName() {
	if i := strings.IndexByte(p.text[p.pos:p.end], ':'); i >= 0 {
		p.fault("PARSE003", p.pos, p.end, "a tor is declared in its own module: its name has no ':'", nil)
		return
	}
	p.checkKebab("tor")
}

// returnType parses what follows -> in a declaration.
func (p *parser) returnType() {
	if p.ends() {
		start, end := p.here()
		p.broken("PARSE001", start, end, "expected a type after '->', found "+p.found(), nil)
		return
	}
	p.typ()
}

// shape parses `{ name: type = default, … }`; line ends separate as commas do.
func (p *parser) shape() {
	m := p.start()
	p.depth++
	if !p.deeper() {
		p.shallower()
		p.finish(m, Shape)
		return
	}
	p.next()
	for p.kind != RBrace && !p.ends() {
		p.fieldDecl()
		switch {
		case p.kind == Comma:
			p.next()
		case p.kind == RBrace || p.newline && !p.ends():
		default:
			if !p.ends() {
				start, end := p.here()
				p.broken("PARSE001", start, end, "expected ',' or '}' after a field, found "+p.found(), nil)
				p.skipField()
			}
		}
		if !p.ends() {
			p.muted = false
		}
	}
	p.shallower()
	p.closeBracket(RBrace, "}", m)
	p.finish(m, Shape)
}

// skipField skips to the end of a field: behind a comma, or in front of the next
// line or of the bracket.
func (p *parser) skipField() {
	first := p.cur
	p.skip(func() bool { return p.kind == Comma || p.kind == RBrace || p.newline && p.cur > first })
	if p.kind == Comma {
		p.next()
	}
}

func (p *parser) fieldDecl() {
	m := p.start()
	if p.kind == LBracket {
		p.annotations()
	}
	if p.kind != Name {
		p.unexpected("the name of a field")
		p.skipField()
		return
	}
	p.fieldName()
	if p.kind != Colon {
		start, end := p.here()
		p.broken("PARSE003", start, end, "a field is declared as name: type — expected ':', found "+p.found(), nil)
		p.finish(m, FieldDecl)
		return
	}
	p.next()
	p.typ()
	if p.kind == Equal {
		p.next()
		p.value()
	}
	p.finish(m, FieldDecl)
}

// fieldName takes a field's name. A dash in it is a fault: fields are used in
// expressions, where a dash subtracts.
func (p *parser) fieldName() {
	if p.at(p.end) == '-' && isWord(p.at(p.end+1)) {
		p.kebab(false)
		snake := strings.ReplaceAll(p.text[p.pos:p.end], "-", "_")
		p.fault("PARSE003", p.pos, p.end, "a field is a snake name: write '"+snake+"'",
			&Fix{"write " + snake, []Edit{{p.pos, p.end, snake}}})
	}
	p.next()
}

// armDecls parses the arms of a tor: on its own line (world files), or on the
// lines under it.
func (p *parser) armDecls(indent int) {
	for {
		switch {
		case p.kind == Pipe || p.kind == Bang:
			p.armDecl(indent)
		case p.declContinues(indent):
			at := p.line.indent
			p.takeLine()
			p.armDecl(at)
		default:
			return
		}
	}
}

// declContinues reports whether the next line is an arm of the declaration. A
// comment line between declared arms is legal; a blank line ends them.
func (p *parser) declContinues(min int) bool {
	if p.kind != eol || p.line.indent < min || p.line.kind != Pipe && p.line.kind != Bang {
		return false
	}
	if !p.pure && !p.wire && !p.armAhead() {
		return false
	}
	if p.line.blank {
		p.blankInDeclaration()
	}
	return true
}

// armDecl parses one declared arm: | name payload, ! name payload -> resume.
func (p *parser) armDecl(indent int) {
	m := p.start()
	effect := p.kind == Bang
	p.next()
	if p.kind == Question || p.kind == QuestionBang {
		p.next()
	}
	if p.kind == Amp || p.kind == Star {
		p.fault("PARSE003", p.pos, p.end, "deferred arms were removed from the language: declare a plain outcome", nil)
		p.next()
	}
	if !p.armName() {
		p.skipLine()
		p.finish(m, ArmDecl)
		return
	}
	p.payload()
	if p.kind == Arrow {
		r := p.start()
		if !effect {
			p.fault("PARSE003", p.pos, p.end, "'->' belongs to effects and to single outputs: a '|' outcome resumes nothing", nil)
		}
		p.next()
		p.typ()
		p.finish(r, Resume)
	} else if effect {
		p.resumeArms(indent)
	}
	if !p.ends() && p.kind != Pipe && p.kind != Bang {
		p.leftover()
		p.skipLine()
	}
	p.finish(m, ArmDecl)
}

// payload parses what an arm carries: a type, a record shape or *.
func (p *parser) payload() {
	switch {
	case p.ends(), p.kind == Pipe, p.kind == Bang, p.kind == Arrow:
	case p.kind == LBrace:
		p.typ()
	case p.kind == Star && p.bareStar():
		m := p.start()
		p.next()
		p.finish(m, Type)
	case p.kind == LParen:
		start := p.pos
		open := p.start()
		p.depth++
		p.next()
		p.closeBracket(RParen, ")", open)
		p.fault("PARSE003", start, p.prevPos, "an outcome without payload is just its name: drop the parentheses", nil)
	default:
		p.typ()
	}
}

// bareStar tells the wildcard payload from a pointer type.
func (p *parser) bareStar() bool {
	c := p.at(p.end)
	return p.past(p.end) || isBlank(c) || isLine(c)
}

// resumeArms parses the named answers of an effect, on its line or indented
// under it.
func (p *parser) resumeArms(indent int) {
	for {
		switch {
		case p.kind == Pipe:
		case p.kind == eol && p.line.kind == Pipe && p.line.indent > indent && !p.line.blank:
			p.takeLine()
		default:
			return
		}
		m := p.start()
		p.next()
		if !p.armName() {
			p.skipLine()
			return
		}
		p.payload()
		p.finish(m, Resume)
	}
}

// typ parses a type (language.md 5).
func (p *parser) typ() {
	m := p.start()
	if !p.deeper() {
		p.shallower()
		p.finish(m, Type)
		return
	}
	p.typePrefix()
	switch {
	case p.kind == LBrace:
		p.shape()
	case p.kind == String:
		p.choices()
	case p.kind == Name:
		p.path()
		p.checkModule()
		p.next()
		switch {
		case p.kind == LBracket && p.adjacent():
			p.typeIndex()
		case p.kind == LParen && p.adjacent():
			p.args() // a host type such as anyopaque or fn(…)
		}
	case p.kind == Bang:
		p.next() // a host error union
		p.typ()
	default:
		p.unexpected("a type")
	}
	if p.kind == Less && p.adjacent() {
		p.phantom()
	}
	p.shallower()
	p.finish(m, Type)
}

// typePrefix takes ?, *, [], [N] and const in front of a type.
func (p *parser) typePrefix() {
	for {
		switch {
		case p.kind == Question, p.kind == Star, p.kind == Deref:
			p.next()
		case p.kind == Word && p.text[p.pos] == '?':
			p.next()
		case p.kind == LBracket:
			open := p.start()
			p.depth++
			p.next()
			for p.kind != RBracket && !p.ends() {
				p.next()
			}
			p.closeBracket(RBracket, "]", open)
		case p.word("const") && p.spaceAfter() && p.typeAhead():
			p.next()
		default:
			return
		}
	}
}

// typeAhead reports whether a type begins behind the current token and a blank.
func (p *parser) typeAhead() bool {
	c := p.afterBlank()
	return isLetter(c) || strings.IndexByte(`?*[{"!`, c) >= 0
}

// choices parses "a" | "b" (R4).
func (p *parser) choices() {
	p.next()
	for p.kind == Pipe && p.afterBlank() == '"' {
		p.next()
		p.next()
	}
}

// typeIndex takes the brackets after a type name: a length, char[32], or the
// phantom spelling of May 2026, *File[open!].
func (p *parser) typeIndex() {
	open := p.start()
	start := p.pos
	p.depth++
	p.next()
	if p.kind == Int {
		p.next()
		p.closeBracket(RBracket, "]", open)
		return
	}
	end := start
	for end < p.limit && p.text[end] != ']' && !isLine(p.text[end]) {
		end++
	}
	for p.kind != RBracket && !p.ends() {
		p.next()
	}
	p.closeBracket(RBracket, "]", open)
	if p.at(end) == ']' {
		p.fault("KORU033", start, end+1, "a possession state stands in angle brackets: write <"+p.text[start+1:end]+">",
			&Fix{"write <" + p.text[start+1:end] + ">", []Edit{{start, start + 1, "<"}, {end, end + 1, ">"}}})
	}
}

// phantom parses <open!>, <!open>, a union or a state variable.
func (p *parser) phantom() {
	m := p.start()
	p.depth++
	p.next()
	for !p.ends() && p.kind != Greater {
		p.state()
		if p.kind != Pipe && p.kind != PipePipe {
			break
		}
		p.next()
	}
	switch p.kind {
	case Greater, GreaterEqual, PipeArrow:
		if p.kind != Greater {
			p.rescan(Greater, p.pos+1) // <open!>=… and <a|>: the bracket ends here
		}
		p.depth = max(p.depth-1, 0)
		p.next()
	default:
		p.closeBracket(Greater, ">", m)
	}
	p.finish(m, Phantom)
}

// state parses one member: [!] [module:] name [!], or the name of a variable
// with its quote.
func (p *parser) state() {
	m := p.start()
	if p.kind == Bang {
		p.next()
	}
	if p.kind != Name {
		p.unexpected("the name of a state")
		p.next1Unless()
		return
	}
	p.path()
	if p.at(p.end) == '\'' {
		p.rescan(Name, p.end+1) // M'_ : the quote belongs to the variable
		p.next()
		p.finish(m, State)
		if p.kind == Name {
			p.state()
		}
		return
	}
	p.next()
	if p.kind == Bang {
		p.next()
	} else if p.kind == NotEqual {
		p.rescan(Bang, p.pos+1)
		p.next()
	}
	p.finish(m, State)
}

// next1Unless consumes one token that can be no part of a state, so that the
// phantom ends at the bracket that closes it.
func (p *parser) next1Unless() {
	if !p.ends() && p.kind != Greater && p.kind != RBrace && p.kind != RParen && p.kind != Comma {
		p.next()
	}
}

// annotations parses [ … ]: inline entries, or bullets and prose on lines of
// their own.
func (p *parser) annotations() {
	m := p.start()
	p.next1()
	if i := p.skipBlanks(p.end); isLine(p.at(i)) {
		p.verticalAnnotations(i)
	} else {
		p.annotationLine(']')
	}
	if p.at(p.pos) != ']' {
		p.scan(p.pos)
		open := p.itemStart + int(p.tokens[p.tokBase+int(m.first)].off)
		p.broken("PARSE004", open, open+1, "this annotation has no closing ']'", nil)
		if p.kind != eof {
			p.kind = eol
		}
		p.finish(m, Annotations)
		return
	}
	p.raw(RBracket, p.pos, p.pos+1)
	p.next()
	p.finish(m, Annotations)
}

// verticalAnnotations takes lines up to the one that starts with ].
func (p *parser) verticalAnnotations(pos int) {
	for {
		p.pos = pos
		p.gapTokens()
		pos = p.pos
		if pos >= p.limit || p.text[pos] == ']' {
			return
		}
		if c := p.text[pos]; (c == '-' || c == '*' || c == '+') && isBlank(p.at(pos+1)) {
			p.raw(bulletKind(c), pos, pos+1)
			p.next1()
			p.annotationLine('\n')
		} else {
			m := p.start()
			end := p.lineEndAt(pos)
			for end > pos && isBlank(p.text[end-1]) {
				end--
			}
			p.raw(Prose, pos, end)
			p.next1()
			p.finish(m, DocText)
		}
		pos = p.end
	}
}

func bulletKind(c byte) Kind {
	switch c {
	case '-':
		return Minus
	case '*':
		return Star
	}
	return Plus
}

// gapTokens pushes the trivia at p.pos and makes the place behind it the
// current one.
func (p *parser) gapTokens() {
	p.tokens = p.tokens[:p.tokBase+int(p.cur)]
	p.trivia(p.pos)
	p.cur = uint32(len(p.tokens) - p.tokBase)
	p.far = max(p.far, p.pos+1)
}

// annotationLine parses entries separated by | up to the byte end.
func (p *parser) annotationLine(end byte) {
	for {
		if i := p.skipBlanks(p.end); i > p.end {
			p.tokens = p.tokens[:p.tokBase+int(p.cur)]
			p.push(Space, p.end)
			p.end = i
			p.cur = uint32(len(p.tokens) - p.tokBase)
		}
		p.pos = p.end
		c := p.at(p.pos)
		if p.past(p.pos) || c == end || isLine(c) {
			return
		}
		switch {
		case c == '|':
			p.raw(Pipe, p.pos, p.pos+1)
			p.next1()
		case c == ',':
			p.fault("PARSE007", p.pos, p.pos+1, "',' between annotations: they are separated by '|'",
				&Fix{"write |", []Edit{{p.pos, p.pos + 1, "|"}}})
			p.raw(Comma, p.pos, p.pos+1)
			p.next1()
		default:
			p.annotation(end)
		}
	}
}

// annotation parses one entry: name, name(arg, …), or a comparison.
func (p *parser) annotation(end byte) {
	m := p.start()
	stop := p.entryEnd(p.pos, end)
	name := p.pos
	for name < stop && (isWord(p.text[name]) || p.text[name] == '-' || p.text[name] == ':' || p.text[name] == '!') {
		name++
	}
	switch {
	case name > p.pos && p.at(name) == '(' && p.text[stop-1] == ')':
		p.raw(Name, p.pos, name)
		p.next1()
		p.raw(LParen, name, name+1)
		p.next1()
		p.annotationArgs(name+1, stop-1)
		p.raw(RParen, stop-1, stop)
		p.next1()
	case name == stop:
		p.raw(Name, p.pos, stop)
		p.next1()
	default:
		p.raw(Word, p.pos, stop)
		p.next1()
	}
	p.finish(m, Annotation)
}

// entryEnd returns where the entry at pos ends: before the next | or end byte
// outside brackets and strings, without trailing blanks.
func (p *parser) entryEnd(pos int, end byte) int {
	level := 0
	i := pos
scan:
	for ; i < p.limit && !isLine(p.text[i]); i++ {
		switch c := p.text[i]; {
		case c == '"':
			for i++; i < p.limit && p.text[i] != '"' && !isLine(p.text[i]); i++ {
			}
			if p.at(i) != '"' {
				break scan
			}
		case c == '(' || c == '[':
			level++
		case level > 0 && (c == ')' || c == ']'):
			level--
		case level == 0 && (c == '|' || c == ',' || c == end):
			break scan
		}
	}
	i = max(i, pos+1)
	for i > pos+1 && isBlank(p.text[i-1]) {
		i--
	}
	return i
}

// annotationArgs cuts the text between the parentheses at its commas.
func (p *parser) annotationArgs(pos, end int) {
	for pos < end {
		for pos < end && isBlank(p.text[pos]) {
			p.raw(Space, pos, pos+1)
			p.cur = uint32(len(p.tokens) - p.tokBase)
			pos++
		}
		stop := min(p.entryEnd(pos, ')'), end)
		if pos >= end {
			return
		}
		if p.text[pos] != ',' {
			m := p.start()
			p.raw(Word, pos, stop)
			p.next1()
			p.finish(m, AnnotationArg)
			pos = stop
		}
		for pos < end && isBlank(p.text[pos]) {
			p.raw(Space, pos, pos+1)
			p.cur = uint32(len(p.tokens) - p.tokBase)
			pos++
		}
		if pos < end && p.text[pos] == ',' {
			p.raw(Comma, pos, pos+1)
			p.next1()
			pos++
		}
	}
}
