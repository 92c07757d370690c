package bridge

import (
	"strings"
	"testing"

	"github.com/koru-go/koru/syntax"
)

// draft is a reply as the novice has it in mind: what it means, and in which
// manner it writes each piece down.
type draft struct {
	items  []*draftItem
	manner manner // of the whole
}

// draftItem is a line of speech, a definition, or a chain of calls with the arms
// below it.
type draftItem struct {
	spoken string // say: …, note: …
	taught *draftDefinition
	calls  []*draftCall
	below  []*draftArm // arms on lines of their own
	manner manner
}

// draftDefinition teaches the session a verb.
type draftDefinition struct {
	name, flow string // in its two halves
	params     []string
	outcomes   []string // with their payloads; one that begins with -> is a return
	body       string
	forgotten  []string // parameters, outcomes and a body that were left out
	manner     manner
}

func (d *draftDefinition) String() string {
	text := "tor " + d.name + " { " + strings.Join(d.params, ", ") + " }"
	for _, o := range d.outcomes {
		if !strings.HasPrefix(o, "->") {
			o = "| " + o
		}
		text += " " + o
	}
	if d.body != "" {
		text += "\n" + d.flow + " = " + d.body
	}
	return d.manner.of(text)
}

type draftCall struct {
	verb      string
	args      []*draftArg
	forgotten []*draftArg // fields that were left out
	name      string      // verb(…): name
	arm       *draftArm   // the arm on the line of the call
	joined    manner      // how it is joined to the next one
	manner    manner
}

type draftArg struct {
	label  string
	value  string // as the wire spells it
	manner manner // of the whole argument
	quotes manner // of the value
}

// draftArm accepts an outcome of calls and may have calls of its own.
type draftArm struct {
	word, name string
	of         []*draftCall
	aside      []*draftCall
	manner     manner
}

// manner is how a piece is written where that is not how the wire writes it.
// style names the habit, for whoever is told that it will not do.
type manner struct {
	style string
	write func(string) string
}

func (m manner) of(text string) string {
	if m.write == nil {
		return text
	}
	return m.write(text)
}

// draftOf takes a right reply apart.
func draftOf(t testing.TB, b *Bridge, text string) *draft {
	t.Helper()
	file := syntax.ParseReply(text, (&reply{b: b}).declares)
	if len(file.Faults()) > 0 {
		t.Fatalf("%s\n%s", file.Faults()[0].Message, text)
	}
	d := &draft{}
	for n := range file.Items() {
		switch n.Kind() {
		case syntax.SayLine, syntax.NoteLine:
			d.items = append(d.items, &draftItem{spoken: strings.TrimSpace(n.Text())})
		case syntax.Definition:
			d.items = append(d.items, &draftItem{taught: draftDefinitionOf(n)})
		case syntax.WireItem:
			d.items = append(d.items, draftItemOf(b, n))
		}
	}
	return d
}

func draftDefinitionOf(n syntax.Node) *draftDefinition {
	head, body, _ := strings.Cut(strings.TrimSpace(n.Text()), "\n")
	head, outcomes, _ := strings.Cut(strings.TrimPrefix(head, "tor "), "}")
	name, params, _ := strings.Cut(head, "{")
	d := &draftDefinition{name: strings.TrimSpace(name)}
	for _, p := range strings.Split(params, ",") {
		d.params = append(d.params, strings.TrimSpace(p))
	}
	if o, ok := strings.CutPrefix(strings.TrimSpace(outcomes), "->"); ok {
		d.outcomes = []string{"->" + o}
	} else {
		for _, o := range strings.Split(outcomes, "|")[1:] {
			d.outcomes = append(d.outcomes, strings.TrimSpace(o))
		}
	}
	d.flow, d.body, _ = strings.Cut(body, " = ")
	return d
}

func draftItemOf(b *Bridge, n syntax.Node) *draftItem {
	var p plan
	p.lay(n, &b.words)
	item, calls := &draftItem{}, map[syntax.Node]*draftCall{}
	for i := range p.calls {
		calls[p.calls[i].node] = draftCallOf(p.calls[i].node)
	}
	var children []syntax.Node
	for c := range n.Children() {
		children = append(children, c)
	}
	for i, c := range children {
		switch c.Kind() {
		case syntax.Call:
			item.calls = append(item.calls, calls[c])
		case syntax.WireArm:
			arm := draftArmOf(syntax.ArmView{Node: c})
			last := item.calls[len(item.calls)-1]
			leads := i+1 < len(children) && children[i+1].Kind() == syntax.Call
			if leads || !startsLine(syntax.ArmView{Node: c}) && last.arm == nil && c.Child(syntax.Call) == (syntax.Node{}) {
				arm.of = []*draftCall{last}
				last.arm = arm
				continue
			}
			arm.aside = asideOf(c, calls)
			for _, l := range p.links {
				if p.arms[l.arm].view.Node == c {
					arm.of = append(arm.of, calls[p.calls[l.call].node])
				}
			}
			for i := range p.calls { // of a verb that the reply itself defines
				if c := &p.calls[i]; c.verb == nil && c.word == noWord {
					arm.of = append(arm.of, calls[c.node])
				}
			}
			item.below = append(item.below, arm)
		}
	}
	return item
}

func asideOf(arm syntax.Node, calls map[syntax.Node]*draftCall) (aside []*draftCall) {
	for c := range arm.Children() {
		switch c.Kind() {
		case syntax.Call:
			aside = append(aside, calls[c])
		case syntax.WireArm:
			aside[len(aside)-1].arm = draftArmOf(syntax.ArmView{Node: c})
		}
	}
	return aside
}

