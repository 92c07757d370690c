package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

func init() { verbs["tokens"] = tokensMarker }

// tokensMarker compares the semantic tokens of the lines of a place with a
// golden part: a line each, the text, its type and its modifiers.
func tokensMarker(r *markerRun, from at, want golden) {
	all, err := SemanticTokens(r.t.Context(), r.s, from.doc)
	if err != nil {
		r.errorf("tokens: %v", err)
		return
	}
	r.compare(want, spell(r, from.doc, all.Data))
	r.ranges(from.doc, all.Data)
}

// spell writes tokens out.
func spell(r *markerRun, d *Document, data []uint32) string {
	var b strings.Builder
	for _, t := range absolute(data) {
		rng := protocol.Range{
			Start: protocol.Position{Line: t.line, Character: t.column},
			End:   protocol.Position{Line: t.line, Character: t.column + t.length},
		}
		_, span := r.span(d.URI, rng)
		fmt.Fprintf(&b, "%d: %s  %s", t.line+1, d.Syntax.Text()[span.Start:span.End], tokenTypes[t.kind])
		for i, name := range tokenModifiers {
			if t.modifiers&(1<<i) != 0 {
				b.WriteString(" " + name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ranges holds that the tokens of a range are those of the whole that touch it.
func (r *markerRun) ranges(d *Document, data []uint32) {
	r.t.Helper()
	whole := absolute(data)
	for line := range d.Syntax.NumLines() {
		span := syntax.Span{Start: d.Syntax.LineStart(line), End: d.Syntax.LineStart(line) + len(d.Syntax.Line(line))}
		part, err := SemanticTokensRange(r.t.Context(), r.s, d, span, nil)
		if err != nil {
			r.errorf("tokens of line %d: %v", line+1, err)
			continue
		}
		want := slices.DeleteFunc(slices.Clone(whole), func(t paintedToken) bool { return int(t.line) != line })
		got := slices.DeleteFunc(absolute(part.Data), func(t paintedToken) bool { return int(t.line) != line })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(paintedToken{})); diff != "" {
			r.errorf("tokens of line %d (-whole +range)\n%s", line+1, diff)
		}
	}
}

type paintedToken struct{ line, column, length, kind, modifiers uint32 }

// absolute undoes the relative encoding.
func absolute(data []uint32) []paintedToken {
	list := make([]paintedToken, 0, len(data)/5)
	var line, column uint32
	for d := range slices.Chunk(data, 5) {
		if d[0] > 0 {
			column = 0
		}
		line, column = line+d[0], column+d[1]
		list = append(list, paintedToken{line, column, d[2], d[3], d[4]})
	}
	return list
}

// A client that applies an edit of tokens has what it would have been sent whole.
func TestTokensDelta(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		old, new := make([]uint32, rnd.IntN(12)), make([]uint32, rnd.IntN(12))
		for _, data := range [][]uint32{old, new} {
			for i := range data {
				data[i] = rnd.Uint32N(3)
			}
		}
		got := slices.Clone(old)
		for _, e := range replaceMiddle(old, new) {
			got = slices.Replace(got, int(e.Start), int(e.Start+e.DeleteCount), e.Data...)
		}
		if !slices.Equal(got, new) {
			t.Fatalf("%v to %v: the edit leads to %v", old, new, got)
		}
	}
}

func TestTokensDeltaRequest(t *testing.T) {
	u := uriOf(markerRoot + "/a.k")
	s := New(markerOptions(nil, syntax.UTF16)).WithOpen(u, "koru", 1, "a() |> b()\n")
	d, err := s.Document(u)
	if err != nil {
		t.Fatal(err)
	}
	first, err := SemanticTokens(t.Context(), s, d)
	if err != nil {
		t.Fatal(err)
	}
	s = s.WithOpen(u, "koru", 2, "a() |> long()\n")
	if d, err = s.Document(u); err != nil {
		t.Fatal(err)
	}
	got, err := SemanticTokensDelta(t.Context(), s, d, &protocol.SemanticTokensDeltaParams{PreviousResultID: *first.ResultID})
	if err != nil {
		t.Fatal(err)
	}
	id := "2"
	want := &protocol.SemanticTokensDelta{ResultID: &id, Edits: []protocol.SemanticTokensEdit{{Start: 12, DeleteCount: 1, Data: []uint32{4}}}}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	unknown, err := SemanticTokensDelta(t.Context(), s, d, &protocol.SemanticTokensDeltaParams{PreviousResultID: "17"})
	if all, ok := unknown.(*protocol.SemanticTokens); err != nil || !ok || len(all.Data) != 15 {
		t.Errorf("a result that nobody kept: %v, %v; want all tokens", unknown, err)
	}
}

// sameJSON compares symbols as a client sees them.
func sameJSON(a, b protocol.DocumentSymbol) bool {
	x, _ := protocol.Marshal(&a)
	y, _ := protocol.Marshal(&b)
	return string(x) == string(y)
}

// What is put together from items that were looked at before is what a look at
// the whole text gives: the tokens, and the outline.
func TestTokensAfterEdits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"", "\n", "a", " |> b()", "\r\n", "tor x {}\n", "🦊", "// é\n", "[- doc]\n", "\"", "{", "| "}
	for range 30 {
		u := uriOf(markerRoot + "/a.k")
		s := New(markerOptions(nil, syntax.UTF16)).WithOpen(u, "koru", 1, "tor a {}\n| b\n| c\n\na()\n| b |> _\n| c |> _\n\n// ä 🦊\nb() |> c()\n")
		for version := range 25 {
			d, err := s.Document(u)
			if err != nil {
				t.Fatal(err)
			}
			got, err := SemanticTokens(t.Context(), s, d)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.paint(t.Context(), d, syntax.Span{End: d.Syntax.Len()})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want) {
				t.Fatalf("%q\nshared %v\nwhole  %v", d.Syntax.Text(), absolute(got.Data), absolute(want))
			}
			symbols := s.nested(d.Syntax, outlineOf(d.Syntax))
			if diff := cmp.Diff(symbols, s.symbols(d), cmpopts.EquateEmpty(), cmp.Comparer(sameJSON)); diff != "" {
				t.Fatalf("%q (-whole +shared)\n%s", d.Syntax.Text(), diff)
			}
			start := rnd.IntN(d.Syntax.Len() + 1)
			end := min(d.Syntax.Len(), start+rnd.IntN(6))
			s = s.WithText(d, int32(version+2), d.Syntax.Edit(syntax.Edit{Start: start, End: end, Text: pieces[rnd.IntN(len(pieces))]}))
		}
	}
}
