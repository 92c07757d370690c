package syntax

import (
	"slices"
	"strings"
)

// blockVerbs names the verbs whose block the language reads itself
// (language.md 9.1).
var blockVerbs = map[string]Kind{
	"std/runtime:register": GrantBlock,
	"const":                ConstBlock,
	"std/control:const":    ConstBlock,
	"std/store:new":        ColumnBlock,
	"std/grid:new":         ColumnBlock,
	"std/store:stored":     AssignBlock,
	"std/store:insert":     AssignBlock,
	"std/grid:stored":      AssignBlock,
	"capture":              AssignBlock,
	"captured":             AssignBlock,
	"std/control:capture":  AssignBlock,
	"std/control:captured": AssignBlock,
	"std/io:print.blk":     TemplateBlock,
	"std/fmt:blk":          TemplateBlock,
	testVerb:               TestBlock,
}

// blockKind says how the block of a callee reads. The text of a callee that is
// not known here stays opaque.
func blockKind(callee string) Kind {
	if kind, ok := blockVerbs[callee]; ok {
		return kind
	}
	return Block
}

// BlockVerbs lists the verbs whose block is of the given kind, sorted.
func BlockVerbs(kind Kind) []string {
	var verbs []string
	for verb, k := range blockVerbs {
		if k == kind {
			verbs = append(verbs, verb)
		}
	}
	slices.Sort(verbs)
	return verbs
}

// testVerb declares a test. It is a keyword, so it may stand without its module.
const testVerb = "std/testing:test"

// isTest reports whether the parenthesis that the parser stands at holds the
// title of a test. The bare word may be any tor's: it declares a test if a block
// follows.
func (p *parser) isTest(callee string) bool {
	if callee != "test" {
		return callee == testVerb
	}
	end := p.titleEnd()
	if p.at(end) != ')' {
		return false
	}
	for end++; p.at(end) == ' '; end++ {
	}
	p.far = max(p.far, end+1)
	return p.at(end) == '{'
}

// titleEnd returns the offset of the parenthesis that closes a title, or of the
// end of the line.
func (p *parser) titleEnd() int {
	end := p.pos + 1
	for end < p.limit && p.text[end] != ')' && !isLine(p.text[end]) {
		end++
	}
	return end
}

// testTitle takes the title of a test, which may be plain words.
func (p *parser) testTitle() {
	m := p.start()
	open, end := p.pos, p.titleEnd()
	p.next1()
	if end > open+1 {
		a := p.start()
		p.raw(Text, open+1, end)
		p.next1()
		p.finish(a, Arg)
	}
	if p.at(end) == ')' {
		p.raw(RParen, end, end+1)
		p.next()
	} else {
		p.scan(end)
		p.broken("PARSE004", open, open+1, "'(' is never closed: expected ')'", nil)
	}
	p.finish(m, Args)
}

// block parses the source block that the current brace opens.
func (p *parser) block(callee string) {
	kind := blockKind(callee)
	open := p.pos
	close, ok := p.blockEnd(open)
	p.far = max(p.far, close+1)
	m := p.start()
	if !ok {
		p.next1()
		p.raw(Text, open+1, close)
		p.next1()
		p.scan(close)
		p.broken("PARSE004", open, open+1, "this block has no closing brace", nil)
		p.finish(m, kind)
		return
	}
	p.next1()
	switch kind {
	case Block:
		if close > open+1 {
			p.raw(Text, open+1, close)
			p.next1()
		}
	case TemplateBlock:
		p.template(open+1, close)
	default:
		p.entries(kind, open+1, close)
	}
	p.raw(RBrace, close, close+1)
	p.next()
	p.finish(m, kind)
}

// blockEnd finds the brace that closes the block opened at pos. A string on one
// line hides its braces; a quote that is not closed on its line is a quote.
func (p *parser) blockEnd(pos int) (int, bool) {
	level := 0
	quoted := quotes{text: p.text[:p.limit]}
	for i := pos; i < p.limit; i++ {
		switch p.text[i] {
		case '{':
			level++
		case '}':
			if level--; level == 0 {
				return i, true
			}
		case '"':
			i = quoted.skip(i) - 1
		}
	}
	return p.limit, false
}

