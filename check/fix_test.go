package check_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testdata/fixes holds archives, named after a code. Each pair of sections is a
// program and what the first fix of every finding of that code makes of it:
//
//	-- a.k --
//	turn(br: br)
//	-- a.k fixed --
//	turn(br)
//
// In the mended program the code is found no more, and nothing new is.
func TestFixes(t *testing.T) {
	for _, file := range glob(t, "testdata/fixes/*.txtar") {
		t.Run(stem(file), func(t *testing.T) {
			archive := txtar.Parse([]byte(read(t, file)))
			var out []txtar.File
			for i := 0; i < len(archive.Files); i++ {
				before := archive.Files[i]
				want := ""
				if i+1 < len(archive.Files) && strings.HasSuffix(archive.Files[i+1].Name, " fixed") {
					i++
					want = string(archive.Files[i].Data)
				}
				got := mend(t, before.Name, string(before.Data), stem(file))
				if diff := cmp.Diff(want, got); diff != "" && !*update {
					t.Errorf("%s: (-want +got)\n%s", before.Name, diff)
				}
				out = append(out, before, txtar.File{Name: before.Name + " fixed", Data: []byte(got)})
			}
			if *update {
				archive.Files = out
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// mend applies the first fix of every finding of a code, until none is left.
func mend(t *testing.T, name, text, code string) string {
	t.Helper()
	others := map[string]bool{}
	for _, d := range found(t, name, text) {
		others[d.Code] = true
	}
	if !others[code] {
		t.Fatalf("%s: nothing to mend: no %s", name, code)
	}
	for round := 0; ; round++ {
		var fixes []*check.Fix
		for _, d := range found(t, name, text) {
			switch {
			case d.Code != code:
				if round > 0 && !others[d.Code] {
					t.Errorf("%s: the fix brings up %s", name, show(d))
				}
			case len(d.Fixes) == 0:
				t.Fatalf("%s: no fix for %s", name, show(d))
			default:
				fixes = append(fixes, &d.Fixes[0])
			}
		}
		if len(fixes) == 0 {
			return text
		}
		if round == 20 {
			t.Fatalf("%s: fixes do not come to an end:\n%s", name, text)
		}
		texts, _ := check.Apply(fixes)
		text = texts[name]
	}
}

func found(t *testing.T, name, text string) []check.Diagnostic {
	t.Helper()
	opts := options("")
	opts.Files = fstest.MapFS{name: {Data: []byte(text)}}
	p, err := check.Load(name, opts)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", name, err))
	}
	return p.Diagnostics
}
