package check_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

// A further import goes behind the last one, or before the first construct, on a
// line of its own.
func TestImporting(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.k", "import std/io\ntor a {}\n", "import std/io\nimport std/fs\ntor a {}\n"},
		{"a.k", "import std/io\n\ntor a {}\n", "import std/io\nimport std/fs\n\ntor a {}\n"},
		{"a.k", "import std/io", "import std/io\nimport std/fs\n"},
		{"a.k", "// about\ntor a {}\n", "// about\nimport std/fs\ntor a {}\n"},
		{"a.k", "", "import std/fs\n"},
		{"a.kz", "const x = 1;\n~import std/io\n", "const x = 1;\n~import std/io\n~import std/fs\n"},
	} {
		f := &check.File{Syntax: syntax.Parse(tt.name, syntax.KindOf(tt.name), tt.text)}
		at, line := f.Importing("std/fs")
		if diff := cmp.Diff(tt.want, tt.text[:at]+line+tt.text[at:]); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.text, diff)
		}
	}
}

// What can be imported is the standard library, what lies beside the file, and
// what the aliases of its project lead to; never the file itself.
func TestImportable(t *testing.T) {
	c := check.NewChecker(check.Options{Std: stdlib.FS(), Files: fstest.MapFS{
		"p/main.k":        {},
		"p/side.k":        {},
		"p/lib/deep.kz":   {},
		"p/index/index.k": {},
		"q/far.k":         {},
		"p/koru.json":     {Data: []byte(`{"paths": {"far": "../q"}}`)},
	}})
	got := c.Importable("/p/main.k", "")
	for _, want := range []string{"std/io", "app/side", "far/far"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s cannot be imported: %q", want, got)
		}
	}
	if slices.Contains(got, "app/main") || slices.Contains(got, "main") {
		t.Errorf("a file imports itself: %q", got)
	}
	if got := c.Importable("/p/main.k", "app/lib/"); !slices.Contains(got, "app/lib/deep") {
		t.Errorf("app/lib/: %q", got)
	}
}
