package syntax

import (
	"slices"
	"strings"
	"sync"
)

// Same reports whether two items read the same: their nodes and tokens are equal
// and their comments stand between the same tokens. What it does not compare is
// layout: blanks and line ends between tokens, commas where the nodes say that
// elements are apart, and blanks in front of the brace that closes a source block.
// Items with faults are the same if their bytes are.
func Same(a, b Node) bool {
	x, y := a.tree, b.tree
	if x == nil || y == nil || len(x.nodes) != len(y.nodes) || len(x.faults) != len(y.faults) {
		return x == y
	}
	if len(x.faults) > 0 {
		return x.text == y.text && slices.Equal(x.tokens, y.tokens)
	}
	twins := twinSlabs.Get().(*[]uint32)
	defer twinSlabs.Put(twins)
	*twins = append((*twins)[:0], make([]uint32, len(x.tokens))...)
	return sameTokens(x, y, *twins) && sameNodes(x, y, *twins)
}

var twinSlabs = sync.Pool{New: func() any { return new([]uint32) }}

// sameTokens walks both token slabs in step and notes in twins which token of y
// each token of x corresponds to.
func sameTokens(x, y *Tree, twins []uint32) bool {
	i, j := 0, 0
	for {
		i, j = x.afterLayout(i), y.afterLayout(j)
		a, b := x.tokenKind(i), y.tokenKind(j)
		switch {
		case a != b && a == Comma:
			i++
			continue
		case a != b && b == Comma:
			j++
			continue
		case a != b:
			return false
		case a == Invalid:
			return true
		case !sameText(a, x.tokenText(i), y.tokenText(j)):
			return false
		}
		twins[i] = uint32(j)
		i++
		j++
	}
}

// afterLayout returns the index of the first token from i on that is neither a
// blank nor a line end.
func (t *Tree) afterLayout(i int) int {
	for i < len(t.tokens) && (t.tokens[i].kind == Space || t.tokens[i].kind == Newline || t.tokens[i].kind == BOM) {
		i++
	}
	return i
}

// tokenKind returns the kind of a token, or Invalid behind the last one.
func (t *Tree) tokenKind(i int) Kind {
	if i < len(t.tokens) {
		return t.tokens[i].kind
	}
	return Invalid
}

func sameText(kind Kind, a, b string) bool {
	if a == b {
		return true
	}
	switch kind {
	case Comment:
		return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t")
	case Text:
		return beforeIndent(a) == beforeIndent(b)
	}
	return false
}

// beforeIndent cuts the indentation of the line that a text ends on, if there
// is nothing else on that line.
func beforeIndent(s string) string {
	cut := strings.TrimRight(s, " \t")
	if cut != "" && isLine(cut[len(cut)-1]) {
		return cut
	}
	return s
}

// sameNodes compares the node slabs. Trees of the same text are built in the
// same order, so that equal nodes have equal indexes.
func sameNodes(x, y *Tree, twins []uint32) bool {
	for i := range x.nodes {
		a, b := &x.nodes[i], &y.nodes[i]
		if a.kind != b.kind || a.child != b.child || a.next != b.next {
			return false
		}
		if int32(i) == x.root || a.first == a.end {
			continue // the root covers the layout around it, too
		}
		if b.first == b.end || twins[a.first] != b.first || twins[a.end-1] != b.end-1 {
			return false
		}
	}
	return x.root == y.root
}

func (t *Tree) tokenText(i int) string { return t.text[t.tokenStart(i):t.tokenEnd(i)] }
