package eval_test

import (
	"context"
	"testing"
	"testing/fstest"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/koru-go/koru/eval"
)

// A stub verb with three named arguments and a record result, called from a
// program that runs a loop: what one call costs, with all that surrounds it.
// The peer in the same run does the same in starlark-go: a built-in with
// keyword arguments that returns a dict, or a struct.

const stubLoop = `
import lab

tor loop { n: i64 }
loop = for(0..n)
! each i |> lab:grid(w: i, h: 3, label: "parcel"): _
`

func BenchmarkStubCall(b *testing.B) {
	b.Run("koru", func(b *testing.B) { benchmarkFlow(b, stubLoop, "loop") })
	b.Run("starlark-dict", func(b *testing.B) { benchmarkStarlark(b, starlarkDict) })
	b.Run("starlark-struct", func(b *testing.B) { benchmarkStarlark(b, starlarkStruct) })
}

// BenchmarkPrograms measures what flows are made of besides calls of bodies.
func BenchmarkPrograms(b *testing.B) {
	for _, p := range []struct{ name, text string }{
		{"subflow", "tor loop { n: i64 }\nloop = for(0..n)\n! each i |> twice(n: i): _\ntor twice { n: i64 } -> i64\ntwice -> n * 2\n"},
		{"arms", "tor loop { n: i64 }\nloop = for(0..n)\n! each i |> half(n: i)\n    | even _ |> _\n    | odd |> _\ntor half { n: i64 }\n| even i64\n| odd\nhalf = if(n % 2 == 0)\n| then => even n / 2\n| else => odd\n"},
		{"splice", "import lab\ntor loop { n: i64 }\nloop = for(0..n)\n! each i |> lab:echo(text: \"parcel {{ i }} of {{ n }}\"): _\n"},
		{"effect", "import lab\ntor loop { n: i64 }\nloop = lab:count(to: n)\n! tick _ |> _\n| done _ |> _\n"},
		{"store", "import std/store\nstd/store:new(t) { n: 0[i64] }\ntor loop { n: i64 }\nloop = for(0..n)\n! each i |> std/store:stored { t.n: t.n + i }\n"},
	} {
		b.Run(p.name, func(b *testing.B) { benchmarkFlow(b, p.text, "loop") })
	}
}

// benchmarkFlow calls a verb of a program once with b.N as its argument.
func benchmarkFlow(b *testing.B, text, verb string) {
	program, err := load(fstest.MapFS{"main.k": {Data: []byte(text)}})
	if err != nil {
		b.Fatal(err)
	}
	process, err := program.Start(&eval.Host{}, eval.Settings{Steps: 1 << 60})
	if err != nil {
		b.Fatal(err)
	}
	tor := program.Checked().Entry.Tor(verb)
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := process.Invoke(context.Background(), tor, []eval.Value{eval.IntValue(int64(b.N))}, nil); err != nil {
		b.Fatal(err)
	}
}

type starlarkResult func(area starlark.Int, text starlark.String) (starlark.Value, error)

func starlarkDict(area starlark.Int, text starlark.String) (starlark.Value, error) {
	d := starlark.NewDict(2)
	if err := d.SetKey(starlark.String("area"), area); err != nil {
		return nil, err
	}
	return d, d.SetKey(starlark.String("text"), text)
}

func starlarkStruct(area starlark.Int, text starlark.String) (starlark.Value, error) {
	return starlarkstruct.FromStringDict(starlarkstruct.Default, starlark.StringDict{"area": area, "text": text}), nil
}

func benchmarkStarlark(b *testing.B, result starlarkResult) {
	grid := func(_ *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var w, h starlark.Int
		var label starlark.String
		if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "w", &w, "h", &h, "label", &label); err != nil {
			return nil, err
		}
		return result(w.Mul(h), label)
	}
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, &starlark.Thread{}, "loop.star",
		"def loop(n):\n    for i in range(n):\n        r = grid(w = i, h = 3, label = \"parcel\")\n",
		starlark.StringDict{"grid": starlark.NewBuiltin("grid", grid)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := starlark.Call(&starlark.Thread{}, globals["loop"], starlark.Tuple{starlark.MakeInt(b.N)}, nil); err != nil {
		b.Fatal(err)
	}
}
