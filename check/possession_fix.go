package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// dischargeFixes offers the calls that would settle a debt on every path that
// forgets it, one fix a disposer. It is safe if there is only one to choose.
func (w *warden) dischargeFixes(d *debt) []Fix {
	options := d.choice.several
	if d.choice.one != nil {
		options = []*taker{d.choice.one}
	}
	var fixes []Fix
	for _, k := range options {
		if edits := w.dischargeEdits(d, k); edits != nil {
			fixes = append(fixes, Fix{
				Title: fmt.Sprintf("discharge '%s' with %s", d.resource(), spell(k.tor, w.flow.Module)),
				Safe:  len(options) == 1,
				Edits: edits,
			})
		}
	}
	return fixes
}

// dischargeEdits writes one call of the disposer at each end, or returns nil if
// some end has no room for it.
func (w *warden) dischargeEdits(d *debt, k *taker) []TextEdit {
	arg, edits := w.nameResource(d, k)
	if arg == "" {
		return nil
	}
	call := fmt.Sprintf("%s(%s)", spell(k.tor, w.flow.Module), arg)
	for i := range d.ends {
		span, text := d.ends[i].insertion(&d.holding, call)
		if text == "" {
			return nil
		}
		edits = append(edits, TextEdit{File: w.flow.File, Span: span, Text: text})
	}
	return edits
}

// nameResource returns the argument that hands the resource to the disposer. A
// payload that was discarded needs a name first.
func (w *warden) nameResource(d *debt, k *taker) (arg string, edits []TextEdit) {
	field := k.tor.Fields[k.field].Name
	place := d.spelled()
	if d.root.Name == "" {
		if d.root.Node.Text() != "_" || w.taken(field) {
			return "", nil
		}
		edits = []TextEdit{{File: w.flow.File, Span: d.root.Node.Span(), Text: field}}
		place = strings.Join(append([]string{field}, d.path...), ".")
	}
	if place == field || strings.HasSuffix(place, "."+field) {
		return place, edits
	}
	return field + ": " + place, edits
}

// taken reports whether the flow already binds a name.
func (w *warden) taken(name string) bool {
	for _, b := range w.flow.Bindings {
		if b.Name == name {
			return true
		}
	}
	return false
}

// spell returns a verb as a flow of the module calls it.
func spell(t *Tor, from *Module) string {
	if t.Module == from || t.Has("keyword") {
		return t.Name
	}
	return t.Path()
}

// insertion returns the edit that puts a call at the end of a path, or "".
func (e *pathEnd) insertion(h *holding, call string) (syntax.Span, string) {
	switch {
	case e.jump != nil:
		return startOf(e.jump.Node), call + " |> "
	case e.arm != nil:
		return endOf(e.arm.Node), " |> " + call
	case e.chain == nil:
		return syntax.Span{}, "" // no arm to write it under
	case e.chain.End != nil:
		if k := e.chain.End.Node.FirstToken().Kind(); k != syntax.FatArrow && k != syntax.Arrow || mentions(e.chain.End.Value, h.root) {
			return syntax.Span{}, ""
		}
		return startOf(e.chain.End.Node), "|> " + call + " "
	case len(e.chain.Steps) == 0:
		return syntax.Span{}, ""
	}
	switch s := e.chain.Steps[len(e.chain.Steps)-1]; {
	case s.Kind == DiscardStep:
		return s.Node.Span(), call
	case s.Kind != CallStep || s.Call.Result != nil && s.Call.Result.Name == "":
		return syntax.Span{}, "" // the value of the step would thread into the call
	default:
		return endOf(s.Node), " |> " + call
	}
}

func startOf(n syntax.Node) syntax.Span {
	s := n.Span()
	return syntax.Span{Start: s.Start, End: s.Start}
}
func endOf(n syntax.Node) syntax.Span { s := n.Span(); return syntax.Span{Start: s.End, End: s.End} }

// mentions reports whether an expression reads a binding.
func mentions(e *Expr, b *Binding) bool {
	for stack := []*Expr{e}; len(stack) > 0; {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e == nil {
			continue
		}
		if e.Kind == BindingExpr && e.Ref != nil && operandOf(e, nil).root == b {
			return true
		}
		stack = append(append(stack, e.X, e.Y, e.Z), e.List...)
		stack = append(stack, parts(e.Parts)...)
	}
	return false
}
