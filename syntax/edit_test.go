package syntax

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An edit inside one item leaves every other item the very same tree.
func TestEditSharesItems(t *testing.T) {
	text := strings.Repeat(program, 20)
	f := Parse("a.k", Pure, text)
	at := strings.Index(text, "limit * 2")
	g := f.Edit(Edit{at, at + 5, "bound"})
	if got, want := g.Text(), text[:at]+"bound"+text[at+5:]; got != want {
		t.Fatal("the text after the edit is wrong")
	}
	fresh := 0
	old := map[*Tree]bool{}
	for n := range f.Items() {
		old[n.Tree()] = true
	}
	for n := range g.Items() {
		if !old[n.Tree()] {
			fresh++
		}
	}
	if fresh > 2 {
		t.Errorf("%d items were parsed again, want the touched one and at most its neighbour", fresh)
	}
	if prefix, suffix := g.Shared(f); prefix+suffix != g.NumItems()-fresh {
		t.Errorf("%d and %d items of %d are said to be shared, want all but %d", prefix, suffix, g.NumItems(), fresh)
	}
	if prefix, suffix := g.Shared(g); prefix != g.NumItems() || suffix != 0 {
		t.Errorf("a file shares %d and %d of its %d items with itself", prefix, suffix, g.NumItems())
	}
}

// Edits that change where items begin and end.
func TestEditBoundaries(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		edit       Edit
	}{
		{"a blank line goes: an arm joins its flow", "f()\n\n| a |> _\ng()\n", Edit{4, 5, ""}},
		{"a blank line comes: an arm is stray", "f()\n| a |> _\ng()\n", Edit{4, 4, "\n"}},
		{"a body is opened", "proc f|js { }\ng()\nh()\n", Edit{12, 13, ""}},
		{"a body is closed", "proc f|js { \ng()\nh()\n", Edit{12, 12, "}"}},
		{"a parenthesis is opened", "f()\ng()\n", Edit{2, 3, ""}},
		{"an annotation finds its declaration", "[pure]\n\ntor f {}\n", Edit{7, 8, ""}},
		{"an annotation loses its declaration", "[pure]\ntor f {}\n", Edit{7, 7, "\n"}},
		{"a step comes under its pipe", "f()\n| a |>\ng()\n", Edit{11, 11, "    "}},
		{"a step leaves its pipe", "f()\n| a |>\n    g()\n", Edit{11, 15, ""}},
		{"arguments come under their verb", "f\ng()\n", Edit{2, 3, ""}},
		{"arguments leave their verb", "f\n(a: 1)\n", Edit{2, 2, "g"}},
		{"a value comes behind a word", "f -> a\ng()\n", Edit{6, 6, " b"}},
		{"a word stands twice", "tor a {}\n", Edit{4, 4, "tor "}},
		{"everything goes", "f()\ng()\n", Edit{0, 8, ""}},
		{"something comes", "", Edit{0, 0, "f()\n"}},
		{"at the end", "f()\n", Edit{4, 4, "| a |> _"}},
		{"at the start", "f()\n", Edit{0, 0, "\ufeff// x\n"}},
		{"past the end", "f()\n", Edit{400, 900, "g()"}},
		{"inverted", "f()\n", Edit{3, 1, "g()"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Parse("a.k", Pure, tt.text).Edit(tt.edit)
			want := Parse("a.k", Pure, got.Text())
			checkTree(t, got, got.Text())
			if d := cmp.Diff(shapeOf(want), shapeOf(got)); d != "" {
				t.Errorf("(-fresh parse +edit)\n%s", d)
			}
		})
	}
}

// A long session of random edits ends in the tree of its text.
func TestEditSession(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\n", "\n\n", "| a |> _\n", "}", "{", "(", ")", "\"", "// c\n", "tor x {}\n", "  ", "~", "[", "]", "f()", "|>", "{{", "}}", "|>\n    g()", "f\n(a)", "-> a b", "tor tor ", "\n    "}
	f := Parse("a.k", Pure, strings.Repeat(program, 3))
	for i := range 3000 {
		at := rng.IntN(f.Len() + 1)
		f = f.Edit(Edit{at, min(at+rng.IntN(6), f.Len()), pieces[rng.IntN(len(pieces))]})
		if i%100 != 0 {
			continue
		}
		if d := cmp.Diff(shapeOf(Parse("a.k", Pure, f.Text())), shapeOf(f)); d != "" {
			t.Fatalf("after %d edits (-fresh parse +edits):\n%s", i+1, d)
		}
	}
}
