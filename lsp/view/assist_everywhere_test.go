package view

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

func init() {
	placeFeatures["hover"] = func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(Hover(ctx, s, d, off))
	}
	placeFeatures["signature"] = func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(SignatureHelp(ctx, s, d, off))
	}
	documentFeatures["hints"] = func(ctx context.Context, s *Snapshot, d *Document) error {
		return second(InlayHints(ctx, s, d, syntax.Span{End: d.Syntax.Len()}, nil))
	}
	documentFeatures["tokens"] = func(ctx context.Context, s *Snapshot, d *Document) error {
		list, err := SemanticTokens(ctx, s, d)
		if err != nil {
			return err
		}
		line, column := uint32(0), uint32(0)
		for i := 0; i < len(list.Data); i += 5 {
			if list.Data[i] > 0 {
				column = 0
			}
			line, column = line+list.Data[i], column+list.Data[i+1]
			start := s.Offset(d.Syntax, protocol.Position{Line: line, Character: column})
			end := s.Offset(d.Syntax, protocol.Position{Line: line, Character: column + list.Data[i+2]})
			if list.Data[i+2] == 0 || start == end || s.Position(d.Syntax, end) != (protocol.Position{Line: line, Character: column + list.Data[i+2]}) {
				return Refusal("a token is outside of its line")
			}
		}
		return nil
	}
}

// What a completion inserts is what its label says: after accepting a candidate
// at a random cursor of the examples, the name that stands there is the verb, the
// outcome, the binding or the field that was offered.
func TestCompletionInsertsWhatItSays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	taken := map[protocol.CompletionItemKind]int{}
	for _, file := range glob(t, "../../examples/*.k") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		opts := markerOptions(fstest.MapFS{}, syntax.UTF16)
		opts.Client.Snippets = false
		u := uriOf(markerRoot + "/" + filepath.Base(file))
		s := New(opts).WithRoots([]uri.URI{uriOf(markerRoot)}).WithOpen(u, "koru", 1, string(text))
		d, err := s.Document(u)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			off := rnd.IntN(len(text))
			list, err := Completion(t.Context(), s, d, off, nil)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, off, err)
			}
			if len(list.Items) == 0 {
				continue
			}
			it := &list.Items[rnd.IntN(len(list.Items))]
			taken[it.Kind]++
			accepted(t, s, d, it)
		}
	}
	for _, kind := range []protocol.CompletionItemKind{protocol.CompletionItemKindFunction, protocol.CompletionItemKindVariable} {
		if taken[kind] < 5 {
			t.Errorf("only %d candidates of kind %v were tried", taken[kind], kind)
		}
	}
}

// accepted takes a candidate and looks at what then stands in its place.
func accepted(t *testing.T, s *Snapshot, d *Document, it *protocol.CompletionItem) {
	t.Helper()
	edit := it.TextEdit.(*protocol.InsertReplaceEdit)
	span := s.Span(d.Syntax, edit.Replace)
	at := span.Start
	edits := []syntax.Edit{{Start: span.Start, End: span.End, Text: edit.NewText}}
	for _, e := range it.AdditionalTextEdits {
		more := s.Span(d.Syntax, e.Range)
		edits = append(edits, syntax.Edit{Start: more.Start, End: more.End, Text: e.NewText})
		if more.Start <= at {
			at += len(e.NewText) - more.Len()
		}
	}
	f := d.Syntax
	for _, e := range edits { // the further edits stand in front
		f = f.Edit(e)
	}
	s = s.WithText(d, 2, f)
	after, err := s.Document(d.URI)
	if err != nil {
		t.Fatal(err)
	}
	word := strings.TrimSuffix(strings.TrimPrefix(it.Label, "| "), ":")
	start := at + strings.Index(f.Text()[at:], word)
	prog, file, err := s.Program(after)
	if err != nil {
		t.Fatal(err)
	}
	want := map[protocol.CompletionItemKind]check.EntityKind{
		protocol.CompletionItemKindFunction: check.TorEntity,
		protocol.CompletionItemKindVariable: check.BindingEntity,
	}[it.Kind]
	if want == check.NoEntity {
		return
	}
	line := f.Line(f.LineOf(start))
	e, _, ok := prog.EntityAt(file, start+len(word)-1)
	if !ok {
		t.Errorf("%s: %q inserts %q, which stands for nothing in\n%s", d.Path, it.Label, edit.NewText, line)
		return
	}
	if e.Kind != want && e.Kind != check.FieldEntity && e.Kind != check.GrantEntity {
		t.Errorf("%s: %q is a %v, and after it was accepted a %v in\n%s", d.Path, it.Label, want, e.Kind, line)
	}
}
