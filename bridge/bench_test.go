package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// One call, from the bytes of the reply to the lines of its report: scanned,
// judged, dispatched, bound and reported.
func BenchmarkOneCallReply(b *testing.B) {
	for _, bm := range []struct{ name, setup, reply string }{
		{"one field", "", `find(code: "P1") | ok p |>`},
		{"two fields, one quoted number", "", `weigh(code: "P1", grams: "250")`},
		{"a handle", `unlock(door: "north") | opened r |>`, `count(room: r1, what: "jars") | total n |>`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			r := openPantry(b)
			r.quiet = true
			if bm.setup != "" {
				r.send(bm.setup)
			}
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				t := r.Run(ctx, bm.reply)
				if t.Tier != TierResult || len(t.Trace()) != 1 {
					b.Fatal(report(t))
				}
			}
		})
	}
}

// The same calls as tool calls: their JSON decoded and validated against the
// schema of the verb, and nothing else.
func BenchmarkToolCallPeer(b *testing.B) {
	for _, bm := range []struct{ name, schema, call string }{
		{"one field",
			`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"],"additionalProperties":false}`,
			`{"name":"find","arguments":{"code":"P1"}}`},
		{"two fields, one quoted number",
			`{"type":"object","properties":{"code":{"type":"string"},"grams":{"type":["integer","string"],"pattern":"^-?[0-9]+$"}},"required":["code","grams"],"additionalProperties":false}`,
			`{"name":"weigh","arguments":{"code":"P1","grams":"250"}}`},
		{"a handle",
			`{"type":"object","properties":{"room":{"type":"string"},"what":{"type":"string"}},"required":["room","what"],"additionalProperties":false}`,
			`{"name":"count","arguments":{"room":"h:Room:7ba8ac","what":"jars"}}`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			document, err := jsonschema.UnmarshalJSON(strings.NewReader(bm.schema))
			if err != nil {
				b.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			if err := c.AddResource("verb.json", document); err != nil {
				b.Fatal(err)
			}
			schema, err := c.Compile("verb.json")
			if err != nil {
				b.Fatal(err)
			}
			text := []byte(bm.call)
			b.ReportAllocs()
			for b.Loop() {
				var call struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				}
				if err := json.Unmarshal(text, &call); err != nil {
					b.Fatal(err)
				}
				args, err := jsonschema.UnmarshalJSON(bytes.NewReader(call.Arguments))
				if err != nil {
					b.Fatal(err)
				}
				if err := schema.Validate(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A step of a chain: what one more costs.
func BenchmarkChain(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d steps", n), func(b *testing.B) {
			r := openPantry(b)
			r.quiet = true
			steps := make([]string, n)
			for i := range steps {
				steps[i] = fmt.Sprintf(`find(code: "P1") | ok p%d |>`, i)
			}
			reply := strings.Join(steps, "\n")
			b.ReportAllocs()
			for b.Loop() {
				if t := r.send(reply); t.Ran != n {
					b.Fatal(report(t))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
		})
	}
}

// A session that is open and idle.
func BenchmarkCreate(b *testing.B) {
	r := openPantry(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Create(Options{ID: "a", Program: r.program, Scope: "pantry"}); err != nil {
			b.Fatal(err)
		}
	}
}

// A forged handle is refused as fast whatever the session holds.
func BenchmarkForgedReply(b *testing.B) {
	for _, held := range []int{1, 1000} {
		b.Run(fmt.Sprintf("%d held", held), func(b *testing.B) {
			r := openPantry(b)
			r.quiet = true
			for range held {
				r.send(`unlock(door: "north") | opened _ |>`)
			}
			b.ReportAllocs()
			for b.Loop() {
				if t := r.send(`seal(room: "h:Room:000001")`); t.Tier != TierError {
					b.Fatal(report(t))
				}
			}
		})
	}
}

// A million steps in one session: what each takes, and what the session has come
// to at the end.
func BenchmarkMillionSteps(b *testing.B) {
	for b.Loop() {
		grown := heapOf(func() any {
			r := openPantry(b)
			r.quiet = true
			talkedTo(b, r, 1_000_000)
			return r
		})
		b.ReportMetric(float64(grown)/1e6, "MB")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/step")
}

// Ten thousand sessions in one process.
func BenchmarkIdleSessions(b *testing.B) {
	program := compile(b, pantry, (&kitchen{quiet: true}).bodies())
	for b.Loop() {
		b.ReportMetric(float64(heapOf(func() any { return idle(b, program, 10_000) }))/1e6, "MB")
	}
}

// A step takes at most twelve allocations, the reply around it included.
func TestStepsAllocateLittle(t *testing.T) {
	for _, tt := range []struct {
		reply string
		steps int
	}{
		{`find(code: "P1") | ok p |>`, 1},
		{`weigh(code: "P1", grams: "250")`, 1},
		{`count(room: r1, what: "jars") | total n |>`, 1},
		{longReply, 20},
	} {
		r := openPantry(t)
		r.quiet = true
		r.send(`unlock(door: "north") | opened r |>`)
		got := testing.AllocsPerRun(200, func() {
			if turn := r.send(tt.reply); turn.Tier != TierResult || len(turn.Trace()) != tt.steps {
				t.Fatal(report(turn))
			}
		})
		if got /= float64(tt.steps); got > 12 {
			t.Errorf("%s\n%.1f allocations a step", tt.reply, got)
		} else {
			t.Logf("%.1f allocations a step", got)
		}
	}
}
