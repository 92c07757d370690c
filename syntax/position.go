package syntax

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Encoding is a way to count columns.
type Encoding uint8

// The column encodings that editors and people use.
const (
	UTF8  Encoding = iota // bytes
	UTF16                 // UTF-16 code units, the default of the language server protocol
	UTF32                 // code points
)

// Position is a place in a file: a line and a column, both counted from 0. What
// a column counts is up to the [Encoding] it was made with.
type Position struct{ Line, Column int }

// lineIndex holds the offsets at which lines start: computed on first use, or
// carried over from the file that was edited.
type lineIndex struct {
	starts atomic.Pointer[[]int32]
}

// lineStarts returns the offset of the first byte of every line. A line ends at
// LF, CRLF or a lone CR.
func (f *File) lineStarts() []int32 {
	if starts := f.lines.starts.Load(); starts != nil {
		return *starts
	}
	starts := make([]int32, 1, strings.Count(f.text, "\n")+2)
	for i := 1; i <= len(f.text); i++ {
		if startsLine(f.text, i) {
			starts = append(starts, int32(i))
		}
	}
	f.lines.starts.Store(&starts)
	return starts
}

// startsLine reports whether a line end stands right before offset i, which is
// not 0.
func startsLine(text string, i int) bool {
	switch text[i-1] {
	case '\n':
		return true
	case '\r':
		return i == len(text) || text[i] != '\n'
	}
	return false
}

// edited makes the index of the text that an edit of f has led to, if f has one.
// Whether a line starts somewhere depends on the bytes before and behind, so
// what lies apart from the edit is kept or moved.
func (x *lineIndex) edited(f *File, e Edit, text string) {
	known := f.lines.starts.Load()
	if known == nil {
		return
	}
	old, grown := *known, len(text)-len(f.text)
	before, _ := slices.BinarySearch(old, int32(max(e.Start, 1)))
	behind, _ := slices.BinarySearch(old, int32(e.End+1))
	starts := make([]int32, 0, len(old)-behind+before+strings.Count(e.Text, "\n")+2)
	starts = append(starts, old[:before]...)
	for i := max(e.Start, 1); i <= e.Start+len(e.Text); i++ {
		if startsLine(text, i) {
			starts = append(starts, int32(i))
		}
	}
	for _, s := range old[behind:] {
		starts = append(starts, s+int32(grown))
	}
	x.starts.Store(&starts)
}

// NumLines returns the number of lines; text after the last line end is one,
// even if it is empty.
func (f *File) NumLines() int { return len(f.lineStarts()) }

// LineStart returns the offset of the first byte of a line counted from 0. A
// line past the end starts at the end of the file.
func (f *File) LineStart(line int) int {
	starts := f.lineStarts()
	if line < 0 {
		return 0
	}
	if line >= len(starts) {
		return len(f.text)
	}
	return int(starts[line])
}

// Line returns the text of a line counted from 0, without its line end.
func (f *File) Line(line int) string {
	start := f.LineStart(line)
	return strings.TrimRight(f.text[start:max(start, f.LineStart(line+1))], "\r\n")
}

// LineOf returns the line, counted from 0, that offset off stands on.
func (f *File) LineOf(off int) int {
	starts := f.lineStarts()
	lo, hi := 0, len(starts)
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if int(starts[mid]) <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Position converts a byte offset. An offset outside the file is clamped to it.
func (f *File) Position(off int, enc Encoding) Position {
	off = min(max(off, 0), len(f.text))
	line := f.LineOf(off)
	return Position{line, Columns(f.text[f.LineStart(line):off], enc)}
}

// Positions converts both ends of a span. Most spans lie in one line, which is
// then looked up once.
func (f *File) Positions(span Span, enc Encoding) (start, end Position) {
	start = f.Position(span.Start, enc)
	if span.Start < 0 || span.End < span.Start || span.End > len(f.text) || f.LineStart(start.Line+1) <= span.End && start.Line+1 < f.NumLines() {
		return start, f.Position(span.End, enc)
	}
	return start, Position{start.Line, Columns(f.text[f.LineStart(start.Line):span.End], enc)}
}

// Offset converts a position to a byte offset. A column past the end of its
// line is the end of the line, a line past the end of the file its end; a column
// inside a code point is the start of that code point.
func (f *File) Offset(pos Position, enc Encoding) int {
	if pos.Line < 0 {
		return 0
	}
	start := f.LineStart(pos.Line)
	return start + byteColumn(f.Line(pos.Line), pos.Column, enc)
}

// Columns counts the columns of a piece of a line.
func Columns(s string, enc Encoding) int {
	if enc == UTF8 {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n++
		if enc == UTF16 && r > 0xFFFF {
			n++
		}
	}
	return n
}

func byteColumn(s string, column int, enc Encoding) int {
	if column <= 0 {
		return 0
	}
	if enc == UTF8 {
		column = min(column, len(s))
		for column > 0 && column < len(s) && !utf8.RuneStart(s[column]) {
			column--
		}
		return column
	}
	n := 0
	for i, r := range s {
		width := 1
		if enc == UTF16 && r > 0xFFFF {
			width = 2
		}
		if n+width > column {
			return i
		}
		n += width
	}
	return len(s)
}
