package view

import (
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/internal/source"
	"github.com/koru-go/koru/syntax"
)

// graph says which files the programs of the workspace are made of. A file that
// others import is judged as a part of them: only from there its own imports
// lead where they should.
type graph struct {
	files []string            // every Koru file of the workspace, open buffers included, sorted
	parts map[string][]string // by entry: the files of its program
	users map[string][]string // by file: the entries of the other programs that it is a part of
}

// lazyGraph is a graph that is drawn when somebody first asks for it.
type lazyGraph struct {
	old   *graph   // what was, of which the programs without a changed file still hold
	stale []string // the files that have changed what they import

	once  sync.Once
	ready atomic.Pointer[graph]
}

// graph returns the graph of the workspace.
func (s *Snapshot) graph() *graph {
	l := s.imports
	l.once.Do(func() { l.ready.Store(s.draw(l.old, l.stale)) })
	return l.ready.Load()
}

// redraw returns what the graph becomes when a file imports something else.
func (l *lazyGraph) redraw(changed string) *lazyGraph {
	if g := l.ready.Load(); g != nil {
		return &lazyGraph{old: g, stale: []string{changed}}
	}
	return &lazyGraph{old: l.old, stale: append(slices.Clip(l.stale), changed)}
}

func (s *Snapshot) draw(old *graph, stale []string) *graph {
	g := &graph{parts: map[string][]string{}, users: map[string][]string{}}
	if old != nil {
		g.files = old.files
	} else {
		g.files = s.list()
	}
	for _, entry := range g.files {
		var files []string
		if known := partsOf(old, entry); known != nil && !slices.ContainsFunc(stale, func(f string) bool { return slices.Contains(known, f) }) {
			files = known
		} else {
			files, _ = s.checker.Files(entry, s.sources)
		}
		g.parts[entry] = files
		for _, f := range files {
			if f != entry {
				g.users[f] = append(g.users[f], entry)
			}
		}
	}
	return g
}

func partsOf(g *graph, entry string) []string {
	if g == nil {
		return nil
	}
	return g.parts[entry]
}

// list returns the Koru files of the workspace: those on disk below its roots,
// and the buffers.
func (s *Snapshot) list() []string {
	var files []string
	for _, root := range s.roots {
		if s.opts.Files == nil {
			break
		}
		dir := strings.TrimPrefix(root, "/")
		if dir == "" {
			dir = "."
		}
		leave := func(string, error) error { return nil } // an editor shows what can be read
		_ = source.Walk(s.opts.Files, dir, func(name string) { files = append(files, "/"+name) }, leave)
	}
	for name := range s.sources {
		if !s.inWorld(name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// inWorld reports whether a path lies in a world, whose files are no programs
// (R50).
func (s *Snapshot) inWorld(name string) bool {
	return s.opts.Files != nil && source.WorldIn(s.opts.Files, strings.TrimPrefix(name, "/")) != ""
}

// entryOf returns the entry of the program that a document is judged in: the
// entry that koru.json names if the document is a part of it, else the first
// program that is a part of no other, those of the same folder first, else its
// own. The choice does not depend on what is open.
func (s *Snapshot) entryOf(name string) string {
	if strings.HasPrefix(name, stdPrefix) {
		return name
	}
	g := s.graph()
	best := ""
	for _, user := range g.users[name] {
		if g.root(user) && (best == "" || s.prefers(name, user, best)) {
			best = user
		}
	}
	if best == "" || g.mutual(name, best) && name < best {
		return name
	}
	return best
}

// root reports whether an entry is a part of no other program. Of programs that
// import each other, and of the facets of one module, the first counts.
func (g *graph) root(entry string) bool {
	return !slices.ContainsFunc(g.users[entry], func(user string) bool {
		return !g.mutual(entry, user) || user < entry
	})
}

func (g *graph) mutual(a, b string) bool {
	return slices.Contains(g.parts[a], b) && slices.Contains(g.parts[b], a)
}

// prefers reports whether the program of entry a tells more about a file than
// that of b.
func (s *Snapshot) prefers(name, a, b string) bool {
	rank := func(entry string) int {
		switch project := s.checker.Project(path.Dir(name)); {
		case project.Entry != "" && "/"+strings.TrimPrefix(project.Entry, "/") == entry:
			return 0
		case path.Dir(entry) == path.Dir(name):
			return 1
		}
		return 2
	}
	if ra, rb := rank(a), rank(b); ra != rb {
		return ra < rb
	}
	return a < b
}

// Programs returns an iterator over every program of the workspace that is a
// part of no other, judged, in the order of their entries. Files shared by
// several are seen several times.
func (s *Snapshot) Programs() iter.Seq[*check.Program] {
	return s.programsWhere(func(*graph, string) bool { return true })
}

// ProgramsWith returns an iterator over the programs that a document is a part
// of: those to look through for uses of what it declares.
func (s *Snapshot) ProgramsWith(d *Document) iter.Seq[*check.Program] {
	if strings.HasPrefix(d.Path, stdPrefix) {
		return s.Programs()
	}
	own := s.entryOf(d.Path)
	return s.programsWhere(func(g *graph, entry string) bool {
		return entry == own || slices.Contains(g.parts[entry], d.Path)
	})
}

func (s *Snapshot) programsWhere(wanted func(*graph, string) bool) iter.Seq[*check.Program] {
	return func(yield func(*check.Program) bool) {
		g := s.graph()
		for _, entry := range g.files {
			if !g.root(entry) || !wanted(g, entry) {
				continue
			}
			if j := s.judge(entry); j.err == nil && !yield(j.prog) {
				return
			}
		}
	}
}

// Files returns the Koru files of the workspace, as slash paths, sorted.
func (s *Snapshot) Files() []string { return s.graph().files }

// sameImports reports whether two versions of a file import the same: neither
// an import nor a block of path aliases differs.
func sameImports(a, b *syntax.File) bool {
	head := 0
	for head < min(a.NumItems(), b.NumItems()) && a.Item(head).Tree() == b.Item(head).Tree() {
		head++
	}
	enda, endb := a.NumItems(), b.NumItems()
	for enda > head && endb > head && a.Item(enda-1).Tree() == b.Item(endb-1).Tree() {
		enda--
		endb--
	}
	return slices.Equal(slices.Collect(importing(a, head, enda)), slices.Collect(importing(b, head, endb)))
}

// importing yields the text of the items, in a range of a file, that say what it
// imports.
func importing(f *syntax.File, from, to int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := from; i < to; i++ {
			it := f.Item(i)
			switch it.Kind() {
			case syntax.FlowItem:
				call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
				if call.Path().Text() != "std/compiler:paths" {
					continue
				}
			case syntax.ImportItem:
			default:
				continue
			}
			if !yield(it.Text()) {
				return
			}
		}
	}
}
