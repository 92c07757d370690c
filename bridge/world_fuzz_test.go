package bridge

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzWorldFile mounts worlds with a file of any text in them. A session has
// the verbs that an inspection of the file finds and no others, says so where
// it has none, leaves the file as it is, and can still be talked to.
func FuzzWorldFile(f *testing.F) {
	for _, seed := range []string{
		packSource, packSource + "\n", "", "\x00", "tor half { code: string }", "just a note",
		"tor look { code: string } | ok string | error string\nlook = find(code)\n\ntor see { code: string } | ok string | error string\nsee = look(code)\n",
		"// By hand.\n[\n- doc\nFind it.\n]\npub tor look { code: string } | ok string | error string\nlook = find(code)\n",
		"tor find { code: string } | ok string | error string\nfind = find(code)", "tor w { path: string }\nw = rm(path)",
		"tor say { text: string }\nsay = std/io:print.ln(text)", "import std/fs\ntor w { d: string }\nw = std/fs:close(d)",
		"std/runtime:register(scope: \"pantry\") {\n    rm(0)\n}\n", "tor w { room: *Room<!unlocked> }\nw = seal(room)",
	} {
		f.Add(seed)
	}
	program := compile(f, pantry, (&kitchen{quiet: true}).bodies())
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) >= maxDefinition {
			return
		}
		found, err := Inspect(program, "pantry", []WorldFile{{Name: "taught.k", Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, d := range found.Definitions {
			want = append(want, d.Verb.Name)
		}
		dir := t.TempDir()
		writeTree(t, dir, map[string]string{"taught.k": text})
		var log bytes.Buffer
		b, err := Create(Options{ID: "a", Program: program, Scope: "pantry", World: dir, Log: &log})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, v := range b.Words().Defined {
			got = append(got, v.Name)
			if v.Definition == "" || b.scope.Verb(v.Name) != nil {
				t.Errorf("'%s' takes the place of a granted verb", v.Name)
			}
		}
		if slices.Sort(want); !slices.Equal(want, slices.Sorted(slices.Values(got))) {
			t.Errorf("an inspection finds %q, a session has %q", want, got)
		}
		if len(got) == 0 && !strings.Contains(log.String(), "'taught.k' not installed") {
			t.Errorf("nothing is installed, and the mount says %q", log.String())
		}
		if readFile(t, dir, "taught.k") != text {
			t.Error("the mount changed the file")
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 2 {
			t.Errorf("the world holds %q", names)
		}
		if turn := b.Run(t.Context(), `find(code: "P1") | ok p |>`); turn.Tier != TierResult {
			t.Error(report(turn))
		}
	})
}
