package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

// role is what a token means to a reader, as an index into the legend. The
// grammar alone says it: a name behind a pipe is an outcome whether it exists or
// not, and so a colour never waits for the checker.
type role uint8

const (
	noRole role = iota
	moduleRole
	verbRole
	outcomeRole
	effectRole
	inputRole
	fieldRole
	bindingRole
	typeRole
	stateRole
	annotationRole
	keywordRole
	labelRole
	variantRole
	stringRole
	numberRole
	operatorRole
	commentRole
)

// tokenTypes is the legend. Only names that the protocol itself knows are in it,
// because those are the ones that every theme colours.
var tokenTypes = []string{
	moduleRole - 1:     string(protocol.SemanticTokenTypesNamespace),
	verbRole - 1:       string(protocol.SemanticTokenTypesFunction),
	outcomeRole - 1:    string(protocol.SemanticTokenTypesEnumMember),
	effectRole - 1:     string(protocol.SemanticTokenTypesEvent),
	inputRole - 1:      string(protocol.SemanticTokenTypesParameter),
	fieldRole - 1:      string(protocol.SemanticTokenTypesProperty),
	bindingRole - 1:    string(protocol.SemanticTokenTypesVariable),
	typeRole - 1:       string(protocol.SemanticTokenTypesType),
	stateRole - 1:      string(protocol.SemanticTokenTypesTypeParameter),
	annotationRole - 1: string(protocol.SemanticTokenTypesDecorator),
	keywordRole - 1:    string(protocol.SemanticTokenTypesKeyword),
	labelRole - 1:      string(protocol.SemanticTokenTypesLabel),
	variantRole - 1:    string(protocol.SemanticTokenTypesModifier),
	stringRole - 1:     string(protocol.SemanticTokenTypesString),
	numberRole - 1:     string(protocol.SemanticTokenTypesNumber),
	operatorRole - 1:   string(protocol.SemanticTokenTypesOperator),
	commentRole - 1:    string(protocol.SemanticTokenTypesComment),
}

// nuance is a set of modifiers, by their places in the legend.
type nuance uint8

const (
	declares nuance = 1 << iota
	constant
	library
	prose
)

var tokenModifiers = []string{
	string(protocol.SemanticTokenModifiersDeclaration),
	string(protocol.SemanticTokenModifiersReadonly),
	string(protocol.SemanticTokenModifiersDefaultLibrary),
	string(protocol.SemanticTokenModifiersDocumentation),
}

// TokenLegend returns the names that the numbers of semantic tokens stand for.
func TokenLegend() protocol.SemanticTokensLegend {
	return protocol.SemanticTokensLegend{TokenTypes: tokenTypes, TokenModifiers: tokenModifiers}
}

// SemanticTokens returns the meaning of all tokens of a document.
func SemanticTokens(ctx context.Context, s *Snapshot, d *Document) (*protocol.SemanticTokens, error) {
	old := s.painted.of(d.Path)
	fresh := painting{data: make([]uint32, 0, len(old.data)+64), items: make(map[*syntax.Tree]paintedItem, len(old.items)+1)}
	p := &painter{enc: s.opts.Encoding, file: d.Syntax, text: d.Syntax.Text(), within: syntax.Span{End: d.Syntax.Len()}, data: fresh.data}
	for i := range d.Syntax.NumItems() {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.shared(d.Syntax.Item(i), old.items, fresh.items)
	}
	fresh.data = p.data
	id, data := s.painted.keep(d.Path, fresh), p.data
	return &protocol.SemanticTokens{ResultID: &id, Data: data}, nil
}

// SemanticTokensRange returns the meaning of the tokens in a part of a document.
func SemanticTokensRange(ctx context.Context, s *Snapshot, d *Document, span syntax.Span, _ *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	data, err := s.paint(ctx, d, span)
	if err != nil {
		return nil, err
	}
	return &protocol.SemanticTokens{Data: data}, nil
}

