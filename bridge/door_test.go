package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// visitor is the other side of a door.
type visitor struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func openDoor(t *testing.T, source, scope string, timeout time.Duration, change ...func(*Options)) *visitor {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := NewDoor(inR, outW, timeout)
	var log bytes.Buffer
	o := Options{ID: "t", Program: compile(t, source, (&kitchen{}).bodies()), Scope: scope, Serve: d.Serve, Introspect: true, Log: &log}
	for _, f := range change {
		f(&o)
	}
	b, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, in: inW, out: bufio.NewScanner(outR), end: make(chan error, 1)}
	v.out.Buffer(nil, 4<<20)
	go func() {
		v.end <- d.Open(context.Background(), b)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close() })
	return v
}

func (v *visitor) say(lines ...string) {
	v.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(v.in, line+"\n"); err != nil {
			v.t.Fatal(err)
		}
	}
}

// hear returns the next line; it must be a JSON object.
func (v *visitor) hear() string {
	v.t.Helper()
	if !v.out.Scan() {
		v.t.Fatal("the door said nothing more")
	}
	if !json.Valid(v.out.Bytes()) {
		v.t.Fatalf("no JSON: %s", v.out.Bytes())
	}
	return v.out.Text()
}

func (v *visitor) leave() error {
	v.in.Close()
	for v.out.Scan() {
	}
	return <-v.end
}

func TestDoorAnswers(t *testing.T) {
	v := openDoor(t, pantry, "pantry", 0)
	for _, turn := range []struct{ line, want string }{
		{`{"id":1,"source":"find(code: \"P1\") | ok p |>"}`,
			`{"id":1,"tier":"result","value":{"branch":"ok","value":"shelf 4"},"bound":["r1"],"steps":[{"step":1,"of":1,"verb":"find","verdict":"result","branch":"ok","value":"shelf 4","bound":"r1","cost":1}],"trace":["step 1/1 result: {\"branch\":\"ok\",\"value\":\"shelf 4\"} bound: r1"],"held":[],"said":[],"notes":[],"ran":1,"of":1,"used":1}`},
		{`{"id":"b","op":"held"}`, `{"id":"b","op":"held","held":[]}`},
		{`{"id":3,"op":"bindings"}`, `{"id":3,"op":"bindings","bindings":[{"name":"r1","value":{"branch":"ok","value":"shelf 4"}}]}`},
		{`not json`, `{"id":null,"protocol_error":"the line is no JSON: invalid character 'o' in literal null (expecting 'u')"}`},
		{`[1]`, `{"id":null,"protocol_error":"a line is one JSON object: {\"id\":1,\"op\":\"run\",\"source\":\"…\"}"}`},
		{`{"id":4,"op":"bindngs"}`, `{"id":4,"protocol_error":"unknown op 'bindngs' — did you mean 'bindings'?"}`},
		{`{"id":5}`, `{"id":5,"protocol_error":"a run needs its reply: {\"id\":1,\"source\":\"…\"}"}`},
		{`{"id":6,"source":7}`, `{"id":null,"protocol_error":"'source' cannot be a JSON number"}`},
		{`{"dispatch":0,"branch":"ok"}`, `{"id":null,"protocol_error":"no call 0 waits for an answer"}`},
		{`{"source":"` + strings.Repeat("x", maxLine) + `"}`, `{"id":null,"protocol_error":"the line is longer than 1048576 bytes"}`},
		{``, ``},
		{`{"id":8,"op":"cancel"}`, ``},
		{`{"id":7,"op":"close"}`, `{"id":7,"op":"close"}`},
	} {
		v.say(turn.line)
		if turn.want == "" {
			continue
		}
		if diff := cmp.Diff(turn.want, v.hear()); diff != "" {
			t.Errorf("%.80s (-want +got)\n%s", turn.line, diff)
		}
	}
	if err := <-v.end; err != nil {
		t.Error(err)
	}
}

// bell is a scope whose verbs the opener serves, capability and all.
const bell = `
import std/runtime
pub tor dial { number: string }
| line *Line<open!>
| busy
pub tor talk { line: *Line<open>, text: string } -> i64
pub tor hang-up { line: *Line<!open> }
std/runtime:register(scope: "bell") { 
    dial(3)
    talk(1)
    hang-up(1)
}
`

