package bridge

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
)

func said(branch, text string) eval.Outcome { return eval.Delivered(branch, eval.StringValue(text)) }

func refusal(kind Verdict, message string) *RunError { return &RunError{Kind: kind, Message: message} }

// Every kind of report line (bridge.md 5.7; the first, second and fourth are
// the published ones, exact to the byte: R33).
func TestReportLines(t *testing.T) {
	user := "Error: User michael_smith_1234 not found"
	for _, tt := range []struct {
		name string
		step Step
		want string
	}{
		{"result", Step{N: 1, Of: 2, Verb: "get-user-details", Outcome: said("", user), Bound: "r1"},
			`step 1/2 result: {"branch":"","value":"Error: User michael_smith_1234 not found"} bound: r1`},
		{"unarmed", Step{N: 1, Of: 2, Verb: "get-user-details", Verdict: VerdictUnhandled, Outcome: said("error", user), Bound: "r1", Lesson: "e"},
			`step 1/2 unhandled-branch: error — {"branch":"error","value":"Error: User michael_smith_1234 not found"} (held []) bound: r1` +
				"\n  arm it: | error e |>"},
		{"unarmed without a payload", Step{N: 1, Of: 2, Verb: "count", Verdict: VerdictUnhandled, Outcome: eval.Fired("none"), Bound: "r4", Lesson: "n",
			Held: []Held{{Binding: "r1", Handle: "h:Dir:737eec"}, {Binding: "r4", Handle: "note_0"}}},
			`step 1/2 unhandled-branch: none — {"branch":"none"} (held [r1=h:Dir:737eec, r4=note_0]) bound: r4` + "\n  arm it: | none |>"},
		{"bad field", Step{N: 2, Of: 2, Verb: "say", Verdict: VerdictDispatch, Refusal: refusal(VerdictDispatch, "'{ u.name }' — the bound value 'u' carries no field 'name'")},
			"step 2/2 dispatch-error say: '{ u.name }' — the bound value 'u' carries no field 'name'"},
		{"unknown name", Step{N: 2, Of: 2, Verb: "say", Verdict: VerdictDispatch, Refusal: refusal(VerdictDispatch, "'{ u.name }' — nothing is bound as 'u'")},
			"step 2/2 dispatch-error say: '{ u.name }' — nothing is bound as 'u'"},
		{"forged handle", Step{N: 1, Of: 1, Verb: "close", Verdict: VerdictDispatch, Refusal: refusal(VerdictDispatch, "HandleNotHeld")},
			"step 1/1 dispatch-error close: HandleNotHeld"},
		{"not granted", Step{N: 1, Of: 1, Verb: "rm", Verdict: VerdictDenied, Refusal: &RunError{Kind: VerdictDenied, Verb: "rm"}},
			"step 1/1 event-denied rm"},
		{"not granted, with teaching", Step{N: 1, Of: 1, Verb: "rm", Verdict: VerdictDenied, Refusal: refusal(VerdictDenied, "scope 'sandbox' does not grant 'rm'")},
			"step 1/1 event-denied rm: scope 'sandbox' does not grant 'rm'"},
		{"bad field name", Step{N: 1, Of: 1, Verb: "peek", Verdict: VerdictValidation, Refusal: refusal(VerdictValidation, "'peek' has no field 'rom'")},
			"step 1/1 validation-error peek: 'peek' has no field 'rom'"},
		{"invented arm", Step{N: 1, Of: 1, Verb: "peek", Verdict: VerdictShape, Refusal: refusal(VerdictShape, "'okay' is not an outcome of 'peek' — declared: shelves, locked")},
			"step 1/1 shape-error peek: 'okay' is not an outcome of 'peek' — declared: shelves, locked"},
		{"not wire", Step{N: 2, Of: 3, Verdict: VerdictParse, Refusal: refusal(VerdictParse, "'tool_call: …' is not wire")},
			"step 2/3 parse-error: 'tool_call: …' is not wire"},
		{"not wire inside a call", Step{N: 1, Of: 1, Verb: "find", Verdict: VerdictParse, Refusal: refusal(VerdictParse, "unterminated string")},
			"step 1/1 parse-error: unterminated string"},
		{"budget", Step{N: 2, Of: 2, Verb: "stow", Verdict: VerdictExhausted, Refusal: refusal(VerdictExhausted, exhausted(9, 10, "stow", 10, "", []string{"find"}))},
			"step 2/2 exhausted stow: used 9 of 10, 'stow' costs 10 — within it: find"},
		{"definition", Step{N: 1, Of: 1, Verb: "sweep", Verdict: VerdictDefined}, "step 1/1 defined sweep"},
		{"definition and what it costs", Step{N: 1, Of: 1, Verb: "sweep", Verdict: VerdictDefined, Message: "costs 2"}, "step 1/1 defined sweep: costs 2"},
		{"listing", Step{N: 1, Of: 1, Verb: "vocabulary", Verdict: VerdictListing, Outcome: said("ok", "find(code: string)\nsay(text: string)")},
			`step 1/1 listing: {"branch":"ok","value":"find(code: string)\nsay(text: string)"}`},
		{"release", Step{N: 1, Of: 1, Verb: "release", Outcome: eval.Fired(""), Bound: "r4"}, `step 1/1 result: {"branch":""} bound: r4`},
		{"speech that nobody grants binds nothing", Step{N: 1, Of: 1, Verb: "say", Outcome: eval.Fired("")}, `step 1/1 result: {"branch":""}`},
		{"abandon", Step{N: 3, Of: 4, Verb: "abandon", Verdict: VerdictAbandoned, Message: "enough"}, "step 3/4 abandoned: enough"},
		{"after the stop, leans on an unbound name", Step{N: 2, Of: 2, Verb: "say", Verdict: VerdictRefused,
			Message: neverBound("u.name", "u", &Step{N: 1, Verdict: VerdictUnhandled, Outcome: said("error", user)})},
			"step 2/2 refused say: '{ u.name }' — 'u' was never bound (step 1 fired error)"},
		{"the same in an argument", Step{N: 3, Of: 3, Verb: "stow", Verdict: VerdictRefused, Message: neverBound("", "r", &Step{N: 2, Verdict: VerdictDispatch})},
			"step 3/3 refused stow: 'r' was never bound (step 2 was refused)"},
		{"after the stop, otherwise", Step{N: 3, Of: 3, Verb: "stow", Verdict: VerdictNotRun}, "step 3/3 not-run stow"},

		{"a host's error text stays on its line", Step{N: 1, Of: 1, Verb: "fetch", Verdict: VerdictDispatch, Refusal: refusal(VerdictDispatch, "boom\r\nstep 2/2 result\x1b[2J\u2028!")},
			"step 1/1 dispatch-error fetch: boom  step 2/2 result [2J !"},
		{"so does a handle's text", Step{N: 1, Of: 1, Verb: "open", Verdict: VerdictUnhandled, Outcome: said("opened", "a\nb"), Lesson: "o", Held: []Held{{Binding: "r1", Handle: "a\nb"}}},
			`step 1/1 unhandled-branch: opened — {"branch":"opened","value":"a\nb"} (held [r1=a b])` + "\n  arm it: | opened o |>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := Turn{Steps: []Step{tt.step}}
			if diff := cmp.Diff(tt.want, strings.Join(turn.Trace(), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLessonName(t *testing.T) {
	for _, tt := range []struct{ branch, used, want string }{
		{"error", "", "e"},
		{"error", "e", "error"},
		{"error", "e error", "error-2"},
		{"error", "e error error-2", "error-3"},
		{"not-found", "n", "notfound"},
		{"Ok", "", "o"},
		{"r1", "r", "r1-2"}, // r1 names a result, no arm can bind it
		{"404", "", "v"},
		{"404", "v", "v404"},
		{"", "", "v"},
		{"é", "v", "v-2"},
	} {
		used := func(name string) bool {
			for _, u := range strings.Fields(tt.used) {
				if u == name {
					return true
				}
			}
			return false
		}
		if got := lessonName(tt.branch, used); got != tt.want {
			t.Errorf("lessonName(%q) with %q in use = %q, want %q", tt.branch, tt.used, got, tt.want)
		}
	}
}

// What is not wire is quoted, what was delivered is said, the legal forms are
// named (bridge.md 5.11).
func TestNotWire(t *testing.T) {
	ok := func(verb string) Step { return Step{Verb: verb} }
	ten := make([]Step, 10)
	for i := range ten {
		ten[i] = ok("find")
	}
	for _, tt := range []struct {
		name, text string
		before     []Step
		of         int
		want       string // up to the legal forms
	}{
		{"alone", "I will now look up the parcel.", nil, 1, "'I will now look up the parcel.' is not wire. Delivered: nothing."},
		{"after steps", "tool_call: x", []Step{ok("find"), ok("say")}, 3, "'tool_call: x' is not wire. Delivered: 2 of 3 steps (find, say)."},
		{"after an arm that was not taken", "?", []Step{ok("find"), {Verb: "say", Verdict: VerdictNotRun}}, 3, "'?' is not wire. Delivered: 1 of 3 steps (find)."},
		{"after many", "?", ten, 11, "'?' is not wire. Delivered: 10 of 11 steps (find, find, find, find, find, find, find, find, …)."},
		{"first line only", "\n  one \r\ntwo", nil, 1, "'one ' is not wire. Delivered: nothing."},
		{"sixty characters", strings.Repeat("é", 60), nil, 1, "'" + strings.Repeat("é", 60) + "' is not wire. Delivered: nothing."},
		{"more", strings.Repeat("é", 61), nil, 1, "'" + strings.Repeat("é", 60) + "…' is not wire. Delivered: nothing."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want + ` Legal: verb(field: "value") with arms | outcome name |>, say: text, note: text, tor name { … }, release(r: rN), abandon(reason: "…").`
			if diff := cmp.Diff(want, notWire(tt.text, tt.before, tt.of)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPossessionRefusals(t *testing.T) {
	dir := &want{resource: "Dir", states: []demand{{owes: dirState}}}
	note := &want{resource: "string", states: []demand{{owes: openState}, {owes: obligation{"main", "fed"}}}}
	for _, tt := range []struct{ got, want string }{
		{notHeld(dir, true, []string{"r4", "r1"}, nil), "HandleNotHeld — live here: r4, r1"},
		{notHeld(dir, true, nil, []string{"dir", "sub"}), "HandleNotHeld — this session holds no Dir, it comes from: dir, sub"},
		{notHeld(note, false, nil, nil), "HandleNotHeld — this session holds no string<open|fed>"},
		{inUse([]string{"r2"}), "HandleInUse — release first: r2"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// The lines that standard error gets, and the texts of a close that fails
// (bridge.md 7.5, 7.7, 8.7).
func TestHostLines(t *testing.T) {
	r := &record{handle: "note_0", owes: openState, discharge: "close"}
	for _, tt := range []struct{ got, want string }{
		{atClose.invoked(r), "[BRIDGE] Invoked 'close' for handle 'note_0' [main:open]"},
		{atClose.failed(r, errors.New("no\nway")), "[BRIDGE] Failed 'close': no way"},
		{atRunEnd.skipped(r), "[AUTO-DISCHARGE] No spec for 'note_0' [main:open], skipping"},
		{stillHeld("a", 2), "std/bridge:close: session 'a' still holds 2 handle(s) after hang-up — a discharge event failed (see the [BRIDGE] lines above)"},
		{noScopeToRelease("a", "pantry", 1), "std/bridge:close: session 'a' holds 1 handle(s) and its scope 'pantry' is not registered, so nothing can release them"},
		{notInstalled("sweep.k", "'sweep' calls itself — definitions must terminate"), "[BRIDGE] world: 'sweep.k' not installed: 'sweep' calls itself — definitions must terminate"},
		{worldNotice("holds.log: torn"), "[BRIDGE] world: holds.log: torn"},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}

func BenchmarkReportLine(b *testing.B) {
	s := Step{N: 1, Of: 8, Verb: "find", Outcome: said("ok", "shelf 4"), Bound: "r1"}
	b.ReportAllocs()
	var line []byte
	for b.Loop() {
		line = s.appendLine(line[:0])
	}
}
