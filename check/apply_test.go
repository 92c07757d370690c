package check_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// digits makes a file of the digits 0123456789, so that an offset is what
// stands there.
func digits(name string) *check.File {
	return &check.File{Path: name, Syntax: syntax.Parse(name, syntax.Pure, "0123456789")}
}

func edit(f *check.File, start, end int, text string) check.TextEdit {
	return check.TextEdit{File: f, Span: syntax.Span{Start: start, End: end}, Text: text}
}

func fixOf(edits ...check.TextEdit) *check.Fix { return &check.Fix{Edits: edits} }

func TestApply(t *testing.T) {
	a, b := digits("a.k"), digits("b.k")
	stale := &check.File{Path: "a.k", Syntax: syntax.Parse("a.k", syntax.Pure, "another text")}
	for _, test := range []struct {
		name  string
		fixes []*check.Fix
		want  map[string]string
		done  []bool
	}{
		{"nothing", nil, map[string]string{}, []bool{}},
		{"replace", []*check.Fix{fixOf(edit(a, 2, 4, "xyz"))}, map[string]string{"a.k": "01xyz456789"}, []bool{true}},
		{"insert", []*check.Fix{fixOf(edit(a, 0, 0, "<"), edit(a, 10, 10, ">"))}, map[string]string{"a.k": "<0123456789>"}, []bool{true}},
		{"several places, in no order", []*check.Fix{fixOf(edit(a, 8, 9, "h"), edit(a, 1, 2, "a"))}, map[string]string{"a.k": "0a234567h9"}, []bool{true}},
		{"several files", []*check.Fix{fixOf(edit(b, 0, 1, ""), edit(a, 9, 10, ""))}, map[string]string{"a.k": "012345678", "b.k": "123456789"}, []bool{true}},
		{"neighbours", []*check.Fix{fixOf(edit(a, 2, 4, "x")), fixOf(edit(a, 4, 6, "y"))}, map[string]string{"a.k": "01xy6789"}, []bool{true, true}},
		{"the first of two that overlap", []*check.Fix{fixOf(edit(a, 3, 6, "y")), fixOf(edit(a, 2, 4, "x"))}, map[string]string{"a.k": "01x456789"}, []bool{false, true}},
		{"whole or not at all", []*check.Fix{fixOf(edit(a, 2, 4, "x")), fixOf(edit(a, 3, 5, "y"), edit(b, 0, 1, "z"))}, map[string]string{"a.k": "01x456789"}, []bool{true, false}},
		{"two insertions at one place", []*check.Fix{fixOf(edit(a, 5, 5, "b")), fixOf(edit(a, 5, 5, "a"))}, map[string]string{"a.k": "01234a56789"}, []bool{false, true}},
		{"an insertion at the edge", []*check.Fix{fixOf(edit(a, 4, 4, "b")), fixOf(edit(a, 2, 4, "a"))}, map[string]string{"a.k": "01a456789"}, []bool{false, true}},
		{"the same edit twice", []*check.Fix{fixOf(edit(a, 0, 0, "i"), edit(a, 4, 5, "x")), fixOf(edit(a, 0, 0, "i"), edit(a, 6, 7, "y"))}, map[string]string{"a.k": "i0123x5y789"}, []bool{true, true}},
		{"one fix may insert beside what it replaces", []*check.Fix{fixOf(edit(a, 5, 6, "r"), edit(a, 6, 6, "i"), edit(a, 6, 6, "j"))}, map[string]string{"a.k": "01234rij6789"}, []bool{true}},
		{"one fix may not overlap itself", []*check.Fix{fixOf(edit(a, 5, 7, "r"), edit(a, 6, 8, "i"))}, map[string]string{}, []bool{false}},
		{"outside the file", []*check.Fix{fixOf(edit(a, 5, 11, "r")), fixOf(edit(a, -1, 0, "r")), fixOf(edit(a, 3, 2, "r"))}, map[string]string{}, []bool{false, false, false}},
		{"no edits", []*check.Fix{fixOf()}, map[string]string{}, []bool{false}},
		{"a text that has changed since", []*check.Fix{fixOf(edit(a, 1, 2, "x")), fixOf(edit(stale, 3, 4, "y"))}, map[string]string{"a.k": "0x23456789"}, []bool{true, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			texts, done := check.Apply(test.fixes)
			if diff := cmp.Diff(test.want, texts); diff != "" {
				t.Errorf("texts (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.done, done); diff != "" {
				t.Errorf("done (-want +got)\n%s", diff)
			}
		})
	}
}

// Whatever the order in which fixes are given, the same ones are carried out.
func TestApplyKnowsNoOrder(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	files := []*check.File{digits("a.k"), digits("b.k")}
	for range 2000 {
		var fixes []*check.Fix
		for range random.Intn(8) {
			fix := &check.Fix{}
			for range 1 + random.Intn(2) {
				start := random.Intn(11)
				end := start + random.Intn(min(3, 11-start))
				fix.Edits = append(fix.Edits, edit(files[random.Intn(2)], start, end, []string{"", "x", "y"}[random.Intn(3)]))
			}
			fixes = append(fixes, fix)
		}
		before := slices.Clone(fixes)
		want, doneBefore := check.Apply(fixes)
		random.Shuffle(len(fixes), func(i, j int) { fixes[i], fixes[j] = fixes[j], fixes[i] })
		got, doneAfter := check.Apply(fixes)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("texts differ:\n%s", diff)
		}
		for i, f := range before {
			if doneBefore[i] != doneAfter[slices.Index(fixes, f)] {
				t.Fatalf("fix %v is carried out in one order and not in another", f.Edits)
			}
		}
	}
}
