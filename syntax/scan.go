package syntax

import "unicode/utf8"

// The scanner is part of the parser: it runs one token ahead, on demand, and
// the parser tells it what it expects where the same bytes mean different
// things (a kebab name or a subtraction, a source block or a record).

// class sorts bytes for the scanner's inner loops.
type class uint8

const (
	classLetter class = 1 << iota // letters and _
	classDigit
	classBlank // space and tab
	classLine  // line ends
	classHex
)

var classes = func() (t [256]class) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= classLetter
		t[c-'a'+'A'] |= classLetter
	}
	for c := 'a'; c <= 'f'; c++ {
		t[c] |= classHex
		t[c-'a'+'A'] |= classHex
	}
	t['_'] |= classLetter
	for c := '0'; c <= '9'; c++ {
		t[c] |= classDigit | classHex
	}
	t[' '], t['\t'] = classBlank, classBlank
	t['\n'], t['\r'] = classLine, classLine
	return t
}()

func isLetter(c byte) bool { return classes[c]&classLetter != 0 }
func isWord(c byte) bool   { return classes[c]&(classLetter|classDigit) != 0 }
func isDigit(c byte) bool  { return classes[c]&classDigit != 0 }
func isBlank(c byte) bool  { return classes[c]&classBlank != 0 }
func isLine(c byte) bool   { return classes[c]&classLine != 0 }

// at returns the byte at offset i, or 0 past the end of what is being scanned.
// The text may hold that byte, too: whether it ends is for [parser.past] to say.
func (p *parser) at(i int) byte {
	if i < p.limit {
		return p.text[i]
	}
	return 0
}

// past reports whether offset i is past the end of what is being scanned.
func (p *parser) past(i int) bool { return i >= p.limit }

// skipBlanks returns the offset of the first byte from i on that is no blank.
func (p *parser) skipBlanks(i int) int {
	for i < p.limit && isBlank(p.text[i]) {
		i++
	}
	return i
}

// lineEndAt returns the offset of the line end after offset i.
func (p *parser) lineEndAt(i int) int { return lineEnd(p.text[:p.limit], i) }

// push appends a token that starts at offset off of the file.
func (p *parser) push(kind Kind, off int) {
	p.tokens = append(p.tokens, token{uint32(off - p.itemStart), kind})
}

// next consumes the current token and scans the one after it.
func (p *parser) next() {
	p.prevEnd = uint32(len(p.tokens) - p.tokBase)
	p.prevPos = p.end
	p.scan(p.end)
}

// scan reads trivia and one token from offset pos. Outside brackets the end of
// a line is the virtual token eol: p.kind says so while p.line describes the
// line that follows, whose first token has been scanned already.
func (p *parser) scan(pos int) {
	if end := p.oneBlank(pos); end >= 0 {
		p.pos, p.newline = end, false
		p.cur = uint32(len(p.tokens) - p.tokBase)
		p.solid()
		return
	}
	g := p.trivia(pos)
	p.cur = uint32(len(p.tokens) - p.tokBase)
	p.solid()
	p.newline = g.lines > 0 || p.kind == eof
	if !p.newline {
		return
	}
	if p.kind == eof {
		p.line = line{kind: eof, blank: true}
		return
	}
	p.line = line{kind: p.kind, indent: p.indentOf(p.pos), blank: g.blank, comment: g.comment}
	if p.depth == 0 || p.breaksBracket() {
		p.kind = eol
	}
}

// breaksBracket reports whether the line that starts here cannot be the inside
// of an open bracket, so that a missing ) costs one line and not the file.
func (p *parser) breaksBracket() bool {
	if p.wire || p.fenced {
		return false
	}
	switch p.line.kind {
	case RParen, RBrace, RBracket, Comma:
		return false
	case Pipe, PipeArrow:
		return true
	}
	return p.line.indent == 0
}

// takeLine makes the first token of the next line the current one.
func (p *parser) takeLine() {
	p.kind = p.line.kind
	p.newline = false
	p.muted = false
}

// gap describes the trivia between two tokens.
type gap struct {
	lines   int  // line ends
	blank   bool // a line without any text
	comment int  // offset of the first comment that has a line of its own, or -1
}

