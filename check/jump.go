package check

import (
	"maps"
	"slices"

	"github.com/koru-go/koru/syntax"
)

// label is an anchor of the flow (language.md 8.7).
type label struct {
	node syntax.Node // the Call that carries it
	call *Call       // while the path has come past it
}

// findLabels collects the labels of the whole flow, so that a label is known
// wherever it stands. A second one of the same name is KORU042.
func (l *lowerer) findLabels(item syntax.Node) {
	stack := []syntax.Node{item}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Kind() == syntax.Call {
			l.findLabel(syntax.CallView{Node: n})
			continue
		}
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.Chain, syntax.Call, syntax.Arm:
				stack = append(stack, c)
			}
		}
	}
}

func (l *lowerer) findLabel(v syntax.CallView) {
	name := v.Label()
	if !name.IsValid() {
		return
	}
	if l.labels == nil {
		l.labels = map[string]*label{}
	}
	if first := l.labels[name.Text()]; first != nil {
		a, b := first.node, v.Node
		if b.Span().Start < a.Span().Start {
			a, b = b, a
			first.node = a
		}
		l.report("KORU042", b.Child(syntax.Label).Span(), "the label '#"+name.Text()+"' stands twice in this flow: give one of them another name").
			note(l.file, a.Child(syntax.Label).Span(), "the first one")
		return
	}
	l.labels[name.Text()] = &label{node: v.Node}
}

// anchor notes that the path has come to a labelled call.
func (l *lowerer) anchor(c *Call) {
	if at := l.labels[c.Label]; at != nil && at.node == c.Node {
		at.call = c
	}
}

// jump lowers @label(args). The label must stand on the path that leads here:
// what it has bound is there again when its call is entered once more.
func (l *lowerer) jump(v syntax.JumpView) *Jump {
	j := &Jump{Node: v.Node, Label: v.Label().Text()}
	at := l.labels[j.Label]
	switch {
	case j.Label == "":
		l.broken = true
	case at == nil:
		d := Diagnostic{Code: "KORU041", Span: v.Span(), Message: "there is no label '#" + j.Label + "' in this flow"}
		labels := func() []string { return slices.Sorted(maps.Keys(l.labels)) }
		near := l.near(j.Label, labels)
		if len(l.labels) == 1 {
			near = labels()[0]
		}
		if near != "" {
			d.suggestAt(near, v.Label().Span())
			d.note(l.file, l.labels[near].node.Child(syntax.Label).Span(), "'#"+near+"' stands here")
		}
		l.add(d)
	case at.call == nil:
		l.report("KORU041", v.Span(), "the label '#"+j.Label+"' is not on the path that leads here: only a call that has been made can be made again")
	default:
		j.Target = at.call
	}
	if j.Target == nil || j.Target.Tor == nil {
		l.touch(v.ArgList())
		return j
	}
	l.jumpArgs(j, v)
	return j
}

// leaveLabels closes the labels of a chain: what follows is not on their path.
func (l *lowerer) leaveLabels(c *Chain) {
	for _, s := range c.Steps {
		if s.Call != nil && s.Call.Label != "" {
			if at := l.labels[s.Call.Label]; at != nil && at.call == s.Call {
				at.call = nil
			}
		}
	}
}

// jumpArgs judges the arguments of a jump like those of the call it re-enters
// (KORU043, KORU045, KORU046).
func (l *lowerer) jumpArgs(j *Jump, v syntax.JumpView) {
	tor := j.Target.Tor
	takes := false
	for _, f := range tor.Fields {
		takes = takes || f.Required()
	}
	list := v.ArgList()
	switch {
	case !list.IsValid() && takes:
		l.report("KORU045", v.Span(), "the label '#"+j.Label+"' re-enters '"+tor.Name+"', which takes arguments: write @"+j.Label+"(…)")
		return
	case list.FirstChild().IsValid() && len(tor.Fields) == 0:
		l.report("KORU046", list.Span(), "the label '#"+j.Label+"' re-enters '"+tor.Name+"', which takes no arguments: write @"+j.Label).
			replace("write @"+j.Label, true, list.Span(), "")
		l.touch(list)
		return
	}
	supplied, faults := JudgeFields(tor, tor.Name, list, InFile)
	for _, d := range faults {
		l.add(d)
	}
	j.Args = make([]Arg, len(supplied))
	for i, s := range supplied {
		j.Args[i] = Arg{Field: s.Field, Punned: s.Punned, Node: s.Node}
		if s.Node.IsValid() {
			j.Args[i].Value = l.argument(j.Target, s)
		} else if s.Field.Required() && len(faults) == 0 {
			d := l.report("KORU043", v.Span(), "the jump to '#"+j.Label+"' leaves out '"+s.Field.Name+"' ("+s.Field.Type.String()+") of '"+tor.Name+"'")
			l.supply(d, s.Field, v.Node, list, v.Label().Span().End)
		}
	}
	if len(faults) > 0 {
		l.touch(list)
	}
}
