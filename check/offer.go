package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// What a finding offers where the edit is not just another word in its place.

// removeLines offers to take a node away with the line that it starts.
func (d *Diagnostic) removeLines(title string, safe bool, n syntax.Node) {
	d.replace(title, safe, armLines(n), "")
}

// moveAbove offers to move the lines of a node above those of another one, which
// starts a line too.
func (d *Diagnostic) moveAbove(title string, safe bool, n, other syntax.Node) {
	from, to := armLines(n), armLines(other)
	text := n.Tree().Text()[from.Start-n.Base() : from.End-n.Base()]
	d.Fixes = append(d.Fixes, Fix{Title: title, Safe: safe, Edits: []TextEdit{
		{d.File, syntax.Span{Start: to.Start, End: to.Start}, text},
		{d.File, from, ""},
	}})
}

// requote offers the literal that was meant where a number is written as text or
// the other way round.
func (d *Diagnostic) requote(e *Expr, t *Type) {
	if e.Kind != LiteralExpr {
		return
	}
	switch text := e.Lit.Text; {
	case t.Kind == TextType && (e.Lit.Kind == IntLit || e.Lit.Kind == FloatLit || e.Lit.Kind == BoolLit):
		text = `"` + e.Node.Text() + `"`
		d.replace("write "+text, false, e.Node.Span(), text)
	case e.Lit.Kind == TextLit && spells(text, t):
		d.replace("write "+text, false, e.Node.Span(), text)
	}
}

// spells reports whether a text is a literal of a type of numbers or truths.
func spells(text string, t *Type) bool {
	digits := strings.Trim(text, "0123456789") == "" && text != ""
	switch t.Kind {
	case IntType:
		return digits && inRange(text, false, t)
	case FloatType:
		whole, part, _ := strings.Cut(text, ".")
		return digits || whole != "" && part != "" && strings.Trim(whole+part, "0123456789") == ""
	case BoolType:
		return text == "true" || text == "false"
	}
	return false
}

// endWith offers to end a path: what it ends in is put behind a place.
func (d *Diagnostic) endWith(at int, end string) {
	if at < 0 {
		return
	}
	d.replace("end it with '"+end+"'", false, syntax.Span{Start: at, End: at}, " "+end)
}
