package check_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// meaning writes down what the bodies of a program do, whatever the layout, the
// labels and the order of arguments and arms: which verbs they call with what,
// and what each outcome leads to. Calls that the checker inserts count like
// those in the source.
func meaning(p *check.Program) string {
	var m meant
	for _, mod := range p.Modules {
		if mod.Std {
			break
		}
		for _, t := range mod.Tors() {
			m.line("tor %s", t.Path())
			if t.Impl != nil {
				m.flow(t.Impl.Body())
			}
		}
		for _, f := range mod.Flows {
			m.flow(f)
		}
	}
	return m.String()
}

type meant struct {
	strings.Builder
	depth int
}

func (m *meant) line(format string, args ...any) {
	fmt.Fprintf(m, strings.Repeat("  ", m.depth)+format+"\n", args...)
}

func (m *meant) flow(f *check.Flow) {
	m.line("flow")
	if f != nil && f.Body != nil {
		m.chain(f.Body)
	}
}

func (m *meant) chain(c *check.Chain) {
	m.depth++
	defer func() { m.depth-- }()
	for _, s := range c.Steps {
		switch s.Kind {
		case check.CallStep:
			m.call(s.Call)
		case check.JumpStep:
			m.line("jump %s%s", s.Jump.Label, argsOf(s.Jump.Args))
		case check.BrokenStep:
			m.line("broken")
		}
	}
	for _, d := range c.Settle {
		m.line("%s(%s: %s)", d.Tor.Path(), d.Tor.Fields[d.Field].Name, strings.Join(append([]string{d.Binding.Name}, d.Path...), "."))
	}
	if c.End != nil {
		m.line("end %s %s", c.End.Word, valueOf(c.End.Value))
		if c.End.Call != nil {
			m.call(c.End.Call)
		}
	}
}

func (m *meant) call(c *check.Call) {
	path := "?"
	if c.Tor != nil {
		path = c.Tor.Path()
	}
	m.line("%s(%s)", path, argsOf(c.Args))
	arms := slices.Clone(c.Arms)
	slices.SortStableFunc(arms, func(a, b *check.Arm) int { return strings.Compare(a.Word, b.Word) })
	for _, a := range arms {
		m.line("| %s when %s", a.Word, valueOf(a.Guard))
		if a.Body != nil {
			m.chain(a.Body)
		}
	}
}

func argsOf(args []check.Arg) string {
	var parts []string
	for _, a := range args {
		if a.Value != nil {
			parts = append(parts, a.Field.Name+": "+valueOf(a.Value))
		}
	}
	return strings.Join(parts, ", ")
}

func valueOf(e *check.Expr) string {
	if e == nil || e.Node == (syntax.Node{}) {
		return ""
	}
	return strings.Join(strings.Fields(e.Node.Text()), " ")
}