func TestDoorServes(t *testing.T) {
	v := openDoor(t, bell, "bell", 0)
	turn := func(lines ...string) {
		t.Helper()
		for i := 0; i+1 < len(lines); i += 2 {
			v.say(lines[i])
			if got := v.hear(); !strings.Contains(got, lines[i+1]) {
				t.Errorf("%s\ngot  %s\nwant %s", lines[i], got, lines[i+1])
			}
		}
	}
	turn(`{"id":1,"source":"dial(number: \"12\") | line l |>\ntalk(line: l, text: \"hi\")"}`, `{"dispatch":1,"verb":"dial","args":{"number":"12"}}`,
		`{"dispatch":1,"branch":"line","value":"conn-17"}`, `{"dispatch":2,"verb":"talk","args":{"line":"conn-17","text":"hi"}}`,
		`{"dispatch":2,"value":5}`, `"tier":"result","value":{"branch":"","value":5},"bound":["r1","r2"]`)
	turn(`{"id":2,"source":"dial(number: \"13\") | busy |>"}`, `{"dispatch":3,`,
		`{"dispatch":3,"branch":"engaged"}`, `dispatch-error dial: 'engaged' is not an outcome of 'dial' — declared: line, busy`)
	turn(`{"id":3,"source":"talk(line: r1, text: \"x\")"}`, `{"dispatch":4,`,
		`{"dispatch":4,"value":"many"}`, `dispatch-error talk: what it delivered does not fit its declaration: wants i64, got \"many\"`)
	turn(`{"id":4,"source":"talk(line: r1, text: \"x\")"}`, `{"dispatch":5,`,
		`{"dispatch":5,"failed":"the wire is cut"}`, `dispatch-error talk: the wire is cut`)
	turn(`{"id":5,"source":"talk(line: \"conn-17\", text: \"x\")"}`, `HandleNotHeld`)
	turn(`{"id":6,"op":"close"}`, `{"dispatch":6,"verb":"hang-up","args":{"line":"conn-17"}}`, `{"dispatch":6}`, `{"id":6,"op":"close"}`)
	if err := <-v.end; err != nil {
		t.Error(err)
	}
}

// An opener that hands out what the session holds already, under the name it
// gave it, re-issues it: one handle, one hang-up, and the older names of it stay
// usable (bridge.md 7.4, R87, R93).
func TestDoorReissues(t *testing.T) {
	const exchange = `
import std/runtime
pub tor dial { number: string } -> *Line<open!>
pub tor renew { line: *Line<!open> } -> *Line<open!>
pub tor listen { line: *Line<open> } -> *Tape<rolling!>
pub tor stop { tape: *Tape<!rolling> }
pub tor hang-up { line: *Line<!open> }
std/runtime:register(scope: "exchange") {
    dial
    renew
    listen
    stop
    hang-up
}
`
	v := openDoor(t, exchange, "exchange", 0)
	turn := func(source string, calls ...string) {
		t.Helper()
		v.say(source)
		for i := 0; i+1 < len(calls); i += 2 {
			if got := v.hear(); got != calls[i] {
				t.Fatalf("%s\ngot  %s\nwant %s", source, got, calls[i])
			}
			v.say(calls[i+1])
		}
		if last := calls[len(calls)-1]; len(calls)%2 == 1 {
			if got := v.hear(); !strings.Contains(got, last) {
				t.Fatalf("%s\ngot  %s\nwant %s", source, got, last)
			}
		}
	}
	const token = `h:Line:916689`
	turn(`{"id":1,"source":"dial(number: \"12\")\nlisten(line: r1)"}`,
		`{"dispatch":1,"verb":"dial","args":{"number":"12"}}`, `{"dispatch":1,"value":"conn-17"}`,
		`{"dispatch":2,"verb":"listen","args":{"line":"conn-17"}}`, `{"dispatch":2,"value":"conn-17"}`,
		`"held":[{"binding":"r1","handle":"`+token+`","resource_type":"Line","obligation":"main:open"},{"binding":"r2","handle":"h:Tape:`)
	turn(`{"id":2,"source":"dial(number: \"12\")\nrenew(line: r1)"}`,
		`{"dispatch":3,"verb":"dial","args":{"number":"12"}}`, `{"dispatch":3,"value":"conn-17"}`,
		`{"dispatch":4,"verb":"renew","args":{"line":"conn-17"}}`, `{"dispatch":4,"value":"conn-17"}`,
		`{"binding":"r4","handle":"`+token+`","resource_type":"Line","obligation":"main:open"}]`)
	turn(`{"id":3,"op":"close"}`,
		`{"dispatch":5,"verb":"stop","args":{"tape":"conn-17"}}`, `{"dispatch":5}`,
		`{"dispatch":6,"verb":"hang-up","args":{"line":"conn-17"}}`, `{"dispatch":6}`,
		`{"id":3,"op":"close"}`)
	if err := <-v.end; err != nil {
		t.Error(err)
	}
}

