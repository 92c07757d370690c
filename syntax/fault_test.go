package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faultsOf renders faults as line:column code message.
func faultsOf(f *File) []string {
	var out []string
	for _, ft := range f.Faults() {
		p := f.Position(ft.Start, UTF8)
		out = append(out, fmt.Sprintf("%d:%d %s %s", p.Line+1, p.Column+1, ft.Code, ft.Message))
	}
	return out
}

// One slip costs one fault, at the place where it can be mended.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"mode switch in a pure file", "a.k", "~import std/io\n", "1:1 PARSE003 '~' has no place in a .k file"},
		{"host declaration", "a.k", "fn f() void {}\n", "1:1 PARSE003 a host declaration has no place in a .k file"},
		{"public host declaration", "a.k", "pub fn f() void {}\n", "1:1 PARSE003 a host declaration has no place"},
		{"bare construct in a host file", "a.kz", "const x = 1;\ntor f {}\n", "2:1 PARSE003 a Koru line in a host file must start with `~`"},
		{"tilde after annotation", "a.kz", "~[pure]~tor f {}\n", "1:8 PARSE008 '~' right after ']'"},
		{"tilde inside a flow", "a.k", "f()\n|> ~g()\n", "2:4 PARSE001 '~' inside a flow"},
		{"tab", "a.k", "f()\n\t| a |> _\n", "2:1 PARSE002 a tab"},
		{"quoted import", "a.k", "import \"$std/io\"\n", "1:8 PARSE003 an import path is bare: write import std/io"},
		{"dotted import", "a.k", "import std.io\n", "1:8 KORU035 '.' does not separate modules: write std/io"},
		{"deep import", "a.k", "import a/b/c/d\n", "1:8 PARSE003 a module path has at most two segments"},
		{"event", "a.k", "event f {}\n", "1:1 PARSE003 `event` is not a keyword"},
		{"public proc", "a.k", "pub proc f|js {}\n", "1:1 PARSE003 'pub' belongs to the tor"},
		{"proc without a body", "a.k", "proc f|js\n", "1:10 PARSE003 a proc has a body in braces"},
		{"unclosed body", "a.k", "proc f|js {\n  return 1;\n", "1:11 PARSE004 this body has no closing brace"},
		{"tor without inputs", "a.k", "tor f\n| a\n| b\n", "1:6 PARSE003 a tor declares its inputs in braces"},
		{"variant on a tor", "a.k", "tor f|js {}\n", "1:6 PARSE003 a tor has no variant"},
		{"arrow on an outcome", "a.k", "tor f {}\n| a -> i64\n| b\n", "2:5 PARSE003 '->' belongs to effects"},
		{"empty payload", "a.k", "tor f {}\n| a ()\n| b\n", "2:5 PARSE003 an outcome without payload is just its name"},
		{"snake in a tor", "a.k", "tor get_user { id: string }\n", "1:5 KORU034 '_' in the name of a tor: write 'get-user'"},
		{"kebab in a field", "a.k", "tor f { user-id: string }\n", "1:9 PARSE003 a field is a snake name: write 'user_id'"},
		{"dotted module", "a.k", "std.io:print.ln(\"x\")\n", "1:1 KORU035 '.' does not separate modules: write std/io"},
		{"square state", "a.k", "tor f { h: *File[open!] }\n", "1:17 KORU033 a possession state stands in angle brackets: write <open!>"},
		{"blank line before an arm", "a.k", "f()\n\n| a |> _\n", "3:1 KORU010 stray continuation line: a blank line ended the flow"},
		{"comment inside a flow", "a.k", "f()\n// no\n| a |> _\n", "2:1 KORU010 stray continuation line after this comment"},
		{"arm without a flow", "a.k", "| a |> _\n", "1:1 KORU010 stray continuation line: no flow stands right above it"},
		{"indented line", "a.k", "f = g()\n    h()\n", "2:5 KORU010 stray continuation line: an indented line must start with"},
		{"arm on the line of its call", "a.k", "f() | a |> _\n", "1:5 PARSE001 an arm stands on a line of its own"},
		{"step under its pipe", "a.k", "f()\n| a |>\n    g()\n    | b |> _\n| c |> _\n", "3:5 KORU010 stray continuation line: a step stands behind its '|>'"},
		{"outcome behind an arrow", "a.k", "f = g()\n| a v -> sold-out v\n", "2:7 KORU021 '->' produces one value: the outcome 'sold-out'"},
		{"missing step", "a.k", "f() |>\n", "1:7 PARSE001 expected a step after '|>'"},
		{"value after a pipe", "a.k", "f()\n| a v |> done v\n", "2:10 KORU103 '|>' introduces a step, not a value"},
		{"literal after a pipe", "a.k", "f()\n| a v |> 42\n", "2:10 KORU103 '|>' leads to a step, not to a value"},
		{"kebab binding", "a.k", "f()\n| a my-v |> g(my_v)\n", "2:5 PARSE001 a binding is a snake name: write 'my_v'"},
		{"unclosed call", "a.k", "f(a: 1\ng(b: 2)\n", "1:2 PARSE004 '(' is never closed"},
		{"unclosed call before an arm", "a.k", "f(a: 1\n| x |> g()\n", "1:2 PARSE004 '(' is never closed"},
		{"unclosed string", "a.k", "f(a: \"x)\ng()\n", "1:6 PARSE001 this string has no closing quote"},
		{"closing nothing", "a.k", "f())\n", "1:4 PARSE004 ')' closes nothing"},
		{"missing comma", "a.k", "f(a: 1 b: 2)\n", "1:8 PARSE001 expected ',' or ')' after an argument, found 'b'"},
		{"bare host record", "a.k", "f(a: .{ .x = 1 })\n", "1:6 PARSE003 a host value cannot stand alone"},
		{"comma between annotations", "a.k", "[pure, retain]tor f {}\n", "1:6 PARSE007 ',' between annotations"},
		{"unclosed annotation", "a.k", "[pure\ntor f {}\n", "1:1 PARSE004 this annotation has no closing ']'"},
		{"unclosed block", "a.k", "f {\n  x\n", "1:3 PARSE004 this block has no closing brace"},
		{"unclosed bracket of a host value", "a.k", "f(a: &.{ .b = [1\n    .c = 2\ng()\n", "1:8 PARSE004 '{' is never closed"},
		{"unclosed bracket of a host value before an arm", "a.k", "f(a: .b(1\n| x |> _\n", "1:8 PARSE004 '(' is never closed"},
		{"no construct", "a.k", "= 3\n", "1:1 KORU001 no construct starts with '='"},
		{"prose", "a.k", "Diese Zeile ist Prosa.\nf()\n", "1:7 PARSE001 unexpected 'Zeile' after a complete construct"},
		{"a switch to nothing", "a.kz", "~\nconst x = 1;\n", "1:2 KORU001 no construct starts with the end of the line"},
		{"another script", "a.k", "これは\nf()\n", "1:1 KORU001 no construct starts with 'これは'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse(tt.file, KindOf(tt.file), tt.text)
			checkTree(t, f, tt.text)
			got := faultsOf(f)
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
				t.Errorf("faults of %q:\n got %q\nwant one that starts %q", tt.text, got, tt.want)
			}
		})
	}
}

