package check

import "github.com/koru-go/koru/syntax"

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
}

// TextEdit replaces a range of a file.
type TextEdit struct {
	File *File
	Span syntax.Span
	Text string
}
