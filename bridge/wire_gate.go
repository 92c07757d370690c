package bridge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// The gate of August (bridge.md 3.9): exactly one invocation, with quoted
// values, and nothing more. It is kept for programs that ask for it by
// std/runtime:parse.wire; replies are read by syntax.ParseReply.

// gate reads one invocation.
type gate struct {
	text string
	pos  int
}

// parseWire says why a text is not one invocation, or nil.
func parseWire(text string) *misparse {
	g := &gate{text: strings.Trim(text, " \t\r\n")}
	message := g.read()
	if message == "" {
		return nil
	}
	line := 1 + strings.Count(g.text[:g.pos], "\n")
	return &misparse{message, line, g.pos - strings.LastIndexByte(g.text[:g.pos], '\n')}
}

// read returns the message of the first fault; g.pos is its place.
func (g *gate) read() string {
	if g.text == "" {
		return "the wire carries exactly one invocation per turn — the reply was empty"
	}
	verb := g.name()
	if verb == "" {
		first, _ := utf8.DecodeRuneInString(g.text[g.pos:])
		return fmt.Sprintf("not an invocation: a wire line is verb(field: \"value\") and starts with a verb name, not '%c'", first)
	}
	g.blanks()
	if !g.take('(') {
		return fmt.Sprintf("not an invocation: after the verb '%s' comes '(' — prose is not wire", verb)
	}
	for g.blanks(); !g.take(')'); g.blanks() {
		if message := g.argument(); message != "" {
			return message
		}
	}
	return g.tail()
}

// argument reads `field: "value"` and the comma behind it.
func (g *gate) argument() string {
	field := g.name()
	if field == "" {
		return `arguments are name: "value" pairs — expected a field name here`
	}
	g.blanks()
	if !g.take(':') {
		return fmt.Sprintf("expected ':' after the field '%s'", field)
	}
	g.blanks()
	if g.peek() != '"' {
		return fmt.Sprintf("the value of '%s' must be a double-quoted string — the wire has no bare values", field)
	}
	open := g.pos
	for g.pos++; g.peek() != '"'; g.pos++ {
		if g.peek() == '\\' {
			g.pos++
		}
		if g.pos >= len(g.text) {
			g.pos = open
			return fmt.Sprintf("unterminated string for the field '%s' — the reply looks truncated", field)
		}
	}
	g.pos++
	g.blanks()
	if !g.take(',') && g.peek() != ')' {
		return "after a value comes ',' or ')'"
	}
	return ""
}

// tail judges what follows the closing parenthesis.
func (g *gate) tail() string {
	g.blanks()
	switch rest := g.text[g.pos:]; {
	case rest == "":
		return ""
	case strings.HasPrefix(rest, "|>"):
		return "chains are not wire: one invocation per turn — read the result, then emit the next verb"
	case rest[0] == '\n' || rest[0] == '\r':
		return "one invocation per turn: a second line is a second turn"
	}
	return "one invocation per turn: nothing follows the closing ')'"
}

func (g *gate) peek() byte {
	if g.pos < len(g.text) {
		return g.text[g.pos]
	}
	return 0
}

func (g *gate) take(c byte) bool {
	if g.peek() != c {
		return false
	}
	g.pos++
	return true
}

func (g *gate) blanks() {
	for g.peek() == ' ' || g.peek() == '\t' {
		g.pos++
	}
}

// name reads a name of ASCII letters, digits, _ and -.
func (g *gate) name() string {
	start := g.pos
	for c := g.peek(); isLetter(c) || c == '_' || g.pos > start && (isDigit(c) || c == '-'); c = g.peek() {
		g.pos++
	}
	return g.text[start:g.pos]
}

// definitionIn returns the name of the verb that a text defines.
func definitionIn(text string) (name string, fault *misparse) {
	file := syntax.ParseReply(text, nil)
	item := file.Item(0)
	switch faults := file.Faults(); {
	case len(faults) > 0:
		pos := file.Position(faults[0].Start, syntax.UTF8)
		return "", &misparse{faults[0].Message, pos.Line + 1, pos.Column + 1}
	case item.Kind() != syntax.Definition:
		return "", &misparse{syntax.MissingHalf, 1, 1}
	}
	return syntax.TorView{Node: item.Child(syntax.TorItem)}.Name().Text(), nil
}
