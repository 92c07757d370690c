package bridge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// told prints findings with the text of their range.
func told(list []check.Diagnostic) (out []string) {
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s:%d %s `%s` %s", d.File.Path, d.File.Syntax.LineOf(d.Span.Start)+1, d.Code,
			d.File.Syntax.Text()[d.Span.Start:d.Span.End], d.Message))
	}
	return out
}

var shelf = []WorldFile{
	{Name: "broken.k", Text: "tor broken { door: string\nbroken = unlock(door)\n"},
	{Name: "busy.k", Text: "// what is left\ntor busy { code: string } -> string\n\n\nbusy = fnid(code): text -> text\n"},
	{Name: "empty.k", Text: "\n"},
	{Name: "half.k", Text: "tor half {} -> string\n"},
	{Name: "later.k", Text: "tor later { code: string } | ok string | error string\nlater = weighed(code)\n"},
	{Name: "more.k", Text: "say(text: \"x\")\n"},
	{Name: "sneaky.k", Text: "tor sneaky { door: string } | done | stuck string\nsneaky = unlock(door) | opened r => done\n"},
	{Name: "unread.k", Err: errors.New("permission denied")},
	{Name: "weighed.k", Text: "tor weighed { code: string } | ok string | error string\nweighed = find(code)\n"},
}

// What a mount would refuse is found at its place; what holds is there, however
// the files are named.
func TestInspect(t *testing.T) {
	i, err := Inspect(compile(t, pantry, new(kitchen).bodies()), "pantry", shelf)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"broken.k:1 PARSE004 `{` '{' is never closed: expected '}'",
		"busy.k:5 KORU040 `fnid` 'busy' calls 'fnid', which scope 'pantry' does not grant — did you mean 'find'?",
		"empty.k:1 PARSE003 `` " + syntax.MissingHalf,
		"half.k:1 PARSE003 `tor` " + syntax.MissingHalf,
		"more.k:1 PARSE003 `say` it holds more than definitions: 'say(text: \"x\")'",
		"sneaky.k:1 KORU030 `sneaky` 'sneaky' mints <unlocked!> but its signature does not say so",
		"unread.k:1  `` permission denied",
	}
	if diff := cmp.Diff(want, told(i.Diagnostics)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var names []string
	for _, d := range i.Definitions {
		names = append(names, d.File.Path+" "+d.Verb.Name)
	}
	if diff := cmp.Diff([]string{"later.k later", "weighed.k weighed"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Without a program nothing is said about names.
func TestInspectWithoutAProgram(t *testing.T) {
	i, err := Inspect(nil, "", shelf)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range i.Diagnostics {
		if d.Code == "KORU040" || d.Code == "KORU030" {
			t.Errorf("%s: %s", d.File.Path, d.Message)
		}
	}
	if len(i.Diagnostics) != 5 || len(i.Definitions) != 0 {
		t.Errorf("%d findings, %d definitions", len(i.Diagnostics), len(i.Definitions))
	}
}

// To read a world is not to mount it: nothing in it changes.
func TestReadDefinitions(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"b.k": "two", "a.k": "one", "lib/c.k": "three", "notes.txt": "", ".d.k.draft": "half"})
	files, err := ReadDefinitions(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]WorldFile{{Name: "a.k", Text: "one"}, {Name: "b.k", Text: "two"}, {Name: "lib/c.k", Text: "three"}}, files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, ledgerName)); err == nil {
		t.Error("a ledger was made")
	}
	if _, err := ReadDefinitions(filepath.Join(dir, "none")); err == nil {
		t.Error("a world that is not there was read")
	}
}
