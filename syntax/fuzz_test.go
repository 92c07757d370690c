package syntax

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// seeds are small programs that touch every production.
var seeds = []string{
	"",
	"import std/io\n",
	"// a comment\n\ntor find { sku: string, depth: i64 = 3 }\n| found string\n| unknown\nproc find|js { return `${1}`; }\n",
	"find(sku: \"a {{ b.c:s }}\")\n| found s when s > 1 |> g(s): t\n    |> h { raw }\n    | x |> _\n| unknown => gone { a: 1, b }\n",
	"[\n- doc\nProse.\n]\npub tor a { f: *std/io:File<!open|shut>, c: \"x\" | \"y\" = \"x\" } -> { a: i64, b: []string }\na -> if (b == 1) { a: 1, b } else -x[0..2].y\n",
	"std/runtime:register(scope: \"d\") {\n    std.fs:dir -> dir(1) // c\n    [debug]a(2)\n    scope(b)\n    c:*\n}\n",
	"std/store:new(o, capacity: 2) { id: i64, q: 1[i64] }\n! removed _ |> std/store:stored { o.q: o.q - 1 }\n#l f()\n|> @l(a: 1)\n",
	"std/io:print.blk {\n{% for x in xs %}{{ x:s }}{% endfor %}\n}\nconst a: i64 = 1\n",
	"std/testing:test(A title) {\n    f => ok 1\n    f()\n    | ok _ |> _\n}\n",
	"f = \n    g(&.{ .a = 1 }, .fast)\n    ! ask q -> true\n    |? Transition t |> h(t)\n    | `GET /` |> _\n",
	"f(((((((1)))))))\n|> \n",
	"f()\n| a |>\n    g() |>\n        h\n(a: 1)\n| b -> c d\ntor tor x {}\n",
	"f(a: \"x\n| y |> (\ntor g { a\n",
	"e->{e,\n\n]\n",
	"\ufefff()\r\n| ok |> _\r\n\r\n",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		for k := range 3 {
			f.Add(s, uint8(k), uint16(len(s)/2), uint16(3), "x\n")
		}
		f.Add("const z = 1;\n~"+strings.ReplaceAll(s, "\n", "\n~"), uint8(1), uint16(4), uint16(0), "~")
	}
	f.Fuzz(func(t *testing.T, text string, kind uint8, at, del uint16, ins string) {
		k := FileKind(kind % 3)
		file := Parse("fuzz", k, text)
		checkTree(t, file, text)

		start := int(at) % (len(text) + 1)
		end := min(start+int(del)%64, len(text))
		edited := file.Edit(Edit{start, end, ins})
		fresh := Parse("fuzz", k, text[:start]+ins+text[end:])
		checkTree(t, edited, text[:start]+ins+text[end:])
		if d := cmp.Diff(shapeOf(fresh), shapeOf(edited)); d != "" {
			t.Errorf("an edit and a fresh parse differ (-fresh +edited):\n%s", d)
		}
		checkAlone(t, file, file.ItemAt(start))
	})
}

// checkAlone asserts that the items from the i-th on read as they do when nothing
// stands above them. Only a byte order mark tells where a file begins.
func checkAlone(t *testing.T, f *File, i int) {
	t.Helper()
	below := f.Text()[f.Item(i).Base():]
	if strings.HasPrefix(below, "\ufeff") {
		return
	}
	var want []string
	for ; i < f.NumItems(); i++ {
		want = append(want, shapeOfItem(f.Item(i))...)
	}
	if d := cmp.Diff(want, shapeOf(Parse(f.Name, f.Kind, below))); d != "" {
		t.Errorf("%q reads differently with nothing above it (-below +alone):\n%s", below, d)
	}
}

// checkTree asserts what holds for every tree: it gives the text back, its
// faults lie inside, its items are whole lines, every node lies inside its parent.
func checkTree(t *testing.T, f *File, text string) {
	t.Helper()
	if got := print(f); got != text {
		t.Fatalf("the tree does not give the text back:\n got %q\nwant %q", got, text)
	}
	for _, ft := range f.Faults() {
		if ft.Start < 0 || ft.End < ft.Start || ft.End > len(text) {
			t.Errorf("fault outside the text: %+v", ft)
		}
		if !utf8.ValidString(ft.Message) && utf8.ValidString(text) {
			t.Errorf("fault with a broken message: %q", ft.Message)
		}
	}
	for n := range f.Items() {
		if at := n.Base(); at > 0 && f.Kind != Reply && !isLine(text[at-1]) {
			t.Fatalf("an item begins inside a line, behind %q", text[:at])
		}
		checkNode(t, n)
		if f.Kind != Reply && !n.Faulty() {
			checkClosed(t, n)
		}
	}
}

// checkClosed asserts that in an item without a fault every bracket is closed.
func checkClosed(t *testing.T, n Node) {
	t.Helper()
	switch n.Kind() {
	case Splice, Tag:
		if n.Child(ErrorNode).IsValid() {
			return
		}
	case Args, RecordExpr, ListExpr, ParenExpr, Shape, Destructure, Annotations, Block, GrantBlock:
		closing := map[Kind]Kind{LParen: RParen, LBrace: RBrace, LBracket: RBracket}
		if want := closing[n.FirstToken().Kind()]; n.LastToken().Kind() != want {
			t.Fatalf("%s has no fault, but %q is not closed", n.Kind(), n.Text())
		}
	}
	for c := range n.Children() {
		checkClosed(t, c)
	}
}

func checkNode(t *testing.T, n Node) {
	t.Helper()
	span, at := n.Span(), 0
	for c := range n.Children() {
		s := c.Span()
		if s.Len() > 0 && (s.Start < span.Start || s.End > span.End) {
			t.Fatalf("%s %v is outside its parent %s %v", c.Kind(), s, n.Kind(), span)
		}
		if s.Start < at {
			t.Fatalf("%s %v overlaps its elder sibling in %s", c.Kind(), s, n.Kind())
		}
		at = max(at, s.End)
		checkNode(t, c)
	}
	// Its own tokens and those of its children are all that it covers.
	parts, all := 0, 0
	for range n.Tokens() {
		parts++
	}
	for c := range n.Children() {
		for range c.AllTokens() {
			parts++
		}
	}
	for range n.AllTokens() {
		all++
	}
	if parts != all {
		t.Fatalf("%s covers %d tokens, its parts %d", n.Kind(), all, parts)
	}
}

// shapeOf renders items, nodes and faults for comparison.
func shapeOf(f *File) []string {
	var out []string
	for n := range f.Items() {
		out = append(out, shapeOfItem(n)...)
	}
	return out
}

func shapeOfItem(n Node) []string {
	var b strings.Builder
	dump(&b, n, 0)
	out := []string{b.String()}
	for _, ft := range n.Faults() {
		out = append(out, ft.Code+" "+ft.Message)
	}
	return out
}
