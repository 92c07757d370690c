package check_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// promise says what mending a fault gives back.
type promise uint8

const (
	sameText    promise = iota // the program, byte for byte
	sameMeaning                // a program that does the same
	nothingLeft                // a program without a finding, debts aside: what was lost nobody knows
)

// fault is a way to break a right program that a fix can mend.
type fault struct {
	name    string
	code    string
	unasked bool // `koru check --fix` mends it; otherwise a person chooses the fix
	gives   promise
	says    string // a regular expression for the message, "" for any
	strict  bool   // judged without inserted disposals
	// places returns the ways to put the fault into a program.
	places func(f *syntax.File) [][]syntax.Edit
}

// Every kind of fault, put into right programs, is found under its code, and
// the fixes lead back: `koru check --fix` does it for those that need no choice,
// keeps its hands off the others, and has nothing more to do the second time.
// KORU_INJECT=1 tries every place there is instead of a sample.
func TestFixesMendInjectedFaults(t *testing.T) {
	for _, kind := range faults {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			type place struct {
				p     *program
				edits []syntax.Edit
			}
			var places []place
			for _, p := range rightPrograms() {
				if kind.strict {
					if p = p.strict(t); p == nil {
						continue
					}
				}
				for _, edits := range kind.places(syntax.Parse(p.name, syntax.KindOf(p.name), p.text)) {
					places = append(places, place{p, edits})
				}
			}
			step := max(1, len(places)/60)
			if os.Getenv("KORU_INJECT") != "" {
				step = 1
			}
			hit := 0
			for i := 0; i < len(places); i += step {
				if injectAndMend(t, kind, places[i].p, places[i].edits) {
					hit++
				}
			}
			t.Logf("%d of %d places hold the fault", hit, (len(places)+step-1)/step)
			if hit == 0 {
				t.Error("no program has a place for this fault")
			}
		})
	}
}

// injectAndMend reports whether the edits put the fault into the program.
func injectAndMend(t *testing.T, kind fault, p *program, edits []syntax.Edit) bool {
	t.Helper()
	broken := edited(p.text, edits)
	list := p.judge(t, broken).Diagnostics
	if !slices.ContainsFunc(list, func(d check.Diagnostic) bool {
		return d.Code == kind.code && regexp.MustCompile(kind.says).MatchString(d.Message)
	}) {
		return false // what was broken here is no fault, or another one
	}
	mended, m := p.mend(t, broken)
	left := m.Left
	if !kind.unasked {
		if mended != broken && mended != p.text && kind.gives == sameText {
			t.Errorf("%s: --fix was not asked to do this\n%s\n%s", p.origin, show(list[0]), cmp.Diff(p.text, mended))
		}
		mended, left = p.choose(t, broken)
	}
	switch {
	case len(left) > 0 && (kind.gives != nothingLeft || !owed(left)):
		t.Errorf("%s: left %s\n%s", p.origin, show(left[0]), cmp.Diff(broken, mended))
	case kind.gives == sameText && mended != p.text:
		t.Errorf("%s: mended otherwise\n%s", p.origin, cmp.Diff(p.text, mended))
	case kind.gives == sameMeaning:
		if diff := cmp.Diff(meaning(p.judge(t, p.text)), meaning(p.judge(t, mended))); diff != "" {
			t.Errorf("%s: another program\n%s", p.origin, diff)
		}
	}
	if again, m := p.mend(t, mended); again != mended || len(m.Fixed) > 0 {
		t.Errorf("%s: mended a second time\n%s", p.origin, cmp.Diff(mended, again))
	}
	return true
}

// choose applies the first fix that is offered, for a few rounds, as a person
// would in an editor.
func (p *program) choose(t *testing.T, text string) (string, []check.Diagnostic) {
	t.Helper()
	for range 4 {
		for _, d := range p.judge(t, text).Diagnostics {
			if len(d.Fixes) > 0 && d.File.Path == p.name {
				texts, _ := check.Apply([]*check.Fix{&d.Fixes[0]})
				text = texts[p.name]
				break
			}
		}
	}
	return text, p.judge(t, text).Diagnostics
}

// owed reports whether all that is left to find are debts: an arm that is put
// in does not know how to settle what it is given.
func owed(list []check.Diagnostic) bool {
	for _, d := range list {
		if d.Code != "KORU030" {
			return false
		}
	}
	return true
}

// edited returns a text with edits made, which are given in the order of the text.
func edited(text string, edits []syntax.Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}
