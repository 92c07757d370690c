package bridge

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// A session keeps its newest 4,096 results of plain data, and every one that
// leads to a live handle (R62).
func TestResultsAreKept(t *testing.T) {
	r := openPantry(t)
	r.quiet = true
	r.send(`unlock(door: "north") | opened _ |>`) // r1
	for range keptResults + 2 {
		r.send(`find(code: "P1") | ok _ |>`)
	}
	for _, tt := range []struct{ reply, want string }{
		{`count(room: r1, what: "jars") | total n |>`, "result"},
		{`say(text: "{{ r3 }}")`, "step 1/1 dispatch-error say: '{ r3 }' — r3 is no longer kept (newest 4,096 are)"},
		{`say(text: r3)`, "step 1/1 dispatch-error say: r3 is no longer kept (newest 4,096 are)"},
		{`say(text: r10)`, "step 1/1 result"},
		{`seal(room: r1)`, "step 1/1 result"},
		{`say(text: r1)`, "step 1/1 dispatch-error say: r1 is no longer kept (newest 4,096 are)"},
	} {
		if got := report(r.send(tt.reply)); !strings.Contains(got, tt.want) {
			t.Errorf("%s\n%s", tt.reply, got)
		}
	}
	if n := len(r.results.ring); n != keptResults {
		t.Errorf("the ring has %d places", n)
	}
	if live := r.Bindings(); len(live) != keptResults {
		t.Errorf("%d live bindings", len(live))
	}
}

func TestResultsWeigh(t *testing.T) {
	var table results
	heavy := eval.StringValue(strings.Repeat("x", keptWeight/4))
	for range 10 {
		table.bind(result{outcome: eval.Delivered("", heavy)})
	}
	if table.len != 3 || table.last() != 10 || table.find(7) != nil || table.find(8) == nil {
		t.Errorf("keeps %d of %d, weighing %d", table.len, table.last(), table.weight)
	}
}

// Results of handles that are gone are forgotten, however many there were.
func TestOldHandlesAreForgotten(t *testing.T) {
	r := openPantry(t)
	r.quiet = true
	for i := range 2 * keptResults {
		r.send(fmt.Sprintf("unlock(door: \"d\") | opened o |>\nseal(room: r%d)", 2*i+1))
	}
	if n := len(r.results.older); n > 100 {
		t.Errorf("keeps %d results of handles that are gone", n)
	}
	if r.pool.count() != 0 {
		t.Errorf("holds %d", r.pool.count())
	}
}

// Each limit has its message, and the manual of the wire names it.
func TestLimits(t *testing.T) {
	manual, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	step := `find(code: "P1") | ok _ |>`
	var fields string
	for i := range maxFields + 1 {
		fields += fmt.Sprintf("f%d: 1, ", i)
	}
	chain := strings.Repeat(step+" ", maxChain) + step
	for _, tt := range []struct {
		name, reply string
		verdict     string
		says        string // as the manual says it, with N for a number
		n           string
	}{
		{"bytes", "say: " + strings.Repeat("x", maxReply), "parse-error: ",
			"the reply has more than 1048576 bytes, and no reply may: send it in parts", ""},
		{"steps", strings.Repeat("ping()\n", maxSteps+1), "parse-error: ",
			"the reply has N steps, and no reply may have more than 1000: send it in parts", "1001"},
		{"chain", chain, "parse-error: ",
			"an item of the reply has N calls, and none may have more than 100: begin a new item", "101"},
		{"splices of a text", "find(code: \"J\") | ok p |>\nsay(text: \"" + strings.Repeat("{{ p }}", 60_000) + "\")", "dispatch-error say: '{ p }' — ",
			"the text grows beyond 1048576 bytes", ""},
		{"splices of many texts", "crate(parts: [" + strings.Repeat("{ code: \"{{ r1 }}\", n: 1 }, ", 9) + "])", "dispatch-error crate: '{ r1 }' — ",
			"the text grows beyond 1048576 bytes", ""},
		{"weight of what goes in", "crate(parts: [" + strings.Repeat("{ code: r1, n: 1 }, ", 200) + "])", "validation-error crate: 'crate.parts' ",
			"would weigh more than 16777216 bytes, and no value may", ""},
		{"weight of what comes out", "crate(parts: [])", "dispatch-error crate: ",
			"what it delivered weighs more than 16777216 bytes, and no value may", ""},
		{"fields", "crate(parts: [{ " + fields + " }])", "validation-error crate: ",
			"a record has more than 4096 fields, and none may", ""},
		{"nesting", "find(code: " + strings.Repeat("[", 300) + "\"x\"" + strings.Repeat("]", 300) + ")", "parse-error: ",
			"nested too deeply: at most 250 levels are understood", ""},
		{"nesting of JSON", "crate(parts: \"" + strings.Repeat("[", 65) + "\")", "validation-error crate: ",
			"lists nested more than 64 deep", ""},
		{"definitions", "tor one-more { code: string } | ok string | error string\none-more = find(code)", "validation-error one-more: ",
			"the session has 256 definitions, and no session has more: redefine one", ""},
		{"handles", "unlock(door: \"x\") | opened _ |>", "dispatch-error unlock: ",
			"the session holds 65536 handles, and no session holds more: let some go first", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := openOn(t, pantry+crates, "crates", func(o *Options) { o.Interpose = heavy })
			r.quiet = true
			switch tt.name {
			case "definitions":
				for i := range maxDefinitions {
					r.send(fmt.Sprintf("tor d%d { code: string } | ok string | error string\nd%d = find(code)", i, i))
				}
			case "handles":
				for range maxHandles / 512 {
					r.send(strings.Repeat("unlock(door: \"d\") | opened _ |>\n\n", 512))
				}
			default:
				r.send("find(code: \"HEAVY\") | ok _ |>")
			}
			got := report(r.send(tt.reply))
			if says := strings.Replace(tt.says, "N", tt.n, 1); !strings.Contains(got, " "+tt.verdict) || !strings.Contains(got, says) {
				t.Errorf("%.300s", got)
			}
			if !strings.Contains(string(manual), tt.says) {
				t.Errorf("the manual does not name it: %s", tt.says)
			}
		})
	}
}

