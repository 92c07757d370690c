package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// navigationFeatures lead from one place to others, and change several at once.
var navigationFeatures = []feature{
	atPosition("textDocument/definition", func(c *protocol.ServerCapabilities) {
		c.DefinitionProvider = protocol.Boolean(true)
	}, view.Definition),
	atPosition("textDocument/declaration", func(c *protocol.ServerCapabilities) {
		c.DeclarationProvider = protocol.Boolean(true)
	}, view.Declaration),
	atPosition("textDocument/typeDefinition", func(c *protocol.ServerCapabilities) {
		c.TypeDefinitionProvider = protocol.Boolean(true)
	}, view.TypeDefinition),
	atPosition("textDocument/implementation", func(c *protocol.ServerCapabilities) {
		c.ImplementationProvider = protocol.Boolean(true)
	}, view.Implementation),
	atPositionWith("textDocument/references", func(c *protocol.ServerCapabilities) {
		c.ReferencesProvider = protocol.Boolean(true)
	}, view.References),
	atPosition("textDocument/documentHighlight", func(c *protocol.ServerCapabilities) {
		c.DocumentHighlightProvider = protocol.Boolean(true)
	}, view.Highlights),
	atPositionWith("textDocument/rename", func(c *protocol.ServerCapabilities) {
		yes := true
		c.RenameProvider = &protocol.RenameOptions{PrepareProvider: &yes}
	}, view.Rename),
	atPosition("textDocument/prepareRename", nil, view.PrepareRename),
	atPosition("textDocument/linkedEditingRange", func(c *protocol.ServerCapabilities) {
		c.LinkedEditingRangeProvider = protocol.Boolean(true)
	}, view.LinkedEditing),
	ofWorkspace("workspace/willRenameFiles", func(c *protocol.ServerCapabilities) {
		ops := workspaceOf(c)
		file := protocol.FileOperationFilter{Pattern: protocol.FileOperationPattern{Glob: "**/*.{k,kz,kjs}"}}
		folder := protocol.FileOperationFilter{Pattern: protocol.FileOperationPattern{Glob: "**", Matches: protocol.FileOperationPatternKindFolder}}
		ops.FileOperations = &protocol.FileOperationOptions{
			WillRename: protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{file, folder}},
		}
	}, view.WillRenameFiles),

	ofDocument("textDocument/documentSymbol", func(c *protocol.ServerCapabilities) {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}, view.DocumentSymbols),
	ofWorkspace("workspace/symbol", func(c *protocol.ServerCapabilities) {
		c.WorkspaceSymbolProvider = protocol.Boolean(true)
	}, view.WorkspaceSymbols),
	atPosition("textDocument/prepareCallHierarchy", func(c *protocol.ServerCapabilities) {
		c.CallHierarchyProvider = protocol.Boolean(true)
	}, view.PrepareCallHierarchy),
	ofWorkspace("callHierarchy/incomingCalls", nil, view.IncomingCalls),
	ofWorkspace("callHierarchy/outgoingCalls", nil, view.OutgoingCalls),

	inRange("textDocument/codeAction", func(c *protocol.ServerCapabilities) {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{
			protocol.CodeActionKindQuickFix, protocol.CodeActionKindSourceFixAll,
		}}
	}, view.CodeActions),
	ofDocument("textDocument/codeLens", func(c *protocol.ServerCapabilities) {
		yes := true
		c.CodeLensProvider = &protocol.CodeLensOptions{ResolveProvider: &yes}
	}, view.CodeLenses),
	ofWorkspace("codeLens/resolve", nil, view.ResolveCodeLens),
	ofWorkspace("workspace/executeCommand", func(c *protocol.ServerCapabilities) {
		c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: view.Commands()}
	}, view.ExecuteCommand),

	ofDocument("textDocument/foldingRange", func(c *protocol.ServerCapabilities) {
		c.FoldingRangeProvider = protocol.Boolean(true)
	}, view.FoldingRanges),
	ofDocumentWith("textDocument/selectionRange", func(c *protocol.ServerCapabilities) {
		c.SelectionRangeProvider = protocol.Boolean(true)
	}, view.SelectionRanges),
	ofDocument("textDocument/documentLink", func(c *protocol.ServerCapabilities) {
		c.DocumentLinkProvider = &protocol.DocumentLinkOptions{}
	}, view.DocumentLinks),
	ofWorkspace("workspace/textDocumentContent", func(c *protocol.ServerCapabilities) {
		workspaceOf(c).TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{view.StdScheme}}
	}, view.TextContent),
	ofWorkspace("koru/textDocumentContent", nil, view.TextContent), // for clients of LSP 3.17
}

// workspaceOf returns the part of the capabilities that is about the workspace.
func workspaceOf(c *protocol.ServerCapabilities) *protocol.WorkspaceOptions {
	if c.Workspace == nil {
		c.Workspace = &protocol.WorkspaceOptions{}
	}
	return c.Workspace
}
