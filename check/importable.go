package check

import (
	"path"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Importable lists the modules that a file could import, sorted: the standard
// library, what lies beside it, and what the aliases of its project lead to.
// Deeper folders are listed as far as typed, the path begun, leads into them.
func (c *Checker) Importable(entry, typed string) []string {
	l := newLoader(c, nil)
	full := c.full(entry)
	l.home = strings.TrimSuffix(path.Dir(full), ".")
	l.folder = strings.HasPrefix(path.Base(full), "index.")
	l.project = c.project(l.home)
	self, _ := stemOf(path.Base(full))
	out := slices.DeleteFunc(l.candidates(typed), func(name string) bool {
		return name == "" || name == self || name == "app/"+self
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Library returns a module of the standard library, whether the program imports
// it or not, or nil.
func (c *Checker) Library(name string) *Module { return c.std.module(name) }

// Importing returns the line that makes the file import a module, and the offset
// at which it belongs.
func (f *File) Importing(module string) (at int, line string) {
	at, line = importPlace(f.Syntax), "import "+module+"\n"
	if f.Syntax.Kind != syntax.Pure {
		line = "~" + line
	}
	if text := f.Syntax.Text(); at > 0 && at == len(text) && text[at-1] != '\n' {
		line = "\n" + line
	}
	return at, line
}