// What stands between the braces of a splice is an expression or nothing that
// anybody may rely on.
func TestBrokenSplices(t *testing.T) {
	for _, tt := range []struct {
		text   string
		broken bool
	}{
		{"a", false}, {"a.b:s", false}, {"f(a: [1, 2], b: { c })", false}, {"if (a) b else c", false},
		{"", true}, {":s", true}, {"a b", true}, {"a.", true}, {"-", true}, {"a // b", true},
		{"{a.b", true}, {"[a.b", true}, {"(a.b", true}, {"f(a.b", true}, {"a[b.c", true}, {"@f(a.b", true},
		{"if (a", true}, {"if (a) {b.c", true}, {"&.{ .a", true}, {"f({a.b)", true}, {"f(a,,b)", true},
	} {
		f := Parse("a.k", Pure, "f(a: \"{{ "+tt.text+" }}\")\n")
		checkTree(t, f, f.Text())
		if got := (SpliceView{f.NodeAt(len("f(a: \"{{"))}); got.Kind() != Splice || got.Broken() != tt.broken {
			t.Errorf("{{ %s }}: a %s, broken %v", tt.text, got.Kind(), got.Broken())
		}
	}
}

// A fix leaves no fault behind.
func TestFaultFixes(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"a.k", "~import std/io\n", "import std/io\n"},
		{"a.k", "import \"$std/io\"\n", "import std/io\n"},
		{"a.k", "import std.io\n", "import std/io\n"},
		{"a.k", "event f {}\n", "tor f {}\n"},
		{"a.k", "pub proc f|js {}\n", "proc f|js {}\n"},
		{"a.k", "tor f\n", "tor f {}\n"},
		{"a.k", "std.io:print.ln(\"x\")\n", "std/io:print.ln(\"x\")\n"},
		{"a.k", "tor f { h: *File[open!] }\n", "tor f { h: *File<open!> }\n"},
		{"a.k", "tor get_user {}\n", "tor get-user {}\n"},
		{"a.k", "f()\n\n| a |> _\n", "f()\n| a |> _\n"},
		{"a.k", "f()\n| a v |> done v\n", "f()\n| a v => done v\n"},
		{"a.k", "[pure, retain]tor f {}\n", "[pure| retain]tor f {}\n"},
		{"a.k", "f()\n\t| a |> _\n", "f()\n    | a |> _\n"},
		{"a.k", "f(a: \"x\n", "f(a: \"x\"\n"},
		{"a.kz", "~[pure]~tor f {}\n", "~[pure]tor f {}\n"},
		{"a.kz", "tor f {}\n", "~tor f {}\n"},
	} {
		f := Parse(tt.file, KindOf(tt.file), tt.text)
		faults := f.Faults()
		if len(faults) == 0 || faults[0].Fix == nil {
			t.Errorf("%q: no fault with a fix: %v", tt.text, faults)
			continue
		}
		got := tt.text
		edits := faults[0].Fix.Edits
		for i := len(edits) - 1; i >= 0; i-- {
			got = got[:edits[i].Start] + edits[i].Text + got[edits[i].End:]
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q fixed (-want +got):\n%s", tt.text, d)
		}
	}
}

