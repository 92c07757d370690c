package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/koru-go/koru/syntax"
)

// FuzzReplies sends replies of any kind to one session after another. Whatever
// comes in: nothing panics, every step is accounted for, no body runs for a
// step that was refused, and the pool keeps its order.
func FuzzReplies(f *testing.F) {
	for _, seed := range []string{
		"find(code: \"P1\") | ok p |>\nsay(text: \"{{ p }}\")\n| error e |> say: x",
		"open(path: \"1\") | opened n |> append(handle: n, text: \"x\"): m |>\nshut(handle: r1)",
		"borrow(title: \"x\") | lent b |> page(book: b, n: 1)\nrelease(r: r2)\nrelease(r: r1)",
		"lease(name: \"n\"): l |> give-back(ticket: l.ticket, reason: \"r\")",
		"book(flights: [{ flight_number: \"a\", date: \"b\" }], cabin: \"basic\", bags: 3) | booked b |>",
		"book(flights: \"[{\\\"flight_number\\\":\\\"{{ r1 }}\\\",\\\"date\\\":\\\"d\\\"}]\", cabin: \"economy\") | booked b |>",
		"user(id: \"ada\") | ok u |> pay(payment_id: u.methods.0.id, amount: 5) | paid |>",
		"tor w { h: string, t: string } -> string<open!>\nw -> append(handle: h, text: t)",
		"tor w { code: string } | ok string | error string\nw = find(code)\nw(code: \"P1\") | ok p |>\nvocabulary()",
		"say: a {{ r1 }}\nnote: b\nabandon(reason: \"c\")", "probe(how: \"broken\") | done |>", "{\"name\":\"find\"}", "```\nfind()\n```",
		"open(path: \"1\") | failed w |>", "copy(from: r1, to: r1)", "find(code: \"\\ud83d\\ude00 \\q\")",
	} {
		f.Add(seed, seed)
	}
	source, err := os.ReadFile("testdata/market.k")
	if err != nil {
		f.Fatal(err)
	}
	var calls []string
	program := compile(f, string(source), marketBodies(&calls))
	f.Fuzz(func(t *testing.T, first, second string) {
		b, err := Create(Options{ID: "a", Program: program, Scope: "market", Introspect: true, Log: new(bytes.Buffer)})
		if err != nil {
			t.Fatal(err)
		}
		for _, reply := range []string{first, second, "open(path: \"1\") | opened n |>", first} {
			calls = nil
			turn := b.Run(context.Background(), reply)
			judgeTurn(t, turn, calls)
			if err := b.pool.check(); err != nil {
				t.Fatalf("after %q: %v", reply, err)
			}
			if syntax.ParseReply(b.Grammar(), nil) == nil || b.Vocabulary() == "" {
				t.Fatal("no vocabulary")
			}
		}
		b.Close()
	})
}

// judgeTurn holds a turn to what every turn keeps.
func judgeTurn(t *testing.T, turn *Turn, calls []string) {
	t.Helper()
	fired, reached := 0, 0
	for i := range turn.Steps {
		s := &turn.Steps[i]
		if s.N != i+1 || s.Of != turn.Of {
			t.Fatalf("step %d of %d says %d of %d", i+1, turn.Of, s.N, s.Of)
		}
		if s.Verdict.Reached() {
			reached++
		}
		if line := s.String(); strings.ContainsAny(line, "\n\r") || !strings.HasPrefix(line, "step ") {
			t.Fatalf("no line: %q", line)
		}
		if s.Verdict.Refusal() != (s.Refusal != nil) || s.Refusal != nil && s.Refusal.Message == "" {
			t.Fatalf("%s: a refusal without a reason", s.String())
		}
		if s.fired() && s.Bound != "" {
			fired++
		}
	}
	if reached != turn.Ran || turn.Ran > turn.Of {
		t.Fatalf("ran %d of %d, reached %d", turn.Ran, turn.Of, reached)
	}
	if turn.Tier == TierError && turn.Ran > 0 && turn.Steps[turn.Ran-1].Verdict.Success() {
		t.Fatal("an error after a success")
	}
	if fired > 0 && len(calls) == 0 {
		t.Fatal("a result that no body gave")
	}
	if text, err := turn.MarshalJSON(); err != nil || !json.Valid(text) {
		t.Fatalf("no JSON: %s %v", text, err)
	}
}
