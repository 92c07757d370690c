package zig

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/koru-go/koru/eval"
)

// kind is what a token is: a class below, or the token's own text for
// punctuation and keywords.
type kind uint8

const (
	endToken kind = iota
	nameToken
	builtinToken // @as
	intToken
	floatToken
	charToken
	textToken // decoded in token.value
	punctToken
)

// token is one lexical element of a body.
type token struct {
	kind  kind
	text  string // as written
	value string // decoded text of a string
	start int
	end   int
}

// lexer scans a body. Its errors are faults of the body.
type lexer struct {
	src string
	pos int
}

func faultAt(off int, format string, args ...any) *eval.BodyError {
	return &eval.BodyError{Offset: off, Message: fmt.Sprintf(format, args...)}
}

// puncts are the operators of more than one byte, longest first.
var puncts = []string{
	"...", "**=", "<<=", ">>=", "+%=", "-%=", "*%=",
	"=>", "==", "!=", "<=", ">=", "..", ".*", ".?", "++", "**", "+=", "-=", "*=", "/=", "%=",
	"<<", ">>", "+%", "-%", "*%", "||", "|=", "&=", "^=", "->",
}

func (l *lexer) next() (token, *eval.BodyError) {
	l.blanks()
	start := l.pos
	if start >= len(l.src) {
		return token{kind: endToken, start: start, end: start}, nil
	}
	c := l.src[start]
	switch {
	case isLetter(c):
		return l.take(nameToken, l.word(start)), nil
	case c == '@' && start+1 < len(l.src) && isLetter(l.src[start+1]):
		return l.take(builtinToken, l.word(start+1)), nil
	case c == '$' && start+1 < len(l.src) && isLetter(l.src[start+1]):
		return l.take(nameToken, l.word(start+1)), nil
	case c >= '0' && c <= '9':
		return l.number(), nil
	case c == '"':
		return l.text()
	case c == '\'':
		return l.char()
	case strings.HasPrefix(l.src[start:], `\\`):
		return l.lines(), nil
	}
	for _, p := range puncts {
		if strings.HasPrefix(l.src[start:], p) {
			return l.take(punctToken, start+len(p)), nil
		}
	}
	_, n := utf8.DecodeRuneInString(l.src[start:])
	return l.take(punctToken, start+n), nil
}

func (l *lexer) take(k kind, end int) token {
	t := token{kind: k, text: l.src[l.pos:end], start: l.pos, end: end}
	l.pos = end
	return t
}

// blanks skips white space and comments.
func (l *lexer) blanks() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.pos++
		case strings.HasPrefix(l.src[l.pos:], "//"):
			l.pos = lineEnd(l.src, l.pos)
		default:
			return
		}
	}
}

func lineEnd(s string, pos int) int {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(s)
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) word(pos int) int {
	for pos < len(l.src) && (isLetter(l.src[pos]) || l.src[pos] >= '0' && l.src[pos] <= '9') {
		pos++
	}
	return pos
}

func (l *lexer) number() token {
	end := l.word(l.pos)
	k := intToken
	if end+1 < len(l.src) && l.src[end] == '.' && l.src[end+1] >= '0' && l.src[end+1] <= '9' {
		k, end = floatToken, l.word(end+1)
	}
	hex := strings.HasPrefix(l.src[l.pos:end], "0x")
	if !hex && end < len(l.src) && (l.src[end] == '-' || l.src[end] == '+') && strings.HasSuffix(strings.ToLower(l.src[l.pos:end]), "e") {
		k, end = floatToken, l.word(end+1)
	} else if !hex && strings.ContainsAny(l.src[l.pos:end], "eE") {
		k = floatToken
	}
	return l.take(k, end)
}

// lines takes a multi-line string: lines that start with \\.
func (l *lexer) lines() token {
	var b strings.Builder
	start := l.pos
	for first := true; ; first = false {
		mark := l.pos
		for l.pos < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0 {
			l.pos++
		}
		if !strings.HasPrefix(l.src[l.pos:], `\\`) {
			l.pos = mark
			break
		}
		if !first {
			b.WriteByte('\n')
		}
		end := lineEnd(l.src, l.pos)
		b.WriteString(strings.TrimSuffix(l.src[l.pos+2:end], "\r"))
		l.pos = end
	}
	return token{kind: textToken, text: l.src[start:l.pos], value: b.String(), start: start, end: l.pos}
}

func (l *lexer) text() (token, *eval.BodyError) {
	start := l.pos
	var b strings.Builder
	for l.pos++; l.pos < len(l.src) && l.src[l.pos] != '\n'; {
		switch c := l.src[l.pos]; c {
		case '"':
			l.pos++
			return token{kind: textToken, text: l.src[start:l.pos], value: b.String(), start: start, end: l.pos}, nil
		case '\\':
			if err := l.escape(&b); err != nil {
				return token{}, err
			}
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	return token{}, faultAt(start, "this string has no closing quote")
}

func (l *lexer) char() (token, *eval.BodyError) {
	start := l.pos
	var b strings.Builder
	l.pos++
	switch {
	case l.pos >= len(l.src):
	case l.src[l.pos] == '\\':
		if err := l.escape(&b); err != nil {
			return token{}, err
		}
	default:
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		b.WriteRune(r)
		l.pos += n
	}
	if l.pos >= len(l.src) || l.src[l.pos] != '\'' {
		return token{}, faultAt(start, "this character has no closing quote")
	}
	l.pos++
	return token{kind: charToken, text: l.src[start:l.pos], value: b.String(), start: start, end: l.pos}, nil
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\'': '\'', '\\': '\\'}

// escape decodes one escape sequence at the current backslash.
func (l *lexer) escape(b *strings.Builder) *eval.BodyError {
	start := l.pos
	l.pos++
	if l.pos >= len(l.src) {
		return faultAt(start, "an escape with nothing behind it")
	}
	c := l.src[l.pos]
	l.pos++
	if plain, ok := escapes[c]; ok {
		b.WriteByte(plain)
		return nil
	}
	switch c {
	case 'x':
		if n, ok := hex(l.src[l.pos:min(l.pos+2, len(l.src))]); ok && l.pos+2 <= len(l.src) {
			b.WriteByte(byte(n))
			l.pos += 2
			return nil
		}
	case 'u':
		if end := strings.IndexByte(l.src[l.pos:], '}'); end > 1 && end <= 7 && l.src[l.pos] == '{' {
			if n, ok := hex(l.src[l.pos+1 : l.pos+end]); ok && utf8.ValidRune(rune(n)) {
				b.WriteRune(rune(n))
				l.pos += end + 1
				return nil
			}
		}
	}
	return faultAt(start, "'%s' is no escape of a Zig string", l.src[start:l.pos])
}

func hex(s string) (n int, ok bool) {
	for i := range len(s) {
		d := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if d < 0 {
			return 0, false
		}
		n = n<<4 | d
	}
	return n, len(s) > 0
}