// A broken line costs one fault; what stands around it is understood.
func TestRecovery(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		faults     int
		items      []Kind
	}{
		{"at the next item", "tor a {\ntor b {}\nf()\n", 1, []Kind{TorItem, TorItem, FlowItem}},
		{"at the next arm", "f()\n| a ( |> x()\n| b |> y()\ng()\n", 1, []Kind{FlowItem, FlowItem}},
		{"at the next argument", "f(a: + , b: 2)\ng()\n", 1, []Kind{FlowItem, FlowItem}},
		{"at the next field", "tor a { x: , y: i64 }\ng()\n", 1, []Kind{TorItem, FlowItem}},
		{"at the next grant", "std/runtime:register(scope: \"s\") {\n    a(1)\n    = b\n    c(1)\n}\n", 1, []Kind{FlowItem}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse("a.k", Pure, tt.text)
			checkTree(t, f, tt.text)
			if got := faultsOf(f); len(got) != tt.faults {
				t.Errorf("faults: %q", got)
			}
			var kinds []Kind
			for n := range f.Items() {
				if n.Kind() != BlankItem {
					kinds = append(kinds, n.Kind())
				}
			}
			if d := cmp.Diff(tt.items, kinds); d != "" {
				t.Errorf("items (-want +got):\n%s", d)
			}
		})
	}
}

