package bridge

import (
	"bytes"
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/stdlib"
)

// runProgram runs a program as koru run does and returns what it printed and
// what it failed with.
func runProgram(t *testing.T, source string, with ...func(*check.Options)) (stdout, stderr string, err error) {
	t.Helper()
	bodies := eval.Bodies{}
	maps.Copy(bodies, stdlib.Bodies())
	maps.Copy(bodies, Bodies())
	options := check.Options{
		Std: stdlib.FS(), Runs: true, Targets: []string{"js"},
		Bodies: func(path string) bool { _, ok := bodies[path]; return ok },
	}
	for _, f := range with {
		f(&options)
	}
	checked := check.Source("main.k", source, options)
	var out, log bytes.Buffer
	for _, d := range checked.Diagnostics {
		if d.Severity == check.Error {
			return "", "", errors.New(d.Code + " " + d.Message)
		}
	}
	program, err := eval.NewProgram(checked, bodies, []eval.Target{&js.Target{}})
	if err != nil {
		return "", "", err
	}
	process, err := program.Start(&eval.Host{Stdout: &out, Stderr: &log, Stdin: strings.NewReader("")}, eval.Settings{})
	if err != nil {
		return "", "", err
	}
	err = process.Run(t.Context())
	return out.String(), log.String(), err
}

// notes is a scope over string handles, as the upstream tests have one.
const notes = `
import std/io
import std/bridge
import std/runtime
import std/interpreter

pub tor open { path: string } -> string<open!>
proc open|js { return "note_" + path; }
pub tor use { h: string<!open> } -> string<open!>
proc use|js { return h; }
pub tor view { h: string<open> } -> string<page!>
proc view|js { return h + "_page"; }
pub tor drop-view { p: string<!page> }
proc drop-view|js { console.log("DROPPED " + p); }
pub tor shut { h: string<!open> }
proc shut|js { console.log("CLOSED " + h); }
pub tor pick { n: i64 }
| low i64
| high { n: i64, text: string }
proc pick|js { if (n < 5) return { low: n }; return { high: { n: n, text: "big" } }; }
pub tor echo { s: string, n: i64 = 3, f: f64 = 1.5, b: bool = false } -> string
proc echo|js { return s + "/" + n + "/" + f + "/" + b; }
pub tor say { text: string }
proc say|js { console.log("SAID " + text); }
pub tor ghost { x: string }
proc ghost|c { }

std/runtime:register(scope: "notes") {
    open(10)
    use(1)
    shut(1)
    view(1)
    drop-view(1)
    pick(1)
    echo(1)
    say(1)
    ghost(1)
}
std/runtime:register(scope: "api.v1") {
    echo -> shout(2)
    echo -> whisper(1)
    scope(extra)
}
std/runtime:register(scope: "extra") {
    pick
}
`

// tryRun prints how a source ends.
const tryRun = `
tor try { source: string, scope: string = "notes", budget: ?u64 = null, fail_fast: bool = true, keep: bool = false, shape: ?string = null }
try = std/runtime:run(source, scope, budget, fail_fast, auto_discharge: keep == false, shape)
| result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("result {{ j:s }} used {{ r.used:d }} handles {{ r.handles:d }}")
| exhausted x |> std/io:print.ln("exhausted used {{ x.used:d }} last {{ x.last_event:s }} handles {{ x.handles:d }}")
| parse-error p |> std/io:print.ln("parse {{ p.line:d }}:{{ p.column:d }} {{ p.message:s }}")
| validation-error v |> std/io:print.ln("validation {{ v:s }}")
| shape-error s |> std/io:print.ln("shape {{ s.branch:s }} {{ s.field:any }} {{ s.message:s }}")
| event-denied v |> std/io:print.ln("denied {{ v:s }}")
| dispatch-error d |> std/io:print.ln("dispatch {{ d.event_name:s }} {{ d.message:s }}")
| scope-not-found s |> std/io:print.ln("no scope {{ s:s }}")
`

