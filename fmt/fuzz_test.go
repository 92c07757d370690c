package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/koru-go/koru/syntax"
)

// seeds are small programs that touch every rule, most of them badly laid out.
var seeds = []string{
	"",
	"\n\n",
	"// only a comment",
	"import std/io\n\n\n\nimport   std/fs\n",
	"// The shop.\n\n\ntor find{sku:string,  depth : i64=3}\n| found   string\n| unknown\nproc find|js { return `${1}`;   }\n",
	"find( sku:\"a {{b.c:s}}\" )\n| found s when s>1|>g(s):t\n  |> h { raw\n  }\n    | x |> _   // why\n| unknown=>gone{a:1,b}\n",
	"[\n- doc\nProse.  \n]\npub tor a{f:*std/io:File<!open|shut>,c:\"x\"|\"y\"=\"x\"}->{a:i64,b:[]string}\na->if(b==1){a:1,b}else-x[0..2].y\n",
	"std/runtime:register(scope:\"d\"){\n  std.fs:dir->dir( 1 )   // c\n\n\n  [debug] a(2)\n  scope(b)\n  c:*\n  // last\n}\n",
	"std/store:new(o, capacity:2) { id:i64, q:1[i64] }\n! removed _|>std/store:stored { o.q: o.q-1 }\n#l f()\n|>@l(a:1)\n",
	"std/io:print.blk {\n{% for x in xs %}{{ x:s }}{% endfor %}\n   }\nconst a:i64=1\nconst { A:1,B:2 }\n",
	"std/testing:test(A title) {\n    f => ok 1\n    f()\n    | ok _ |> _\n}\n",
	"f =\n    g(&.{ .a = 1 }, .fast)\n    ! ask q->true\n    |? Transition t|>h(t)\n    | `GET /`|>_\n",
	"f(a,\n  b: { x:1,\n  y:2 // two\n  },\n  // own line\n  c\n)|>g():{h,i:j}|>k( [1,2] )\n",
	"tor wide { aaaaaaaaaaaaaaaaaaaaaaaaaa: string, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: string, cccccccccccccccccc: { d: string, e: i64 } } -> { f: string, g: string }\n",
	"a() |> bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb() |> cccccccccccccccccccccccccccccccccccc() |> ddddddddddddddddddddddddddddddddddd()\n",
	"tor t {\n  a: string\n\n  b: i64 // b\n  , c: { d: string\n e: i64 }\n}\n  // between\n| ok\n! ask string | yes i64 | no\n",
	"\ufefff()\r\n| ok |> _\r\n\r\n\r\ng {\r\n  raw\r\n  }\r\n",
	"const z = 1;\n~tor a{}\n~a=b()\n|x\n\n~proc a|zig{ return \"}\"; }\nconst y = 2;",
	"tor broken { a\n| x\n\nf(  )\n\ng(1,\n",
	"std/runtime:register{//}\nconst{A:1,//}\nstd/runtime:register(scope:\"s\"){a(1)//}\n",
}

// FuzzFormat checks what holds for every text: formatting never fails, a second
// run changes nothing, the edits make the formatted text, and what is broken
// keeps its bytes. That trees and comments stay the same is checked inside
// [Format], which fails if they do not.
func FuzzFormat(f *testing.F) {
	for _, s := range seeds {
		for kind := range 3 {
			f.Add(s, uint8(kind), uint16(len(s)/2), uint16(20))
		}
		f.Add("const z = 1;\n~"+strings.ReplaceAll(s, "\n", "\n~"), uint8(1), uint16(0), uint16(9))
	}
	f.Fuzz(func(t *testing.T, text string, kind uint8, at, size uint16) {
		name := "fuzz" + []string{".k", ".kz", ".kjs"}[kind%3]
		start := int(at) % (len(text) + 1)
		checkFormat(t, name, text, Options{})
		checkFormat(t, name, text, Options{World: true})
		checkFormat(t, name, text, Options{Only: &syntax.Span{Start: start, End: min(start+int(size), len(text))}})
	})
}

// checkFormat asserts the invariants for one text.
func checkFormat(t *testing.T, name, text string, o Options) {
	t.Helper()
	file := syntax.Parse(name, syntax.KindOf(name), text)
	formatted, err := Format(file, o)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	edits, err := Edits(file, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(formatted, apply(t, text, edits)); d != "" {
		t.Fatalf("the edits do not make the formatted text of %q (-format +edits):\n%s", text, d)
	}
	again := syntax.Parse(name, syntax.KindOf(name), formatted)
	checkKept(t, file, again)
	if o.Only != nil {
		return // the span is about the text before
	}
	twice, err := Format(again, o)
	if err != nil {
		t.Fatalf("the formatted text: %v: %q", err, formatted)
	}
	if d := cmp.Diff(formatted, twice); d != "" {
		t.Fatalf("a second run changes the text of %q (-once +twice):\n%s", text, d)
	}
}

// checkKept asserts that host text and broken items keep their bytes and that
// every comment is where it was: in the same item, between the same tokens.
func checkKept(t *testing.T, before, after *syntax.File) {
	t.Helper()
	kept := func(f *syntax.File) (out []string) {
		for n := range f.Items() {
			if keeps(n) {
				out = append(out, n.Text())
			}
		}
		for n := len(out); n > 0; n-- { // the line ends at the end belong to the file
			if out = out[:n]; !isBlank(out[n-1]) {
				out[n-1] = trimLines(out[n-1])
				break
			}
			out = out[:n-1]
		}
		return out
	}
	if d := cmp.Diff(kept(before), kept(after), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("host text or a broken item changed (-before +after):\n%s", d)
	}
	if d := cmp.Diff(comments(before), comments(after)); d != "" {
		t.Fatalf("a comment moved (-before +after):\n%s", d)
	}
}

// comment is a comment with the tokens around it.
type comment struct{ Text, Before, After string }

func comments(f *syntax.File) (out []comment) {
	previous, open := "", 0
	for n := range f.Items() {
		for tok := range n.AllTokens() {
			switch k := tok.Kind(); {
			case k == syntax.Comment:
				out = append(out, comment{Text: trimRight(tok.Text()), Before: previous})
				continue
			case k.IsTrivia() || k == syntax.Comma || isBlank(tok.Text()):
				continue
			}
			previous = strings.Trim(tok.Text(), " \t\r\n")
			for ; open < len(out); open++ {
				out[open].After = previous
			}
		}
	}
	return out
}

func apply(t *testing.T, text string, edits []syntax.Edit) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			t.Fatalf("edit out of order: %+v", e)
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	return b.String() + text[at:]
}
