package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/stdlib"
)

// sourced is one property of bridge.md 12.4, named by its id: replies on one
// session of the pantry and what the last of them must come to.
type sourced struct {
	id, what string
	replies  []string
	tier     Tier
	// lines are the report lines of the last reply that the claim is about; a
	// line that ends in … is a beginning.
	lines   []string
	holds   []string // what the report holds somewhere
	calls   string   // bodies that ran in the last reply
	said    string   // what was said in all
	ran, of int      // 0 for any
	with    func(*Options)
}

func introspected(o *Options) { o.Introspect = true }

var claims = []sourced{
	{id: "B02", what: "a verb that nobody granted", replies: []string{`rm(path: "/")`}, tier: TierError,
		lines: []string{"step 1/1 event-denied rm…"}},
	{id: "B03 counted", what: "a counted token", replies: []string{`unlock(door: "north") | opened r |>`, `count(room: "h:Room:2", what: "jars") | total n |>`}, tier: TierError,
		lines: []string{"step 1/1 dispatch-error count: HandleNotHeld…"}},
	{id: "B03 copied", what: "a copied token", replies: []string{`unlock(door: "north") | opened r |>`, `count(room: "h:Room:7ba8ac", what: "jars") | total n |>`}, tier: TierError,
		lines: []string{"step 1/1 dispatch-error count: HandleNotHeld…"}},
	{id: "B06", what: "an unarmed mint is named and can be released", tier: TierResult,
		replies: []string{`unlock(door: "north") | stuck why |>`, `release(r: r1)`}, calls: "seal",
		lines: []string{`step 1/1 result: {"branch":""} bound: r2`}},
	{id: "B08", what: "abandon is the third verdict of four", tier: TierPartial, ran: 3, of: 4,
		replies: []string{"find(code: \"P1\") | ok a |>\nfind(code: \"P1\") | ok b |>\nabandon(reason: \"enough\")\nfind(code: \"P1\") | ok c |>"}, calls: "find find",
		lines: []string{"step 3/4 abandoned: enough"}},
	{id: "B09", what: "a chain of eight, each step bound", tier: TierResult, ran: 8, of: 8, calls: "find find find find find find find say",
		replies: []string{strings.Join([]string{
			`find(code: "P1") | ok c1 |>`, `find(code: "P1") | ok c2 |>`, `find(code: "P1") | ok c3 |>`, `find(code: "P1") | ok c4 |>`,
			`find(code: "P1") | ok c5 |>`, `find(code: "P1") | ok c6 |>`, `find(code: "P1") | ok c7 |>`, `say(text: "{{ c1 }} {{ c7 }}")`}, "\n")},
		said:  "shelf 4 shelf 4",
		lines: []string{`step 1/8 result: {"branch":"ok","value":"shelf 4"} bound: r1`, `step 8/8 result: {"branch":""} bound: r8`}},
	{id: "B10", what: "a splice of a field that is not there", tier: TierPartial, calls: "find",
		replies: []string{"find(code: \"P1\") | ok u |>\nsay(text: \"Hello {{ u.name }}\")"},
		lines: []string{`step 1/2 result: {"branch":"ok","value":"shelf 4"} bound: r1`,
			`step 2/2 dispatch-error say: '{ u.name }' — the bound value 'u' carries no field 'name'…`}},
	{id: "B11", what: "an outcome that nobody armed stops the reply", tier: TierUnhandled, calls: "find",
		replies: []string{"find(code: \"P9\") | ok u |>\nsay(text: \"Hello {{ u.name }}\")"},
		lines: []string{`step 1/2 unhandled-branch: error — {"branch":"error","value":"Error: parcel P9 not found"} (held []) bound: r1`,
			`  arm it: | error e |>`, `step 2/2 refused say: '{ u.name }' — 'u' was never bound (step 1 fired error)`}},
	{id: "B12", what: "armed, the same outcome is a result", tier: TierResult, calls: "find",
		replies: []string{"find(code: \"P9\") | ok u |>\n| error e |>"},
		lines:   []string{`step 1/1 result: {"branch":"error","value":"Error: parcel P9 not found"} bound: r1`}},
	{id: "B13", what: "an invented arm is refused before the call", tier: TierError, calls: "",
		replies: []string{`find(code: "P1") | okay u |>`},
		lines:   []string{"step 1/1 shape-error find: 'okay' is not an outcome of 'find' — declared: ok, error…"}},
	{id: "B16 denied", what: "a listing without introspection", tier: TierError,
		replies: []string{`vocabulary()`}, lines: []string{"step 1/1 event-denied vocabulary…"}},
	{id: "B16 granted", what: "a listing with introspection shows what was taught and what is alive", tier: TierResult, with: introspected,
		replies: []string{"tor look { code: string } | ok string | error string\nlook = find(code)", `look(code: "P1") | ok p |>`, `vocabulary()`}, calls: "",
		holds: []string{`look(code: string) | ok string | error string [cost 2]`, `Live bindings:\nr1 = `}},
	{id: "B17", what: "say, note, listing and call in one reply", tier: TierResult, with: introspected, calls: "say find",
		replies: []string{"say: One moment.\nnote: looking it up\nvocabulary()\nfind(code: \"P1\") | ok p |>"}, said: "One moment.", ran: 3, of: 3},
	{id: "B18 first", what: "a foreign tool call first", tier: TierError, replies: []string{"tool_call: find"},
		lines: []string{"step 1/1 parse-error: 'tool_call: find' is not wire…"}},
	{id: "B18 after", what: "a foreign tool call after a good step", tier: TierResidue, calls: "find",
		replies: []string{"find(code: \"P1\") | ok p |>\ntool_call: find"},
		lines:   []string{"step 2/2 parse-error: 'tool_call: find' is not wire…"}},
	{id: "B26 recursion", what: "a definition that calls itself", tier: TierError,
		replies: []string{"tor look { code: string } | ok string | error string\nlook = look(code)"}, lines: []string{"step 1/1 validation-error look: 'look' calls itself — definitions must terminate…"}},
	{id: "B26 outcome", what: "a definition that does not say how it can end", tier: TierError,
		replies: []string{"tor look { code: string } | ok string | missing\nlook = find(code)"}, lines: []string{"step 1/1 validation-error look: 'look' can end in 'error' but does not declare it…"}},
	{id: "B26 verb", what: "a definition over a verb that nobody granted", tier: TierError,
		replies: []string{"tor wipe { path: string }\nwipe = rm(path)"}, lines: []string{"step 1/1 validation-error wipe: 'wipe' calls 'rm', which scope 'pantry' does not grant…"}},
	{id: "B26 mint", what: "a definition that hides what it mints", tier: TierError,
		replies: []string{"tor enter { door: string } | opened *Room | stuck string\nenter = unlock(door)"}, lines: []string{"step 1/1 validation-error enter: 'enter' mints <unlocked!> but its signature does not say so…"}},
	{id: "B29", what: "the payload of an unarmed ok stays bound", tier: TierResult, said: "shelf 4", calls: "say",
		replies: []string{`find(code: "P1") | error e |>`, `say(text: "{{ r1 }}")`}},
}

