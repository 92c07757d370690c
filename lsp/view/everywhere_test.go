package view

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/syntax"
)

// TestEveryFeatureEverywhere asks everything at every offset of the examples,
// whole, cut off in the middle and with a token missing: nothing panics, no
// range lies outside of its document.
func TestEveryFeatureEverywhere(t *testing.T) {
	for _, file := range append(glob(t, "../../examples/*.k"), glob(t, "../../check/testdata/rules/*.k*")...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		step := 1
		if len(text) > 4000 {
			step = 37 // a long file is asked here and there
		}
		askAll(t, name, string(text), step)
		for _, cut := range []int{len(text) / 3, len(text) / 2, 3 * len(text) / 4} {
			askAll(t, name, string(text[:cut]), 61)
			askAll(t, name, string(text[:cut])+string(text[min(cut+5, len(text)):]), 61)
		}
	}
}

func askAll(t *testing.T, name, text string, step int) {
	t.Helper()
	s := New(markerOptions(fstest.MapFS{}, syntax.UTF16)).WithRoots([]uri.URI{uriOf(markerRoot)})
	s = s.WithOpen(uriOf(markerRoot+"/"+name), "koru", 1, text)
	d := s.open[markerRoot+"/"+name]
	ctx := t.Context()
	for off := 0; off <= len(text); off += step {
		for what, ask := range placeFeatures {
			if err := ask(ctx, s, d, off); err != nil {
				t.Errorf("%s: %s at %d: %v", name, what, off, err)
			}
		}
	}
	for what, ask := range documentFeatures {
		if err := ask(ctx, s, d); err != nil {
			t.Errorf("%s: %s: %v", name, what, err)
		}
	}
}

var placeFeatures = map[string]func(ctx context.Context, s *Snapshot, d *Document, off int) error{
	"definition": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(Definition(ctx, s, d, off))
	},
	"declaration": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(Declaration(ctx, s, d, off))
	},
	"type definition": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(TypeDefinition(ctx, s, d, off))
	},
	"implementation": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(Implementation(ctx, s, d, off))
	},
	"highlight": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(Highlights(ctx, s, d, off))
	},
	"linked editing": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(LinkedEditing(ctx, s, d, off))
	},
	"references": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(References(ctx, s, d, off, &protocol.ReferenceParams{}))
	},
	"prepare rename": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		_, err := PrepareRename(ctx, s, d, off)
		return unrefused(err)
	},
	"hierarchy": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		items, err := PrepareCallHierarchy(ctx, s, d, off)
		for _, item := range items {
			if err := second(IncomingCalls(ctx, s, &protocol.CallHierarchyIncomingCallsParams{Item: item})); err != nil {
				return err
			}
			if err := second(OutgoingCalls(ctx, s, &protocol.CallHierarchyOutgoingCallsParams{Item: item})); err != nil {
				return err
			}
		}
		return err
	},
	"actions": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(CodeActions(ctx, s, d, syntax.Span{Start: off, End: off}, &protocol.CodeActionParams{}))
	},
	"selection": func(ctx context.Context, s *Snapshot, d *Document, off int) error {
		return second(SelectionRanges(ctx, s, d, &protocol.SelectionRangeParams{Positions: []protocol.Position{s.Position(d.Syntax, off)}}))
	},
}

var documentFeatures = map[string]func(ctx context.Context, s *Snapshot, d *Document) error{
	"symbols": func(ctx context.Context, s *Snapshot, d *Document) error { return second(DocumentSymbols(ctx, s, d)) },
	"folding": func(ctx context.Context, s *Snapshot, d *Document) error {
		list, err := FoldingRanges(ctx, s, d)
		for _, f := range list {
			if int(f.EndLine) >= d.Syntax.NumLines() || f.StartLine >= f.EndLine {
				return Refusal("a folding is outside of the document")
			}
		}
		return err
	},
	"links": func(ctx context.Context, s *Snapshot, d *Document) error { return second(DocumentLinks(ctx, s, d)) },
	"lenses": func(ctx context.Context, s *Snapshot, d *Document) error {
		list, err := CodeLenses(ctx, s, d)
		for i := range list {
			if _, err := ResolveCodeLens(ctx, s, &list[i]); err != nil {
				return err
			}
		}
		return err
	},
	"workspace symbols": func(ctx context.Context, s *Snapshot, _ *Document) error {
		return second(WorkspaceSymbols(ctx, s, &protocol.WorkspaceSymbolParams{Query: "a"}))
	},
}

func second[T any](_ T, err error) error { return err }

// unrefused drops a refusal that says why.
func unrefused(err error) error {
	if why, ok := err.(Refusal); ok && strings.TrimSpace(string(why)) != "" {
		return nil
	}
	return err
}

// TestQuestionsAtOnce asks one snapshot from many sides at the same time, as
// requests do: what bodies say is worked out once, and by nobody twice at odds.
func TestQuestionsAtOnce(t *testing.T) {
	s := severalRoots()
	d, err := s.Document("file:///a/main.k")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for off := i; off < d.Syntax.Len(); off += 3 {
				for what, ask := range placeFeatures {
					if err := ask(t.Context(), s, d, off); err != nil {
						t.Errorf("%s at %d: %v", what, off, err)
					}
				}
				if _, err := s.rename(d, off, "tally"); unrefused(err) != nil {
					t.Errorf("rename at %d: %v", off, err)
				}
			}
		})
	}
	all.Wait()
}
