package format

import (
	"strings"
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// gap is what stands between two tokens.
type gap uint8

const (
	tight gap = iota // nothing
	blank            // one space; inside brackets a line end of the author's stays
	line             // a line end, then printer.column spaces
)

// printer writes one file. Every token goes through [printer.token], in the
// order of the source; layout functions set the gap before they print the next.
type printer struct {
	*memory
	out   []byte
	eol   string
	world bool
	host  bool // the file has host lines
	state
}

// memory is what a printer keeps from one file to the next.
type memory struct {
	starts []int          // where each item of the file begins in out
	kept   []bool         // which of them are printed as they are
	parse  syntax.Scratch // for the tree of a text that is formatted only
	check  syntax.Scratch // for the tree of what was printed
}

// state is where a printer stands. A line that turns out too wide is printed
// again from the state before it.
type state struct {
	last      syntax.Token // printed last in this item
	gap       gap          // what stands before the next token
	keepBlank bool         // one blank line in the next gap may stay
	column    int          // where the next line begins, while gap is line

	lineStart int // offset in out of the current line
	indent    int // its indentation
	base      int // the indentation of the line that the step or declaration began on

	depth        int // open brackets
	outer, inner int // the columns of the closing bracket and of lines inside it

	copiedLF, copiedCRLF int // line ends in text of the source

	prints       bool // the current call fills the splices of its strings
	breakShape   bool // the next shape is too wide for its line
	brokenShapes int  // shapes broken so far
}

// mark is a state to return to.
type mark struct {
	state
	written int
}

func (p *printer) mark() mark { return mark{p.state, len(p.out)} }

// reset undoes everything printed since m.
func (p *printer) reset(m mark) { p.state, p.out = m.state, p.out[:m.written] }

// token prints the gap before t and t itself.
func (p *printer) token(t syntax.Token) {
	switch {
	case p.gap == tight && t.Follows(p.last):
	case p.gap == blank && oneSpace(p.last, t):
		p.out = append(p.out, ' ')
	default:
		p.before(t)
	}
	p.out = append(p.out, t.Text()...)
	p.last, p.gap = t, tight
}

// oneSpace reports whether a run of blanks is all that stands between two tokens.
func oneSpace(left, right syntax.Token) bool {
	space := left.Next()
	return space.Kind() == syntax.Space && right.Follows(space)
}

// copy prints the source of a node unchanged.
func (p *printer) copy(n syntax.Node) {
	p.before(n.FirstToken())
	p.raw(n.Text())
	p.last, p.gap = n.LastToken(), tight
}

// raw appends text of the source that may hold line ends.
func (p *printer) raw(text string) {
	start := len(p.out)
	p.out = append(p.out, text...)
	last := strings.LastIndexByte(text, '\n')
	if last < 0 {
		return
	}
	p.lineStart, p.indent = start+last+1, p.base
	p.countLines(text, 1)
}

func (p *printer) countLines(copied string, sign int) {
	crlf := strings.Count(copied, "\r\n")
	p.copiedCRLF += sign * crlf
	p.copiedLF += sign * (strings.Count(copied, "\n") - crlf)
}

// before prints the gap in front of t, with the comments that stand in it.
func (p *printer) before(t syntax.Token) {
	if !p.last.IsValid() {
		return
	}
	between := p.last.Next()
	lines, commented := 0, false
	adjacent := between == t
	for ; between.IsValid() && between != t; between = between.Next() {
		switch between.Kind() {
		case syntax.Newline:
			lines++
		case syntax.Comment:
			p.comment(between, lines)
			lines, commented = 0, true
		}
	}
	switch {
	case p.gap == line:
		p.newline(p.column, lines)
	case commented:
		p.newline(p.inner, lines)
	case p.gap == blank && lines > 0 && p.depth > 0:
		p.newline(p.inner, lines)
	case p.gap == blank:
		p.out = append(p.out, ' ')
	case !adjacent && glue(p.last, t):
		p.out = append(p.out, ' ')
	}
	p.keepBlank = false
}

// comment prints a comment: behind what stands on its line, or on a line of its
// own if that is how it stood.
func (p *printer) comment(t syntax.Token, lines int) {
	switch {
	case lines == 0:
		p.out = append(p.out, ' ')
	case p.gap == line:
		p.newline(p.column, lines)
	default:
		p.newline(p.inner, lines)
	}
	p.out = append(p.out, trimRight(t.Text())...)
}

// newline ends the line and indents the next one. lines is how many line ends
// the source had there.
func (p *printer) newline(column, lines int) {
	p.out = append(p.out, p.eol...)
	if p.keepBlank && lines > 1 {
		p.out = append(p.out, p.eol...)
	}
	p.lineStart, p.indent = len(p.out), column
	p.pad(column)
}

// pad writes n blanks.
func (p *printer) pad(n int) {
	for ; n > len(blanks); n -= len(blanks) {
		p.out = append(p.out, blanks...)
	}
	p.out = append(p.out, blanks[:n]...)
}

const blanks = "                                                                "

// start sets the gap to a line end; the line that follows begins a step, an arm
// or a declaration.
func (p *printer) start(column int) {
	p.gap, p.column, p.base = line, column, column
}

// wide reports whether the current line passes [Width].
func (p *printer) wide() bool { return p.wider(Width) }

// wider reports whether the current line has more than the given columns: one
// for each code point.
func (p *printer) wider(columns int) bool {
	line := p.out[p.lineStart:]
	return len(line) > columns && utf8.RuneCount(line) > columns
}

// glue reports whether two tokens that the source keeps apart would read as one
// if nothing stood between them.
func glue(before, after syntax.Token) bool {
	text := before.Text()
	left, right := text[len(text)-1], after.Text()[0]
	switch left {
	case '|':
		return right == '|' || right == '>'
	case '=':
		return right == '=' || right == '>'
	case '.':
		return right == '.' || right == '*' || isDigit(right) && before.Prev().Kind() == syntax.Int // a.0. 0
	case '!', '<', '>':
		return right == '='
	case '&':
		return right == '&' || right == '[' // &[0] is a host value
	case '-':
		return right == '>'
	case '?':
		return right == '!'
	case '+', '/':
		return right == left
	}
	return isWord(left) && isWord(right)
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// following returns the first token behind t that is no trivia, or the zero Token.
func following(t syntax.Token) syntax.Token {
	for t = t.Next(); t.Kind().IsTrivia(); t = t.Next() {
	}
	return t
}

// breaks reports whether the author ended a line in front of t.
func breaks(t syntax.Token) bool {
	for q := t.Prev(); q.IsValid(); q = q.Prev() {
		switch k := q.Kind(); {
		case k == syntax.Newline:
			return true
		case !k.IsTrivia() && k != syntax.Comma:
			return false
		}
	}
	return false
}

// commented reports whether a comment stands right in front of t.
func commented(t syntax.Token) bool {
	for q := t.Prev(); q.IsValid(); q = q.Prev() {
		switch k := q.Kind(); {
		case k == syntax.Comment:
			return true
		case !k.IsTrivia() && k != syntax.Comma:
			return false
		}
	}
	return false
}

func trimRight(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
