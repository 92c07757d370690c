package view

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/syntax"
)

// longSource is a program of some thousand lines in which every verb is called
// by the next.
func longSource(verbs int) string {
	var b strings.Builder
	b.WriteString("import std/io\n\ntor look { sku: string } -> string\nlook -> sku\n\n")
	for i := range verbs {
		fmt.Fprintf(&b, "tor find-%d { sku: string, n: i64 }\n| found { name: string }\n| missing\nfind-%d = look(sku): x\n|> if(n > %d)\n", i, i, i)
		fmt.Fprintf(&b, "| then => found { name: \"{{ x:s }} {{ n:d }}\" }\n| else => missing\n\n")
		if i > 0 {
			fmt.Fprintf(&b, "find-%d(sku: \"a\", n: 1)\n| found f |> std/io:print.ln(f.name)\n| missing |> _\n\n", i-1)
		}
	}
	return b.String()
}

// BenchmarkAfterKeystroke measures a feature on the snapshot that follows a
// letter typed into a program of about 5,000 lines, the judgement of it
// included.
func BenchmarkAfterKeystroke(b *testing.B) {
	text := longSource(415)
	for name, ask := range map[string]func(s *Snapshot, d *Document, off int) error{
		"nothing":    func(s *Snapshot, d *Document, off int) error { _, _, err := s.Program(d); return err },
		"definition": func(s *Snapshot, d *Document, off int) error { return second(Definition(b.Context(), s, d, off)) },
		"highlight":  func(s *Snapshot, d *Document, off int) error { return second(Highlights(b.Context(), s, d, off)) },
		"symbols":    func(s *Snapshot, d *Document, _ int) error { return second(DocumentSymbols(b.Context(), s, d)) },
		"folding":    func(s *Snapshot, d *Document, _ int) error { return second(FoldingRanges(b.Context(), s, d)) },
		"lenses":     func(s *Snapshot, d *Document, _ int) error { return second(CodeLenses(b.Context(), s, d)) },
		"actions": func(s *Snapshot, d *Document, off int) error {
			return second(CodeActions(b.Context(), s, d, syntax.Span{Start: off, End: off}, &protocol.CodeActionParams{}))
		},
		"references": func(s *Snapshot, d *Document, off int) error {
			return second(References(b.Context(), s, d, off, &protocol.ReferenceParams{}))
		},
		"rename": func(s *Snapshot, d *Document, off int) error {
			return second(Rename(b.Context(), s, d, off, &protocol.RenameParams{NewName: "search"}))
		},
		"workspace symbols": func(s *Snapshot, _ *Document, _ int) error {
			return second(WorkspaceSymbols(b.Context(), s, &protocol.WorkspaceSymbolParams{Query: "find"}))
		},
	} {
		for _, place := range []string{"find-200", "look"} {
			b.Run(name+"/"+place, func(b *testing.B) {
				s := New(markerOptions(fstest.MapFS{}, syntax.UTF16)).WithRoots([]uri.URI{uriOf(markerRoot)})
				s = s.WithOpen(uriOf(markerRoot+"/a.k"), "koru", 1, text)
				path := markerRoot + "/a.k"
				off := strings.Index(text, place)
				if err := ask(s, s.open[path], off); err != nil {
					b.Fatal(err)
				}
				b.ResetTimer()
				for i := range b.N {
					d := s.open[path]
					at := strings.LastIndex(text, "\"a\"") + 2
					edit := syntax.Edit{Start: at, End: at, Text: "b"}
					if i%2 == 1 {
						edit.End, edit.Text = at+1, ""
					}
					s = s.WithText(d, d.Version+1, d.Syntax.Edit(edit))
					if err := ask(s, s.open[path], off); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
