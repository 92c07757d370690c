package view

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// SignatureTriggers are the characters behind which an editor asks for the
// signature of the call around the cursor.
var SignatureTriggers = []string{"(", ",", ":", "{"}

// SignatureHelp shows the verb of the call around the cursor, and which of its
// fields is written there.
func SignatureHelp(_ context.Context, s *Snapshot, d *Document, off int) (*protocol.SignatureHelp, error) {
	call, args, tor, err := s.calledAt(d, off)
	if tor == nil || err != nil {
		return nil, err
	}
	sig := protocol.SignatureInformation{Parameters: []protocol.ParameterInformation{}}
	if tor.Doc != "" {
		sig.Documentation = s.markup(strings.TrimSpace(tor.Doc))
	}
	label := syntax.CallView{Node: call}.Path().Text() + " {"
	active, n := writtenField(args, off, tor), -1
	for _, f := range tor.Fields {
		if injected(f.Type) {
			continue
		}
		if len(sig.Parameters) > 0 {
			label += ","
		}
		start := labelColumn(label + " ")
		label += " " + fieldText(f)
		if f == active {
			n = len(sig.Parameters)
		}
		p := protocol.ParameterInformation{Label: protocol.ParameterInformationLabelTuple{start, labelColumn(label)}}
		if f.Doc != "" {
			p.Documentation = s.markup(f.Doc)
		}
		sig.Parameters = append(sig.Parameters, p)
	}
	sig.Label = label + endingsOf(tor)
	help := &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{sig}, ActiveSignature: new(uint32(0))}
	if n >= 0 {
		help.ActiveParameter = protocol.NewNullable(uint32(n))
	}
	return help, nil
}

// callAroundOffset returns the innermost call whose arguments hold an offset.
func callAroundOffset(f *syntax.File, off int) (call, args syntax.Node) {
	n := f.Item(f.ItemAt(off))
	for n.IsValid() {
		inner := syntax.Node{}
		for c := range n.Children() {
			if s := c.Span(); s.Start < off && off <= s.End {
				inner = c
				if n.Kind() == syntax.Call && c.Kind() == syntax.Args && (off < s.End || !closed(c)) {
					call, args = n, c
				}
			}
		}
		n = inner
	}
	return call, args
}

// closed reports whether arguments end in their parenthesis.
func closed(args syntax.Node) bool { return args.LastToken().Kind() == syntax.RParen }

// calledAt returns the call around an offset with its arguments and its verb,
// which is nil if there is none.
func (s *Snapshot) calledAt(d *Document, off int) (call, args syntax.Node, tor *check.Tor, err error) {
	if s.speaksWire(d) {
		w, err := s.examine(d)
		if err != nil {
			return call, args, nil, nil // said as a diagnostic
		}
		call, args = callAroundOffset(w.File.Syntax, off)
		if c := w.call(call); c != nil {
			tor = c.Verb.Tor
		}
		return call, args, tor, nil
	}
	p, f, err := s.Program(d)
	if err != nil {
		return call, args, nil, err
	}
	call, args = callAroundOffset(f.Syntax, off)
	if !call.IsValid() {
		return call, args, nil, nil
	}
	item := f.Syntax.Item(f.Syntax.ItemAt(call.Span().Start))
	if c := callAt(p.FlowOf(f, item), call); c != nil {
		tor = c.Tor
	}
	return call, args, tor, nil
}

// writtenField returns the field that an argument at an offset is for: the one
// that its label names, or else the first that no argument before has given.
func writtenField(args syntax.Node, off int, t *check.Tor) *check.Field {
	given := map[string]bool{}
	for n := range args.ChildrenOf(syntax.Arg) {
		a := syntax.ArgView{Node: n}
		name := a.Pun()
		if l := a.Label(); l.IsValid() {
			name = l.Text()
		}
		if s := n.Span(); holds(s, off) {
			if field := t.Field(name); field != nil {
				return field
			}
			break
		} else if s.Start > off {
			break
		}
		given[name] = true
	}
	for _, field := range t.Fields {
		if !given[field.Name] && !injected(field.Type) {
			return field
		}
	}
	return nil
}

// signatureOf writes a verb on one line, without its name.
func signatureOf(t *check.Tor) string {
	var b strings.Builder
	b.WriteString("{")
	n := 0
	for _, f := range t.Fields {
		if injected(f.Type) {
			continue
		}
		if n++; n > 1 {
			b.WriteString(",")
		}
		b.WriteString(" " + fieldText(f))
	}
	return b.String() + endingsOf(t)
}

// endingsOf writes what a verb answers and how it can end, behind its fields.
func endingsOf(t *check.Tor) string {
	var b strings.Builder
	if len(t.Fields) > 0 {
		b.WriteString(" ")
	}
	b.WriteString("}")
	if t.Return != nil {
		b.WriteString(" -> " + typeText(t.Return))
	}
	for _, o := range t.Outcomes {
		b.WriteString(" " + outcomeText(o))
	}
	return b.String()
}

func fieldText(f *check.Field) string {
	text := f.Name + ": " + typeText(f.Type)
	if f.Default.IsValid() {
		text += " = " + f.Default.Text()
	}
	return text
}

func outcomeText(o *check.Outcome) string {
	mark := "| "
	if o.Effect {
		mark = "! "
	}
	switch {
	case o.Panic:
		mark += "?!"
	case o.Optional:
		mark += "?"
	}
	return mark + o.Name
}

// typeText writes a type with what it says of possession.
func typeText(t *check.Type) string {
	var text string
	switch {
	case t.Kind == check.RecordType:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.Name + ": " + typeText(f.Type)
		}
		text = "{ " + strings.Join(fields, ", ") + " }"
	case t.Kind == check.ListType && t.Elem != nil:
		text = "[]" + typeText(t.Elem)
	default:
		text = t.String()
	}
	if t.Phantom != nil {
		text += "<" + t.Phantom.Raw + ">"
	}
	return text
}

// labelColumn counts as the protocol does in labels: always in UTF-16.
func labelColumn(text string) uint32 { return uint32(syntax.Columns(text, syntax.UTF16)) }
