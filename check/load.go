package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// loader finds the modules of one program: the entry, and breadth first what it
// imports (language.md 4).
type loader struct {
	c    *Checker
	open map[string]*syntax.File // by path in Options.Files
	prog *Program
	old  *memory

	home    string // folder of the entry file
	folder  bool   // the entry is the index of a folder, a part of a larger program
	abs     bool   // the entry was given as an absolute path: so are the others shown
	project *project
	paths   map[string]string  // std/compiler:paths aliases of the entry, declared so far
	stems   map[string]*Module // loaded modules by their stem
	queue   []*Module
}

func newLoader(c *Checker, open map[string]*syntax.File) *loader {
	l := &loader{
		c: c, open: make(map[string]*syntax.File, len(open)),
		prog: &Program{Options: c.opts}, paths: map[string]string{}, stems: map[string]*Module{},
	}
	for name, f := range open {
		l.open[c.full(name)] = f
	}
	return l
}

func newModule(name, stem string) *Module {
	return &Module{
		Path: name, stem: stem,
		names: map[string]*Module{}, missing: map[string]bool{},
		foreign: map[syntax.Node]*Impl{},
		consts:  map[string]*ConstDecl{}, stores: map[string]*Store{},
	}
}

// imports records that the module may call what n declares, under the path name.
func (m *Module) imports(name string, n *Module) {
	if m.names[name] == nil && !slices.Contains(m.Imports, n) {
		m.Imports = append(m.Imports, n)
	}
	m.names[name] = n
}

// extensions are the facets of a module, in the order in which they merge: the
// contract first (language.md 1).
var extensions = []string{".k", ".kz", ".kjs"}

func stemOf(full string) (stem string, ok bool) {
	for _, ext := range extensions {
		if stem, ok := strings.CutSuffix(full, ext); ok {
			return stem, true
		}
	}
	return full, false
}

// load reads the entry and everything it imports.
func (l *loader) load(entry string) (*Program, error) {
	full := l.c.full(entry)
	l.abs = strings.HasPrefix(entry, "/")
	l.home = strings.TrimSuffix(path.Dir(full), ".")
	l.folder = strings.HasPrefix(path.Base(full), "index.")
	l.project = l.c.project(l.home)
	l.found(l.project.faults...)

	m, err := l.entry(entry, full)
	if err != nil {
		return nil, &LoadError{entry, err}
	}
	l.prog.Entry = m
	for i := 0; i < len(l.queue); i++ {
		l.follow(l.queue[i])
		for _, name := range builtins {
			if b := l.c.std.module(name); b != nil && l.queue[i].names[name] == nil {
				l.queue[i].names[name] = b
			}
		}
	}
	m.aliases = l.namesOf(m)
	l.prog.Modules = slices.Clip(append(l.queue, l.libraries()...))
	return l.prog, nil
}

// entry loads the module of the entry file: the file itself must be there, the
// other facets of its stem join it.
func (l *loader) entry(entry, full string) (*Module, error) {
	f, err := l.read(full)
	if err != nil {
		return nil, err
	}
	stem, ok := stemOf(full)
	if !ok {
		m := newModule("", full)
		m.prog = l.prog
		m.Files = []*File{l.file(m, entry, full, f)}
		l.queue = append(l.queue, m)
		return m, nil
	}
	m := l.module("", stem)
	for _, f := range m.Files {
		if l.c.full(f.Path) == full {
			f.Path = entry
		}
	}
	return m, nil
}

// module loads the module of a stem, or returns nil if it has no file.
func (l *loader) module(name, stem string) *Module {
	if m := l.stems[stem]; m != nil {
		return m
	}
	m := newModule(name, stem)
	m.prog = l.prog
	for _, ext := range extensions {
		f, err := l.read(stem + ext)
		switch {
		case err == nil:
			m.Files = append(m.Files, l.file(m, l.c.show(stem+ext, l.abs), stem+ext, f))
		case !errors.Is(err, fs.ErrNotExist):
			return nil
		}
	}
	if m.Files == nil {
		return nil
	}
	l.stems[stem] = m
	l.queue = append(l.queue, m)
	return m
}

