package lsp

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/lsp/lsptest"
)

// BenchmarkKeystroke measures a letter that is typed into the body of a flow and
// what is asked then, the pipes included. A letter more makes a name that leads
// nowhere, a letter less mends it.
func BenchmarkKeystroke(b *testing.B) {
	for _, lines := range []int{5_000, 50_000} {
		text, line := program(lines)
		for _, method := range []string{"", "textDocument/hover", "textDocument/documentSymbol", "textDocument/semanticTokens/full/delta", "textDocument/codeAction"} {
			name := strings.TrimPrefix(method, "textDocument/")
			if method == "" {
				name = "publish"
			}
			b.Run(fmt.Sprintf("%s/%d", name, lines), func(b *testing.B) {
				const uri = "file:///w/a.k"
				s := open(b, fstest.MapFS{}, fullClient)
				s.Open(uri, 1, text)
				if d, _, err := s.Published(uri, 1); err != nil || len(d.Diagnostics) > 0 {
					b.Fatal("the program is not free of faults", err)
				}
				params := lsptest.At(uri, line, 1)
				params["range"] = lsptest.Range(line, 1, line, 1)
				params["context"] = lsptest.Obj{"diagnostics": []any{}}
				params["previousResultId"] = "none"
				version := 1
				for b.Loop() {
					version++
					change := lsptest.Obj{"range": lsptest.Range(line, 0, line, 0), "text": "x"}
					if version%2 == 1 {
						change = lsptest.Obj{"range": lsptest.Range(line, 0, line, 1), "text": ""}
					}
					s.Change(uri, version, change)
					if method != "" {
						if _, err := s.Call(method, params); err != nil {
							b.Fatal(err)
						}
						s.Notes()
					} else if _, _, err := s.Published(uri, version); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// program writes a program of about the given number of lines, and the line of a
// call in the middle of it.
func program(lines int) (text string, line int) {
	var b strings.Builder
	b.WriteString("import std/io\n\n")
	for i := 0; i*12 < lines; i++ {
		fmt.Fprintf(&b, `tor find-%[1]d { code: string, limit: i64 = 3 }
| found { code: string, shelf: i64 }
| none
proc find-%[1]d|js { return "none"; }

`, i)
		if i*24 < lines {
			line = strings.Count(b.String(), "\n")
		}
		fmt.Fprintf(&b, `find-%[1]d(code: "p%[1]d")
| found p when p.shelf > 3 |> std/io:print.ln("{{ p.code:s }} lies on {{ p.shelf:d }}")
| found p |> find-%[1]d(p.code)
    | found _ |> _
    | none |> _
| none |> _

`, i)
	}
	return b.String(), line
}
