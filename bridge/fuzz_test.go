package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// FuzzReplies sends replies of any kind to sessions on three scopes: one that
// grants much, one that grants little, one that has next to nothing to spend.
// Whatever comes in: nothing panics, every step is accounted for, no body runs
// that is not granted, that a step was refused for or that was given what it was
// not handed; the session, its ledger and a witness of its bodies tell the same.
func FuzzReplies(f *testing.F) {
	for _, reply := range sampleReplies {
		f.Add(reply, reply)
	}
	program := market(f)
	f.Fuzz(func(t *testing.T, first, second string) { tryReplies(t, program, first, second) })
}

// The same of replies that are pieces of others, put together by chance.
func TestMutatedReplies(t *testing.T) {
	program := market(t)
	rng := rand.New(rand.NewPCG(4, 4))
	sample := func() string { return sampleReplies[rng.IntN(len(sampleReplies))] }
	mutated := func() string {
		a, b := sample(), sample()
		i, j := rng.IntN(len(a)+1), rng.IntN(len(b)+1)
		switch rng.IntN(4) {
		case 0:
			return a + "\n" + b
		case 1:
			return a[:i] + b[j:]
		case 2:
			return a[:i] + a[min(i+1, len(a)):]
		}
		return strings.ReplaceAll(a, "r1", fmt.Sprint("r", rng.IntN(6)))
	}
	for range 400 {
		tryReplies(t, program, mutated(), mutated())
	}
}

// sampleReplies are replies to the market, good ones and bad.
var sampleReplies = []string{
	"find(code: \"P1\") | okay p |> say(text: \"{{ p }}\") | ok q |>",
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
}

func market(t testing.TB) *eval.Program {
	source, err := os.ReadFile("testdata/market.k")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(source), marketBodies(new([]string)))
}

// tryReplies sends two replies to a session on each of the scopes, and one in
// between that takes something.
func tryReplies(t *testing.T, program *eval.Program, first, second string) {
	t.Helper()
	little := uint64(12)
	for _, o := range []Options{
		{Scope: "market", Introspect: true},
		{Scope: "quiet"},
		{Scope: "market", Budget: &little, ReplyBudget: &little},
	} {
		o.ID, o.Program, o.Log = "a", program, new(bytes.Buffer)
		w, err := watched(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{first, second, "open(path: \"1\") | opened n |>", first} {
			w.calls = nil
			unread := len(syntax.ParseReply(text, (&reply{b: w.session}).declares).Faults()) > 0
			before := w.session.Used()
			turn := w.session.Run(context.Background(), text)
			judgeTurn(t, turn)
			spent := turn.Used - before
			switch done := turn.Tier == TierResult || turn.Tier == TierDefined; {
			case done && unread:
				t.Fatalf("scope %s: a part of %q was not read, and nobody says so\n%s", o.Scope, text, report(turn))
			case !turn.Cost.Unbounded && spent > turn.Cost.Greatest, done && spent < turn.Cost.Least:
				t.Fatalf("scope %s: %q has spent %d of a foreseen %+v\n%s", o.Scope, text, spent, turn.Cost, report(turn))
			}
			if err := errors.Join(w.accounts(turn), w.invented(text, turn), w.agrees()); err != nil {
				t.Fatalf("scope %s, after %q: %v\n%s", o.Scope, text, err, report(turn))
			}
			if len(syntax.ParseReply(w.session.Grammar(), nil).Text()) == 0 || w.session.Vocabulary() == "" {
				t.Fatal("no vocabulary")
			}
		}
		w.closing = true
		w.session.Close()
		if err := w.agrees(); err != nil {
			t.Fatalf("scope %s, after %q, %q and the close: %v", o.Scope, first, second, err)
		}
	}
}

// judgeTurn holds a turn to what every turn keeps.
func judgeTurn(t *testing.T, turn *Turn) {
	t.Helper()
	reached := 0
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
	}
	if reached != turn.Ran || turn.Ran > turn.Of {
		t.Fatalf("ran %d of %d, reached %d", turn.Ran, turn.Of, reached)
	}
	if turn.Tier == TierError && turn.Ran > 0 && turn.Steps[turn.Ran-1].Verdict.Success() {
		t.Fatal("an error after a success")
	}
	if text, err := turn.MarshalJSON(); err != nil || !json.Valid(text) {
		t.Fatalf("no JSON: %s %v", text, err)
	}
}