// SemanticTokensDelta returns how the tokens of a document differ from those
// that the client has, or all of them if what it has is not known any more.
func SemanticTokensDelta(ctx context.Context, s *Snapshot, d *Document, p *protocol.SemanticTokensDeltaParams) (any, error) {
	old := s.painted.of(d.Path)
	all, err := SemanticTokens(ctx, s, d)
	if err != nil || old.id != p.PreviousResultID {
		return all, err
	}
	return &protocol.SemanticTokensDelta{ResultID: all.ResultID, Edits: replaceMiddle(old.data, all.Data)}, nil
}

// replaceMiddle is the one edit that makes new of old: what both begin and end
// with stays. Tokens are relative to each other, so an edit in the text changes
// little around it.
func replaceMiddle(old, new []uint32) []protocol.SemanticTokensEdit {
	head := 0
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	if head == len(old) && head == len(new) {
		return nil
	}
	return []protocol.SemanticTokensEdit{{
		Start: uint32(head), DeleteCount: uint32(len(old) - head - tail), Data: new[head : len(new)-tail],
	}}
}

// paintings remembers the last tokens that were handed out for each document,
// for as long as a client may name them. It belongs to all snapshots of a
// workspace.
type paintings struct {
	mu   sync.Mutex
	last map[string]painting
	next int
}

// painting is what a client has been sent of one document, and the items that it
// was put together from: an edit leaves most of them as they are.
type painting struct {
	id    string
	data  []uint32
	items map[*syntax.Tree]paintedItem
}

// paintedItem is the tokens of an item that begins a line. The first token counts
// from the start of the item.
type paintedItem struct {
	data             []uint32
	line, lastColumn int // of the last token; the line counts from the item
}

func (p *paintings) keep(path string, fresh painting) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[string]painting{}
	}
	p.next++
	fresh.id = fmt.Sprint(p.next)
	p.last[path] = fresh
	return fresh.id
}

func (p *paintings) of(path string) painting {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last[path]
}

// forget drops what is kept for a document that was closed.
func (p *paintings) forget(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, path)
}

// paint encodes the tokens in a span: five numbers each, lines and columns
// relative to the token before.
func (s *Snapshot) paint(ctx context.Context, d *Document, span syntax.Span) ([]uint32, error) {
	f := d.Syntax
	p := &painter{enc: s.opts.Encoding, file: f, text: f.Text(), within: span}
	for i := f.ItemAt(span.Start); i >= 0 && i < f.NumItems(); i++ {
		item := f.Item(i)
		if item.Span().Start >= span.End {
			break
		}
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.item(item)
	}
	return p.data, nil
}

// painter writes tokens in the order of the text. It counts lines and columns
// from one token to the next and so reads each byte once.
type painter struct {
	enc    syntax.Encoding
	file   *syntax.File
	text   string
	within syntax.Span
	data   []uint32

	comments []syntax.Span // of the item at hand, those not yet painted

	at, line, column int // of the last byte that was counted
	begun            bool
	lastLine         int // of the last token written
	lastColumn       int
}

// shared paints an item, or takes what was painted of the same tree before.
func (p *painter) shared(item syntax.Node, old, fresh map[*syntax.Tree]paintedItem) {
	base, tree := item.Base(), item.Tree()
	line := p.file.LineOf(base)
	if p.file.LineStart(line) != base {
		p.item(item) // its columns depend on what stands in front
		return
	}
	known, ok := old[tree]
	if !ok {
		q := &painter{enc: p.enc, file: p.file, text: p.text, within: p.within, comments: p.comments, lastLine: line}
		q.item(item)
		p.comments = q.comments
		known = paintedItem{q.data, q.lastLine - line, q.lastColumn}
	}
	fresh[tree] = known
	if len(known.data) == 0 {
		return
	}
	n := len(p.data)
	p.data = append(p.data, known.data...)
	p.data[n] += uint32(line - p.lastLine)
	p.lastLine, p.lastColumn, p.begun = line+known.line, known.lastColumn, true
	p.at = 0 // lines are counted anew from here
}