// crates is a scope with a verb for values of every size.
const crates = `
pub tor crate { parts: []{ code: string, n: i64 } } -> string

std/runtime:register(scope: "crates") {
    find
    unlock
    seal
    say
    crate
}
`

// heavy makes some verbs deliver much.
func heavy(bodies Server) Server {
	return func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
		switch {
		case v.Name == "crate":
			return eval.Delivered("", eval.StringValue(strings.Repeat("x", maxValue+1))), nil
		case v.Name == "find" && args[0].Str() == "HEAVY":
			return eval.Delivered("ok", eval.StringValue(strings.Repeat("x", 200_000))), nil
		}
		return bodies(ctx, v, args)
	}
}

// Definitions of definitions cannot blow up: what one call expands to is
// bounded when it is defined, and so is how deep they nest.
func TestExpansionIsBounded(t *testing.T) {
	r := openPantry(t)
	define := func(name, body string) string {
		return report(r.send(fmt.Sprintf("tor %s { code: string } -> string\n%s", name, body)))
	}
	previous, got := "find-it", ""
	if got = report(r.send("tor find-it { code: string } -> string\nfind-it = find(code)\n| ok s -> s\n| error e -> e")); !strings.HasPrefix(got, "defined") {
		t.Fatal(got)
	}
	for i := 0; strings.HasPrefix(got, "defined") || i == 0; i++ {
		name := fmt.Sprintf("double-%d", i)
		got = define(name, fmt.Sprintf("%s = %s(code): a |> %s(code: a): b -> b", name, previous, previous))
		previous = name
		if i > 40 {
			t.Fatal("definitions double for ever")
		}
	}
	if !strings.Contains(got, "expands to more than 10,000 calls, and no definition may: teach a smaller one") {
		t.Error(got)
	}
	got, previous = "", "find-it"
	for i := 0; strings.HasPrefix(got, "defined") || i == 0; i++ {
		name := fmt.Sprintf("deep-%d", i)
		got = define(name, fmt.Sprintf("%s -> %s(code)", name, previous))
		previous = name
	}
	if !strings.Contains(got, "leads through 33 definitions inside each other, and at most 32 may nest") {
		t.Error(got)
	}
	if got := report(r.send(`deep-30(code: "P1")`)); !strings.Contains(got, `{"branch":"","value":"shelf 4"}`) {
		t.Error(got)
	}
	if got := report(r.send(`double-5(code: "P1")`)); !strings.Contains(got, `not found`) {
		t.Error(got)
	}
}

// Arms that several steps share may not make the judging of a definition
// explode: every level below doubles what the flow comes to.
func TestSharedArmsAreBounded(t *testing.T) {
	const levels = 30
	var body strings.Builder
	body.WriteString("tor deep { code: string } | ok string | error string\ndeep = find(code) |> find()")
	for i := range levels {
		fmt.Fprintf(&body, "\n%s| error e%d |> find(code: e%d) |> find()", strings.Repeat("    ", i), i, i)
	}
	fmt.Fprintf(&body, "\n%s| error e => error e", strings.Repeat("    ", levels))
	r := openPantry(t)
	if got := report(r.send(body.String())); !strings.Contains(got, "the arms below these chains multiply") {
		t.Error(got)
	}
}

