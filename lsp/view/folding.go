package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

// FoldingRanges returns what can be folded away: runs of imports, runs of
// comments, annotations that stand over a declaration, blocks and bodies, a
// declaration down to its name, a flow down to its first line, an arm with the
// arms under it.
func FoldingRanges(_ context.Context, s *Snapshot, d *Document) ([]protocol.FoldingRange, error) {
	f := &folder{s: s, file: d.Syntax, seen: map[[2]int]bool{}}
	f.imports()
	f.comments()
	for it := range d.Syntax.Items() {
		f.item(it)
	}
	return f.out, nil
}

type folder struct {
	s    *Snapshot
	file *syntax.File
	out  []protocol.FoldingRange
	seen map[[2]int]bool
}

// fold adds a range of lines; the first stays visible.
func (f *folder) fold(span syntax.Span, kind protocol.FoldingRangeKind) {
	start, end := f.file.LineOf(span.Start), f.file.LineOf(max(span.Start, span.End))
	if key := [2]int{start, end}; end > start && !f.seen[key] {
		f.seen[key] = true
		r := protocol.FoldingRange{StartLine: uint32(start), EndLine: uint32(end), Kind: kind}
		if !f.s.opts.Client.LineFolding {
			from := f.s.Position(f.file, f.file.LineStart(start)+len(f.file.Line(start))).Character
			to := f.s.Position(f.file, span.End).Character
			r.StartCharacter, r.EndCharacter = &from, &to
		}
		f.out = append(f.out, r)
	}
}

// braces folds what stands between brackets: the line of the closing one stays.
func (f *folder) braces(n syntax.Node) {
	span := n.Span()
	if f.s.opts.Client.LineFolding && span.Len() > 0 {
		line := f.file.LineOf(span.End - 1)
		if line > f.file.LineOf(span.Start) {
			span.End = f.file.LineStart(line) - 1
		}
	} else if span.Len() > 0 {
		span.End--
	}
	f.fold(span, "")
}

func (f *folder) imports() {
	run := syntax.Span{Start: -1}
	for it := range f.file.Items() {
		switch {
		case it.Kind() == syntax.ImportItem && run.Start < 0:
			run = solid(it)
		case it.Kind() == syntax.ImportItem:
			run.End = solid(it).End
		case run.Start >= 0:
			f.fold(run, protocol.FoldingRangeKindImports)
			run.Start = -1
		}
	}
	if run.Start >= 0 {
		f.fold(run, protocol.FoldingRangeKindImports)
	}
}

// comments folds comments on lines of their own that follow each other.
func (f *folder) comments() {
	run := syntax.Span{Start: -1}
	last := -2
	flush := func() {
		if run.Start >= 0 {
			f.fold(run, protocol.FoldingRangeKindComment)
		}
		run.Start = -1
	}
	for it := range f.file.Items() {
		for t := range tokensOf(it) {
			if t.Kind() != syntax.Comment {
				continue
			}
			span := t.Span()
			line := f.file.LineOf(span.Start)
			if blank(f.file.Text()[f.file.LineStart(line):span.Start]) {
				if line != last+1 {
					flush()
				}
				if run.Start < 0 {
					run.Start = span.Start
				}
				run.End, last = span.End, line
			}
		}
	}
	flush()
}

func blank(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' && s[i] != '\t' {
			return false
		}
	}
	return true
}

// tokensOf returns an iterator over all tokens of an item, those in front of its
// first word included.
func tokensOf(item syntax.Node) func(yield func(syntax.Token) bool) {
	return func(yield func(syntax.Token) bool) {
		first := item.FirstToken()
		for t := first; t.IsValid(); t = t.Prev() {
			first = t
		}
		for t := first; t.IsValid(); t = t.Next() {
			if !yield(t) {
				return
			}
		}
	}
}

// item folds what is inside of an item, and then the item itself, unless that is
// one block with a line for its closing bracket.
func (f *folder) item(n syntax.Node) {
	f.inside(n)
	switch n.Kind() {
	case syntax.TorItem, syntax.ImplItem, syntax.FlowItem, syntax.Definition, syntax.WireItem:
		span := solid(n)
		for list := range n.AnnotationList() {
			f.fold(list.Span(), "")
			span.Start = nextLine(f.file, list.Span().End, span.End)
		}
		start, end := f.file.LineOf(span.Start), f.file.LineOf(span.End)
		if !f.seen[[2]int{start, end}] && !f.seen[[2]int{start, end - 1}] {
			f.fold(span, "")
		}
	}
}

// nextLine returns the start of what follows an offset, past blanks and line ends.
func nextLine(file *syntax.File, off, end int) int {
	for off < end && (file.Text()[off] == ' ' || file.Text()[off] == '\n' || file.Text()[off] == '\r') {
		off++
	}
	return off
}

func (f *folder) inside(n syntax.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.Arm, syntax.ArmDecl, syntax.WireArm:
			f.fold(c.Span(), "")
		case syntax.Shape, syntax.Args, syntax.RecordExpr, syntax.ListExpr, syntax.Destructure,
			syntax.Block, syntax.GrantBlock, syntax.ConstBlock, syntax.ColumnBlock, syntax.AssignBlock, syntax.TemplateBlock, syntax.TestBlock:
			f.braces(c)
		}
		f.inside(c)
	}
}
