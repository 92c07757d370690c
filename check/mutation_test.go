package check_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// slips are the ways in which a single token goes wrong.
var slips = []struct {
	name string
	at   func(tok syntax.Token, r *rand.Rand) (syntax.Edit, bool)
}{
	{"a token is lost", func(tok syntax.Token, _ *rand.Rand) (syntax.Edit, bool) {
		return replace(tok, ""), true
	}},
	{"a token stands twice", func(tok syntax.Token, _ *rand.Rand) (syntax.Edit, bool) {
		return insert(tok.Span().End, " "+tok.Text()), true
	}},
	{"a letter is lost", func(tok syntax.Token, r *rand.Rand) (syntax.Edit, bool) {
		return inWord(tok, r, func(w string, i int) string { return w[:i] + w[i+1:] })
	}},
	{"a letter is too much", func(tok syntax.Token, r *rand.Rand) (syntax.Edit, bool) {
		return inWord(tok, r, func(w string, i int) string { return w[:i] + "q" + w[i:] })
	}},
	{"letters are swapped", func(tok syntax.Token, r *rand.Rand) (syntax.Edit, bool) {
		return inWord(tok, r, func(w string, i int) string { return w[:i-1] + w[i:i+1] + w[i-1:i] + w[i+1:] })
	}},
	{"a number is a text", func(tok syntax.Token, _ *rand.Rand) (syntax.Edit, bool) {
		return replace(tok, `"`+tok.Text()+`"`), tok.Kind() == syntax.Int
	}},
	{"a text is a number", func(tok syntax.Token, _ *rand.Rand) (syntax.Edit, bool) {
		return replace(tok, "7"), tok.Kind() == syntax.String
	}},
	{"a line ends too early", func(tok syntax.Token, _ *rand.Rand) (syntax.Edit, bool) {
		return insert(tok.Span().End, "\n"), true
	}},
}

// inWord changes a word of four letters and more somewhere inside.
func inWord(tok syntax.Token, r *rand.Rand, change func(word string, i int) string) (syntax.Edit, bool) {
	w := tok.Text()
	if k := tok.Kind(); k != syntax.Name && k != syntax.Path || len(w) < 4 {
		return syntax.Edit{}, false
	}
	return replace(tok, change(w, 1+r.Intn(len(w)-2))), true
}

// One mistake is one finding: of the programs that a single slip makes wrong,
// nearly all have exactly one finding, and it leads to the slip: its range, a
// place that it points at or one that its fixes change lies on a line that the
// slip has touched.
func TestOneMutationIsOneFinding(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	all := slices.DeleteFunc(slices.Clone(rightPrograms()), func(p *program) bool { return p.public })
	var one, apart, several int
	for tried := 0; one+apart+several < 2000; tried++ {
		p := all[r.Intn(len(all))]
		toks := solid(p)
		slip := slips[tried%len(slips)]
		e, ok := slip.at(toks[r.Intn(len(toks))], r)
		broken := edited(p.text, []syntax.Edit{e})
		if !ok || broken == p.text {
			continue
		}
		list := p.judge(t, broken).Diagnostics
		switch {
		case len(list) == 0:
			continue // still a program
		case len(list) > 1:
			several++
		case touches(list[0], p, broken, e):
			one++
			continue
		default:
			apart++
		}
		if testing.Verbose() {
			f := syntax.Parse(p.name, syntax.KindOf(p.name), broken)
			t.Logf("%s: %s: %s", p.origin, slip.name, f.Line(f.LineOf(e.Start)))
			for _, d := range list {
				t.Log("    ", show(d))
			}
		}
	}
	t.Logf("one finding at the slip: %d, elsewhere: %d, several: %d", one, apart, several)
	if share := float64(one) / float64(one+apart+several); share < 0.95 {
		t.Errorf("%.1f%% of the slips are one finding at the slip, want 95%%", share*100)
	}
}

// solid returns the tokens of a program that can go wrong.
func solid(p *program) (toks []syntax.Token) {
	f := syntax.Parse(p.name, syntax.KindOf(p.name), p.text)
	for it := range f.Items() {
		for tok := range it.AllTokens() {
			if k := tok.Kind(); !k.IsTrivia() && k != syntax.Prose && k != syntax.Text {
				toks = append(toks, tok)
			}
		}
	}
	return toks
}

// touches reports whether a finding leads to the lines of an edit.
func touches(d check.Diagnostic, p *program, text string, e syntax.Edit) bool {
	f := syntax.Parse(p.name, syntax.KindOf(p.name), text)
	first, last := f.LineOf(e.Start), f.LineOf(e.Start+len(e.Text))
	about := func(file *check.File, s syntax.Span) bool {
		return file.Path == p.name && f.LineOf(s.Start) <= last && f.LineOf(s.End) >= first
	}
	if about(d.File, d.Span) {
		return true
	}
	for _, n := range d.Notes {
		if about(n.File, n.Span) {
			return true
		}
	}
	for _, fix := range d.Fixes {
		for _, e := range fix.Edits {
			if about(e.File, e.Span) {
				return true
			}
		}
	}
	return false
}
