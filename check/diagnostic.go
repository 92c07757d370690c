package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Severity ranks a diagnostic.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one finding, as data: rendering it for a terminal, JSON, SARIF
// or an editor is the business of small functions over it (design.md 3.4).
type Diagnostic struct {
	Code     string
	Severity Severity
	File     *File
	Span     syntax.Span
	Message  string
	Notes    []Note
	Fixes    []Fix
	// Sub tells findings apart that share a code (language.md 16.9), for
	// machine output; usually "".
	Sub string

	doubt *doubt // what else would explain the finding
}

// Note points at another place that explains the finding.
type Note struct {
	File    *File
	Span    syntax.Span
	Message string
}

// Fix is a set of edits that mends the finding.
type Fix struct {
	Title string
	// Safe reports whether `koru check --fix` may apply it unasked: it keeps or
	// restores the meaning and needs no choice.
	Safe  bool
	Edits []TextEdit

	// respells marks a fix that writes in today's words what a program of May 2026
	// meant, and that is no fix to apply unasked in a program of today.
	respells bool
}

// TextEdit replaces a range of a file.
type TextEdit struct {
	File *File
	Span syntax.Span
	Text string
}

// replace offers to put text in place of the range of the finding.
func (d *Diagnostic) replace(title string, safe bool, span syntax.Span, text string) {
	d.Fixes = append(d.Fixes, Fix{Title: title, Safe: safe, Edits: []TextEdit{{d.File, span, text}}})
}

// suggest ends the message in the name that was probably meant, and offers it
// as a fix (R8).
func (d *Diagnostic) suggest(near string) {
	d.Message += didYouMean(near)
	d.replace("change to '"+near+"'", false, d.Span, near)
}

// note points at another place.
func (d *Diagnostic) note(f *File, span syntax.Span, message string) {
	d.Notes = append(d.Notes, Note{f, span, message})
}

// declared points at the declaration of a verb of the program's own.
func (d *Diagnostic) declared(t *Tor) {
	if t != nil && t.File != nil && t.Node.IsValid() && !t.Module.Std {
		d.note(t.File, t.nameSpan(), "'"+t.Name+"' is declared here")
	}
}

// declaredIn points at what a verb of the program's own declares: a field or an
// outcome, by its node.
func (d *Diagnostic) declaredIn(t *Tor, n syntax.Node, name string) {
	if t != nil && t.File != nil && n.IsValid() && !t.Module.Std {
		d.note(t.File, n.Span(), "'"+name+"' is declared here")
	}
}

func didYouMean(near string) string { return fmt.Sprintf(" — did you mean '%s'?", near) }

// SortDiagnostics puts findings in the order in which they are shown: by file,
// then position. Equal findings at one place become one.
func SortDiagnostics(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.File.Path, b.File.Path),
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Span.End, b.Span.End),
			cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.Code, b.Code),
		)
	})
	return slices.CompactFunc(list, func(a, b Diagnostic) bool {
		return a.File.Path == b.File.Path && a.Span == b.Span && a.Code == b.Code && a.Message == b.Message
	})
}
