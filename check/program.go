package check

import "github.com/koru-go/koru/syntax"

// Module is one loaded module: all facets of one stem, merged.
type Module struct {
	Path  string // slash path calls use: "std/io"; "" for the entry program
	Files []*File
	Tors  []*Tor
}

// File is one source file of a module.
type File struct {
	Path   string // as given by the caller, or a path in the module's file system
	Module *Module
	Syntax *syntax.File
}

// Impl is an implementation by flow, bare return or constant outcome.
type Impl struct {
	Node syntax.Node
}
