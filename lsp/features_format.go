package lsp

// formatFeatures lay sources out.
var formatFeatures = []feature{}
