package syntax

import "strings"

// FileKind says how a source file reads (language.md 1).
type FileKind uint8

// The kinds of source.
const (
	Pure  FileKind = iota // .k: every line is Koru
	Zig                   // .kz: Zig with embedded Koru
	JS                    // .kjs: JavaScript with embedded Koru
	Reply                 // what a model sent: the wire dialect
)

// KindOf returns the kind of the file of that name; anything that is not .kz or
// .kjs reads as pure Koru.
func KindOf(name string) FileKind {
	switch {
	case strings.HasSuffix(name, ".kz"):
		return Zig
	case strings.HasSuffix(name, ".kjs"):
		return JS
	}
	return Pure
}

// File is one parsed source. It is immutable: [File.Edit] returns a new File
// that shares the items the edit did not touch.
type File struct {
	Name string
	Kind FileKind

	text  string
	items []place
	lines lineIndex
}

// place is an item and where it stands. It repeats how far the parser looked
// (Tree.peek), so that an edit finds what it touches in one pass over the places.
type place struct {
	tree *Tree
	base int32
	peek int32
}

// Parse parses one source file. It always returns a tree of every byte; what
// the parser could not follow is in [File.Faults].
func Parse(name string, kind FileKind, text string) *File {
	f := &File{Name: name, Kind: kind, text: text}
	if len(text) > maxSource {
		f.items = []place{{tree: oversized(text)}}
		return f
	}
	p := newParser(kind, text)
	p.reserve(len(text))
	f.items = p.parseAll(0, nil)
	return f
}

// newParser returns a parser of text that has no slabs yet.
func newParser(kind FileKind, text string) parser {
	return parser{
		text: text, limit: len(text),
		pure: kind == Pure, wire: kind == Reply, unclosed: -1,
	}
}

// reserve makes slabs for about size bytes of text.
func (p *parser) reserve(size int) {
	p.tokens = make([]token, 0, size/4+16)
	p.nodes = make([]node, 0, size/10+16)
	p.stack = make([]int32, 0, 64)
}

// oversized wraps a text that offsets cannot address: one token, one fault.
func oversized(text string) *Tree {
	return &Tree{
		text: text, tokens: []token{{0, Word}},
		nodes:  []node{{first: 0, end: 1, child: none, next: none, kind: ErrorItem}},
		faults: []Fault{{Code: "PARSE001", Message: "this file is larger than 1 GiB"}},
	}
}

// cut remembers where an item begins in the text and in the slabs.
type cut struct{ tok, node, fault, start, end, far int }

// parseAll parses items from offset pos up to the end of the text, or to where
// stop ends it, and makes trees of them.
func (p *parser) parseAll(pos int, stop func(pos int) bool) []place {
	cuts := p.parseItems(nil, pos, stop)
	trees := make([]Tree, len(cuts))
	places := make([]place, len(cuts))
	p.slice(cuts, trees, places)
	return places
}

// parseItems parses items from offset pos up to the end of the text. If stop is
// not nil it is asked at the start of every further item and may end the parse
// there.
func (p *parser) parseItems(cuts []cut, pos int, stop func(pos int) bool) []cut {
	for len(cuts) == 0 || pos < p.limit {
		if stop != nil && len(cuts) > 0 && stop(pos) {
			break
		}
		p.itemStart = pos
		next := p.parseItem()
		cuts = append(cuts, cut{p.tokBase, p.nodeBase, p.faultBase, pos, next, p.far})
		pos = next
	}
	return cuts
}

// slice cuts the slabs into trees. It runs last because appending may move them.
func (p *parser) slice(cuts []cut, trees []Tree, places []place) {
	for i, c := range cuts {
		tok, node, fault := len(p.tokens), len(p.nodes), len(p.faults)
		if i+1 < len(cuts) {
			tok, node, fault = cuts[i+1].tok, cuts[i+1].node, cuts[i+1].fault
		}
		trees[i] = Tree{
			text:   p.text[c.start:c.end],
			tokens: p.tokens[c.tok:tok:tok],
			nodes:  p.nodes[c.node:node:node],
			faults: p.faults[c.fault:fault:fault],
			root:   int32(node - c.node - 1),
			peek:   int32(min(c.far, p.limit+1) - c.start),
		}
		places[i] = place{&trees[i], int32(c.start), trees[i].peek}
	}
}

