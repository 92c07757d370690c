package eval_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/eval/zig"
)

// What goes wrong in a host body is reported at its place in the body, with the
// call of the verb behind it.
func TestFaultsInHostBodies(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"js", `tor find { sku: string } -> i64
proc find|js {
    const stock = null;
    return stock[sku];
}

tor look {}
look = find(sku: "pen"): n |> check(n)
tor check { n: i64 }
proc check|js {}

look()
`, `main.k:4:17: the |js body threw TypeError: Cannot read property 'pen' of undefined
  main.k:8:8: in 'find', called here
  main.k:12:1: in 'look', called here
`},
		{"zig", `tor nth { n: u32 } -> string
proc nth|zig {
    const turns = [_][]const u8{ "a" };
    return turns[n];
}

tor show { s: string }
proc show|js {}

nth(n: 3): s |> show(s)
`, `main.k:4:18: the |zig body used index 3 out of bounds: the length is 1
  main.k:10:1: in 'nth', called here
`},
	}
	targets := []eval.Target{&js.Target{}, &zig.Target{}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checked := check.Source("main.k", tt.source, check.Options{Runs: true, Targets: []string{"js", "zig"}})
			program, err := eval.NewProgram(checked, nil, targets)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			process, err := program.Start(&eval.Host{Stdout: &out, Stderr: &out}, eval.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if err := process.Run(context.Background()); err == nil {
				t.Fatal("the program runs")
			} else if diff := cmp.Diff(tt.want, explain(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
