package format

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/syntax"
)

func parse(name, text string) *syntax.File {
	return syntax.Parse(name, syntax.KindOf(name), text)
}

// checkText asserts what a text is formatted to, and the invariants.
func checkText(t *testing.T, name, before, after string, o Options) {
	t.Helper()
	got, err := Format(parse(name, before), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(after, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	checkFormat(t, name, before, o)
}

func TestLineEnds(t *testing.T) {
	for _, tt := range []struct{ name, file, before, after string }{
		{"nothing", "a.k", "", ""},
		{"blank lines only", "a.k", "\n  \n\n", ""},
		{"no line end", "a.k", "f()", "f()\n"},
		{"too many", "a.k", "f()\n\n\n", "f()\n"},
		{"CRLF stays", "a.k", "f( )\r\n| ok |> _\r\n", "f()\r\n| ok |> _\r\n"},
		{"CRLF goes on in new lines", "a.k", "tor f { a: i64\r\n}\r\n", "tor f {\r\n    a: i64,\r\n}\r\n"},
		{"the majority decides", "a.k", "f( )\n| ok |> _\r\n| no |> _\r\n", "f()\r\n| ok |> _\r\n| no |> _\r\n"},
		{"text that is copied decides", "a.k", "a =\r\n    f {\nraw\n}\r\n\r\n", "a = f {\nraw\n}\n"},
		{"line ends that go do not count", "a.kz", "a\r\nb\n\n", "a\r\nb\r\n"},
		{"a lone CR is a line end", "a.k", "f( )\rg( )\r", "f()\ng()\n"},
		{"a byte order mark stays", "a.k", "\ufeff\n\nf( )\n", "\ufefff()\n"},
		{"a byte order mark in front of a comment", "a.k", "\ufeff// a\n", "\ufeff// a\n"},
		{"host text at the end", "a.kz", "const a = 1;\n\n\n", "const a = 1;\n"},
		{"host text without a line end", "a.kz", "~f( )\nconst a = 1;", "~f()\nconst a = 1;\n"},
		{"a broken end keeps its bytes", "a.k", "f( )\n\ng(  ", "f()\n\ng(  "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkText(t, tt.file, tt.before, tt.after, Options{})
		})
	}
}

// TestOnly formats what a range touches: whole constructs, and nothing else.
func TestOnly(t *testing.T) {
	const text = "a( )\n\n\n\nb( )\n| ok|>_\nc( )\n"
	for _, tt := range []struct {
		name       string
		start, end string // the range begins at the first and ends before the second
		want       string
	}{
		{"first", "a", "\n", "a()\n\n\n\nb( )\n| ok|>_\nc( )\n"},
		{"a part of one", "|>", "_", "a( )\n\nb()\n| ok |> _\nc( )\n"},
		{"a cursor", "ok", "ok", "a( )\n\nb()\n| ok |> _\nc( )\n"},
		{"two", "ok", "( )\n", "a( )\n\nb()\n| ok |> _\n\nc()\n"},
		{"up to the start of the next line", "b", "c", "a( )\n\nb()\n| ok |> _\nc( )\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := strings.Index(text, tt.start)
			end := start
			if tt.end != tt.start {
				end = start + 1 + strings.Index(text[start+1:], tt.end)
			}
			if tt.name == "two" {
				end = len(text)
			}
			o := Options{Only: &syntax.Span{Start: start, End: end}}
			checkText(t, "a.k", text, tt.want, o)
		})
	}
}

