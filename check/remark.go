package check

import (
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// While nothing that a body sees has changed, its findings are what they were;
// only their places move. A verdict with findings is one that is carried over in
// that case alone: what is said of a name that leads nowhere depends on all names
// that there are.

// remark is a finding without its places: spans count from where they are
// anchored, and no file or module of a program is held.
type remark struct {
	d     Diagnostic
	notes []anchored // of d.Notes
	edits []anchored // of the edits of d.Fixes, in their order
	doubt doubtful
}

// anchored is what a place is counted from.
type anchored struct {
	to     anchorKind
	module int16        // of the tor
	tor    int32        // its number
	tree   *syntax.Tree // as it was
	name   string       // the module to import
}

type anchorKind uint8

const (
	toItem   anchorKind = iota // the item that was judged
	toTor                      // the declaration of a tor
	toImport                   // where an import belongs
)

// doubtful is a doubt about a module of the program, or of the library.
type doubtful struct {
	doubt
	module int16
}

// carry makes of the findings about an item what can be carried over, or reports
// that one of them cannot.
func (j *judge) carry(item syntax.Node, found []Diagnostic) ([]remark, bool) {
	list := make([]remark, 0, len(found))
	for i := range found {
		c, ok := j.detach(item, &found[i])
		if !ok {
			return nil, false
		}
		list = append(list, c)
	}
	return list, true
}

func (j *judge) detach(item syntax.Node, d *Diagnostic) (remark, bool) {
	c := remark{d: *d}
	own, ok := j.anchor(item, d.File, &c.d.Span)
	if !ok || own.to != toItem || strings.Contains(d.Message, "line ") {
		return c, false // a line that is named by its number may be another one then
	}
	c.d.File = nil
	c.d.Notes = slices.Clone(d.Notes)
	for i := range c.d.Notes {
		n := &c.d.Notes[i]
		at, ok := j.anchor(item, n.File, &n.Span)
		if !ok {
			return c, false
		}
		n.File = nil
		c.notes = append(c.notes, at)
	}
	c.d.Fixes = slices.Clone(d.Fixes)
	for i := range c.d.Fixes {
		f := &c.d.Fixes[i]
		f.Edits = slices.Clone(f.Edits)
		for k := range f.Edits {
			e := &f.Edits[k]
			at, ok := j.importing(f, e)
			if !ok {
				at, ok = j.anchor(item, e.File, &e.Span)
			}
			if !ok {
				return c, false
			}
			e.File = nil
			c.edits = append(c.edits, at)
		}
	}
	c.d.doubt = nil
	if d.doubt != nil {
		c.doubt = doubtful{*d.doubt, d.doubt.in.number()}
		if c.doubt.module >= 0 {
			c.doubt.in = nil
		}
	}
	return c, true
}

// importing reports whether an edit writes the import that its fix promises. Where
// an import belongs may be at an item that has nothing else to do with it.
func (j *judge) importing(f *Fix, e *TextEdit) (anchored, bool) {
	module, ok := strings.CutPrefix(f.Title, "import ")
	if !ok || e.File != j.file {
		return anchored{}, false
	}
	place, line := j.file.Importing(module)
	return anchored{to: toImport, name: module}, e.Span.Start == place && e.Text == line
}

// anchor finds what a place can be counted from, and counts it from there.
func (j *judge) anchor(item syntax.Node, f *File, s *syntax.Span) (anchored, bool) {
	if f == nil || f.Module == nil || f.Module.prog == nil {
		return anchored{}, false
	}
	if f == j.file && within(item, s) {
		return anchored{to: toItem}, true
	}
	i := f.Syntax.ItemAt(s.Start)
	decl := f.Syntax.Item(i)
	if f.outline.marks[i]&isTor == 0 || !within(decl, s) {
		return anchored{}, false
	}
	n, _ := slices.BinarySearch(f.outline.tors, int32(i))
	for _, g := range f.Module.Files {
		if g == f {
			break
		}
		n += len(g.outline.tors)
	}
	return anchored{to: toTor, module: f.Module.number(), tor: int32(n), tree: decl.Tree()}, true
}

// within reports whether a range lies in an item, and counts it from there if it
// does.
func within(item syntax.Node, s *syntax.Span) bool {
	base := item.Base()
	if s.Start < base || s.End > base+len(item.Tree().Text()) {
		return false
	}
	s.Start, s.End = s.Start-base, s.End-base
	return true
}

// restate says again what was found about an item the last time, where it stands
// now. It reports whether it could.
func (j *judge) restate(item syntax.Node, list []remark) bool {
	p := j.prog
	found := make([]Diagnostic, len(list))
	for i := range list {
		c, d := &list[i], &found[i]
		*d = c.d
		d.File = j.file
		d.Span = at(item, d.Span)
		d.Notes = slices.Clone(d.Notes)
		for k := range d.Notes {
			if !j.place(item, &c.notes[k], &d.Notes[k].File, &d.Notes[k].Span) {
				return false
			}
		}
		d.Fixes = slices.Clone(d.Fixes)
		next := 0
		for k := range d.Fixes {
			f := &d.Fixes[k]
			f.Edits = slices.Clone(f.Edits)
			for e := range f.Edits {
				a, edit := &c.edits[next], &f.Edits[e]
				next++
				if a.to == toImport {
					edit.File = j.file
					edit.Span.Start, edit.Text = j.file.Importing(a.name)
					edit.Span.End = edit.Span.Start
				} else if !j.place(item, a, &edit.File, &edit.Span) {
					return false
				}
			}
		}
		if c.doubt.doubt != (doubt{}) {
			q := c.doubt.doubt
			if c.doubt.module >= 0 {
				q.in = p.Modules[c.doubt.module]
			}
			d.doubt = &q
		}
	}
	*j.out = append(*j.out, found...)
	return true
}

// place finds where a place is now.
func (j *judge) place(item syntax.Node, a *anchored, f **File, s *syntax.Span) bool {
	if a.to == toItem {
		*f, *s = j.file, at(item, *s)
		return true
	}
	file, i := j.prog.Modules[a.module].torPlace(a.tor)
	decl := file.Syntax.Item(i)
	if decl.Tree() != a.tree {
		return false // its text has changed, if not what it says
	}
	*f, *s = file, at(decl, *s)
	return true
}

func at(item syntax.Node, s syntax.Span) syntax.Span {
	return syntax.Span{Start: s.Start + item.Base(), End: s.End + item.Base()}
}
