package view

import (
	"testing"
	"testing/fstest"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

// BenchmarkTokens measures the semantic tokens of a program of about 50,000 lines
// after a letter was typed: painted alone, and written for the client.
func BenchmarkTokens(b *testing.B) {
	s := New(markerOptions(fstest.MapFS{}, syntax.UTF16)).WithOpen(uriOf("/w/a.k"), "koru", 1, longSource(4150))
	d := s.open["/w/a.k"]
	b.Run("paint", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			f := d.Syntax.Edit(syntax.Edit{Start: 5, End: 5 + i%2, Text: "xy"[:1-i%2]})
			c := *d
			c.Syntax = f
			if _, err := SemanticTokens(b.Context(), s, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
	all, err := SemanticTokens(b.Context(), s, d)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := protocol.Marshal(all); err != nil {
				b.Fatal(err)
			}
		}
	})
}
