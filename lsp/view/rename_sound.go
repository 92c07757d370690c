package view

import (
	"fmt"
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// sound carries a rename out on a workspace that nobody sees and asks the
// checker about it: every place must still mean what it meant, and nothing may
// have become wrong that was right. So whatever could capture a name, hide it or
// break it is found without a list of the ways to do so.
func (s *Snapshot) sound(r *renaming, d *Document, n name, uses []check.Reference) error {
	after := s.edited(r.edits)
	programs := []*check.Program{n.prog}
	if !r.entity.Local() {
		for p := range s.ProgramsWith(s.declaring(d, n.prog, r.entity)) {
			if p != n.prog {
				programs = append(programs, p)
			}
		}
	}
	for _, p := range programs {
		j := after.judge(entryPath(p))
		if j.err != nil {
			return Refusal("the program cannot be read any more: " + j.err.Error())
		}
		if err := r.same(p, j, uses); err != nil {
			return err
		}
		if err := worse(p, j.prog); err != nil {
			return err
		}
	}
	return nil
}

// same compares the uses of the entity in one program before and after.
func (r *renaming) same(before *check.Program, after *judgement, uses []check.Reference) error {
	var want []check.Reference
	for _, use := range uses {
		if before.FileOf(use.Item) != nil {
			want = append(want, use)
		}
	}
	if len(want) == 0 {
		return nil
	}
	first := want[0]
	if i := slices.IndexFunc(want, func(use check.Reference) bool { return use.Role == check.Declares }); i >= 0 {
		first = want[i]
	}
	e, ok := r.find(after, first)
	if !ok {
		return r.lost(first)
	}
	var got []place
	for _, use := range after.prog.Uses(e) {
		got = append(got, place{pathOfFile(use.File), use.Span.Start})
	}
	for _, use := range want {
		at := r.edits.nameAfter(use)
		i := slices.Index(got, at)
		if i < 0 {
			return r.lost(use)
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		f := after.files[got[0].path]
		return Refusal(fmt.Sprintf("'%s' in %s, line %d, would then mean this %v", r.to, display(f), f.Syntax.LineOf(got[0].off)+1, r.entity.Kind))
	}
	return nil
}

// place is an offset of a document.
type place struct {
	path string
	off  int
}

// find returns the entity that a place means after the rename.
func (r *renaming) find(after *judgement, use check.Reference) (check.Entity, bool) {
	at := r.edits.nameAfter(use)
	f := after.files[at.path]
	if f == nil {
		return check.Entity{}, false
	}
	for _, ref := range after.prog.ReferencesAt(f, at.off) {
		if ref.Span.Start == at.off && ref.Entity.Kind == r.entity.Kind {
			return ref.Entity, true
		}
	}
	return check.Entity{}, false
}

func (r *renaming) lost(use check.Reference) error {
	return Refusal(fmt.Sprintf("'%s' means something else in %s, line %d", r.to, display(use.File), use.File.Syntax.LineOf(use.Span.Start)+1))
}

// worse refuses a rename that leaves more findings of a kind than there were.
func worse(before, after *check.Program) error {
	type kind struct {
		code string
		sev  check.Severity
	}
	count := map[kind]int{}
	for i := range before.Diagnostics {
		count[kind{before.Diagnostics[i].Code, before.Diagnostics[i].Severity}]++
	}
	for i := range after.Diagnostics {
		d := &after.Diagnostics[i]
		k := kind{d.Code, d.Severity}
		if count[k]--; count[k] < 0 {
			return Refusal(fmt.Sprintf("%s, line %d, would then be wrong: %s (%s)", display(d.File), lineOf(d.File, d.Span), d.Message, d.Code))
		}
	}
	return nil
}

func lineOf(f *check.File, span syntax.Span) int { return f.Syntax.LineOf(span.Start) + 1 }
