package syntax

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSame(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"equal", "f(a: 1)\n", "f(a: 1)\n", true},
		{"blanks", "f(a: 1)\n", "f( a :1 )\n", true},
		{"lines", "f(a: 1, b)\n", "f(a: 1,\n    b)\n", true},
		{"a comma that a line end replaces", "tor f { a: i64, b: i64 }\n", "tor f {\n    a: i64\n    b: i64\n}\n", true},
		{"a trailing comma", "tor f { a: i64 }\n", "tor f {\n    a: i64,\n}\n", true},
		{"a comma behind a comment", "f(a, // c\n    b)\n", "f(a // c\n    , b)\n", true},
		{"the brace that closes a block", "f {\n  x\n}\n", "f {\n  x\n    }\n", true},
		{"blanks behind a comment", "f() // c\n", "f() // c  \n", true},

		{"an error union behind its colon", "tor f { c:!i64 }\n", "tor f { c: !i64 }\n", true},
		{"blanks behind a host value", "a => ok .fast  \n", "a => ok .fast\n", true},

		{"another token", "f(a: 1)\n", "f(a: 2)\n", false},
		{"a token more", "f(a: 1)\n", "f(a: 1)|x\n", false},
		{"another text of a block", "f {\n  x\n}\n", "f {\n   x\n}\n", false},
		{"another string", "f(\"a b\")\n", "f(\"a  b\")\n", false},
		{"another nesting", "f()\n| a |> g()\n| b |> _\n", "f()\n| a |> g()\n    | b |> _\n", false},
		{"another kind of item", "f()\n", "tor f {}\n", false},
		{"a comment elsewhere", "f(a, // c\n    b)\n", "f(a,\n    b) // c\n", false},
		{"a comment less", "f() // c\n", "f()\n", false},
		{"a comma that means something", "a -> [1, -2]\n", "a -> [1 -2]\n", false},
		{"a fault more", "f(a)\n", "f(a\n", false},
		{"broken, and laid out otherwise", "f(a,\n", "f( a,\n", false},
		{"broken alike", "f(a,\n", "f(a,\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := Parse("a.k", Pure, tt.a).Item(0), Parse("b.k", Pure, tt.b).Item(0)
			if got := Same(a, b); got != tt.want {
				t.Errorf("Same(%q, %q) = %v", tt.a, tt.b, got)
			}
			if got := Same(b, a); got != tt.want {
				t.Errorf("Same(%q, %q) = %v", tt.b, tt.a, got)
			}
		})
	}
	if Same(Node{}, Parse("a.k", Pure, "f()\n").Item(0)) {
		t.Error("nothing is the same as something")
	}
}

// TestParts compares the walk with the lists of children and of own tokens.
func TestParts(t *testing.T) {
	for _, text := range seeds {
		for n := range Parse("a.k", Pure, text).Items() {
			checkParts(t, n)
		}
	}
}

func checkParts(t *testing.T, n Node) {
	t.Helper()
	var nodes, children []Node
	var tokens, own []Token
	s := n.Parts()
	for s.Next() {
		if c := s.Node(); c.IsValid() {
			nodes = append(nodes, c)
			if s.Kind() != c.Kind() || s.Token() != c.FirstToken() {
				t.Errorf("the part of %s is %s at %v", c.Kind(), s.Kind(), s.Token().Span())
			}
			continue
		}
		tokens = append(tokens, s.Token())
	}
	for c := range n.Children() {
		if c.LastToken().IsValid() {
			children = append(children, c)
		}
		checkParts(t, c)
	}
	for tok := range n.own() {
		own = append(own, tok)
	}
	opts := cmp.AllowUnexported(Node{}, Token{})
	same := cmp.Comparer(func(a, b *Tree) bool { return a == b })
	if d := cmp.Diff(children, nodes, opts, same); d != "" {
		t.Errorf("nodes of %s (-children +parts):\n%s", n.Kind(), d)
	}
	if d := cmp.Diff(own, tokens, opts, same); d != "" {
		t.Errorf("tokens of %s (-own +parts):\n%s", n.Kind(), d)
	}
}

// TestScratch pins that memory that is used again leaves no trace in a tree.
func TestScratch(t *testing.T) {
	var s Scratch
	for _, kind := range []FileKind{Pure, Zig, JS} {
		for _, text := range seeds {
			if d := cmp.Diff(shapeOf(Parse("a", kind, text)), shapeOf(s.Parse("a", kind, text))); d != "" {
				t.Errorf("%q (-fresh +scratch):\n%s", text, d)
			}
		}
	}
}
