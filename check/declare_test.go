package check_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// A doc block gives the tor its text, and `- doc(field)` each field its own.
func TestDocumentation(t *testing.T) {
	p := check.Source("main.k", `[
- pure
- doc
Book a flight.
  It may fail.

A second paragraph.
- doc(cabin)
The class.
- doc(flights)
Which flights.
// a remark for people
]
pub tor book {
    cabin: "basic_economy" | "economy",
    flights: []{ flight_number: string, date: ?string },
    note: ?string = null,
}
| ok { user_id: string, payment_methods: []{ id: string<payment>, source: string } }
| failed string

[
prose alone is a remark
]
tor other {}
`, options(""))
	book := p.Entry.Tor("book")
	if want := "Book a flight.\nIt may fail.\n\nA second paragraph."; book.Doc != want {
		t.Errorf("doc is %q", book.Doc)
	}
	got := map[string]string{}
	for _, f := range book.Fields {
		got[f.Name] = f.Doc
	}
	if diff := cmp.Diff(map[string]string{"cabin": "The class.", "flights": "Which flights.", "note": ""}, got); diff != "" {
		t.Error(diff)
	}
	if doc := p.Entry.Tor("other").Doc; doc != "" {
		t.Errorf("prose without a doc bullet became %q", doc)
	}
	if !book.Has("pure") || !book.Has("doc") {
		t.Error("the annotations are gone")
	}
}

// Types are read from their marks inwards (language.md 5, R4).
func TestTypes(t *testing.T) {
	p := check.Source("main.k", `
import std/string

tor t {
    a: ?string, b: []string, c: ?[]i64, d: []?bool, e: *Dir<open>, f: ?*const Dir,
    g: "a" | "b", h: []{ x: u8, y: ?f32 }, i: char[32], j: *std/string:String<instance>,
    k: Expression, l: Source, m: std.mem.Allocator, n: []string<payment>, o: *const Invocation,
    p: string<!held|old>, q: T<M'_>,
}
`, options(""))
	var got []string
	for _, f := range p.Entry.Tor("t").Fields {
		got = append(got, f.Name+" "+spell(f.Type))
	}
	want := []string{
		"a ?text", "b list(text)", "c ?list(int64)", "d list(?bool)", "e *host Dir<main:open>", "f ?*host Dir",
		`g choice[a b]`, "h list({x:uint8 y:?float32})", "i text32", "j *host String<std.string:instance>",
		"k expression", "l source", "m injected", "n list(text<main:payment>)", "o *injected",
		"p text<!main:held|main:old>", "q host T<var M>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// spell renders a resolved type.
func spell(t *check.Type) string {
	s := ""
	if t.Optional {
		s += "?"
	}
	if t.Pointer {
		s += "*"
	}
	switch t.Kind {
	case check.TextType:
		s += "text"
		if t.Bits > 0 {
			s += strconv.Itoa(t.Bits)
		}
	case check.BoolType:
		s += "bool"
	case check.IntType:
		if !t.Signed {
			s += "u"
		}
		s += "int" + strconv.Itoa(t.Bits)
	case check.FloatType:
		s += "float" + strconv.Itoa(t.Bits)
	case check.ListType:
		s += "list(" + spell(t.Elem) + ")"
	case check.RecordType:
		s += "{"
		for i, f := range t.Fields {
			if i > 0 {
				s += " "
			}
			s += f.Name + ":" + spell(f.Type)
		}
		s += "}"
	case check.ChoiceType:
		s += "choice["
		for i, c := range t.Choices {
			if i > 0 {
				s += " "
			}
			s += c
		}
		s += "]"
	case check.HostType:
		s += "host " + t.Name
	case check.ExprType:
		s += "expression"
	case check.SourceType:
		s += "source"
	case check.InjectedType:
		s += "injected"
	default:
		s += "unknown"
	}
	if p := t.Phantom; p != nil {
		s += "<"
		if p.Var != "" {
			s += "var " + p.Var
		}
		for i, m := range p.Members {
			if i > 0 {
				s += "|"
			}
			if m.Consume {
				s += "!"
			}
			s += state(m)
			if m.Mint {
				s += "!"
			}
		}
		s += ">"
	}
	return s
}
