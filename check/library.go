package check

import (
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/koru-go/koru/syntax"
)

// library is a standard library: modules that are resolved once and shared by
// every program of the process. A module of the library imports nothing but the
// library, so nothing in it depends on the program that asked.
type library struct {
	files fs.FS

	mu      sync.Mutex
	modules map[string]*Module // by path: std/io; nil for one that does not exist
	names   []string           // of all modules, sorted
}

// libraries holds the library of every file system that can be a map key. A
// one that cannot (a map of test files) gets a library of its own each time.
var libraries sync.Map // fs.FS to *library

func libraryOf(files fs.FS) *library {
	if files == nil {
		return &library{}
	}
	if !reflect.TypeOf(files).Comparable() {
		return newLibrary(files)
	}
	if l, ok := libraries.Load(files); ok {
		return l.(*library)
	}
	l, _ := libraries.LoadOrStore(files, newLibrary(files))
	return l.(*library)
}

func newLibrary(files fs.FS) *library {
	return &library{files: files, modules: map[string]*Module{}}
}

// module returns the module of that path, std/io, or nil.
func (l *library) module(name string) *Module {
	if l.files == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(name)
}

// find loads a module and those it imports, and resolves them once all are
// there, so that modules may import each other.
func (l *library) find(name string) *Module {
	if m, ok := l.modules[name]; ok {
		return m
	}
	var fresh []*Module
	m := l.parse(name, &fresh)
	for _, m := range fresh {
		m.declare()
		m.slots = make([]atomic.Pointer[Tor], m.decls.tors)
	}
	for _, m := range fresh {
		m.declareAll()
		m.collectTakers(nil)
	}
	return m
}

func (l *library) parse(name string, fresh *[]*Module) *Module {
	if m, ok := l.modules[name]; ok {
		return m
	}
	l.modules[name] = nil
	file := strings.TrimPrefix(name, "std/") + ".k"
	text, err := readFile(l.files, file)
	if err != nil {
		return nil
	}
	m := newModule(name, file)
	m.Std = true
	l.modules[name] = m
	*fresh = append(*fresh, m)
	f := &File{Path: name + ".k", Module: m, Syntax: syntax.Parse(file, syntax.Pure, string(text))}
	f.outline = outlineOf(f.Syntax, nil, false)
	m.Files = []*File{f}
	for it := range f.items(isImport) {
		at := syntax.ImportView{Node: it}.Path().Text()
		if n := l.parse(at, fresh); n != nil {
			m.imports(at, n)
		}
	}
	return m
}

// list returns the paths of all modules of the library, sorted.
func (l *library) list() []string {
	if l.files == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		entries, _ := fs.ReadDir(l.files, ".")
		for _, e := range entries {
			if stem, ok := strings.CutSuffix(e.Name(), ".k"); ok {
				l.names = append(l.names, "std/"+stem)
			}
		}
	}
	return l.names
}
