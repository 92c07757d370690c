package lsp

import (
	"errors"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/syntax"
)

// errInverted means that an edit ends before it begins. What the client has in
// mind then cannot be known, nor what its later edits are relative to: the
// document is lost until its whole text is sent again.
var errInverted = errors.New("a change ends before it begins: the document is left as it is until its whole text comes")

// applyChanges returns the file of a document after the changes of one event,
// each relative to the text that the one before has left. For a document that is
// lost it returns nil until a change brings the whole text.
func applyChanges(s *view.Snapshot, d *view.Document, changes []protocol.TextDocumentContentChangeEvent, lost bool) (*syntax.File, error) {
	file := d.Syntax
	for i := 0; i < len(changes); {
		switch c := changes[i].(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			file, lost = d.Replaced(c.Text), false
			i++
		case *protocol.TextDocumentContentChangePartial:
			edits, err := upwards(s, file, changes[i:])
			if err != nil {
				return nil, err
			}
			if !lost {
				file = edited(d, file, edits)
			}
			i += len(edits)
		default:
			return nil, invalid("change %d is no change", i)
		}
	}
	if lost {
		return nil, nil
	}
	return file, nil
}

// upwards returns the changes at the head of a list that each lie in front of
// the one before, so that all of them are places of the same text. That is how
// editors send the edits of many cursors, and it makes one edit of them.
func upwards(s *view.Snapshot, file *syntax.File, changes []protocol.TextDocumentContentChangeEvent) ([]syntax.Edit, error) {
	var edits []syntax.Edit
	for _, change := range changes {
		c, ok := change.(*protocol.TextDocumentContentChangePartial)
		if !ok {
			break
		}
		if before(c.Range.End, c.Range.Start) {
			if edits == nil {
				return nil, errInverted
			}
			break
		}
		span := s.Span(file, c.Range)
		if n := len(edits); n > 0 && span.End >= edits[n-1].Start {
			break
		}
		edits = append(edits, syntax.Edit{Start: span.Start, End: span.End, Text: c.Text})
	}
	return edits, nil
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// edited carries out edits that lie one in front of the other, as one.
func edited(d *view.Document, file *syntax.File, edits []syntax.Edit) *syntax.File {
	first, last := edits[len(edits)-1], edits[0]
	var b strings.Builder
	text, at := file.Text(), first.Start
	for i := len(edits) - 1; i >= 0; i-- {
		b.WriteString(text[at:edits[i].Start])
		b.WriteString(edits[i].Text)
		at = edits[i].End
	}
	e := syntax.Edit{Start: first.Start, End: last.End, Text: b.String()}
	if d.Wire() {
		return d.Replaced(text[:e.Start] + e.Text + text[e.End:])
	}
	return file.Edit(e)
}