// entries parses a block of entries that are separated by lines or commas.
func (p *parser) entries(kind Kind, start, close int) {
	depth, limit, fenced := p.depth, p.limit, p.fenced
	p.depth, p.limit, p.fenced = 1, close, true
	if kind == TestBlock {
		p.depth = 0
	}
	p.cur = uint32(len(p.tokens) - p.tokBase)
	p.scan(start)
	if p.kind == eol {
		p.takeLine()
	}
	for p.kind != eof {
		if p.kind == eol {
			p.takeLine()
		}
		before := p.cur
		p.entry(kind)
		if p.cur == before && p.kind != eof {
			p.badEntry("an entry") // never stand still, whatever the text
		}
		p.muted = false
		if kind != TestBlock {
			p.depth = 1 // a broken entry may have given up its brackets
		}
	}
	// The trivia before the closing brace has been pushed already.
	p.depth, p.limit, p.fenced = depth, limit, fenced
	p.cur = uint32(len(p.tokens) - p.tokBase)
	p.muted = false
}

// entry parses one entry of a block of the given kind.
func (p *parser) entry(kind Kind) {
	switch kind {
	case GrantBlock:
		p.grant()
	case ConstBlock:
		p.constEntry()
	case ColumnBlock:
		p.column()
	case AssignBlock:
		p.assign()
	case TestBlock:
		p.testItem()
		return
	}
	p.entryEnds()
}

// entryEnds makes sure that an entry is followed by a comma, a line end or the
// end of the block; anything else is skipped up to there.
func (p *parser) entryEnds() {
	switch {
	case p.ends(), p.newline:
	case p.kind == Comma:
		p.next()
	default:
		start, end := p.here()
		p.broken("PARSE001", start, end, "expected ',' or the end of the line after an entry, found "+p.found(), nil)
		m := p.start()
		for !p.ends() {
			p.next()
			if p.newline {
				break
			}
		}
		p.finish(m, ErrorNode)
	}
}

// badEntry reports and consumes one token that starts no entry.
func (p *parser) badEntry(what string) {
	p.unexpected(what)
	if p.kind == eol {
		p.takeLine()
	}
	m := p.start()
	p.next()
	p.finish(m, ErrorNode)
}

// grant parses one entry of a register block (language.md 9.3).
func (p *parser) grant() {
	m := p.start()
	if p.kind == LBracket {
		p.annotations()
	}
	if p.kind != Name {
		p.badEntry("a verb to grant")
		return
	}
	p.path()
	if p.word("scope") && p.afterBlank() == '(' {
		p.include(m)
		return
	}
	p.next()
	switch {
	case p.kind == Deref && p.adjacent():
		p.next()
		p.finish(m, GrantGlob)
		return
	case p.kind == Colon && p.adjacent() && p.at(p.end) == '*':
		p.next()
		p.next()
		p.finish(m, GrantGlob)
		return
	case p.kind == Arrow:
		p.next()
		if p.kind != Name {
			p.unexpected("the name under which the scope exposes the verb")
			p.finish(m, Grant)
			return
		}
		p.path()
		p.next()
	}
	if p.kind == LParen && !p.newline {
		p.grantCost()
	}
	p.finish(m, Grant)
}

// grantCost parses (cost) as an argument list of one value; whether the value
// is a cost is judged with the scope.
func (p *parser) grantCost() { p.args() }

func (p *parser) include(m mark) {
	p.next()
	open := p.start()
	p.depth++
	p.next()
	if p.kind == Name {
		p.path()
		p.next()
	} else {
		p.unexpected("the name of a scope")
	}
	p.closeBracket(RParen, ")", open)
	p.finish(m, GrantInclude)
}

// constEntry parses NAME: literal in a block, or name = literal and
// name: T = literal on a const line.
func (p *parser) constEntry() {
	m := p.start()
	if p.kind != Name {
		if p.ends() {
			p.unexpected("the name of a constant")
			return
		}
		p.badEntry("the name of a constant")
		return
	}
	p.next()
	switch p.kind {
	case Colon:
		p.next()
		if !p.fenced {
			p.typ()
			if p.want(Equal, "'=' and the value of the constant") {
				p.value()
			}
		} else {
			p.value()
		}
	case Equal:
		p.next()
		p.value()
	default:
		p.unexpected("':' and the value of the constant")
	}
	p.finish(m, ConstEntry)
}

// column parses one column of a store: name: type, name: literal[type], or one
// anonymous type.
func (p *parser) column() {
	m := p.start()
	if p.labelAhead() {
		p.next()
		p.next()
		if p.startsLiteral() {
			p.value()
			p.finish(m, Column)
			return
		}
	}
	if p.kind == RBrace || p.kind == RParen || p.kind == Comma {
		p.badEntry("a column")
		return
	}
	p.typ()
	p.finish(m, Column)
}

