package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The worked example of bridge.md 5.13, one session from top to bottom.
func TestWorkedExample(t *testing.T) {
	r := openPantry(t)
	for _, turn := range []struct{ reply, want string }{
		{`unlock(door: "north") | opened r |> count(room: r, what: "jars") | total n |> say(text: "{{ n }} jars")`, `result
step 1/3 result: {"branch":"opened","value":"h:Room:7ba8ac"} bound: r1
step 2/3 result: {"branch":"total","value":12} bound: r2
step 3/3 result: {"branch":""} bound: r3`},
		{`count(room: r1, what: "figs") | total n |> say(text: "{{ n }} figs")`, `unhandled-branch
step 1/2 unhandled-branch: none — {"branch":"none"} (held [r1=h:Room:7ba8ac]) bound: r4
  arm it: | none |>
step 2/2 refused say: '{ n }' — 'n' was never bound (step 1 fired none)`},
		{"stow(room: r1, crate: \"C9\") | stowed |>\nI have stored the crate.", `residue
step 1/2 result: {"branch":"stowed"} bound: r5
step 2/2 parse-error: 'I have stored the crate.' is not wire`},
		{`stow(room: "h:Room:7ba8ac", crate: "C1") | stowed |>`, `error
step 1/1 dispatch-error stow: HandleNotHeld`},
		{`stow(room: r1, crate: "C2") | stored |>`, `error
step 1/1 shape-error stow: 'stored' is not an outcome of 'stow' — declared: stowed, full`},
		{`unlock(door: "south") | stuck why |>`, `unhandled-branch
step 1/1 unhandled-branch: opened — {"branch":"opened","value":"h:Room:323177"} (held [r1=h:Room:7ba8ac, r6=h:Room:323177]) bound: r6
  arm it: | opened o |>`},
		{`release(r: r6)`, `result
step 1/1 result: {"branch":""} bound: r7`},
		{`seal(room: r1)`, `result
step 1/1 result: {"branch":""} bound: r8`},
	} {
		lines := strings.Split(turn.want, "\n")
		got := strings.Split(report(r.send(turn.reply)), "\n")
		for i, line := range lines { // a refusal may go on with what it teaches (R33)
			if i >= len(got) || !strings.HasPrefix(got[i], line) {
				t.Fatalf("%s\n%s", turn.reply, cmp.Diff(lines, got))
			}
		}
	}
	if r.said[0] != "12 jars" || r.pool.count() != 0 {
		t.Errorf("said %q, holds %d", r.said, r.pool.count())
	}
}