// The surface of std/runtime and std/interpreter (bridge.md 3, 4, 12.1, 12.3).
func TestRuntimeBodies(t *testing.T) {
	const tilde = "`~` is not legal in interpreter source. It switches a host-embedded file (.kz/.kjs) from the host language into Koru; interpreter source is already pure Koru, so it marks nothing. Drop it: write `open(path: \"x\")`, not `~open(path: \"x\")`."
	for _, tt := range []struct{ name, flow, want string }{
		{"430_043 a granted call", `try(source: "echo(s: \"a\")")`, `result {"branch":"","value":"a/3/1.5/false"} used 1 handles 0`},
		{"430_041 arguments arrive typed", `try(source: "echo(s: \"a\", n: 7, f: 2.5, b: true)")`, `result {"branch":"","value":"a/7/2.5/true"} used 1 handles 0`},
		{"430_044 a budget", `try(source: "open(path: \"x\")", budget: 5)`, `exhausted used 0 last  handles 0`},
		{"430_045 not granted", `try(source: "rm(path: \"x\")")`, `denied rm`},
		{"430_046 no such scope", `try(source: "echo(s: \"a\")", scope: "nope")`, `no scope nope`},
		{"430_040, 430_053 dotted scope, aliases with their own costs", `try(source: "shout(s: \"a\")", scope: "api.v1")`, `result {"branch":"","value":"a/3/1.5/false"} used 2 handles 0`},
		{"430_053 the original name is hidden", `try(source: "echo(s: \"a\")", scope: "api.v1")`, `denied echo`},
		{"430_011 an included scope", `try(source: "pick(n: 1)", scope: "api.v1")`, `result {"branch":"low","value":1} used 1 handles 0`},
		{"430_047 a tilde", `try(source: "~echo(s: \"a\")")`, `parse 1:1 ` + tilde},
		{"430_054 a tilde in a string is data", `try(source: "echo(s: \"~/x\")")`, `result {"branch":"","value":"~/x/3/1.5/false"} used 1 handles 0`},
		{"430_055 prose", `try(source: "Please open (the door)")`, `parse 1:8 Event name must not contain spaces: prose is not an invocation`},
		{"an empty source", `try(source: "  ")`, `parse 1:1 Empty input`},
		{"no invocation", `try(source: "echo")`, `parse 1:1 No invocation found`},
		{"blank lines and comments are skipped", `try(source: "\n// first\n\necho(s: \"a\")")`, `result {"branch":"","value":"a/3/1.5/false"} used 1 handles 0`},
		{"430_048 a broken declaration refuses the source", `try(source: "tor broken { x:\n\necho(s: \"a\")")`, `parse `},
		{"430_049 or not", `try(source: "tor broken { x:\n\necho(s: \"a\")", fail_fast: false)`, `result {"branch":"","value":"a/3/1.5/false"} used 1 handles 0`},
		{"430_056 no arms: the outcome is handed back", `try(source: "pick(n: 9)")`, `result {"branch":"high","value":{"n":9,"text":"big"}} used 1 handles 0`},
		{"430_056 some arms", `try(source: "pick(n: 9)\n| low n |> echo(s: \"x\", n)")`, `dispatch pick NoBranchMatch`},
		{"430_056 the arm that fires", `try(source: "pick(n: 2)\n| low n |> echo(s: \"x\", n)")`, `result {"branch":"","value":"x/2/1.5/false"} used 2 handles 0`},
		{"430_016 either of two", `try(source: "pick(n: 9)\n| low n => small n\n| high h => big h.text")`, `result {"branch":"big","value":"big"} used 1 handles 0`},
		{"430_015 a record is constructed", `try(source: "pick(n: 9)\n| low _ |> _\n| high h => result { a: h.n, b: h.text }")`, `result {"branch":"result","value":{"a":9,"b":"big"}} used 1 handles 0`},
		{"430_052 discard", `try(source: "pick(n: 1)\n| low _ |> _\n| high _ |> _")`, `result {"branch":"discard"} used 1 handles 0`},
		{"430_019 conditions", `try(source: "if(1 < 2)\n| then |> echo(s: \"yes\")\n| else |> echo(s: \"no\")")`, `result {"branch":"","value":"yes/3/1.5/false"} used 1 handles 0`},
		{"430_037 a payload decides", `try(source: "pick(n: 2)\n| low n |> if(n > 1)\n    | then |> echo(s: \"more\")\n    | else |> echo(s: \"less\")\n| high _ |> _")`, `result {"branch":"","value":"more/3/1.5/false"} used 2 handles 0`},
		{"430_036 a loop", `try(source: "for(0..3)\n! each i |> echo(s: \"x\", n: i)\n| done |> echo(s: \"end\")")`, `result {"branch":"","value":"end/3/1.5/false"} used 4 handles 0`},
		{"two names", `try(source: "open(path: \"1\"): a |> open(path: \"2\"): a |> shut(h: a)")`, `validation Shadowing not allowed: binding already exists`},
		{"an unknown name", `try(source: "echo(s: nobody)")`, `validation nothing is bound as 'nobody'`},
		{"430_065 no body", `try(source: "ghost(x: \"a\")")`, `dispatch ghost 'ghost' has no body here, and nobody serves it`},
		{"410_001 the cost shows", `try(source: "open(path: \"x\")")`, "result {\"branch\":\"\",\"value\":\"note_x\"} used 10 handles 0\n! [AUTO-DISCHARGE] Invoked 'shut' for handle 'note_x' [main:open]"},
		{"410_003 a handle is tracked", `try(source: "open(path: \"x\")", keep: true)`, `result {"branch":"","value":"note_x"} used 10 handles 1`},
		{"410_002, 410_005, 430_051 exhausted in the middle", `try(source: "open(path: \"1\"): a |> open(path: \"2\"): b |> shut(h: a) |> shut(h: b)", budget: 15)`, "exhausted used 10 last open handles 0\n! [AUTO-DISCHARGE] Invoked 'shut' for handle 'note_1' [main:open]"},
		{"possession holds here too", `try(source: "shut(h: \"note_9\")")`, `dispatch shut HandleNotHeld`},
		{"410_010 a shape", `try(source: "pick(n: 9)", shape: "pick")`, `result {"branch":"high","value":{"n":9,"text":"big"}} used 1 handles 0`},
		{"410_010 another branch", `try(source: "pick(n: 9)\n| low _ |> _\n| high h => big h", shape: "pick")`, `shape big null unknown branch - not in shape contract`},
		{"410_010 a missing field", `try(source: "pick(n: 9)\n| low _ |> _\n| high h => high { n: h.n, other: h.text }", shape: "pick")`, `shape high text missing required field`},
		{"410_010 a verb without outcomes asks for nothing", `try(source: "pick(n: 9)", shape: "echo")`, `result {"branch":"high","value":{"n":9,"text":"big"}} used 1 handles 0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, log, err := runProgram(t, notes+tryRun+tt.flow)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSpace(out)
			for _, line := range strings.Split(strings.TrimSpace(log), "\n") {
				if strings.HasPrefix(line, "[AUTO") {
					got += "\n! " + line
				}
			}
			if strings.HasSuffix(tt.want, " ") && strings.HasPrefix(got+" ", tt.want) {
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The surface of std/bridge from inside a program (bridge.md 6, 12.2).
func TestBridgeBodies(t *testing.T) {
	const turn = `
tor turn { br: *std/bridge:Bridge<session>, text: string }
turn = std/bridge:run(br, source: text)
| result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("ok {{ j:s }} held {{ r.handles:d }}")
| error e |> std/bridge:error-decode(e)
    | parse-error p |> std/io:print.ln("at {{ p.line:d }}:{{ p.column:d }} {{ p.message:s }}")
    | shape-error s |> std/io:print.ln("shape {{ s.branch:s }} {{ s.field:any }}")
    | event-denied v |> std/io:print.ln("no verb {{ v:s }}")
    | dispatch-error d |> std/io:print.ln("dispatch {{ d.event_name:s }} {{ d.message:s }}")
    | exhausted x |> std/io:print.ln("exhausted {{ x.used:d }} {{ x.last_event:s }} {{ x.handles:d }}")
    | validation-error v |> std/io:print.ln("invalid {{ v:s }}")
    | scope-not-found s |> std/io:print.ln("no scope {{ s:s }}")
| defined d |> std/io:print.ln("defined {{ d:s }}")
| unhandled-branch u |> std/io:print.ln("unhandled {{ u.branch:s }} {{ u.payload:any }} {{ u.bound:s }} {{ u.step:d }}/{{ u.steps:d }}")
| partial p |> std/io:print.ln("{{ p.ran:d }}/{{ p.of:d }} {{ p.kind:s }} {{ p.bound:any }}")
| residue r |> std/io:print.ln("residue {{ r.text:s }} {{ r.ran:d }}/{{ r.of:d }}")
`
	for _, tt := range []struct{ name, flow, want, log string }{
		{"440_001, 440_002, 440_006 a handle lives across turns", `
[with]std/bridge:create(id: "t", scope: "notes"): br
|> turn(br, text: "open(path: \"1\")")
|> turn(br, text: "shut(h: r1)")`,
			"ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\nok {\"branch\":\"\"} held 0\n", "CLOSED note_1\n"},
		{"440_003 a forged handle", `
[with]std/bridge:create(id: "t", scope: "notes"): br
|> turn(br, text: "open(path: \"1\")")
|> turn(br, text: "shut(h: \"note_7\")")
|> turn(br, text: "shut(h: \"note_1\")")`,
			"ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\ndispatch shut HandleNotHeld\nok {\"branch\":\"\"} held 0\n", "CLOSED note_1\n"},
		{"440_004, 440_007, 440_010, 440_011 the hang-up", `
[with]std/bridge:create(id: "t", scope: "notes"): br
|> turn(br, text: "open(path: \"1\")\nopen(path: \"2\")\nview(h: r1)\nuse(h: r2)")`,
			"ok {\"branch\":\"\",\"value\":\"note_2\"} held 3\n",
			"CLOSED note_2\n[BRIDGE] Invoked 'shut' for handle 'note_2' [main:open]\nDROPPED note_1_page\n[BRIDGE] Invoked 'drop-view' for handle 'note_1_page' [main:page]\nCLOSED note_1\n[BRIDGE] Invoked 'shut' for handle 'note_1' [main:open]\n"},
		{"440_008, 440_009, 440_012 define", `
[with]std/bridge:create(id: "t", scope: "notes", introspect: true): br
|> turn(br, text: "loud(s: \"a\")")
|> turn(br, text: "tor loud { s: string } -> string\nloud -> echo(s, n: 1)")
|> turn(br, text: "loud(s: \"a\")")
|> turn(br, text: "tor loud { s: string } -> string\nloud -> echo(s, n: 2)")
|> turn(br, text: "loud(s: \"a\")")`,
			"no verb loud\ndefined loud\nok {\"branch\":\"\",\"value\":\"a/1/1.5/false\"} held 0\ndefined loud\nok {\"branch\":\"\",\"value\":\"a/2/1.5/false\"} held 0\n", ""},
		{"B14 error-decode", `
[with]std/bridge:create(id: "t", scope: "notes", budget: 3): br
|> turn(br, text: "pick(n: 1) | low n |> echo(s: \"x\"): e |>\n  oops")
|> turn(br, text: "\n  oops")
|> turn(br, text: "pick(n: 1) | lou n |>")
|> turn(br, text: "pick(n: \"x\")")
|> turn(br, text: "pick(n: 9)")
|> turn(br, text: "echo(s: \"x\")\nopen(path: \"y\")")`,
			"residue oops 3/3\nat 2:3 'oops' is not wire", ""},
		{"an unknown scope (R88)", `
[with]std/bridge:create(id: "t", scope: "nope"): br
|> turn(br, text: "pick(n: 1)")`, "no scope nope\n", ""},
		{"the texts", `
[with]std/bridge:create(id: "t", scope: "extra"): br
|> turn(br, text: "pick(n: 1) | low n |>")
|> std/bridge:define(br, source: "tor low-pick { n: i64 } | low i64 | high { n: i64, text: string }\nlow-pick = pick(n)")
| defined _ |> std/bridge:vocabulary(br)
    | ok v |> std/io:print.ln("{{ v:s }}")
| parse-error _ |> _`,
			"ok {\"branch\":\"low\",\"value\":1} held 0\npick(n: i64) | low i64 | high { n: i64, text: string }\nlow-pick(n: i64) | low i64 | high { n: i64, text: string } [cost 2]\n\nLive bindings:\nr1 = {\"branch\":\"low\",\"value\":1}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, log, err := runProgram(t, notes+turn+tt.flow)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(tt.want, "\n") && out != tt.want || !strings.HasPrefix(out, tt.want) {
				t.Errorf("(-want +got)\n%s", cmp.Diff(tt.want, out))
			}
			if diff := cmp.Diff(tt.log, log); diff != "" {
				t.Errorf("standard error (-want +got)\n%s", diff)
			}
		})
	}
}

// A teardown that cannot release fails the program, with the text of bridge.md
// 7.7 (440_016); dropping a session is an error of the checker (440_005).
func TestSessionCannotBeLost(t *testing.T) {
	_, _, err := runProgram(t, strings.Replace(notes, "proc shut|js { console.log(\"CLOSED \" + h); }", "proc shut|js { throw new Error(\"stuck\"); }", 1)+`
[with]std/bridge:create(id: "t", scope: "notes"): br
|> std/bridge:run(br, source: "open(path: \"1\")\nopen(path: \"2\")")
| result _ |> _
| error _ |> _
`)
	if err == nil || !strings.Contains(err.Error(), "session 't' still holds 2 handle(s) after hang-up") {
		t.Errorf("got %v", err)
	}
}

// The eleven texts of std/runtime:parse.wire (bridge.md 3.9, 430_059 to 430_062).
func TestParseWire(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{` open(path: "x") `, ""},
		{"\n open()\t", ""},
		{`open(path: "a \" b",mode:"\\")`, ""},
		{`open(path: "x", )`, ""},
		{``, "1:1 the wire carries exactly one invocation per turn — the reply was empty"},
		{`{"a": 1}`, `1:1 not an invocation: a wire line is verb(field: "value") and starts with a verb name, not '{'`},
		{`– open()`, `1:1 not an invocation: a wire line is verb(field: "value") and starts with a verb name, not '–'`},
		{`I will open it`, `1:3 not an invocation: after the verb 'I' comes '(' — prose is not wire`},
		{`open("x")`, `1:6 arguments are name: "value" pairs — expected a field name here`},
		{`open(path "x")`, `1:11 expected ':' after the field 'path'`},
		{`open(path: r1)`, `1:12 the value of 'path' must be a double-quoted string — the wire has no bare values`},
		{`open(path: "x`, `1:12 unterminated string for the field 'path' — the reply looks truncated`},
		{`open(path: "x\`, `1:12 unterminated string for the field 'path' — the reply looks truncated`},
		{`open(path: "x" "y")`, `1:16 after a value comes ',' or ')'`},
		{`open(path: "x") |> shut()`, `1:17 chains are not wire: one invocation per turn — read the result, then emit the next verb`},
		{"open(path: \"x\")\nshut()", `1:16 one invocation per turn: a second line is a second turn`},
		{`open(path: "x") please`, `1:17 one invocation per turn: nothing follows the closing ')'`},
	} {
		got := ""
		if m := parseWire(tt.text); m != nil {
			got = strings.Join([]string{strconv.Itoa(m.line), ":", strconv.Itoa(m.column), " ", m.message}, "")
		}
		if got != tt.want {
			t.Errorf("%q\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
