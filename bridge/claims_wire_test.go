package bridge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

const theAgents = "belongs to the agent, which is no part of the bridge"

func introspected(o *Options) { o.Introspect = true }

var wireClaims = []property{
	{"B01", "the transcript of seven turns, exactly", shown(showSandbox)},
	{"B02", "a verb that nobody granted is denied", wire{replies: []string{`rm(path: "/")`}, tier: TierError, lines: []string{"step 1/1 event-denied rm…"}}},
	{"B03", "counted, guessed and copied tokens are refused in the same words", shown(func(t *testing.T) {
		r := openPantry(t)
		r.send(`unlock(door: "north") | opened r |>`)
		r.calls = nil
		var words []string
		for _, token := range []string{"h:Room:2", "h:Room:ffffff", "h:Room:7ba8ac"} {
			turn := r.send(`seal(room: "` + token + `")`)
			words = append(words, report(turn))
			if turn.Err == nil || turn.Err.Cause != "HandleNotHeld" || len(r.calls) > 0 {
				t.Errorf("%s: %s", token, report(turn))
			}
		}
		if words[0] != words[1] || words[0] != words[2] {
			t.Errorf("%q", words)
		}
	})},
	{"B04", "a second session on a world has its verbs, no handle and no r1", shown(func(t *testing.T) {
		dir := t.TempDir()
		a := openPantry(t, inWorld(dir, "a"))
		a.send(packSource + "\nunlock(door: \"north\") | opened r |>")
		b := openPantry(t, inWorld(dir, "b")) // while the first is still alive
		if len(b.Held()) > 0 || b.Words().Verb("pack") == nil {
			t.Errorf("it holds %v and has %v", b.Held(), b.Words().Defined)
		}
		if got := report(b.send(`say(text: r1)`)); !strings.Contains(got, "dispatch-error say: nothing is bound as 'r1'") {
			t.Error(got)
		}
	})},
	{"B05", "the file of a definition holds the text of the item", shown(func(t *testing.T) {
		dir := t.TempDir()
		r := openPantry(t, inWorld(dir, "a"))
		text := "tor look { code: string }   | ok string | error string\nlook = find( code )"
		r.send(text + "\nfind(code: \"P1\") | ok p |>")
		if d := cmp.Diff(text+"\n", readFile(t, dir, "look.k")); d != "" {
			t.Errorf("(-sent +kept)\n%s", d)
		}
	})},
	{"B06", "a handle that nobody armed is named and stays", wire{replies: []string{`unlock(door: "north") | stuck why |>`}, tier: TierUnhandled, calls: "unlock",
		lines: []string{`step 1/1 unhandled-branch: opened — {"branch":"opened","value":"h:Room:7ba8ac"} (held [r1=h:Room:7ba8ac]) bound: r1`}}},
	{"B06", "it can be released", wire{replies: []string{`unlock(door: "north") | stuck why |>`, `release(r: r1)`}, tier: TierResult, calls: "seal",
		lines: []string{`step 1/1 result: {"branch":""} bound: r2`}}},
	{"B06", "and the ledger has both lines", shown(func(t *testing.T) {
		dir := t.TempDir()
		r := openPantry(t, inWorld(dir, "a"))
		r.send(`unlock(door: "north") | stuck why |>`)
		r.send(`release(r: r1)`)
		var ops []string
		for line := range strings.Lines(readFile(t, dir, ledgerName)) {
			e, err := decodeEntry([]byte(strings.TrimSuffix(line, "\n")))
			ops = append(ops, fmt.Sprint(e.Op, e.ID, " ", e.Binding, " ", e.Discharge, err))
		}
		if diff := cmp.Diff([]string{"mint1 r1 seal<nil>", "discharge1 r1 seal<nil>"}, ops); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})},
	{"B07", "without a world no file is touched", shown(func(t *testing.T) {
		t.Chdir(t.TempDir())
		r := openPantry(t)
		r.send(packSource + "\nunlock(door: \"north\") | opened r |>")
		r.Close()
		if names := folder(t, "."); len(names) > 0 {
			t.Errorf("found %q", names)
		}
	})},
	{"B08", "abandon is the third verdict of four", wire{tier: TierPartial, ran: 3, of: 4,
		replies: []string{"find(code: \"P1\") | ok a |>\nfind(code: \"P1\") | ok b |>\nabandon(reason: \"enough\")\nfind(code: \"P1\") | ok c |>"}, calls: "find find",
		lines: []string{"step 3/4 abandoned: enough"}}},
	{"B09", "of a chain of eight each step is numbered and bound", wire{tier: TierResult, ran: 8, of: 8, calls: "find find find find find find find say",
		replies: []string{strings.Join([]string{
			`find(code: "P1") | ok c1 |>`, `find(code: "P1") | ok c2 |>`, `find(code: "P1") | ok c3 |>`, `find(code: "P1") | ok c4 |>`,
			`find(code: "P1") | ok c5 |>`, `find(code: "P1") | ok c6 |>`, `find(code: "P1") | ok c7 |>`, `say(text: "{{ c1 }} {{ c7 }}")`}, "\n")},
		said: "shelf 4 shelf 4",
		lines: []string{`step 1/8 result: {"branch":"ok","value":"shelf 4"} bound: r1`, `step 2/8 result: {"branch":"ok","value":"shelf 4"} bound: r2`,
			`step 7/8 result: {"branch":"ok","value":"shelf 4"} bound: r7`, `step 8/8 result: {"branch":""} bound: r8`}}},
	{"B10", "a splice of a field that is not there leaves the prefix", wire{tier: TierPartial, calls: "find",
		replies: []string{"find(code: \"P1\") | ok u |>\nsay(text: \"Hello {{ u.name }}\")"},
		lines: []string{`step 1/2 result: {"branch":"ok","value":"shelf 4"} bound: r1`,
			`step 2/2 dispatch-error say: '{ u.name }' — the bound value 'u' carries no field 'name'…`}}},
	{"B11", "an outcome that nobody armed stops the reply, and nothing is said", wire{tier: TierUnhandled, calls: "find",
		replies: []string{"find(code: \"P9\") | ok u |>\nsay(text: \"Hello {{ u.name }}\")"},
		lines: []string{`step 1/2 unhandled-branch: error — {"branch":"error","value":"Error: parcel P9 not found"} (held []) bound: r1`,
			`  arm it: | error e |>`, `step 2/2 refused say: '{ u.name }' — 'u' was never bound (step 1 fired error)`}}},
	{"B12", "armed, the same outcome is a result", wire{tier: TierResult, calls: "find",
		replies: []string{"find(code: \"P9\") | ok u |>\n| error e |>"},
		lines:   []string{`step 1/1 result: {"branch":"error","value":"Error: parcel P9 not found"} bound: r1`}}},
	{"B12", "and bound", wire{tier: TierResult, calls: "find say", said: "Error: parcel P9 not found", replies: []string{"find(code: \"P9\") | ok u |>\n| error e |> say(text: e)"}}},
	{"B13", "an invented arm is refused before the call", wire{tier: TierError,
		replies: []string{`find(code: "P1") | okay u |>`},
		lines:   []string{"step 1/1 shape-error find: 'okay' is not an outcome of 'find' — declared: ok, error…"}}},
	{"B14", "error-decode gives back what kind of failure it was, and where", program{
		source: talked(", budget: 3", "\n  oops", `pick(n: 1) | lou n |>`, `rm(path: "x")`, `pick(n: "x") | low n |>`, `echo(s: r9)`, "echo(s: \"x\")\nopen(path: \"y\")", `open(path: "y")`),
		prints: strings.Join([]string{
			"not wire at 2:3",
			"shape lou null", "no verb rm", "invalid 'pick.n' wants i64, got \"x\"", "dispatch echo nothing is bound as 'r9'", `2/2 exhausted ["r1"]`, "exhausted 1 last echo held 0", ""}, "\n")}},
	{"B15", "a host may leave out the findings", program{source: strings.Replace(talked("", `pick(n: 1) | low n |>`), talk, `
tor turn { br: *std/bridge:Bridge<session>, text: string }
turn = std/bridge:run(br, source: text)
| result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("{{ j:s }}")
| error _ |> _

`, 1), prints: "{\"branch\":\"low\",\"value\":1}\n"}},
	{"B15", "but not the failure", program{source: strings.Replace(talked("", `pick(n: 1) | low n |>`), talk, `
tor turn { br: *std/bridge:Bridge<session>, text: string }
turn = std/bridge:run(br, source: text)
| result _ |> _

`, 1), fails: "KORU022"}},
	{"B16", "a listing without introspection is denied", wire{replies: []string{`vocabulary()`}, tier: TierError, lines: []string{"step 1/1 event-denied vocabulary…"}}},
	{"B16", "with it, it shows what was taught and what is alive", wire{tier: TierResult, with: introspected,
		replies: []string{"tor look { code: string } | ok string | error string\nlook = find(code)", `look(code: "P1") | ok p |>`, `vocabulary()`},
		holds:   []string{`look(code: string) | ok string | error string [cost 2]`, `Live bindings:\nr1 = `}}},
	{"B17", "say, note, listing and call stand in one reply", wire{tier: TierResult, with: introspected, calls: "say find",
		replies: []string{"say: One moment.\nnote: looking it up\nvocabulary()\nfind(code: \"P1\") | ok p |>"}, said: "One moment.", ran: 3, of: 3}},
	{"B18", "a foreign tool call is not wire", wire{tier: TierError, replies: []string{"tool_call: find"},
		lines: []string{"step 1/1 parse-error: 'tool_call: find' is not wire…"}}},
	{"B18", "after a good step it is residue", wire{tier: TierResidue, calls: "find",
		replies: []string{"find(code: \"P1\") | ok p |>\ntool_call: find"},
		lines:   []string{"step 2/2 parse-error: 'tool_call: find' is not wire…"}}},
	{"B19", "ten strikes end a session", inapplicable(theAgents)},
	{"B20", "receipts survive a crash", inapplicable(theAgents)},
	{"B21", "an empty list is spliced as []", shown(func(t *testing.T) {
		r := openOn(t, strings.NewReplacer("pub tor say", "pub tor search { q: string } -> []string\npub tor say", "    say(1)\n", "    say(1)\n    search(1)\n").Replace(pantry),
			"pantry", func(o *Options) {
				o.Serve = func(context.Context, *check.Verb, []eval.Value) (eval.Outcome, error) {
					return eval.Delivered("", eval.ListValue(nil)), nil
				}
			})
		turn := r.send(`search(q: "x"): found |> say(text: "found {{ found }}")`)
		if got := strings.Join(r.said, "|"); got != "found []" || !strings.HasPrefix(turn.Trace()[0], `step 1/2 result: {"branch":"","value":[]}`) {
			t.Errorf("said %q\n%s", got, report(turn))
		}
	})},
	{"B22", "the error flag of a tau2 tool is an outcome", inapplicable(theAgents)},
	{"B23", "tokens are counted on replies only", inapplicable(theAgents)},
	{"B24", "list and collect-lines return real lists", shown(func(t *testing.T) {
		sandbox(t)
		r := openOn(t, sandboxScope, "sandbox")
		r.send(`dir(path: "box") | opened d |>`)
		for reply, want := range map[string]string{
			`list(d: r1) | entries e |>`:                           `{"branch":"entries","value":["hello.txt"]}`,
			`collect-lines(d: r1, path: "hello.txt") | lines l |>`: `{"branch":"lines","value":["hello","there"]}`,
		} {
			if got := report(r.send(reply)); !strings.Contains(got, "result: "+want) {
				t.Errorf("%s\n%s", reply, got)
			}
		}
	})},
	{"B25", "no path leads out of a directory", shown(func(t *testing.T) {
		sandbox(t)
		if err := os.WriteFile("secret.txt", []byte("out here"), 0o644); err != nil {
			t.Fatal(err)
		}
		paths := []string{"../secret.txt", "/etc/passwd", "a/../../secret.txt"}
		if err := os.Symlink(filepath.Join("..", "secret.txt"), filepath.Join("box", "link")); err == nil {
			paths = append(paths, "link")
		} else {
			t.Log(err) // some accounts may make no links
		}
		r := openOn(t, sandboxScope, "sandbox")
		r.send(`dir(path: "box") | opened d |>`)
		for _, path := range paths {
			for _, reply := range []string{
				`read(d: r1, path: "` + path + `") | content c |>` + "\n| failed why |>",
				`write(d: r1, path: "` + path + `", content: "x") | written |>` + "\n| failed why |>",
			} {
				if got := report(r.send(reply)); !strings.Contains(got, `result: {"branch":"failed","value":"path escapes the dir"}`) {
					t.Errorf("%s\n%s", reply, got)
				}
			}
		}
		if text := readFile(t, "secret.txt"); text != "out here" {
			t.Errorf("it was written to: %q", text)
		}
	})},
	{"B26", "a definition may not call itself", wire{tier: TierError,
		replies: []string{"tor look { code: string } | ok string | error string\nlook = look(code)"}, lines: []string{"step 1/1 validation-error look: 'look' calls itself — definitions must terminate…"}}},
	{"B26", "it says how it can end", wire{tier: TierError,
		replies: []string{"tor look { code: string } | ok string | missing\nlook = find(code)"}, lines: []string{"step 1/1 validation-error look: 'look' can end in 'error' but does not declare it…"}}},
	{"B26", "it calls what is granted", wire{tier: TierError,
		replies: []string{"tor wipe { path: string }\nwipe = rm(path)"}, lines: []string{"step 1/1 validation-error wipe: 'wipe' calls 'rm', which scope 'pantry' does not grant…"}}},
	{"B26", "it says what it mints", wire{tier: TierError,
		replies: []string{"tor enter { door: string } | opened *Room | stuck string\nenter = unlock(door)"}, lines: []string{"step 1/1 validation-error enter: 'enter' mints <unlocked!> but its signature does not say so…"}}},
	{"B27", "a verb is promoted over canned sessions", elsewhere{"promote/gate_test.go", "TestArc"}},
	{"B27", "a candidate that was touched is not", elsewhere{"promote/gate_test.go", "TestTampering"}},
	{"B28", "the contract stays as it is while results grow, and changes once with a definition", shown(func(t *testing.T) {
		r := openPantry(t)
		first := r.Grammar()
		for _, reply := range []string{`find(code: "P1") | ok p |>`, `unlock(door: "north") | opened r |>`, `oops`} {
			r.send(reply)
			if r.Grammar() != first {
				t.Errorf("%s changed it", reply)
			}
		}
		r.send("tor look { code: string } | ok string | error string\nlook = find(code)")
		second := r.Grammar()
		if second != first+"\nlook(code: string) | ok string | error string [cost 2]" {
			t.Errorf("after a definition (-before +after)\n%s", cmp.Diff(first, second))
		}
		if r.send(`look(code: "P1") | ok p |>`); r.Grammar() != second {
			t.Error("a call of the definition changed it")
		}
	})},
	{"B29", "the payload of an ok that nobody armed stays bound", wire{tier: TierResult, said: "shelf 4", calls: "say",
		replies: []string{`find(code: "P1") | error e |>`, `say(text: "{{ r1 }}")`}}},
	{"B30", "of 10,000 forged closes none runs, and the two real ones do", shown(func(t *testing.T) {
		r := openPantry(t)
		r.send("unlock(door: \"north\") | opened _ |>\nunlock(door: \"south\") | opened _ |>")
		r.calls = nil
		for n := range 10_000 {
			if turn := r.send(fmt.Sprintf(`seal(room: "h:Room:%06x")`, n*1677)); turn.Err == nil || turn.Err.Cause != "HandleNotHeld" {
				t.Fatal(report(turn))
			}
		}
		if len(r.calls) > 0 {
			t.Errorf("%d bodies ran", len(r.calls))
		}
		if got := r.send("seal(room: r1)\nseal(room: r2)"); got.Tier != TierResult || strings.Join(r.calls, " ") != "seal seal" {
			t.Error(report(got))
		}
	})},
}

