package bridge

import (
	"context"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/stdlib"
)

var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// renders are the renders that a golden archive may hold, by file name.
var renders = map[string]func(*check.Vocabulary) string{
	"vocabulary": RenderVocabulary,
	"grammar":    RenderGrammar,
	"manifest":   RenderManifest,
	"schema":     RenderSchema,
	"tools":      RenderTools,
	"gbnf":       func(words *check.Vocabulary) string { return RenderGBNF(words, Names{}) },
	"lark":       func(words *check.Vocabulary) string { return RenderLark(words, Names{Strict: true}) },
}

// TestRenders compares the renders of whole programs with those beside them:
// testdata/renders holds archives of a program.k, the definitions of its
// session, and what each render says.
func TestRenders(t *testing.T) {
	for _, file := range scopeFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, b := scopeOf(t, file)
			words := b.Words()
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

// scopeOf reads an archive and opens a session on the scope that its comment
// names in a line "scope: NAME", or "scope: NAME introspect". The program is the
// archive's program.k, or the file that a line "program: PATH" names. All its
// verbs are served by [serve]. The session
// is taught the definitions in defined.k, and the replies in live.
func scopeOf(t testing.TB, file string) (*txtar.Archive, *Bridge) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(archive.Comment), "scope: ")
	line, _, _ = strings.Cut(line, "\n")
	options := strings.Fields(line)
	if len(options) == 0 {
		t.Fatalf("%s: the comment has no line 'scope: NAME'", file)
	}
	text := map[string]string{}
	for _, f := range archive.Files {
		text[f.Name] = string(f.Data)
	}
	if _, name, ok := strings.Cut(string(archive.Comment), "program: "); ok {
		program, err := os.ReadFile(filepath.FromSlash(strings.TrimSpace(name)))
		if err != nil {
			t.Fatal(err)
		}
		text["program.k"] = string(program)
	}
	b := openOnText(t, text["program.k"], options[0], len(options) > 1 && options[1] == "introspect")
	for reply := range strings.SplitSeq(text["defined.k"]+"\n\n"+text["live"], "\n\n") {
		if strings.TrimSpace(reply) == "" {
			continue
		}
		if turn := b.Run(context.Background(), reply); turn.Tier != TierResult && turn.Tier != TierDefined {
			t.Fatalf("%s:\n%s\n%s", file, reply, strings.Join(turn.Trace(), "\n"))
		}
	}
	return archive, b
}

// openOnText opens a session on a scope of a program.
func openOnText(t testing.TB, program, scope string, introspect bool) *Bridge {
	t.Helper()
	prog := programOf(t, "program.k", program)
	b, err := Create(Options{ID: "kopium", Program: prog, Scope: scope, Introspect: introspect, Log: io.Discard,
		Interpose: func(Server) Server { return serve }})
	if err != nil {
		t.Fatal(err)
	}
	if b.missing != "" {
		t.Fatalf("no scope '%s'", scope)
	}
	return b
}

// programOf checks and links the text of a program.
func programOf(t testing.TB, name, text string) *eval.Program {
	t.Helper()
	checked, err := check.Load("program.k", check.Options{
		Files: fstest.MapFS{"program.k": {Data: []byte(text)}}, Std: stdlib.FS(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range checked.Diagnostics {
		if d.Severity == check.Error {
			t.Fatalf("%s: %s: %s", name, d.Code, d.Message)
		}
	}
	bodies := stdlib.Bodies()
	maps.Copy(bodies, Bodies())
	prog, err := eval.NewProgram(checked, bodies, []eval.Target{&js.Target{}})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// vocabulary returns what one scope of a program grants.
func vocabulary(t testing.TB, program, scope string) *check.Vocabulary {
	t.Helper()
	return openOnText(t, program, scope, false).Words()
}

// serve answers a call with the first outcome of its verb.
func serve(_ context.Context, v *check.Verb, _ []eval.Value) (eval.Outcome, error) {
	if v.Tor.Return != nil {
		return eval.Delivered("", sample(v.Tor.Return)), nil
	}
	for _, o := range v.Tor.Outcomes {
		if o.Payload == nil {
			return eval.Fired(o.Name), nil
		}
		return eval.Delivered(o.Name, sample(o.Payload)), nil
	}
	return eval.Outcome{}, nil
}

// sample is a value of a type.
func sample(t *check.Type) eval.Value {
	switch t.Kind {
	case check.IntType:
		return eval.IntValue(7)
	case check.FloatType:
		return eval.FloatValue(1.5)
	case check.BoolType:
		return eval.BoolValue(true)
	case check.ChoiceType:
		return eval.StringValue(t.Choices[0])
	case check.ListType:
		return eval.ListValue([]eval.Value{sample(t.Elem)})
	case check.RecordType:
		shape := &eval.Shape{}
		var values []eval.Value
		for _, f := range t.Fields {
			shape.Names = append(shape.Names, f.Name)
			values = append(values, sample(f.Type))
		}
		return eval.RecordValue(shape, values...)
	case check.HostType:
		return eval.HandleValue("", new(int))
	}
	return eval.StringValue("shelf 4")
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
		_, b := scopeOf(t, file)
		before := b.Grammar()
		b.Run(context.Background(), "note: nothing new")
		if again := b.Grammar(); again != before {
			t.Errorf("%s: the grammar differs from itself", file)
		}
		if _, refused := b.Define("tor again { text: string }\nagain = say(text)"); refused != nil {
			continue // the scope has no voice
		}
		after := b.Grammar()
		if line, ok := strings.CutPrefix(after, before+"\nagain(text: string)"); !ok || strings.Contains(line, "\n") {
			t.Errorf("%s: (-before +after):\n%s", file, cmp.Diff(before, after))
		}
	}
}

// A redefinition changes the line of its verb, and what stands before and behind
// it stays (U26). Results change nothing.
func TestRedefinitionChangesItsLine(t *testing.T) {
	r := openPantry(t)
	define := func(name, fields, body string) {
		t.Helper()
		if turn := r.send("tor " + name + " { " + fields + " } | ok string | error string\n" + name + " = " + body); turn.Tier != TierDefined {
			t.Fatal(report(turn))
		}
	}
	define("one", "code: string", "find(code)")
	define("two", "code: string", "find(code)")
	before := strings.Split(r.Grammar(), "\n")
	r.send("find(code: \"P1\") | ok p |>\nsay(text: p)")
	if again := strings.Split(r.Grammar(), "\n"); !slices.Equal(before, again) {
		t.Error(cmp.Diff(before, again))
	}
	define("one", "code: string, other: string", "find(code) | ok _ |> find(code: other)")
	after := strings.Split(r.Grammar(), "\n")
	var changed []string
	for i := range after {
		if len(after) != len(before) || after[i] != before[i] {
			changed = append(changed, after[i])
		}
	}
	if d := cmp.Diff([]string{"one(code: string, other: string) | ok string | error string [cost 2..3]"}, changed); d != "" {
		t.Errorf("(-want +changed):\n%s", d)
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