// trivia scans blanks, line ends and comments from offset pos and leaves p.pos
// behind them.
func (p *parser) trivia(pos int) gap {
	g := gap{comment: -1}
	text := pos > 0 && !isLine(p.text[pos-1]) // whether the line has any so far
	for pos < p.limit {
		switch c := p.text[pos]; {
		case isBlank(c):
			start, tab := pos, false
			for ; pos < p.limit && isBlank(p.text[pos]); pos++ {
				tab = tab || p.text[pos] == '\t'
			}
			p.push(Space, start)
			if tab && !p.wire && (text || p.pure) {
				p.tabFault(start, pos)
			}
		case isLine(c):
			p.push(Newline, pos)
			if c == '\r' && p.at(pos+1) == '\n' {
				pos++
			}
			pos++
			g.lines++
			g.blank = g.blank || !text
			text = false
		case c == '/' && p.at(pos+1) == '/' && !p.wire && !p.quiet:
			if !text && g.comment < 0 {
				g.comment = pos
			}
			text = true
			p.push(Comment, pos)
			pos = p.lineEndAt(pos)
		case c == 0xEF && pos == 0 && p.at(1) == 0xBB && p.at(2) == 0xBF:
			p.push(BOM, pos)
			pos += 3
		default:
			p.pos = pos
			return g
		}
	}
	p.pos = pos
	return g
}

// oneBlank takes the commonest trivia, no more than one blank between two tokens
// of a line, and returns the offset behind it; -1 means that there is more.
func (p *parser) oneBlank(pos int) int {
	blank := pos
	if pos < p.limit && p.text[pos] == ' ' {
		pos++
	}
	if pos >= p.limit || p.text[pos] <= ' ' || p.text[pos] == '/' || p.text[pos] == 0xEF {
		return -1
	}
	if pos > blank {
		p.push(Space, blank)
	}
	return pos
}

func (p *parser) tabFault(start, end int) {
	p.addFault(Fault{
		Code: "PARSE002", Start: start, End: end,
		Message: "a tab: Koru counts leading spaces only — use spaces",
		Fix:     &Fix{Title: "replace the tab by four spaces", Edits: []Edit{{start, end, expandTabs(p.text[start:end])}}},
	})
}

