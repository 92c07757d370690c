package bridge

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
)

// pantry is the scope of bridge.md 5.13, which most tests here speak to.
const pantry = `
import std/runtime

pub tor unlock { door: string }
| opened *Room<unlocked!>
| stuck string

pub tor count { room: *Room<unlocked>, what: string }
| total i64
| none

pub tor stow { room: *Room<unlocked>, crate: string }
| stowed
| full string

pub tor seal { room: *Room<!unlocked> }

pub tor say { text: string }

pub tor find { code: string }
| ok string
| error string

pub tor weigh { code: string, grams: i64 } -> i64

std/runtime:register(scope: "pantry") {
    unlock(2)
    count(1)
    stow(10)
    seal(1)
    say(1)
    find(1)
    weigh(2)
}

std/runtime:register(scope: "mute") {
    find(1)
}
`

// kitchen is the bodies of the pantry, which remember what was asked of them.
type kitchen struct {
	calls []string
	said  []string
	quiet bool // remember nothing
}

func (k *kitchen) bodies() eval.Bodies {
	note := func(name string, f eval.Func) eval.Func {
		return func(c *eval.Call) (eval.Outcome, error) {
			if !k.quiet {
				k.calls = append(k.calls, name)
			}
			return f(c)
		}
	}
	str := eval.StringValue
	all := eval.Bodies{
		"unlock": note("unlock", func(c *eval.Call) (eval.Outcome, error) {
			if c.Arg("door").Str() == "attic" {
				return eval.Delivered("stuck", str("no key")), nil
			}
			room := new(string)
			*room = c.Arg("door").Str()
			return eval.Delivered("opened", eval.HandleValue("", room)), nil
		}),
		"count": note("count", func(c *eval.Call) (eval.Outcome, error) {
			if c.Arg("what").Str() == "figs" {
				return eval.Fired("none"), nil
			}
			return eval.Delivered("total", eval.IntValue(12)), nil
		}),
		"stow": note("stow", func(c *eval.Call) (eval.Outcome, error) {
			switch c.Arg("crate").Str() {
			case "big":
				return eval.Delivered("full", str("no room for big")), nil
			case "bad":
				return eval.Outcome{}, errors.New("the crate broke")
			}
			return eval.Fired("stowed"), nil
		}),
		"seal": note("seal", func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil }),
		"say": note("say", func(c *eval.Call) (eval.Outcome, error) {
			k.said = append(k.said, c.Arg("text").Str())
			return eval.Outcome{}, nil
		}),
		"find": note("find", func(c *eval.Call) (eval.Outcome, error) {
			switch code := c.Arg("code").Str(); code {
			case "P1":
				return eval.Delivered("ok", str("shelf 4")), nil
			case "J":
				return eval.Delivered("ok", str(`{"name":"Ada","tags":["x","y"],"n":3}`)), nil
			default:
				return eval.Delivered("error", str("Error: parcel "+code+" not found")), nil
			}
		}),
		"weigh": note("weigh", func(c *eval.Call) (eval.Outcome, error) {
			return eval.Delivered("", c.Arg("grams")), nil
		}),
	}
	for path, body := range stdlib.Bodies() {
		all[path] = body
	}
	return all
}

// compile checks and links a program of one file.
func compile(t testing.TB, source string, bodies eval.Bodies) *eval.Program {
	t.Helper()
	checked := check.Source("test.k", source, check.Options{
		Std: stdlib.FS(),
		Bodies: func(path string) bool {
			_, ok := bodies[path]
			return ok
		},
	})
	for _, d := range checked.Diagnostics {
		if d.Severity == check.Error {
			t.Fatalf("%s: %s", d.Code, d.Message)
		}
	}
	p, err := eval.NewProgram(checked, bodies, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// room is an open session on the pantry and what it says on the side.
type room struct {
	*Bridge
	*kitchen
	t   testing.TB
	log bytes.Buffer
}

func openPantry(t testing.TB, change ...func(*Options)) *room {
	t.Helper()
	return openOn(t, pantry, "pantry", change...)
}

func openOn(t testing.TB, source, scope string, change ...func(*Options)) *room {
	t.Helper()
	r := &room{kitchen: &kitchen{}, t: t}
	o := Options{ID: "kopium", Program: compile(t, source, r.bodies()), Scope: scope, Log: &r.log}
	for _, f := range change {
		f(&o)
	}
	b, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	r.Bridge = b
	return r
}

func (r *room) send(source string) *Turn {
	return r.Run(context.Background(), source)
}

// report renders a turn as tests compare it: its tier, then its lines.
func report(t *Turn) string {
	return t.Tier.String() + "\n" + strings.Join(t.Trace(), "\n")
}