// At the end of the input nobody can answer: what the opener would have to let
// go of strands, and the close says so (R40).
func TestDoorStrands(t *testing.T) {
	v := openDoor(t, bell, "bell", 0)
	v.say(`{"id":1,"source":"dial(number: \"12\") | line l |>"}`)
	v.hear()
	v.say(`{"dispatch":1,"branch":"line","value":"conn-17"}`)
	v.hear()
	err := v.leave()
	if err == nil || !strings.Contains(err.Error(), "session 't' still holds 1 handle(s) after hang-up") {
		t.Errorf("got %v", err)
	}
}

// A script may write its answers before they are asked for; one that nothing
// asked for is reported at the end.
func TestDoorTakesEarlyAnswers(t *testing.T) {
	v := openDoor(t, bell, "bell", 0)
	go func() {
		v.say(`{"dispatch":1,"branch":"line","value":"c"}`, `{"dispatch":2}`, `{"dispatch":3}`,
			`{"id":1,"source":"dial(number: \"12\") | line l |> hang-up(line: l)"}`)
		v.in.Close()
	}()
	for _, want := range []string{`{"dispatch":1,`, `{"dispatch":2,`, `"tier":"result"`, `{"id":null,"protocol_error":"no call 3 waits for an answer"}`} {
		if got := v.hear(); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := v.leave(); err != nil {
		t.Error(err)
	}
}

func TestDoorCancels(t *testing.T) {
	v := openDoor(t, bell, "bell", 0)
	v.say(`{"id":1,"source":"dial(number: \"12\") | line l |>\ntalk(line: l, text: \"hi\")"}`)
	v.hear()
	v.say(`{"id":2,"source":"say: never"}`, `{"id":2,"op":"cancel"}`, `{"id":1,"op":"cancel"}`)
	if got := v.hear(); !strings.Contains(got, `{"id":1,"tier":"partial","kind":"cancelled","message":"the caller stopped the reply"`) {
		t.Error(got)
	}
	if got := v.hear(); !strings.Contains(got, `{"id":2,"tier":"partial","kind":"cancelled"`) {
		t.Error(got)
	}
}

func TestDoorTimesOut(t *testing.T) {
	v := openDoor(t, bell, "bell", time.Millisecond)
	v.say(`{"id":1,"source":"dial(number: \"12\") | line l |>"}`)
	got := v.hear()
	if strings.HasPrefix(got, `{"dispatch"`) { // the call may have gone out before the time was up
		got = v.hear()
	}
	if !strings.Contains(got, "the reply took longer than 1ms") {
		t.Error(got)
	}
}

// FuzzDoor writes lines of any kind to a door. Each that is not blank gets one
// answer, which is one JSON object, but for a cancel, which is answered by what
// it stops; then the door closes the session.
func FuzzDoor(f *testing.F) {
	for _, seed := range []string{
		"{\"id\":1,\"source\":\"find(code: \\\"P1\\\") | ok p |>\"}\n{\"id\":2,\"op\":\"bindings\"}", "\n \r\n{}\n[1]\nnull\n\"x\"\n",
		"{\"id\":{\"a\":[1,2]},\"op\":\"vocabulary\"}\n{\"op\":\"grammar\"}\n{\"op\":\"manifest\"}\n{\"op\":\"held\"}",
		"{\"dispatch\":1,\"branch\":\"ok\"}\n{\"id\":1,\"op\":\"cancel\"}\n{\"id\":1,\"source\":\"say: x\"}\n{\"op\":\"close\"}\n{\"op\":\"held\"}",
		"{\"id\":1,\"source\":\"\\u0000\\ud800\"}\n{\"id\":1e400,\"op\":\"run\",\"source\":7}\n\xff\xfe",
	} {
		f.Add(seed)
	}
	program := compile(f, pantry, (&kitchen{quiet: true}).bodies())
	f.Fuzz(func(t *testing.T, in string) {
		var out, log bytes.Buffer
		d := NewDoor(strings.NewReader(in), &out, 0)
		b, err := Create(Options{ID: "t", Program: program, Scope: "pantry", Serve: d.Serve, Introspect: true, Log: &log})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Open(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		most := 0
		for line := range strings.SplitSeq(in, "\n") {
			if strings.TrimSpace(line) != "" {
				most++
			}
		}
		answers := 0
		for line := range bytes.Lines(out.Bytes()) {
			answers++
			if !json.Valid(line) || line[0] != '{' {
				t.Fatalf("no JSON object: %q", line)
			}
		}
		if answers > most || answers == 0 && most > 0 && !strings.Contains(in, "cancel") {
			t.Errorf("%d lines got %d answers:\n%s", most, answers, out.String())
		}
		if turn := b.Run(t.Context(), "say: x"); turn.Tier != TierError {
			t.Error("the session is still open")
		}
	})
}
