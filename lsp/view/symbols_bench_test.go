package view

import (
	"testing"
	"testing/fstest"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

func BenchmarkSymbols(b *testing.B) {
	s := New(markerOptions(fstest.MapFS{}, syntax.UTF16)).WithOpen(uriOf("/w/a.k"), "koru", 1, longSource(4150))
	d := s.open["/w/a.k"]
	b.Run("list", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DocumentSymbols(b.Context(), s, d); err != nil {
				b.Fatal(err)
			}
		}
	})
	all, err := DocumentSymbols(b.Context(), s, d)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			text, err := protocol.Marshal(all)
			if err != nil {
				b.Fatal(err)
			}
			n = len(text)
		}
		b.ReportMetric(float64(n), "bytes")
	})
}
