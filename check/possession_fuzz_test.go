package check_test

import (
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// FuzzPossession judges whatever the mutations of the possession programs are.
// Every finding and every fix lies in the file, and the same program gets the
// same findings however often it is judged.
func FuzzPossession(f *testing.F) {
	for _, file := range glob(f, "testdata/rules/possession*.k") {
		for _, chunk := range chunks(read(f, file)) {
			f.Add(chunk)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := check.Source("main.k", text, options(text))
		within := func(file *check.File, span syntax.Span) {
			if span.Start < 0 || span.End < span.Start || span.End > len(file.Syntax.Text()) {
				t.Fatalf("%v is outside of %s", span, file.Path)
			}
		}
		for _, d := range p.Diagnostics {
			within(d.File, d.Span)
			for _, n := range d.Notes {
				within(n.File, n.Span)
			}
			for _, fix := range d.Fixes {
				for _, e := range fix.Edits {
					within(e.File, e.Span)
				}
			}
		}
		words := &check.Vocabulary{}
		for _, flow := range flows(p) {
			check.Obligations(flow)
			words.FlowCost(flow)
			flow.Settlements()
		}
		again := check.Source("main.k", text, options(text))
		if len(again.Diagnostics) != len(p.Diagnostics) {
			t.Fatalf("%d findings, then %d", len(p.Diagnostics), len(again.Diagnostics))
		}
		for i, d := range again.Diagnostics {
			if d.Message != p.Diagnostics[i].Message || d.Span != p.Diagnostics[i].Span {
				t.Fatalf("first %s, then %s", show(p.Diagnostics[i]), show(d))
			}
		}
	})
}
