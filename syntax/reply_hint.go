package syntax

import (
	"slices"
	"strings"
)

// What a model writes that is no wire has mostly the shape of something else: a
// tool call of another format, Markdown, a statement of another language. The
// texts here say which, and what stands in its place on the wire.

const nameBehind = "a line begins with its verb, and what it delivers is named behind the call: | outcome name |>, or verb(…): name where there are no outcomes"

// statementWords begin a statement where they come from.
var statementWords = []string{"let", "const", "var", "await", "return"}

// defineWords begin a definition where they come from.
var defineWords = []string{"def", "define", "fn", "func", "function", "fun", "proc", "pub", "macro"}

// notWire says what the text looks like and what would be wire.
func (p *parser) notWire() string {
	line := firstLine(p.text[p.pos:p.limit])
	word := line[:wordEnd(line)]
	rest := strings.TrimLeft(line[len(word):], " \t")
	switch {
	case begins(line, "```", "~~~"):
		return "a Markdown fence is not wire: send its lines alone"
	case begins(line, "//", "/*"):
		return "a comment is not wire: put an aside into a note: line"
	case begins(line, "#"):
		return "a Markdown heading or a comment is not wire: put an aside into a note: line"
	case begins(line, "<think", "<reason", "<scratch"):
		return "thinking is not wire: leave it out, or put it into a note: line"
	case begins(line, "{", "[", "<", "tool_call", "function_call", "Action:"):
		return "a tool call in another format is not wire: write verb(field: \"value\")"
	case begins(line, "|"):
		return "an arm needs a call in front of it"
	case begins(line, "~"):
		return "'~' marks nothing here: the reply is Koru already"
	case marked(line):
		return "Markdown is not wire: a line begins with its verb, without bullets, numbers, back ticks or stars"
	case slices.Contains(defineWords, word):
		return "a definition begins with tor: tor name { field: type } | outcome type   and, on the next line, name = verb(…)"
	case begins(rest, "=") || slices.Contains(statementWords, word):
		return nameBehind
	case word != "" && begins(rest, "(") && bareFields(strings.TrimLeft(rest[1:], " \t")):
		return "nothing stands between a verb and its '(': verb(field: \"value\")"
	case word != "" && bareFields(rest):
		return "the fields of a call stand in parentheses: verb(field: \"value\")"
	}
	return "prose is not wire: a line is verb(field: \"value\"), and text for the user goes into a say: line"
}

// afterCall says of what follows a call on its line what would do there.
func afterCall(rest string) string {
	switch word := rest[:wordEnd(rest)]; {
	case begins(rest, "//", "/*", "#"):
		return "a comment is not wire: put an aside into a note: line"
	case begins(rest, ";"):
		return "a line ends without ';'"
	case begins(rest, "->", "=>", ">>", "&&", ".", ",", ">", "+") || word == "then" || word == "and":
		return "calls are chained with '|>': verb(field: value) |> next(field: value)"
	case word != "" && begins(rest[len(word):], "("):
		return "one call after another on a line is chained with '|>', or begins a line of its own"
	case begins(rest, "`", "*", "_"):
		return "Markdown is not wire: nothing follows a call on its line but an arm"
	}
	return "nothing follows a call on its line but an arm: | outcome name |>"
}

// afterValue says why a value is followed by neither ',' nor ')'.
func (p *parser) afterValue(arg mark) string {
	expected := "after a value comes ',' or ')', found " + p.found()
	first, last := p.tokens[p.tokBase+int(arg.first)].kind, p.tokens[p.tokBase+int(p.prevEnd)-1].kind
	switch {
	case p.kind == eof || p.lineBetween() || p.kind == Pipe || p.kind == PipeArrow:
		return "the call is never closed: " + expected
	case first == Name && (last == String || last == Quote):
		return expected + ": a text ends in its quote, and a quote inside it is written \\\""
	}
	return expected
}

// lineBetween reports whether the current token is on a later line than the one
// before it.
func (p *parser) lineBetween() bool {
	return strings.ContainsAny(p.text[min(p.prevPos, p.pos):p.pos], "\r\n")
}

// marked reports whether a line is set in Markdown: an item of a list, a
// quotation, code or bold text.
func marked(line string) bool {
	if begins(line, "- ", "* ", "+ ", "> ", "`", "**", "__") {
		return true
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && begins(digits, ". ", ") ")
}

// bareFields reports whether a text looks like the fields of a call without its
// parentheses: code: "P1".
func bareFields(text string) bool {
	end := wordEnd(text)
	if end == 0 || !begins(text[end:], ":") {
		return false
	}
	value := strings.TrimLeft(text[end+1:], " \t")
	return len(value) > 1 && (value[0] == 'r' && '0' <= value[1] && value[1] <= '9' || value[0] == '"' || '0' <= value[0] && value[0] <= '9' || value[0] == '[' || value[0] == '{')
}

// wordEnd returns where the name that a text begins with ends.
func wordEnd(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && (c == '-' || '0' <= c && c <= '9'):
		default:
			return i
		}
	}
	return len(text)
}

func begins(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}
