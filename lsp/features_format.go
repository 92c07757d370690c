package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// formatFeatures lay sources out.
var formatFeatures = []feature{
	ofDocument("textDocument/formatting", func(c *protocol.ServerCapabilities) {
		c.DocumentFormattingProvider = protocol.Boolean(true)
	}, view.Format),
	inRange("textDocument/rangeFormatting", func(c *protocol.ServerCapabilities) {
		several := true
		c.DocumentRangeFormattingProvider = &protocol.DocumentRangeFormattingOptions{RangesSupport: &several}
	}, view.FormatRange),
	ofDocumentWith("textDocument/rangesFormatting", nil, view.FormatRanges),
	atPositionWith("textDocument/onTypeFormatting", func(c *protocol.ServerCapabilities) {
		c.DocumentOnTypeFormattingProvider = protocol.DocumentOnTypeFormattingOptions{
			FirstTriggerCharacter: "\n", MoreTriggerCharacter: []string{"}"},
		}
	}, view.FormatOnType),
}
