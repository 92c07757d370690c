// Package format writes Koru source in its one canonical form (language.md 14).
//
// The formatter changes the space between tokens and nothing else. It walks the
// lossless tree of a file in order, so that no token can get lost, and decides
// for each gap whether it is empty, a blank or a line end: spacing.go holds the
// gaps inside a line, flow.go and decl.go where lines end, item.go the blank
// lines between constructs. The only tokens it may add or drop are commas that a
// line end or a bracket makes redundant.
//
// An item with a syntax fault keeps its bytes, and so do host lines, proc
// bodies, source blocks, strings and documentation. Before any text leaves the
// package it is parsed again and compared with the tree it came from (verify.go).
//
// The folder is fmt, after the command it serves; the package is not, so that a
// file can use it next to the standard library's fmt.
package format
