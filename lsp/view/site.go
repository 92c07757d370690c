package view

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// placeholder is the name that is put where the cursor stands, so that the tree
// has a name there and the checker knows all around it.
const placeholder = "koru_cursor"

// site is the place of the cursor in a text that has a name there.
type site struct {
	s     *Snapshot // with the placeholder
	prog  *check.Program
	file  *check.File
	flow  *check.Flow // that the cursor is in, or nil
	wire  *wire       // if the text is wire
	off   int         // of the cursor, in both texts
	token syntax.Token
	path  []syntax.Node // from the item down to the node that holds the token
	typed string        // what stands between the start of the name and the cursor

	handles []check.State // the states of what can be named here

	// The name at the cursor, in the text of the document.
	insert, replace syntax.Span
}

// siteAt finds out what stands around the cursor. It is nil where nothing can be
// completed: in a comment, in prose, in the text of a string, in host code.
func siteAt(s *Snapshot, d *Document, off int) (*site, error) {
	text := d.Syntax.Text()
	put := ""
	if off == 0 || !isNamePart(text[off-1]) {
		put = placeholder
	}
	behind := len(put)
	if t := d.Syntax.TokenAt(max(off-1, 0)); t.Kind() == syntax.String && opensSplice(text[t.Span().Start:off]) {
		put += " }}" // a splice that nobody has closed yet is text
	}
	if inside := d.Syntax.TokenAt(off); inside.Kind() >= syntax.Pipe && inside.Span().Start < off {
		return nil, nil // in the middle of a sign
	}
	w := &site{s: s, off: off}
	if put != "" {
		patched := *d
		if d.Wire() {
			patched.Syntax = d.Replaced(text[:off] + put + text[off:])
		} else {
			patched.Syntax = d.Syntax.Edit(syntax.Edit{Start: off, End: off, Text: put})
		}
		w.s = s.WithText(d, d.Version, patched.Syntax)
		d = &patched
	}
	f, err := w.judge(d)
	if err != nil {
		return nil, err
	}
	w.token = f.TokenAt(max(off-1+behind, 0))
	switch w.token.Kind() {
	case syntax.Name, syntax.Path, syntax.RawName, syntax.Word:
	default:
		return nil, nil
	}
	w.descend(f)
	span := w.token.Span()
	w.typed = f.Text()[span.Start:off]
	w.insert = syntax.Span{Start: span.Start, End: off}
	w.replace = syntax.Span{Start: span.Start, End: span.End - behind}
	if n := w.path[0]; w.wire == nil && (n.Kind() == syntax.FlowItem || n.Kind() == syntax.ImplItem) {
		w.flow = w.prog.FlowOf(w.file, n)
	}
	return w, nil
}

// judge has the text with the placeholder judged, as a program or as wire.
func (w *site) judge(d *Document) (*syntax.File, error) {
	var err error
	if !w.s.speaksWire(d) {
		if w.prog, w.file, err = w.s.Program(d); err != nil {
			return nil, err
		}
		return w.file.Syntax, nil
	}
	if w.wire, err = w.s.examine(d); err != nil {
		return nil, err
	}
	w.prog, w.file = w.wire.prog, w.wire.File
	return w.file.Syntax, nil
}

// opensSplice reports whether a text ends inside a splice.
func opensSplice(text string) bool {
	return strings.LastIndex(text, "{{") > strings.LastIndex(text, "}}")
}

func isNamePart(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// descend follows the tree from the item to the node whose own token the name is.
func (w *site) descend(f *syntax.File) {
	at := w.token.Span()
	n := f.Item(f.ItemAt(at.Start))
	w.path = append(w.path, n)
	for {
		inner := syntax.Node{}
		for c := range n.Children() {
			if s := c.Span(); s.Start <= at.Start && at.End <= s.End && s.Len() > 0 {
				inner = c
			}
		}
		if !inner.IsValid() {
			return
		}
		n = inner
		w.path = append(w.path, n)
	}
}

// up returns the node that is n levels above the one of the name, or the zero Node.
func (w *site) up(n int) syntax.Node {
	if i := len(w.path) - 1 - n; i >= 0 {
		return w.path[i]
	}
	return syntax.Node{}
}

// nearest returns the innermost node of a kind around the name.
func (w *site) nearest(kinds ...syntax.Kind) syntax.Node {
	for i := len(w.path) - 1; i >= 0; i-- {
		for _, k := range kinds {
			if w.path[i].Kind() == k {
				return w.path[i]
			}
		}
	}
	return syntax.Node{}
}

// nth returns the place of the name among the names of its node.
func (w *site) nth() int {
	n := 0
	for t := range w.up(0).Tokens() {
		if t == w.token {
			break
		}
		if t.Kind() == syntax.Name || t.Kind() == syntax.Path {
			n++
		}
	}
	return n
}
