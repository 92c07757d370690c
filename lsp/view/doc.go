// Package view answers what an editor asks about Koru sources.
//
// A Snapshot is the workspace at one moment: the buffers that are open, over the
// files on disk, and the one check.Checker that judges them all. It never
// changes; an edit makes the next one, which shares whatever the edit did not
// touch. So a request that began before an edit ends as if the edit had not
// been made, and no lock is held while anything is computed.
//
// Every feature of the editor is a function in a file of its own: it takes a
// Snapshot, a Document and a byte offset, reads facts of the checker, and
// returns values of the protocol. Nothing here searches text, knows of a
// connection or keeps state; package lsp is the door.
package view