// file makes the record of a file, with its outline.
func (l *loader) file(m *Module, name, full string, f *syntax.File) *File {
	var before *outline
	if old := l.old.file(full); old != nil {
		before = old.outline
	}
	return &File{Path: name, Module: m, Syntax: f, full: full, outline: outlineOf(f, before, l.c.opts.Editing)}
}

func (l *loader) read(full string) (*syntax.File, error) {
	if f := l.open[full]; f != nil {
		return f, nil
	}
	return l.c.read(full)
}

func (l *loader) exists(full string) bool {
	_, err := l.read(full)
	return err == nil
}

// follow loads what a module imports, in the order written: a path alias acts
// from the next line on.
func (l *loader) follow(m *Module) {
	for _, f := range m.Files {
		for it := range f.items(isImport | isPaths) {
			switch {
			case it.Kind() == syntax.ImportItem:
				l.importItem(m, f, syntax.ImportView{Node: it})
			case m == l.queue[0]:
				l.pathsItem(f, it)
			}
		}
	}
}

func (l *loader) importItem(m *Module, f *File, item syntax.ImportView) {
	at := item.Path()
	if at.Kind() != syntax.Name && at.Kind() != syntax.Path {
		return // no bare path: the parser has said so
	}
	if !l.kept(f, item.Node) {
		return
	}
	name := importPath(at)
	n, problem := l.find(name, f, at)
	if n == nil {
		m.missing[name] = true
		if problem != nil {
			l.found(*problem)
		}
		return
	}
	m.imports(name, n)
	l.parent(m, name)
}

// parent makes the index of the folder that a module lies in visible too: who
// imports unikraft/alloc may call what unikraft itself declares.
func (l *loader) parent(m *Module, name string) {
	alias, _, below := strings.Cut(name, "/")
	if !below || alias == "std" || alias == "app" || m.names[alias] != nil {
		return
	}
	for _, dir := range l.roots(alias) {
		if index := path.Join(dir, "index"); l.present(index) {
			if n := l.module(alias, index); n != nil && n != m {
				m.imports(alias, n)
			}
			return
		}
	}
}

// importPath returns the module path of an import. Dots between segments and a
// tor name behind a colon have been reported by the parser.
func importPath(at syntax.Token) string {
	name, _, _ := strings.Cut(at.Text(), ":")
	return strings.ReplaceAll(name, ".", "/")
}

// find locates the module that an import names.
func (l *loader) find(name string, f *File, at syntax.Token) (*Module, *Diagnostic) {
	alias, rest, _ := strings.Cut(name, "/")
	if alias == "std" {
		if m := l.c.std.module(name); m != nil {
			return m, nil
		}
		return nil, l.unknown(name, f, at)
	}
	if strings.Count(name, "/") > 2 {
		return nil, nil // the parser has refused the depth
	}
	for _, dir := range l.roots(alias) {
		stem := path.Join(dir, rest)
		index := path.Join(stem, "index")
		file, folder := stem != "" && l.present(stem), l.present(index)
		if file && folder {
			l.found(Diagnostic{
				Code: "KORU200", File: f, Span: at.Span(),
				Message: fmt.Sprintf("'%s' could be the file %s or the folder %s: a module is one of them — rename or remove the other",
					name, l.facet(stem), l.facet(index)),
			})
		}
		if !file {
			stem = index
		}
		if file || folder {
			if m := l.module(name, stem); m != nil {
				return m, nil
			}
		}
	}
	return nil, l.unknown(name, f, at)
}

// present reports whether a stem has a facet.
func (l *loader) present(stem string) bool {
	return l.stems[stem] != nil || slices.ContainsFunc(extensions, func(ext string) bool { return l.exists(stem + ext) })
}

// facet returns the first file of a stem, as findings name it.
func (l *loader) facet(stem string) string {
	for _, ext := range extensions {
		if l.exists(stem + ext) {
			return l.c.show(stem+ext, l.abs)
		}
	}
	return l.c.show(stem, l.abs)
}

