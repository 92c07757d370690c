package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// world is a program under test: what it was started with, what it has printed.
type world struct {
	t              *testing.T
	program        *eval.Program
	process        *eval.Process
	stdout, stderr bytes.Buffer
}

func newWorld(t *testing.T, text string, settings eval.Settings) *world {
	t.Helper()
	program, err := load(fstest.MapFS{"main.k": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, program: program}
	w.process, err = program.Start(&eval.Host{Stdout: &w.stdout, Stderr: &w.stderr}, settings)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) tor(name string) *check.Tor {
	w.t.Helper()
	tor := w.program.Checked().Entry.Tor(name)
	if tor == nil {
		w.t.Fatalf("the program declares no '%s'", name)
	}
	return tor
}

// call invokes a verb of the program and returns what it ended in, in words.
func (w *world) call(name string, args ...eval.Value) string {
	w.t.Helper()
	out, err := w.process.Invoke(context.Background(), w.tor(name), args, nil)
	if err != nil {
		return "error: " + err.Error()
	}
	return show(out)
}

func show(o eval.Outcome) string {
	words := []string{o.Branch}
	if o.Branch == "" {
		words = nil
	}
	if o.Has {
		words = append(words, eval.Text(o.Payload))
	}
	return strings.Join(words, " ")
}

func (w *world) expect(want, name string, args ...eval.Value) {
	w.t.Helper()
	if got := w.call(name, args...); got != want {
		w.t.Errorf("%s ended in %q, want %q", name, got, want)
	}
}

func text(s string) eval.Value { return eval.StringValue(s) }
func whole(n int64) eval.Value { return eval.IntValue(n) }

const shop = `
import std/io
import std/store

std/store:new(sold) { n: 0[i64] }

tor price { sku: string }
| priced { sku: string, cost: f64 }
| unknown
price = if(sku == "pen")
| then => priced { sku, cost: 3 }
| else => unknown

tor sell { sku: string, n: u8 } -> i64
sell = std/store:stored { sold.n: sold.n + n } |> std/io:print.ln("sold {{ sku:s }}") -> sold.n

tor foreign { id: string } -> string
`

func TestInvoke(t *testing.T) {
	w := newWorld(t, shop, eval.Settings{})
	w.expect(`priced {"sku":"pen","cost":3}`, "price", text("pen"))
	w.expect("unknown", "price", text("desk"))
	w.expect("2", "sell", text("pen"), whole(2))
	w.expect("5", "sell", text("pen"), whole(3))
	if got, want := w.stdout.String(), "sold pen\nsold pen\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// Arguments of the host are held to the declared types, like any others.
func TestInvokeJudgesArguments(t *testing.T) {
	w := newWorld(t, shop, eval.Settings{})
	w.expect("error: 'n' wants u8, got 300", "sell", text("pen"), whole(300))
	w.expect("error: 'sku' wants string, got 7", "price", whole(7))
	w.expect("error: 'price' takes 1 values, got 2", "price", text("pen"), whole(1))
}

// A verb without a body here is served by whoever opened the session (R3): the
// error says so and can be told from a failure.
func TestInvokeWithoutBody(t *testing.T) {
	w := newWorld(t, shop, eval.Settings{})
	_, err := w.process.Invoke(context.Background(), w.tor("foreign"), []eval.Value{text("x")}, nil)
	var missing *eval.NoBody
	if !errors.As(err, &missing) || missing.Tor.Name != "foreign" {
		t.Errorf("got %v, want a NoBody for 'foreign'", err)
	}
	if ok, problem := w.program.Runs(w.tor("foreign")); ok || problem == "" {
		t.Errorf("Runs = %v %q, want false and a reason", ok, problem)
	}
	if ok, _ := w.program.Runs(w.tor("price")); !ok {
		t.Error("Runs says that nothing stands behind 'price'")
	}
}

// A process keeps its own stores; processes on one program run side by side.
func TestProcessesShareCodeOnly(t *testing.T) {
	program, err := load(fstest.MapFS{"main.k": {Data: []byte(shop)}})
	if err != nil {
		t.Fatal(err)
	}
	sell := program.Checked().Entry.Tor("sell")
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			process, err := program.Start(&eval.Host{}, eval.Settings{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 50 {
				out, err := process.Invoke(context.Background(), sell, []eval.Value{text("pen"), whole(1)}, nil)
				if err != nil || eval.Text(out.Payload) != fmt.Sprint(i+1) {
					t.Errorf("worker %d: sale %d gave %v, %v", worker, i, eval.Text(out.Payload), err)
					return
				}
			}
		})
	}
	group.Wait()
}

// The host takes the effects of a verb it calls, of a body and of a flow that
// passes them on.
func TestInvokeTakesEffects(t *testing.T) {
	w := newWorld(t, "import lab\n\ntor two {} -> i64\ntwo = lab:count(to: 2)\n! tick _ |> _\n| done n -> n\n", eval.Settings{})
	ask := w.program.Checked().Module("lab").Tor("ask")
	var heard []string
	out, err := w.process.Invoke(context.Background(), ask, []eval.Value{text("who?")}, func(effect int, payload eval.Value) (eval.Outcome, error) {
		heard = append(heard, ask.Outcomes[effect].Name+" "+payload.Str())
		return eval.Delivered("", text("me")), nil
	})
	if err != nil || show(out) != "got me" {
		t.Errorf("ask ended in %q, %v", show(out), err)
	}
	if diff := cmp.Diff([]string{"answer who?"}, heard); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	w.expect("2", "two")
}

// A dispatcher stands in front of every call of the flow it runs, and only of
// that: what it runs in turn is none of its business.
func TestExecuteDispatches(t *testing.T) {
	w := newWorld(t, shop+`
tor outer { sku: string } -> string
outer = price(sku)
| priced p |> sell(p.sku, n: 1): n -> "sold {{ n }}"
| unknown -> "none"
`, eval.Settings{})
	code, err := w.program.Compile(w.tor("outer").Impl.Flow)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	out, err := w.process.Execute(context.Background(), code, []eval.Value{text("pen")}, func(c *eval.Call) (eval.Outcome, error) {
		seen = append(seen, c.Tor.Name)
		return c.Process.Invoke(c.Context, c.Tor, c.Args, nil)
	})
	if err != nil || show(out) != "sold 1" {
		t.Errorf("outer ended in %q, %v", show(out), err)
	}
	if diff := cmp.Diff([]string{"price", "sell"}, seen); diff != "" {
		t.Errorf("dispatched (-want +got):\n%s", diff)
	}
	refused := errors.New("not granted")
	_, err = w.process.Execute(context.Background(), code, []eval.Value{text("pen")}, func(c *eval.Call) (eval.Outcome, error) {
		return eval.Outcome{}, refused
	})
	var fault *eval.Fault
	if !errors.As(err, &fault) || !errors.Is(err, refused) {
		t.Errorf("got %v, want a fault that wraps the refusal", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := newWorld(t, "while(true)\n! each |> _\n", eval.Settings{})
	cancel()
	err := w.process.Run(ctx)
	if !eval.Stopped(err) || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an interrupted program", err)
	}
	if want := "main.k:1:1: the program was interrupted"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// Handles are let go of even when the budget or the context is what stopped the
// program, and the process can go on.
func TestStoppedProgramReleases(t *testing.T) {
	w := newWorld(t, "import lab\n\nlab:open(name: \"a\"): b\n|> while(true)\n    ! each |> lab:peek(b): _\n", eval.Settings{Steps: 1000})
	err := w.process.Run(context.Background())
	if !errors.Is(err, eval.ErrSteps) {
		t.Fatalf("got %v, want a used-up budget", err)
	}
	if got, want := w.stdout.String(), "(box a closed)\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// Bodies and handlers that call each other are the one thing that nests on the
// Go stack.
func TestNestingIsBounded(t *testing.T) {
	w := newWorld(t, "import lab\n\ntor nest {}\nnest = lab:count(to: 1)\n! tick _ |> nest()\n| done _ |> _\n\nnest()\n", eval.Settings{})
	err := w.process.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "nested more than 200 deep") {
		t.Errorf("got %v, want a bound on nesting", err)
	}
	deep := newWorld(t, "tor down { n: i64 }\ndown = down(n: n + 1)\n\ndown(n: 0)\n", eval.Settings{})
	if err := deep.process.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "more than 100000 deep") {
		t.Errorf("got %v, want a bound on depth", err)
	}
}

func TestTrace(t *testing.T) {
	var lines []string
	w := newWorld(t, shop+"\nprice(sku: \"pen\")\n| priced p |> sell(p.sku, n: 2): _\n| unknown |> _\n", eval.Settings{
		Trace: func(e eval.Trace) { lines = append(lines, e.String()) },
	})
	if err := w.process.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`main.k:19:1: price(sku: "pen")`,
		`  -> priced {"sku":"pen","cost":3}`,
		`main.k:20:15: sell(sku: "pen", n: 2)`,
		`  main.k:15:51: std/io:print.ln(expr: "sold pen")`,
		`    -> nothing`,
		`  -> 2`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// What is in the way of a program is found before anything of it runs.
func TestUnrunnable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no body", "tor find {}\nfind()\n", "main.k:2:1: 'find' is called but never implemented"},
		{"no target", "tor boot {}\nproc boot|unikraft { start(); }\nboot()\n", "unikraft"},
		{"constant", "const { A: 1 / 0 }\n", "the constant 'A': division by zero"},
		{"host value", "import lab\nlab:echo(text: .fast): _\n", ".fast"},
		{"builtin", "import lab\nlab:divide(a: @frob(1), b: 1)\n| quotient _ |> _\n| undefined |> _\n", "'@frob' is not known"},
		{"arity", "import lab\nlab:divide(a: @max(1), b: 1)\n| quotient _ |> _\n| undefined |> _\n", "'@max' takes 2 values, got 1"},
		{"file block", "import std/io\nimport std/fmt\nstd/fmt:blk @\"missing.txt\": p |> std/io:print.ln(\"{{ p.text:s }}\")\n", "missing.txt"},
		{"endless constant", "const { A: B }\nconst { B: A }\n", "made of itself"},
		{"capacity", "import std/store\nstd/store:new(t, capacity: -1) { n: i64 }\n", "capacity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(fstest.MapFS{"main.k": {Data: []byte(c.text)}})
			var u *eval.Unrunnable
			if !errors.As(err, &u) {
				t.Fatalf("got %v, want an Unrunnable", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want it to hold %q", err, c.want)
			}
		})
	}
}

// What a verb hands to the host is the host's; what a failed verb took for
// itself is let go of at once, and nothing else is.
func TestInvokeKeepsAccount(t *testing.T) {
	w := newWorld(t, `import lab

tor give { name: string } -> *lab:Box<lab:open!>
give = lab:open(name): b -> b

tor spoil { name: string }
spoil = lab:open(name): b |> lab:fail(why: "spoilt") |> lab:close(b)
`, eval.Settings{})
	ctx := context.Background()
	given, err := w.process.Invoke(ctx, w.tor("give"), []eval.Value{text("mine")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.expect("error: main.k:7:30: spoilt", "spoil", text("theirs"))
	if got, want := w.stdout.String(), "(box theirs closed)\n"; got != want {
		t.Errorf("after a failure: printed %q, want %q", got, want)
	}
	if err := w.process.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := w.stdout.String(), "(box theirs closed)\n"; got != want {
		t.Errorf("after closing: printed %q, want %q", got, want)
	}
	closer := w.program.Checked().Module("lab").Tor("close")
	if _, err := w.process.Invoke(ctx, closer, []eval.Value{given.Payload}, nil); err != nil {
		t.Errorf("the handle of the host cannot be closed: %v", err)
	}
}

// A flow may fire the effects of the verb that it implements: its caller's
// handlers run in a frame of their own, and the flow goes on behind them. The
// checker has no words for it yet, so the flow is changed by hand.
func TestFlowFiresEffects(t *testing.T) {
	w := newWorld(t, `import std/io
import lab

tor relay { to: i64 }
! tick i64
| done i64
| never
relay = lab:count(to)
! tick i |> std/io:print.ln("inner {{ i:d }}")
| done n => done n

tor use { to: i64 } -> i64
use = capture { sum: 0 }
! as c |> relay(to)
    ! tick i |> captured { sum: c.sum + i }
    | done _ |> _
    | never |> _
| captured v -> v.sum

tor hop {} -> i64
hop = #again lab:echo(text: "a"): from
|> relay(to: 3)
! tick _ when from == "a" |> @again(text: "b")
| done n -> n
| never -> -1
`, eval.Settings{})
	relay := w.tor("relay")
	arm := relay.Impl.Flow.Body.Steps[0].Call.Arms[0]
	arm.Body.End = &check.End{Node: arm.Node, Outcome: relay.Outcomes[0], Value: &check.Expr{
		Kind: check.BindingExpr, Node: arm.Node, Ref: arm.Payload, Type: arm.Payload.Type,
	}}
	program, err := eval.NewProgram(w.program.Checked(), labAndStd(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.process, err = program.Start(&eval.Host{Stdout: &w.stdout}, eval.Settings{}); err != nil {
		t.Fatal(err)
	}
	w.expect("6", "use", whole(4))
	w.expect("3", "hop")
	var heard []string
	out, err := w.process.Invoke(context.Background(), relay, []eval.Value{whole(2)}, func(effect int, payload eval.Value) (eval.Outcome, error) {
		heard = append(heard, relay.Outcomes[effect].Name+" "+eval.Text(payload))
		return eval.Outcome{}, nil
	})
	if err != nil || show(out) != "done 2" {
		t.Errorf("relay ended in %q, %v", show(out), err)
	}
	if diff := cmp.Diff([]string{"tick 0", "tick 1"}, heard); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}
