package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Migrate respells programs of May 2026 as far as that is mechanical
// (language.md 0.2): it applies, over and over, the fixes of the faults that the
// old spelling is today, and no others. What they do not mend is in
// [Mending.Left], and what nobody but a reader can tell in [Mending.Doubts];
// nothing is guessed. Nothing is written.
func (c *Checker) Migrate(entries []string, may func(path string) bool) (*Mending, error) {
	m, err := c.mend(entries, nil, may, func(d *Diagnostic, f *Fix) bool {
		switch d.Code {
		case "PARSE003", // event, quoted imports, []const u8, a lone outcome
			"PARSE005", // turn(br: br)
			"KORU010",  // a step under its |>, an arm without a body
			"KORU025",  // | each i |>
			"KORU033",  // *File[open!]
			"KORU034",  // snake names of verbs and outcomes
			"KORU035",  // std.io:print.ln
			"KORU102",  // => v x, where v was the lone outcome
			"KORU103",  // |> done v
			"KORU110":  // proc name { }
			return f.Safe || f.respells
		case "KORU021": // | v x |> under a verb that now delivers its value bare
			return f.respells
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	s := survey{respelt: map[string]string{}, bare: map[string][]string{}}
	for i := range m.Fixed {
		s.note(&m.Fixed[i])
	}
	for _, p := range m.programs {
		for _, mod := range p.own() {
			s.module(mod)
		}
	}
	m.Doubts = SortDiagnostics(s.found)
	return m, nil
}

// survey looks through migrated programs for text that a migration leaves alone
// and that may hold the old spelling: source for a session in strings and
// blocks, and the bodies of verbs whose lone outcome is gone.
type survey struct {
	respelt map[string]string   // names that were respelt, by how they were written
	bare    map[string][]string // words of lone outcomes, by the verb that had one
	found   []Diagnostic
}

// note remembers what a fix has changed.
func (s *survey) note(d *Diagnostic) {
	old := d.File.Syntax.Text()[d.Span.Start:d.Span.End]
	switch {
	case d.Code == "KORU034":
		s.respelt[old] = dashed(old)
	case d.Code == "PARSE003" && d.Fixes[0].respells:
		for it := range d.File.Syntax.Items() {
			if it.Kind() != syntax.TorItem || !it.Span().Contains(d.Span.Start) {
				continue
			}
			name := dashed(syntax.TorView{Node: it}.Name().Text())
			for a := range (syntax.TorView{Node: it}).Arms() {
				s.bare[name] = append(s.bare[name], a.Name().Text())
			}
		}
	}
}

func (s *survey) module(m *Module) {
	for _, f := range m.Files {
		for it := range f.Syntax.Items() {
			switch it.Kind() {
			case syntax.FlowItem, syntax.ImplItem:
				s.texts(f, it)
			case syntax.ProcItem:
				s.body(f, syntax.ProcView{Node: it})
			}
		}
	}
}

// texts looks at the strings and blocks of a body for names that were respelt.
func (s *survey) texts(f *File, item syntax.Node) {
	for tok := range item.AllTokens() {
		switch tok.Kind() {
		case syntax.String, syntax.Quote, syntax.Text:
		default:
			continue
		}
		start := tok.Span().Start
		words(tok.Text(), func(word string) {
			right := s.respelt[word]
			if right == "" {
				return
			}
			at := start + offsetOf(tok.Text(), word)
			s.doubt(f, "KORU034", syntax.Span{Start: at, End: at + len(word)},
				fmt.Sprintf("this text says '%s', and what was called that is '%s' now: if it is source for a session, respell it", word, right))
		})
	}
}

// offsetOf returns where a text has a word that is no part of another one.
func offsetOf(text, word string) int {
	for from := 0; ; {
		i := from + strings.Index(text[from:], word)
		end := i + len(word)
		if (i == 0 || !isFlagByte(text[i-1])) && (end == len(text) || !isFlagByte(text[end])) {
			return i
		}
		from = i + 1
	}
}

// body looks whether a body still answers under a word that is gone.
func (s *survey) body(f *File, v syntax.ProcView) {
	for _, word := range s.bare[v.Name().Text()] {
		old := strings.ReplaceAll(word, "-", "_")
		if body := v.Body().Text(); slices.Contains(slices.Collect(kebabWords(body)), old) || strings.Contains(body, "."+old) {
			s.doubt(f, "PARSE003", v.Name().Span(),
				fmt.Sprintf("this body still speaks of '%s', and '%s' delivers its value bare now: return the value itself", old, v.Name().Text()))
		}
	}
}

func (s *survey) doubt(f *File, code string, span syntax.Span, message string) {
	s.found = append(s.found, Diagnostic{Code: code, Severity: Warning, File: f, Span: span, Message: message})
}
