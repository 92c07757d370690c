package view

import (
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	format "github.com/koru-go/koru/fmt"
)

func init() {
	verbs["format"] = formatMarker
	verbs["formatRange"] = formatRangeMarker
	verbs["formatRanges"] = formatRangesMarker
	verbs["formatOnType"] = formatOnTypeMarker
	verbs["diag"] = diagMarker
	verbs["nodiag"] = noDiagMarker
}

// formatMarker formats the file of the marker: format(at, golden).
func formatMarker(r *markerRun, place at, want golden) {
	edits, err := Format(r.t.Context(), r.s, place.doc)
	if err != nil {
		r.errorf("format: %v", err)
		return
	}
	got := r.apply(place.doc, edits)
	r.compare(want, strings.ReplaceAll(got, "\r", "␍"))
	if whole, err := format.Format(place.doc.Syntax, format.Options{}); err != nil || whole != got {
		r.errorf("koru fmt makes of it (%v)\n%s", err, whole)
	}
}

func formatRangeMarker(r *markerRun, place at, want golden) {
	edits, err := FormatRange(r.t.Context(), r.s, place.doc, place.span, nil)
	if err != nil {
		r.errorf("format: %v", err)
		return
	}
	r.compare(want, r.apply(place.doc, edits))
}

func formatRangesMarker(r *markerRun, want golden, places ...at) {
	p := &protocol.DocumentRangesFormattingParams{}
	for _, place := range places {
		p.Ranges = append(p.Ranges, r.s.Range(place.doc.Syntax, place.span))
	}
	edits, err := FormatRanges(r.t.Context(), r.s, places[0].doc, p)
	if err != nil {
		r.errorf("format: %v", err)
		return
	}
	r.compare(want, r.apply(places[0].doc, edits))
}

// formatOnTypeMarker formats after the character in front of the cursor was
// typed.
func formatOnTypeMarker(r *markerRun, place at, ch string, want golden) {
	off := place.off
	if ch == "\n" {
		off = place.doc.Syntax.LineStart(place.doc.Syntax.LineOf(off) + 1)
	}
	edits, err := FormatOnType(r.t.Context(), r.s, place.doc, off, &protocol.DocumentOnTypeFormattingParams{Ch: ch})
	if err != nil {
		r.errorf("format: %v", err)
		return
	}
	r.compare(want, r.apply(place.doc, edits))
}

// apply carries out edits as an editor does.
func (r *markerRun) apply(d *Document, edits []protocol.TextEdit) string {
	r.t.Helper()
	text := d.Syntax.Text()
	for _, e := range slices.Backward(edits) {
		_, span := r.span(d.URI, e.Range)
		text = text[:span.Start] + e.NewText + text[span.End:]
	}
	return text
}

// diagMarker wants one finding at a place, with a code and a message.
func diagMarker(r *markerRun, place at, code, message string) {
	list, err := Diagnostics(r.t.Context(), r.s, place.doc)
	if err != nil {
		r.errorf("diag: %v", err)
		return
	}
	rx := regexp.MustCompile(message)
	var found []string
	for _, d := range list {
		_, span := r.span(place.doc.URI, d.Range)
		text := string(d.Message.(protocol.String))
		if span == place.span && d.Code == protocol.String(code) && rx.MatchString(text) {
			r.links(&d)
			return
		}
		found = append(found, place.doc.Syntax.Text()[span.Start:span.End]+": "+text)
	}
	r.errorf("no finding %s at %q like %s; there is\n%s", code, place.doc.Syntax.Text()[place.span.Start:place.span.End], message, strings.Join(found, "\n"))
}

// links makes sure that what a finding points at is there.
func (r *markerRun) links(d *protocol.Diagnostic) {
	for _, note := range d.RelatedInformation {
		r.span(note.Location.URI, note.Location.Range)
	}
	if code := string(d.Code.(protocol.String)); !strings.Contains(string(d.CodeDescription.Href), strings.ToLower(code)) {
		r.errorf("%s links to %s", code, d.CodeDescription.Href)
	}
}

// noDiagMarker wants the file of the place to be free of findings.
func noDiagMarker(r *markerRun, place at) {
	list, err := Diagnostics(r.t.Context(), r.s, place.doc)
	if err != nil || len(list) > 0 {
		r.errorf("there are %d findings: %v", len(list), err)
	}
}
