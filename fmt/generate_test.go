package format

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koru-go/koru/syntax"
)

// generator writes programs that parse, laid out as badly as the grammar allows.
type generator struct {
	*rand.Rand
	strings.Builder
	host bool // in a file with host lines
}

var programs = flag.Int("programs", 200, "how many random programs TestGenerated formats")

// TestGenerated checks the invariants on random programs, on every item of them
// alone as an editor would format it, and with broken items strewn in.
func TestGenerated(t *testing.T) {
	for seed := range *programs {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 7)), host: seed%4 == 3}
		text := g.program()
		name := "generated.k"
		if g.host {
			name = "generated.kz"
		}
		f := parse(name, text)
		for _, fault := range f.Faults() {
			p := f.Position(fault.Start, syntax.UTF8)
			t.Fatalf("seed %d: the generator wrote a fault at %d:%d: %s\n%s", seed, p.Line+1, p.Column+1, fault.Message, text)
		}
		checkFormat(t, name, text, Options{})
		checkFormat(t, name, text, Options{World: true})
		for n := range f.Items() {
			span := n.Span()
			checkFormat(t, name, text, Options{Only: &span})
		}
		checkFormat(t, name, g.broken(f), Options{})
	}
}

// broken returns the text of a file with broken items between its items, and
// with some of its items cut short.
func (g *generator) broken(f *syntax.File) string {
	var b strings.Builder
	for n := range f.Items() {
		text := n.Text()
		switch g.IntN(6) {
		case 0:
			b.WriteString(g.one("\n", "", "  ") + g.one("f(", ")", "tor t { a\n", "| x |> _", "= 1", "f(a:\t1)", "g(\"x", "[x") + "\n" + g.one("", "\n"))
		case 1:
			text = text[:g.IntN(len(text)+1)] + "\n"
		}
		b.WriteString(text)
	}
	return b.String()
}

func (g *generator) one(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *generator) maybe(percent int) bool { return g.IntN(100) < percent }

// sp writes blanks where they are optional.
func (g *generator) sp() { g.WriteString(g.one("", "", " ", " ", "   ")) }

// ws writes blanks, and inside brackets perhaps a line end and comments.
func (g *generator) ws(indent int) {
	g.sp()
	for g.maybe(12) {
		if g.maybe(25) {
			g.WriteString(" // " + g.one("why", "", "so: f(x) |> _  "))
		}
		g.WriteString("\n")
		if g.maybe(20) {
			g.WriteString("\n")
		}
		g.WriteString(strings.Repeat(" ", indent+1+g.IntN(8)))
		if g.maybe(15) {
			g.WriteString("// own line\n" + strings.Repeat(" ", indent+1+g.IntN(8)))
		}
	}
}

// end ends a logical line, perhaps behind a comment.
func (g *generator) end() {
	g.sp()
	if g.maybe(10) {
		g.WriteString(" // " + g.one("note", "not a {brace}", "x  "))
	}
	g.WriteString("\n")
}

func (g *generator) program() string {
	for range 1 + g.IntN(6) {
		g.between()
		indent := 0
		if g.maybe(10) && (g.Len() == 0 || strings.HasSuffix(g.String(), "\n\n")) {
			indent = g.IntN(4) // under a line of a flow it would be a stray
		}
		g.WriteString(strings.Repeat(" ", indent))
		if g.host {
			g.WriteString("~")
		}
		g.item(indent)
	}
	g.WriteString(g.one("", "", "\n\n", "// the end", "// the end\n"))
	return g.String()
}

// between writes what may stand between two items.
func (g *generator) between() {
	for g.maybe(40) {
		g.WriteString(g.one("\n", "\n\n\n", "// a comment  \n", "//\n", "const host = \"{\"; // host\n")[:])
	}
	if !g.host {
		text := strings.ReplaceAll(g.String(), "const host = \"{\"; // host\n", "")
		g.Reset()
		g.WriteString(text)
	}
}