// A NUL byte is text like any other control byte: it does not end anything.
func TestNULEndsNothing(t *testing.T) {
	for _, s := range append(seeds, "[pure", "tor f {}\n| a *", "f(a: not", "say: a") {
		for at := range len(s) + 1 {
			nul, soh := s[:at]+"\x00"+s[at:], s[:at]+"\x01"+s[at:]
			for _, kind := range []FileKind{Pure, Zig, JS, Reply} {
				got, want := shapeOf(Parse("a", kind, nul)), shapeOf(Parse("a", kind, soh))
				for i := range got {
					got[i] = strings.NewReplacer("\x00", "\x01", `\x00`, `\x01`).Replace(got[i])
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%q reads differently from the same with another control byte (-other +NUL):\n%s", nul, d)
				}
			}
		}
	}
}

// Hostile text is one clear fault and takes time in proportion to its size.
func TestHostileText(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"empty", ""},
		{"NUL bytes", "f(\x00\x00)\n\x00\n"},
		{"binary", string([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0xff, 0xfe, '{', 0x80, '"', '\n', 0x00})},
		{"invalid UTF-8", "f(a: \"\xff\xfe\")\n\xc3\n"},
		{"BOM", "\ufefff()\n"},
		{"lone BOM", "\ufeff"},
		{"CRLF", "f()\r\n| a |> _\r\n\r\ng()\r\n"},
		{"lone CR", "f()\r| a |> _\r"},
		{"ten megabytes on a line", strings.Repeat("f(a: 1) |> ", 10<<20/11) + "g()\n"},
		{"ten megabytes of one name", strings.Repeat("a", 10<<20)},
		{"a hundred thousand parentheses", "f(a: " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + ")\ng()\n"},
		{"a hundred thousand braces", "f {" + strings.Repeat("{", 100_000)},
		{"a hundred thousand brackets", "f(a: " + strings.Repeat("[", 100_000) + "\n"},
		{"a hundred thousand shapes", "tor f { a: " + strings.Repeat("{ a: ", 100_000) + "\n"},
		{"a hundred thousand minus signs", "f(a: " + strings.Repeat("-", 100_000) + "1)\n"},
		{"a hundred thousand conditions", "f(a: " + strings.Repeat("if (", 100_000) + "\n"},
		{"a hundred thousand arms deep", func() string {
			var b strings.Builder
			b.WriteString("f()\n")
			for i := range 2000 {
				b.WriteString(strings.Repeat(" ", i) + "| a |> f()\n")
			}
			return b.String()
		}()},
		{"a hundred thousand splice openers", "f(a: \"" + strings.Repeat("{{", 100_000) + "\")\n"},
		{"a hundred thousand splices", "f(a: \"" + strings.Repeat("{{ x }}", 100_000) + "\")\n"},
		{"template literals in a body", "proc f|js {" + strings.Repeat("`${", 100_000) + "\n"},
		{"escaped quotes in a block", "f { " + strings.Repeat("\"\\", 200_000) + "\n"},
		{"escaped quotes in a host value", "a -> .x" + strings.Repeat("\"\\", 200_000) + "\n"},
		{"unclosed brackets of host values", strings.Repeat(" a -> .b[\n", 100_000)},
		{"escaped quotes in a body", "proc f|js {" + strings.Repeat("'\\", 200_000) + "\n"},
		{"escaped quotes in a template literal", "proc f|js { `${" + strings.Repeat("'\\", 200_000) + "\n"},
		{"regular expressions in a body", "proc f|js {" + strings.Repeat("=/[", 200_000) + "\n"},
		{"comments that a lone CR ends", strings.Repeat("//\r", 200_000)},
		{"unclosed comments in a body", "proc f|js {" + strings.Repeat("/*", 100_000) + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse("a.k", Pure, tt.text)
			if got := print(f); got != tt.text {
				t.Fatal("the tree does not give the text back")
			}
			if n := len(f.Faults()); n > 8 {
				t.Errorf("%d faults, first %v", n, f.Faults()[0])
			}
			r := ParseReply(tt.text, nil)
			if got := print(r); got != tt.text {
				t.Fatal("the tree of the reply does not give the text back")
			}
		})
	}
}