func draftArmOf(v syntax.ArmView) *draftArm {
	return &draftArm{word: v.Name().Text(), name: v.Bind().Name().Text()}
}

func draftCallOf(n syntax.Node) *draftCall {
	v := syntax.CallView{Node: n}
	c := &draftCall{verb: v.Path().Text(), name: v.Bind().Name().Text()}
	for a := range v.Args() {
		c.args = append(c.args, &draftArg{label: a.Label().Text(), value: strings.TrimSpace(a.Value().Text())})
	}
	return c
}

// String writes the draft down.
func (d *draft) String() string {
	lines := make([]string, len(d.items))
	for i, item := range d.items {
		lines[i] = item.String()
	}
	return d.manner.of(strings.Join(lines, "\n\n"))
}

func (i *draftItem) String() string {
	if i.spoken != "" {
		return i.manner.of(i.spoken)
	}
	if i.taught != nil {
		return i.manner.of(i.taught.String())
	}
	var b strings.Builder
	for k, c := range i.calls {
		b.WriteString(c.chained(k+1 < len(i.calls)))
	}
	for _, a := range i.below {
		b.WriteString("\n" + a.String())
		for k, c := range a.aside {
			b.WriteString(" " + strings.TrimSuffix(c.chained(k+1 < len(a.aside)), "\n"))
		}
	}
	return i.manner.of(b.String())
}

// chained is a call with what leads on from it.
func (c *draftCall) chained(more bool) string {
	text := c.String()
	switch {
	case c.arm != nil:
		text += " " + c.arm.head() + c.joined.of(" |>")
	case more:
		text += c.joined.of(" |>")
	}
	if more {
		text += "\n"
	}
	return text
}

func (c *draftCall) String() string {
	args := make([]string, len(c.args))
	for i, a := range c.args {
		args[i] = a.String()
	}
	text := c.manner.of(c.verb + "(" + strings.Join(args, ", ") + ")")
	if c.name != "" {
		text += ": " + c.name
	}
	return text
}

func (a *draftArg) String() string { return a.manner.of(a.label + ": " + a.quotes.of(a.value)) }

func (a *draftArm) String() string { return a.head() + " |>" }

func (a *draftArm) head() string {
	text := "| " + a.word
	if a.name != "" {
		text += " " + a.name
	}
	return a.manner.of(text)
}

// draftStep is one step of a draft, in the order in which they are counted.
type draftStep struct {
	item  *draftItem
	call  *draftCall // nil for a line of speech and a definition
	spine int        // which call of the chain, -1 for one on the line of an arm
	below *draftArm
}

// steps lists the steps of the draft.
func (d *draft) steps() (steps []draftStep) {
	for _, item := range d.items {
		if strings.HasPrefix(item.spoken, "note:") && item.manner.write == nil {
			continue // a note is no step; a sentence is one, that is refused
		}
		if item.spoken != "" || item.taught != nil {
			steps = append(steps, draftStep{item: item, spine: -1})
			continue
		}
		for k, c := range item.calls {
			steps = append(steps, draftStep{item: item, call: c, spine: k})
		}
		for _, a := range item.below {
			for _, c := range a.aside {
				steps = append(steps, draftStep{item: item, call: c, spine: -1, below: a})
			}
		}
	}
	return steps
}

// texts calls f with every piece of the draft that may name a value.
func (d *draft) texts(f func(string) string) {
	for _, item := range d.items {
		if strings.HasPrefix(item.spoken, "say:") {
			text := f(`"` + strings.TrimPrefix(item.spoken, "say:") + `"`)
			item.spoken = "say:" + text[1:len(text)-1]
		}
		for _, c := range item.everyCall() {
			for _, a := range c.args {
				a.value = f(a.value)
			}
		}
	}
}

func (i *draftItem) everyCall() []*draftCall {
	calls := append([]*draftCall(nil), i.calls...)
	for _, a := range i.below {
		calls = append(calls, a.aside...)
	}
	return calls
}

// rename replaces a name wherever a value uses it: bare, and in splices.
func rename(value, old, new string) string {
	var b strings.Builder
	quoted, splice := false, 0
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case quoted && c == '\\' && i+1 < len(value):
			b.WriteString(value[i : i+2])
			i += 2
			continue
		case c == '"':
			quoted = !quoted
		case strings.HasPrefix(value[i:], "{{"):
			splice++
		case strings.HasPrefix(value[i:], "}}"):
			splice--
		case (!quoted || splice > 0) && (isLetter(c) || c == '_') && (i == 0 || !inWord(value[i-1]) && value[i-1] != '.'):
			end := i
			for end < len(value) && inWord(value[end]) {
				end++
			}
			word := value[i:end]
			if word == old && (splice > 0 || !strings.HasPrefix(strings.TrimLeft(value[end:], " "), ":")) {
				word = new
			}
			b.WriteString(word)
			i = end
			continue
		}
		b.WriteByte(value[i])
		i++
	}
	return b.String()
}

func inWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' }

// everyArm lists the arms of the chain and those below it.
func (i *draftItem) everyArm() []*draftArm {
	arms := append([]*draftArm(nil), i.below...)
	for _, c := range i.calls {
		if c.arm != nil {
			arms = append(arms, c.arm)
		}
	}
	return arms
}
