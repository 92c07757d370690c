package view

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Encoding is how the client counts columns.
func (s *Snapshot) Encoding() syntax.Encoding { return s.opts.Encoding }

// Position converts a byte offset of a file for the client.
func (s *Snapshot) Position(f *syntax.File, off int) protocol.Position {
	return wirePosition(f.Position(off, s.opts.Encoding))
}

// Range converts a span of bytes for the client.
func (s *Snapshot) Range(f *syntax.File, span syntax.Span) protocol.Range {
	start, end := f.Positions(span, s.opts.Encoding)
	return protocol.Range{Start: wirePosition(start), End: wirePosition(end)}
}

func wirePosition(p syntax.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
}

// Offset converts a position of the client. One past the end of its line is the
// end of the line, one past the end of the file is the end of the file.
func (s *Snapshot) Offset(f *syntax.File, p protocol.Position) int {
	const most = 1 << 30 // beyond any source; keeps the numbers in an int
	return f.Offset(syntax.Position{Line: int(min(p.Line, most)), Column: int(min(p.Character, most))}, s.opts.Encoding)
}

// Span converts a range of the client; one that ends before it begins is empty.
func (s *Snapshot) Span(f *syntax.File, r protocol.Range) syntax.Span {
	start := s.Offset(f, r.Start)
	return syntax.Span{Start: start, End: max(start, s.Offset(f, r.End))}
}

// Location is the place of a span in a file of a program.
func (s *Snapshot) Location(f *check.File, span syntax.Span) protocol.Location {
	return protocol.Location{URI: s.URI(f), Range: s.Range(f.Syntax, span)}
}
