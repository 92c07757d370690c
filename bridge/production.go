package bridge

import (
	"strconv"
	"strings"
)

// grammar is a set of productions, the first of which is where a reply begins.
// What constrained decoders read are two spellings of it: GBNF and Lark.
type grammar struct {
	rules []*rule
	known map[string]*rule // by name and what it is for
	taken map[string]bool  // names of rules
}

// rule is one production. A token is a run of characters: what a lexer, where
// there is one, takes as a whole. It is never empty and refers to tokens only.
type rule struct {
	name  string
	token bool
	body  expr
}

// expr is what stands on the right side of a production: one of text, class,
// *rule, seq, alt and repeat.
type expr any

type (
	text   string // these characters
	class  string // one character of a set, spelled as between brackets
	seq    []expr // one after the other
	alt    []expr // one of them
	repeat struct {
		of       expr
		min, max int // max below 0: without bound
	}
)

func star(e expr) expr { return repeat{e, 0, -1} }

func optional(e expr) expr {
	if choices, ok := e.(alt); ok && len(choices) == 1 {
		e = choices[0]
	}
	if r, ok := e.(repeat); ok && r.min == 0 && r.max == 1 {
		return r
	}
	return repeat{e, 0, 1}
}

// flat appends the parts of a sequence to list, those of inner ones in place.
func (s seq) flat(list []expr) []expr {
	for _, e := range s {
		switch e := e.(type) {
		case seq:
			list = e.flat(list)
		case text:
			if n := len(list); n > 0 {
				if before, ok := list[n-1].(text); ok {
					list[n-1] = before + e
					continue
				}
			}
			list = append(list, e)
		default:
			list = append(list, e)
		}
	}
	return list
}

// newGrammar returns a grammar without rules.
func newGrammar() *grammar {
	return &grammar{known: map[string]*rule{}, taken: map[string]bool{}}
}

// rule returns the production of that name for what of says. The first to ask
// for it makes it, and it is added before those that it is the first to need: a
// reader meets a rule before its parts.
func (g *grammar) rule(name, of string, body func() expr) *rule { return g.add(name, of, false, body) }

// token is [grammar.rule] for a run of characters.
func (g *grammar) token(name, of string, body func() expr) *rule { return g.add(name, of, true, body) }

func (g *grammar) add(name, of string, token bool, body func() expr) *rule {
	key := name + " " + of
	if r := g.known[key]; r != nil {
		return r
	}
	r := &rule{name: g.free(name), token: token}
	g.known[key] = r
	g.rules = append(g.rules, r)
	r.body = body()
	return r
}

// free returns a name that no rule has yet: lower case letters, digits and
// dashes, which is what both spellings can hold.
func (g *grammar) free(wanted string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return '-'
	}, wanted)
	name := base
	for n := 2; g.taken[name]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	g.taken[name] = true
	return name
}
