package check_test

import (
	"fmt"
	"strings"
	"testing"
)

// What grows with the input without a bound would let a text of a few lines
// hang or crash whoever reads it. The bounds are findings like any other.
func TestBounds(t *testing.T) {
	const verbs = `import std/io
tor t { n: i64 }
proc t|js {}
tor f {}
| ok string
| err string
proc f|js { return { ok: "" }; }
tor g { t: string }
| ok string
| err string
proc g|js { return { ok: "" }; }
tor u { t: string }
proc u|js {}
`
	for _, tt := range []struct {
		name, text, code, message string
	}{
		{"a row of operators", "t(n: " + strings.Repeat("1 + ", 5000) + "1)\n", "PARSE001", "at most 1000 operators"},
		{"a long path", "t(n: " + strings.Repeat("a.", 5000) + "b)\n", "PARSE001", "at most 1000 operators"},
		{"arms that multiply", multiplied(40), "PARSE001", "the arms below these chains multiply"},
		{"nested tags", "std/io:print.blk {" + strings.Repeat("{% if true %}", 300) + "}\n", "KORU125", "at most 250 levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, d := range found(t, "a.k", verbs+tt.text) {
				if d.Code == tt.code && strings.Contains(d.Message, tt.message) {
					return
				}
			}
			t.Errorf("no %s like %q", tt.code, tt.message)
		})
	}
	t.Run("few arms that multiply", func(t *testing.T) {
		for _, d := range found(t, "a.k", verbs+multiplied(8)) {
			t.Errorf("unexpected: %s", show(d))
		}
	})
	t.Run("many names", func(t *testing.T) {
		list := found(t, "a.k", verbs+"f()\n"+strings.Repeat("| okk _ |> _\n", 3000))
		for _, d := range list {
			if len(d.Message) > 2000 {
				t.Errorf("a message of %d bytes", len(d.Message))
			}
		}
	})
}

// multiplied nests chains whose arm stands at two steps each.
func multiplied(depth int) string {
	var b strings.Builder
	b.WriteString("f() |> g() |> u()\n")
	for i := range depth {
		fmt.Fprintf(&b, "%s| err e%d |> u(t: e%d) |> f() |> g() |> u()\n", strings.Repeat("    ", i), i, i)
	}
	b.WriteString(strings.Repeat("    ", depth) + "| err _ |> _\n")
	return b.String()
}
