package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/koru-go/koru/syntax"
)

// Checker judges programs and remembers what it has read, so that the next
// program that shares files with this one costs only what is new. It is safe
// for concurrent use.
type Checker struct {
	opts Options
	std  *library

	mu       sync.Mutex
	sources  map[string]*source
	projects map[string]*project
	memories map[string]*memory // by entry
}

// NewChecker returns a Checker for programs loaded with opts.
func NewChecker(opts Options) *Checker {
	opts.Dir = strings.Trim(path.Clean("/"+opts.Dir), "/")
	return &Checker{
		opts:     opts,
		std:      libraryOf(opts.Std),
		sources:  map[string]*source{},
		projects: map[string]*project{},
		memories: map[string]*memory{},
	}
}

// Load reads and judges the program whose entry is the file entry. The error
// says why the entry itself could not be read; everything else that is wrong is
// in the program's Diagnostics.
func Load(entry string, opts Options) (*Program, error) {
	return NewChecker(opts).Check(entry, nil)
}

// Source judges a program whose entry is a text in memory. Its imports are
// read from opts.Files as if the text stood there under that name.
func Source(name, text string, opts Options) *Program {
	f := syntax.Parse(name, syntax.KindOf(name), text)
	p, err := NewChecker(opts).Check(name, map[string]*syntax.File{name: f})
	if err != nil {
		panic("check: a source in memory cannot fail to load: " + err.Error())
	}
	return p
}

// Check judges the program whose entry is the file entry. Sources in open,
// keyed by path, stand in for what the file system holds: the unsaved buffers
// of an editor, standard input, the texts of a test.
//
// With Options.Editing the same entry is cheap to judge again: what the edit has
// changed is judged, and what depends on that, if the new source shares its items
// with the one before ([syntax.File.Edit]). The program before stays as it is, for
// whoever still reads it, and is let go with its last reader. Of the new one
// [Module.Tor], [Program.FlowOf], [Program.TestOf] and what an entity stands for
// cost as much as the one item that is asked about; [Module.Tors] and
// [Program.Facts] as much as the whole.
func (c *Checker) Check(entry string, open map[string]*syntax.File) (*Program, error) {
	l := newLoader(c, open)
	l.old = c.memoryOf(entry)
	p, err := l.load(entry)
	if err != nil {
		return nil, err
	}
	p.old = l.old
	p.judge()
	if c.opts.Editing {
		next := p.memorize()
		c.mu.Lock()
		c.memories[entry] = next
		c.mu.Unlock()
	}
	p.old, p.loose, p.takerSums = nil, nil, nil
	return p, nil
}

// memoryOf returns what is known of the last judgement of an entry, or nil.
func (c *Checker) memoryOf(entry string) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.memories[entry]
}

// Findings merges what is said about several programs, each finding once. A
// program whose entry is a module of another is judged as a part of that one
// alone: only from there its imports lead where they should. Of programs that
// import each other the first counts.
func Findings(programs []*Program) []Diagnostic {
	users := map[string][]int{} // programs that a module is a part of, by its stem
	for i, p := range programs {
		for _, m := range p.own()[1:] {
			users[m.stem] = append(users[m.stem], i)
		}
	}
	var list []Diagnostic
	for i, p := range programs {
		part := slices.ContainsFunc(users[p.Entry.stem], func(user int) bool {
			mutual := slices.Contains(users[programs[user].Entry.stem], i)
			return !mutual || user < i
		})
		if !part {
			list = append(list, p.Diagnostics...)
		}
	}
	return SortDiagnostics(list)
}

// Forget drops what is remembered of files that have changed on disk.
func (c *Checker) Forget(paths ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range paths {
		full := c.full(name)
		delete(c.sources, full)
		if path.Base(full) == projectFile {
			clear(c.projects)
		}
	}
}

// full returns the path in Options.Files of a path that a caller gave.
func (c *Checker) full(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") {
		return strings.TrimPrefix(path.Clean(name), "/")
	}
	return path.Join(c.opts.Dir, name)
}

// source is one file as it was read: its tree, or why there is none.
type source struct {
	file *syntax.File
	err  error
}

// read returns the parsed file of a path in Options.Files.
func (c *Checker) read(full string) (*syntax.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sources[full]
	if s == nil {
		s = &source{}
		var text []byte
		if text, s.err = readFile(c.opts.Files, full); s.err == nil {
			s.file = syntax.Parse(full, syntax.KindOf(full), string(text))
		}
		c.sources[full] = s
	}
	return s.file, s.err
}

// readFile reads a regular file. A path that leaves the file system is one that
// does not exist.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	if fsys == nil || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, reason(err)
	}
	switch {
	case info.IsDir():
		return nil, errors.New("is a folder, not a file")
	case !info.Mode().IsRegular() && path.Ext(name) != "":
		return nil, errors.New("is no regular file") // a pipe would be waited for
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, reason(err)
	}
	return text, nil
}

// reason strips the operation and the path from a file system's error: whoever
// reports it names the path in the caller's words.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return err
}

// LoadError says why an entry could not be read.
type LoadError struct {
	Path string
	Err  error
}

func (e *LoadError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("%s: there is no such file", e.Path)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

func (e *LoadError) Unwrap() error { return e.Err }
