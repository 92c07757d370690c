package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// diagnosticFeatures say what is wrong, to clients that ask for it.
var diagnosticFeatures = []feature{
	ofDocumentWith("textDocument/diagnostic", func(c *protocol.ServerCapabilities) {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{InterFileDependencies: true, WorkspaceDiagnostics: true}
	}, view.DocumentDiagnostics),
	ofWorkspace("workspace/diagnostic", nil, view.WorkspaceDiagnostics),
}
