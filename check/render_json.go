package check

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/koru-go/koru/syntax"
)

// WriteJSON writes findings as JSON, one object a line, in the form that cli.md
// promises to scripts.
func WriteJSON(w io.Writer, list []Diagnostic) error {
	var b []byte
	for i := range list {
		b = list[i].AppendJSON(b)
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}

// AppendJSON appends the finding as a JSON object.
func (d *Diagnostic) AppendJSON(b []byte) []byte {
	b = append(b, `{"file":`...)
	b = appendQuoted(b, d.File.Path)
	b = append(b, `,"code":`...)
	b = appendQuoted(b, d.Code)
	b = append(b, `,"severity":"`...)
	b = append(b, d.Severity.String()...)
	b = append(b, `","range":`...)
	b = appendRange(b, d.File, d.Span)
	b = append(b, `,"message":`...)
	b = appendQuoted(b, d.Message)
	b = append(b, `,"notes":[`...)
	for i, n := range d.Notes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"range":`...)
		b = appendRange(b, n.File, n.Span)
		b = append(b, `,"message":`...)
		b = appendQuoted(b, n.Message)
		b = d.appendFile(b, n.File)
		b = append(b, '}')
	}
	b = append(b, `],"fixes":[`...)
	for i := range d.Fixes {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.appendFix(b, &d.Fixes[i])
	}
	b = append(b, ']')
	if d.Sub != "" {
		b = append(b, `,"sub":`...)
		b = appendQuoted(b, d.Sub)
	}
	return append(b, '}')
}

func (d *Diagnostic) appendFix(b []byte, f *Fix) []byte {
	b = append(b, `{"title":`...)
	b = appendQuoted(b, f.Title)
	b = append(b, `,"edits":[`...)
	for i, e := range f.Edits {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"range":`...)
		b = appendRange(b, e.File, e.Span)
		b = append(b, `,"text":`...)
		b = appendQuoted(b, e.Text)
		b = d.appendFile(b, e.File)
		b = append(b, '}')
	}
	b = append(b, `],"safe":`...)
	b = strconv.AppendBool(b, f.Safe)
	return append(b, '}')
}

// appendFile names the file of a note or an edit that stands in another one
// than the finding.
func (d *Diagnostic) appendFile(b []byte, f *File) []byte {
	if f == d.File {
		return b
	}
	b = append(b, `,"file":`...)
	return appendQuoted(b, f.Path)
}

func appendRange(b []byte, f *File, span syntax.Span) []byte {
	b = append(b, `{"start":`...)
	b = appendPlace(b, f, span.Start)
	b = append(b, `,"end":`...)
	b = appendPlace(b, f, span.End)
	return append(b, '}')
}

// appendPlace writes a place: lines and columns from 1, columns in bytes.
func appendPlace(b []byte, f *File, off int) []byte {
	p := f.Syntax.Position(off, syntax.UTF8)
	return fmt.Appendf(b, `{"line":%d,"column":%d,"offset":%d}`, p.Line+1, p.Column+1, off)
}

// appendQuoted writes a JSON string that escapes nothing it need not.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
		} else if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			if c >= utf8.RuneSelf {
				b = append(b, "\uFFFD"...)
			} else {
				b = fmt.Appendf(b, `\u%04x`, c)
			}
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
