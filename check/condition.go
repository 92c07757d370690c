package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// kept reports whether the conditions in front of an import hold: one true
// entry keeps it, and so does having none (language.md 4).
func (l *loader) kept(f *File, item syntax.Node) bool {
	any, kept := false, false
	for list := range item.AnnotationList() {
		for entry := range list.ChildrenOf(syntax.Annotation) {
			any = true
			text := entry.Text()
			if _, ok := strings.CutPrefix(text, "with("); ok {
				continue
			}
			holds, fault := condition(text, l.c.opts)
			if fault != "" {
				l.found(Diagnostic{
					Code: "KORU150", File: f, Span: entry.Span(),
					Message: fmt.Sprintf("the import condition '%s' cannot be evaluated: %s", text, fault),
				})
				kept = true // judge the rest as if it held
			}
			kept = kept || holds
		}
	}
	return kept || !any
}

// condition evaluates one entry: flags, comparisons, and, or, not, and the
// calls cflag, env and command. This host compiles nothing and sets no flag but
// debug, so every other flag is off and every value is empty.
func condition(text string, opts Options) (holds bool, fault string) {
	c := conditioner{text: text, opts: opts}
	c.next()
	holds = c.or()
	if c.fault == "" && c.word != "" {
		c.fail()
	}
	return holds, c.fault
}

type conditioner struct {
	text  string // what is still to be read
	word  string // the current word or operator, "" at the end
	opts  Options
	depth int
	fault string
}

func (c *conditioner) next() {
	c.text = strings.TrimLeft(c.text, " \t")
	n := 0
	switch {
	case c.text == "":
	case isFlagByte(c.text[0]):
		for n < len(c.text) && isFlagByte(c.text[n]) {
			n++
		}
	case c.text[0] == '"':
		n = 1
		for n < len(c.text) && c.text[n] != '"' {
			n++
		}
		n = min(n+1, len(c.text))
	case strings.HasPrefix(c.text, "==") || strings.HasPrefix(c.text, "!="),
		strings.HasPrefix(c.text, "<=") || strings.HasPrefix(c.text, ">="),
		strings.HasPrefix(c.text, "&&"):
		n = 2
	default:
		n = 1
	}
	c.word, c.text = c.text[:n], c.text[n:]
}

func isFlagByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func (c *conditioner) fail() {
	if c.fault != "" {
		return
	}
	c.fault = fmt.Sprintf("unexpected '%s'", c.word)
	if c.word == "" {
		c.fault = "something is missing at its end"
	}
}

func (c *conditioner) or() bool {
	v := c.and()
	for c.word == "or" && c.fault == "" {
		c.next()
		v = c.and() || v
	}
	return v
}

func (c *conditioner) and() bool {
	v := c.not()
	for (c.word == "and" || c.word == "&&") && c.fault == "" {
		c.next()
		v = c.not() && v
	}
	return v
}

func (c *conditioner) not() bool {
	negated := false
	for c.word == "not" || c.word == "!" {
		negated = !negated
		c.next()
	}
	return c.comparison() != negated
}

func (c *conditioner) comparison() bool {
	left, holds := c.operand()
	op := c.word
	switch op {
	case "==", "!=", "<", ">", "<=", ">=":
		c.next()
		right, _ := c.operand()
		return compare(op, left, right)
	}
	return holds
}

func compare(op, a, b string) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	}
	return a >= b
}

// operand returns the value of a flag, a text or a call, and whether it is set.
func (c *conditioner) operand() (value string, set bool) {
	switch {
	case c.word == "(":
		if c.depth++; c.depth > 50 {
			c.fault = "it is nested too deeply"
			return "", false
		}
		c.next()
		v := c.or()
		if c.word != ")" {
			c.fail()
		}
		c.next()
		return "", v
	case strings.HasPrefix(c.word, `"`) && len(c.word) > 1 && strings.HasSuffix(c.word, `"`):
		value = c.word[1 : len(c.word)-1]
		c.next()
		return value, value != ""
	case c.word == "" || !isFlagByte(c.word[0]) || c.word == "and" || c.word == "or":
		c.fail()
		return "", false
	}
	name := c.word
	c.next()
	if c.word != "(" {
		switch name {
		case "true":
			return name, true
		case "debug":
			return name, c.opts.Debug
		}
		if name[0] >= '0' && name[0] <= '9' {
			return name, name != "0"
		}
		return "", false
	}
	switch name {
	case "cflag", "env", "command":
	default:
		c.fault = fmt.Sprintf("'%s' is none of cflag, env and command", name)
		return "", false
	}
	c.next()
	c.operand()
	if c.word != ")" {
		c.fail()
	}
	c.next()
	return "", false
}