// item paints a whole item. Comments belong to no node: they are put in on the way.
func (p *painter) item(item syntax.Node) {
	p.comments = p.comments[:0]
	for t := range item.AllTokens() {
		if t.Kind() == syntax.Comment {
			p.comments = append(p.comments, t.Span())
		}
	}
	p.node(item, syntax.Invalid)
	p.commentsBefore(item.Span().End)
}

func (p *painter) commentsBefore(off int) {
	for len(p.comments) > 0 && p.comments[0].Start < off {
		c := p.comments[0]
		p.comments = p.comments[1:]
		p.token(c, commentRole, 0)
	}
}

// node paints the tokens of a node, given the kind of the node it is in.
func (p *painter) node(n syntax.Node, outer syntax.Kind) {
	kind, names := n.Kind(), 0
	inner := kind
	if kind == syntax.Shape {
		inner = outer // whose fields they are, not that they stand in braces
	}
	parts := n.Parts()
	for parts.Next() {
		if !parts.Kind().IsToken() {
			p.node(parts.Node(), inner)
			continue
		}
		t := parts.Token()
		p.commentsBefore(t.Span().Start)
		switch {
		case t.Kind() == syntax.Name || t.Kind() == syntax.Path || t.Kind() == syntax.RawName:
			p.name(n, outer, t, names)
			names++
		default:
			r, m := roleOfToken(t.Kind(), kind)
			p.token(t.Span(), r, m)
		}
	}
}

// name paints a name by where it stands: it is the nth among those of its node.
func (p *painter) name(n syntax.Node, outer syntax.Kind, t syntax.Token, nth int) {
	r, m := roleOfName(n, outer, t, nth)
	if r != verbRole {
		p.token(t.Span(), r, m)
		return
	}
	span := t.Span()
	if module, _, ok := strings.Cut(p.text[span.Start:span.End], ":"); ok {
		if strings.HasPrefix(module, "std/") {
			m |= library
		}
		p.token(syntax.Span{Start: span.Start, End: span.Start + len(module)}, moduleRole, m&library)
		span.Start += len(module) + 1
	}
	p.token(span, r, m)
}

func roleOfToken(k, in syntax.Kind) (role, nuance) {
	switch k {
	case syntax.Comment:
		return commentRole, 0
	case syntax.Prose:
		return commentRole, prose
	case syntax.Int, syntax.Float:
		return numberRole, 0
	case syntax.Char, syntax.String, syntax.Quote:
		return stringRole, 0
	case syntax.Text:
		if in == syntax.SayLine || in == syntax.NoteLine {
			return stringRole, 0
		}
		return noRole, 0 // the language of the host; its own grammar colours it
	case syntax.Comma, syntax.Dot, syntax.Semicolon, syntax.LParen, syntax.RParen, syntax.LBrace, syntax.RBrace,
		syntax.LBracket, syntax.RBracket, syntax.Word, syntax.Space, syntax.Newline, syntax.BOM, syntax.Colon:
		return noRole, 0
	case syntax.Less, syntax.Greater:
		if in == syntax.Phantom {
			return noRole, 0
		}
	}
	return operatorRole, 0
}

