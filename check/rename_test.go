package check_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// renames returns the findings about names (KORU034) of a program.
func renames(t *testing.T, files fstest.MapFS, entry string) []check.Diagnostic {
	t.Helper()
	opts := options("")
	opts.Files = files
	p, err := check.Load(entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	var list []check.Diagnostic
	for _, d := range p.Diagnostics {
		if d.Code == "KORU034" {
			list = append(list, d)
		}
	}
	return list
}

// The name of a public tor is mended in the module that declares it and in all
// that call it, by the fix of any of its places.
func TestRenameLeavesTheFile(t *testing.T) {
	files := fstest.MapFS{
		"main.k":      {Data: []byte("import lib/users\n\nlib/users:get_user(id: \"a\")\n| was_found _ |> _\n| gone |> _\n")},
		"lib/users.k": {Data: []byte("pub tor get_user { id: string }\n| was_found string\n| gone\nproc get_user|js { return \"gone\"; }\n")},
	}
	list := renames(t, files, "main.k")
	if len(list) != 4 {
		t.Fatalf("%d findings", len(list))
	}
	for _, d := range list {
		want := map[string]string{}
		for name, f := range files {
			old := d.File.Syntax.Text()[d.Span.Start:d.Span.End]
			if text := strings.ReplaceAll(string(f.Data), old, strings.ReplaceAll(old, "_", "-")); text != string(f.Data) {
				want[name] = text
			}
		}
		got, _ := check.Apply([]*check.Fix{&d.Fixes[0]})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", show(d), diff)
		}
	}
}

// Nothing is renamed onto a name that means something else.
func TestRenameOntoATakenName(t *testing.T) {
	for _, text := range []string{
		"tor get_user {}\nproc get_user|js {}\ntor get-user {}\nproc get-user|js {}\n",
		"tor find {}\n| not_found\n| not-found\nproc find|js {}\n",
		"tor ask {}\n! it | yes_sir | yes-sir\n| done\n| failed\nproc ask|js {}\n",
	} {
		list := renames(t, fstest.MapFS{"a.k": {Data: []byte(text)}}, "a.k")
		if len(list) == 0 {
			t.Errorf("no finding in\n%s", text)
		}
		for _, d := range list {
			if len(d.Fixes) > 0 {
				t.Errorf("%s offers %q", show(d), d.Fixes[0].Title)
			}
		}
	}
}

// Findings about a name that stands at very many places do not each carry the
// edits of all of them.
func TestRenameOfManyPlaces(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "find()\n| was_found _ |> _\n| gone |> find(n: %d)\n    | was_found _ |> _\n    | gone |> _\n\n", i)
	}
	b.WriteString("tor find { n: i64 = 0 }\n| was_found string\n| gone\nproc find|js { return \"gone\"; }\n")
	list := renames(t, fstest.MapFS{"a.k": {Data: []byte(b.String())}}, "a.k")
	var offers []check.Diagnostic
	for _, d := range list {
		if len(d.Fixes) > 0 {
			offers = append(offers, d)
		}
	}
	if len(list) != 601 || len(offers) != 1 || len(offers[0].Fixes[0].Edits) != 601 {
		t.Fatalf("%d findings, %d with a fix", len(list), len(offers))
	}
	if line := offers[0].File.Syntax.Line(offers[0].File.Syntax.LineOf(offers[0].Span.Start)); line != "| was_found string" {
		t.Errorf("offered at %q, not at the declaration", line)
	}
}
