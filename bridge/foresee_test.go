package bridge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// What a reply can cost is known before it runs (R9). In the pantry: unlock 2,
// count 1, stow 10, seal 1, say 1, find 1, weigh 2.
func TestCostIsForeseen(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		want        check.Cost
	}{
		{"one call, every outcome accepted", "find(code: \"P1\") | ok p |>\n| error e |>", check.Cost{Least: 1, Greatest: 1}},
		{"an outcome that is not accepted ends the reply", "find(code: \"P1\") | ok p |>\n\nweigh(code: \"P1\", grams: 2)", check.Cost{Least: 1, Greatest: 3}},
		{"a chain", "weigh(code: \"P1\", grams: 2): g |>\nweigh(code: \"P2\", grams: g) |>\nsay(text: \"x\")", check.Cost{Least: 5, Greatest: 5}},
		{"arms that differ", "find(code: \"P1\")\n| ok p |> weigh(code: p, grams: 1)\n| error e |>", check.Cost{Least: 1, Greatest: 3}},
		{"an arm below a chain", "unlock(door: \"n\") | opened r |>\nstow(room: r, crate: \"x\") | stowed |>\nseal(room: r)\n| stuck why |>\n| full why |> say(text: why)", check.Cost{Least: 2, Greatest: 13}},
		{"speech that the scope grants is a call", "say: hello\nnote: free", check.Cost{Least: 1, Greatest: 1}},
		{"a verb that is not granted ends it", "say: hello\n\nrm(path: \"x\")\n\nsay: never", check.Cost{Least: 1, Greatest: 1}},
		{"abandon ends it", "say: hello\nabandon(reason: \"x\")\nsay: never", check.Cost{Least: 1, Greatest: 1}},
		{"prose ends it", "say: hello\nHello.\nsay: never", check.Cost{Least: 1, Greatest: 1}},
		{"prose alone", "Hello.", check.Cost{}},
		{"an arm that no call declares", "find(code: \"P1\") | ok p |>\nsay(text: p)\n| fine |>", check.Cost{}},
		{"a definition is free, its call is not", "tor twice { code: string } | ok string | error string\ntwice = find(code) | ok _ |> find(code)\ntwice(code: \"P1\") | ok p |> | error e |>", check.Cost{Least: 2, Greatest: 3}},
		{"a definition that will be refused", "tor twice { code: string } | ok string | none\ntwice = find(code)\ntwice(code: \"P1\") | ok p |>", check.Cost{}},
		{"a release of what the reply will hold", "unlock(door: \"n\") | opened r |>\nrelease(r: r1)\n| stuck why |>", check.Cost{Least: 2, Greatest: 3}},
		{"listings are free", "vocabulary() | ok text |>\nsay(text: text)", check.Cost{Least: 1, Greatest: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := openPantry(t, func(o *Options) { o.Introspect = true })
			if got := r.CostOf(tt.reply); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if len(r.calls) > 0 || len(r.Bindings()) > 0 || len(r.Words().Defined) > 0 {
				t.Error("something has run")
			}
			turn := r.send(tt.reply)
			if turn.Cost != tt.want {
				t.Errorf("the turn says %+v, want %+v", turn.Cost, tt.want)
			}
			if turn.Used > tt.want.Greatest {
				t.Errorf("it used %d", turn.Used)
			}
		})
	}
}

// Whatever outcomes fire, a reply spends at most the greatest cost and, unless a
// step is refused, at least the least.
func TestCostBoundsWhatIsSpent(t *testing.T) {
	for _, file := range scopeFiles(t) {
		t.Run(scopeName(file), func(t *testing.T) {
			_, model := scopeOf(t, file)
			g := readGBNF(t, RenderGBNF(model.Words(), Names{Live: model.Bindings(), Strict: true}))
			s := namingAnew(g)
			rng := rand.New(rand.NewPCG(7, 7))
			refusals, exact := 0, 0
			for range 400 {
				reply := s.sentence(g)
				_, b := scopeOf(t, file)
				b.bodies.(*machine).serve = anyOutcome(rng)
				foreseen, before := b.CostOf(reply), b.Used()
				turn := b.Run(context.Background(), reply)
				spent := turn.Used - before
				if turn.Cost != foreseen {
					t.Fatalf("foreseen %+v, said %+v\n%s", foreseen, turn.Cost, reply)
				}
				if !foreseen.Unbounded && spent > foreseen.Greatest || turn.Err == nil && spent < foreseen.Least {
					t.Fatalf("spent %d of %+v\n%s\n%s", spent, foreseen, reply, report(turn))
				}
				if turn.Err != nil {
					refusals++
				} else if foreseen.Least == foreseen.Greatest {
					exact++
				}
			}
			t.Logf("%d of 400 replies had a step refused, of %d others the cost was known exactly", refusals, exact)
			if refusals == 400 {
				t.Error("no reply ran to its end")
			}
		})
	}
}

// anyOutcome serves every call with some outcome of its verb.
func anyOutcome(rng *rand.Rand) Server {
	return func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
		if !v.Tor.Branches() {
			return serve(ctx, v, args)
		}
		o := v.Tor.Outcomes[rng.IntN(len(v.Tor.Outcomes))]
		if o.Payload == nil {
			return eval.Fired(o.Name), nil
		}
		return eval.Delivered(o.Name, sample(o.Payload)), nil
	}
}

// A session or a reply with a budget says what each reply could cost, and the
// door answers the question without running anything.
func TestCostIsReported(t *testing.T) {
	const reply = `find(code: \"P1\") | ok p |> weigh(code: p, grams: 1)`
	source := strings.ReplaceAll(reply, `\"`, `"`)
	budget := uint64(9)
	for _, tt := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no budget", func(*Options) {}, `"used":3}`},
		{"a budget", func(o *Options) { o.Budget = &budget }, `"used":3,"least":1,"greatest":3}`},
		{"a budget for each reply", func(o *Options) { o.ReplyBudget = &budget }, `"used":3,"least":1,"greatest":3}`},
	} {
		turn := openPantry(t, tt.change).send(source)
		got, err := turn.MarshalJSON()
		if err != nil || !strings.HasSuffix(string(got), tt.want) {
			t.Errorf("%s: %s does not end in %s", tt.name, got, tt.want)
		}
	}
	var out strings.Builder
	r := openPantry(t)
	in := strings.NewReader(fmt.Sprintf("{\"id\":1,\"op\":\"cost\",\"source\":\"%s\"}\n{\"id\":2,\"op\":\"cost\"}\n", reply))
	if err := NewDoor(in, &out, 0).Open(context.Background(), r.Bridge); err != nil {
		t.Fatal(err)
	}
	want := "{\"id\":1,\"op\":\"cost\",\"least\":1,\"greatest\":3}\n{\"id\":2,\"protocol_error\":\"a cost is that of a reply: {\\\"id\\\":1,\\\"op\\\":\\\"cost\\\",\\\"source\\\":\\\"…\\\"}\"}\n"
	if out.String() != want || len(r.calls) > 0 {
		t.Errorf("got  %swant %s, ran %v", out.String(), want, r.calls)
	}
}
