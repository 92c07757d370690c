package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
)

// steps numbers steps.
func steps(list ...Step) []Step {
	for i := range list {
		list[i].N, list[i].Of = i+1, len(list)
	}
	return list
}

var (
	good      = Step{Verb: "find", Outcome: said("ok", "shelf 4"), Bound: "r1", Cost: 1}
	defined   = Step{Verb: "sweep", Verdict: VerdictDefined}
	listing   = Step{Verb: "vocabulary", Verdict: VerdictListing, Outcome: said("ok", "find(code: string)")}
	unarmed   = Step{Verb: "find", Verdict: VerdictUnhandled, Outcome: said("error", "gone"), Bound: "r2", Cost: 1, Lesson: "e"}
	abandoned = Step{Verb: "abandon", Verdict: VerdictAbandoned, Message: "enough"}
	notRun    = Step{Verb: "say", Verdict: VerdictNotRun}
	prose     = Step{Verdict: VerdictParse, Refusal: &RunError{Kind: VerdictParse, Message: "'Hm.' is not wire", Line: 2, Column: 1}}
	denied    = Step{Verb: "rm", Verdict: VerdictDenied, Refusal: &RunError{Kind: VerdictDenied, Message: "scope 'depot' does not grant 'rm'", Verb: "rm", Code: "KORU040"}}
)

func refused(kind Verdict) Step {
	return Step{Verb: "find", Verdict: kind, Refusal: &RunError{Kind: kind, Message: "no"}}
}

// Which tier a reply ends in (bridge.md 6.3, R31, R45).
func TestChoosingTheTier(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []Step
		end   ending
		tier  Tier
		kind  string // of a partial turn
		ran   int
	}{
		{name: "all good", steps: steps(good, good), tier: TierResult, ran: 2},
		{name: "notes only", tier: TierResult},
		{name: "an arm not taken changes nothing", steps: steps(good, notRun), tier: TierResult, ran: 1},
		{name: "listings only", steps: steps(listing), tier: TierResult, ran: 1},
		{name: "definitions only", steps: steps(defined, defined), tier: TierDefined, ran: 2},
		{name: "a definition and a call", steps: steps(defined, good), tier: TierResult, ran: 2},
		{name: "unarmed first", steps: steps(unarmed, notRun), tier: TierUnhandled, ran: 1},
		{name: "unarmed later", steps: steps(good, unarmed), tier: TierUnhandled, ran: 2},
		{name: "prose first", steps: steps(prose), tier: TierError, ran: 1},
		{name: "prose after a good step", steps: steps(good, prose), end: ending{unread: "Hm."}, tier: TierResidue, ran: 2},
		{name: "prose after a definition", steps: steps(defined, prose), end: ending{unread: "Hm."}, tier: TierResidue, ran: 2},
		{name: "denied first", steps: steps(denied, notRun), tier: TierError, ran: 1},
		{name: "denied after a good step", steps: steps(good, denied), tier: TierPartial, kind: "event-denied", ran: 2},
		{name: "validation", steps: steps(good, refused(VerdictValidation)), tier: TierPartial, kind: "validation-error", ran: 2},
		{name: "shape", steps: steps(good, refused(VerdictShape)), tier: TierPartial, kind: "shape-error", ran: 2},
		{name: "dispatch", steps: steps(good, refused(VerdictDispatch)), tier: TierPartial, kind: "dispatch-error", ran: 2},
		{name: "exhausted at once", steps: steps(refused(VerdictExhausted)), tier: TierError, ran: 1},
		{name: "exhausted later", steps: steps(good, refused(VerdictExhausted)), tier: TierPartial, kind: "exhausted", ran: 2},
		{name: "abandon is the third verdict of four", steps: steps(good, good, abandoned), tier: TierPartial, kind: "abandoned", ran: 3},
		{name: "abandon at once is no error", steps: steps(abandoned), tier: TierPartial, kind: "abandoned", ran: 1},
		{name: "cancelled between steps", steps: steps(good, notRun), end: ending{cancelled: "the caller stopped the reply"}, tier: TierPartial, kind: "cancelled", ran: 1},
		{name: "cancelled before the first", steps: steps(notRun), end: ending{cancelled: "time is up"}, tier: TierPartial, kind: "cancelled", ran: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := Turn{Steps: tt.steps, Of: len(tt.steps)}
			turn.conclude(tt.end)
			if turn.Tier != tt.tier || turn.Ran != tt.ran {
				t.Errorf("got tier %v, ran %d; want %v, %d", turn.Tier, turn.Ran, tt.tier, tt.ran)
			}
			if tt.tier == TierPartial && (turn.Kind.String() != tt.kind || turn.Message == "") {
				t.Errorf("got kind %v, message %q; want %s", turn.Kind, turn.Message, tt.kind)
			}
			if tt.tier == TierResidue && turn.Text != "Hm." {
				t.Errorf("got text %q", turn.Text)
			}
			if (tt.tier == TierError) != (turn.Err != nil && turn.Valued == false && turn.Name == "") {
				t.Errorf("got error %v beside value %v", turn.Err, turn.Value)
			}
		})
	}
}

