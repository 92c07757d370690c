package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// property is one thing that the documents of the bridge ask for, in our words,
// and a short program that shows it. Its id is the one it has there: 430 is
// std/runtime, 440 the resource bridge, 410 the budget, B what we ask of
// ourselves (bridge.md 12). An id may have several claims.
type property struct {
	id, what string
	proof    proof
}

// proof shows a claim, or says why it cannot be shown here.
type proof interface{ show(t *testing.T) }

// wire sends replies to one session of the pantry. What is said of a reply is
// said of the last one.
type wire struct {
	replies []string
	with    func(*Options)
	tier    Tier
	// lines are the report lines that the claim is about; a line that ends in …
	// is a beginning.
	lines   []string
	holds   []string // what the report holds somewhere
	calls   string   // bodies that ran
	said    string   // what was said by all replies
	ran, of int      // 0 for any
}

// program runs a program of one file, as koru run does.
type program struct {
	source string
	prints string // on standard output
	says   string // on standard error
	fails  string // what its failure holds, or the code of a finding that keeps it from running
	with   func(*check.Options)
}

// shown is a proof that needs more than a program.
type shown func(t *testing.T)

// elsewhere names the test of another package that shows the claim: it needs
// rooms that this one cannot import.
type elsewhere struct{ file, test string }

// inapplicable says why there is nothing to show.
type inapplicable string

// claimIDs lists the ids that the documents give.
const claimIDs = `
430_001 430_002 430_010 430_011 430_012 430_013 430_014 430_015 430_016 430_017 430_018 430_019 430_020 430_021 430_022
430_023 430_024 430_025 430_026 430_030 430_035 430_036 430_037 430_038 430_039 430_040 430_041 430_042 430_043 430_044
430_045 430_046 430_047 430_048 430_049 430_050 430_051 430_052 430_053 430_054 430_055 430_056 430_057 430_058 430_059
430_060 430_061 430_062 430_063 430_064 430_065
440_001 440_002 440_003 440_004 440_005 440_006 440_007 440_008 440_009 440_010 440_011 440_012 440_013 440_014 440_015
440_016 440_017 440_018-440_040 440_041
410_001 410_002 410_003 410_004 410_005 410_006 410_010
B01 B02 B03 B04 B05 B06 B07 B08 B09 B10 B11 B12 B13 B14 B15 B16 B17 B18 B19 B20 B21 B22 B23 B24 B25 B26 B27 B28 B29 B30`

func claims() []property {
	return slices.Concat(runtimeClaims, possessionClaims, budgetClaims, wireClaims)
}

// TestClaims holds the session to what its source documents say of it, claim by
// claim.
func TestClaims(t *testing.T) {
	for _, c := range claims() {
		if why, ok := c.proof.(inapplicable); ok {
			t.Logf("%s %s: %s", c.id, c.what, why)
			continue
		}
		t.Run(c.id+" "+c.what, func(t *testing.T) { c.proof.show(t) })
	}
}

// Every id has a claim, every claim an id, and what cannot be shown says why.
func TestClaimsAreComplete(t *testing.T) {
	var ids []string
	for _, c := range claims() {
		if c.what == "" || c.proof == nil {
			t.Errorf("%s is not stated", c.id)
		}
		if why, ok := c.proof.(inapplicable); ok && len(why) < 20 {
			t.Errorf("%s is left out for no reason", c.id)
		}
		ids = append(ids, c.id)
	}
	want := strings.Fields(claimIDs)
	for _, id := range want {
		if !slices.Contains(ids, id) {
			t.Errorf("nothing shows %s", id)
		}
	}
	for _, id := range ids {
		if !slices.Contains(want, id) {
			t.Errorf("no document asks for %s", id)
		}
	}
}

