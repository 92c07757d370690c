package syntax

// Scratch parses texts whose trees are looked at once and dropped. A tree that
// it returns is valid until the next call, which writes over it. The zero
// Scratch is ready for use, by one goroutine at a time.
type Scratch struct {
	file   File
	parser parser
	cuts   []cut
	trees  []Tree
	places []place
}

// Parse is [Parse] in the memory of the call before.
func (s *Scratch) Parse(name string, kind FileKind, text string) *File {
	if len(text) > maxSource {
		return Parse(name, kind, text)
	}
	p := &s.parser
	tokens, nodes, stack := p.tokens[:0], p.nodes[:0], p.stack[:0]
	*p = newParser(kind, text)
	p.tokens, p.nodes, p.stack = tokens, nodes, stack
	s.cuts = p.parseItems(s.cuts[:0], 0, nil)
	s.trees = append(s.trees[:0], make([]Tree, len(s.cuts))...)
	s.places = append(s.places[:0], make([]place, len(s.cuts))...)
	p.slice(s.cuts, s.trees, s.places)
	s.file = File{Name: name, Kind: kind, text: text, items: s.places}
	return &s.file
}
