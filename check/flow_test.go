package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
)

// testdata/flows holds archives of programs and, below each, the resolved form
// of its flows as outline writes it: what threads where, which arms stand at
// which call, what every path ends in.
func TestFlows(t *testing.T) {
	for _, file := range glob(t, "testdata/flows/*.txtar") {
		t.Run(stem(file), func(t *testing.T) {
			archive := txtar.Parse([]byte(read(t, file)))
			var out []txtar.File
			for i := 0; i < len(archive.Files); i++ {
				source := archive.Files[i]
				want := ""
				if i+1 < len(archive.Files) && strings.HasSuffix(archive.Files[i+1].Name, ".flow") {
					i++
					want = string(archive.Files[i].Data)
				}
				got := outlineOf(t, source.Name, string(source.Data))
				if diff := cmp.Diff(want, got); diff != "" && !*update {
					t.Errorf("%s: (-want +got)\n%s", source.Name, diff)
				}
				out = append(out, source, txtar.File{Name: strings.TrimSuffix(source.Name, ".k") + ".flow", Data: []byte(got)})
			}
			if *update {
				archive.Files = out
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func outlineOf(t *testing.T, name, text string) string {
	t.Helper()
	opts := options("")
	opts.Files = fstest.MapFS{name: {Data: []byte(text)}}
	p, err := check.Load(name, opts)
	if err != nil {
		t.Fatal(err)
	}
	o := &outline{}
	for _, d := range p.Diagnostics {
		t.Errorf("%s: %s", name, show(d))
	}
	for _, tor := range p.Entry.Tors() {
		if tor.Impl != nil {
			o.flow(tor.Name, tor.Impl.Flow)
		}
	}
	for i, f := range p.Entry.Flows {
		if c := f.Body.Steps[0].Call; c.Form != check.Const && c.Form != check.Register {
			o.flow(fmt.Sprintf("flow %d", i), f)
		}
	}
	return o.b.String()
}

// outline writes resolved flows. A binding is its name, or %slot if it has none.
type outline struct {
	b     strings.Builder
	depth int
}

func (o *outline) line(format string, args ...any) {
	o.b.WriteString(strings.Repeat("  ", o.depth))
	fmt.Fprintf(&o.b, format, args...)
	o.b.WriteByte('\n')
}

func (o *outline) flow(name string, f *check.Flow) {
	o.line("%s:", name)
	o.depth++
	o.chain(f.Body)
	o.depth--
}

func (o *outline) chain(c *check.Chain) {
	if c == nil {
		return
	}
	for _, s := range c.Steps {
		switch s.Kind {
		case check.CallStep:
			o.call(s.Call)
		case check.JumpStep:
			o.line("jump %s%s", s.Jump.Label, args(s.Jump.Args))
		case check.DiscardStep:
			o.line("nothing")
		}
	}
	if e := c.End; e != nil {
		o.line("%s", end(e))
		if e.Call != nil {
			o.depth++
			o.call(e.Call)
			o.depth--
		}
	}
}

func (o *outline) call(c *check.Call) {
	s := c.Tor.Path() + args(c.Args)
	if c.Label != "" {
		s = "#" + c.Label + " " + s
	}
	if c.Store != nil {
		s += " of " + c.Store.Name
	}
	if c.Index != nil {
		s += "[" + expr(c.Index) + "]"
	}
	for _, a := range c.Assigns {
		s += fmt.Sprintf(" {%s = %s}", target(a), expr(a.Value))
	}
	if c.Template != nil {
		s += " " + expr(c.Template)
	}
	if c.Result != nil {
		s += " : " + name(c.Result)
	}
	s += fields(c.Fields)
	if c.Survivor != nil {
		s += " (" + c.Survivor.Name + " goes on)"
	}
	o.line("%s", s)
	o.depth++
	for _, a := range c.Arms {
		o.arm(a)
	}
	o.depth--
}

func (o *outline) arm(a *check.Arm) {
	s := "| "
	if a.Effect {
		s = "! "
	}
	switch {
	case a.CatchAll:
		s += "?"
	default:
		s += a.Word
	}
	if a.Payload != nil {
		s += " " + name(a.Payload)
	}
	s += fields(a.Fields)
	if a.Guard != nil {
		s += " when " + expr(a.Guard)
	}
	if a.Forward {
		s += " (unwritten)"
	}
	o.line("%s", s)
	o.depth++
	o.chain(a.Body)
	o.depth--
}

func end(e *check.End) string {
	s := "-> "
	if e.Outcome != nil {
		s = "=> " + e.Outcome.Name + " "
	}
	if e.Resume {
		s = "answer " + s
	}
	if e.Value != nil {
		s += expr(e.Value)
	}
	return strings.TrimSpace(s)
}

func args(list []check.Arg) string {
	var out []string
	for _, a := range list {
		switch {
		case a.Threaded != nil:
			out = append(out, a.Field.Name+" <- "+name(a.Threaded))
		case a.Value != nil:
			out = append(out, a.Field.Name+": "+expr(a.Value))
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func fields(list []*check.Binding) string {
	s := ""
	for _, b := range list {
		s += fmt.Sprintf(" %s=.%s", b.Name, strings.Join(b.Path, "."))
	}
	return s
}

func name(b *check.Binding) string {
	if b.Name == "" {
		return fmt.Sprintf("%%%d", b.Slot)
	}
	return b.Name
}

func target(a check.Assign) string {
	s := strings.Join(a.Path, ".")
	switch {
	case a.Row != nil:
		s = a.Store.Name + "[" + expr(a.Row) + "]." + s
	case a.Base != nil:
		s = name(a.Base) + "." + s
	case a.Store != nil:
		s = a.Store.Name + "." + s
	}
	return s
}

func expr(e *check.Expr) string {
	switch e.Kind {
	case check.LiteralExpr:
		if e.Lit.Kind == check.TextLit {
			return fmt.Sprintf("%q", e.Lit.Text)
		}
		return e.Node.Text()
	case check.BindingExpr:
		return name(e.Ref)
	case check.ConstExpr:
		return "const " + e.Const.Name
	case check.CellExpr:
		s := e.Store.Name
		if e.X != nil {
			s += "[" + expr(e.X) + "]"
		}
		return "cell " + s + "." + strings.Join(e.Names, ".")
	case check.StoreLenExpr:
		return "count " + e.Store.Name
	case check.CaptureExpr:
		return "captured " + name(e.Ref) + "." + e.Names[0]
	case check.FieldOfExpr:
		return expr(e.X) + "." + e.Names[0]
	case check.IndexOfExpr:
		return expr(e.X) + "[" + expr(e.Y) + "]"
	case check.LengthExpr:
		return "len " + expr(e.X)
	case check.UnaryOp:
		return "(" + e.Op.String() + " " + expr(e.X) + ")"
	case check.BinaryOp:
		return "(" + expr(e.X) + " " + e.Op.String() + " " + expr(e.Y) + ")"
	case check.CondOp:
		return "(if " + expr(e.X) + " then " + expr(e.Y) + " else " + expr(e.Z) + ")"
	case check.RecordOf:
		var parts []string
		for i, n := range e.Names {
			parts = append(parts, n+": "+expr(e.List[i]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case check.ListOf:
		var parts []string
		for _, x := range e.List {
			parts = append(parts, expr(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case check.RangeOf:
		return expr(e.X) + ".." + expr(e.Y)
	case check.TextOf:
		return "text" + parts(e.Parts)
	case check.BuiltinOf:
		return "@" + e.Names[0]
	case check.RawExpr, check.HostOf:
		return "`" + e.Node.Text() + "`"
	}
	return "?"
}

func parts(list []check.Part) string {
	var out []string
	for _, p := range list {
		switch p.Kind {
		case check.TextPart:
			out = append(out, fmt.Sprintf("%q", p.Text))
		case check.SplicePart:
			s := expr(p.Expr)
			if p.Spec != "" {
				s += ":" + p.Spec
			}
			out = append(out, s)
		case check.IfPart:
			out = append(out, "if "+expr(p.Expr)+" "+parts(p.Body)+" else "+parts(p.Else))
		case check.ForPart:
			out = append(out, "for "+name(p.Item)+" in "+expr(p.Expr)+" "+parts(p.Body))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}
