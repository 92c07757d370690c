package check

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPossession judges flows that have been resolved: one that hands a
// resource from step to step, one that asks on every step and settles in every
// arm, and one that owes nothing.
func BenchmarkPossession(b *testing.B) {
	const verbs = `
tor open {} -> string<open!>
proc open|js { return "h"; }
tor append { h: string<!open>, text: string } -> string<open!>
proc append|js { return h; }
tor ask { h: string<open> }
| yes
| no string
proc ask|js { return "yes"; }
tor close { h: string<!open> }
proc close|js {}
tor show { text: string }
proc show|js {}

`
	const steps = 1000
	repeat := func(head string, step func(i int) string) string {
		var s strings.Builder
		s.WriteString(head)
		for i := range steps {
			s.WriteString(step(i))
		}
		return s.String() + "\n"
	}
	flows := []struct{ name, text string }{
		{"hand-on", repeat("open(): h0", func(i int) string {
			return fmt.Sprintf("\n|> append(h: h%d, text: \"x\"): h%d", i, i+1)
		})},
		{"ask", repeat("open(): h", func(int) string { return "\n|> ask(h)" }) + "| no why |> show(text: why)\n| yes |> _"},
		{"free", repeat("show(text: \"x\")", func(int) string { return "\n|> show(text: \"x\")" })},
	}
	for _, f := range flows {
		b.Run(f.name, func(b *testing.B) {
			p := Source("main.k", verbs+f.text, Options{Targets: []string{"js"}})
			flow := p.Entry.Flows[0]
			b.ReportAllocs()
			for b.Loop() {
				judgePossession(flow, p.takers, true, false)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
		})
	}
}
