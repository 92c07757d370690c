package bridge

import (
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

const (
	benchmarked = "a benchmark upstream; BenchmarkReply and BenchmarkChain measure ours"
	older       = "upstream keeps an older copy of a test beside the newer one; the newer one is shown"
)

// direct is a program that looks a scope up and has std/interpreter run a source
// over it.
func direct(source string) string {
	return notes + `
tor direct { source: string }
direct = std/runtime:get-scope(name: "notes")
| scope s |> std/interpreter:run(source, scope: s)
    | result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("result {{ j:s }}")
    | exhausted x |> std/io:print.ln("exhausted {{ x.used:d }}")
    | parse-error p |> std/io:print.ln("parse {{ p.message:s }}")
    | validation-error v |> std/io:print.ln("invalid {{ v:s }}")
    | dispatch-error d |> std/io:print.ln("dispatch {{ d.event_name:s }} {{ d.message:s }}")
| not-found |> std/io:print.ln("no scope")

direct(source: ` + koruString(source) + `)
`
}

// aisles is a scope made of others, with verbs in groups.
const aisles = `
import std/io
import std/runtime
import std/interpreter

pub tor users.get { id: string } -> string
proc users.get|js { return "user " + id; }
pub tor users.list {} -> i64
proc users.list|js { return 2; }
pub tor admin.wipe {}
proc admin.wipe|js { console.log("WIPED"); }
pub tor dump {} -> string
proc dump|js { return "all of it"; }

std/runtime:register(scope: "user") {
    users.*
    scope(extra)
    [debug]dump
}
std/runtime:register(scope: "extra") {
    users.get -> who(3)
}
std/runtime:register(scope: "admin") {
    scope(user)
    admin.*
}
`

func aisle(scope, source string) string {
	return aisles + strings.Replace(tryRun, `scope: string = "notes"`, `scope: string = "user"`, 1) +
		"try(source: " + koruString(source) + ", scope: " + koruString(scope) + ")\n"
}

// labels is a scope to look at: a granted, documented, a cheap and a bodyless verb.
const labels = `
import std/io
import std/runtime

[
- doc
Put a label on a crate.
]
pub tor stick { crate: string, times: ?i64 = null }
| stuck i64
| refused string
proc stick|js { return { stuck: 1 }; }
pub tor ghost { x: string<!open> }
proc ghost|c { }

std/runtime:register(scope: "labels") {
    stick(2)
    ghost(1)
}
`

func labelled(verb, name string) string {
	return labels + "std/runtime:" + verb + "(name: " + koruString(name) + `)
| ok text |> std/io:print.ln("{{ text:s }}")
| not-found |> std/io:print.ln("not found")
`
}

const labelLines = "stick(crate: string, times: ?i64 = null) | stuck i64 | refused string [cost 2]\n    Put a label on a crate.\nghost(x: string<!open>)"

// gated is a program that shows a text to the gate of one call a reply.
func gated(text string) string {
	return notes + "std/runtime:parse.wire(source: " + koruString(text) + `)
| parsed f |> std/runtime:eval(flow: f, scope: "notes")
    | result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("result {{ j:s }}")
    | exhausted _ |> _
    | validation-error v |> std/io:print.ln("invalid {{ v:s }}")
    | event-denied v |> std/io:print.ln("denied {{ v:s }}")
    | dispatch-error d |> std/io:print.ln("dispatch {{ d.message:s }}")
    | scope-not-found _ |> _
| parse-error p |> std/io:print.ln("{{ p.line:d }}:{{ p.column:d }} {{ p.message:s }}")
`
}

var runtimeClaims = []property{
	{"430_001", "a program can parse source and gets one flow, which it can run", program{
		source: notes + `
std/interpreter:parse(source: "echo(s: \"a\")")
| flow f |> std/runtime:get-scope(name: "notes")
    | scope s |> std/interpreter:eval(flow: f, scope: s)
        | result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("{{ j:s }}")
        | exhausted _ |> _
        | validation-error _ |> _
        | dispatch-error _ |> _
    | not-found |> _
| parse-error p |> std/io:print.ln("{{ p.message:s }}")
`, prints: "{\"branch\":\"\",\"value\":\"a/3/1.5/false\"}\n"}},
	{"430_002", "the same in an older form", inapplicable(older)},
	{"430_010", "a register block grants what it lists", program{source: tried(`say(text: "hi")`), prints: "result {\"branch\":\"\"} used 1 handles 0\n", says: "SAID hi\n"}},
	{"430_010", "and nothing else", program{source: tried(`whisper(text: "hi")`), prints: "denied whisper\n"}},
	{"430_011", "a glob grants a group", program{source: aisle("user", `users.list()`), prints: "result {\"branch\":\"\",\"value\":2} used 1 handles 0\n"}},
	{"430_011", "an include grants another scope with its costs", program{source: aisle("user", `who(id: "7")`), prints: "result {\"branch\":\"\",\"value\":\"user 7\"} used 3 handles 0\n"}},
	{"430_011", "a user may not what an admin may", program{source: aisle("user", `admin.wipe()`), prints: "denied admin.wipe\n"}},
	{"430_011", "an admin may what a user may", program{source: aisle("admin", `who(id: "7")`), prints: "result {\"branch\":\"\",\"value\":\"user 7\"} used 3 handles 0\n"}},
	{"430_011", "and more", program{source: aisle("admin", `admin.wipe()`), prints: "result {\"branch\":\"\"} used 1 handles 0\n", says: "WIPED\n"}},
	{"430_012", "a scope that was looked up dispatches to the body, with its argument", program{source: direct(`say(text: "straight")`), prints: "result {\"branch\":\"\"}\n", says: "SAID straight\n"}},
	{"430_012", "and to no other", program{source: direct(`rm(text: "x")`), prints: "dispatch rm EventDenied\n"}},
	{"430_013", "two calls run from one source", program{source: direct(`say(text: "one") |> say(text: "two")`), prints: "result {\"branch\":\"\"}\n", says: "SAID one\nSAID two\n"}},
	{"430_014", "parse and dispatch are fast", inapplicable(benchmarked)},
	{"430_015", "a constructor returns data made of what is bound", program{source: tried("pick(n: 9)\n| low _ |> _\n| high h => result { a: h.text, b: h.n }"), prints: "result {\"branch\":\"result\",\"value\":{\"a\":\"big\",\"b\":9}} used 1 handles 0\n"}},
	{"430_016", "the one outcome takes its arm", program{source: tried("pick(n: 1)\n| low _ |> say(text: \"low\")\n| high _ |> say(text: \"high\")"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID low\n"}},
	{"430_016", "the other outcome the other", program{source: tried("pick(n: 9)\n| low _ |> say(text: \"low\")\n| high _ |> say(text: \"high\")"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID high\n"}},
	{"430_017", "expressions know operators and what is bound", program{source: tried("pick(n: 3)\n| low n |> if(n * 2 + 1 == 7 && !(n > 3) || false)\n    | then |> echo(s: \"yes\")\n    | else |> echo(s: \"no\")\n| high _ |> _"), prints: "result {\"branch\":\"\",\"value\":\"yes/3/1.5/false\"} used 2 handles 0\n"}},
	{"430_018", "a condition over a binding picks then", program{source: tried("pick(n: 4)\n| low n |> if(n > 3)\n    | then |> say(text: \"then\")\n    | else |> say(text: \"else\")\n| high _ |> _"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID then\n"}},
	{"430_018", "or else", program{source: tried("pick(n: 2)\n| low n |> if(n > 3)\n    | then |> say(text: \"then\")\n    | else |> say(text: \"else\")\n| high _ |> _"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID else\n"}},
	{"430_019", "a condition stands alone, and needs no grant", program{source: tried("if(2 >= 2)\n| then |> say(text: \"then\")\n| else |> say(text: \"else\")"), prints: "result {\"branch\":\"\"} used 1 handles 0\n", says: "SAID then\n"}},
	{"430_020", "parsed, executed, constructed", program{source: tried("if(1 > 2)\n| then => big 1\n| else => small 2"), prints: "result {\"branch\":\"small\",\"value\":2} used 0 handles 0\n"}},
	{"430_021", "the argument of a condition is one expression", shown(func(t *testing.T) {
		call := firstCall(t, "if(n > 1 && ok)\n| then |> a()\n| else |> b()\n")
		args := 0
		for a := range call.Args() {
			args++
			if got := strings.TrimSpace(a.Text()); got != "n > 1 && ok" {
				t.Errorf("the argument is %q", got)
			}
		}
		if args != 1 {
			t.Errorf("%d arguments", args)
		}
	})},
	{"430_022", "the text of a condition parses", shown(func(t *testing.T) {
		for _, text := range []string{"true", "a == b", "!(a < 1) || b.c >= 2", "x % 2 != 0 && \"s\" == t"} {
			file := syntax.Parse("main.k", syntax.Pure, "if("+text+")\n| then |> a()\n| else |> b()\n")
			if faults := file.Faults(); len(faults) > 0 {
				t.Errorf("%s: %s", text, faults[0].Message)
			}
		}
	})},
	{"430_023", "an older copy of 430_010", inapplicable(older)},
	{"430_024", "an older copy of 430_011", inapplicable(older)},
	{"430_025", "a field of what is bound is an argument in a flow of several steps", program{source: tried("pick(n: 9)\n| low _ |> _\n| high h |> echo(s: h.text, n: h.n): e |> say(text: e)"), prints: "result {\"branch\":\"\"} used 3 handles 0\n", says: "SAID big/9/1.5/false\n"}},
	{"430_026", "a scope that was looked up runs a granted verb", program{source: direct(`echo(s: "a")`), prints: "result {\"branch\":\"\",\"value\":\"a/3/1.5/false\"}\n"}},
	{"430_030", "parse and run from a string are fast", inapplicable(benchmarked)},
	{"430_035", "a binding in an argument is its value, not its name", program{source: tried("echo(s: \"a\"): e |> say(text: e)"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID a/3/1.5/false\n"}},
	{"430_036", "a loop runs its body for each number, then done", program{source: tried("for(0..3)\n! each i |> pick(n: i)\n    | low l |> echo(s: \"x\", n: l): e |> say(text: e)\n    | high _ |> _\n| done |> say(text: \"done\")"), prints: "result {\"branch\":\"\"} used 10 handles 0\n", says: "SAID x/0/1.5/false\nSAID x/1/1.5/false\nSAID x/2/1.5/false\nSAID done\n"}},
	{"430_037", "an integer payload is a number in a condition", program{source: tried("pick(n: 10)\n| low _ |> _\n| high h |> if(h.n > 9)\n    | then |> say(text: \"more\")\n    | else |> say(text: \"less\")"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID more\n"}},
	{"430_038", "loops inside loops are fast", inapplicable(benchmarked)},
	{"430_039", "source is parsed first and run over a named scope later", program{
		source: notes + `
std/runtime:parse.source(source: "pick(n: 2)\n| low n => got n\n| high _ |> _")
| parsed f |> std/runtime:eval(flow: f, scope: "notes")
    | result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("{{ j:s }} {{ r.used:d }}")
    | exhausted _ |> _
    | validation-error v |> std/io:print.ln("{{ v:s }}")
    | event-denied _ |> _
    | dispatch-error _ |> _
    | scope-not-found _ |> _
| parse-error p |> std/io:print.ln("{{ p.message:s }}")
`, prints: "{\"branch\":\"got\",\"value\":2} 1\n"}},
	{"430_040", "a scope may have a dotted name, and integers arrive as such", program{source: tried(`shout(s: "a", n: 41)`, `scope: "api.v1"`), prints: "result {\"branch\":\"\",\"value\":\"a/41/1.5/false\"} used 2 handles 0\n"}},
	{"430_041", "booleans, floats and integers arrive typed", program{source: tried(`echo(s: "a", n: -1, f: 0.25, b: true)`), prints: "result {\"branch\":\"\",\"value\":\"a/-1/0.25/true\"} used 1 handles 0\n"}},
	{"430_042", "an entry for debugging is not there", program{source: aisle("user", `dump()`), prints: "denied dump\n"}},
	{"430_042", "unless one debugs", program{source: aisle("user", `dump()`), prints: "result {\"branch\":\"\",\"value\":\"all of it\"} used 1 handles 0\n", with: func(o *check.Options) { o.Debug = true }}},
	{"430_043", "a run finds its scope and succeeds", program{source: tried(`echo(s: "b")`), prints: "result {\"branch\":\"\",\"value\":\"b/3/1.5/false\"} used 1 handles 0\n"}},
	{"430_044", "what costs 10 does not run under a budget of 5", program{source: tried(`open(path: "x")`, "budget: 5"), prints: "exhausted used 0 last  handles 0\n"}},
	{"430_045", "what is not granted is denied", program{source: tried(`format(disk: "c")`), prints: "denied format\n"}},
	{"430_046", "an unknown scope is no scope", program{source: tried(`echo(s: "a")`, `scope: "atlantis"`), prints: "no scope atlantis\n"}},
	{"430_047", "malformed source is a parse-error with its place", program{source: tried("echo(s: \"a\""), prints: "parse 1:5 '(' is never closed: expected ')'\n"}},
	{"430_048", "a broken declaration refuses the source", program{source: tried("tor broken { x:\n\necho(s: \"a\")"), prints: "parse 1:16 expected a type, found the end of the line\n"}},
	{"430_049", "or is passed over where that is asked for", program{source: tried("tor broken { x:\n\necho(s: \"a\")", "fail_fast: false"), prints: "result {\"branch\":\"\",\"value\":\"a/3/1.5/false\"} used 1 handles 0\n"}},
	{"430_050", "what a run still holds at its end is let go of through its verb", program{source: tried(`open(path: "x")`), prints: "result {\"branch\":\"\",\"value\":\"note_x\"} used 10 handles 0\n", says: "CLOSED note_x\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_x' [main:open]\n"}},
	{"430_051", "exhaustion lets go of what was opened", program{source: tried(`open(path: "1"): a |> open(path: "2"): b |> shut(h: a) |> shut(h: b)`, "budget: 19"), prints: "exhausted used 10 last open handles 0\n", says: "CLOSED note_1\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_1' [main:open]\n"}},
	{"430_052", "a payload is named as a whole", program{source: tried("pick(n: 2)\n| low s => result s\n| high _ |> _"), prints: "result {\"branch\":\"result\",\"value\":2} used 1 handles 0\n"}},
	{"430_052", "or thrown away", program{source: tried("pick(n: 2)\n| low _ |> _\n| high _ |> _"), prints: "result {\"branch\":\"discard\"} used 1 handles 0\n"}},
	{"430_053", "one verb under two names has two costs", program{source: tried(`whisper(s: "a")`, `scope: "api.v1"`), prints: "result {\"branch\":\"\",\"value\":\"a/3/1.5/false\"} used 1 handles 0\n"}},
	{"430_053", "and is hidden under its own", program{source: tried(`echo(s: "a")`, `scope: "api.v1"`), prints: "denied echo\n"}},
	{"430_054", "a tilde inside a string is data", program{source: tried(`echo(s: "~/notes")`), prints: "result {\"branch\":\"\",\"value\":\"~/notes/3/1.5/false\"} used 1 handles 0\n"}},
	{"430_055", "a sentence is prose, not a verb that is denied", program{source: tried("I would open (the note) now"), prints: "parse 1:3 Event name must not contain spaces: prose is not an invocation\n"}},
	{"430_056", "without arms an outcome is handed back under its name", program{source: tried("pick(n: 1)"), prints: "result {\"branch\":\"low\",\"value\":1} used 1 handles 0\n"}},
	{"430_056", "with some arms one that has none is no match", program{source: tried("pick(n: 1)\n| high h |> say(text: h.text)"), prints: "dispatch pick NoBranchMatch\n"}},
	{"430_056", "with all arms one fires", program{source: tried("pick(n: 1)\n| low _ |> say(text: \"low\")\n| high h |> say(text: h.text)"), prints: "result {\"branch\":\"\"} used 2 handles 0\n", says: "SAID low\n"}},
	{"430_057", "the vocabulary of a scope, exactly", program{source: labelled("scope-vocabulary", "labels"), prints: labelLines + "\n"}},
	{"430_064", "the vocabulary of an unknown scope is not found", program{source: labelled("scope-vocabulary", "atlantis"), prints: "not found\n"}},
	{"430_058", "the manifest of a scope, exactly", program{source: labelled("scope-manifest", "labels"), prints: `{"kind":"koru/scope-manifest","version":1,"scope":"labels","events":[` +
		`{"name":"stick","cost":2,"home":"main","args":[{"name":"crate","type":"string","optional":false,"phantom":null},{"name":"times","type":"i64","optional":true,"phantom":null}],"creates":[],"discharges":[],"branches":[{"name":"stuck","optional":false,"fields":[{"name":"__type_ref","type":"i64","optional":false}]},{"name":"refused","optional":false,"fields":[{"name":"__type_ref","type":"string","optional":false}]}]},` +
		`{"name":"ghost","cost":1,"home":"main","args":[{"name":"x","type":"string","optional":false,"phantom":"!open"}],"creates":[],"discharges":[{"obligation":"open","module":"main","arg":"x"}],"branches":[]}],"includes":[]}` + "\n"}},
	{"430_058", "the manifest of an unknown scope is not found", program{source: labelled("scope-manifest", "atlantis"), prints: "not found\n"}},
	{"430_059", "the gate of one call takes a call", program{source: gated(`  echo(s: "a \" b", )  `), prints: "result {\"branch\":\"\",\"value\":\"a \\\" b/3/1.5/false\"}\n"}},
	{"430_060", "it refuses a sentence", program{source: gated("I echo it"), prints: "1:3 not an invocation: after the verb 'I' comes '(' — prose is not wire\n"}},
	{"430_060", "and an empty reply", program{source: gated(" "), prints: "1:1 the wire carries exactly one invocation per turn — the reply was empty\n"}},
	{"430_061", "it refuses a chain", program{source: gated(`echo(s: "a") |> echo(s: "b")`), prints: "1:14 chains are not wire: one invocation per turn — read the result, then emit the next verb\n"}},
	{"430_061", "and words behind the call", program{source: gated(`echo(s: "a") please`), prints: "1:14 one invocation per turn: nothing follows the closing ')'\n"}},
	{"430_062", "it refuses a string without an end", program{source: gated(`echo(s: "a`), prints: "1:9 unterminated string for the field 's' — the reply looks truncated\n"}},
	{"430_062", "and a bare value", program{source: gated(`echo(s: a)`), prints: "1:9 the value of 's' must be a double-quoted string — the wire has no bare values\n"}},
	{"430_063", "the contract of a scope is its rules, a heading and its verbs", shown(func(t *testing.T) {
		out, _, err := runProgram(t, labelled("scope-grammar", "labels"))
		rules, verbs, ok := strings.Cut(out, "\n\nYour vocabulary:\n")
		if err != nil || !ok || verbs != labelLines+"\n" || !strings.HasPrefix(rules, "your reply IS wire — invocations, never narration") {
			t.Errorf("%v\n%s", err, out)
		}
	})},
	{"430_065", "a verb without a body is granted and shown", program{source: labelled("scope-vocabulary", "labels"), prints: labelLines + "\n"}},
	{"430_065", "and fails when it is called", program{source: tried(`ghost(x: "a")`), prints: "dispatch ghost 'ghost' has no body here, and nobody serves it\n"}},
}

// firstCall parses a program and returns the first call in it.
func firstCall(t *testing.T, source string) syntax.CallView {
	t.Helper()
	file := syntax.Parse("main.k", syntax.Pure, source)
	for item := range file.Items() {
		if chain := (syntax.FlowView{Node: item}).Chain(); chain.IsValid() {
			return syntax.CallView{Node: chain.Child(syntax.Call)}
		}
	}
	t.Fatal("no call")
	return syntax.CallView{}
}

var budgetClaims = []property{
	{"410_001", "a call that costs 10 shows as used 10", program{source: tried(`open(path: "x"): h |> shut(h)`), prints: "result {\"branch\":\"\"} used 11 handles 0\n", says: "CLOSED note_x\n"}},
	{"410_001", "and with a budget, too", program{source: tried(`open(path: "x")`, "budget: 10", "keep: true"), prints: "result {\"branch\":\"\",\"value\":\"note_x\"} used 10 handles 1\n"}},
	{"410_002", "exhaustion in the middle says what was spent and by whom last", program{source: tried(strings.Repeat(`open(path: "x"): _ |> `, 5)+`open(path: "y")`, "budget: 55"), prints: "exhausted used 50 last open handles 0\n", says: "CLOSED note_x\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_x' [main:open]\n"}},
	{"410_003", "a handle is counted", program{source: tried(`open(path: "x")`, "keep: true"), prints: "result {\"branch\":\"\",\"value\":\"note_x\"} used 10 handles 1\n"}},
	{"410_004", "what is left is let go of, and that is said", program{source: tried(`open(path: "1"): a |> open(path: "2"): b |> use(h: a)`), prints: "result {\"branch\":\"\",\"value\":\"note_1\"} used 21 handles 0\n", says: "CLOSED note_1\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_1' [main:open]\nCLOSED note_2\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_2' [main:open]\n"}},
	{"410_005", "exhaustion with a handle open lets go of it first", program{source: tried(`open(path: "x"): h |> use(h): g |> shut(h: g)`, "budget: 11"), prints: "exhausted used 11 last use handles 0\n", says: "CLOSED note_x\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'note_x' [main:open]\n"}},
	{"410_006", "an outcome whose payload is owed is a handle", program{source: strings.NewReplacer(
		"pub tor use { h: string<!open> } -> string<open!>", "pub tor lend { path: string }\n| lent string<open!>\n| out\nproc lend|js { return { lent: path }; }\npub tor use { h: string<!open> } -> string<open!>",
		"    use(1)\n", "    use(1)\n    lend(1)\n").Replace(tried(`lend(path: "x")`)),
		prints: "result {\"branch\":\"lent\",\"value\":\"x\"} used 1 handles 0\n", says: "CLOSED x\n[AUTO-DISCHARGE] Invoked 'shut' for handle 'x' [main:open]\n"}},
	{"410_010", "a result fits the shape it was asked for", program{source: tried("pick(n: 1)", `shape: "pick"`), prints: "result {\"branch\":\"low\",\"value\":1} used 1 handles 0\n"}},
	{"410_010", "a branch that the shape does not have", program{source: tried("pick(n: 1)\n| low n => lower n\n| high _ |> _", `shape: "pick"`), prints: "shape lower null unknown branch - not in shape contract\n"}},
	{"410_010", "a field that it lacks", program{source: tried("pick(n: 9)\n| low _ |> _\n| high h => high { n: h.n, colour: h.text }", `shape: "pick"`), prints: "shape high text missing required field\n"}},
	{"410_010", "a verb without outcomes asks for nothing", program{source: tried("pick(n: 1)", `shape: "say"`), prints: "result {\"branch\":\"low\",\"value\":1} used 1 handles 0\n"}},
}
