package check

import (
	"cmp"
	"slices"
	"strings"
)

// Apply carries out fixes and returns the new text of every file that changes,
// by its path, and which of the fixes were carried out.
//
// A fix is carried out whole or not at all. Where two fixes touch the same text
// the one that begins first in the files is carried out and the other is left
// for another round, when the finding has been judged anew. An edit that several
// fixes ask for in the same words is made once. What comes out does not depend
// on the order in which the fixes are given.
func Apply(fixes []*Fix) (texts map[string]string, done []bool) {
	wanted := make([]wantedFix, 0, len(fixes))
	for i, f := range fixes {
		if edits, ok := inOrder(f.Edits); ok {
			wanted = append(wanted, wantedFix{i, edits})
		}
	}
	slices.SortFunc(wanted, compareFixes)

	drafts, done := map[string]*draft{}, make([]bool, len(fixes))
	for _, w := range wanted {
		if fits(drafts, w.edits) {
			done[w.index] = true
			for _, e := range w.edits {
				drafts[e.File.Path].add(e)
			}
		}
	}
	texts = map[string]string{}
	for path, d := range drafts {
		if len(d.edits) > 0 {
			texts[path] = d.result()
		}
	}
	return texts, done
}

// wantedFix is a fix that makes sense by itself: its place among the fixes that
// were given, and its edits in the order of the files.
type wantedFix struct {
	index int
	edits []TextEdit
}

// inOrder returns the edits of one fix in the order of the files; what is
// inserted at one place becomes one edit. It reports whether they can be made
// together.
func inOrder(edits []TextEdit) ([]TextEdit, bool) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, comparePlaces)
	out := edits[:0]
	for _, e := range edits {
		if e.Span.Start < 0 || e.Span.Start > e.Span.End || e.Span.End > e.File.Syntax.Len() {
			return nil, false
		}
		if n := len(out); n > 0 && out[n-1].File.Path == e.File.Path {
			before := &out[n-1]
			if e.Span == before.Span && e.Span.Start == e.Span.End {
				before.Text += e.Text
				continue
			}
			if e.Span.Start < before.Span.End {
				return nil, false
			}
		}
		out = append(out, e)
	}
	return out, len(out) > 0
}

// compareFixes orders fixes by where they act, then by what they write and what
// they take the files for, so that equal ones are the same.
func compareFixes(a, b wantedFix) int {
	return cmp.Or(
		slices.CompareFunc(a.edits, b.edits, comparePlaces),
		slices.CompareFunc(a.edits, b.edits, compareEdits),
		slices.CompareFunc(a.edits, b.edits, func(a, b TextEdit) int {
			if a.File.Syntax == b.File.Syntax {
				return 0
			}
			return strings.Compare(a.File.Syntax.Text(), b.File.Syntax.Text())
		}),
	)
}

func comparePlaces(a, b TextEdit) int {
	return cmp.Or(
		strings.Compare(a.File.Path, b.File.Path),
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Span.End, b.Span.End),
	)
}

func compareEdits(a, b TextEdit) int {
	return cmp.Or(comparePlaces(a, b), strings.Compare(a.Text, b.Text))
}

// fits reports whether edits can be made besides those that have been accepted.
// Files that are new to the drafts get an empty one.
func fits(drafts map[string]*draft, edits []TextEdit) bool {
	for _, e := range edits {
		d := drafts[e.File.Path]
		if d == nil {
			d = &draft{text: e.File.Syntax.Text()}
			drafts[e.File.Path] = d
		}
		if d.text != e.File.Syntax.Text() || d.collides(e) {
			return false
		}
	}
	return true
}

// draft is a file with the edits that have been accepted for it, in order.
type draft struct {
	text  string
	edits []TextEdit
}

// collides reports whether an edit touches one that has been accepted. Nothing
// is inserted at the edge of another edit either: what the two would make of it
// together, neither of them meant.
func (d *draft) collides(e TextEdit) bool {
	i, found := slices.BinarySearchFunc(d.edits, e, compareEdits)
	if found {
		return false
	}
	return i > 0 && touch(d.edits[i-1], e) || i < len(d.edits) && touch(e, d.edits[i])
}

// touch reports whether an edit reaches into the one that begins at the same
// place or after it.
func touch(first, second TextEdit) bool {
	if first.Span.Start == first.Span.End || second.Span.Start == second.Span.End {
		return second.Span.Start <= first.Span.End
	}
	return second.Span.Start < first.Span.End
}

func (d *draft) add(e TextEdit) {
	i, found := slices.BinarySearchFunc(d.edits, e, compareEdits)
	if !found {
		d.edits = slices.Insert(d.edits, i, e)
	}
}

// result is the text with the edits made.
func (d *draft) result() string {
	var b strings.Builder
	at := 0
	for _, e := range d.edits {
		b.WriteString(d.text[at:e.Span.Start])
		b.WriteString(e.Text)
		at = e.Span.End
	}
	b.WriteString(d.text[at:])
	return b.String()
}
