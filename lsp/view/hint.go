package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// InlayHints shows between the characters of a source what the checker knows and
// the author did not write: the field that an argument is for, the disposals that
// are inserted where a path ends, the state of a handle where it is bound, and
// what a granted verb can cost.
func InlayHints(ctx context.Context, s *Snapshot, d *Document, span syntax.Span, _ *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	if s.speaksWire(d) {
		return s.wireHints(d, span), nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	h := &hinter{s: s, file: file, within: span, on: s.opts.Settings.Hints, hints: []protocol.InlayHint{}}
	f := file.Syntax
	for i := f.ItemAt(span.Start); i < f.NumItems(); i++ {
		item := f.Item(i)
		if item.Span().Start >= span.End {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if flow := prog.FlowOf(file, item); flow != nil {
			h.flow(flow)
		}
	}
	if h.on.Costs {
		h.costs(prog)
	}
	slices.SortStableFunc(h.hints, func(a, b protocol.InlayHint) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Character, b.Position.Character))
	})
	return h.hints, nil
}

type hinter struct {
	s      *Snapshot
	file   *check.File
	within syntax.Span
	on     Hints
	hints  []protocol.InlayHint
}

// hint is one text between two characters.
type hint struct {
	at          int
	text        string
	tip         string
	kind        protocol.InlayHintKind
	left, right bool   // a blank on that side
	insert      string // what a double click writes, "" for nothing
}

func (h *hinter) add(x hint) {
	if x.at < h.within.Start || x.at > h.within.End {
		return
	}
	pos := h.s.Position(h.file.Syntax, x.at)
	out := protocol.InlayHint{Position: pos, Label: protocol.String(x.text), Kind: x.kind}
	if x.left {
		out.PaddingLeft = new(true)
	}
	if x.right {
		out.PaddingRight = new(true)
	}
	if x.tip != "" {
		out.Tooltip = h.s.markup(x.tip)
	}
	if x.insert != "" {
		out.TextEdits = []protocol.TextEdit{{Range: protocol.Range{Start: pos, End: pos}, NewText: x.insert}}
	}
	h.hints = append(h.hints, out)
}

func (h *hinter) flow(f *check.Flow) {
	if h.on.Puns {
		for c := range f.Calls() {
			for i := range c.Args {
				h.label(&c.Args[i])
			}
		}
	}
	if h.on.States {
		for _, b := range f.Bindings {
			h.state(b)
		}
	}
	if h.on.Discharges {
		for _, x := range f.Settlements() {
			h.settlement(x)
		}
	}
}

// label shows the field of an argument that does not say it: f.name stands for
// name. A name that is the field's own needs no more words.
func (h *hinter) label(a *check.Arg) {
	if !a.Node.IsValid() || a.Field == nil || a.Value == nil || a.Field.Type.Kind == check.ExprType {
		return
	}
	v := syntax.ArgView{Node: a.Node}
	if v.Label().IsValid() || strings.TrimSpace(v.Value().Text()) == a.Field.Name {
		return
	}
	h.add(hint{
		at: v.Value().Span().Start, text: a.Field.Name + ":", kind: protocol.InlayHintKindParameter, right: true,
		insert: a.Field.Name + ": ", tip: a.Field.Doc,
	})
}

// state shows what a name holds possession of.
func (h *hinter) state(b *check.Binding) {
	if b.Type == nil || b.Name == "" || b.Name == "_" || b.Kind == check.ParamBinding || !b.Node.IsValid() {
		return
	}
	var text string
	switch {
	case b.Type.Phantom != nil:
		text = "<" + stateNames(b.Type.Phantom.Members) + ">"
	case b.Type.Kind == check.RecordType:
		text = statesOfFields(b.Type)
	}
	at := nameOfBinding(b)
	if text == "" || !at.IsValid() || b.Type.Phantom != nil && b.Type.Phantom.Var != "" {
		return
	}
	h.add(hint{at: at.Span().End, text: text, kind: protocol.InlayHintKindType})
}

func statesOfFields(t *check.Type) string {
	var held []string
	for _, f := range t.Fields {
		if f.Type != nil && f.Type.Phantom != nil && f.Type.Phantom.Var == "" {
			held = append(held, "."+f.Name+"<"+stateNames(f.Type.Phantom.Members)+">")
		}
	}
	return strings.Join(held, " ")
}

// nameOfBinding returns the token that binds a name.
func nameOfBinding(b *check.Binding) syntax.Token {
	switch b.Node.Kind() {
	case syntax.Bind:
		return syntax.BindView{Node: b.Node}.Name()
	case syntax.BindField:
		v := syntax.BindFieldView{Node: b.Node}
		if v.As().IsValid() {
			return v.As()
		}
		return v.Field()
	}
	return syntax.Token{}
}

// settlement shows the calls that are inserted where a path ends.
func (h *hinter) settlement(x check.Settlement) {
	calls := make([]string, len(x.Disposals))
	for i, d := range x.Disposals {
		calls[i] = d.Tor.Path() + "(" + strings.Join(append([]string{d.Binding.Name}, d.Path...), ".") + ")"
	}
	text := strings.Join(calls, " |> ")
	tip := "The handle is settled here: the call is inserted, because this path ends and it is still held."
	switch x.At.Kind() {
	case syntax.Construct, syntax.Produce, syntax.Jump:
		h.add(hint{at: x.At.Span().Start, text: text + " |>", right: true, tip: tip})
	default:
		h.add(hint{at: x.At.Span().End, text: "|> " + text, left: true, tip: tip})
	}
}

// costs shows what a line of a register block stands for that names no verb.
func (h *hinter) costs(p *check.Program) {
	for _, s := range p.Scopes {
		if s.Module != h.file.Module {
			continue
		}
		for _, line := range grantLines(s.Node) {
			if verbs := grantedBy(p, s, line); len(verbs) > 0 && h.owns(line) {
				h.add(hint{at: line.Span().End, text: listed(verbs), left: true})
			}
		}
	}
}

// grantLines returns the globs and the included scopes of a register block.
func grantLines(n syntax.Node) []syntax.Node {
	var lines []syntax.Node
	for c := range n.Children() {
		if k := c.Kind(); k == syntax.GrantGlob || k == syntax.GrantInclude {
			lines = append(lines, c)
		} else {
			lines = append(lines, grantLines(c)...)
		}
	}
	return lines
}

func grantedBy(p *check.Program, s *check.Scope, line syntax.Node) []*check.Verb {
	if line.Kind() == syntax.GrantInclude {
		if included := p.Scope(syntax.IncludeName(line).Text()); included != nil {
			return included.Verbs
		}
		return nil
	}
	var verbs []*check.Verb
	for _, v := range s.Verbs {
		if v.Node == line {
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// listed names verbs with what they cost, as many as are easy to read.
func listed(verbs []*check.Verb) string {
	const most = 6
	var words []string
	for i, v := range verbs {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(verbs)-most))
			break
		}
		words = append(words, v.Name+"("+costText(v)+")")
	}
	return strings.Join(words, " ")
}

// owns reports whether a node is of the document.
func (h *hinter) owns(n syntax.Node) bool {
	f, at := h.file.Syntax, n.Span().Start
	return at < f.Len() && f.Item(f.ItemAt(at)).Tree() == n.Tree()
}
