package bridge

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// renders are the renders that a golden archive may hold, by file name.
var renders = map[string]func(*check.Vocabulary) string{
	"vocabulary": RenderVocabulary,
	"grammar":    RenderGrammar,
	"manifest":   RenderManifest,
	"schema":     RenderSchema,
	"tools":      RenderTools,
}

// TestRenders compares the renders of whole programs with those beside them:
// testdata/renders holds archives of a program.k, the definitions of its
// session, and what each render says.
func TestRenders(t *testing.T) {
	for _, file := range scopeFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, words := scopeOf(t, file)
			for i := range archive.Files {
				f := &archive.Files[i]
				render := renders[f.Name]
				if render == nil {
					continue
				}
				got := render(words) + "\n"
				if *update {
					f.Data = []byte(got)
				}
				if d := cmp.Diff(string(f.Data), got); d != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, d)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func scopeFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/renders/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata/renders: %v", err)
	}
	return files
}

// scopeOf reads an archive and returns the vocabulary that its comment names in
// a line "scope: NAME", or "scope: NAME introspect".
func scopeOf(t testing.TB, file string) (*txtar.Archive, *check.Vocabulary) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(archive.Comment), "scope: ")
	options := strings.Fields(line)
	if len(options) == 0 {
		t.Fatalf("%s: the comment has no line 'scope: NAME'", file)
	}
	text := map[string]string{}
	for _, f := range archive.Files {
		text[f.Name] = string(f.Data)
	}
	words := vocabulary(t, text["program.k"], options[0])
	words.Introspect = len(options) > 1 && options[1] == "introspect"
	define(t, words, text["defined.k"])
	return archive, words
}

// vocabulary checks a program and returns what one of its scopes grants.
func vocabulary(t testing.TB, program, scope string) *check.Vocabulary {
	t.Helper()
	p, err := check.Load("program.k", check.Options{
		Files: fstest.MapFS{"program.k": {Data: []byte(program)}},
		Std:   stdlib.FS(), Targets: []string{"js"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Diagnostics {
		if d.Severity == check.Error {
			t.Errorf("%s: %s", d.Code, d.Message)
		}
	}
	s := p.Scope(scope)
	if s == nil {
		t.Fatalf("no scope '%s'", scope)
	}
	return &check.Vocabulary{Scope: s}
}

// define adds the declarations in a text to what a session has defined.
func define(t testing.TB, words *check.Vocabulary, text string) {
	t.Helper()
	m := words.Scope.Module
	for item := range syntax.ParseReply(text, nil).Items() {
		if item.Kind() == syntax.BlankItem {
			continue
		}
		decl := item.Child(syntax.TorItem)
		if !decl.IsValid() {
			t.Fatalf("not a definition: %s", item.Text())
		}
		tor := m.DeclareTor(m.Files[0], decl)
		words.Defined = append(words.Defined, &check.Verb{Name: tor.Name, Tor: tor, Cost: 1})
	}
}

// A session's results are listed apart from its verbs, handles by their token,
// data cut to a line (bridge.md 6.6).
func TestBindings(t *testing.T) {
	words := vocabulary(t, "import std/runtime\npub tor hold {}\nstd/runtime:register(scope: \"s\") {\n    hold\n}\n", "s")
	live := []Binding{
		{Name: "r1", Handle: "h:Dir:737eec"},
		{Name: "r2", Outcome: eval.Outcome{Branch: "entries", Has: true, Payload: eval.ListValue([]eval.Value{eval.StringValue("hello.txt")})}},
		{Name: "r3"},
		{Name: "r10", Outcome: eval.Outcome{Has: true, Payload: eval.StringValue(strings.Repeat("é", 100) + "\n")}},
	}
	want := `hold()

Live bindings:
r1 = h:Dir:737eec
r2 = {"branch":"entries","value":["hello.txt"]}
r3 = {"branch":""}
r10 = {"branch":"","value":"` + strings.Repeat("é", 58) + `…`
	if d := cmp.Diff(want, RenderListing(words, live)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := RenderListing(words, nil); got != "hold()" {
		t.Errorf("without results: %q", got)
	}
	if got := RenderBindings(nil); got != "" {
		t.Errorf("no results: %q, want nothing", got)
	}
}

// A definition changes the contract at its end and nowhere else, so that what a
// provider has cached of a prompt stays good (B28).
func TestGrammarIsAStablePrefix(t *testing.T) {
	for _, file := range scopeFiles(t) {
		_, words := scopeOf(t, file)
		words.Defined = nil
		before := RenderGrammar(words)
		if again := RenderGrammar(words); again != before {
			t.Errorf("%s: the grammar differs from itself", file)
		}
		define(t, words, "tor again { a: string } -> string\nagain = f(a)")
		after := RenderGrammar(words)
		if want := before + "\nagain(a: string) -> string"; after != want {
			t.Errorf("%s: (-want +got):\n%s", file, cmp.Diff(want, after))
		}
	}
}

// The vocabulary shows what the declaration says, to the byte (R44).
func TestVocabularySpelling(t *testing.T) {
	for _, tt := range []struct{ name, decl, want string }{
		{"nothing", "pub tor v {}", "v()"},
		{"a bare return that mints", "pub tor v { a: string } -> *Room<open!>", "v(a: string) -> *Room<open!>"},
		{"odd blanks stay", "pub tor v { a:  []{ b:string , c: i64 } } -> string", "v(a: []{ b:string , c: i64 }) -> string"},
		{"broken over lines", "pub tor v {\n    a: {\n        b: string,\n        c: i64\n    },\n}", "v(a: { b: string, c: i64 })"},
		{"defaults", `pub tor v { a: string = "x y", b: ?i64 = null, c: bool = true }`, `v(a: string = "x y", b: ?i64 = null, c: bool = true)`},
		{"a qualified state", "pub tor v { a: string<!std/fs:dir> }", "v(a: string<!std/fs:dir>)"},
		{"a union of states", "pub tor v { a: *Room<!open|shut> }", "v(a: *Room<!open|shut>)"},
		{"payloads", "pub tor v { a: string }\n| ok { b: string, c: i64 }\n| none\n| many []string", "v(a: string) | ok { b: string, c: i64 } | none | many []string"},
		{"optional outcomes", "pub tor v { a: string }\n| ok string\n| ?gone\n| ?!burnt string", "v(a: string) | ok string | ?gone | ?!burnt string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			words := vocabulary(t, "import std/runtime\nimport std/fs\n"+tt.decl+"\nstd/runtime:register(scope: \"s\") {\n    v\n}\n", "s")
			if d := cmp.Diff(tt.want, RenderVocabulary(words)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A price is shown where it is not 1.
func TestVocabularyCost(t *testing.T) {
	for _, tt := range []struct {
		cost check.Cost
		want string
	}{
		{check.Cost{Least: 1, Greatest: 1}, ""},
		{check.Cost{}, " [cost 0]"},
		{check.Cost{Least: 10, Greatest: 10}, " [cost 10]"},
		{check.Cost{Least: 1, Greatest: 12}, " [cost 1..12]"},
		{check.Cost{Least: 1, Unbounded: true}, " [cost 1..]"},
	} {
		var r verbLines
		r.cost(tt.cost)
		if got := r.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.cost, got, tt.want)
		}
	}
}
