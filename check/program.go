package check

import (
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/koru-go/koru/syntax"
)

// Options say what a program is loaded from and how strictly it is judged.
type Options struct {
	// Files holds the user's sources; paths are slash paths below its root.
	Files fs.FS
	// Dir is the slash path in Files that relative paths start from. A caller
	// that serves a whole disk sets it to the working directory, so that imports
	// may lead above it and findings still name files the way people type them.
	Dir string
	// Std holds the standard library: std/io is io.k at its root. What is
	// resolved from it is shared by all programs of the process.
	Std fs.FS
	// NoAutoDischarge turns the insertion of disposers off.
	NoAutoDischarge bool
	// Debug keeps [debug] imports and grants.
	Debug bool
	// Runs asks for the judgement of `koru run`: a call without a body is an
	// error (KORU047) and so is a body no target of this host can run (KORU176).
	Runs bool
	// Targets are the host languages whose bodies run here: js, zig.
	Targets []string
	// Bodies reports whether a Go body exists for a tor's full path.
	Bodies func(path string) bool
	// CheckBody says what in the body of a verb cannot run here, for one of
	// Targets; nil asks nobody.
	CheckBody func(t *Tor, proc *Proc, target string) []BodyFault
	// Editing tells a Checker that the same entry comes again and again, a little
	// changed. Bodies that nothing has changed for are then not judged anew, and
	// not resolved either until somebody asks: Module.Flows, Module.Tests and
	// Impl.Flow hold what was, [Program.FlowOf], [Program.TestOf] and [Impl.Body]
	// answer for all.
	Editing bool

	muted string // a code that is not reported: how tests show that they would miss its rule
}

// Program is an entry file with everything it imports, loaded and judged. It
// does not change afterwards and is safe for concurrent readers.
type Program struct {
	Entry       *Module
	Modules     []*Module // in load order, the entry first, the standard library last
	Scopes      []*Scope  // every register block of the program, in load order
	Diagnostics []Diagnostic
	Options     Options

	keywords  map[string]*Tor // verbs marked [keyword], visible everywhere
	effort    atomic.Int64    // how many names misspelt verbs were compared with
	registers []*register
	called    map[*Tor]callSite          // verbs that some flow calls, and where first
	generated map[string]bool            // names that foreign transforms may declare as verbs
	wordless  map[syntax.Node]Diagnostic // items that lack their first word
	takers    *disposers                 // who consumes which state

	misspelled *spellings // names without their dashes, once one was found

	flows map[syntax.Node]*Flow // bodies that were judged, by their item
	lazy  sync.Map              // syntax.Node to *lazily: bodies resolved since

	tests     map[syntax.Node]*TestBlock // tests that were judged, by their item
	lazyTests sync.Map                   // syntax.Node to *lazyTest

	places index // where names stand, for editors

	overridden []*Tor // abstract tors that another module implements

	// While the program is judged: what is known from the last judgement of the
	// entry (Options.Editing) and how much of it holds.
	old                        *memory
	sums                       sums
	settled, imported, unmoved bool              // the surroundings, the imports too, the whole outside are what they were
	loose                      []map[string]bool // see loosen
	takerSums                  map[takenKey]uint64
}

// Module is one loaded module: all facets of one stem, merged.
type Module struct {
	Path    string // slash path that calls use: "std/io"; "" for the entry program
	Std     bool   // part of the standard library: its findings are never shown
	Files   []*File
	Imports []*Module
	Consts  []*ConstDecl
	Stores  []*Store
	Flows   []*Flow // top-level flows, in source order
	Tests   []*TestBlock

	stem     string             // path of the files without their extension
	aliases  []string           // paths under which others could import the entry
	names    map[string]*Module // what the module imports, by the path it writes
	missing  map[string]bool    // imports that were not found (R96)
	slabs    slabs
	prog     *Program              // nil for a module of the library
	decls    *declarations         // what the files declare; nil until that is known
	slots    []atomic.Pointer[Tor] // the tors that somebody has asked for, by number
	foreign  map[syntax.Node]*Impl // implementations of abstract tors of other modules
	takers   map[takenKey][]taken
	sum      uint64          // of what the files declare
	defaults map[string]*Tor // what an abstract tor was before it was overridden: name.default
	consts   map[string]*ConstDecl
	stores   map[string]*Store
	// lost says that an import, the name of a tor, that of a proc or a whole tor was not understood.
	lostImport, lostName, lostBody, lostTor bool
	lostValue                               bool            // a store, a constant or a scope was declared under no name
	soughtValues                            bool            // lostValue is known
	misread                                 map[string]bool // words of text that was not understood
	prototype                               bool            // [prototype]: outcomes may still be unhandled (language.md 10.2)
}

// File is one source file of a module.
type File struct {
	Path   string // as given by the caller, or a path in Options.Files or Options.Std
	Module *Module
	Syntax *syntax.File

	full     string // its path in Options.Files
	outline  *outline
	verdicts []*verdict // by item, while the program is judged for an editor
}

// Impl is an implementation by flow, bare return or constant outcome.
type Impl struct {
	Node syntax.Node // the ImplItem
	File *File
	Flow *Flow // set once the body has been resolved

	tor  *Tor
	prog *Program
}

// TestBlock is one std/testing:test block.
type TestBlock struct {
	Title string
	Node  syntax.Node
	File  *File
	Flows []*Flow
	Mocks []Mock
}

// Mock replaces a tor's body inside a test: name => arm value.
type Mock struct {
	Tor  *Tor
	Flow *Flow
}

// Scope returns the register block of that name, or nil.
func (p *Program) Scope(name string) *Scope {
	for _, s := range p.Scopes {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Module returns the loaded module of that path, or nil.
func (p *Program) Module(path string) *Module {
	for _, m := range p.Modules {
		if m.Path == path {
			return m
		}
	}
	return nil
}

// Failed reports whether any finding is an error.
func (p *Program) Failed() bool {
	for i := range p.Diagnostics {
		if p.Diagnostics[i].Severity == Error {
			return true
		}
	}
	return false
}

// Tors returns the verbs that the module declares, in the order in which they
// are declared. Of a module that is edited, that costs as much as reading all of
// its declarations; [Module.Tor] reads one.
func (m *Module) Tors() []*Tor {
	list := make([]*Tor, len(m.slots))
	for n := range list {
		list[n] = m.tor(int32(n))
	}
	return list
}

// Tor returns the module's verb of that name, or nil. It reads that one alone.
func (m *Module) Tor(name string) *Tor {
	if t := m.declared(name); t != nil {
		return t
	}
	return m.defaults[name]
}

// Print returns the module's name as diagnostics and ledgers print it: dots
// between segments, "main" for the entry program.
func (m *Module) Print() string { return PrintModule(m.Path) }

// PrintModule returns a module path as diagnostics and ledgers print it.
func PrintModule(path string) string {
	if path == "" {
		return "main"
	}
	b := []byte(path)
	for i, c := range b {
		if c == '/' {
			b[i] = '.'
		}
	}
	return string(b)
}
