package view

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Options say what a workspace is read from and what the client can do.
type Options struct {
	// Options are those of the checker. Files is the disk: paths below its root
	// are those of file: URIs. Dir stays empty, Editing is set for you.
	check.Options
	Encoding syntax.Encoding
	Client   Client
	Settings Settings
	// Run runs the program of an entry file in a folder, for the command koru.run;
	// nil if nothing can be run.
	Run func(ctx context.Context, entry, dir string) (*Ran, error)
}

// Client is what the editor can show, as far as an answer depends on it.
type Client struct {
	Markdown       bool // documentation may be Markdown
	Snippets       bool // completions may have places to fill
	LabelDetails   bool // completions may have details beside the label
	InsertReplace  bool // completions may tell inserting from replacing
	Versioned      bool // edits may say which version of a document they are for
	FileOperations bool // edits may create, rename and delete files
	LinkSupport    bool // definitions may say what they are the definition of
	Hierarchical   bool // document symbols may nest
	LineFolding    bool // foldings are whole lines
	CodeActions    bool // code actions may be literals with edits
	RelatedInfo    bool // diagnostics may point at other places
	Tags           bool // diagnostics may be marked as unnecessary or deprecated
	CodeLinks      bool // diagnostics may link to the explanation of their code
}

// Settings are what a user chooses.
type Settings struct {
	// Scope is the scope that wire documents are judged against: its name, and
	// the program that registers it, relative to the root.
	Scope   string
	Program string
	// DocsURL is where the manual of codes can be read; "" gives no links.
	DocsURL string
	// Hints are what is shown between the characters of a source.
	Hints Hints
}

// Hints turns inlay hints on and off.
type Hints struct{ Puns, Discharges, States, Costs bool }

// codesManual is the public manual of codes.
const codesManual = "https://github.com/koru-go/koru/blob/main/docs/codes.md"

// DefaultSettings are what holds unless the user says otherwise.
func DefaultSettings() Settings {
	return Settings{DocsURL: codesManual, Hints: Hints{Puns: true, Discharges: true, States: true, Costs: true}}
}

// Snapshot is the workspace at one moment. It is immutable and safe for
// concurrent use.
type Snapshot struct {
	opts     Options
	checker  *check.Checker
	painted  *paintings
	outlined *outlines
	roots    []string // slash paths
	open     map[string]*Document
	sources  map[string]*syntax.File // the texts of open, as the checker takes them

	imports *lazyGraph

	mu       sync.Mutex
	programs map[string]*judgement // by entry
	wires    map[*syntax.File]*wireJudgement
}

// New returns a workspace with nothing open.
func New(opts Options) *Snapshot {
	opts.Dir = ""
	opts.Editing = true
	return &Snapshot{
		opts: opts, checker: check.NewChecker(opts.Options), painted: &paintings{}, outlined: &outlines{}, imports: &lazyGraph{},
		programs: map[string]*judgement{},
	}
}

// Options returns what the workspace was made with.
func (s *Snapshot) Options() *Options { return &s.opts }

// Client returns what the editor can show.
func (s *Snapshot) Client() *Client { return &s.opts.Client }

// Settings returns what the user chose.
func (s *Snapshot) Settings() *Settings { return &s.opts.Settings }

// Roots returns the folders of the workspace, as slash paths.
func (s *Snapshot) Roots() []string { return s.roots }

func (s *Snapshot) home() string {
	if len(s.roots) > 0 {
		return s.roots[0]
	}
	return "/"
}

// next returns a copy that knows nothing of programs yet.
func (s *Snapshot) next() *Snapshot {
	return &Snapshot{
		opts: s.opts, checker: s.checker, painted: s.painted, outlined: s.outlined, roots: s.roots, open: s.open, sources: s.sources,
		imports: &lazyGraph{}, programs: map[string]*judgement{},
	}
}

// keep hands on the programs that a change to the given documents leaves as
// they are.
func (s *Snapshot) keep(from *Snapshot, changed ...string) *Snapshot {
	from.mu.Lock()
	defer from.mu.Unlock()
	for entry, j := range from.programs {
		if j.done.Load() && !slices.ContainsFunc(changed, j.holds) {
			s.programs[entry] = j
		}
	}
	return s
}

// WithRoots returns the workspace with other folders.
func (s *Snapshot) WithRoots(folders []uri.URI) *Snapshot {
	n := s.next().keep(s)
	n.roots = nil
	for _, u := range folders {
		if dir := n.pathOf(u); strings.HasPrefix(dir, "/") && !slices.Contains(n.roots, dir) {
			n.roots = append(n.roots, dir)
		}
	}
	return n
}

// WithSettings returns the workspace with other settings.
func (s *Snapshot) WithSettings(settings Settings) *Snapshot {
	n := s.next().keep(s)
	n.imports = s.imports
	n.opts.Settings = settings
	return n
}

