package view

import (
	"sync"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/syntax"
)

// outlines remembers the symbols of the items of each document: an edit leaves
// most items as they are, and only their lines move. It belongs to all snapshots
// of a workspace.
type outlines struct {
	mu   sync.Mutex
	last map[string]map[*syntax.Tree]itemSymbols
}

// itemSymbols is what an item that begins a line puts into the outline, with
// lines counted from its start.
type itemSymbols struct {
	symbol protocol.DocumentSymbol
	count  int // symbols in it, itself included; 0 for an item without a name
}

func (o *outlines) of(path string) map[*syntax.Tree]itemSymbols {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last[path]
}

func (o *outlines) keep(path string, items map[*syntax.Tree]itemSymbols) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last == nil {
		o.last = map[string]map[*syntax.Tree]itemSymbols{}
	}
	o.last[path] = items
}

// forget drops what is kept for a document that was closed.
func (o *outlines) forget(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.last, path)
}

// symbols returns the nested symbols of a document.
func (s *Snapshot) symbols(d *Document) []protocol.DocumentSymbol {
	f, old := d.Syntax, s.outlined.of(d.Path)
	fresh := make(map[*syntax.Tree]itemSymbols, len(old)+1)
	list := make([]itemSymbols, 0, f.NumItems())
	lines := make([]uint32, 0, f.NumItems())
	total := 0
	for it := range f.Items() {
		line := f.LineOf(it.Base())
		known, ok := old[it.Tree()]
		whole := f.LineStart(line) == it.Base()
		if !ok || !whole {
			known = s.symbolsOf(f, it, uint32(line))
		}
		if whole {
			fresh[it.Tree()] = known
		}
		if known.count > 0 {
			list, lines = append(list, known), append(lines, uint32(line))
			total += known.count
		}
	}
	s.outlined.keep(d.Path, fresh)
	slab := make([]protocol.DocumentSymbol, total)
	out := slab[:len(list):len(list)]
	slab = slab[len(list):]
	for i := range list {
		slab = moved(&out[i], &list[i].symbol, lines[i], slab)
	}
	return out
}

// symbolsOf makes the symbols of one item.
func (s *Snapshot) symbolsOf(f *syntax.File, it syntax.Node, line uint32) itemSymbols {
	o := outlineItem(f, it)
	if o.name == "" {
		return itemSymbols{}
	}
	list := s.nested(f, []outline{o})
	out := itemSymbols{count: countOf(list)}
	moved(&out.symbol, &list[0], -line, make([]protocol.DocumentSymbol, out.count-1))
	return out
}

func countOf(list []protocol.DocumentSymbol) int {
	n := len(list)
	for i := range list {
		n += countOf(list[i].Children)
	}
	return n
}

// moved copies a symbol, its lines moved down, with room for what is in it at the
// start of slab, and returns what is left of that.
func moved(to, from *protocol.DocumentSymbol, lines uint32, slab []protocol.DocumentSymbol) []protocol.DocumentSymbol {
	*to = *from
	for _, r := range []*protocol.Range{&to.Range, &to.SelectionRange} {
		r.Start.Line += lines
		r.End.Line += lines
	}
	n := len(from.Children)
	to.Children, slab = slab[:n:n], slab[n:]
	for i := range from.Children {
		slab = moved(&to.Children[i], &from.Children[i], lines, slab)
	}
	return slab
}
