package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// readingFeatures help to read and to write at one place.
var readingFeatures = []feature{
	atPosition("textDocument/hover", func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) }, view.Hover),
}