// Text returns the bytes of the file.
func (f *File) Text() string { return f.text }

// Len returns the size of the file in bytes.
func (f *File) Len() int { return len(f.text) }

// Items returns an iterator over the top-level items, in order. Together they
// cover every byte of the file.
func (f *File) Items() func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		for _, it := range f.items {
			if !yield(Node{it.tree, it.tree.root, it.base}) {
				return
			}
		}
	}
}

// NumItems returns the number of top-level items.
func (f *File) NumItems() int { return len(f.items) }

// Shared returns how many items at the start of the file, and how many at its
// end, are those of g: the same trees, wherever they stand. After an [File.Edit]
// that is all but what was parsed again.
func (f *File) Shared(g *File) (prefix, suffix int) {
	n := min(len(f.items), len(g.items))
	for prefix < n && f.items[prefix].tree == g.items[prefix].tree {
		prefix++
	}
	n -= prefix
	for suffix < n && f.items[len(f.items)-1-suffix].tree == g.items[len(g.items)-1-suffix].tree {
		suffix++
	}
	return prefix, suffix
}

// Item returns the i-th top-level item.
func (f *File) Item(i int) Node {
	it := f.items[i]
	return Node{it.tree, it.tree.root, it.base}
}

// Faults returns the syntax errors of the file in order of position, with
// offsets in the file.
func (f *File) Faults() []Fault {
	var out []Fault
	for _, it := range f.items {
		for _, ft := range it.tree.faults {
			out = append(out, ft.shift(int(it.base)))
		}
	}
	return out
}

// Faulty reports whether the item that n belongs to has a syntax error.
func (n Node) Faulty() bool { return n.tree != nil && len(n.tree.faults) > 0 }

// Faults returns the syntax errors of the item that n belongs to, with offsets
// in the file.
func (n Node) Faults() []Fault {
	if n.tree == nil {
		return nil
	}
	out := make([]Fault, len(n.tree.faults))
	for i, ft := range n.tree.faults {
		out[i] = ft.shift(int(n.base))
	}
	return out
}

func (ft Fault) shift(by int) Fault {
	ft.Start += by
	ft.End += by
	if ft.Fix != nil && by != 0 {
		edits := make([]Edit, len(ft.Fix.Edits))
		for i, e := range ft.Fix.Edits {
			edits[i] = Edit{e.Start + by, e.End + by, e.Text}
		}
		ft.Fix = &Fix{ft.Fix.Title, edits}
	}
	return ft
}

// ItemAt returns the index of the item that holds offset off; an offset at the
// end of the file belongs to the last item.
func (f *File) ItemAt(off int) int {
	lo, hi := 0, len(f.items)
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if int(f.items[mid].base) <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// NodeAt returns the innermost node whose range holds offset off.
func (f *File) NodeAt(off int) Node {
	n := f.Item(f.ItemAt(off))
	for {
		inner := Node{}
		for c := range n.Children() {
			if s := c.Span(); s.Contains(off) && (s.Len() > 0 || !inner.IsValid()) {
				inner = c
				if off < s.End {
					break
				}
			}
		}
		if !inner.IsValid() {
			return n
		}
		n = inner
	}
}

// TokenAt returns the token that holds offset off; between two tokens it is the
// one that starts there.
func (f *File) TokenAt(off int) Token {
	it := f.items[f.ItemAt(off)]
	rel := off - int(it.base)
	lo, hi := 0, len(it.tree.tokens)
	if hi == 0 {
		return Token{}
	}
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if int(it.tree.tokens[mid].off) <= rel {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Token{it.tree, int32(lo), it.base}
}
