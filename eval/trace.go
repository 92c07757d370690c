package eval

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Trace is one event of a traced run: a call that begins or one that has ended.
type Trace struct {
	// Verb is the path of the verb.
	Verb string
	// File and Span are the place of the call; File is nil where the host calls.
	File *check.File
	Span syntax.Span
	// Depth is the number of flows around the call.
	Depth int
	// Text is the call with its arguments or, if Ended is set, what it ended in.
	Text  string
	Ended bool
}

func (m *machine) traceCall(s *site, args []Value) {
	t := Trace{Verb: s.verb.path, Depth: m.flowDepth()}
	if f := &m.frames[len(m.frames)-1]; f.code != nil {
		t.File, t.Span = f.code.file(), s.node.Span()
	}
	var b strings.Builder
	b.WriteString(s.verb.path + "(")
	for i, f := range s.verb.tor.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name + ": " + brief(args[i]))
	}
	b.WriteString(")")
	t.Text = b.String()
	m.process.trace(t)
}

func (m *machine) traceEnd(v *verb) {
	t := Trace{Verb: v.path, Depth: m.flowDepth(), Ended: true}
	if m.out.outcome >= 0 {
		t.Text = v.tor.Outcomes[m.out.outcome].Name
	}
	if m.out.has {
		if t.Text != "" {
			t.Text += " "
		}
		t.Text += brief(m.out.payload)
	}
	if t.Text == "" {
		t.Text = "nothing"
	}
	m.process.trace(t)
}

// briefMax is the greatest number of bytes that brief writes.
const briefMax = 200

// brief shows a value as JSON, or says what it is where that would be long.
func brief(v Value) string {
	if v.kind == List || v.kind == Record {
		if Weight(v, 24*briefMax) <= 24*briefMax {
			if text := AppendJSON(nil, v); len(text) <= briefMax {
				return string(text)
			}
		}
	}
	return Describe(v)
}

// flowDepth counts the flows that are under way.
func (m *machine) flowDepth() int {
	n := 0
	for i := range m.frames {
		if m.frames[i].kind == flowFrame {
			n++
		}
	}
	return max(n-1, 0)
}

// String returns the event as one line, indented by its depth:
//
//	shop.k:31:1: verdict(sku: "pen")
//	  -> cheap 3
func (t Trace) String() string {
	indent := strings.Repeat("  ", min(t.Depth, maxIndent))
	if t.Ended {
		return indent + "  -> " + t.Text
	}
	f := Fault{Message: t.Text, File: t.File, Span: t.Span}
	return indent + f.Error()
}

const maxIndent = 40
