package view

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/syntax"
)

// severalRoots is a workspace of two folders whose programs share a module that
// lies in neither, one of them with an error and one with a buffer that is not
// saved.
func severalRoots() *Snapshot {
	disk := fstest.MapFS{
		"a/koru.json":        {Data: []byte(`{"name": "a", "paths": {"lib": "../shared/lib"}}`)},
		"a/main.k":           {Data: []byte("import lib/stock\n\nlib/stock:count(sku: \"a\"): _\n")},
		"a/sub/main.k":       {Data: []byte("import lib/stock\n\nlib/stock:count(sku: )\n")},
		"b/koru.json":        {Data: []byte(`{"name": "b", "paths": {"goods": "../shared/lib"}}`)},
		"b/main.k":           {Data: []byte("nothing()\n")},
		"shared/lib.k":       {Data: []byte("tor unused {}\n")},
		"other/stray.k":      {Data: []byte("import lib/stock\n")},
		"shared/lib/stock.k": {Data: []byte("pub tor count { sku: string } -> i64\ncount -> 1\n")},
	}
	s := New(markerOptions(disk, syntax.UTF16)).WithRoots([]uri.URI{"file:///a", "file:///b"})
	return s.WithOpen("file:///b/main.k", "koru", 3, "import goods/stock\n\ngoods/stock:count(sku: \"b\"): _\n")
}

func TestReferencesOverRoots(t *testing.T) {
	s := severalRoots()
	for _, from := range []struct {
		uri uri.URI
		pos protocol.Position
	}{
		{"file:///a/main.k", protocol.Position{Line: 2, Character: 10}},
		{"file:///b/main.k", protocol.Position{Line: 2, Character: 12}},
		{"file:///a/sub/main.k", protocol.Position{Line: 2, Character: 10}},
	} {
		d, err := s.Document(from.uri)
		if err != nil {
			t.Fatal(err)
		}
		list, err := References(t.Context(), s, d, s.Offset(d.Syntax, from.pos), &protocol.ReferenceParams{Context: protocol.ReferenceContext{IncludeDeclaration: true}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list {
			got = append(got, fmt.Sprintf("%s:%d", l.URI, l.Range.Start.Line+1))
		}
		want := []string{"file:///a/main.k:3", "file:///a/sub/main.k:3", "file:///b/main.k:3", "file:///shared/lib/stock.k:1", "file:///shared/lib/stock.k:2"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from %s (-want +got)\n%s", from.uri, diff)
		}
	}
}

// TestRenameOverRoots renames a verb and its module in the programs of both
// folders, each under the alias that it knows the module by.
func TestRenameOverRoots(t *testing.T) {
	s := severalRoots()
	d, err := s.Document("file:///a/main.k")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off  int
		to   string
		want map[string]string
	}{
		{len("import lib/stock\n\nlib/stock:"), "tally", map[string]string{
			"/a/main.k":           "import lib/stock\n\nlib/stock:tally(sku: \"a\"): _\n",
			"/a/sub/main.k":       "import lib/stock\n\nlib/stock:tally(sku: )\n",
			"/b/main.k":           "import goods/stock\n\ngoods/stock:tally(sku: \"b\"): _\n",
			"/shared/lib/stock.k": "pub tor tally { sku: string } -> i64\ntally -> 1\n",
		}},
		{len("import lib/"), "store", map[string]string{
			"/a/main.k":     "import lib/store\n\nlib/store:count(sku: \"a\"): _\n",
			"/a/sub/main.k": "import lib/store\n\nlib/store:count(sku: )\n",
			"/b/main.k":     "import goods/store\n\ngoods/store:count(sku: \"b\"): _\n",
		}},
	} {
		e, err := s.rename(d, c.off, c.to)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, path := range e.paths() {
			got[path] = e.text(path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("to %s (-want +got)\n%s", c.to, diff)
		}
	}
}