func TestConcludeCollects(t *testing.T) {
	turn := Turn{Steps: steps(defined, good, Step{Verb: "jot", Verdict: VerdictDefined}, listing, notRun)}
	turn.conclude(ending{})
	if diff := cmp.Diff([]string{"r1"}, turn.Bound); diff != "" {
		t.Errorf("bound (-want +got):\n%s", diff)
	}
	if turn.Name != "sweep, jot" {
		t.Errorf("defined %q", turn.Name)
	}
	if got := turn.Value.Payload.Str(); !turn.Valued || got != "find(code: string)" {
		t.Errorf("the value is that of the last step that has one, got %q", got)
	}
}

// What error-decode hands out is bare of teaching (bridge.md 6.4, R33).
func TestBareMessages(t *testing.T) {
	for _, tt := range []struct {
		err  RunError
		want string
	}{
		{*denied.Refusal, "rm"},
		{RunError{Kind: VerdictNoScope, Message: "no register block declares scope 'x'", Scope: "x"}, "x"},
		{RunError{Kind: VerdictDispatch, Message: "HandleNotHeld — this session holds no Dir", Cause: handleNotHeld}, "HandleNotHeld"},
		{RunError{Kind: VerdictDispatch, Message: "the server hung up"}, "the server hung up"},
		{*prose.Refusal, "'Hm.' is not wire"},
	} {
		if got := tt.err.Bare(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// The objects of the public contract, key by key (cli.md, R32).
func TestTurnJSON(t *testing.T) {
	opened := Step{Verb: "dir", Outcome: eval.Delivered("opened", eval.HandleValue("h:Dir:737eec", nil)), Bound: "r1", Cost: 1}
	held := []Held{{"r1", "h:Dir:737eec", "Dir", "std.fs:dir"}}
	const nothing = `"held":[],"said":[],"notes":[],`
	for _, tt := range []struct {
		name string
		turn Turn
		end  ending
		want string
	}{
		{"result", Turn{Steps: steps(opened), Held: held, Of: 1, Used: 1}, ending{},
			`{"tier":"result","value":{"branch":"opened","value":"h:Dir:737eec"},"bound":["r1"],` +
				`"steps":[{"step":1,"of":1,"verb":"dir","verdict":"result","branch":"opened","value":"h:Dir:737eec","bound":"r1","cost":1}],` +
				`"trace":["step 1/1 result: {\"branch\":\"opened\",\"value\":\"h:Dir:737eec\"} bound: r1"],` +
				`"held":[{"binding":"r1","handle":"h:Dir:737eec","resource_type":"Dir","obligation":"std.fs:dir"}],` +
				`"said":[],"notes":[],"ran":1,"of":1,"used":1}`},
		{"a void result, speech and notes", Turn{Steps: steps(Step{Verb: "say", Outcome: eval.Fired("")}), Of: 1, Said: []string{"a > b & \"c\""}, Notes: []string{"n"}}, ending{},
			`{"tier":"result","value":{"branch":""},"bound":[],"steps":[{"step":1,"of":1,"verb":"say","verdict":"result","branch":"","cost":0}],` +
				`"trace":["step 1/1 result: {\"branch\":\"\"}"],"held":[],"said":["a > b & \"c\""],"notes":["n"],"ran":1,"of":1,"used":0}`},
		{"notes only", Turn{Notes: []string{"thinking"}}, ending{},
			`{"tier":"result","bound":[],"steps":[],"trace":[],"held":[],"said":[],"notes":["thinking"],"ran":0,"of":0,"used":0}`},
		{"defined", Turn{Steps: steps(defined), Of: 1}, ending{},
			`{"tier":"defined","name":"sweep","bound":[],"steps":[{"step":1,"of":1,"verb":"sweep","verdict":"defined"}],"trace":["step 1/1 defined sweep"],` + nothing + `"ran":1,"of":1,"used":0}`},
		{"unhandled-branch", Turn{Steps: steps(unarmed, notRun), Of: 2, Used: 1}, ending{},
			`{"tier":"unhandled-branch","branch":"error","payload":"gone","binding":"r2","bound":["r2"],` +
				`"steps":[{"step":1,"of":2,"verb":"find","verdict":"unhandled-branch","branch":"error","value":"gone","bound":"r2","cost":1},{"step":2,"of":2,"verb":"say","verdict":"not-run"}],` +
				`"trace":["step 1/2 unhandled-branch: error — {\"branch\":\"error\",\"value\":\"gone\"} (held []) bound: r2","  arm it: | error e |>","step 2/2 not-run say"],` +
				nothing + `"ran":1,"of":2,"used":1}`},
		{"partial", Turn{Steps: steps(good, denied), Of: 2, Used: 1}, ending{},
			`{"tier":"partial","kind":"event-denied","message":"scope 'depot' does not grant 'rm'","bound":["r1"],` +
				`"steps":[{"step":1,"of":2,"verb":"find","verdict":"result","branch":"ok","value":"shelf 4","bound":"r1","cost":1},` +
				`{"step":2,"of":2,"verb":"rm","verdict":"event-denied","message":"scope 'depot' does not grant 'rm'","code":"KORU040"}],` +
				`"trace":["step 1/2 result: {\"branch\":\"ok\",\"value\":\"shelf 4\"} bound: r1","step 2/2 event-denied rm: scope 'depot' does not grant 'rm'"],` +
				nothing + `"ran":2,"of":2,"used":1}`},
		{"residue", Turn{Steps: steps(defined, prose), Of: 2}, ending{unread: "Hm.\nSo…"},
			`{"tier":"residue","text":"Hm.\nSo…","bound":[],` +
				`"steps":[{"step":1,"of":2,"verb":"sweep","verdict":"defined"},{"step":2,"of":2,"verdict":"parse-error","message":"'Hm.' is not wire"}],` +
				`"trace":["step 1/2 defined sweep","step 2/2 parse-error: 'Hm.' is not wire"],` + nothing + `"ran":2,"of":2,"used":0}`},
		{"error", Turn{Steps: steps(denied), Of: 1}, ending{},
			`{"tier":"error","error":{"kind":"event-denied","message":"scope 'depot' does not grant 'rm'","verb":"rm"},"bound":[],` +
				`"steps":[{"step":1,"of":1,"verb":"rm","verdict":"event-denied","message":"scope 'depot' does not grant 'rm'","code":"KORU040"}],` +
				`"trace":["step 1/1 event-denied rm: scope 'depot' does not grant 'rm'"],` + nothing + `"ran":1,"of":1,"used":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.turn.conclude(tt.end)
			got := string(append(tt.turn.AppendMembers([]byte{'{'}), '}'))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !json.Valid([]byte(got)) {
				t.Error("this is not JSON")
			}
		})
	}
}

func TestScopeMissing(t *testing.T) {
	turn := scopeMissing(&RunError{Kind: VerdictNoScope, Message: "no register block declares scope 'depo' — did you mean 'depot'?", Scope: "depo"})
	want := `{"tier":"error","error":{"kind":"scope-not-found","message":"no register block declares scope 'depo' — did you mean 'depot'?","scope":"depo"},` +
		`"bound":[],"steps":[],"trace":["scope-not-found: no register block declares scope 'depo' — did you mean 'depot'?"],"held":[],"said":[],"notes":[],"ran":0,"of":0,"used":0}`
	if diff := cmp.Diff(want, string(append(turn.AppendMembers([]byte{'{'}), '}'))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every kind of error and the fields that go with it (bridge.md 6.4, R32).
func TestErrorJSON(t *testing.T) {
	for _, tt := range []struct {
		err  RunError
		want string
	}{
		{RunError{Kind: VerdictParse, Message: "m", Line: 2, Column: 7}, `{"kind":"parse-error","message":"m","line":2,"column":7}`},
		{RunError{Kind: VerdictValidation, Message: "m"}, `{"kind":"validation-error","message":"m"}`},
		{RunError{Kind: VerdictShape, Message: "m", Branch: "okay"}, `{"kind":"shape-error","message":"m","branch":"okay","field":null}`},
		{RunError{Kind: VerdictShape, Message: "m", Branch: "ok", Field: "name"}, `{"kind":"shape-error","message":"m","branch":"ok","field":"name"}`},
		{RunError{Kind: VerdictDenied, Message: "m", Verb: "rm"}, `{"kind":"event-denied","message":"m","verb":"rm"}`},
		{RunError{Kind: VerdictDispatch, Message: "m", Verb: "close"}, `{"kind":"dispatch-error","message":"m","event_name":"close"}`},
		{RunError{Kind: VerdictExhausted, Message: "m", Used: 9, LastEvent: "find", Handles: 2}, `{"kind":"exhausted","message":"m","used":9,"last_event":"find","handles":2}`},
		{RunError{Kind: VerdictNoScope, Message: "m", Scope: "s"}, `{"kind":"scope-not-found","message":"m","scope":"s"}`},
	} {
		if got := string(tt.err.AppendJSON(nil)); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// The worked example of the rules, reply by reply (bridge.md 5.13): what a
// session in the pantry reports.
func TestPantryReports(t *testing.T) {
	room := func(token string) eval.Outcome {
		return eval.Delivered("opened", eval.HandleValue(token, nil))
	}
	first := Held{"r1", "h:Room:7ba8ac", "Room", "main:unlocked"}
	second := Held{"r6", "h:Room:323177", "Room", "main:unlocked"}
	void := eval.Fired("")
	shape := &RunError{Kind: VerdictShape, Message: "'stored' is not an outcome of 'stow' — declared: stowed, full", Branch: "stored"}
	none := Step{Verb: "count", Verdict: VerdictUnhandled, Outcome: eval.Fired("none"), Bound: "r4", Held: []Held{first}, Lesson: "n"}
	for _, tt := range []struct {
		name  string
		steps []Step
		tier  Tier
		want  []string
	}{
		{"a chain", steps(
			Step{Verb: "unlock", Outcome: room("h:Room:7ba8ac"), Bound: "r1"},
			Step{Verb: "count", Outcome: eval.Delivered("total", eval.IntValue(12)), Bound: "r2"},
			Step{Verb: "say", Outcome: void, Bound: "r3"},
		), TierResult, []string{
			`step 1/3 result: {"branch":"opened","value":"h:Room:7ba8ac"} bound: r1`,
			`step 2/3 result: {"branch":"total","value":12} bound: r2`,
			`step 3/3 result: {"branch":""} bound: r3`,
		}},
		{"an outcome that nobody armed", func() []Step {
			list := steps(none, Step{Verb: "say", Verdict: VerdictRefused})
			list[1].Message = neverBound("n", "n", &list[0])
			return list
		}(), TierUnhandled, []string{
			`step 1/2 unhandled-branch: none — {"branch":"none"} (held [r1=h:Room:7ba8ac]) bound: r4`,
			`  arm it: | none |>`,
			`step 2/2 refused say: '{ n }' — 'n' was never bound (step 1 fired none)`,
		}},
		{"prose after a step", steps(
			Step{Verb: "stow", Outcome: eval.Fired("stowed"), Bound: "r5"},
			Step{Verdict: VerdictParse, Refusal: refusal(VerdictParse, notWire("I have stored the crate.", []Step{{Verb: "stow"}}, 2))},
		), TierResidue, []string{
			`step 1/2 result: {"branch":"stowed"} bound: r5`,
			`step 2/2 parse-error: 'I have stored the crate.' is not wire. Delivered: 1 of 2 steps (stow). Legal: ` + legalForms + `.`,
		}},
		{"a handle spelled out", steps(
			Step{Verb: "stow", Verdict: VerdictDispatch, Refusal: refusal(VerdictDispatch, notHeld(&want{resource: "Room"}, true, []string{"r1"}, nil))},
		), TierError, []string{`step 1/1 dispatch-error stow: HandleNotHeld — live here: r1`}},
		{"an invented arm", steps(Step{Verb: "stow", Verdict: VerdictShape, Refusal: shape}), TierError,
			[]string{`step 1/1 shape-error stow: 'stored' is not an outcome of 'stow' — declared: stowed, full`}},
		{"an unarmed mint", steps(
			Step{Verb: "unlock", Verdict: VerdictUnhandled, Outcome: room("h:Room:323177"), Bound: "r6", Held: []Held{first, second}, Lesson: "o"},
		), TierUnhandled, []string{
			`step 1/1 unhandled-branch: opened — {"branch":"opened","value":"h:Room:323177"} (held [r1=h:Room:7ba8ac, r6=h:Room:323177]) bound: r6`,
			`  arm it: | opened o |>`,
		}},
		{"sealed", steps(Step{Verb: "seal", Outcome: void, Bound: "r8"}), TierResult, []string{`step 1/1 result: {"branch":""} bound: r8`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := Turn{Steps: tt.steps, Of: len(tt.steps)}
			turn.conclude(ending{})
			if turn.Tier != tt.tier {
				t.Errorf("got tier %v, want %v", turn.Tier, tt.tier)
			}
			if diff := cmp.Diff(tt.want, turn.Trace()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkTurnJSON(b *testing.B) {
	turn := Turn{Steps: steps(good, good, good, good, good, good, good, good), Of: 8, Held: []Held{{"r1", "h:Dir:737eec", "Dir", "std.fs:dir"}}}
	turn.conclude(ending{})
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = turn.AppendMembers(out[:0])
	}
	if !strings.Contains(string(out), `"tier":"result"`) {
		b.Fatal(string(out))
	}
}
