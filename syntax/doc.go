// Package syntax turns Koru source into a lossless tree: every byte of a file,
// comments and blank lines included, is in exactly one token, and printing the
// tokens gives the file back.
//
// A [File] is a list of items. Each item is a [Tree] of flat slabs, one of
// tokens and one of nodes, with offsets relative to the item, so that an edit
// re-parses the items it touched and shares the rest ([File.Edit]). A [Node] is
// a small cursor into a tree; the views in nodes.go give its parts names.
//
// One hand-written parser reads files (.k, .kz, .kjs) and what a model sends
// over the wire ([ParseReply]). It scans one token ahead, on demand, because the
// same bytes mean different things in different places. It never fails: what it
// could not follow is an error node and one [Fault], and parsing goes on at the
// next argument, the next arm or the next item.
package syntax
