package check_test

import (
	"hash/crc64"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// FuzzCheck checks any text as a program: no text makes the checker fail, every
// finding lies in its file, and so do the edits of its fixes, has a code that the
// manual knows, and is found again the next time. What is said of the text after
// edits, by a Checker that remembers, is what is said of it by one that does not.
func FuzzCheck(f *testing.F) {
	for _, file := range glob(f, "testdata/rules/*.k*") {
		for _, text := range chunks(read(f, file)) {
			f.Add(text)
		}
	}
	for _, c := range check.Codes() {
		f.Add(c.Wrong)
	}
	opts := options("")
	opts.Files = fstest.MapFS{}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.k", "a.kz"} {
			p := check.Source(name, text, opts)
			for _, d := range p.Diagnostics {
				inside(t, d.File, d.Span, d)
				if check.Explain(d.Code) == nil || d.Message == "" {
					t.Errorf("%s %q is in no manual", d.Code, d.Message)
				}
				for _, n := range d.Notes {
					inside(t, n.File, n.Span, d)
				}
				for _, fix := range d.Fixes {
					for _, e := range fix.Edits {
						inside(t, e.File, e.Span, d)
					}
				}
			}
			if again := check.Source(name, text, opts); findings(again) != findings(p) {
				t.Error("the same text has other findings the second time")
			}
			edited := newScript(opts, map[string]string{name: text}, name, crc64.Checksum([]byte(text), crc64.MakeTable(crc64.ECMA)))
			edited.run(t, 3)
		}
	})
}

func inside(t *testing.T, f *check.File, s syntax.Span, d check.Diagnostic) {
	t.Helper()
	if f == nil || s.Start < 0 || s.End < s.Start || s.End > f.Syntax.Len() {
		t.Errorf("%s %q: the range %v lies outside the file", d.Code, d.Message, s)
	}
}
