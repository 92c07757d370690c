package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a definition must obey, and the words of each refusal (bridge.md 8.2,
// 8.3, R36, R57).
func TestDefinitionRefusals(t *testing.T) {
	for _, tt := range []struct{ name, reply, want string }{
		{"half", "tor w { code: string }", "parse-error: A definition must be a tor declaration followed by its flow: `tor name { args }` then `name = ...`"},
		{"no name", "tor { code: string }\nw = find(code)", "parse-error: Definition has no name"},
		{"empty body", "tor w { code: string } | ok string | error string\nw =", "parse-error: Definition body is empty"},
		{"two names", "tor w { code: string } | ok string | error string\nv = find(code)", "parse-error: the flow names 'v', the declaration names 'w'"},
		{"snake case", "tor get_it { code: string } | ok string | error string\nget_it = find(code)", "parse-error: '_' in the name of a tor: write 'get-it'"},
		{"one outcome", "tor w { code: string } | ok string\nw = find(code)", "parse-error w: 'ok' is the only outcome, so there is nothing to tell apart: declare 'w' with -> string"},
		{"a verb outside the scope", "tor w { path: string } | ok string | error string\nw = rm(path)", "validation-error w: 'w' calls 'rm', which scope 'pantry' does not grant"},
		{"a control tor", "tor w { code: string } | ok string | error string\nw = if(true)", "validation-error w: 'w' calls 'if', which scope 'pantry' does not grant"},
		{"a field", "tor w { kode: string } | ok string | error string\nw = find(kode)", "validation-error w: 'find' has no field 'kode' (fields: code) — did you mean 'code'?"},
		{"a type", "tor w { code: i64 } | ok string | error string\nw = find(code)", "validation-error w: 'code' wants string, got i64"},
		{"an outcome it hides", "tor w { code: string } | ok string | no\nw = find(code)", "validation-error w: 'w' can end in 'error' but does not declare it"},
		{"a payload it hides", "tor w { code: string } | ok string | error\nw = find(code)", "validation-error w: 'w' declares '| error' without a payload; the body yields string"},
		{"an arm it lacks", "tor w { code: string } | ok string | no\nw = find(code)\n| ok p => ok p", "validation-error w: 'w' can end in 'error' but does not declare it"},
		{"a name that is no parameter", "tor w { code: string } | ok string | error string\nw = find(code: x)", "validation-error w: 'w' uses 'x', which is no parameter"},
		{"itself", "tor w { code: string } | ok string | error string\nw = w(code)", "validation-error w: 'w' calls itself — definitions must terminate"},
		{"a granted name", "tor find { code: string } | ok string | error string\nfind = find(code)", "validation-error find: 'find' is already granted by scope 'pantry'"},
		{"a word of the wire", "tor release { code: string } | ok string | error string\nrelease = find(code)", "validation-error release: 'release' is a word of the wire: a definition needs a name of its own"},
		{"an unsaid debt", "tor w { door: string } | opened | stuck string\nw = unlock(door)\n| opened r => opened\n| stuck s => stuck s", "validation-error w: 'w' mints <unlocked!> but its signature does not say so"},
		{"an unpaid debt", "tor w { room: *Room<!unlocked>, what: string } | total i64 | none\nw = count(room, what)", "validation-error w: 'w' declares <!unlocked> but never discharges it"},
		{"a debt it takes over", "tor w { room: *Room<unlocked> }\nw = seal(room)", "validation-error w: 'w' discharges <!unlocked> but its signature does not say so"},
		{"a guard", "tor w { code: string } | ok string | error string\nw = find(code)\n| ok p when p == \"x\" => ok p\n| ok p => error p", "parse-error: the body of 'w' is one call or one chain, and has no guards: 'when' belongs to files"},
		{"a loop", "tor w { code: string } | ok string | error string\nw = #again find(code)\n| error _ |> @again(code)", "parse-error: the body of 'w' is one call or one chain, and has no labels and no jumps: definitions must terminate"},
		{"the removed constructor", "tor w { code: string } | ok string | no\nw = find(code)\n| error _ |> no", "validation-error w: '|>' introduces a step, not a value: construct the outcome with '=> no'"},
		{"an effect", "tor w { code: string } ! line string | ok string | error string\nw = find(code)", "validation-error w: 'w' pulses effects; a wire item cannot arm one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := openPantry(t)
			turn := r.send(tt.reply)
			want := "step 1/1 " + tt.want
			if got := turn.Trace()[0]; !strings.HasPrefix(got, strings.Replace(want, "parse-error w", "parse-error", 1)) || turn.Tier != TierError {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if len(r.calls) > 0 || len(r.words.Defined) > 0 {
				t.Errorf("called %q, defined %d", r.calls, len(r.words.Defined))
			}
		})
	}
}

func TestDefinitionRuns(t *testing.T) {
	dir := t.TempDir()
	r := openPantry(t, func(o *Options) { o.World, o.Introspect = filepath.Join(dir, "w"), true })
	source := "tor pack { room: string, crate: string } | stowed | full string\npack = stow(room, crate)"
	for _, turn := range []struct{ reply, want string }{
		{source, "defined\nstep 1/1 defined pack: costs 11"},
		{`unlock(door: "north") | opened r |>`, "result\nstep 1/1 result: {\"branch\":\"opened\",\"value\":\"h:Room:7ba8ac\"} bound: r1"},
		{`pack(room: r1, crate: "C1") | stowed |>`, "result\nstep 1/1 result: {\"branch\":\"stowed\"} bound: r2"},
		{`pack(room: r1, crate: "big") | full why |> say(text: why)`, "result\nstep 1/2 result: {\"branch\":\"full\",\"value\":\"no room for big\"} bound: r3\nstep 2/2 result: {\"branch\":\"\"} bound: r4"},
		{`pack(room: r1, crate: "bad") | stowed |>`, "error\nstep 1/1 dispatch-error pack: in 'pack': the crate broke"},
		{`pack(room: r2, crate: "C1") | stowed |>`, "error\nstep 1/1 dispatch-error pack: HandleNotHeld — live here: r1"},
		{`pack(room: "h:Room:7ba8ac", crate: "C1") | stowed |>`, "error\nstep 1/1 dispatch-error pack: HandleNotHeld — live here: r1"},
		{`pack(room: r9, crate: "C1") | stowed |>`, "error\nstep 1/1 dispatch-error pack: HandleNotHeld — live here: r1"},
		{"tor visit { door: string } | done string | stuck string\nvisit = unlock(door)\n| opened r |> pack(room: r, crate: \"C1\")\n    | stowed |> seal(room: r) => done \"yes\"\n    | full why |> seal(room: r) => done why\n| stuck s => stuck s",
			"defined\nstep 1/1 defined visit: costs 3 to 15"},
		{`visit(door: "south") | done d |> say(text: "{{ d }}")`, "result\nstep 1/2 result: {\"branch\":\"done\",\"value\":\"yes\"} bound: r5\nstep 2/2 result: {\"branch\":\"\"} bound: r6"},
	} {
		if diff := cmp.Diff(turn.want, report(r.send(turn.reply))); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", turn.reply, diff)
		}
	}
	if got := r.pool.count(); got != 1 {
		t.Errorf("holds %d, want 1", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "w", "pack.k")); err != nil || string(data) != source+"\n" {
		t.Errorf("the world keeps %q (%v)", data, err)
	}
	for _, line := range []string{"pack(room: string, crate: string) | stowed | full string [cost 11]", "visit(door: string) | done string | stuck string [cost 3..15]", "r1 = h:Room:7ba8ac"} {
		if v := r.Vocabulary(); !strings.Contains(v, line) {
			t.Errorf("the vocabulary lacks %q:\n%s", line, v)
		}
	}
}
