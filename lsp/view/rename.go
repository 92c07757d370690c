package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// PrepareRename says which name would change, or refuses with the reason.
func PrepareRename(_ context.Context, s *Snapshot, d *Document, off int) (protocol.PrepareRenameResult, error) {
	if s.speaksWire(d) {
		return s.wirePrepareRename(d, off)
	}
	n, err := s.nameAt(d, off)
	if err != nil {
		return nil, err
	}
	if !n.named() {
		return nil, Refusal("there is no name here that could be changed")
	}
	if err := s.renamable(n); err != nil {
		return nil, err
	}
	span := renamed(n.refs[0])
	return &protocol.PrepareRenamePlaceholder{
		Range: s.Range(d.Syntax, span), Placeholder: d.Syntax.Text()[span.Start:span.End],
	}, nil
}

// Rename gives what stands at an offset another name, in every program of the
// workspace that names it. Puns are written out where their halves part, and
// closed where they meet: turn(br) becomes turn(br: bridge) and back. What would
// then mean something else, or break, is refused with the reason.
func Rename(_ context.Context, s *Snapshot, d *Document, off int, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	e, err := s.rename(d, off, p.NewName)
	if err != nil || e == nil {
		return nil, err
	}
	return s.workspaceEdit(e), nil
}

func (s *Snapshot) rename(d *Document, off int, to string) (*edits, error) {
	if s.speaksWire(d) {
		return s.wireRename(d, off, to)
	}
	n, err := s.nameAt(d, off)
	if err != nil {
		return nil, err
	}
	if !n.named() {
		return nil, Refusal("there is no name here that could be changed")
	}
	if err := s.renamable(n); err != nil {
		return nil, err
	}
	e := n.entity()
	if err := spellable(e.Kind, to); err != nil {
		return nil, err
	}
	if old := d.Syntax.Text()[renamed(n.refs[0]).Start:renamed(n.refs[0]).End]; old == to {
		return newEdits(), nil
	}
	if err := taken(n.prog, e, to); err != nil {
		return nil, err
	}
	if e.Kind == check.ModuleEntity {
		return s.renameModule(e.Module, to)
	}
	uses := s.uses(d, n.prog, e)
	r := &renaming{s: s, entity: e, to: to, edits: newEdits()}
	for _, use := range uses {
		if err := r.single(use); err != nil {
			return nil, err
		}
		r.use(use)
	}
	r.pairs()
	if err := r.hostBodies(n.prog); err != nil {
		return nil, err
	}
	if err := s.sound(r, d, n, uses); err != nil {
		return nil, err
	}
	return r.edits, nil
}

// renamed returns the part of a reference that a rename changes: of the path of
// a module its last word.
func renamed(r check.Reference) syntax.Span {
	span := r.Span
	if r.Entity.Kind == check.ModuleEntity {
		text := r.File.Syntax.Text()[span.Start:span.End]
		span.Start += strings.LastIndexAny(text, "/.") + 1
	}
	return span
}

// renamable refuses what has no name of its own, or one that is not ours.
func (s *Snapshot) renamable(n name) error {
	e := n.entity()
	text := n.file.Syntax.Text()[n.span().Start:n.span().End]
	switch {
	case e.Kind == check.AnnotationEntity:
		return Refusal(fmt.Sprintf("'%s' is a word of the language", e.Name))
	case e.Kind == check.TypeEntity:
		return Refusal(fmt.Sprintf("'%s' is a type of the host: rename it there", e.Name))
	case e.Module != nil && e.Module.Std:
		return Refusal(fmt.Sprintf("'%s' belongs to the standard library", text))
	case e.Kind == check.ModuleEntity:
		return s.movable(e.Module)
	case e.Kind == check.OutcomeEntity && e.Outcome() != nil && e.Outcome().Raw:
		return Refusal(fmt.Sprintf("'%s' is a raw name: what it matches is its text", text))
	case text != e.Name:
		return Refusal(fmt.Sprintf("this %v is named '%s' where it is declared, and by something else here", e.Kind, e.Name))
	}
	if _, _, ok := n.prog.DeclaredAt(e); !ok && e.Node.IsValid() {
		return Refusal(fmt.Sprintf("'%s' is a word of the language here: nothing declares it", e.Name))
	}
	for _, m := range n.prog.Mentions(e) {
		if m.Proc != nil && readsInputs(n.prog, e, m.Proc) {
			continue // renamed there too
		}
		line := m.File.Syntax.LineOf(m.Span.Start) + 1
		return Refusal(fmt.Sprintf("%s uses '%s' too (%s, line %d), and what it means there is not known: change it by hand",
			m.In, m.File.Syntax.Text()[m.Span.Start:m.Span.End], display(m.File), line))
	}
	return nil
}

// display returns the path of a file in words for people: its last part.
func display(f *check.File) string {
	return f.Path[strings.LastIndexByte(f.Path, '/')+1:]
}

