package format

import (
	"errors"
	"sync"

	"github.com/koru-go/koru/syntax"
)

// Width is the column that a line does not pass if it can be helped.
const Width = 100

// step is how many columns a nested line is moved to the right.
const step = 4

// Options say what to format and how. The zero value formats a source file.
type Options struct {
	// World keeps the arms of a declaration on the line of its tor, as the
	// definitions in a world have them (R50).
	World bool
	// Only restricts the work to the items that touch the span; nil means all of
	// them. A construct is formatted whole or not at all: half of one would read
	// differently.
	Only *syntax.Span
}

// ErrChanged means that the text that was about to leave the package does not
// read as the text it came from.
var ErrChanged = errors.New("the formatted text would not mean the same; this is a fault of the formatter, please report it")

// ErrFaults means that a text holds syntax faults and was left as it is (R61).
var ErrFaults = errors.New("the text has syntax faults")

// Source formats the text of a file for the command line: one that has syntax
// faults is left wholly alone. Nothing but the result stays in memory.
func Source(name, text string, o Options) (string, error) {
	p := printers.Get().(*printer)
	defer printers.Put(p)
	f := p.parse.Parse(name, syntax.KindOf(name), text)
	for n := range f.Items() {
		if n.Faulty() {
			return text, ErrFaults
		}
	}
	formatted, _, err := p.format(f, o, false)
	return formatted, err
}

// Format returns the canonical text of a file. Items that hold a syntax fault
// are left byte for byte, and the ones around them are formatted.
func Format(f *syntax.File, o Options) (string, error) {
	p := printers.Get().(*printer)
	defer printers.Put(p)
	text, _, err := p.format(f, o, false)
	return text, err
}

// Edits returns the edits that turn the text of f into its canonical form, in
// order. No edit spans a token that stays, so that a cursor and marks in an
// editor keep their places.
func Edits(f *syntax.File, o Options) ([]syntax.Edit, error) {
	p := printers.Get().(*printer)
	defer printers.Put(p)
	_, edits, err := p.format(f, o, true)
	return edits, err
}

// format returns the canonical text and the edits that make it, if they are
// wanted.
func (p *printer) format(f *syntax.File, o Options, wanted bool) (string, []syntax.Edit, error) {
	if f.Kind == syntax.Reply {
		return f.Text(), nil, nil // a model's words are a record: they stay as they were said
	}
	p.file(f, o)
	if string(p.out) == f.Text() {
		return f.Text(), nil, nil
	}
	text := string(p.out)
	edits, ok := p.verify(f, text, wanted)
	if !ok {
		return f.Text(), nil, ErrChanged
	}
	return text, edits, nil
}

var printers = sync.Pool{New: func() any { return &printer{memory: new(memory)} }}
