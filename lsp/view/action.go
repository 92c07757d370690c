package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// CodeActions returns what can be done about the findings in a range: every fix
// that the checker offers, all missing arms of a call at once, and all safe
// fixes of the document.
func CodeActions(_ context.Context, s *Snapshot, d *Document, span syntax.Span, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	if !s.opts.Client.CodeActions {
		return nil, nil
	}
	if s.speaksWire(d) {
		return s.wireActions(d, span, p), nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	a := &actions{s: s, prog: prog, file: file, asked: p.Context}
	if a.wants(protocol.CodeActionKindQuickFix) {
		a.fixes(span)
		a.missingArms(span)
	}
	if a.wants(protocol.CodeActionKindSourceFixAll) {
		a.fixAll()
	}
	return a.out, nil
}

// actions gathers what can be done in one document.
type actions struct {
	s     *Snapshot
	prog  *check.Program
	file  *check.File
	asked protocol.CodeActionContext
	out   []protocol.CommandOrCodeAction
}

// wants reports whether the client asks for actions of a kind: for all, for the
// kind, or for one that it is a part of.
func (a *actions) wants(kind protocol.CodeActionKind) bool {
	if len(a.asked.Only) == 0 {
		// What changes a whole document is offered to those who ask for it.
		return kind != protocol.CodeActionKindSourceFixAll || a.asked.TriggerKind != protocol.CodeActionTriggerKindAutomatic
	}
	return slices.ContainsFunc(a.asked.Only, func(only protocol.CodeActionKind) bool {
		return only == kind || strings.HasPrefix(string(kind), string(only)+".")
	})
}

func (a *actions) add(kind protocol.CodeActionKind, title string, e *edits, preferred bool, about ...*check.Diagnostic) {
	action := &protocol.CodeAction{Title: title, Kind: &kind, Edit: a.s.workspaceEdit(e)}
	if preferred {
		action.IsPreferred = &preferred
	}
	for _, d := range about {
		action.Diagnostics = append(action.Diagnostics, a.reported(d))
	}
	a.out = append(a.out, action)
}

// reported returns a finding as the client knows it.
func (a *actions) reported(d *check.Diagnostic) protocol.Diagnostic {
	mine := a.s.diagnostic(d)
	for _, theirs := range a.asked.Diagnostics {
		if theirs.Range == mine.Range && theirs.Code == mine.Code {
			return theirs
		}
	}
	return mine
}

// touching returns the findings of the document that meet a range.
func (a *actions) touching(span syntax.Span) []*check.Diagnostic {
	var out []*check.Diagnostic
	for i := range a.prog.Diagnostics {
		d := &a.prog.Diagnostics[i]
		if d.File == a.file && d.Span.Start <= span.End && span.Start <= d.Span.End {
			out = append(out, d)
		}
	}
	return out
}

func (a *actions) fixes(span syntax.Span) {
	for _, d := range a.touching(span) {
		for i := range d.Fixes {
			if e := a.s.editsOf(&d.Fixes[i]); e != nil {
				a.add(protocol.CodeActionKindQuickFix, sentence(d.Fixes[i].Title), e, d.Fixes[i].Safe || len(d.Fixes) == 1, d)
			}
		}
	}
}

// editsOf returns the edits of a fix, or nil if it changes what cannot be
// changed.
func (s *Snapshot) editsOf(f *check.Fix) *edits {
	e := newEdits()
	for _, edit := range f.Edits {
		if edit.File.Module != nil && edit.File.Module.Std {
			return nil
		}
		e.replace(s.DocumentOf(edit.File), edit.Span, edit.Text)
	}
	if len(e.spans) == 0 {
		return nil
	}
	return e
}

// sentence gives a title the form that editors show: it begins with a capital.
func sentence(title string) string {
	if title == "" {
		return title
	}
	return strings.ToUpper(title[:1]) + title[1:]
}

// missingArms offers the arms that a call lacks all at once, where it lacks
// several.
func (a *actions) missingArms(span syntax.Span) {
	var about []*check.Diagnostic
	e := newEdits()
	for _, d := range a.touching(span) {
		if d.Code == "KORU022" && len(d.Fixes) == 1 && (about == nil || d.Span == about[0].Span) {
			about = append(about, d)
			for _, edit := range d.Fixes[0].Edits {
				e.replace(a.s.DocumentOf(edit.File), edit.Span, edit.Text)
			}
		}
	}
	if len(about) > 1 {
		a.add(protocol.CodeActionKindQuickFix, fmt.Sprintf("Add the %d missing arms", len(about)), e, false, about...)
	}
}

// fixAll offers the fixes that need no choice and keep or restore the meaning:
// what `koru check --fix` does to this document in one round.
func (a *actions) fixAll() {
	var fixes []*check.Fix
	for i := range a.prog.Diagnostics {
		d := &a.prog.Diagnostics[i]
		if d.File != a.file {
			continue
		}
		for j := range d.Fixes {
			if d.Fixes[j].Safe {
				fixes = append(fixes, &d.Fixes[j])
				break
			}
		}
	}
	_, done := check.Apply(fixes)
	e := newEdits()
	count := 0
	for i, f := range fixes {
		if one := a.s.editsOf(f); done[i] && one != nil {
			count++
			for _, edit := range f.Edits {
				e.replace(a.s.DocumentOf(edit.File), edit.Span, edit.Text)
			}
		}
	}
	if count > 0 {
		a.add(protocol.CodeActionKindSourceFixAll, "Apply every safe fix", e, false)
	}
}
