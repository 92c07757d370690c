package bridge

import (
	"fmt"
	"io"
	"os"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Inspection is what mounting a world would find in its files, as findings that
// have a place.
type Inspection struct {
	Files       []*check.File
	Diagnostics []check.Diagnostic
	Definitions []Inspected // those that a session would have, in order
}

// Inspected is a definition of a world that holds.
type Inspected struct {
	File *check.File
	Decl syntax.Node
	Verb *check.Verb
}

// Inspect judges the files of a world as opening a session on the scope would,
// definition by definition, and changes nothing. Without a program the files are
// only read: what their names lead to is up to the scope (R50).
func Inspect(p *eval.Program, scope string, files []WorldFile) (*Inspection, error) {
	i := &Inspection{}
	var open []shelved
	read := map[string]*check.File{}
	for _, f := range files {
		u := unpack(f)
		read[f.Name] = &check.File{Path: f.Name, Syntax: u.file}
		i.Files = append(i.Files, read[f.Name])
		if u.reason != "" {
			i.found(read[f.Name], u.fault)
			continue
		}
		open = append(open, u.shelved...)
	}
	if p == nil {
		i.Diagnostics = check.SortDiagnostics(i.Diagnostics)
		return i, nil
	}
	b, err := Create(Options{ID: "inspection", Program: p, Scope: scope, Log: io.Discard})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	b.unshelve(open)
	for _, s := range open {
		file := read[s.file]
		file.Module = b.scope.Module
		if !s.done {
			i.found(file, s.fault)
			continue
		}
		name := s.taught.VerbName()
		i.Definitions = append(i.Definitions, Inspected{file, s.taught.Decl, b.lessons.byName[name].Verb})
	}
	i.Diagnostics = check.SortDiagnostics(i.Diagnostics)
	return i, nil
}

// found records a finding about a file. The judgement of a definition knows only
// its text, under no name.
func (i *Inspection) found(f *check.File, d check.Diagnostic) {
	here := func(at **check.File) {
		if *at == nil || (*at).Syntax == f.Syntax {
			*at = f
		}
	}
	here(&d.File)
	for k := range d.Notes {
		here(&d.Notes[k].File)
	}
	for k := range d.Fixes {
		for n := range d.Fixes[k].Edits {
			here(&d.Fixes[k].Edits[n].File)
		}
	}
	i.Diagnostics = append(i.Diagnostics, d)
}

// ReadDefinitions reads the definitions of the world at dir without mounting it:
// what a session would find there, in the order in which it would find it.
func ReadDefinitions(dir string) ([]WorldFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("world '%s': %w", dir, reason(err))
	}
	defer root.Close()
	return (&World{dir: dir, root: root}).Definitions()
}
