package bridge

import (
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/syntax"
)

// linesOf returns the legal replies that an archive shows.
func linesOf(archive *txtar.Archive) []string {
	var lines []string
	for _, f := range archive.Files {
		if f.Name != "lines" {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(string(f.Data)), "\n\n") {
			lines = append(lines, line)
		}
	}
	return lines
}

// strangers are tokens that a model may bring from elsewhere.
var strangers = []string{
	`"x"`, `""`, `"5"`, `"-1"`, `"true"`, `"{{ z }}"`, `"a {{ z.name }} b"`, `"[]"`, `"economy"`,
	"5", "0", "-1", "256", "70000", "2.5", "true", "false", "null",
	"r1", "r2", "r3", "r9", "r2.0", "r1.user_id", "z", "z.name",
	"rm", "okay", "error", "when", "_", "if", "for",
	"(", ")", "[", "]", "{", "}", ",", ":", "|", "|>", "=>", "->", "=", ".", "-", "~", "//", "```", "\n", "\n\n", "|| ", "!", "?",
}

// mutations calls f with what becomes of each line if one of its tokens is
// deleted, doubled, replaced, or has another put in front of it. The others are
// the tokens of all lines, and strangers.
func mutations(lines []string, f func(line string)) {
	var alphabet []string
	for _, line := range lines {
		for _, t := range tokensOf(line) {
			if !slices.Contains(alphabet, t.text) {
				alphabet = append(alphabet, t.text)
			}
		}
	}
	for _, s := range strangers {
		if !slices.Contains(alphabet, s) {
			alphabet = append(alphabet, s)
		}
	}
	for _, line := range lines {
		tokens := tokensOf(line)
		for i, t := range tokens {
			f(joined(tokens, i, i+1))
			f(joined(tokens, i, i, t))
			for _, other := range alphabet {
				if other != t.text {
					f(joined(tokens, i, i+1, word{other, t.blank}))
				}
				f(joined(tokens, i, i, word{text: other}))
			}
		}
	}
}

// word is a token and the blanks behind it.
type word struct{ text, blank string }

// tokensOf cuts a reply into the tokens that its parser makes of it. A quoted
// text is one token, and so is a name with the fields behind it.
func tokensOf(line string) []word {
	var tokens []word
	f := syntax.ParseReply(line, nil)
	for i := range f.NumItems() {
		cut(f.Item(i), &tokens)
	}
	return tokens
}

func cut(item syntax.Node, tokens *[]word) {
	whole := 0 // tokens up to this offset belong to the one before
	for t := item.FirstToken(); t.IsValid(); t = t.Next() {
		switch {
		case t.Kind() == syntax.Space && len(*tokens) > 0 && t.Span().Start >= whole:
			(*tokens)[len(*tokens)-1].blank += t.Text()
		case t.Span().Start < whole:
			(*tokens)[len(*tokens)-1].text += t.Text()
		default:
			*tokens = append(*tokens, word{text: t.Text()})
			whole = max(whole, unitEnd(item, t))
		}
		if t == item.LastToken() {
			return
		}
	}
}

// unitEnd returns where the quoted text or the path that begins with a token
// ends.
func unitEnd(item syntax.Node, t syntax.Token) int {
	end := t.Span().End
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		for c := range n.Children() {
			if c.Span().Start == t.Span().Start {
				switch c.Kind() {
				case syntax.Template, syntax.FieldExpr:
					end = max(end, c.Span().End)
				}
			}
			walk(c)
		}
	}
	walk(item)
	return end
}

// joined returns the reply with the tokens from i to j replaced. Words that
// would grow together are kept apart.
func joined(tokens []word, i, j int, with ...word) string {
	var b strings.Builder
	all := slices.Concat(tokens[:i], with, tokens[j:])
	for k, t := range all {
		b.WriteString(t.text)
		b.WriteString(t.blank)
		if k+1 < len(all) && t.blank == "" && together(t.text, all[k+1].text) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// together reports whether two tokens would be one without a blank between.
func together(a, b string) bool {
	return wordByte(a[len(a)-1]) && (wordByte(b[0]) || b[0] == '.')
}

func wordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