func expandTabs(s string) string {
	var b []byte
	for i := range len(s) {
		if s[i] == '\t' {
			b = append(b, "    "...)
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// indentOf counts the leading spaces of the line that offset pos stands on.
// A ~ in front of a construct takes the place of nothing: the construct's
// indentation is that of the ~.
func (p *parser) indentOf(pos int) int {
	start := pos
	for start > 0 && !isLine(p.text[start-1]) {
		start--
	}
	n := 0
	for start+n < pos && p.text[start+n] == ' ' {
		n++
	}
	return n
}

// solid scans one token that is no trivia at p.pos, in expression mode, and
// pushes it. At the end of the text it sets eof and pushes nothing.
func (p *parser) solid() {
	pos := p.pos
	if pos >= p.limit {
		p.kind, p.end = eof, pos
		return
	}
	kind, end := p.lex(pos)
	p.kind, p.end = kind, end
	p.push(kind, pos)
}

// lex returns kind and end of the token at pos.
func (p *parser) lex(pos int) (Kind, int) {
	c := p.text[pos]
	switch {
	case isLetter(c):
		end := pos + 1
		for end < p.limit && isWord(p.text[end]) {
			end++
		}
		return Name, end
	case isDigit(c):
		return p.lexNumber(pos)
	}
	d := p.at(pos + 1)
	switch c {
	case '"':
		return p.lexString(pos)
	case '\'':
		return p.lexChar(pos)
	case '|':
		switch d {
		case '>':
			return PipeArrow, pos + 2
		case '|':
			return PipePipe, pos + 2
		}
		return Pipe, pos + 1
	case '!':
		if d == '=' {
			return NotEqual, pos + 2
		}
		return Bang, pos + 1
	case '=':
		switch d {
		case '>':
			return FatArrow, pos + 2
		case '=':
			return EqualEqual, pos + 2
		}
		return Equal, pos + 1
	case '-':
		if d == '>' {
			return Arrow, pos + 2
		}
		return Minus, pos + 1
	case '.':
		switch d {
		case '.':
			return DotDot, pos + 2
		case '*':
			return Deref, pos + 2
		}
		return Dot, pos + 1
	case '?':
		if d == '!' {
			return QuestionBang, pos + 2
		}
		return Question, pos + 1
	case '<':
		if d == '=' {
			return LessEqual, pos + 2
		}
		return Less, pos + 1
	case '>':
		if d == '=' {
			return GreaterEqual, pos + 2
		}
		return Greater, pos + 1
	case '+':
		if d == '+' {
			return PlusPlus, pos + 2
		}
		return Plus, pos + 1
	case '&':
		if d == '&' {
			return AmpAmp, pos + 2
		}
		return Amp, pos + 1
	}
	if kind := single[c]; kind != Invalid {
		return kind, pos + 1
	}
	return Word, p.lexWord(pos)
}

var single = [256]Kind{
	':': Colon, ',': Comma, '#': Hash, '@': At, '~': Tilde, ';': Semicolon,
	'(': LParen, ')': RParen, '{': LBrace, '}': RBrace, '[': LBracket, ']': RBracket,
	'*': Star, '/': Slash, '%': Percent,
}

// lexWord takes a run of bytes that starts no token: letters beyond ASCII,
// control bytes, stray punctuation. One run is one token, so that a sentence in
// another script costs one fault.
func (p *parser) lexWord(pos int) int {
	for pos < p.limit {
		c := p.text[pos]
		if c < utf8.RuneSelf {
			if isWord(c) || isBlank(c) || isLine(c) || c == '"' || single[c] != Invalid {
				break
			}
			pos++
			if c >= ' ' {
				break
			}
			continue
		}
		_, n := utf8.DecodeRuneInString(p.text[pos:p.limit])
		pos += n
	}
	return pos
}

func (p *parser) lexNumber(pos int) (Kind, int) {
	end := pos + 1
	if p.text[pos] == '0' && (p.at(end) == 'x' || p.at(end) == 'X') {
		for end++; end < p.limit && (classes[p.text[end]]&classHex != 0 || p.text[end] == '_'); end++ {
		}
		return Int, end
	}
	digits := func() {
		for end < p.limit && (isDigit(p.text[end]) || p.text[end] == '_') {
			end++
		}
	}
	digits()
	kind := Int
	if p.at(end) == '.' && isDigit(p.at(end+1)) {
		kind = Float
		end++
		digits()
	}
	if e := p.at(end); e == 'e' || e == 'E' {
		i := end + 1
		if s := p.at(i); s == '+' || s == '-' {
			i++
		}
		if isDigit(p.at(i)) {
			kind, end = Float, i
			digits()
		}
	}
	return kind, end
}

// lexString scans a string. In a file it ends at the end of its line at the
// latest; on the wire it may span lines (bridge.md 5.1).
func (p *parser) lexString(pos int) (Kind, int) {
	for i := pos + 1; i < p.limit; i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < p.limit && (p.wire || !isLine(p.text[i+1])):
			i++
		case c == '"':
			return String, i + 1
		case isLine(c) && !p.wire:
			p.unclosedString(pos, i)
			return String, i
		}
	}
	p.unclosedString(pos, p.limit)
	return String, p.limit
}

func (p *parser) unclosedString(start, end int) {
	p.unclosed, p.slipped = start, true
	if p.wire {
		return // reported where the string is used: a look ahead must not fail the step before
	}
	p.addFault(Fault{
		Code: "PARSE001", Start: start, End: end,
		Message: "this string has no closing quote",
		Fix:     &Fix{Title: "close the string", Edits: []Edit{{end, end, `"`}}},
	})
}

// lexChar scans a character literal. A quote that closes nothing is a word.
func (p *parser) lexChar(pos int) (Kind, int) {
	i := pos + 1
	switch {
	case p.at(i) == '\\':
		i += 2
		for i < p.limit && classes[p.text[i]]&classHex != 0 && i < pos+6 {
			i++
		}
	case i < p.limit && !isLine(p.text[i]) && p.text[i] != '\'':
		_, n := utf8.DecodeRuneInString(p.text[i:p.limit])
		i += n
	}
	if p.at(i) == '\'' && i > pos+1 {
		return Char, i + 1
	}
	return Word, pos + 1
}

// rescan replaces the current token by one of the given kind that ends at end.
func (p *parser) rescan(kind Kind, end int) {
	p.tokens[p.tokBase+int(p.cur)].kind = kind
	p.kind, p.end = kind, end
}

// kebab extends the current Name over dashes: find-parcel, print.ln with dots.
// A dash belongs to the name only if a letter or digit follows, so that
// `name->x` and `a - b` stay what they are.
func (p *parser) kebab(dots bool) {
	end := p.end
	for end < p.limit {
		c := p.text[end]
		if isWord(c) || c == '-' && isWord(p.at(end+1)) || dots && c == '.' && isLetter(p.at(end+1)) {
			end++
			continue
		}
		break
	}
	p.rescan(Name, end)
}

// path extends the current Name to a module path and a tor name:
// std/io:print.ln. The kind becomes Path if there is more than a kebab name.
func (p *parser) path() {
	end, kind := p.pathEnd(p.end)
	p.rescan(kind, end)
}

// pathEnd returns where a path ends that is known to reach to end already.
func (p *parser) pathEnd(end int) (int, Kind) {
	kind, colon := Name, false
	for end < p.limit {
		c := p.text[end]
		d := p.at(end + 1)
		switch {
		case isWord(c) || c == '-' && isWord(d):
		case (c == '.' || c == '/' && !colon) && isLetter(d):
			kind = Path
		case c == ':' && !colon && isLetter(d):
			kind, colon = Path, true
		default:
			return end, kind
		}
		end++
	}
	return end, kind
}

// raw takes everything up to end as one token of the given kind and makes it
// the current token. Nothing happens if there is no text before end.
func (p *parser) raw(kind Kind, start, end int) {
	p.tokens = p.tokens[:p.tokBase+int(p.cur)]
	p.pos = start
	p.push(kind, start)
	p.kind, p.end, p.newline = kind, end, false
}
