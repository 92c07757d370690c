package syntax

// Tree is the parsed form of one top-level item: its bytes, its tokens, its
// nodes and its faults. A Tree knows nothing of where in a file it stands, so
// an edit elsewhere can share it. It is immutable once parsed and safe for
// concurrent readers.
type Tree struct {
	text   string
	tokens []token
	nodes  []node
	faults []Fault
	root   int32
	// peek is how far from the start of the item the parser looked, which may
	// be past its end. An edit before that point can change how the item parses.
	peek int32
}

// token is one lexical element, trivia included. Its text ends where the next
// token (or the item) begins, so a token needs only its start.
type token struct {
	off  uint32
	kind Kind
}

// node is one inner element of the tree. It covers tokens [first, end) of its
// item; both ends are significant tokens, never trivia. Children form a
// linked list in source order.
type node struct {
	first, end  uint32
	child, next int32
	kind        Kind
}

const none = int32(-1)

// Node is a cursor to one node of a file: a small value, comparable, usable as
// a map key. Its offsets are those of the file it was reached from.
type Node struct {
	tree *Tree
	id   int32
	base int32
}

// Token is a cursor to one token of a file.
type Token struct {
	tree *Tree
	id   int32
	base int32
}

// Span is a half-open range of byte offsets in a file.
type Span struct{ Start, End int }

// Len returns the number of bytes the span covers.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether offset off lies in the span or at its end.
func (s Span) Contains(off int) bool { return s.Start <= off && off <= s.End }

// IsValid reports whether the cursor points at a node.
func (n Node) IsValid() bool { return n.tree != nil }

// Kind returns the node's kind, or [Invalid] for the zero Node.
func (n Node) Kind() Kind {
	if n.tree == nil {
		return Invalid
	}
	return n.tree.nodes[n.id].kind
}

// Span returns the byte range of the node in its file, without the trivia
// around it.
func (n Node) Span() Span {
	if n.tree == nil {
		return Span{}
	}
	nd := &n.tree.nodes[n.id]
	start, end := n.tree.tokenStart(int(nd.first)), n.tree.tokenStart(int(nd.first))
	if nd.end > nd.first {
		end = n.tree.tokenEnd(int(nd.end) - 1)
	}
	return Span{start + int(n.base), end + int(n.base)}
}

// Text returns the source of the node as it stands in the file.
func (n Node) Text() string {
	if n.tree == nil {
		return ""
	}
	s := n.Span()
	return n.tree.text[s.Start-int(n.base) : s.End-int(n.base)]
}

// Tree returns the item the node belongs to. Facts that are kept across edits
// are keyed by it.
func (n Node) Tree() *Tree { return n.tree }

// At returns the same node seen at another place: base is the offset of its
// item in the file. It re-anchors a node of a shared item after an edit.
func (n Node) At(base int) Node { n.base = int32(base); return n }

// Base returns the offset in the file of the item that the node belongs to.
func (n Node) Base() int { return int(n.base) }

// FirstChild returns the first child node, or the zero Node.
func (n Node) FirstChild() Node {
	if n.tree == nil {
		return Node{}
	}
	return n.with(n.tree.nodes[n.id].child)
}

// Next returns the sibling after the node, or the zero Node.
func (n Node) Next() Node {
	if n.tree == nil {
		return Node{}
	}
	return n.with(n.tree.nodes[n.id].next)
}

func (n Node) with(id int32) Node {
	if id == none {
		return Node{}
	}
	return Node{n.tree, id, n.base}
}

// Children returns an iterator over the child nodes in source order.
func (n Node) Children() func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		for c := n.FirstChild(); c.IsValid(); c = c.Next() {
			if !yield(c) {
				return
			}
		}
	}
}

// Child returns the first child of the given kind, or the zero Node.
func (n Node) Child(kind Kind) Node {
	for c := n.FirstChild(); c.IsValid(); c = c.Next() {
		if c.Kind() == kind {
			return c
		}
	}
	return Node{}
}

// ChildrenOf returns an iterator over the children of one kind.
func (n Node) ChildrenOf(kind Kind) func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		for c := n.FirstChild(); c.IsValid(); c = c.Next() {
			if c.Kind() == kind && !yield(c) {
				return
			}
		}
	}
}

