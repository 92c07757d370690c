package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// readingFeatures help to read and to write at one place.
var readingFeatures = []feature{
	atPosition("textDocument/hover", func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) }, view.Hover),
	atPositionWith("textDocument/completion", offerCompletion, view.Completion),
	ofWorkspace("completionItem/resolve", nil, view.ResolveCompletion),
	atPosition("textDocument/signatureHelp", offerSignatures, view.SignatureHelp),
	inRange("textDocument/inlayHint", offerHints, view.InlayHints),
	ofDocument("textDocument/semanticTokens/full", offerTokens, view.SemanticTokens),
	ofDocumentWith("textDocument/semanticTokens/full/delta", nil, view.SemanticTokensDelta),
	inRange("textDocument/semanticTokens/range", nil, view.SemanticTokensRange),
}

func offerTokens(c *protocol.ServerCapabilities) {
	c.SemanticTokensProvider = &protocol.SemanticTokensOptions{
		Legend: view.TokenLegend(),
		Range:  protocol.Boolean(true),
		Full:   &protocol.SemanticTokensFullDelta{Delta: new(true)},
	}
}

func offerCompletion(c *protocol.ServerCapabilities) {
	c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: view.CompletionTriggers, ResolveProvider: new(true)}
}

func offerSignatures(c *protocol.ServerCapabilities) {
	c.SignatureHelpProvider = &protocol.SignatureHelpOptions{TriggerCharacters: view.SignatureTriggers}
}

func offerHints(c *protocol.ServerCapabilities) { c.InlayHintProvider = &protocol.InlayHintOptions{} }
