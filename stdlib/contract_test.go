package stdlib

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// library is the whole standard library as a program that imports all of it
// sees it.
var library = sync.OnceValues(func() (*check.Program, error) {
	var imports strings.Builder
	files, err := fs.Glob(FS(), "*.k")
	for _, file := range files {
		fmt.Fprintf(&imports, "import std/%s\n", strings.TrimSuffix(file, ".k"))
	}
	return check.Source("all.k", imports.String(), check.Options{Std: FS()}), err
})

// verbs returns every verb of the library, in the order of the modules.
func verbs(t testing.TB) (tors []*check.Tor) {
	t.Helper()
	p, err := library()
	if err != nil || len(p.Diagnostics) > 0 {
		t.Fatalf("the library does not load: %v %+v", err, p.Diagnostics)
	}
	for _, m := range p.Modules {
		if m.Std {
			tors = append(tors, m.Tors()...)
		}
	}
	return tors
}

func contract(t testing.TB, path string) *check.Tor {
	t.Helper()
	for _, tor := range verbs(t) {
		if tor.Path() == path {
			return tor
		}
	}
	t.Fatalf("%s has no contract", path)
	return nil
}

// A module of the library is judged like any other source. What is wrong with
// an import is shown to nobody, so each contract is judged as an entry.
func TestContractsAreFreeOfFindings(t *testing.T) {
	files, err := fs.Glob(FS(), "*.k")
	if err != nil || len(files) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(FS(), file)
		if err != nil {
			t.Fatal(err)
		}
		p := check.Source(file, string(text), check.Options{Std: FS()})
		for _, d := range p.Diagnostics {
			t.Errorf("%s: %s %s: %.40q", file, d.Code, d.Message, text[d.Span.Start:])
		}
	}
}

func TestEveryVerbIsDocumented(t *testing.T) {
	for _, tor := range verbs(t) {
		switch {
		case !tor.Pub:
			t.Errorf("%s is not pub: a contract holds what others may call", tor.Path())
		case tor.Doc == "":
			t.Errorf("%s has no documentation", tor.Path())
		}
		for _, f := range tor.Fields {
			if f.Doc == "" {
				t.Errorf("%s: the field %s has no documentation", tor.Path(), f.Name)
			}
		}
	}
}

// above are the modules whose bodies live one floor above, in the bridge.
var above = []string{"std/bridge", "std/interpreter", "std/runtime"}

func TestContractsAndBodiesMeet(t *testing.T) {
	bodies := Bodies()
	for _, tor := range verbs(t) {
		body := bodies[tor.Path()] != nil
		delete(bodies, tor.Path())
		if slices.Contains(above, tor.Module.Path) || tor.Has("transform") || tor.Has("norun") {
			continue
		}
		if !body {
			t.Errorf("%s has a contract and no body", tor.Path())
		}
	}
	for path := range bodies {
		t.Errorf("%s has a body and no contract", path)
	}
}

// An error of a run is spelled out twice, so that both the program that reads
// it and the verb that decodes it know its fields.
func TestTheErrorOfARunIsOneRecord(t *testing.T) {
	run := contract(t, "std/bridge:run").Outcome("error").Payload
	decode := contract(t, "std/bridge:error-decode").Field("e").Type
	if a, b := eval.TypeText(run), eval.TypeText(decode); a != b {
		t.Errorf("run gives %s\nerror-decode takes %s", a, b)
	}
}
