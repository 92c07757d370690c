package format

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koru-go/koru/syntax"
)

var mutations = flag.Int("mutations", 3000, "how many mutated programs TestMutated formats")

// pieces are what a mutation puts into a program: whatever opens, closes, joins
// or cuts short.
var pieces = []string{
	" ", "\t", "\n", "\r", "\r\n", "\n\n", "\x00", "\ufeff", " // why\n", "//", "\"", "'", "`", "\\",
	"(", ")", "[", "]", "{", "}", "{{", "}}", "{%", "%}", "&.{", ".{", "if (", "scope(", "test(",
	",", ".", ":", "|", "-", "=", ">", "<", "?", "!", "*", "+", "/", "&", "~", "@", "#l ", "..", "|>", "=>", "->",
	"a", "_", "0", "1.5", "'x'", "true", "else", "when ", "not ", "const ", "tor ", "pub ", "proc ", "import ",
	"\n| x |> _", "\n    | x |> _", "\n|> g()", "~f()\n", "[a]", "\n[\n- b\n]\n", " -> i64", "{ a: 1 }",
	"std/io:print.ln(\"{{ a:s }}\")", "std/store:new(o) { a: 1 }",
}

// TestMutated checks the invariants on a few lines of a program at a time, in
// which something was put in, taken out or repeated.
func TestMutated(t *testing.T) {
	texts := seeds
	for _, r := range readRules(t) {
		texts = append(texts, r.before, r.after)
	}
	for seed := range *mutations {
		m := rand.New(rand.NewPCG(uint64(seed), 11))
		text := someLines(m, texts[m.IntN(len(texts))])
		for range 1 + m.IntN(3) {
			text = mutate(m, text)
		}
		name := "mutated" + []string{".k", ".k", ".k", ".kz", ".kjs"}[m.IntN(5)]
		o := Options{World: m.IntN(5) == 0}
		if m.IntN(4) == 0 {
			start := m.IntN(len(text) + 1)
			o.Only = &syntax.Span{Start: start, End: min(start+m.IntN(30), len(text))}
		}
		checkFormat(t, name, text, o)
	}
}

// someLines returns up to six lines of a text.
func someLines(m *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	start := m.IntN(len(lines))
	return strings.Join(lines[start:min(start+1+m.IntN(6), len(lines))], "")
}

func mutate(m *rand.Rand, text string) string {
	at := m.IntN(len(text) + 1)
	switch m.IntN(6) {
	case 0:
		return text[:at] + text[min(at+1, len(text)):]
	case 1:
		from := m.IntN(len(text) + 1)
		return text[:at] + text[from:min(from+m.IntN(8), len(text))] + text[at:]
	}
	return text[:at] + pieces[m.IntN(len(pieces))] + text[at:]
}