func roleOfName(n syntax.Node, outer syntax.Kind, t syntax.Token, nth int) (role, nuance) {
	switch n.Kind() {
	case syntax.ImportItem:
		return after(nth, 0, moduleRole)
	case syntax.TorItem:
		return unless(syntax.TorView{Node: n}.Name() == t, verbRole, declares)
	case syntax.ProcItem:
		return unless(syntax.ProcView{Node: n}.Name() == t, verbRole, 0)
	case syntax.ImplItem:
		return verbRole, 0
	case syntax.Annotation, syntax.AnnotationItem:
		return annotationRole, 0
	case syntax.FieldDecl:
		if outer == syntax.TorItem {
			return inputRole, declares
		}
		return fieldRole, declares
	case syntax.Type:
		if slices.Contains(syntax.ScalarTypes, t.Text()) {
			return typeRole, library
		}
		return typeRole, 0
	case syntax.State:
		return stateRole, 0
	case syntax.ArmDecl, syntax.Resume:
		return outcomeOrEffect(syntax.ArmDeclView{Node: n}.Effect()), declares
	case syntax.Arm, syntax.WireArm:
		return outcomeOrEffect(syntax.ArmView{Node: n}.Effect()), 0
	case syntax.Construct:
		return outcomeRole, 0
	case syntax.Call:
		if slices.Contains(syntax.ControlTors, t.Text()) {
			return keywordRole, 0
		}
		return verbRole, 0
	case syntax.Variant:
		return variantRole, 0
	case syntax.Arg:
		return inputRole, 0
	case syntax.Bind:
		return bindingRole, declares
	case syntax.BindField:
		if nth == 0 && (syntax.BindFieldView{Node: n}).As().IsValid() {
			return fieldRole, 0
		}
		return bindingRole, declares
	case syntax.NameExpr:
		return bindingRole, 0
	case syntax.FieldExpr, syntax.RecordField, syntax.Assign:
		return fieldRole, 0
	case syntax.Column:
		return fieldRole, declares
	case syntax.ConstEntry:
		return bindingRole, declares | constant
	case syntax.Label, syntax.Jump:
		return labelRole, 0
	case syntax.Grant:
		if t.Kind() == syntax.Name && nth > 0 {
			return verbRole, declares
		}
		return verbRole, 0
	case syntax.GrantGlob:
		return moduleRole, 0
	case syntax.GrantInclude:
		return after(nth, 0, moduleRole)
	case syntax.Splice:
		return variantRole, 0 // the spec behind the colon
	case syntax.Guard, syntax.CondExpr, syntax.BinaryExpr, syntax.UnaryExpr, syntax.Literal, syntax.Tag,
		syntax.SayLine, syntax.NoteLine, syntax.Discard, syntax.Definition:
		return keywordRole, 0
	case syntax.BuiltinExpr, syntax.CallExpr:
		return verbRole, library
	}
	return noRole, 0
}

// after is a keyword for the names up to nth and the given role behind it.
func after(nth, words int, r role) (role, nuance) {
	if nth <= words {
		return keywordRole, 0
	}
	return r, 0
}

// unless is the given role if the name is the one that counts; the names before
// it are words of the grammar.
func unless(is bool, r role, m nuance) (role, nuance) {
	if is {
		return r, m
	}
	return keywordRole, 0
}

func outcomeOrEffect(effect bool) role {
	if effect {
		return effectRole
	}
	return outcomeRole
}

// token writes one token, a line at a time: not every client takes a token that
// goes over several.
func (p *painter) token(span syntax.Span, r role, m nuance) {
	if r == noRole || span.End <= p.within.Start || span.Start >= p.within.End {
		return
	}
	for start := span.Start; start < span.End; {
		end := span.End
		if i := strings.IndexAny(p.text[start:end], "\r\n"); i >= 0 {
			end = start + i
		}
		if end > start {
			p.write(start, end, r, m)
		}
		start = end + 1
	}
}

func (p *painter) write(start, end int, r role, m nuance) {
	p.advance(start)
	line, column := p.line, p.column
	p.advance(end)
	if line != p.lastLine || !p.begun {
		p.lastColumn = 0
	}
	p.data = append(p.data, uint32(line-p.lastLine), uint32(column-p.lastColumn), uint32(p.column-column), uint32(r-1), uint32(m))
	p.lastLine, p.lastColumn, p.begun = line, column, true
}

// advance counts lines and columns up to an offset.
func (p *painter) advance(to int) {
	if p.at == 0 {
		p.line = p.file.LineOf(to)
		p.at, p.column = p.file.LineStart(p.line), 0
	}
	for p.line+1 < p.file.NumLines() && p.file.LineStart(p.line+1) <= to {
		p.line++
		p.at, p.column = p.file.LineStart(p.line), 0
	}
	p.column += syntax.Columns(p.text[p.at:to], p.enc)
	p.at = to
}