// startsLiteral tells the initial value of a column from its type.
func (p *parser) startsLiteral() bool {
	switch p.kind {
	case Int, Float, Char, Minus, LParen:
		return true
	case String:
		return !strings.HasPrefix(strings.TrimLeft(p.text[p.end:p.limit], " "), "|")
	case Name:
		switch p.text[p.pos:p.end] {
		case "true", "false", "null":
			return true
		}
	case LBracket:
		c := p.at(p.end)
		return c != ']' && !isDigit(c)
	}
	return false
}

// assign parses path: value, or a punned path.
func (p *parser) assign() {
	m := p.start()
	switch p.kind {
	case RBrace, RParen, RBracket, Comma, Colon:
		p.badEntry("a field to assign")
		return
	}
	p.value()
	if p.kind == Colon {
		p.next()
		p.value()
	}
	p.finish(m, Assign)
}

// testItem parses one flow or mock inside a test.
func (p *parser) testItem() {
	m := p.start()
	indent := p.indentOf(p.pos)
	p.muted = false
	var kind Kind
	if isContinuation(p.kind) {
		kind = p.strayItem(indent)
	} else {
		if p.kind == LBracket {
			p.annotations()
		}
		kind = p.construct(indent)
		p.lineEnd(indent, kind)
	}
	p.finish(m, kind)
	if p.kind == eol {
		p.takeLine()
	}
}

// template cuts the text of a template block into text, splices and tags.
func (p *parser) template(start, end int) {
	for start < end {
		open, close, tag := p.templateHole(start, end)
		if open < 0 {
			break
		}
		if open > start {
			p.raw(Text, start, open)
			p.next1()
		}
		if tag {
			p.tag(open, close)
		} else {
			p.splice(open, close)
		}
		start = close
	}
	if start < end {
		p.raw(Text, start, end)
		p.next1()
	}
}

// templateHole finds the next {{ … }} or {% … %}.
func (p *parser) templateHole(start, end int) (open, close int, tag bool) {
	for i := start; i+1 < end; i++ {
		if p.text[i] != '{' || p.text[i+1] != '{' && p.text[i+1] != '%' {
			continue
		}
		tag = p.text[i+1] == '%'
		shut := "}}"
		if tag {
			shut = "%}"
		}
		if j := strings.Index(p.text[i+2:end], shut); j >= 0 {
			return i, i + 2 + j + 2, tag
		}
		return -1, -1, false
	}
	return -1, -1, false
}

// tag parses {% word expr %}; in `for x in xs` the word in is a name.
func (p *parser) tag(open, close int) {
	p.raw(OpenTag, open, open+2)
	m := p.start()
	p.next1()
	p.quietly(open+2, close-2, p.tagText)
	p.raw(CloseTag, close-2, close)
	p.next1()
	p.finish(m, Tag)
}

func (p *parser) tagText() {
	word := ""
	if p.kind == Name {
		word = p.text[p.pos:p.end]
		p.next()
	}
	if word == "for" && p.kind == Name {
		b := p.start()
		p.next()
		p.finish(b, Bind)
		if p.word("in") {
			p.next()
		}
	}
	if p.kind != eof {
		p.expr()
	}
}

// typedBlockAhead tells `call <html>"page.html"` and `call <sql>{ … }` from a
// comparison.
func (p *parser) typedBlockAhead() bool {
	i := p.end
	for isWord(p.at(i)) || p.at(i) == '-' || p.at(i) == '/' || p.at(i) == ':' || p.at(i) == '.' {
		i++
	}
	return i > p.end && p.at(i) == '>' && (p.at(i+1) == '"' || p.at(i+1) == '{' || isBlank(p.at(i+1)))
}

// fileBlock parses @"path", <type>"path" and <type>{ … }.
func (p *parser) fileBlock() {
	m := p.start()
	if p.kind == Less {
		p.next()
		p.path()
		p.next()
		p.want(Greater, "'>'")
		if p.kind == LBrace {
			p.block("")
			p.finish(m, FileBlock)
			return
		}
	} else {
		p.next()
	}
	if p.want(String, "the path of a file") {
		p.finish(m, FileBlock)
		return
	}
	p.finish(m, FileBlock)
}