// sandboxScope grants the verbs of std/fs over one directory.
const sandboxScope = `
import std/io
import std/fs
import std/bridge
import std/runtime
import std/interpreter

std/runtime:register(scope: "sandbox") {
    std.fs:dir -> dir(1)
    std.fs:list -> list(1)
    std.fs:read -> read(1)
    std.fs:write -> write(1)
    std.fs:collect-lines -> collect-lines(1)
    std.fs:close -> close(1)
}
`

// sandbox makes a folder with a folder box in it, which holds hello.txt, and
// goes there.
func sandbox(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"box/hello.txt": "hello\nthere\n"})
	t.Chdir(dir)
}

// showSandbox runs the seven turns of an agent that looks around, teaches itself
// a verb, uses it, is kept in its directory, and gives it back (bridge.md 10.5).
func showSandbox(t *testing.T) {
	sandbox(t)
	const sweep = "tor sweep { d: string, path: string, text: string } | written | failed string\nsweep = write(d, path, content: text)"
	turns := []struct{ agent, world string }{
		{`dir(path: "box") | opened d |>`, `{"branch":"opened","value":"h:Dir:737eec"}`},
		{`list(d: r1) | entries names |>`, `{"branch":"entries","value":["hello.txt"]}`},
		{sweep, "defined sweep"},
		{`sweep(d: r1, path: "log.txt", text: "the agent wrote a verb") | written |>`, `{"branch":"written"}`},
		{`collect-lines(d: r1, path: "log.txt") | lines all |>`, `{"branch":"lines","value":["the agent wrote a verb"]}`},
		{"write(d: r1, path: \"../etc/evil\", content: \"x\") | written |>\n| failed why |>", `{"branch":"failed","value":"path escapes the dir"}`},
		{`close(d: r1)`, `{"branch":""}`},
	}
	source := sandboxScope + `
tor turn { br: *std/bridge:Bridge<session>, text: string }
turn = std/io:print.ln("  agent> {{ text:s }}") |> std/bridge:run(br, source: text)
| result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("  world< {{ j:s }}")
| error e |> std/io:print.ln("  world< {{ e.kind:s }} {{ e.message:s }}")
| defined d |> std/io:print.ln("  world< defined {{ d:s }}")

[with]std/bridge:create(id: "a", scope: "sandbox", world: "world"): br
`
	want := ""
	for _, turn := range turns {
		source += "|> turn(br, text: " + koruString(turn.agent) + ")\n"
		want += "  agent> " + turn.agent + "\n  world< " + turn.world + "\n"
	}
	out, log, err := runProgram(t, source)
	if diff := cmp.Diff(want, out); err != nil || log != "" || diff != "" {
		t.Errorf("%v, said %q (-want +got)\n%s", err, log, diff)
	}
	if got := readFile(t, "world", "sweep.k"); got != sweep+"\n" {
		t.Errorf("the world keeps %q", got)
	}
	if got := readFile(t, "world", ledgerName); got != mintLine+dischargeLine {
		t.Errorf("the ledger holds\n%s", got)
	}
}