// TestClaims holds the session to what its source documents say of it, claim by
// claim.
func TestClaims(t *testing.T) {
	for _, c := range claims {
		t.Run(c.id, func(t *testing.T) {
			change := []func(*Options){}
			if c.with != nil {
				change = append(change, c.with)
			}
			r := openPantry(t, change...)
			var turn *Turn
			for _, reply := range c.replies {
				r.calls = nil
				turn = r.send(reply)
			}
			if turn.Tier != c.tier {
				t.Errorf("%s: tier %s, want %s\n%s", c.what, turn.Tier, c.tier, report(turn))
			}
			trace := strings.Join(turn.Trace(), "\n")
			for _, line := range c.lines {
				if !reported(trace, line) {
					t.Errorf("%s: no line %q in\n%s", c.what, line, trace)
				}
			}
			for _, text := range c.holds {
				if !strings.Contains(trace, text) {
					t.Errorf("%s: nothing like %q in\n%s", c.what, text, trace)
				}
			}
			if got := strings.Join(r.calls, " "); got != c.calls {
				t.Errorf("%s: bodies that ran: %q, want %q", c.what, got, c.calls)
			}
			if got := strings.Join(r.said, "|"); got != c.said {
				t.Errorf("%s: said %q, want %q", c.what, got, c.said)
			}
			if c.of != 0 && (turn.Ran != c.ran || turn.Of != c.of) {
				t.Errorf("%s: %d/%d ran, want %d/%d", c.what, turn.Ran, turn.Of, c.ran, c.of)
			}
		})
	}
}

func reported(trace, line string) bool {
	begin, ok := strings.CutSuffix(line, "…")
	for got := range strings.SplitSeq(trace, "\n") {
		if got == line || ok && strings.HasPrefix(got, begin) {
			return true
		}
	}
	return false
}

// B05: the file of a definition holds the text the model sent, byte for byte.
func TestClaimB05(t *testing.T) {
	world := filepath.Join(t.TempDir(), "world")
	r := openPantry(t, func(o *Options) { o.World = world })
	text := "tor look { code: string }   | ok string | error string\nlook = find( code )"
	r.send(text)
	got, err := os.ReadFile(filepath.Join(world, "look.k"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(text+"\n", string(got)); d != "" {
		t.Errorf("(-sent +kept)\n%s", d)
	}
}

// B15: a host may leave out the findings, but not the failure.
func TestClaimB15(t *testing.T) {
	program := func(arms string) string {
		return "import std/bridge\n\ntor turn { br: *std/bridge:Bridge<session>, text: string }\nturn = std/bridge:run(br, source: text)\n" + arms
	}
	for _, tt := range []struct{ arms, want string }{
		{"| result _ |> _\n| error _ |> _\n", ""},
		{"| result _ |> _\n", "KORU022"},
	} {
		var codes []string
		for _, d := range check.Source("host.k", program(tt.arms), check.Options{Std: stdlib.FS()}).Diagnostics {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want {
			t.Errorf("a host with the arms\n%s has the findings %q, want %q", tt.arms, got, tt.want)
		}
	}
}
