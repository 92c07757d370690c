package format

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// verify parses the text that was printed for f and compares it with f item by
// item: nodes, tokens and comments, and the very bytes where nothing was to be
// touched. It returns the edits between the two if they are wanted, and false if
// any item reads differently.
//
// An item parses the same whatever stands before it, and what it looks at behind
// its end belongs to the next one. So only runs of changed items are parsed,
// with the item before such a run, which may look at the first of them.
func (p *printer) verify(f *syntax.File, text string, wanted bool) (edits []syntax.Edit, ok bool) {
	v := verification{f, text, p.starts}
	for i := 0; i < f.NumItems(); i++ {
		first := i
		for i < f.NumItems() && v.changed(i) {
			i++
		}
		if i == first {
			continue
		}
		if edits, ok = v.run(&p.check, first, i, edits, wanted); !ok {
			return nil, false
		}
	}
	return edits, true
}

// verification compares a file with the text that was printed for it.
type verification struct {
	file   *syntax.File
	text   string
	starts []int // where each item of the file begins in text, and the end
}

func (v *verification) printed(i int) string { return v.text[v.starts[i]:v.starts[i+1]] }

func (v *verification) changed(i int) bool { return v.printed(i) != v.file.Item(i).Text() }

// run compares the changed items from first up to end, and appends their edits
// if they are wanted.
func (v *verification) run(room *syntax.Scratch, first, end int, edits []syntax.Edit, wanted bool) ([]syntax.Edit, bool) {
	n := v.file.NumItems()
	from := max(first-1, 0)
	for from > 0 && strings.HasPrefix(v.printed(from), "\ufeff") {
		from-- // a byte order mark only where a file begins
	}
	// The item behind the run is parsed, too: the run looks at it.
	again := room.Parse(v.file.Name, v.file.Kind, v.text[v.starts[from]:v.starts[min(end+1, n)]])
	j := 0
	for i := from; i < end; i++ {
		source := v.file.Item(i)
		if v.printed(i) == "" {
			if !isBlank(source.Text()) {
				return nil, false
			}
			edits = appendEdit(edits, source.Base(), source.Text(), "")
			continue
		}
		if j == again.NumItems() || !reads(source, again.Item(j), i == n-1) {
			return nil, false
		}
		if wanted && i >= first {
			edits = itemEdits(edits, source, again.Item(j))
		}
		j++
	}
	added := end == n && j < again.NumItems() && again.Len() > 0
	return edits, !added
}

// reads reports whether a formatted item reads as its source. The line end at
// the end of a file belongs to the file, not to the host text before it.
func reads(source, formatted syntax.Node, last bool) bool {
	if last && source.Kind() == syntax.HostItem {
		return formatted.Kind() == syntax.HostItem && trimLines(source.Text()) == trimLines(formatted.Text())
	}
	return syntax.Same(source, formatted)
}

// isBlank reports whether an item holds nothing but blank lines.
func isBlank(s string) bool { return strings.Trim(s, " \t\r\n") == "" }

func trimLines(s string) string { return strings.TrimRight(s, " \t\r\n") }
