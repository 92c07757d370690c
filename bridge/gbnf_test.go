package bridge

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// readGBNF reads a grammar as llama.cpp does: what it refuses is refused here,
// its limits on repetition included.
func readGBNF(t testing.TB, source string) *grammar {
	t.Helper()
	r := gbnfReader{t: t, text: source, byName: map[string]*rule{}}
	r.space(true)
	for r.text != "" {
		r.rule()
	}
	for name, rule := range r.byName {
		if rule.body == nil {
			t.Fatalf("rule %s is used and not there", name)
		}
	}
	if r.byName["root"] == nil || r.g.rules[0].name != "root" {
		t.Fatal("the first rule is not root")
	}
	return &r.g
}

type gbnfReader struct {
	t      testing.TB
	text   string
	g      grammar
	byName map[string]*rule
	groups int // made so far: each is a rule to llama.cpp
}

func (r *gbnfReader) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("GBNF: "+format+" at %q", append(args, r.text[:min(len(r.text), 60)])...)
}

func (r *gbnfReader) peek() byte {
	if r.text == "" {
		return 0
	}
	return r.text[0]
}

func (r *gbnfReader) space(lines bool) {
	for r.text != "" && (r.text[0] == ' ' || r.text[0] == '\t' || lines && r.text[0] == '\n') {
		r.text = r.text[1:]
	}
}

func (r *gbnfReader) name() string {
	n := 0
	for n < len(r.text) && (isLetter(r.text[n]) || isDigit(r.text[n]) || r.text[n] == '-') {
		n++
	}
	if n == 0 {
		r.fail("expected a name")
	}
	name := r.text[:n]
	r.text = r.text[n:]
	return name
}

func (r *gbnfReader) named(name string) *rule {
	if r.byName[name] == nil {
		r.byName[name] = &rule{name: name}
	}
	return r.byName[name]
}

func (r *gbnfReader) rule() {
	rule := r.named(r.name())
	if rule.body != nil {
		r.fail("rule %s is there twice", rule.name)
	}
	r.g.rules = append(r.g.rules, rule)
	r.space(false)
	if !strings.HasPrefix(r.text, "::=") {
		r.fail("expected ::=")
	}
	r.text = r.text[3:]
	r.space(true)
	rule.body = r.alternatives(false)
	if r.text != "" && r.text[0] != '\n' {
		r.fail("expected the end of rule %s", rule.name)
	}
	r.space(true)
}

func (r *gbnfReader) alternatives(nested bool) expr {
	choices := alt{r.sequence(nested)}
	for r.peek() == '|' {
		r.text = r.text[1:]
		r.space(true)
		choices = append(choices, r.sequence(nested))
	}
	return choices
}

func (r *gbnfReader) sequence(nested bool) expr {
	var s seq
	weight := 1 // rules that the last part is made of
	repeated := func(min, max int) {
		if len(s) == 0 {
			r.fail("nothing to repeat")
		}
		times := 1
		if max > 0 {
			times = max
		} else if min > 0 {
			times = min
		}
		if weight *= times; weight >= 2000 || min > 2000 || max > 2000 {
			r.fail("repetition beyond what llama.cpp takes (%d)", weight)
		}
		r.groups += times
		s[len(s)-1] = repeat{s[len(s)-1], min, max}
	}
	for {
		switch c := r.peek(); {
		case c == '"':
			s, weight = append(s, r.literal()), 1
		case c == '[':
			s, weight = append(s, r.class()), 1
		case isLetter(c) || isDigit(c) || c == '-':
			s, weight = append(s, r.named(r.name())), 1
		case c == '(':
			r.text = r.text[1:]
			r.space(true)
			before := r.groups
			r.groups++
			inner := r.alternatives(true)
			if r.peek() != ')' {
				r.fail("expected )")
			}
			r.text = r.text[1:]
			s, weight = append(s, inner), max(1, r.groups-before)
		case c == '*':
			r.text = r.text[1:]
			repeated(0, -1)
		case c == '+':
			r.text = r.text[1:]
			repeated(1, -1)
		case c == '?':
			r.text = r.text[1:]
			repeated(0, 1)
		case c == '{':
			end := strings.IndexByte(r.text, '}')
			lo, hi, open := strings.Cut(r.text[1:max(end, 1)], ",")
			if !open {
				hi = lo
			}
			min, err1 := strconv.Atoi(lo)
			max, err2 := strconv.Atoi(hi)
			if err1 != nil || err2 != nil {
				r.fail("expected {m,n}")
			}
			r.text = r.text[end+1:]
			repeated(min, max)
		default:
			return s
		}
		r.space(nested)
	}
}

func (r *gbnfReader) literal() text {
	var b strings.Builder
	r.text = r.text[1:]
	for r.peek() != '"' {
		b.WriteRune(r.char())
	}
	r.text = r.text[1:]
	return text(b.String())
}

// class reads a set and returns it spelled with one escape for each end of a
// range, as [newSet] takes it.
func (r *gbnfReader) class() class {
	r.text = r.text[1:]
	var b strings.Builder
	if r.peek() == '^' {
		b.WriteByte('^')
		r.text = r.text[1:]
	}
	for r.peek() != ']' {
		first := r.char()
		last := first
		if strings.HasPrefix(r.text, "-") && !strings.HasPrefix(r.text, "-]") {
			r.text = r.text[1:]
			last = r.char()
		}
		fmt.Fprintf(&b, "%08x%08x", first, last)
	}
	r.text = r.text[1:]
	return class(b.String())
}

func (r *gbnfReader) char() rune {
	if r.text == "" || r.text[0] == '\n' {
		r.fail("expected a character")
	}
	if r.text[0] != '\\' {
		c, n := utf8.DecodeRuneInString(r.text)
		r.text = r.text[n:]
		return c
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[r.text[1]]
	if digits > 0 {
		n, err := strconv.ParseUint(r.text[2:2+digits], 16, 32)
		if err != nil {
			r.fail("expected %d hexadecimal digits", digits)
		}
		r.text = r.text[2+digits:]
		return rune(n)
	}
	escapes := map[byte]rune{'t': '\t', 'r': '\r', 'n': '\n', '\\': '\\', '"': '"', '[': '[', ']': ']', '-': '-'}
	c, ok := escapes[r.text[1]]
	if !ok {
		r.fail("unknown escape")
	}
	r.text = r.text[2:]
	return c
}

// set is a class, ready to be asked.
type set struct {
	ranges [][2]rune
	not    bool
}

func newSet(c class) set {
	spelled, not := strings.CutPrefix(string(c), "^")
	s := set{not: not}
	for len(spelled) >= 16 {
		first, _ := strconv.ParseUint(spelled[:8], 16, 32)
		last, _ := strconv.ParseUint(spelled[8:16], 16, 32)
		s.ranges = append(s.ranges, [2]rune{rune(first), rune(last)})
		spelled = spelled[16:]
	}
	return s
}

func (s set) has(c rune) bool {
	for _, r := range s.ranges {
		if r[0] <= c && c <= r[1] {
			return !s.not
		}
	}
	return s.not
}
