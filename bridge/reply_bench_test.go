package bridge

import (
	"context"
	"testing"

	"go.starlark.net/starlark"

	"github.com/koru-go/koru/eval"
)

const courier = `
import std/runtime

pub tor ship { code: string, grams: i64, express: bool }
| shipped { code: string, days: i64 }
| refused string

std/runtime:register(scope: "courier") {
    ship(1)
}
`

var shipped = eval.NewShape("code", "days")

func ship(code string, express bool) (string, int64) {
	if express {
		return code, 1
	}
	return code, 3
}

// BenchmarkReply measures a whole reply of one call with three fields and a
// record — scan, judge, dispatch, bind, report — against Starlark executing the
// call from its text. Compare times within one run.
func BenchmarkReply(b *testing.B) {
	b.Run("koru", benchmarkWire)
	b.Run("starlark", benchmarkStarlark)
}

func benchmarkWire(b *testing.B) {
	bodies := eval.Bodies{"ship": func(c *eval.Call) (eval.Outcome, error) {
		code, days := ship(c.Args[0].Str(), c.Args[2].Bool())
		return eval.Delivered("shipped", eval.RecordValue(shipped, eval.StringValue(code), eval.IntValue(days))), nil
	}}
	session, err := Create(Options{ID: "b", Program: compile(b, courier, bodies), Scope: "courier"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		turn := session.Run(context.Background(), `ship(code: "P1", grams: 250, express: true) | shipped s |>`)
		if turn.Tier != TierResult || len(turn.Trace()) != 1 {
			b.Fatal(turn.Trace())
		}
	}
}

func benchmarkStarlark(b *testing.B) {
	body := func(_ *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var code string
		var grams int
		var express bool
		if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "code", &code, "grams", &grams, "express", &express); err != nil {
			return nil, err
		}
		code, days := ship(code, express)
		d := starlark.NewDict(2)
		_ = d.SetKey(starlark.String("code"), starlark.String(code))
		_ = d.SetKey(starlark.String("days"), starlark.MakeInt64(days))
		return d, nil
	}
	env := starlark.StringDict{"ship": starlark.NewBuiltin("ship", body)}
	b.ReportAllocs()
	for b.Loop() {
		thread := &starlark.Thread{Name: "b"}
		v, err := starlark.Eval(thread, "reply", `ship(code = "P1", grams = 250, express = True)`, env)
		if err != nil || v.String() == "" {
			b.Fatal(err)
		}
	}
}