func (g *generator) item(indent int) {
	if g.maybe(15) {
		g.WriteString(g.one("[pure]", "[with( a ,b)]", "[a|b] ", "[ x ]"))
	} else if g.maybe(8) && !g.host {
		g.WriteString("[\n- doc\n  Some  prose. \n\n- other\n]" + g.one("\n", ""))
	}
	switch g.IntN(8) {
	case 0:
		g.WriteString("import  std/" + g.one("io", "fs"))
		g.end()
	case 1, 2:
		g.tor(indent)
	case 3:
		g.WriteString("proc " + g.name() + g.one("|js", "|zig", "|js|zig"))
		g.sp()
		g.WriteString("{" + g.one("", " return  1; ", "\n  a(\"}\");\n   ") + "}")
		g.end()
	case 4:
		g.WriteString(g.name())
		switch g.IntN(3) {
		case 0:
			g.sp()
			g.WriteString("->")
			g.sp()
			g.value(indent, 2)
			g.end()
		case 1:
			g.sp()
			g.WriteString("=>")
			g.sp()
			g.WriteString(g.one("ok", "ok {a}", "not-found", "ok .fast  "))
			g.end()
		case 2:
			g.sp()
			g.WriteString("=")
			if g.maybe(20) {
				g.WriteString("\n" + strings.Repeat(" ", indent+2))
				g.flow(indent+2, 3)
			} else {
				g.sp()
				g.flow(indent, 3)
			}
		}
	case 5:
		g.register(indent)
	default:
		g.flow(indent, 3)
	}
}

func (g *generator) name() string {
	return g.one("f", "find", "find-parcel", "a.b", "print.ln", strings.Repeat("long-", 1+g.IntN(12))+"name")
}

func (g *generator) path() string {
	if g.maybe(30) {
		return g.one("std/io:print.ln", "std/fmt:ln", "koru/x:y", "sim:step")
	}
	return g.name()
}

func (g *generator) tor(indent int) {
	if g.maybe(30) {
		g.WriteString("pub ")
	}
	g.WriteString("tor " + g.name())
	g.sp()
	g.shape(indent, 2)
	if g.maybe(30) {
		g.sp()
		g.WriteString("->")
		g.sp()
		g.typ(indent, 1)
		g.end()
		return
	}
	column := indent + g.IntN(3)
	for g.maybe(60) {
		g.end()
		if g.maybe(10) {
			g.WriteString(strings.Repeat(" ", indent) + "// about the next\n")
		}
		g.WriteString(strings.Repeat(" ", column) + g.one("|", "!"))
		effect := strings.HasSuffix(g.String(), "!")
		g.WriteString(g.one("", " ", "  ") + g.one("", "", "?") + g.one("ok", "not-found", "done"))
		if g.maybe(60) {
			g.WriteString(" ")
			g.typ(indent, 1)
		}
		if effect && g.maybe(30) {
			g.sp()
			g.WriteString(g.one("->  bool", "| yes i64|no"))
		}
	}
	g.end()
}

func (g *generator) shape(indent, depth int) {
	g.WriteString("{")
	for i := range g.IntN(4) {
		if i > 0 {
			g.WriteString(",")
		}
		g.ws(indent)
		g.WriteString(fmt.Sprintf("%s%d", g.one("a", "some_field", "a_field_with_a_rather_long_name"), i))
		g.sp()
		g.WriteString(":")
		g.sp()
		g.typ(indent, depth-1)
		if g.maybe(20) {
			g.WriteString(" ")
			g.WriteString(g.one("=", "= ", "=  ") + g.one("1", "\"x\"", "null"))
		}
	}
	g.ws(indent)
	g.WriteString("}")
}

func (g *generator) typ(indent, depth int) {
	if depth > 0 && g.maybe(25) {
		g.WriteString(g.one("", "[]", "?"))
		g.shape(indent, depth)
		return
	}
	g.WriteString(g.one("i64", "string", "?string", "[]string", "*std/fs:Dir<open>", "*D< !open|shut >", "[]const  u8", "\"a\"|\"b\"", "char[8]"))
}

func (g *generator) register(indent int) {
	g.WriteString("std/runtime:register(scope:\"s\")")
	g.sp()
	g.WriteString("{")
	if g.maybe(20) {
		g.WriteString(g.one("", " a(1),b ", "a"))
	} else {
		for range g.IntN(4) {
			g.WriteString(g.one("\n", "  // cost\n"))
			if g.maybe(20) {
				g.WriteString("\n  // about\n\n")
			}
			g.WriteString(g.one(" ", "      ") + g.one("a( 1 )", "[debug] b", "std.fs:dir->dir(2)", "scope( c )", "koru.audit:*", "x , y"))
		}
		g.WriteString("\n")
	}
	g.WriteString("}")
	g.end()
}