// roots returns the folders or stems that an alias can stand for, in the order
// in which they are tried.
func (l *loader) roots(alias string) []string {
	if alias == "app" {
		roots := []string{l.home}
		if l.project.file != nil && l.project.dir != l.home {
			roots = append(roots, l.project.dir)
		}
		if l.folder {
			roots = append(roots, strings.TrimSuffix(path.Dir(l.home), "."))
		}
		return roots
	}
	roots := []string{path.Join(l.home, alias)}
	if dir, ok := l.project.paths[alias]; ok {
		roots = append(roots, dir)
	}
	if dir, ok := l.paths[alias]; ok {
		roots = append(roots, dir)
	}
	if alias == "koru" {
		roots = append(roots, l.checkouts()...)
	}
	return roots
}

// checkouts returns where the packages of koru/… may stand without a word in
// koru.json: a checkout of koru-libs around or beside the entry file.
func (l *loader) checkouts() []string {
	const libs = "koru-libs"
	var out []string
	for dir := l.home; dir != ""; {
		parent, name := path.Split(dir)
		if name == libs {
			out = append(out, dir)
		}
		dir = strings.TrimSuffix(parent, "/")
		out = append(out, path.Join(dir, libs))
	}
	return out
}

// unknown reports an import that leads nowhere (KORU002).
func (l *loader) unknown(name string, f *File, at syntax.Token) *Diagnostic {
	d := &Diagnostic{
		Code: "KORU002", File: f, Span: at.Span(),
		Message: fmt.Sprintf("module not found: '%s'", name),
	}
	if why := l.trouble(name); why != "" {
		d.Message += " — " + why
		return d
	}
	if near := Nearest(name, l.candidates(name)); near != "" {
		d.suggest(near)
		f.Module.missing[near] = true // what the program calls is what was meant
		return d
	}
	alias, rest, deep := strings.Cut(name, "/")
	switch known := alias == "std" || alias == "app" || len(l.roots(alias)) > 1; {
	case alias == "std":
		d.Message += " — the standard library has no such module"
	case known && deep:
		d.Message += fmt.Sprintf(" — there is no %s.k, %s.kz or %s/index.k in the folder of '%s'", rest, rest, rest, alias)
	case deep:
		d.Message += fmt.Sprintf(" — '%s' is no folder beside the entry file and no alias in 'paths' of koru.json", alias)
	default:
		d.Message += fmt.Sprintf(" — there is no %s.k, %s.kz or %s/index.k beside the entry file, and no alias of that name in koru.json", name, name, name)
	}
	return d
}

// trouble says why a file of the module is there and cannot be read, or "".
func (l *loader) trouble(name string) string {
	alias, rest, _ := strings.Cut(name, "/")
	if alias == "std" {
		return ""
	}
	for _, dir := range l.roots(alias) {
		for _, stem := range []string{path.Join(dir, rest), path.Join(dir, rest, "index")} {
			for _, ext := range extensions {
				if _, err := l.read(stem + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Sprintf("%s: %v", l.c.show(stem+ext, l.abs), err)
				}
			}
		}
	}
	return ""
}

// candidates lists the modules that a misspelled import may have meant.
func (l *loader) candidates(name string) []string {
	out := append([]string(nil), l.c.std.list()...)
	for _, alias := range l.aliases() {
		for _, dir := range l.roots(alias) {
			out = append(out, l.modulesIn(dir, alias+"/")...)
		}
	}
	if alias, rest, deep := strings.Cut(name, "/"); deep && path.Dir(rest) != "." {
		for _, dir := range l.roots(alias) {
			out = append(out, l.modulesIn(path.Join(dir, path.Dir(rest)), alias+"/"+path.Dir(rest)+"/")...)
		}
	}
	return append(out, l.modulesIn(l.home, "")...)
}

// namesOf lists the paths under which the entry could be imported.
func (l *loader) namesOf(m *Module) []string {
	var out []string
	home := strings.TrimSuffix(m.stem, "/index")
	for _, alias := range l.aliases() {
		for _, dir := range l.roots(alias)[1:] {
			if rest, ok := strings.CutPrefix(home+"/", dir+"/"); ok {
				out = append(out, strings.TrimSuffix(alias+"/"+rest, "/"))
			}
		}
	}
	return out
}

