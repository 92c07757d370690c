package check_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

func mendAll(t *testing.T, files fstest.MapFS, entries []string, may func(string) bool) *check.Mending {
	t.Helper()
	opts := options("")
	opts.Files = files
	m, err := check.NewChecker(opts).Mend(entries, nil, may)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func anyFile(string) bool { return true }

func codesOf(list []check.Diagnostic) (codes []string) {
	for _, d := range list {
		codes = append(codes, d.File.Path+" "+d.Code)
	}
	return codes
}

// A fix brings to light what its fault has hidden: rounds go on until no safe
// fix is left. What needs a choice stays.
func TestMendGoesOnUntilNothingIsLeft(t *testing.T) {
	m := mendAll(t, fstest.MapFS{"a.k": {Data: []byte(`~event find_it { sku: []const u8 }
| was_found []const u8
| gone
proc find_it|js { return "gone"; }
~tor show { text: string }
proc show|js {}

~find_it(sku: "a")
// what now
| was_found text |> show(text: text)
| gone _ |>
`)}}, []string{"a.k"}, anyFile)
	want := `tor find-it { sku: string }
| was-found string
| gone
proc find-it|js { return "gone"; }
tor show { text: string }
proc show|js {}

// what now
find-it(sku: "a")
| was-found text |> show(text)
| gone |> _
`
	if diff := cmp.Diff(want, m.Files[0].After); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(m.Left)+len(m.Barred) > 0 {
		t.Errorf("left: %v", codesOf(m.Left))
	}
}

func TestMendLeavesWhatNeedsAChoice(t *testing.T) {
	const find = "tor find {}\n| found string\n| gone\nproc find|js { return \"gone\"; }\ntor show { text: string }\nproc show|js {}\n\n"
	for _, text := range []string{
		find + "find()\n| fuond _ |> _\n",                                // which word was meant
		find + "find()\n| found _ |> _\n| gone why |> show(text: why)\n", // what is read, if there is nothing
		find + "show(text: \"a\"): t |> show(text: t)\n",                 // likewise
		"tor Item = { n: i64 }\n",                                        // what this was to be
		"tor find { sku: string }\nproc find|js {}\n\nfind(sku: \"a\"\n", // where the bracket closes
	} {
		m := mendAll(t, fstest.MapFS{"a.k": {Data: []byte(text)}}, []string{"a.k"}, anyFile)
		if len(m.Files)+len(m.Fixed) > 0 || len(m.Left) == 0 {
			t.Errorf("fixed %v, left %v of\n%s", codesOf(m.Fixed), codesOf(m.Left), text)
		}
	}
}

// Programs that share a module are mended together; a fix that would change a
// file that may not be touched is left out whole and told.
func TestMendAcrossPrograms(t *testing.T) {
	files := fstest.MapFS{
		"a.k":       {Data: []byte("import lib/box\n\nlib/box:open_it()\n")},
		"b.k":       {Data: []byte("import lib/box\n\nlib/box:open_it()\n")},
		"lib/box.k": {Data: []byte("pub tor open_it {}\nproc open_it|js {}\n")},
	}
	m := mendAll(t, files, []string{"a.k", "b.k", "lib/box.k"}, anyFile)
	if len(m.Files) != 3 || len(m.Left) > 0 {
		t.Errorf("%d files changed, left %v", len(m.Files), codesOf(m.Left))
	}
	for _, f := range m.Files {
		if strings.Contains(f.After, "_") || f.Before != string(files[f.Path].Data) {
			t.Errorf("%s:\n%s", f.Path, f.After)
		}
	}

	m = mendAll(t, files, []string{"a.k"}, func(path string) bool { return path == "a.k" })
	if len(m.Files)+len(m.Fixed) > 0 {
		t.Errorf("changed %v", m.Files)
	}
	if want := []string{"lib/box.k KORU034", "lib/box.k KORU034"}; !cmp.Equal(want, codesOf(m.Barred)) {
		t.Errorf("barred %v", codesOf(m.Barred))
	}
}

// To mend twice is to mend once.
func TestMendIsIdempotent(t *testing.T) {
	for _, file := range glob(t, "testdata/rules/*.k") {
		for _, text := range chunks(read(t, file)) {
			m := mendAll(t, fstest.MapFS{"a.k": {Data: []byte(text)}}, []string{"a.k"}, anyFile)
			if len(m.Files) == 0 {
				continue
			}
			again := mendAll(t, fstest.MapFS{"a.k": {Data: []byte(m.Files[0].After)}}, []string{"a.k"}, anyFile)
			if len(again.Fixed) > 0 {
				t.Errorf("%s: mended a second time: %s\n%s", file, show(again.Fixed[0]), cmp.Diff(m.Files[0].After, again.Files[0].After))
			}
		}
	}
}
