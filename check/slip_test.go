package check_test

import (
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// One slip is one finding: of all programs that lack one token of a right one,
// nearly all have exactly one. What is missing may be missed in two places, an
// outcome for instance by those who handle it and by those who construct it.
func TestOneSlipIsOneFinding(t *testing.T) {
	texts := []string{depot(27)}
	for _, c := range check.Codes() {
		if !strings.HasPrefix(c.Right, "-- ") {
			texts = append(texts, c.Right)
		}
	}
	one, several := 0, 0
	for _, text := range texts {
		f := syntax.Parse("a.k", syntax.Pure, text)
		for it := range f.Items() {
			for tok := range it.AllTokens() {
				if k := tok.Kind(); k.IsTrivia() || k == syntax.Prose || k == syntax.Text {
					continue
				}
				span := tok.Span()
				p := check.Source("a.k", text[:span.Start]+text[span.End:], options(""))
				switch len(p.Diagnostics) {
				case 0: // still a program
				case 1:
					one++
				default:
					several++
					if testing.Verbose() {
						t.Logf("without %q in %q:", tok.Text(), f.Line(f.LineOf(span.Start)))
						for _, d := range p.Diagnostics {
							t.Log("    ", show(d))
						}
					}
				}
			}
		}
	}
	if share := float64(one) / float64(one+several); share < 0.95 {
		t.Errorf("of %d slips %.1f%% are one finding, want 95%%", one+several, share*100)
	}
}