// flow writes a chain and the arms under it.
func (g *generator) flow(indent, depth int) {
	steps := 1 + g.IntN(4)
	for i := range steps {
		if i > 0 {
			if g.maybe(30) {
				g.end()
				g.WriteString(strings.Repeat(" ", indent+g.IntN(5)))
			} else {
				g.sp()
			}
			g.WriteString("|>")
			g.sp()
		}
		if i > 0 && g.maybe(8) {
			g.WriteString(g.one("#l ", "[with]", "[x] "))
		}
		g.call(indent)
	}
	g.end()
	g.arms(indent, depth)
}

func (g *generator) call(indent int) {
	g.WriteString(g.path())
	g.sp()
	g.WriteString("(")
	for i := range g.IntN(4) {
		if i > 0 {
			g.WriteString(",")
		}
		g.ws(indent)
		if g.maybe(60) {
			g.WriteString("a")
			g.sp()
			g.WriteString(":")
			g.sp()
		}
		g.value(indent, 2)
	}
	g.ws(indent)
	g.WriteString(")")
	if g.maybe(15) {
		g.sp()
		g.WriteString("{" + g.one("", "raw", " raw  text ", "\n  raw {x}\n     ") + "}")
	}
	if g.maybe(30) {
		g.sp()
		g.WriteString(":")
		g.sp()
		g.WriteString(g.one("x", "{a,b : c}", "y[mutable]", "{ d:{e} }"))
	}
}

func (g *generator) arms(indent, depth int) {
	if depth == 0 {
		return
	}
	column := indent + g.IntN(5)
	for g.maybe(50) {
		g.WriteString(strings.Repeat(" ", column) + g.one("|", "!"))
		g.WriteString(g.one("", " ", "  ") + g.one("ok", "not-found", "`GET /`", "failed"))
		if g.maybe(60) {
			g.WriteString(" " + g.one("x", "_", "{ a ,b }", "{a:b}"))
		}
		if g.maybe(20) {
			g.WriteString(" when ")
			g.value(column, 1)
		}
		g.sp()
		switch g.IntN(5) {
		case 0:
			g.WriteString("|>")
			g.sp()
			g.WriteString("_")
			g.end()
		case 1:
			g.WriteString("=>")
			g.sp()
			g.WriteString("done")
			g.end()
		case 2:
			g.WriteString("->")
			g.sp()
			g.value(column, 2)
			g.end()
		case 3:
			g.WriteString("|>")
			g.end()
			g.arms(column+1, depth-1)
		default:
			g.WriteString("|>")
			g.sp()
			g.flow(column+1, depth-1)
		}
	}
}

// value writes an expression.
func (g *generator) value(indent, depth int) {
	if depth == 0 {
		g.WriteString(g.one("x", "1", "1.5", "\"s\"", "\"{{x:s}}  {{  y }}\"", "a.b", "true", "'q'"))
		return
	}
	pair := func(open, close string, n int) {
		g.WriteString(open)
		for i := range n {
			if i > 0 {
				g.WriteString(",")
			}
			g.ws(indent)
			if open == "{" && g.maybe(60) {
				g.WriteString("k:")
			}
			g.value(indent, depth-1)
		}
		g.ws(indent)
		g.WriteString(close)
	}
	switch g.IntN(9) {
	case 0:
		pair("{", "}", 1+g.IntN(3))
	case 1:
		pair("[", "]", g.IntN(4))
	case 2:
		pair("(", ")", 1)
	case 3:
		g.value(indent, 0)
		g.WriteString(g.one("+", " +", "==", "*", " and ", "  or ", ">", " - "))
		g.value(indent, 0)
	case 4:
		g.WriteString(g.one("-", "!", "not "))
		g.value(indent, 0)
	case 5:
		g.WriteString("if")
		g.sp()
		g.WriteString("(")
		g.value(indent, depth-1)
		g.WriteString(") ")
		g.value(indent, 0)
		g.WriteString("  else ")
		g.value(indent, 0)
	case 6:
		g.WriteString(g.one("xs[ 0 ]", "xs[a+1].b", "@as(u16,  x)", "0[i64]", "shader-toy", "a/b", "0..9"))
	default:
		g.value(indent, 0)
	}
}
