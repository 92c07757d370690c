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
	n, starts := f.NumItems(), p.starts
	printed := func(i int) string { return text[starts[i]:starts[i+1]] }
	for i := 0; i < n; i++ {
		if printed(i) == f.Item(i).Text() {
			continue
		}
		first, end := i, i+1
		for end < n && printed(end) != f.Item(end).Text() {
			end++
		}
		if first > 0 {
			first--
		}
		for first > 0 && strings.HasPrefix(printed(first), "\ufeff") {
			first-- // a byte order mark only where a file begins
		}
		// The item behind the run is parsed, too: the run looks at it.
		run := p.check.Parse(f.Name, f.Kind, text[starts[first]:starts[min(end+1, n)]])
		j := 0
		for k := first; k < end; k++ {
			source := f.Item(k)
			if starts[k] == starts[k+1] {
				if !isBlank(source.Text()) {
					return nil, false
				}
				edits = appendEdit(edits, source.Base(), source.Text(), "")
				continue
			}
			if j == run.NumItems() || !reads(source, run.Item(j), k == n-1) {
				return nil, false
			}
			if wanted && k >= i {
				edits = itemEdits(edits, source, run.Item(j))
			}
			j++
		}
		if end == n && j < run.NumItems() && run.Len() > 0 {
			return nil, false
		}
		i = end
	}
	return edits, true
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