// spellable refuses a new name that the grammar does not take, or that it has a
// use for.
func spellable(kind check.EntityKind, to string) error {
	form, ok := "letters, digits and _", isName(to, "_")
	switch kind {
	case check.TorEntity, check.GrantEntity:
		form, ok = "letters, digits and -, in parts joined by .", true
		for part := range strings.SplitSeq(to, ".") {
			ok = ok && isName(part, "-")
		}
	case check.OutcomeEntity:
		form, ok = "letters, digits and -", isName(to, "-")
	case check.StateEntity, check.ScopeEntity, check.ModuleEntity:
		form, ok = "letters, digits, - and _", isName(to, "-_")
	}
	switch {
	case !ok:
		return Refusal(fmt.Sprintf("'%s' is no name for %s: it consists of %s, and does not start with a digit", to, article(kind.String()), form))
	case slices.Contains(syntax.Keywords, to):
		return Refusal(fmt.Sprintf("'%s' is a keyword", to))
	case kind == check.TorEntity && slices.Contains(syntax.ControlTors, to):
		return Refusal(fmt.Sprintf("'%s' is a verb of the language, visible everywhere", to))
	}
	return nil
}

// article puts the indefinite article in front of a word.
func article(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an " + word
	}
	return "a " + word
}

func isName(s, more string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z' || i == 0 && s[i] == '_' && len(s) > 1 && strings.Contains(more, "_")
		if !letter && (i == 0 || (s[i] < '0' || s[i] > '9') && strings.IndexByte(more, s[i]) < 0) {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '-'
}

// taken refuses a name that something beside the entity has already.
func taken(p *check.Program, e check.Entity, to string) error {
	used := func(by string) error { return Refusal(fmt.Sprintf("%s is called '%s' already", by, to)) }
	switch e.Kind {
	case check.TorEntity:
		if e.Module.Tor(to) != nil {
			return used("a tor of the same module")
		}
	case check.ScopeEntity:
		if p.Scope(to) != nil {
			return used("a scope")
		}
	case check.StoreEntity, check.ConstEntity:
		if e.Module.Store(to) != nil {
			return used("a store of the same module")
		}
		if e.Module.Const(to) != nil {
			return used("a constant of the same module")
		}
	case check.OutcomeEntity, check.FieldEntity, check.ColumnEntity:
		if sibling(p, e, to) {
			return used(fmt.Sprintf("another %v beside it", e.Kind))
		}
	}
	return nil
}

// sibling reports whether the declaration beside the entity's has that name:
// another outcome of the verb, another field of the record.
func sibling(p *check.Program, e check.Entity, to string) bool {
	f := p.FileOf(e.Node)
	if f == nil {
		return false
	}
	item := f.Syntax.Item(f.Syntax.ItemAt(e.Node.Span().Start))
	parent := parentOf(item, e.Node)
	for _, r := range p.ReferencesIn(f, item) {
		if r.Role == check.Declares && r.Entity.Kind == e.Kind && r.Entity.Name == to && parentOf(item, r.Entity.Node) == parent {
			return true
		}
	}
	return false
}

// parentOf returns the node that a node of an item stands in.
func parentOf(item, n syntax.Node) syntax.Node {
	span := n.Span()
	for at := item; at.IsValid(); {
		next := syntax.Node{}
		for c := range at.Children() {
			if c == n {
				return at
			}
			if s := c.Span(); s.Start <= span.Start && span.End <= s.End && s.Len() > 0 {
				next = c
			}
		}
		at = next
	}
	return syntax.Node{}
}

// renaming is one rename while its edits are gathered.
type renaming struct {
	s      *Snapshot
	entity check.Entity
	to     string
	edits  *edits
	paired []pairUse
}

// pairUse is a pair with the sides of it that get the new name.
type pairUse struct {
	doc          *Document
	node         syntax.Node
	label, value bool
}

// single refuses a word that stands for something else as well: an arm that
// several steps share answers outcomes of several verbs.
func (r *renaming) single(use check.Reference) error {
	if use.Entity.Kind != check.OutcomeEntity {
		return nil
	}
	for p := range r.s.ProgramsWith(r.s.DocumentOf(use.File)) {
		for _, other := range p.ReferencesAt(p.FileOf(use.Item), use.Span.Start) {
			if other.Span == use.Span && other.Entity.Kind == check.OutcomeEntity && other.Entity.ID() != r.entity.ID() {
				return Refusal(fmt.Sprintf("the arm in %s, line %d, answers '%s' of several verbs: give each its own arm first",
					display(use.File), lineOf(use.File, use.Span), use.Entity.Name))
			}
		}
	}
	return nil
}

// entryPath returns the path under which a program was judged.
func entryPath(p *check.Program) string { return pathOfFile(p.Entry.Files[0]) }

// use takes down one place that names the entity. What is one side of a pair is
// rewritten with the other side in view.
func (r *renaming) use(use check.Reference) {
	doc := r.s.DocumentOf(use.File)
	if use.Side == check.Alone {
		r.edits.replace(doc, use.Span, r.to)
		return
	}
	i := slices.IndexFunc(r.paired, func(p pairUse) bool { return p.node == use.Pair })
	if i < 0 {
		i = len(r.paired)
		r.paired = append(r.paired, pairUse{doc: doc, node: use.Pair})
	}
	if use.Side == check.Label {
		r.paired[i].label = true
	} else {
		r.paired[i].value = true
	}
}

// pairs rewrites the pairs in which a name changes.
func (r *renaming) pairs() {
	for _, p := range r.paired {
		if p.node.Kind() == syntax.Grant {
			r.grant(p)
			continue
		}
		r.pair(p)
	}
}

// pair rewrites `label: value` or a pun. A pun whose halves part is written out;
// a label that comes to say what the value says is dropped (language.md 8.1).
func (r *renaming) pair(p pairUse) {
	label, value, from := partsOfPair(p.node)
	if p.value {
		r.edits.replace(p.doc, value, r.to)
	}
	named := func(span syntax.Span, changes bool) string {
		if changes {
			return r.to
		}
		return p.doc.Syntax.Text()[span.Start:span.End]
	}
	switch {
	case !label.IsValid() && p.label != p.value:
		written := named(value, p.label) + ": "
		r.edits.replace(p.doc, syntax.Span{Start: from, End: from}, written)
		r.edits.labels[place{p.doc.Path, value.Start}] = landing{from, len(written)}
	case !label.IsValid():
	case value.Len() > 0 && named(label.Span(), p.label) == named(value, p.value):
		r.edits.replace(p.doc, syntax.Span{Start: label.Span().Start, End: from}, "")
		r.edits.labels[place{p.doc.Path, label.Span().Start}] = landing{value.Start, 0}
	case p.label:
		r.edits.replace(p.doc, label.Span(), r.to)
	}
}

// partsOfPair returns the label of a pair, which a pun lacks, the last name of
// its value, which is empty if the value is no path of names, and where the
// value begins.
func partsOfPair(n syntax.Node) (label syntax.Token, value syntax.Span, from int) {
	switch n.Kind() {
	case syntax.Arg:
		v := syntax.ArgView{Node: n}
		return v.Label(), lastOf(v.Value()), v.Value().Span().Start
	case syntax.RecordField:
		v := syntax.RecordFieldView{Node: n}
		return v.Label(), lastOf(v.Value()), v.Value().Span().Start
	case syntax.Assign:
		v := syntax.AssignView{Node: n}
		if !v.Punned() {
			label = v.Target().FirstToken()
		}
		return label, lastOf(v.Value()), v.Value().Span().Start
	case syntax.BindField:
		v := syntax.BindFieldView{Node: n}
		at := v.Field()
		if as := v.As(); as.Kind() == syntax.Name || as.Kind() == syntax.Path {
			label, at = at, as
		}
		return label, lastWord(at.Span(), at.Text()), at.Span().Start
	}
	return syntax.Token{}, syntax.Span{}, 0
}

// lastOf returns where the last name of a path of names stands.
func lastOf(n syntax.Node) syntax.Span {
	last := syntax.Token{}
	if n.Kind() == syntax.FieldExpr {
		last = n.Token(syntax.Name)
	}
	for n.Kind() == syntax.FieldExpr || n.Kind() == syntax.IndexExpr {
		n = n.FirstChild()
	}
	if n.Kind() == syntax.NameExpr && !last.IsValid() {
		last = n.FirstToken()
	}
	return last.Span()
}

func lastWord(span syntax.Span, text string) syntax.Span {
	span.Start += strings.LastIndexAny(text, "./:") + 1
	return span
}

// grant rewrites a line of a register block. What the scope exposes keeps its
// name when the verb behind it gets another.
func (r *renaming) grant(p pairUse) {
	v := syntax.GrantView{Node: p.node}
	source, verb, name := v.Source(), v.Verb(), lastTor(v.Source())
	granted, exposed := source.Text(), verb.Text()
	if p.value {
		granted = granted[:name.Start-source.Span().Start] + r.to
		r.edits.replace(p.doc, name, r.to)
	}
	if p.label {
		exposed = r.to
	}
	end := source.Span().End
	switch {
	case source == verb && granted != exposed:
		r.edits.replace(p.doc, syntax.Span{Start: end, End: end}, " -> "+exposed)
		r.edits.labels[place{p.doc.Path, verb.Span().Start}] = landing{end, len(exposed)}
	case source == verb:
	case granted == exposed:
		r.edits.replace(p.doc, syntax.Span{Start: end, End: verb.Span().End}, "")
		r.edits.labels[place{p.doc.Path, verb.Span().Start}] = landing{source.Span().Start, 0}
	case p.label:
		r.edits.replace(p.doc, verb.Span(), r.to)
	}
}

// lastTor returns where the name behind the module of a path stands.
func lastTor(path syntax.Token) syntax.Span {
	span := path.Span()
	span.Start += strings.IndexByte(path.Text(), ':') + 1
	return span
}