// WithOpen returns the workspace after a document was opened.
func (s *Snapshot) WithOpen(u uri.URI, language string, version int32, text string) *Snapshot {
	name := s.pathOf(u)
	kind := name
	if path.Ext(name) == "" {
		kind += extensionOf(language) // a buffer without a name
	}
	return s.with(&Document{
		URI: u, Path: name, Language: language, Version: version, Open: true, Syntax: Parse(kind, language, text),
	}).inherit(s, name)
}

// inherit hands on what is known if a document that was opened or closed reads
// as it did before. One that had no file before may be what an import was
// missing, so that nothing is known then.
func (s *Snapshot) inherit(from *Snapshot, name string) *Snapshot {
	was, is := from.text(name), s.text(name)
	if was == nil || is == nil || !sameImports(was, is) {
		return s
	}
	s.imports = from.imports
	return s.keep(from, name)
}

// text returns what a path holds: the buffer, or the file.
func (s *Snapshot) text(name string) *syntax.File {
	if f := s.sources[name]; f != nil {
		return f
	}
	d, err := s.onDisk(name, "")
	if err != nil {
		return nil
	}
	return d.Syntax
}

func extensionOf(language string) string {
	switch language {
	case "koru-zig", "zig":
		return ".kz"
	case "koru-javascript", "javascript":
		return ".kjs"
	}
	return ".k"
}

// WithText returns the workspace after an open document was edited.
func (s *Snapshot) WithText(d *Document, version int32, file *syntax.File) *Snapshot {
	c := *d
	c.Version, c.Syntax = version, file
	n := s.with(&c).keep(s, d.Path)
	if n.imports = s.imports; !sameImports(d.Syntax, file) {
		n.imports = s.imports.redraw(d.Path)
	}
	return n
}

// with puts a document in.
func (s *Snapshot) with(d *Document) *Snapshot {
	n := s.next()
	n.open, n.sources = maps.Clone(s.open), maps.Clone(s.sources)
	if n.open == nil {
		n.open, n.sources = map[string]*Document{}, map[string]*syntax.File{}
	}
	n.open[d.Path] = d
	if !d.Wire() {
		n.sources[d.Path] = d.Syntax
	}
	return n
}

// WithoutDocument returns the workspace after a document was closed: what is on
// disk counts again.
func (s *Snapshot) WithoutDocument(u uri.URI) *Snapshot {
	name := s.pathOf(u)
	n := s.next()
	n.open, n.sources = maps.Clone(s.open), maps.Clone(s.sources)
	delete(n.open, name)
	delete(n.sources, name)
	n.checker.Forget(name)
	n.painted.forget(name)
	n.outlined.forget(name)
	return n.inherit(s, name)
}

// Forget drops what is remembered of a file on disk that has been written. What
// the workspace holds is not changed by it: the document is open.
func (s *Snapshot) Forget(u uri.URI) { s.checker.Forget(s.pathOf(u)) }

// WithDisk returns the workspace after files have changed on disk.
func (s *Snapshot) WithDisk(changed ...uri.URI) *Snapshot {
	for _, u := range changed {
		s.checker.Forget(s.pathOf(u))
	}
	return s.next()
}

// judgement is a program that is judged when somebody first asks for it.
type judgement struct {
	once  sync.Once
	done  atomic.Bool
	prog  *check.Program
	err   error
	files map[string]*check.File // by path
}

func (j *judgement) holds(path string) bool { return j.files[path] != nil }

// Program returns the program that a document belongs to, judged, and the
// document's file in it. The error says why there is none.
func (s *Snapshot) Program(d *Document) (*check.Program, *check.File, error) {
	j := s.judge(s.entryOf(d.Path))
	if j.err != nil {
		return nil, nil, j.err
	}
	f := j.files[d.Path]
	if f == nil {
		return nil, nil, noDocument(d.URI, "it belongs to no program")
	}
	return j.prog, f, nil
}

func (s *Snapshot) judge(entry string) *judgement {
	s.mu.Lock()
	j := s.programs[entry]
	if j == nil {
		j = &judgement{}
		s.programs[entry] = j
	}
	s.mu.Unlock()
	j.once.Do(func() {
		if module, ok := strings.CutPrefix(entry, stdPrefix); ok {
			name := strings.TrimSuffix(module, path.Ext(module))
			j.prog = check.Source("/contract.k", "import "+name+"\n", s.opts.Options)
		} else if j.prog, j.err = s.checker.Check(entry, s.sources); j.err != nil {
			return
		}
		j.files = map[string]*check.File{}
		for _, m := range j.prog.Modules {
			for _, f := range m.Files {
				j.files[pathOfFile(f)] = f
			}
		}
		j.done.Store(true)
	})
	return j
}