// Many sessions over one program, each from several goroutines.
func TestSessionsInParallel(t *testing.T) {
	k := &kitchen{quiet: true}
	program := compile(t, pantry, k.bodies())
	var wg sync.WaitGroup
	for s := range 8 {
		b, err := Create(Options{ID: fmt.Sprint("s", s), Program: program, Scope: "pantry", Introspect: true})
		if err != nil {
			t.Fatal(err)
		}
		for g := range 3 {
			wg.Go(func() {
				for i := range 30 {
					turn := b.Run(context.Background(), fmt.Sprintf("find(code: \"P1\") | ok p |>\ntor t%d { code: string } | ok string | error string\nt%d = find(code)\nt%d(code: \"P1\") | ok q |> say: x", g, g, g))
					if turn.Err != nil && turn.Err.Kind != VerdictParse {
						t.Error(report(turn))
					}
					turn = b.Run(context.Background(), "unlock(door: \"n\") | opened r |> seal(room: r)")
					if turn.Tier != TierResult {
						t.Error(report(turn))
					}
					_, _, _, _ = b.Vocabulary(), b.Held(), b.Bindings(), i
				}
			})
		}
	}
	wg.Wait()
}

// heapOf returns how much the heap grows by what make returns.
func heapOf(make func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// idle opens sessions that have answered one reply each.
func idle(t testing.TB, program *eval.Program, n int) []*Bridge {
	sessions := make([]*Bridge, n)
	for i := range sessions {
		b, err := Create(Options{ID: fmt.Sprint(i), Program: program, Scope: "pantry"})
		if err != nil {
			t.Fatal(err)
		}
		if turn := b.Run(context.Background(), `find(code: "P1") | ok p |>`); turn.Tier != TierResult {
			t.Fatal(report(turn))
		}
		sessions[i] = b
	}
	return sessions
}

// 10,000 sessions that nobody talks to take less than 100 MB.
func TestIdleSessionsAreSmall(t *testing.T) {
	program := compile(t, pantry, (&kitchen{quiet: true}).bodies())
	if took := heapOf(func() any { return idle(t, program, 10_000) }); took > 100e6 {
		t.Errorf("10,000 sessions take %d bytes", took)
	} else {
		t.Logf("10,000 sessions take %.1f MB", float64(took)/1e6)
	}
}

// longReply is a reply of 20 steps that leaves nothing behind but its results.
var longReply = strings.Repeat(`find(code: "P1") | ok _ |> say(text: "again and again")`+"\n", 8) +
	"unlock(door: \"north\") | opened r |> count(room: r, what: \"jars\") | total n |> say(text: \"{{ n }}\") |> seal(room: r)"

// talkedTo sends a session as many long replies as make so many steps.
func talkedTo(t testing.TB, r *room, steps int) {
	for range steps / 20 {
		if turn := r.send(longReply); turn.Tier != TierResult || turn.Ran != 20 {
			t.Fatal(report(turn))
		}
		r.said = r.said[:0]
	}
}

// However many steps a session makes, it keeps its newest results and no more
// (R62).
func TestLongSessionsStaySmall(t *testing.T) {
	r := openPantry(t)
	r.quiet = true
	talkedTo(t, r, 20_000)
	if grown := heapOf(func() any { talkedTo(t, r, 40_000); return r }); grown > 1e6 {
		t.Errorf("40,000 more steps take %d bytes", grown)
	} else {
		t.Logf("40,000 more steps take %d bytes", grown)
	}
}

// What a session remembers of payloads for good are copies: a text of a few
// bytes does not keep the answer alive that it came in (R6, R62).
func TestKnownTextsAreCopies(t *testing.T) {
	p := newPool("a", 0, nil)
	grown := heapOf(func() any {
		for i := range 50 {
			answer := strings.Repeat(fmt.Sprintf("card_%02d ", i), 1<<17) // 1 MiB
			p.learn(openState, answer[:7])
			if _, err := p.mint(mint{handle: answer[8:15] + fmt.Sprint(i), owed: true, owes: openState, resource: "string", scope: "s"}); err != nil {
				t.Fatal(err)
			}
			if _, err := p.mint(mint{handle: answer[16:23], owed: true, owes: dirState, resource: "string", scope: "s"}); err != nil {
				t.Fatal(err)
			}
		}
		return p
	})
	if len(p.known) != 50 || p.count() != 100 || grown > 1<<20 {
		t.Errorf("%d texts and %d handles take %d bytes", len(p.known), p.count(), grown)
	}
}

// A closed session runs nothing; a cancelled reply stops between two steps.
func TestStoppedSessions(t *testing.T) {
	r := openPantry(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	turn := r.Run(ctx, "find(code: \"P1\") | ok p |>\nsay: x")
	if turn.Tier != TierPartial || turn.Kind != VerdictCancelled || turn.Ran != 0 || len(r.calls) > 0 {
		t.Error(report(turn))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := report(r.send(`find(code: "P1")`)); got != "error\ndispatch-error: the session 'kopium' is closed" {
		t.Error(got)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
