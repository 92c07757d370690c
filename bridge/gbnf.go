package bridge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
)

// RenderGBNF returns the grammar of the legal replies of a vocabulary in the
// notation of llama.cpp, for decoders that hold a model to it (R11).
func RenderGBNF(words *check.Vocabulary, names Names) string {
	var b strings.Builder
	for _, r := range legalReplies(words, names).rules {
		b.WriteString(r.name + " ::= ")
		choices, ok := r.body.(alt)
		if !ok {
			choices = alt{r.body}
		}
		for i, choice := range choices {
			if i > 0 {
				b.WriteString(" |\n    ") // a bar at the end of the line: the rule goes on
			}
			gbnf(&b, choice, false)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// gbnf writes an expression; one that is a part of another is grouped.
func gbnf(b *strings.Builder, e expr, part bool) {
	switch e := e.(type) {
	case text:
		b.WriteString(quotedChars(string(e)))
	case class:
		b.WriteString("[" + string(e) + "]")
	case *rule:
		b.WriteString(e.name)
	case seq:
		parts := e.flat(nil)
		group(b, part && len(parts) > 1, func() {
			if len(parts) == 0 {
				b.WriteString(`""`)
			}
			for i, p := range parts {
				if i > 0 {
					b.WriteByte(' ')
				}
				gbnf(b, p, true)
			}
		})
	case alt:
		group(b, part && len(e) > 1, func() {
			for i, p := range e {
				if i > 0 {
					b.WriteString(" | ")
				}
				gbnf(b, p, false)
			}
		})
	case repeat:
		gbnf(b, e.of, true)
		b.WriteString(e.mark())
	default:
		panic(fmt.Sprintf("bridge: %T is no part of a grammar", e))
	}
}

func group(b *strings.Builder, parens bool, body func()) {
	if parens {
		b.WriteByte('(')
	}
	body()
	if parens {
		b.WriteByte(')')
	}
}

// mark returns what stands behind a repeated part.
func (r repeat) mark() string {
	switch {
	case r.min == 0 && r.max == 1:
		return "?"
	case r.min == 0 && r.max < 0:
		return "*"
	case r.min == 1 && r.max < 0:
		return "+"
	case r.min == r.max:
		return fmt.Sprintf("{%d}", r.min)
	}
	return fmt.Sprintf("{%d,%d}", r.min, r.max)
}

// quotedChars spells characters as both notations do.
func quotedChars(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7F:
			b.WriteString(`\x` + strconv.FormatInt(int64(r)>>4, 16) + strconv.FormatInt(int64(r)&15, 16))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
