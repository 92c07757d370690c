package view

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
)

func init() {
	verbs["complete"] = completeMarker
	verbs["accept"] = acceptMarker
	verbs["nocomplete"] = noCompleteMarker
}

// completeMarker holds that completing at a cursor begins with the given labels,
// in this order.
func completeMarker(r *markerRun, place at, want ...string) {
	items := r.complete(place)
	if len(items) < len(want) {
		r.errorf("complete: %d candidates %q; want %q", len(items), labels(items), want)
		return
	}
	for i, w := range want {
		if items[i].Label != w {
			r.errorf("complete: candidate %d is %q; want %q; all are %q", i+1, items[i].Label, w, labels(items))
			return
		}
	}
}

// noCompleteMarker holds that nothing can be completed at a cursor.
func noCompleteMarker(r *markerRun, place at) {
	if items := r.complete(place); len(items) > 0 {
		r.errorf("complete: %q; want nothing", labels(items))
	}
}

// acceptMarker takes a candidate, and compares it and the lines that it leads to
// with a golden part: inserted and replaced where that differs.
func acceptMarker(r *markerRun, place at, label string, want golden) {
	items := r.complete(place)
	for i := range items {
		it := &items[i]
		if it.Label != label {
			continue
		}
		it, err := ResolveCompletion(r.t.Context(), r.s, it)
		if err != nil {
			r.errorf("resolve: %v", err)
		}
		edit := it.TextEdit.(*protocol.InsertReplaceEdit)
		got := describeItem(it)
		inserted := r.applied(place.doc, it, edit.Insert, edit.NewText)
		got += inserted
		if replaced := r.applied(place.doc, it, edit.Replace, edit.NewText); replaced != inserted {
			got += "or\n" + replaced
		}
		r.compare(want, got)
		return
	}
	r.errorf("complete: no candidate %q among %q", label, labels(items))
}

func describeItem(it *protocol.CompletionItem) string {
	var b strings.Builder
	b.WriteString(it.Label)
	if d := it.LabelDetails; d != nil {
		if d.Detail != nil {
			b.WriteString(*d.Detail)
		}
		if d.Description != nil {
			b.WriteString("  (" + *d.Description + ")")
		}
	}
	b.WriteString("\n")
	if doc, ok := it.Documentation.(*protocol.MarkupContent); ok {
		b.WriteString(doc.Value + "\n")
	}
	b.WriteString("--\n")
	return b.String()
}

// applied returns the lines that are new after an edit and those that come along
// with it.
func (r *markerRun) applied(d *Document, it *protocol.CompletionItem, at protocol.Range, text string) string {
	_, span := r.span(d.URI, at)
	source := d.Syntax.Text()
	old := map[string]bool{}
	for line := range strings.Lines(source) {
		old[line] = true
	}
	source = source[:span.Start] + text + source[span.End:]
	for _, e := range it.AdditionalTextEdits {
		_, s := r.span(d.URI, e.Range)
		source = source[:s.Start] + e.NewText + source[s.End:]
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(source) {
		if n++; !old[line] {
			fmt.Fprintf(&b, "%d: %s\n", n, strings.TrimRight(line, "\r\n"))
		}
	}
	return b.String()
}

func (r *markerRun) complete(place at) []protocol.CompletionItem {
	r.t.Helper()
	list, err := Completion(r.t.Context(), r.s, place.doc, place.off, nil)
	if err != nil {
		r.errorf("complete: %v", err)
		return nil
	}
	for _, it := range list.Items {
		edit := it.TextEdit.(*protocol.InsertReplaceEdit)
		_, insert := r.span(place.doc.URI, edit.Insert)
		_, replace := r.span(place.doc.URI, edit.Replace)
		if insert.Start != replace.Start || insert.End != place.off || replace.End < place.off {
			r.errorf("complete: %s inserts over %v and replaces %v; the cursor is at %d", it.Label, insert, replace, place.off)
		}
	}
	return list.Items
}

func labels(items []protocol.CompletionItem) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = items[i].Label
	}
	return out
}
