package bridge

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// literal returns the value that a literal of a reply stands for: a quoted text
// without splices, a number, true, false or null (R4, R97).
func literal(n syntax.Node) (v eval.Value, ok bool) {
	if n.Kind() == syntax.UnaryExpr {
		text := n.FirstChild().FirstToken()
		return number(text.Kind(), "-"+text.Text())
	}
	if n.Kind() != syntax.Literal {
		return v, false
	}
	switch t := n.FirstToken(); t.Kind() {
	case syntax.String:
		return eval.StringValue(unquote(t.Text())), true
	case syntax.Int, syntax.Float:
		return number(t.Kind(), t.Text())
	default:
		switch t.Text() {
		case "true", "false":
			return eval.BoolValue(t.Text() == "true"), true
		case "null":
			return v, true
		}
	}
	return v, false
}

// number reads a number as files spell it: 42, 0xFF, 1_000, 1.5.
func number(kind syntax.Kind, text string) (v eval.Value, ok bool) {
	text = strings.ReplaceAll(text, "_", "")
	if kind == syntax.Float {
		f, err := strconv.ParseFloat(text, 64)
		return eval.FloatValue(f), err == nil
	}
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return eval.IntValue(i), true
	}
	b, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return v, false
	}
	return eval.BigValue(b), true
}

// unquote returns the text of a string token. The parser has refused a reply
// whose string is never closed, so the token ends in its quote.
func unquote(token string) string {
	return unescape(strings.TrimSuffix(strings.TrimPrefix(token, `"`), `"`))
}

// unescape decodes the escapes of the wire: \" \\ \/ \n \r \t and \uXXXX, the
// halves of a surrogate pair joined. Every other backslash stays as it is
// written (R75).
func unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:at]...)
	for i := at; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\', '/':
			b = append(b, s[i])
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, n := unicodeEscape(s[i-1:])
			if n == 0 {
				b = append(b, '\\', 'u')
				continue
			}
			b = utf8.AppendRune(b, r)
			i += n - 2
		default:
			b = append(b, '\\', s[i])
		}
	}
	return string(b)
}

// unicodeEscape decodes the \uXXXX, or the pair of them, that s begins with and
// returns how many bytes it takes. Half a pair is no character: it takes none.
func unicodeEscape(s string) (r rune, n int) {
	r, ok := hex4(s)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low, ok := hex4(s[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
