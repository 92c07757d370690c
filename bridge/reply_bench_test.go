package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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

// BenchmarkReply measures a whole reply of one call — scan, judge, dispatch,
// bind, report — against what a harness of JSON tool calls does for the same
// call: decode it, validate it against its schema, dispatch, encode the result;
// and against Starlark executing the call. Compare times within one run.
func BenchmarkReply(b *testing.B) {
	b.Run("koru", benchmarkWire)
	b.Run("json", benchmarkToolCall)
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

const shipSchema = `{"type":"object","properties":{"code":{"type":"string"},"grams":{"type":"integer"},
"express":{"type":"boolean"}},"required":["code","grams","express"],"additionalProperties":false}`

func benchmarkToolCall(b *testing.B) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(shipSchema))
	if err != nil {
		b.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("ship.json", doc); err != nil {
		b.Fatal(err)
	}
	schema, err := compiler.Compile("ship.json")
	if err != nil {
		b.Fatal(err)
	}
	call := []byte(`{"id":"call_1","name":"ship","arguments":{"code":"P1","grams":250,"express":true}}`)
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		var request struct {
			ID, Name  string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal(call, &request); err != nil {
			b.Fatal(err)
		}
		args, err := jsonschema.UnmarshalJSON(bytes.NewReader(request.Arguments))
		if err != nil {
			b.Fatal(err)
		}
		if err := schema.Validate(args); err != nil {
			b.Fatal(err)
		}
		fields := args.(map[string]any)
		code, days := ship(fields["code"].(string), fields["express"].(bool))
		out.Reset()
		if err := json.NewEncoder(&out).Encode(map[string]any{"id": request.ID, "code": code, "days": days}); err != nil {
			b.Fatal(err)
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
