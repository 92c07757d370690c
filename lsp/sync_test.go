package lsp

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/syntax"
)

func uriOf(s string) uri.URI { return uri.URI(s) }

// reference is an editor that was written without a look at the server: its text
// is a list of characters, and a position is found by counting through it.
type reference struct {
	text []rune // bytes that are no UTF-8 do not occur: no editor sends them
	enc  syntax.Encoding
}

// offset returns the index of the character at a position.
func (r *reference) offset(line, column int) int {
	i := 0
	for ; line > 0 && i < len(r.text); i++ {
		switch {
		case r.text[i] == '\n', r.text[i] == '\r' && !(i+1 < len(r.text) && r.text[i+1] == '\n'):
			line--
		}
	}
	if line > 0 {
		return len(r.text)
	}
	for ; i < len(r.text) && r.text[i] != '\n' && r.text[i] != '\r'; i++ {
		if column -= r.width(r.text[i]); column < 0 {
			return i
		}
	}
	return i
}

func (r *reference) width(c rune) int {
	switch r.enc {
	case syntax.UTF8:
		return utf8.RuneLen(c)
	case syntax.UTF16:
		if c > 0xFFFF {
			return 2
		}
	}
	return 1
}

func (r *reference) replace(startLine, startColumn, endLine, endColumn int, text string) {
	start, end := r.offset(startLine, startColumn), r.offset(endLine, endColumn)
	end = max(start, end)
	r.text = append(append(append([]rune{}, r.text[:start]...), []rune(text)...), r.text[end:]...)
}

// words are what random texts are made of: everything that has ever put a client
// and a server out of step.
var words = []string{
	"a", "tor find { sku: string }", "|", "| found f |> _", "\n", "\r\n", "\r", "\n\n", "\t", " ", "é", "e\u0301", "🦊", "👩‍👩‍👧", "日本",
	"\u2028", "\ufeff", "\u200d", "\"{{ x:s }}\"", "{", "}", "(", ")", "import std/io\n", "find(sku: \"A\")\n", "\u0000", "",
}

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// TestSync plays scripts of edits to the server and to the reference. They must
// agree on every byte, whatever the edits: one or many in an event, whole texts
// among them, positions past the end of a line and of the text and inside of a
// character. -seed plays others.
func TestSync(t *testing.T) {
	const uri = "file:///w/a.k"
	for name, enc := range encodings {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(enc), *seed))
			s := open(t, fstest.MapFS{}, in(name))
			ref := &reference{enc: enc}
			for script := range 200 {
				text := randomText(r, 40)
				ref.text = []rune(text)
				s.Open(uri, 1, text)
				for version := 2; version < 12; version++ {
					s.Change(uri, version, randomChanges(r, ref)...)
				}
				got := s.document(uri).Syntax
				if d := cmp.Diff(string(ref.text), got.Text()); d != "" {
					t.Fatalf("script %d: (-client +server)\n%s", script, d)
				}
				if again := syntax.Parse(got.Name, got.Kind, got.Text()); again.NumItems() != got.NumItems() {
					t.Fatalf("script %d: %d items, a fresh parse has %d:\n%q", script, got.NumItems(), again.NumItems(), got.Text())
				}
			}
		})
	}
}

func randomChanges(r *rand.Rand, ref *reference) []lsptest.Obj {
	var out []lsptest.Obj
	for range r.IntN(4) {
		if r.IntN(12) == 0 {
			text := randomText(r, 40)
			ref.text = []rune(text)
			out = append(out, lsptest.Obj{"text": text})
			continue
		}
		startLine, startColumn := r.IntN(12), r.IntN(40)
		endLine, endColumn := startLine+r.IntN(3), r.IntN(40)
		if endLine == startLine {
			endColumn += startColumn
		}
		text := randomText(r, 3)
		ref.replace(startLine, startColumn, endLine, endColumn, text)
		out = append(out, lsptest.Obj{"range": lsptest.Range(startLine, startColumn, endLine, endColumn), "text": text})
	}
	return out
}

// seed makes random tests the same in every run, unless they are to find
// something new.
var seed = flag.Uint64("seed", 1, "seed of the random tests")

// Many cursors send one event with an edit each, from the bottom up; it costs
// one reparse.
func TestManyCursors(t *testing.T) {
	const uri = "file:///w/a.k"
	s := open(t, fstest.MapFS{}, nil)
	const lines = 2_000
	s.Open(uri, 1, strings.Repeat("find(sku: \"A\")\n", lines))
	var changes []lsptest.Obj
	for line := lines - 1; line >= 0; line-- {
		changes = append(changes, lsptest.Obj{"range": lsptest.Range(line, 0, line, 4), "text": fmt.Sprintf("take-%d", line)})
	}
	s.Change(uri, 2, changes...)
	var want strings.Builder
	for line := range lines {
		fmt.Fprintf(&want, "take-%d(sku: \"A\")\n", line)
	}
	if d := cmp.Diff(want.String(), s.document(uri).Syntax.Text()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
