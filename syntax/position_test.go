package syntax

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
)

// A column counts bytes, UTF-16 units or code points; a line ends at LF, CRLF
// or a lone CR.
func TestPositions(t *testing.T) {
	text := "a😀é\r\nb\rc\u0301d\n"
	f := Parse("a.k", Pure, text)
	for _, tt := range []struct {
		off                int
		utf8, utf16, utf32 Position
	}{
		{0, Position{0, 0}, Position{0, 0}, Position{0, 0}},
		{1, Position{0, 1}, Position{0, 1}, Position{0, 1}},
		{5, Position{0, 5}, Position{0, 3}, Position{0, 2}},
		{7, Position{0, 7}, Position{0, 4}, Position{0, 3}},
		{9, Position{1, 0}, Position{1, 0}, Position{1, 0}},
		{11, Position{2, 0}, Position{2, 0}, Position{2, 0}},
		{14, Position{2, 3}, Position{2, 2}, Position{2, 2}},
		{16, Position{3, 0}, Position{3, 0}, Position{3, 0}},
	} {
		for enc, want := range []Position{tt.utf8, tt.utf16, tt.utf32} {
			if got := f.Position(tt.off, Encoding(enc)); got != want {
				t.Errorf("Position(%d, %d) = %v, want %v", tt.off, enc, got, want)
			}
			if got := f.Offset(want, Encoding(enc)); got != tt.off {
				t.Errorf("Offset(%v, %d) = %d, want %d", want, enc, got, tt.off)
			}
		}
	}
}

// Places outside the text are clamped to it.
func TestPositionsOutside(t *testing.T) {
	f := Parse("a.k", Pure, "ab\n😀\n")
	for _, tt := range []struct {
		pos  Position
		enc  Encoding
		want int
	}{
		{Position{0, 99}, UTF16, 2},
		{Position{99, 0}, UTF16, 8},
		{Position{-1, 5}, UTF16, 0},
		{Position{0, -5}, UTF8, 0},
		{Position{1, 1}, UTF16, 3}, // inside a surrogate pair
		{Position{1, 2}, UTF8, 3},  // inside a code point
	} {
		if got := f.Offset(tt.pos, tt.enc); got != tt.want {
			t.Errorf("Offset(%v, %d) = %d, want %d", tt.pos, tt.enc, got, tt.want)
		}
	}
	if got := f.Position(-3, UTF8); got != (Position{}) {
		t.Errorf("Position(-3) = %v", got)
	}
	if got := f.Position(99, UTF8); got != (Position{2, 0}) {
		t.Errorf("Position(99) = %v", got)
	}
}

func FuzzPosition(f *testing.F) {
	f.Add("a😀\r\nb", 3)
	f.Add("\r\r\n\n\u2028x", 2)
	f.Fuzz(func(t *testing.T, text string, off int) {
		if !utf8.ValidString(text) {
			return
		}
		file := Parse("a.k", Pure, text)
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			pos := file.Position(off, enc)
			back := file.Offset(pos, enc)
			if back < 0 || back > len(text) {
				t.Fatalf("%q: %v is offset %d, outside the text", text, pos, back)
			}
			line := file.LineOf(off)
			inLine := off >= file.LineStart(line) && off <= file.LineStart(line)+len(file.Line(line))
			if inLine && (off == len(text) || utf8.RuneStart(text[off])) && back != off {
				t.Errorf("%q: offset %d is %v is %d (encoding %d)", text, off, pos, back, enc)
			}
		}
	})
}

// The lines of a file that was edited are those of its text, also where an edit
// puts together or takes apart what ends a line.
func TestLinesAfterEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "a", "\r", "\n", "\r\n", "\n\r", "ab\ncd", "\r\r\n"}
	f := Parse("a.k", Pure, "f()\r\ng()\rh()\n")
	for range 5000 {
		at := rng.IntN(f.Len() + 1)
		f.NumLines() // an index that is there is carried over
		f = f.Edit(Edit{at, min(at+rng.IntN(4), f.Len()), pieces[rng.IntN(len(pieces))]})
		if want := Parse("a.k", Pure, f.Text()).lineStarts(); !slices.Equal(f.lineStarts(), want) {
			t.Fatalf("lines of %q start at %v, want %v", f.Text(), f.lineStarts(), want)
		}
		if f.Len() > 60 {
			f = f.Edit(Edit{Start: 20, End: f.Len()})
		}
	}
}

// Both ends of a span are where they are found one by one.
func TestSpanPositions(t *testing.T) {
	f := Parse("a.k", Pure, "a 🦊\r\né\n\n// end e\u0301")
	for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
		for start := -1; start <= f.Len()+1; start++ {
			for end := -1; end <= f.Len()+1; end++ {
				a, b := f.Positions(Span{Start: start, End: end}, enc)
				if a != f.Position(start, enc) || b != f.Position(end, enc) {
					t.Errorf("%d-%d: %v-%v, want %v-%v", start, end, a, b, f.Position(start, enc), f.Position(end, enc))
				}
			}
		}
	}
}
