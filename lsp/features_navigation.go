package lsp

// navigationFeatures lead from one place to others, and change several at once.
var navigationFeatures = []feature{}
