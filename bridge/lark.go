package bridge

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
)

// RenderLark returns the grammar of the legal replies of a vocabulary in the
// notation of Lark, which several decoders read. Productions are those of the
// GBNF; what is a token there is a terminal here, with a name in capitals, and
// its body is a regular expression.
func RenderLark(words *check.Vocabulary, names Names) string {
	var b strings.Builder
	for _, r := range legalReplies(words, names).rules {
		b.WriteString(larkName(r) + ": ")
		choices, ok := r.body.(alt)
		if !ok {
			choices = alt{r.body}
		}
		for i, choice := range choices {
			if i > 0 {
				b.WriteString("\n    | ")
			}
			lark(&b, choice, false)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// larkName spells the name of a rule. Lark begins with the rule start.
func larkName(r *rule) string {
	name := strings.ReplaceAll(r.name, "-", "_")
	switch {
	case name == "root":
		return "start"
	case r.token:
		return strings.ToUpper(name)
	}
	return name
}

// lark writes an expression; one that is a part of another is grouped.
func lark(b *strings.Builder, e expr, part bool) {
	switch e := e.(type) {
	case text:
		b.WriteString(quotedChars(string(e)))
	case class:
		b.WriteString("/[" + strings.ReplaceAll(string(e), "/", `\/`) + "]/")
	case *rule:
		b.WriteString(larkName(e))
	case seq:
		parts := e.flat(nil)
		group(b, part && len(parts) > 1, func() {
			for i, p := range parts {
				if i > 0 {
					b.WriteByte(' ')
				}
				lark(b, p, true)
			}
		})
	case alt:
		group(b, part && len(e) > 1, func() {
			for i, p := range e {
				if i > 0 {
					b.WriteString(" | ")
				}
				lark(b, p, false)
			}
		})
	case repeat:
		lark(b, e.of, true)
		b.WriteString(larkRepeat(e))
	default:
		panic(fmt.Sprintf("bridge: %T is no part of a grammar", e))
	}
}

// larkRepeat returns what stands behind a repeated part.
func larkRepeat(r repeat) string {
	switch {
	case r.max < 0 || r.max == 1 && r.min == 0:
		return r.mark()
	case r.min == r.max:
		return fmt.Sprintf("~%d", r.min)
	}
	return fmt.Sprintf("~%d..%d", r.min, r.max)
}