func (w wire) show(t *testing.T) {
	var change []func(*Options)
	if w.with != nil {
		change = append(change, w.with)
	}
	r := openPantry(t, change...)
	var turn *Turn
	for _, reply := range w.replies {
		r.calls = nil
		turn = r.send(reply)
	}
	if turn.Tier != w.tier {
		t.Errorf("tier %s, want %s\n%s", turn.Tier, w.tier, report(turn))
	}
	trace := strings.Join(turn.Trace(), "\n")
	for _, line := range w.lines {
		if !reported(trace, line) {
			t.Errorf("no line %q in\n%s", line, trace)
		}
	}
	for _, text := range w.holds {
		if !strings.Contains(trace, text) {
			t.Errorf("nothing like %q in\n%s", text, trace)
		}
	}
	if got := strings.Join(r.calls, " "); got != w.calls {
		t.Errorf("bodies that ran: %q, want %q", got, w.calls)
	}
	if got := strings.Join(r.said, "|"); got != w.said {
		t.Errorf("said %q, want %q", got, w.said)
	}
	if w.of != 0 && (turn.Ran != w.ran || turn.Of != w.of) {
		t.Errorf("%d/%d ran, want %d/%d", turn.Ran, turn.Of, w.ran, w.of)
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

func (p program) show(t *testing.T) {
	var with []func(*check.Options)
	if p.with != nil {
		with = append(with, p.with)
	}
	out, log, err := runProgram(t, p.source, with...)
	if p.fails == "" && err != nil || p.fails != "" && (err == nil || !strings.Contains(err.Error(), p.fails)) {
		t.Errorf("failed with %v, want %q", err, p.fails)
	}
	if diff := cmp.Diff(p.prints, out); diff != "" {
		t.Errorf("printed (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(p.says, log); diff != "" {
		t.Errorf("said (-want +got)\n%s", diff)
	}
}

func (s shown) show(t *testing.T) { s(t) }

func (e elsewhere) show(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(e.file))
	if err != nil || !strings.Contains(string(text), "func "+e.test+"(t *testing.T)") {
		t.Errorf("%s has no test %s (%v)", e.file, e.test, err)
	}
}

func (inapplicable) show(*testing.T) {}

// tried is a program that runs a source over the scope "notes" and prints how it
// ends; more are further arguments.
func tried(source string, more ...string) string {
	return notes + tryRun + fmt.Sprintf("try(%s)\n", strings.Join(append([]string{"source: " + koruString(source)}, more...), ", "))
}

// talked is a program that sends replies to a session on the scope "notes",
// prints how each of them ends and never closes the session.
func talked(options string, replies ...string) string {
	text := notes + talk + "[with]std/bridge:create(id: \"t\", scope: \"notes\"" + options + "): br\n"
	for _, reply := range replies {
		text += "|> turn(br, text: " + koruString(reply) + ")\n"
	}
	return text
}

// koruString spells a text as a Koru string.
func koruString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

// talk is a host: what it does not arm, it does not care for.
const talk = `
tor turn { br: *std/bridge:Bridge<session>, text: string }
turn = std/bridge:run(br, source: text)
| result r |> std/interpreter:value.stringify(r.value): j |> std/io:print.ln("ok {{ j:s }} held {{ r.handles:d }}")
| error e |> std/bridge:error-decode(e)
    | parse-error p |> std/io:print.ln("not wire at {{ p.line:d }}:{{ p.column:d }}")
    | shape-error s |> std/io:print.ln("shape {{ s.branch:s }} {{ s.field:any }}")
    | event-denied v |> std/io:print.ln("no verb {{ v:s }}")
    | dispatch-error d |> std/io:print.ln("dispatch {{ d.event_name:s }} {{ d.message:s }}")
    | exhausted x |> std/io:print.ln("exhausted {{ x.used:d }} last {{ x.last_event:s }} held {{ x.handles:d }}")
    | validation-error v |> std/io:print.ln("invalid {{ v:s }}")
    | scope-not-found s |> std/io:print.ln("no scope {{ s:s }}")
| defined d |> std/io:print.ln("defined {{ d:s }}")
| unhandled-branch u |> std/io:print.ln("unhandled {{ u.branch:s }} {{ u.payload:any }} {{ u.bound:s }} {{ u.step:d }}/{{ u.steps:d }}")
| partial p |> std/io:print.ln("{{ p.ran:d }}/{{ p.of:d }} {{ p.kind:s }} {{ p.bound:any }}")
| residue r |> std/io:print.ln("residue {{ r.text:s }} {{ r.ran:d }}/{{ r.of:d }}")

`