// TestEdits pins that an edit covers layout and never a token, so that marks in
// an editor stay.
func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []syntax.Edit
	}{
		{"nothing to do", "f(a: 1)\n", nil},
		{"a blank", "f(a:1)\n", []syntax.Edit{{Start: 4, End: 4, Text: " "}}},
		{"two gaps", "f( a:1)\n", []syntax.Edit{{Start: 2, End: 3}, {Start: 5, End: 5, Text: " "}}},
		{"a trailing comma", "tor f {\n    a: i64\n}\n", []syntax.Edit{{Start: 18, End: 18, Text: ","}}},
		{"a blank line", "f()\n| a |> _\ng()\n", []syntax.Edit{{Start: 13, End: 13, Text: "\n"}}},
		{"the closing brace of a block", "f {\n  x\n  }\n", []syntax.Edit{{Start: 8, End: 10}}},
		{"blank lines at the end", "f()\n\n\n", []syntax.Edit{{Start: 4, End: 6}}},
		{"blanks behind a comment", "f() // a  \n", []syntax.Edit{{Start: 8, End: 10}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Edits(parse("a.k", tt.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestBroken pins that a broken item costs nobody else anything, and that an
// item that would swallow it stays where it is.
func TestBroken(t *testing.T) {
	for _, tt := range []struct{ name, file, before, after string }{
		{"around", "a.k", "f( )\n\ntor x  {\n| y\n\ng( )\n", "f()\n\ntor x  {\n| y\n\ng()\n"},
		{"a tab", "a.k", "f( )\n\ng(a:\t1)\n", "f()\n\ng(a:\t1)\n"},
		{"under an indented flow", "a.k", "  f( )\n| ok  |> _\n", "  f( )\n| ok  |> _\n"},
		{"under an indented comment", "a.k", "// c\n  f( )\n| ok  |> _\n", "// c\n  f( )\n| ok  |> _\n"},
		{"under a byte order mark", "a.k", "\ufeff\n  f( )\n| ok  |> _\n", "\ufeff\n  f( )\n| ok  |> _\n"},
		{"indented under an indented flow", "a.k", "  f( )\n  , x\n", "  f( )\n  , x\n"},
		{"under a flow that would move up", "a.k", "a =\n    f( )\n    | x |> _\n\n  | y  |> _\n", "a =\n    f( )\n    | x |> _\n\n  | y  |> _\n"},
		{"host text with a bar", "a.kz", "  ~f( )\n| x\n", "  ~f( )\n| x\n"},
		{"a verb named like a declaration", "a.k", "tor{}\n", "tor{}\n"},
		{"a definition of such a verb", "a.k", "import= f( )\n", "import= f( )\n"},
		{"a flow behind documentation among host lines", "a.kz", "~[\n- why\n]f( )\n", "~[\n- why\n]f()\n"},
		{"a declaration behind documentation among host lines", "a.kz", "~[\n- why\n]\ntor  f {}\n", "~[\n- why\n]\ntor f {}\n"},
		{"a record that the next item cuts short", "a.k", "e->{e,\n\n]\ng( )\n", "e->{e,\n\n]\ng()\n"},
		{"under a |>", "a.kz", "~f( )\n | a |>\n g()\n", "~f( )\n | a |>\n g()\n"},
		{"a lone CR", "a.k", ")\r\rf( )", ")\r\r\nf()\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkText(t, tt.file, tt.before, tt.after, Options{})
		})
	}
}

// TestReadsTheSame formats what would read differently with the blanks of every
// day: with one more, one less or another one.
func TestReadsTheSame(t *testing.T) {
	for _, tt := range []struct{ name, before, after string }{
		{"a field that is a number", "x -> a.0. 0\n", "x -> a.0. 0\n"},
		{"words behind a comma are no title", "f(a-b,) {raw}\n", "f(a-b,) {raw}\n"},
		{"words on a line are no title", "f(a-b\n) {raw}\n", "f(a-b\n) {raw}\n"},
		{"one word is no title", "f(a,) {raw}\n", "f(a) {raw}\n"},
		{"a variant ends at its arrow", "f|js->1\n", "f|js -> 1\n"},
		{"a type of the name of a word", "tor f { a: []const= 1 }\n", "tor f { a: []const = 1 }\n"},
		{"a path in a destructure", "f():{a.b:c}\n", "f(): { a.b: c }\n"},
		{"a quote in a host value", "a->.b\"", "a -> .b\"\n"},
		{"a comment behind a host value", "a->.b//c", "a -> .b //c\n"},
		{"a splice with an open record", "print.ln(\"{{{a.b}}\")\n", "print.ln(\"{{{a.b}}\")\n"},
		{"a splice with two slashes", "print.ln(\"{{a//}}\")\n", "print.ln(\"{{a//}}\")\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkText(t, "a.k", tt.before, tt.after, Options{})
		})
	}
}

// TestApart pins that what a blank, a line end or a comment keeps apart does not
// run together, wherever in a program they stand.
func TestApart(t *testing.T) {
	texts := append(seeds, "x -> a.0.0 - -1 + b.c.* ++ -d[0..1] != !e and 0 .. 1 <= (1).0\n", "a(& [0], & b.c)\n")
	for _, text := range texts {
		for at := range len(text) + 1 {
			for _, layout := range []string{" ", "\n", "\n\n", " // why\n"} {
				checkFormat(t, "a.k", text[:at]+layout+text[at:], Options{})
			}
		}
	}
}

func TestSource(t *testing.T) {
	if got, err := Source("a.k", "f( )\n", Options{}); got != "f()\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	const broken = "f( )\n\ng(\n"
	if got, err := Source("a.k", broken, Options{}); got != broken || err != ErrFaults {
		t.Errorf("a text with a fault came back as %q, %v", got, err)
	}
}

// TestReply pins that what a model said is not reworded.
func TestReply(t *testing.T) {
	const said = "find( sku:\"a\" )\n| ok x|>"
	got, err := Format(syntax.Parse("reply", syntax.Reply, said), Options{})
	if got != said || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestVerify feeds the safety net texts that a faulty printer could have made of
// a source: each must be refused.
func TestVerify(t *testing.T) {
	const source = "// above\nf(a: 1, b: 2) // behind\n| ok x |> g(x)\n    | no |> _\n\ntor t { a: i64 }\n"
	for _, tt := range []struct{ name, from, to string }{
		{"a token lost", "b: 2", "b:"},
		{"a token changed", "a: 1", "a: 7"},
		{"a token added", "g(x)", "g(x, x)"},
		{"arms joined to another step", "    | no", "| no"},
		{"a comment lost", "// above\n", ""},
		{"a comment changed", "// behind", "// ahead"},
		{"a comment moved", "f(a: 1, b: 2) // behind", "// behind\nf(a: 1, b: 2)"},
		{"an item lost", "tor t { a: i64 }\n", ""},
		{"an item added", "i64 }\n", "i64 }\nh()\n"},
		{"a fault", "g(x)", "g(x"},
		{"items joined", "    | no |> _\n\ntor", "    | no |> _ tor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := parse("a.k", source)
			p := &printer{memory: new(memory)}
			p.file(f, Options{})
			text := strings.Replace(source, tt.from, tt.to, 1)
			if text == source {
				t.Fatal("nothing was replaced")
			}
			moved := len(text) - len(source)
			at := strings.Index(source, tt.from)
			for i := range p.starts {
				if p.starts[i] > at {
					p.starts[i] += moved
				}
			}
			if _, ok := p.verify(f, text, false); ok {
				t.Errorf("accepted %q", text)
			}
		})
	}
}

// TestDepth prints the deepest nesting that the parser takes. Each level is too
// wide for its line, which must not make the levels above print it again.
func TestDepth(t *testing.T) {
	const levels = 120
	long := strings.Repeat("x", Width)
	shapes := "tor f " + strings.Repeat("{ "+long+": ", levels) + "i64" + strings.Repeat(" }", levels) + "\n"
	defaults := "tor f " + strings.Repeat("{ a: ", levels) + "i64" + strings.Repeat(" = "+long+" }", levels) + "\n"
	var arms strings.Builder
	arms.WriteString("f()\n")
	for i := range levels {
		fmt.Fprintf(&arms, "%s| ok |> a() |> b() |> %s()\n", strings.Repeat(" ", i), long)
	}
	for name, text := range map[string]string{
		"shapes": shapes, "defaults": defaults, "arms": arms.String(),
		"parentheses": "a -> " + strings.Repeat("(", levels) + "1" + strings.Repeat(")", levels) + "\n",
		"lists":       "a -> " + strings.Repeat("[\n  ", levels) + "1" + strings.Repeat("]", levels) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if faults := parse("a.k", text).Faults(); len(faults) > 0 {
				t.Fatal(faults[0].Message)
			}
			checkFormat(t, "a.k", text, Options{})
		})
	}
}
