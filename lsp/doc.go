// Package lsp is the door through which editors reach the toolchain: the
// language server protocol (LSP 3.18) over a stream.
//
// Every message passes through Server.Handle in the order in which it was read.
// What must not be reordered happens there: the lifecycle, the edits that make
// the next snapshot, the cancelling of requests. A request is given the snapshot
// of that moment and answered by a body in a goroutine of its own, so that
// nothing waits for it and it never sees half of an edit.
//
// What can be asked is the table of features; what a feature answers is a
// function of package view.
package lsp
