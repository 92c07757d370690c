package view

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// wireActions returns the fixes of the findings in a range of wire text.
func (s *Snapshot) wireActions(d *Document, span syntax.Span, p *protocol.CodeActionParams) []protocol.CommandOrCodeAction {
	w, err := s.examine(d)
	if err != nil {
		return nil
	}
	a := &actions{s: s, prog: &check.Program{Diagnostics: w.Diagnostics}, file: w.File, asked: p.Context}
	if a.wants(protocol.CodeActionKindQuickFix) {
		a.fixes(span)
	}
	return a.out
}

// wireHints shows what the calls of wire text cost, and what a definition can.
func (s *Snapshot) wireHints(d *Document, span syntax.Span) []protocol.InlayHint {
	hints := []protocol.InlayHint{}
	w, err := s.examine(d)
	if err != nil || !s.opts.Settings.Hints.Costs {
		return hints
	}
	h := &hinter{s: s, file: w.File, within: span, on: s.opts.Settings.Hints, hints: hints}
	for _, v := range w.Defined {
		h.add(hint{at: (syntax.TorView{Node: v.Tor.Node}).Name().Span().End, text: "costs " + costText(v), left: true})
	}
	for i := range w.Calls {
		if c := &w.Calls[i]; c.Flow == nil {
			h.add(hint{at: c.Node.Span().End, text: fmt.Sprintf("costs %s", costText(c.Verb)), left: true})
		}
	}
	return h.hints
}

// wireBound returns the name at an offset, if the reply has bound it.
func (s *Snapshot) wireBound(w *wire, off int) (wireName, error) {
	n, ok := w.at(off)
	if !ok || n.bound == nil {
		return n, Refusal("only a name that the reply itself has bound can be changed here: a verb is renamed where the scope grants it")
	}
	return n, nil
}

func (s *Snapshot) wirePrepareRename(d *Document, off int) (protocol.PrepareRenameResult, error) {
	w, err := s.examine(d)
	if err != nil {
		return nil, err
	}
	n, err := s.wireBound(w, off)
	if err != nil {
		return nil, err
	}
	return &protocol.PrepareRenamePlaceholder{Range: s.Range(d.Syntax, n.span), Placeholder: n.bound.Token.Text()}, nil
}

// wireRename gives a name that a reply has bound another one.
func (s *Snapshot) wireRename(d *Document, off int, to string) (*edits, error) {
	w, err := s.examine(d)
	if err != nil {
		return nil, err
	}
	if _, err := s.wireBound(w, off); err != nil {
		return nil, err
	}
	if err := spellable(check.BindingEntity, to); err != nil {
		return nil, err
	}
	if w.bound(to) != nil {
		return nil, Refusal(fmt.Sprintf("'%s' is bound already", to))
	}
	e := newEdits()
	for _, span := range s.wireUses(d, off) {
		e.replace(d, span, to)
	}
	return e, nil
}
