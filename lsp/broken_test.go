package lsp

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/syntax"
)

// thorough asks at every place; CI asks here and there.
var thorough = flag.Bool("thorough", false, "cut sources everywhere, not only here and there")

// sources are texts that people wrote: the examples, and with KORU_CORPUS the
// files of that folder.
func sources(t testing.TB) map[string]string {
	t.Helper()
	texts := map[string]string{}
	add := func(name string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	names, err := filepath.Glob("../examples/*.k")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		add(name)
	}
	if dir := os.Getenv("KORU_CORPUS"); dir != "" {
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(".k.kz.kjs", filepath.Ext(name)) && filepath.Ext(name) != "" {
				add(name)
			}
			return nil
		})
	}
	return texts
}

// TestBrokenText asks everything about texts that are being written: every
// prefix of a source, and a source without one of its tokens, at the place where
// something is missing.
func TestBrokenText(t *testing.T) {
	for name, text := range sources(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			const uri = "file:///w/a.k"
			s := open(t, fstest.MapFS{}, nil)
			s.Open(uri, 1, "")
			version := 1
			ask := func(text string, off int) {
				version++
				s.Change(uri, version, lsptest.Obj{"text": text})
				d := s.document(uri)
				p := d.Syntax.Position(off, syntax.UTF16)
				s.askAll(d, p.Line, p.Column)
			}
			step := max(1, len(text)/8)
			if *thorough {
				step = 1
			}
			for off := 0; off <= len(text); off += step {
				prefix := strings.ToValidUTF8(text[:off], "")
				ask(prefix, len(prefix))
			}
			n := 0
			file := syntax.Parse("a.k", syntax.Pure, text)
			for item := range file.Items() {
				for tok := range item.AllTokens() {
					if n++; tok.Kind().IsTrivia() || n%67 != 0 && !*thorough {
						continue
					}
					span := tok.Span()
					ask(text[:span.Start]+text[span.End:], span.Start)
				}
			}
		})
	}
}
