package bridge

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// maxSpliced bounds the text that splices may make of the values of one step: as
// much as a whole reply may have.
const maxSpliced = 1 << 20

// fill returns a text with its splices replaced by what they name (bridge.md
// 5.4). n is a string with splices, whose other pieces hold escapes, or a say
// line, which is taken literally (bridge.md 5.12).
func (r *reply) fill(n syntax.Node) (string, *check.Refusal) {
	buf := r.text[:0]
	splice := n.Child(syntax.Splice)
	for t := range n.Tokens() {
		for splice.IsValid() && splice.Span().Start < t.Span().Start {
			var refusal *check.Refusal
			if buf, refusal = r.splice(buf, splice); refusal != nil {
				return "", refusal
			}
			splice = splice.Next()
		}
		switch t.Kind() {
		case syntax.Text:
			buf = append(buf, t.Text()...)
		case syntax.Quote:
			buf = append(buf, unescape(quoted(n, t))...)
		}
	}
	for ; splice.IsValid(); splice = splice.Next() {
		var refusal *check.Refusal
		if buf, refusal = r.splice(buf, splice); refusal != nil {
			return "", refusal
		}
	}
	r.text = buf
	r.filled += len(buf)
	return string(buf), nil
}

// quoted returns a piece of a string without the quotes at its ends.
func quoted(n syntax.Node, t syntax.Token) string {
	text := t.Text()
	if t == n.FirstToken() {
		text = strings.TrimPrefix(text, `"`)
	}
	if t == n.LastToken() {
		text = strings.TrimSuffix(text, `"`)
	}
	return text
}

// splice appends the text of what a splice names.
func (r *reply) splice(buf []byte, n syntax.Node) ([]byte, *check.Refusal) {
	v, inner, refusal := r.spliced(n)
	if refusal != nil {
		return buf, refusal
	}
	if v.Kind() == eval.Handle {
		return buf, check.Unspliced(inner, "a handle is not text: pass it bare, to a field that takes it", n.Span())
	}
	if buf = eval.AppendText(buf, v); r.filled+len(buf) > maxSpliced {
		return buf, check.Unspliced(inner, fmt.Sprintf("the text grows beyond %d bytes", maxSpliced), n.Span())
	}
	return buf, nil
}

// spliced returns what a splice names and what stands between its braces. A
// format behind a colon is tolerated and says nothing.
func (r *reply) spliced(n syntax.Node) (v eval.Value, inner string, refusal *check.Refusal) {
	view := syntax.SpliceView{Node: n}
	path, ok := pathText(view.Expr())
	if !ok || view.Broken() {
		inner = clip(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(n.Text(), "{{"), "}}")), 60)
		return v, inner, check.Unspliced(inner, "a splice names a bound value and no more: {{ u.name }}", n.Span())
	}
	v, refusal = r.path(path, path, n.Span())
	return v, path, refusal
}

// pathText returns a name with the fields behind it, and false for any other
// expression.
func pathText(n syntax.Node) (string, bool) {
	text := n.Text()
	for n.Kind() == syntax.FieldExpr {
		n = n.FirstChild()
	}
	if n.Kind() != syntax.NameExpr {
		return "", false
	}
	if strings.ContainsAny(text, " \t\r\n") {
		text = strings.Join(strings.Fields(text), "")
	}
	return text, true
}

// lone returns the splice that a string consists of, if it is nothing else.
func lone(n syntax.Node) (splice syntax.Node, ok bool) {
	splice = n.Child(syntax.Splice)
	if splice.Next().IsValid() {
		return splice, false
	}
	for t := range n.Tokens() {
		if t.Kind() == syntax.Quote && quoted(n, t) != "" {
			return splice, false
		}
	}
	return splice, true
}

// fillJSON gives a structured field that is written as quoted JSON its value
// (R73). A string that is one splice passes the bound value on. Otherwise the
// JSON is read first and splices are filled inside its strings, so that what
// they bring cannot break out of them.
func (r *reply) fillJSON(n syntax.Node) (eval.Value, *check.Refusal, error) {
	if splice, ok := lone(n); ok {
		v, _, refusal := r.spliced(splice)
		return v, refusal, nil
	}
	v, err := eval.DecodeJSON([]byte(unquote(n.Text())), eval.Limits{})
	if err != nil {
		return v, nil, err
	}
	v, refusal := r.fillStrings(v, n.Span())
	return v, refusal, nil
}

// fillStrings fills the splices in the strings of a decoded value. DecodeJSON
// has bounded how deep it nests.
func (r *reply) fillStrings(v eval.Value, at syntax.Span) (eval.Value, *check.Refusal) {
	switch v.Kind() {
	case eval.String:
		text, refusal := r.fillText(v.Str(), at)
		return eval.StringValue(text), refusal
	case eval.List, eval.Record:
		elems := append([]eval.Value(nil), v.Elems()...)
		for i := range elems {
			var refusal *check.Refusal
			if elems[i], refusal = r.fillStrings(elems[i], at); refusal != nil {
				return v, refusal
			}
		}
		if v.Kind() == eval.Record {
			return eval.RecordValue(v.Shape(), elems...), nil
		}
		return eval.ListValue(elems), nil
	}
	return v, nil
}

// fillText fills the splices of a text that is no part of the tree.
func (r *reply) fillText(text string, at syntax.Span) (string, *check.Refusal) {
	var buf []byte
	for {
		open := strings.Index(text, "{{")
		end := -1
		if open >= 0 {
			end = strings.Index(text[open:], "}}")
		}
		if end < 0 {
			break
		}
		inner := strings.TrimSpace(text[open+2 : open+end])
		path, _, _ := strings.Cut(inner, ":")
		path = strings.TrimSpace(path)
		if !isPath(path) {
			return "", check.Unspliced(clip(inner, 60), "a splice names a bound value and no more: {{ u.name }}", at)
		}
		v, refusal := r.path(path, path, at)
		if refusal == nil && v.Kind() == eval.Handle {
			refusal = check.Unspliced(path, "a handle is not text: pass it bare, to a field that takes it", at)
		}
		if refusal != nil {
			return "", refusal
		}
		buf = eval.AppendText(append(buf, text[:open]...), v)
		if r.filled+len(buf) > maxSpliced {
			return "", check.Unspliced(path, fmt.Sprintf("the text grows beyond %d bytes", maxSpliced), at)
		}
		text = text[open+end+2:]
	}
	if buf == nil {
		return text, nil
	}
	r.filled += len(buf) + len(text)
	return string(append(buf, text...)), nil
}

// isPath reports whether a text is names and numbers joined by dots, a name
// first.
func isPath(text string) bool {
	if text == "" || !isLetter(text[0]) && text[0] != '_' {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case isLetter(c) || isDigit(c) || c == '_' || c == '-':
		case c == '.' && i+1 < len(text) && text[i+1] != '.':
		default:
			return false
		}
	}
	return true
}
