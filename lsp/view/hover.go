package view

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Hover tells what the name at an offset is.
func Hover(_ context.Context, s *Snapshot, d *Document, off int) (*protocol.Hover, error) {
	if s.speaksWire(d) {
		return s.wireHover(d, off), nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	e, span, ok := prog.EntityAt(file, off)
	if !ok {
		return nil, nil
	}
	text := (&description{s: s, prog: prog, file: file, off: off}).of(e)
	if text == "" {
		return nil, nil
	}
	r := s.Range(file.Syntax, span)
	return &protocol.Hover{Contents: s.markup(text), Range: &r}, nil
}

// description writes Markdown about an entity as it is seen from one place.
type description struct {
	s    *Snapshot
	prog *check.Program
	file *check.File
	off  int
}

func (d *description) of(e check.Entity) string {
	switch fact := e.Fact.(type) {
	case *check.Tor:
		return describeVerb(fact) + d.possession(fact) + d.costs(fact)
	case *check.Outcome:
		return fenced(trimmed(fact.Node)) + d.belongs(e, effectOrOutcome(fact))
	case *check.Field:
		return fenced(fieldText(fact)) + d.belongs(e, "a field") + documented(fact.Doc)
	case *check.Binding:
		return d.binding(fact)
	case *check.Module:
		return d.module(fact)
	case *check.ConstDecl:
		return fenced(trimmed(fact.Node)) + "\nA constant of " + moduleName(fact.Module) + "."
	case *check.Store:
		return d.store(fact)
	case *check.Column:
		return fenced(fact.Name+": "+typeText(fact.Type)) + "\nA column of " + storeName(e) + "."
	case *check.Scope:
		return d.scope(fact)
	case *check.Call:
		return fenced("#"+fact.Label) + "\nA label: `@" + fact.Label + "(…)` comes back to this call."
	case check.State:
		return d.state(fact)
	case *check.Type:
		return fenced(typeText(fact)) + "\nA type of the host."
	}
	if e.Kind == check.GrantEntity {
		return d.grant(e)
	}
	return ""
}

func fenced(code string) string { return "```koru\n" + code + "\n```\n" }

func trimmed(n syntax.Node) string { return strings.TrimSpace(n.Text()) }

// documented is documentation behind something else.
func documented(doc string) string {
	if doc == "" {
		return ""
	}
	return "\n\n" + strings.TrimSpace(doc)
}

func effectOrOutcome(o *check.Outcome) string {
	switch {
	case o.Effect:
		return "an effect"
	case o.Panic:
		return "a panic that an arm may catch, an outcome"
	case o.Optional:
		return "an outcome that needs no arm"
	}
	return "an outcome"
}

// belongs says which verb declares an entity.
func (d *description) belongs(e check.Entity, what string) string {
	owner := d.prog.Owner(e)
	if owner == nil {
		return "\n" + capital(what) + "."
	}
	return fmt.Sprintf("\n%s of `%s`.", capital(what), owner.Path())
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func moduleName(m *check.Module) string {
	if m.Path == "" {
		return "this program"
	}
	return "`" + m.Path + "`"
}

// describeVerb is what is to be known of a verb: the declaration as its author
// wrote it, and the prose.
func describeVerb(t *check.Tor) string {
	var b strings.Builder
	b.WriteString(fenced(declaration(t)))
	if t.Doc != "" {
		b.WriteString("\n" + strings.TrimSpace(t.Doc) + "\n")
	}
	gap := "\n"
	for _, f := range t.Fields {
		if f.Doc != "" {
			b.WriteString(gap + "- `" + f.Name + "` — " + strings.Join(strings.Fields(f.Doc), " ") + "\n")
			gap = ""
		}
	}
	return b.String()
}

// declaration returns the source of a tor without its annotations.
func declaration(t *check.Tor) string {
	span := t.Node.Span()
	for tok := range t.Node.Tokens() {
		if tok.Kind() == syntax.Name {
			span.Start = tok.Span().Start
			break
		}
	}
	return strings.TrimSpace(t.File.Syntax.Text()[span.Start:span.End])
}

// possession says what a verb brings into the hands of its caller, takes out of
// them and wants to see in them.
func (d *description) possession(t *check.Tor) string {
	v := d.prog.NewVerb(t.Name, t, 0, syntax.Node{})
	var b strings.Builder
	for _, m := range v.Mints {
		from := ""
		if m.Outcome != "" {
			from = " with `" + m.Outcome + "`"
		}
		fmt.Fprintf(&b, "\n- gives `%s`%s: it must be settled", m.State.Name, from)
	}
	for _, c := range v.Consumes {
		fmt.Fprintf(&b, "\n- takes `%s` away, in `%s`", stateNames(c.States), t.Fields[c.Field].Name)
	}
	for _, c := range v.Requires {
		fmt.Fprintf(&b, "\n- needs `%s`, in `%s`", stateNames(c.States), t.Fields[c.Field].Name)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nPossession:\n" + b.String() + "\n"
}

func stateNames(list []check.State) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	return strings.Join(names, "|")
}

// costs says what a verb costs in the scopes that grant it.
func (d *description) costs(t *check.Tor) string {
	var b strings.Builder
	for _, s := range d.prog.Scopes {
		for _, v := range s.Verbs {
			if v.Tor == t {
				fmt.Fprintf(&b, "\n- `%s` in scope `%s`: %s", v.Name, s.Name, costText(v))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nCost:\n" + b.String()
}

func costText(v *check.Verb) string {
	switch {
	case v.Unbounded:
		return fmt.Sprintf("at least %d", v.Least)
	case v.Least != v.Greatest:
		return fmt.Sprintf("%d to %d", v.Least, v.Greatest)
	}
	return fmt.Sprint(v.Cost)
}

// binding says what a name holds, and whether it still does.
func (d *description) binding(b *check.Binding) string {
	head := b.Name
	if b.Type != nil {
		head += ": " + typeText(b.Type)
	}
	text := fenced(head) + "\n" + origin(b)
	if b.Type == nil || b.Type.Phantom == nil {
		return text
	}
	flow := d.prog.FlowOf(d.file, d.file.Syntax.Item(d.file.Syntax.ItemAt(d.off)))
	if flow == nil {
		return text
	}
	return text + "\n\n" + d.standing(trailTo(flow, d.off), b)
}

// standing says in whose hands a handle is at the place.
func (d *description) standing(at *trail, b *check.Binding) string {
	state := stateNames(b.Type.Phantom.Members)
	if c := at.spent(b); c != nil {
		line := d.file.Syntax.LineOf(c.Node.Span().Start) + 1
		return fmt.Sprintf("Here it is spent: `%s` took `%s` away on line %d.", c.Tor.Path(), state, line)
	}
	text := fmt.Sprintf("Here it is `%s`.", state)
	if at.last != nil {
		for _, x := range at.last.Settle {
			if x.Binding == b {
				text += fmt.Sprintf(" Where this path ends, `%s` is called for it.", x.Tor.Path())
			}
		}
	}
	return text
}

// origin says where the value of a binding comes from.
func origin(b *check.Binding) string {
	switch {
	case b.Kind == check.ParamBinding:
		return "An input of the verb."
	case b.Kind == check.LoopBinding:
		return "Each item of a loop, in turn."
	case b.From == nil || b.From.Tor == nil:
		return "A value of the flow."
	case b.Arm != nil && b.Arm.Outcome != nil:
		return fmt.Sprintf("From `%s`, which ended in `%s`.", b.From.Tor.Path(), b.Arm.Outcome.Name)
	}
	return fmt.Sprintf("What `%s` answered.", b.From.Tor.Path())
}

// module lists the files and the public verbs of a module.
func (d *description) module(m *check.Module) string {
	var b strings.Builder
	b.WriteString(fenced("import " + m.Path))
	for _, t := range m.Tors() {
		if t.Pub {
			fmt.Fprintf(&b, "\n- `%s%s`", t.Name, shortened(signatureOf(t)))
		}
	}
	return b.String()
}

// shortened keeps a list readable.
func shortened(signature string) string {
	const most = 100
	if r := []rune(signature); len(r) > most {
		signature = string(r[:most-1]) + "…"
	}
	return " " + signature
}

func (d *description) store(s *check.Store) string {
	kind := "A store of one row"
	if !s.Singleton() {
		kind = "A store"
	}
	return fenced(s.Name+" "+typeText(rowType(s))) + "\n" + kind + " of " + moduleName(s.Module) + "."
}

// storeName names the store of a column.
func storeName(e check.Entity) string {
	if e.Module != nil {
		for _, s := range e.Module.Stores {
			if c, ok := e.Fact.(*check.Column); ok && s.Column(c.Name) == c {
				return "`" + s.Name + "`"
			}
		}
	}
	return "a store"
}

// scope lists what a register block grants.
func (d *description) scope(s *check.Scope) string {
	var b strings.Builder
	b.WriteString(fenced("scope " + s.Name))
	for _, v := range s.Verbs {
		fmt.Fprintf(&b, "\n- `%s%s` costs %s", v.Name, shortened(signatureOf(v.Tor)), costText(v))
	}
	return b.String()
}

// grant tells of a verb under the name that a scope gives it.
func (d *description) grant(e check.Entity) string {
	for _, s := range d.prog.Scopes {
		for _, v := range s.Verbs {
			if v.Node == e.Node {
				return describeVerb(v.Tor) + d.possession(v.Tor) + fmt.Sprintf("\n\n`%s` in scope `%s` costs %s.", v.Name, s.Name, costText(v))
			}
		}
	}
	return ""
}

// state lists the verbs that a possession state goes through.
func (d *description) state(s check.State) string {
	var b strings.Builder
	b.WriteString(fenced("<" + s.Name + ">"))
	for _, m := range d.prog.Modules {
		for _, t := range m.Tors() {
			v := d.prog.NewVerb(t.Name, t, 0, syntax.Node{})
			for _, x := range v.Mints {
				if x.State.Same(s) {
					fmt.Fprintf(&b, "\n- given by `%s`", t.Path())
				}
			}
			for _, x := range v.Consumes {
				if has(x.States, s) {
					fmt.Fprintf(&b, "\n- taken away by `%s`", t.Path())
				}
			}
			for _, x := range v.Requires {
				if has(x.States, s) {
					fmt.Fprintf(&b, "\n- needed by `%s`", t.Path())
				}
			}
		}
	}
	return b.String()
}

func has(list []check.State, s check.State) bool {
	for _, x := range list {
		if x.Same(s) {
			return true
		}
	}
	return false
}

// markup wraps Markdown in the form that the client can show.
func (s *Snapshot) markup(text string) *protocol.MarkupContent {
	if s.opts.Client.Markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: plain(text)}
}

// plain takes the fences out of Markdown of our own.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "```") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}
