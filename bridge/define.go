package bridge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// maxDefinitions bounds what one session may teach itself.
const maxDefinitions = 256

// definition is a verb that the session has taught itself.
type definition struct {
	*check.Definition
	taught check.Taught
	code   *eval.Code
}

// lessons are the definitions of a session. A set of them is replaced whole,
// so that a redefinition which would break another one changes nothing.
type lessons struct {
	byName map[string]*definition
	order  []*check.Verb // in the order of their first definition
}

func (l *lessons) known(name string) *check.Definition {
	if d := l.byName[name]; d != nil {
		return d.Definition
	}
	return nil
}

// with returns the lessons with one more, or with a newer one of the name in
// the place of the old (U26).
func (l *lessons) with(d *definition) lessons {
	next := lessons{maps.Clone(l.byName), slices.Clone(l.order)}
	next.put(d)
	return next
}

func (l *lessons) put(d *definition) {
	if l.byName == nil {
		l.byName = map[string]*definition{}
	}
	l.byName[d.Verb.Name] = d
	for i, v := range l.order {
		if v.Name == d.Verb.Name {
			l.order[i] = d.Verb
			return
		}
	}
	l.order = append(l.order, d.Verb)
}

// define installs a definition of the reply (bridge.md 8). It costs nothing.
func (r *reply) define(n syntax.Node, s *Step) {
	start, text := n.Child(syntax.TorItem).Span().Start, r.definitionText(n)
	d, refusal := r.b.teach(text)
	if refusal != nil {
		e := runError(s.Verb, refusal)
		if e.Kind == VerdictParse {
			pos := r.file.Position(start+refusal.Span.Start, syntax.UTF8)
			e.Line, e.Column = pos.Line+1, pos.Column+1
		}
		r.refuse(s, e)
		return
	}
	s.Verdict, s.Message = VerdictDefined, r.b.keep(d, text)
}

// definitionText returns the two halves of a definition, as they are written.
func (r *reply) definitionText(n syntax.Node) string {
	return r.file.Text()[n.Child(syntax.TorItem).Span().Start:n.Child(syntax.ImplItem).Span().End]
}

// Define installs a definition for the host (std/bridge:define) and returns the
// name of its verb.
func (b *Bridge) Define(source string) (name string, refused *RunError) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.unusable(); e != nil {
		return "", e
	}
	text := strings.TrimSpace(source)
	d, refusal := b.teach(text)
	if refusal != nil {
		e := runError("", refusal)
		pos := syntax.ParseReply(text, nil).Position(refusal.Span.Start, syntax.UTF8)
		e.Line, e.Column = pos.Line+1, pos.Column+1
		return "", e
	}
	b.keep(d, text)
	return d.Verb.Name, nil
}

// keep writes a definition into the world and says what the verb will cost.
func (b *Bridge) keep(d *definition, text string) string {
	message := costText(d.Verb)
	if b.world != nil {
		if err := b.world.Define(d.Verb.Name, text); err != nil {
			b.complain(err)
			message += " — it lives for this session only, the world did not take it"
		}
	}
	return message
}

func costText(v *check.Verb) string {
	switch {
	case v.Unbounded:
		return fmt.Sprintf("costs %d or more", v.Least)
	case v.Least == v.Greatest:
		return fmt.Sprintf("costs %d", v.Least)
	}
	return fmt.Sprintf("costs %d to %d", v.Least, v.Greatest)
}

// teach judges and installs the definition that a text holds. The text is
// parsed by itself, so that the session does not keep the reply it came in.
func (b *Bridge) teach(text string) (*definition, *check.Refusal) {
	file := syntax.ParseReply(text, nil)
	item := file.Item(0)
	if faults := file.Faults(); len(faults) > 0 || item.Kind() != syntax.Definition {
		return nil, misread(faults)
	}
	return b.install(check.Taught{Decl: item.Child(syntax.TorItem), Body: item.Child(syntax.ImplItem), File: file})
}

// misread refuses a text that is no definition, in the words of the parser
// (bridge.md 8.2).
func misread(faults []syntax.Fault) *check.Refusal {
	r := &check.Refusal{Kind: check.Misread, Diagnostic: check.Diagnostic{Code: "PARSE001", Message: syntax.MissingHalf}}
	if len(faults) > 0 {
		f := faults[0]
		r.Code, r.Message, r.Span = f.Code, f.Message, syntax.Span{Start: f.Start, End: f.End}
	}
	return r
}

// install judges a definition, and those that call an older one of its name
// again, and makes them verbs of the session.
func (b *Bridge) install(t check.Taught) (*definition, *check.Refusal) {
	if len(b.lessons.order) >= maxDefinitions && b.lessons.byName[t.VerbName()] == nil {
		return nil, &check.Refusal{Kind: check.Invalid, Diagnostic: check.Diagnostic{
			Message: fmt.Sprintf("the session has %d definitions, and no session has more: redefine one", maxDefinitions),
		}}
	}
	d, refusal := b.judge(&b.lessons, t)
	if refusal != nil {
		return nil, refusal
	}
	next := b.lessons.with(d)
	if refusal := b.judgeDependents(&next, d.Verb.Name); refusal != nil {
		return nil, refusal
	}
	b.lessons = next
	b.words.Defined = next.order
	return d, nil
}

// judge judges and compiles one definition among others.
func (b *Bridge) judge(among *lessons, t check.Taught) (*definition, *check.Refusal) {
	words := b.words
	words.Defined = among.order
	judged, refusal := b.program.Checked().JudgeDefinition(&words, among.known, t)
	if refusal != nil {
		return nil, refusal
	}
	code, err := b.program.Compile(judged.Verb.Flow)
	if err != nil {
		return nil, &check.Refusal{Kind: check.Invalid, Diagnostic: check.Diagnostic{Message: unrunnable(judged.Verb.Name, err)}}
	}
	return &definition{judged, t, code}, nil
}

func unrunnable(verb string, err error) string {
	message := err.Error()
	var u *eval.Unrunnable
	if errors.As(err, &u) {
		message = u.Diagnostics[0].Message
	}
	return "'" + verb + "' cannot run here: " + message
}

// judgeDependents judges again every definition that calls the verb, or calls
// one that does: they see the new body, and must be honest about it (bridge.md
// 8.6). Definitions call no circles, so in each round one of them calls only
// verbs that have been judged.
func (b *Bridge) judgeDependents(next *lessons, name string) *check.Refusal {
	stale := map[string]bool{}
	for more := true; more; {
		more = false
		for _, v := range next.order {
			d := next.byName[v.Name]
			if v.Name != name && !stale[v.Name] && slices.ContainsFunc(d.Calls, func(c string) bool { return c == name || stale[c] }) {
				stale[v.Name], more = true, true
			}
		}
	}
	for len(stale) > 0 {
		for _, v := range slices.Clone(next.order) {
			old := next.byName[v.Name]
			if !stale[v.Name] || slices.ContainsFunc(old.Calls, func(c string) bool { return stale[c] }) {
				continue
			}
			d, refusal := b.judge(next, old.taught)
			if refusal != nil {
				refusal.Kind = check.Invalid
				refusal.Message = fmt.Sprintf("'%s' calls '%s' and would no longer hold: %s", v.Name, name, refusal.Message)
				return refusal
			}
			next.put(d)
			delete(stale, v.Name)
		}
	}
	return nil
}
