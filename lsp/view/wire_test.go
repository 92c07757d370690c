package view

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
)

func init() {
	verbs["diags"] = diagsMarker
	verbs["renameWire"] = renameWireMarker
}

// renameWireMarker compares the line of a cursor after its name was changed, and
// changed back.
func renameWireMarker(r *markerRun, place at, to string, want golden) {
	old, err := PrepareRename(r.t.Context(), r.s, place.doc, place.off)
	if err != nil {
		r.errorf("prepare: %v", err)
		return
	}
	e, err := r.s.rename(place.doc, place.off, to)
	if err != nil {
		r.errorf("%v", err)
		return
	}
	r.compare(want, r.changes(e))
	there := r.s.edited(e)
	back, err := there.rename(there.open[place.doc.Path], place.off, old.(*protocol.PrepareRenamePlaceholder).Placeholder)
	if err != nil {
		r.errorf("back: %v", err)
		return
	}
	if got := there.edited(back).open[place.doc.Path].Syntax.Text(); got != place.doc.Syntax.Text() {
		r.errorf("there and back:\n%s", got)
	}
}

// diagsMarker compares all diagnostics of a document with a golden part.
func diagsMarker(r *markerRun, place at, want golden) {
	list, err := Diagnostics(r.t.Context(), r.s, place.doc)
	if err != nil {
		r.errorf("diagnostics: %v", err)
		return
	}
	var b strings.Builder
	for i := range list {
		d := &list[i]
		fmt.Fprintf(&b, "%s  %v %v\n", r.text(place.doc.URI, d.Range), d.Code, d.Message)
	}
	r.compare(want, b.String())
}
