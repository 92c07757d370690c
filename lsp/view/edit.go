package view

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// edits are changes of several documents that are made together or not at all.
type edits struct {
	docs  map[string]*Document
	spans map[string][]syntax.Edit
	moves []move
	// labels says where the labels of pairs end up that are written out or
	// dropped.
	labels map[place]landing
}

// landing is so many bytes in front of what an offset becomes.
type landing struct{ off, back int }

// move is a file that gets another path.
type move struct{ from, to string }

func newEdits() *edits {
	return &edits{docs: map[string]*Document{}, spans: map[string][]syntax.Edit{}, labels: map[place]landing{}}
}

// replace puts text in the place of a span of a document. The same change asked
// for twice is made once.
func (e *edits) replace(d *Document, span syntax.Span, text string) {
	edit := syntax.Edit{Start: span.Start, End: span.End, Text: text}
	e.docs[d.Path] = d
	if !slices.Contains(e.spans[d.Path], edit) {
		e.spans[d.Path] = append(e.spans[d.Path], edit)
	}
}

// paths returns the documents that change, sorted.
func (e *edits) paths() []string { return slices.Sorted(maps.Keys(e.spans)) }

// of returns the edits of a document in the order of the text.
func (e *edits) of(path string) []syntax.Edit {
	list := slices.Clone(e.spans[path])
	slices.SortStableFunc(list, func(a, b syntax.Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return list
}

// text returns what a document becomes.
func (e *edits) text(path string) string {
	old := e.docs[path].Syntax.Text()
	var b strings.Builder
	at := 0
	for _, edit := range e.of(path) {
		b.WriteString(old[at:edit.Start])
		b.WriteString(edit.Text)
		at = edit.End
	}
	return b.String() + old[at:]
}

// parsed returns the tree of what a document becomes. What few edits leave alone
// is shared with the tree before, and need not be judged again.
func (e *edits) parsed(path string) *syntax.File {
	const few = 32
	f, list := e.docs[path].Syntax, e.of(path)
	if len(list) > few {
		first, last := list[0].Start, list[len(list)-1].End
		text := e.text(path)
		tail := f.Len() - last
		return f.Edit(syntax.Edit{Start: first, End: last, Text: text[first : len(text)-tail]})
	}
	for i := len(list) - 1; i >= 0; i-- {
		f = f.Edit(list[i])
	}
	return f
}

// after returns where an offset of a document ends up, one at an insertion
// behind it.
func (e *edits) after(path string, off int) int {
	moved := off
	for _, edit := range e.of(path) {
		if edit.End > off || edit.Start == off && edit.End > edit.Start {
			break
		}
		moved += len(edit.Text) - (edit.End - edit.Start)
	}
	return moved
}

// nameAfter returns where a name ends up.
func (e *edits) nameAfter(use check.Reference) place {
	path := pathOfFile(use.File)
	at := landing{off: use.Span.Start}
	if to, ok := e.labels[place{path, use.Span.Start}]; ok && use.Side == check.Label {
		at = to
	}
	return place{path, e.after(path, at.off) - at.back}
}

// moved returns the path that a file has afterwards.
func (e *edits) moved(path string) string {
	for _, m := range e.moves {
		if m.from == path {
			return m.to
		}
	}
	return path
}

// workspaceEdit writes edits the way the client takes them: texts first, under
// the paths that they have, then the files that move.
func (s *Snapshot) workspaceEdit(e *edits) *protocol.WorkspaceEdit {
	out := &protocol.WorkspaceEdit{}
	if !s.opts.Client.Versioned && len(e.moves) == 0 {
		out.Changes = map[uri.URI][]protocol.TextEdit{}
		for _, path := range e.paths() {
			out.Changes[e.docs[path].URI] = s.textEdits(e.docs[path], e.of(path))
		}
		return out
	}
	for _, path := range e.paths() {
		d := e.docs[path]
		change := &protocol.TextDocumentEdit{}
		change.TextDocument.URI = d.URI
		if d.Open {
			change.TextDocument.Version = &d.Version
		}
		for _, edit := range s.textEdits(d, e.of(path)) {
			change.Edits = append(change.Edits, &edit)
		}
		out.DocumentChanges = append(out.DocumentChanges, change)
	}
	for _, m := range e.moves {
		out.DocumentChanges = append(out.DocumentChanges, &protocol.RenameFile{
			Kind: "rename", OldURI: s.uriOfPath(m.from), NewURI: uriOf(m.to),
		})
	}
	return out
}

// uriOfPath returns the URI of a path as the client spells it, if it has the
// document open.
func (s *Snapshot) uriOfPath(path string) uri.URI {
	if d := s.open[path]; d != nil {
		return d.URI
	}
	return uriOf(path)
}

func (s *Snapshot) textEdits(d *Document, list []syntax.Edit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, len(list))
	for i, e := range list {
		out[i] = protocol.TextEdit{Range: s.Range(d.Syntax, syntax.Span{Start: e.Start, End: e.End}), NewText: e.Text}
	}
	return out
}

// edited returns the workspace with the edits made, as if they were in buffers.
func (s *Snapshot) edited(e *edits) *Snapshot {
	n := s
	for _, path := range e.paths() {
		d := *e.docs[path]
		d.Path = e.moved(path)
		d.URI = uriOf(d.Path)
		d.Syntax = e.parsed(path)
		n = n.with(&d)
	}
	for _, m := range e.moves {
		if e.docs[m.from] == nil {
			if d, err := s.Document(s.uriOfPath(m.from)); err == nil {
				c := *d
				c.Path, c.URI = m.to, uriOf(m.to)
				n = n.with(&c)
			}
		}
	}
	return n
}
