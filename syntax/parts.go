package syntax

// Parts walks the own tokens and the children of a node in source order,
// without trivia and without the empty nodes that stand for missing text. It is
// a value: a copy of it looks ahead.
//
//	s := n.Parts()
//	for s.Next() {
//		switch s.Kind() { … }
//	}
type Parts struct {
	tree      *Tree
	base      int32
	child     int32  // the child that comes next
	node      int32  // the current part, if it is a node
	token     uint32 // the current part, or its first token
	next, end uint32
}

// Parts returns a walk over the node that stands in front of its first part.
func (n Node) Parts() Parts {
	if n.tree == nil {
		return Parts{}
	}
	nd := &n.tree.nodes[n.id]
	return Parts{tree: n.tree, base: n.base, child: nd.child, node: none, next: nd.first, end: nd.end}
}

// Next goes on to the next part and reports whether there is one.
func (s *Parts) Next() bool {
	for s.next < s.end {
		if s.child != none {
			if c := &s.tree.nodes[s.child]; c.first <= s.next {
				s.node, s.token = s.child, s.next
				if s.child = c.next; c.end > s.next {
					s.next = c.end
					return true
				}
				continue // an empty one
			}
		}
		i := s.next
		s.next++
		if !s.tree.tokens[i].kind.IsTrivia() {
			s.node, s.token = none, i
			return true
		}
	}
	return false
}

// Kind returns the kind of the current part: of a child or of a token.
func (s *Parts) Kind() Kind {
	if s.node != none {
		return s.tree.nodes[s.node].kind
	}
	return s.tree.tokens[s.token].kind
}

// Node returns the current part, or the zero Node if it is a token.
func (s *Parts) Node() Node {
	if s.node == none {
		return Node{}
	}
	return Node{s.tree, s.node, s.base}
}

// Single reports whether the current part is one token, or a node that covers
// only one.
func (s *Parts) Single() bool { return s.next == s.token+1 }

// Token returns the current part if it is a token, and its first token if it is
// a node.
func (s *Parts) Token() Token { return Token{s.tree, int32(s.token), s.base} }
