package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/eval"
)

// fuzzSteps is the budget of a fuzzed program: enough to go round its loops.
const fuzzSteps = 3000

// FuzzRun runs whatever program a text is. It ends by itself or by its budget,
// with a fault or without, and twice the same way.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("testdata/run/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == "main.k" {
				f.Add(string(part.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) { runTwice(t, text) })
}

// FuzzFlows runs programs that are grown from bytes: every verb, loop and store
// operation in any order, nested any way. All of them pass the checker, so each
// one gets to run.
func FuzzFlows(f *testing.F) {
	for i := range 24 {
		seed := make([]byte, 64)
		for k := range seed {
			seed[k] = byte(k*i*37 + i*11 + k)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed []byte) {
		text := grow(seed)
		if err := runTwice(t, text); err != nil {
			var u *eval.Unrunnable
			if errors.As(err, &u) {
				t.Fatalf("a grown program is refused: %v\n%s", err, text)
			}
		}
	})
}

// runTwice runs a program twice and returns how it ended.
func runTwice(t *testing.T, text string) error {
	program, err := load(fstest.MapFS{"main.k": {Data: []byte(text)}})
	if err != nil {
		return err
	}
	first, err := runOnce(t, program)
	if second, again := runOnce(t, program); first != second || fmt.Sprint(err) != fmt.Sprint(again) {
		t.Fatalf("two runs differ:\n%s%v\n---\n%s%v\nof\n%s", first, err, second, again, text)
	}
	return err
}

func runOnce(t *testing.T, program *eval.Program) (string, error) {
	var out bytes.Buffer
	process, err := program.Start(&eval.Host{Stdout: &out, Stderr: &out}, eval.Settings{Steps: fuzzSteps})
	if err != nil {
		return "", err
	}
	err = process.Run(context.Background())
	var fault *eval.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("a run ended in %T, want a fault: %v", err, err)
	}
	return out.String(), err
}

// grower makes a program from bytes. Bytes choose; when they run out, every
// choice is the first, which ends the path.
type grower struct {
	seed  []byte
	out   strings.Builder
	names int
	ints  []string // what is bound on the path, by type
	texts []string
	cells []string // captured cells, through their binding
	depth int
}

func grow(seed []byte) string {
	g := &grower{seed: seed}
	g.out.WriteString(`import std/io
import std/store
import lab

std/store:new(s) { n: 0[i64], t: "start"[string] }
std/store:new(rows, capacity: 5) { id: i64, name: "x"[string] }
! inserted { id } |> std/store:stored { s.n: s.n + id }
! removed row |> std/io:print.ln("removed {{ row.id:d }} {{ row.name:s }}")

std/store:rule(rows)
! row e when e.id > 3 |> std/store:stored { e.id: e.id - 1 }

std/store:watch(s)
! t text |> std/io:print.ln("t is {{ text:s }}")

tor put { new_id: i64, new_name: string }
put = std/store:insert(rows) { id: new_id, name: new_name }

`)
	for i := range 3 {
		g.ints, g.texts, g.depth = []string{"a"}, []string{"b"}, 0
		fmt.Fprintf(&g.out, "tor f%d { a: i64, b: string }\nf%d = ", i, i)
		g.chain(0)
		g.out.WriteString("\n\n")
	}
	g.ints, g.texts = nil, nil
	for range 3 {
		g.chain(0)
		g.out.WriteString("\n\n")
	}
	return g.out.String()
}

func (g *grower) pick(n int) int {
	if len(g.seed) == 0 {
		return 0
	}
	b := int(g.seed[0])
	g.seed = g.seed[1:]
	return b % n
}

func (g *grower) name() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

// argument labels a value, unless the value names the field by itself.
func argument(field, value string) string {
	if value == field {
		return value
	}
	return field + ": " + value
}

// integer writes an expression for an i64.
func (g *grower) integer() string {
	choices := append([]string{"1", "7", "s.n", "rows.len", "(s.n * 3 - 2)", "s.n % 5"}, g.ints...)
	one := choices[g.pick(len(choices))]
	switch g.pick(5) {
	case 1:
		return one + " + " + choices[g.pick(len(choices))]
	case 2:
		return one + " * " + choices[g.pick(len(choices))]
	case 3:
		return "if (" + one + " > 3) " + one + " else 2"
	case 4:
		return one + " / " + choices[g.pick(len(choices))]
	}
	return one
}

func (g *grower) string() string {
	choices := append([]string{`"x"`, "s.t", `"{{ s.n }}"`}, g.texts...)
	one := choices[g.pick(len(choices))]
	if g.pick(3) == 1 {
		return one + " ++ " + choices[g.pick(len(choices))]
	}
	return one
}

// bound runs body with more names on the path, then forgets them.
func (g *grower) bound(ints, texts []string, body func()) {
	i, x := len(g.ints), len(g.texts)
	g.ints, g.texts = append(g.ints, ints...), append(g.texts, texts...)
	body()
	g.ints, g.texts = g.ints[:i:i], g.texts[:x:x]
}