// Tokens returns an iterator over the node's own tokens, trivia included:
// those that belong to none of its children.
func (n Node) Tokens() func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		if n.tree == nil {
			return
		}
		nd := &n.tree.nodes[n.id]
		child := nd.child
		for i := nd.first; i < nd.end; {
			if child != none && i == n.tree.nodes[child].first && n.tree.nodes[child].end > i {
				i = n.tree.nodes[child].end
				child = n.tree.nodes[child].next
				continue
			}
			for child != none && n.tree.nodes[child].first <= i && n.tree.nodes[child].end <= i {
				child = n.tree.nodes[child].next
			}
			if child != none && i == n.tree.nodes[child].first && n.tree.nodes[child].end > i {
				continue
			}
			if !yield(Token{n.tree, int32(i), n.base}) {
				return
			}
			i++
		}
	}
}

// AllTokens returns an iterator over every token the node covers, trivia and
// those of its descendants included.
func (n Node) AllTokens() func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		if n.tree == nil {
			return
		}
		nd := &n.tree.nodes[n.id]
		for i := nd.first; i < nd.end; i++ {
			if !yield(Token{n.tree, int32(i), n.base}) {
				return
			}
		}
	}
}

// Token returns the first of the node's own tokens that has the given kind, or
// the zero Token.
func (n Node) Token(kind Kind) Token {
	for t := range n.Tokens() {
		if t.Kind() == kind {
			return t
		}
	}
	return Token{}
}

// FirstToken returns the first token of the node, or the zero Token if it has
// none.
func (n Node) FirstToken() Token {
	if n.tree == nil || n.tree.nodes[n.id].end == n.tree.nodes[n.id].first {
		return Token{}
	}
	return Token{n.tree, int32(n.tree.nodes[n.id].first), n.base}
}

// LastToken returns the last token of the node, or the zero Token if it has
// none.
func (n Node) LastToken() Token {
	if n.tree == nil || n.tree.nodes[n.id].end == n.tree.nodes[n.id].first {
		return Token{}
	}
	return Token{n.tree, int32(n.tree.nodes[n.id].end) - 1, n.base}
}

// IsValid reports whether the cursor points at a token.
func (t Token) IsValid() bool { return t.tree != nil }

// Kind returns the token's kind, or [Invalid] for the zero Token.
func (t Token) Kind() Kind {
	if t.tree == nil {
		return Invalid
	}
	return t.tree.tokens[t.id].kind
}

// Text returns the token's bytes.
func (t Token) Text() string {
	if t.tree == nil {
		return ""
	}
	return t.tree.text[t.tree.tokenStart(int(t.id)):t.tree.tokenEnd(int(t.id))]
}

// Span returns the byte range of the token in its file.
func (t Token) Span() Span {
	if t.tree == nil {
		return Span{}
	}
	return Span{t.tree.tokenStart(int(t.id)) + int(t.base), t.tree.tokenEnd(int(t.id)) + int(t.base)}
}

// Next returns the token after this one in its item, trivia included, or the
// zero Token.
func (t Token) Next() Token {
	if t.tree == nil || int(t.id)+1 >= len(t.tree.tokens) {
		return Token{}
	}
	return Token{t.tree, t.id + 1, t.base}
}

// Follows reports whether t stands right behind u, with nothing in between.
func (t Token) Follows(u Token) bool { return t.id == u.id+1 && t.tree == u.tree }

// Prev returns the token before this one in its item, or the zero Token.
func (t Token) Prev() Token {
	if t.tree == nil || t.id == 0 {
		return Token{}
	}
	return Token{t.tree, t.id - 1, t.base}
}

func (t *Tree) tokenStart(i int) int {
	if i >= len(t.tokens) {
		return len(t.text)
	}
	return int(t.tokens[i].off)
}

func (t *Tree) tokenEnd(i int) int { return t.tokenStart(i + 1) }

// Text returns the bytes of the item, trivia included.
func (t *Tree) Text() string { return t.text }

// Fault is a syntax error inside one item, with offsets relative to the item.
type Fault struct {
	Code    string
	Start   int
	End     int
	Message string
	// Fix is an edit that mends the fault, or nil.
	Fix *Fix
}

// Fix is a set of edits that mend a fault, with a title for a menu.
type Fix struct {
	Title string
	Edits []Edit
}

// Edit replaces the bytes [Start, End) by Text.
type Edit struct {
	Start, End int
	Text       string
}
