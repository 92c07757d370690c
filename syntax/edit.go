package syntax

import (
	"slices"
	"strings"
)

// Edit returns the file after replacing the bytes [e.Start, e.End) by e.Text.
// Only the items that the edit can have changed are parsed again; the others
// are shared with the receiver. The result equals a fresh parse of the new text.
//
// An item is touched if the parser looked at any byte of the edit while parsing
// it, which may have been past the item's end. Since an item parses the same
// whatever stands before it, parsing may stop at the first old item boundary
// behind the edit.
func (f *File) Edit(e Edit) *File {
	old := f.text
	e.Start = min(max(e.Start, 0), len(old))
	e.End = min(max(e.End, e.Start), len(old))
	text := old[:e.Start] + e.Text + old[e.End:]
	grown := len(e.Text) - (e.End - e.Start)
	if len(text) > maxSource || len(old) > maxSource {
		return Parse(f.Name, f.Kind, text)
	}
	first := f.firstTouched(e.Start)
	start := int(f.items[first].base)
	p := newParser(f.Kind, text)
	p.reserve(len(e.Text) + 1024)
	resume := len(f.items)
	places := p.parseAll(start, func(pos int) bool {
		if pos-grown < e.End || pos < e.Start+len(e.Text) {
			return false
		}
		i := f.boundary(pos - grown)
		if i < 0 {
			return false
		}
		resume = i
		return true
	})
	detach(places)
	g := &File{Name: f.Name, Kind: f.Kind, text: text}
	g.items = make([]place, 0, first+len(places)+len(f.items)-resume)
	g.items = append(g.items, f.items[:first]...)
	g.items = append(g.items, places...)
	for _, it := range f.items[resume:] {
		g.items = append(g.items, place{it.tree, it.base + int32(grown), it.peek})
	}
	g.lines.edited(f, e, text)
	return g
}

// firstTouched returns the index of the first item whose parse looked at offset
// off or at anything behind it.
func (f *File) firstTouched(off int) int {
	for i, it := range f.items {
		if int(it.base)+int(it.peek) >= off {
			return i
		}
	}
	return len(f.items) - 1
}

// boundary returns the index of the item that starts at off, or -1.
func (f *File) boundary(off int) int {
	i := f.ItemAt(off)
	if int(f.items[i].base) == off {
		return i
	}
	return -1
}

// together is how many items of an edit share their memory. An item keeps that
// of its neighbours alive, so they are few.
const together = 16

// detach gives the trees a text and slabs of their own, cut to size, so that an
// item does not keep the text of every version of the file alive, nor the room
// that its parse was given.
func detach(places []place) {
	for len(places) > together {
		detachGroup(places[:together])
		places = places[together:]
	}
	detachGroup(places)
}

func detachGroup(places []place) {
	var b strings.Builder
	tokens, nodes := 0, 0
	for _, it := range places {
		b.WriteString(it.tree.text)
		tokens += len(it.tree.tokens)
		nodes += len(it.tree.nodes)
	}
	trees, text := make([]Tree, len(places)), b.String()
	tokenSlab, nodeSlab := make([]token, 0, tokens), make([]node, 0, nodes)
	for i, it := range places {
		t := &trees[i]
		*t = *it.tree
		t.text, text = text[:len(t.text)], text[len(t.text):]
		tokenSlab, t.tokens = cutOff(tokenSlab, t.tokens)
		nodeSlab, t.nodes = cutOff(nodeSlab, t.nodes)
		t.faults = slices.Clip(slices.Clone(t.faults))
		places[i].tree = t
	}
}

// cutOff appends a copy of list to a slab and returns both.
func cutOff[T any](slab, list []T) (grown, copied []T) {
	start := len(slab)
	slab = append(slab, list...)
	return slab, slab[start:len(slab):len(slab)]
}
