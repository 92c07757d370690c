package view

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

func init() {
	verbs["hints"] = hintsMarker
	verbs["signature"] = signatureMarker
}

// hintsMarker compares a document as it looks with its inlay hints, in ⟦⟧.
func hintsMarker(r *markerRun, place at, want golden) {
	d := place.doc
	list, err := InlayHints(r.t.Context(), r.s, d, syntax.Span{End: d.Syntax.Len()}, nil)
	if err != nil {
		r.errorf("hints: %v", err)
		return
	}
	var b strings.Builder
	done := 0
	for _, h := range list {
		off := r.s.Offset(d.Syntax, h.Position)
		b.WriteString(d.Syntax.Text()[done:off])
		fmt.Fprintf(&b, "⟦%s⟧", string(h.Label.(protocol.String)))
		done = off
	}
	b.WriteString(d.Syntax.Text()[done:])
	var lines strings.Builder
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "⟦") {
			lines.WriteString(line)
		}
	}
	r.compare(want, lines.String())
}

// signatureMarker compares the signature of the call around a cursor; the field
// that is written stands in ⟦⟧.
func signatureMarker(r *markerRun, place at, want string) {
	help, err := SignatureHelp(r.t.Context(), r.s, place.doc, place.off)
	if err != nil {
		r.errorf("signature: %v", err)
		return
	}
	got := ""
	if help != nil {
		sig := help.Signatures[0]
		got = sig.Label
		if n, ok := help.ActiveParameter.Get(); ok {
			at := sig.Parameters[n].Label.(protocol.ParameterInformationLabelTuple)
			got = got[:at[0]] + "⟦" + got[at[0]:at[1]] + "⟧" + got[at[1]:]
		}
	}
	if got != want {
		r.errorf("signature: %q; want %q", got, want)
	}
}
