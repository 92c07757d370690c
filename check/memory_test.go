package check_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// findings renders what is said about a program.
func findings(p *check.Program) string {
	var b []byte
	for i := range p.Diagnostics {
		b = append(p.Diagnostics[i].AppendJSON(b), '\n')
	}
	return string(b)
}

// The answer to an edit is the answer to the text it leads to: what a Checker
// remembers may save work and may change nothing else.
func TestEditingIsCheckingAnew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, file := range glob(t, "testdata/rules/*.k*") {
		for _, text := range chunks(read(t, file)) {
			editAndCompare(t, rng, text, 12)
		}
	}
	editAndCompare(t, rng, depot(200), 60)
}

func editAndCompare(t *testing.T, rng *rand.Rand, text string, edits int) {
	t.Helper()
	opts := options(text)
	opts.Editing = true
	c := check.NewChecker(opts)
	opts.Editing = false
	f := syntax.Parse("a.k", syntax.Pure, text)
	for i := range edits + 1 {
		if i > 0 {
			f = f.Edit(randomEdit(rng, f.Text()))
		}
		p, err := c.Check("a.k", map[string]*syntax.File{"a.k": f})
		if err != nil {
			t.Fatal(err)
		}
		want := check.Source("a.k", f.Text(), opts)
		if diff := cmp.Diff(findings(want), findings(p)); diff != "" {
			t.Fatalf("after an edit the findings are not those of the text:\n%s\n%s", f.Text(), diff)
		}
		anew := want.Entry.Files[0]
		for i := range f.NumItems() {
			one, other := p.FlowOf(p.Entry.Files[0], f.Item(i)), want.FlowOf(anew, anew.Syntax.Item(i))
			if (one == nil) != (other == nil) {
				t.Fatalf("the flow of %q is there once only", f.Item(i).Text())
			}
			if one != nil && len(one.Bindings) != len(other.Bindings) {
				t.Fatalf("the flow of %q has %d bindings, or %d", f.Item(i).Text(), len(one.Bindings), len(other.Bindings))
			}
		}
	}
}

// randomEdit deletes, repeats or moves a piece of a text, or types a letter.
func randomEdit(rng *rand.Rand, text string) syntax.Edit {
	at := rng.IntN(len(text) + 1)
	end := min(at+rng.IntN(12), len(text))
	switch rng.IntN(5) {
	case 0:
		return syntax.Edit{Start: at, End: end}
	case 1:
		return syntax.Edit{Start: at, End: at, Text: text[at:end]}
	case 2:
		from := rng.IntN(len(text) + 1)
		return syntax.Edit{Start: at, End: at, Text: text[from:min(from+rng.IntN(40), len(text))]}
	case 3:
		return syntax.Edit{Start: at, End: at, Text: "\n"}
	}
	return syntax.Edit{Start: at, End: at, Text: string("abx |>{}:_!"[rng.IntN(11)])}
}

// Readers may ask a program at the same time, also for bodies that nobody has
// asked for before.
func TestFlowOfIsSafeForReaders(t *testing.T) {
	opts := options("")
	opts.Editing = true
	c := check.NewChecker(opts)
	f := syntax.Parse("a.k", syntax.Pure, depot(200))
	var p *check.Program
	for range 2 {
		p, _ = c.Check("a.k", map[string]*syntax.File{"a.k": f})
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for it := range f.Items() {
				flow := p.FlowOf(p.Entry.Files[0], it)
				if isBody := it.Kind() == syntax.FlowItem || it.Kind() == syntax.ImplItem; isBody != (flow != nil) {
					t.Errorf("no flow of %q", strings.TrimSpace(it.Text()))
				}
			}
		})
	}
	wait.Wait()
}