// line begins an arm.
func (g *grower) line(indent int, format string, args ...any) {
	g.out.WriteString("\n" + strings.Repeat("    ", indent))
	fmt.Fprintf(&g.out, format, args...)
}

// chain writes steps, then the arms of the last one.
func (g *grower) chain(indent int) {
	g.depth++
	defer func() { g.depth-- }()
	for range g.pick(3) {
		g.step()
		g.out.WriteString(" |> ")
	}
	if g.depth > 4 {
		g.step()
		return
	}
	switch g.pick(10) {
	case 1:
		g.out.WriteString("if(" + g.integer() + " > 2)")
		g.line(indent, "| then |> ")
		g.chain(indent + 1)
		g.line(indent, "| else |> ")
		g.chain(indent + 1)
	case 2:
		i := g.name()
		fmt.Fprintf(&g.out, "for(0..%d)", g.pick(4))
		g.line(indent, "! each %s |> ", i)
		g.bound([]string{i}, nil, func() { g.use(i); g.chain(indent + 1) })
	case 3:
		fmt.Fprintf(&g.out, "while(s.n < %d)", g.pick(9))
		g.line(indent, "! each |> std/store:stored { s.n: s.n + 1 } |> ")
		g.chain(indent + 1)
	case 4:
		q := g.name()
		fmt.Fprintf(&g.out, "lab:divide(%s, %s)", argument("a", g.integer()), argument("b", g.integer()))
		g.line(indent, "| quotient %s |> ", q)
		g.bound([]string{q}, nil, func() { g.use(q); g.chain(indent + 1) })
		g.line(indent, "| undefined |> ")
		g.chain(indent + 1)
	case 5:
		i := g.name()
		fmt.Fprintf(&g.out, "lab:count(to: %d)", g.pick(4))
		g.line(indent, "! tick %s |> ", i)
		g.bound([]string{i}, nil, func() { g.use(i); g.chain(indent + 1) })
		g.line(indent, "| done _ |> ")
		g.chain(indent + 1)
	case 6:
		g.capture(indent)
	case 7:
		g.rows(indent)
	case 8:
		q, a := g.name(), g.name()
		fmt.Fprintf(&g.out, "lab:ask(question: %s)", g.string())
		g.line(indent, "! answer %s -> %s ++ \"!\"", q, q)
		g.line(indent, "| got %s |> ", a)
		g.bound(nil, []string{a}, func() { g.use(a); g.chain(indent + 1) })
	case 9:
		fmt.Fprintf(&g.out, "f%d(%s, %s)", g.pick(3), argument("a", g.integer()), argument("b", g.string()))
	default:
		g.step()
	}
}

// use makes sure that a name is read.
func (g *grower) use(name string) {
	fmt.Fprintf(&g.out, "std/io:print.ln(\"{{ %s:any }}\") |> ", name)
}

func (g *grower) step() {
	switch g.pick(4) {
	case 1:
		fmt.Fprintf(&g.out, "std/store:stored { s.n: %s }", g.integer())
	case 2:
		fmt.Fprintf(&g.out, "std/store:stored { s.t: %s, s.n: s.n + 1 }", g.string())
	case 3:
		fmt.Fprintf(&g.out, "put(new_id: %s, new_name: %s)", g.integer(), g.string())
	default:
		fmt.Fprintf(&g.out, "std/io:print.ln(\"{{ %s:any }}\")", g.integer())
	}
}

func (g *grower) capture(indent int) {
	c, v := g.name(), g.name()
	fmt.Fprintf(&g.out, "capture { x: %s, y: %s }", g.integer(), g.string())
	g.line(indent, "! as %s |> captured { x: %s.x + 1, y: %s.y ++ %s.y } |> ", c, c, c, c)
	g.bound([]string{c + ".x"}, []string{c + ".y"}, func() { g.chain(indent + 1) })
	g.line(indent, "| captured %s |> ", v)
	g.bound([]string{v + ".x"}, []string{v + ".y"}, func() { g.use(v); g.chain(indent + 1) })
}

func (g *grower) rows(indent int) {
	r := g.name()
	switch g.pick(3) {
	case 0:
		g.out.WriteString("std/store:query(rows)")
		g.line(indent, "! query %s |> ", r)
	case 1:
		fmt.Fprintf(&g.out, "std/store:take(rows[%s])", g.integer())
		g.line(indent, "| empty |> _")
		g.line(indent, "| item %s |> ", r)
	case 2:
		fmt.Fprintf(&g.out, "std/store:insert(rows) { id: %s, name: %s }", g.integer(), g.string())
		g.line(indent, "| full _ |> _")
		g.line(indent, "| row %s |> ", r)
	}
	g.bound([]string{r + ".id"}, []string{r + ".name"}, func() {
		fmt.Fprintf(&g.out, "std/io:print.ln(\"{{ %s.id:any }}\") |> ", r)
		g.chain(indent + 1)
	})
}