// aliases lists the names that an import path may start with, sorted, but for std.
func (l *loader) aliases() []string {
	out := []string{"app"}
	for alias := range l.project.paths {
		out = append(out, alias)
	}
	for alias := range l.paths {
		out = append(out, alias)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// modulesIn lists the modules of a folder, sorted.
func (l *loader) modulesIn(dir, prefix string) []string {
	if l.c.opts.Files == nil {
		return nil
	}
	if dir == "" {
		dir = "."
	}
	entries, err := fs.ReadDir(l.c.opts.Files, dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name, ok := stemOf(e.Name())
		if !ok && e.IsDir() {
			ok = l.present(path.Join(dir, name, "index"))
		}
		if ok && !strings.HasPrefix(name, ".") {
			out = append(out, prefix+name)
		}
	}
	return slices.Compact(out)
}

// pathsItem takes the aliases of a std/compiler:paths block.
func (l *loader) pathsItem(f *File, item syntax.Node) {
	call := syntax.CallView{Node: syntax.FlowView{Node: item}.Chain().Child(syntax.Call)}
	text := call.Block().Token(syntax.Text)
	at := text.Span().Start
	for line := range strings.Lines(text.Text()) {
		start := at
		at += len(line)
		body := strings.TrimSpace(line)
		if body == "" || strings.HasPrefix(body, "//") {
			continue
		}
		start += strings.Index(line, body)
		l.pathsLine(f, body, syntax.Span{Start: start, End: start + len(body)})
	}
}

func (l *loader) pathsLine(f *File, line string, span syntax.Span) {
	alias, dir, ok := strings.Cut(line, ":")
	alias, dir = strings.TrimSpace(alias), strings.Trim(strings.TrimSuffix(strings.TrimSpace(dir), ","), ` "`)
	fault := ""
	switch {
	case !ok || dir == "":
		fault = "a line of std/compiler:paths reads alias: folder"
	case !isAlias(alias):
		fault = fmt.Sprintf("the path alias '%s' is no name: letters, digits and _ only", alias)
	case alias == "std" || alias == "app":
		fault = fmt.Sprintf("the alias '%s' is built in: choose another name", alias)
	}
	if fault != "" {
		l.found(Diagnostic{Code: "KORU172", File: f, Span: span, Message: fault})
		return
	}
	for _, hole := range []string{"{{ ENTRY }}", "{{ENTRY}}"} {
		if rest, ok := strings.CutPrefix(dir, hole); ok {
			dir = strings.TrimPrefix(rest, "/")
		}
	}
	l.paths[alias] = under(l.home, dir)
}

// builtins are the modules that need no import: the verbs that steer a flow,
// and what a program says to its compiler.
var builtins = []string{"std/control", "std/compiler"}

// libraries returns the modules of the standard library that the program uses:
// what it imports, what those import, and the verbs that need no import.
func (l *loader) libraries() []*Module {
	var out []*Module
	seen := map[*Module]bool{}
	visit := func(m *Module) {
		if m != nil && m.Std && !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	for _, m := range l.queue {
		for _, n := range m.Imports {
			visit(n)
		}
	}
	for _, name := range builtins {
		visit(l.c.std.module(name))
	}
	for i := 0; i < len(out); i++ {
		for _, n := range out[i].Imports {
			visit(n)
		}
	}
	return out
}

func (l *loader) found(d ...Diagnostic) {
	l.prog.Diagnostics = append(l.prog.Diagnostics, d...)
}

// show returns a path of Options.Files the way people type it: relative to
// Options.Dir, or absolute if the entry was.
func (c *Checker) show(full string, abs bool) string {
	if abs {
		return "/" + full
	}
	if c.opts.Dir == "" {
		return full
	}
	base, up := c.opts.Dir, ""
	for full != base && !strings.HasPrefix(full, base+"/") {
		up += "../"
		i := strings.LastIndexByte(base, '/')
		if i < 0 {
			return up + full
		}
		base = base[:i]
	}
	return up + strings.TrimPrefix(full, base+"/")
}
