package check

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// unquote returns the text that a string token stands for.
func unquote(token string) string {
	token = strings.TrimPrefix(token, `"`)
	if strings.HasSuffix(token, `"`) && !escaped(token[:len(token)-1]) {
		token = token[:len(token)-1]
	}
	return unescape(token)
}

// escaped reports whether the byte after s would be escaped: s ends in an odd
// number of backslashes.
func escaped(s string) bool {
	n := len(s) - len(strings.TrimRight(s, `\`))
	return n%2 == 1
}

// unescape decodes \n \t \r \" \\ \' \0 and \xNN (language.md 2.4). What is no
// escape stays as it is written.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case '0':
			b = append(b, 0)
		case '"', '\\', '\'':
			b = append(b, s[i])
		case 'x':
			if i+2 < len(s) {
				if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					b = append(b, byte(n))
					i += 2
					continue
				}
			}
			b = append(b, '\\', 'x')
		default:
			b = append(b, '\\', s[i])
		}
	}
	return string(b)
}

// charCode returns the digits of the integer that a character literal is.
func charCode(token string) string {
	s := unescape(strings.Trim(token, "'"))
	if token == `'\''` || token == `'''` {
		s = "'"
	}
	if len(s) == 1 {
		return strconv.Itoa(int(s[0]))
	}
	r, _ := utf8.DecodeRuneInString(s)
	return strconv.Itoa(int(r))
}

// LiteralAt returns the constant that a Literal node stands for, decoded: the
// default of a field, for whoever has no flow around it.
func LiteralAt(n syntax.Node) (lit Literal, ok bool) {
	e := literal(n)
	return e.Lit, e.Kind == LiteralExpr
}

// scalarType returns the type that the language knows under a name, or nil.
func scalarType(name string) *Type {
	if strings.Contains(name, ":") {
		return nil
	}
	t := &Type{}
	(*Module)(nil).named(t, name)
	switch {
	case t.Kind == TextType, t.Kind == BoolType, t.Kind == IntType, t.Kind == FloatType:
		return t
	}
	return nil
}

// annotated reports whether an annotation in front of or inside the node is one
// of the words.
func annotated(n syntax.Node, words ...string) bool {
	for block := range n.AnnotationList() {
		for entry := range block.ChildrenOf(syntax.Annotation) {
			for _, w := range words {
				if entry.HasWord(w) {
					return true
				}
			}
		}
	}
	return false
}
