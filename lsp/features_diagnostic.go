package lsp

// diagnosticFeatures say what is wrong, to clients that ask for it.
var diagnosticFeatures = []feature{}
