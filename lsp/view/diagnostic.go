package view

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
)

// Diagnostics returns what is wrong with a document: what `koru check` says about
// it when it judges the program that the document belongs to.
func Diagnostics(_ context.Context, s *Snapshot, d *Document) ([]protocol.Diagnostic, error) {
	if s.speaksWire(d) {
		return s.wireDiagnostics(d)
	}
	return s.programDiagnostics(d)
}

func (s *Snapshot) programDiagnostics(d *Document) ([]protocol.Diagnostic, error) {
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	list := []protocol.Diagnostic{}
	for i := range prog.Diagnostics {
		if f := &prog.Diagnostics[i]; f.File == file {
			list = append(list, s.diagnostic(f))
		}
	}
	return list, nil
}

// ProjectDiagnostics returns what is wrong with the koru.json of the program
// that a document belongs to, and where that file is; "" if there is none.
func ProjectDiagnostics(s *Snapshot, d *Document) (uri.URI, []protocol.Diagnostic) {
	if s.speaksWire(d) {
		return "", nil
	}
	prog, _, err := s.Program(d)
	if err != nil {
		return "", nil
	}
	return s.projectDiagnostics(prog)
}

func (s *Snapshot) projectDiagnostics(prog *check.Program) (uri.URI, []protocol.Diagnostic) {
	var at uri.URI
	var list []protocol.Diagnostic
	for i := range prog.Diagnostics {
		if f := &prog.Diagnostics[i]; f.File.Module == nil {
			at = s.URI(f.File)
			list = append(list, s.diagnostic(f))
		}
	}
	return at, list
}

// diagnostic renders a finding for the client (design.md 3.4).
func (s *Snapshot) diagnostic(f *check.Diagnostic) protocol.Diagnostic {
	c := s.Client()
	d := protocol.Diagnostic{
		Range:    s.Range(f.File.Syntax, f.Span),
		Severity: severities[f.Severity],
		Code:     protocol.String(f.Code),
		Source:   protocol.NewOptional("koru"),
		Message:  protocol.String(f.Message),
	}
	if href := s.codeURL(f.Code); href != "" && c.CodeLinks {
		d.CodeDescription = protocol.CodeDescription{Href: href}
	}
	if c.RelatedInfo {
		for _, n := range f.Notes {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: s.Location(n.File, n.Span), Message: n.Message,
			})
		}
	}
	if c.Tags {
		d.Tags = protocol.NewDiagnosticTags(tagsOf(f)...)
	}
	return d
}

var severities = map[check.Severity]protocol.DiagnosticSeverity{
	check.Error:   protocol.DiagnosticSeverityError,
	check.Warning: protocol.DiagnosticSeverityWarning,
}

// unnecessary are the codes of text that could go without changing anything:
// editors fade it.
var unnecessary = []string{"KORU026", "KORU037", "KORU053", "KORU100", "PARSE005"}

func tagsOf(f *check.Diagnostic) []protocol.DiagnosticTag {
	if slices.Contains(unnecessary, f.Code) {
		return []protocol.DiagnosticTag{protocol.DiagnosticTagUnnecessary}
	}
	return nil
}

// codeURL returns where the manual explains a code.
func (s *Snapshot) codeURL(code string) uri.URI {
	base := s.Settings().DocsURL
	c := check.Explain(code)
	if base == "" || c == nil {
		return ""
	}
	return uri.URI(base + "#" + anchor(c.Name+" "+c.Title))
}

// anchor returns the fragment under which a heading of Markdown is found: its
// words in small letters, joined by dashes.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
