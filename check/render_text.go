package check

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// TextStyle says how findings look on a terminal.
type TextStyle struct {
	Color bool
}

// The colours of a terminal.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[1;34m"
	green  = "\x1b[1;32m"
)

// WriteText writes findings for people (cli.md):
//
//	error[KORU022]: branch 'unknown' must be handled
//	  --> shop.k:7:1
//	   |
//	 7 | find(sku: "A")
//	   | ^^^^
//	  note: shop.k:4:3: declared here
//	  help: add '| unknown |> _'
func WriteText(w io.Writer, list []Diagnostic, style TextStyle) error {
	var b bytes.Buffer
	for i := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		textWriter{&b, style}.diagnostic(&list[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

type textWriter struct {
	*bytes.Buffer
	style TextStyle
}

func (w textWriter) paint(color, text string) {
	if w.style.Color {
		w.WriteString(color + text + plain)
	} else {
		w.WriteString(text)
	}
}

func (w textWriter) diagnostic(d *Diagnostic) {
	color := red
	if d.Severity == Warning {
		color = yellow
	}
	kind := d.Severity.String()
	if d.Code != "" {
		kind += "[" + d.Code + "]"
	}
	w.paint(color, kind)
	w.paint(bold, ": "+printable(d.Message))
	w.WriteByte('\n')
	w.paint(blue, "  --> ")
	w.WriteString(place(d.File, d.Span) + "\n")
	w.excerpt(d.File, d.Span, color)
	for _, n := range d.Notes {
		w.paint(blue, "  note: ")
		w.WriteString(place(n.File, n.Span) + ": " + printable(n.Message) + "\n")
	}
	for _, f := range d.Fixes {
		w.paint(green, "  help: ")
		w.WriteString(printable(f.Title) + "\n")
	}
}

// place names where a span begins, counted from 1 in bytes.
func place(f *File, span syntax.Span) string {
	p := f.Syntax.Position(span.Start, syntax.UTF8)
	return fmt.Sprintf("%s:%d:%d", printable(f.Path), p.Line+1, p.Column+1)
}

// maxExcerpt is how many columns of a source line are shown.
const maxExcerpt = 140

// excerpt shows the line that a span begins on, with carets under the span.
func (w textWriter) excerpt(f *File, span syntax.Span, color string) {
	line := f.Syntax.LineOf(span.Start)
	text := f.Syntax.Line(line)
	from := min(span.Start-f.Syntax.LineStart(line), len(text))
	to := min(max(span.End-f.Syntax.LineStart(line), from), len(text))

	before, under, after := columnsOf(text[:from], 0), "", ""
	under = columnsOf(text[from:to], width(before))
	after = columnsOf(text[to:], width(before)+width(under))
	before, under, after = window(before, under, after)

	number := strconv.Itoa(line + 1)
	gutter := strings.Repeat(" ", max(len(number), 2)+1) + "|"
	w.paint(blue, gutter)
	w.WriteByte('\n')
	w.paint(blue, strings.Repeat(" ", max(2-len(number), 0))+number+" |")
	if shown := strings.TrimRight(before+under+after, " "); shown != "" {
		w.WriteString(" " + shown)
	}
	w.WriteByte('\n')
	w.paint(blue, gutter)
	w.WriteString(" " + strings.Repeat(" ", width(before)))
	w.paint(color, strings.Repeat("^", max(width(under), 1)))
	w.WriteByte('\n')
}

// window cuts a line that is too long for a terminal around what matters in it.
func window(before, under, after string) (string, string, string) {
	if width(before)+width(under)+width(after) <= maxExcerpt {
		return before, under, after
	}
	const lead = 40
	if w := width(before); w > lead {
		before = "…" + dropColumns(before, w-lead)
	}
	if width(under) > maxExcerpt-lead {
		return before, takeColumns(under, maxExcerpt-lead), ""
	}
	room := maxExcerpt - width(before) - width(under)
	if width(after) > room {
		after = takeColumns(after, room-1) + "…"
	}
	return before, under, after
}

func takeColumns(s string, n int) string {
	for i, r := range s {
		if n -= runeWidth(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

func dropColumns(s string, n int) string {
	for i, r := range s {
		if n <= 0 {
			return s[i:]
		}
		n -= runeWidth(r)
	}
	return ""
}

// columnsOf returns text the way a terminal can show it in columns: tabs become
// blanks up to the next multiple of four, what would move the cursor or hide
// text becomes visible. The text begins at the given column.
func columnsOf(text string, column int) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		s := visibleRune(r)
		if r == '\t' {
			s = "    "[column%4:]
		}
		b.WriteString(s)
		column += width(s)
	}
	return b.String()
}

// printable returns a message or a path with nothing in it that a terminal
// would obey. Both quote text that anybody may have written.
func printable(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteString(visibleRune(r))
	}
	return b.String()
}

func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

func visibleRune(r rune) string {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return " "
	case r < ' ' || r == 0x7f:
		return "^" + string(r^0x40)
	case r == utf8.RuneError, r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
		return fmt.Sprintf("<U+%04X>", r)
	}
	return string(r)
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth returns how many columns of a terminal a rune takes.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0xfe00 && r <= 0xfe0f:
		return 0
	}
	for _, wide := range wideRunes {
		if r < wide[0] {
			return 1
		}
		if r <= wide[1] {
			return 2
		}
	}
	return 1
}

// wideRunes are the blocks that East Asian Width calls wide or full width, and
// the pictographs that terminals show two columns wide.
var wideRunes = [...][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23f3}, {0x25fd, 0x25fe},
	{0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1},
	{0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce}, {0x26d4, 0x26d4},
	{0x26ea, 0x26ea}, {0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd},
	{0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e},
	{0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797}, {0x27b0, 0x27b0}, {0x27bf, 0x27bf},
	{0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x2e80, 0x303e}, {0x3041, 0x33ff},
	{0x3400, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff},
	{0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265},
	{0x1f300, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
	{0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
	{0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a},
	{0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
	{0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb},
	{0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}
