package check

import "github.com/koru-go/koru/syntax"

// One slip is one finding. Where the parser lost its way, what is said beyond
// its own fault would be a guess: the body of such an item is resolved, for an
// editor to ask about, but not judged; a verb with such a declaration is not
// held against its callers; and a name that is written in such an item may be
// declared there, so that it is not called unknown elsewhere.

// broken reports whether an item holds text that the parser could not follow.
func broken(item syntax.Node) bool {
	if item.Kind() == syntax.ErrorItem {
		return true
	}
	for _, f := range item.Faults() {
		switch f.Code {
		case "PARSE001", "PARSE004", "KORU001":
			return true
		}
	}
	return false
}

// unclear reports whether the layout or the text of an item leaves open what
// belongs to what. A tab has no width (PARSE002).
func unclear(item syntax.Node) bool {
	for _, f := range item.Faults() {
		if f.Code == "PARSE002" {
			return true
		}
	}
	return broken(item)
}

// misreads collects the words of items that were not understood.
func (m *Module) misreads() {
	for _, f := range m.Files {
		for it := range f.Syntax.Items() {
			if !broken(it) {
				continue
			}
			if m.misread == nil {
				m.misread = map[string]bool{}
			}
			for t := range it.AllTokens() {
				if t.Kind() == syntax.Name {
					m.misread[t.Text()] = true
				}
			}
		}
	}
}

// aside returns a judge whose findings nobody hears.
func (j *judge) aside() *judge {
	var findings []Diagnostic
	return &judge{prog: j.prog, mod: j.mod, file: j.file, out: &findings, apart: j.apart}
}
