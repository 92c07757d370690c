package bridge

import (
	"regexp"
	"strings"
	"testing"
)

// readLark reads a grammar in the notation of Lark by translating it, symbol by
// symbol, into the other notation: what the two say can then be compared, and
// held to the same law.
func readLark(t testing.TB, source string) *grammar {
	t.Helper()
	var b strings.Builder
	for i, line := range strings.Split(strings.ReplaceAll(source, "\n    |", " |"), "\n") {
		name, body, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("Lark: line %d has no rule: %q", i+1, line)
		}
		b.WriteString(fromLark(t, name) + " ::=")
		for body != "" {
			symbol := larkSymbol.FindString(body)
			if symbol == "" {
				t.Fatalf("Lark: cannot read %q", body)
			}
			b.WriteString(" " + fromLark(t, symbol))
			body = strings.TrimLeft(body[len(symbol):], " ")
		}
		b.WriteByte('\n')
	}
	// A sign of repetition stands right behind what is repeated.
	text := regexp.MustCompile(`(?m) ([?*+{]|\{[0-9,]+\})( |$)`).ReplaceAllString(b.String(), "$1$2")
	return readGBNF(t, text)
}

var larkSymbol = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|/\[(?:[^\\\]]|\\.)*\]/|[A-Za-z_][A-Za-z0-9_]*|~[0-9]+(?:\.\.[0-9]+)?|[()|?*+])`)

func fromLark(t testing.TB, symbol string) string {
	switch c := symbol[0]; {
	case symbol == "start":
		return "root"
	case c == '/':
		return strings.ReplaceAll(strings.Trim(symbol, "/"), `\/`, "/")
	case c == '~':
		return "{" + strings.ReplaceAll(symbol[1:], "..", ",") + "}"
	case isLetter(c):
		name := strings.ReplaceAll(symbol, "_", "-")
		if upper := strings.ToUpper(name); name == upper {
			return "T-" + upper
		}
		return name
	}
	return symbol
}
