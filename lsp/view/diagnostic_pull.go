package view

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
)

// DocumentDiagnostics answers a client that asks for the diagnostics of one
// document. The id of a result is a sum of what it says, so that a result which
// the client has already is not sent again.
func DocumentDiagnostics(ctx context.Context, s *Snapshot, d *Document, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	list, err := Diagnostics(ctx, s, d)
	if err != nil {
		return nil, err
	}
	id := resultID(list)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: unchangedReport, ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: fullReport, ResultID: &id, Items: list},
	}, nil
}

// The kinds of report.
const (
	fullReport      = "full"
	unchangedReport = "unchanged"
)

// WorkspaceDiagnostics answers with the diagnostics of every file of the
// workspace. Documents that the client has been told about and that are gone
// are reported as free of faults.
func WorkspaceDiagnostics(ctx context.Context, s *Snapshot, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	w := &workspaceReport{s: s, known: map[string]protocol.PreviousResultId{}}
	for _, r := range p.PreviousResultIds {
		w.known[s.pathOf(r.URI)] = r
	}
	for _, name := range s.Files() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.file(name)
	}
	for prog := range s.Programs() {
		w.project(prog)
	}
	for _, r := range p.PreviousResultIds {
		if _, gone := w.known[s.pathOf(r.URI)]; gone {
			w.report(s.pathOf(r.URI), r.URI, nil, []protocol.Diagnostic{})
		}
	}
	return &protocol.WorkspaceDiagnosticReport{Items: w.items}, nil
}

// workspaceReport gathers the reports of a workspace.
type workspaceReport struct {
	s     *Snapshot
	known map[string]protocol.PreviousResultId // by path: what the client has and is not reported yet
	items []protocol.WorkspaceDocumentDiagnosticReport
}

func (w *workspaceReport) file(name string) {
	d := w.s.open[name]
	if d == nil {
		d = &Document{URI: uriOf(name), Path: name}
	}
	list, err := w.s.programDiagnostics(d)
	if err != nil {
		return // it has gone since the folder was read
	}
	var version *int32
	if d.Open {
		version = &d.Version
	}
	w.report(name, d.URI, version, list)
}

// project reports a koru.json, once.
func (w *workspaceReport) project(prog *check.Program) {
	at, list := w.s.projectDiagnostics(prog)
	if at == "" {
		return
	}
	name := w.s.pathOf(at)
	for _, item := range w.items {
		if full, ok := item.(*protocol.WorkspaceFullDocumentDiagnosticReport); ok && w.s.pathOf(full.URI) == name {
			return
		}
	}
	w.report(name, at, nil, list)
}

func (w *workspaceReport) report(name string, at uri.URI, version *int32, list []protocol.Diagnostic) {
	id := resultID(list)
	before, known := w.known[name]
	delete(w.known, name)
	if known && before.Value == id {
		w.items = append(w.items, &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: unchangedReport, ResultID: id},
			URI:                               at, Version: version,
		})
		return
	}
	w.items = append(w.items, &protocol.WorkspaceFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: fullReport, ResultID: &id, Items: list},
		URI:                          at, Version: version,
	})
}

// resultID sums up what a report says.
func resultID(list []protocol.Diagnostic) string {
	h := fnv.New64a()
	for i := range list {
		text, err := protocol.Marshal(&list[i])
		if err != nil {
			panic(errors.Join(errors.New("view: a diagnostic of our own cannot be encoded"), err))
		}
		h.Write(text)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
