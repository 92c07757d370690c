package syntax

// maxNesting bounds how deep expressions, records and types may nest, and how
// deep arms may nest under arms. Deeper text is one fault, not a stack overflow.
const maxNesting = 250

// maxSource bounds the size of a file in bytes, so that offsets fit 32 bits.
const maxSource = 1 << 30

// Virtual kinds of the current token. They never reach the tree.
const (
	eof = kindCount + iota // the end of the text being scanned
	eol                    // the end of a logical line
)

// line describes the line that starts after an eol.
type line struct {
	kind    Kind
	indent  int
	blank   bool // a blank line stands before it
	comment int  // offset of a comment line before it, or -1
}

// parser turns text into the trees of its items in one pass. It is one token
// ahead of what it has consumed.
type parser struct {
	text   string
	limit  int  // scanning stops here
	pure   bool // a .k file: no host lines
	wire   bool // a reply of a model
	fenced bool // inside a block whose closing brace is known

	// The slabs that all items of one parse share.
	tokens []token
	nodes  []node
	faults []Fault

	// Where the current item begins in the text and in the slabs.
	itemStart, tokBase, nodeBase, faultBase int
	head                                    int // where its first line begins, or -1 if nobody has asked

	// The current token.
	kind     Kind
	pos, end int
	cur      uint32 // index in the item
	newline  bool   // it is the first of its line
	line     line   // the line that follows, while kind is eol

	prevEnd uint32 // index after the last consumed token
	prevPos int    // offset after the last consumed token

	depth    int  // open brackets
	nesting  int  // open recursive productions
	tooDeep  bool // the item has been reported to nest too deeply
	muted    bool // a fault was reported; stay quiet until the next line or argument
	quiet    bool // between the braces of a splice or a tag: report nothing
	slipped  bool // something there would have been a fault
	judged   int  // how many faults there were after the last one of the parser's own, not the scanner's
	far      int  // the greatest offset looked at
	unclosed int  // offset of the last string without a closing quote

	declares Declares // of a reply: which verb has which outcome
	defining bool     // of a reply: inside a definition, where more is legal

	stack []int32 // completed nodes that wait for their parent
}

// mark remembers where a node begins.
type mark struct {
	stack int
	first uint32
}

func (p *parser) start() mark { return mark{len(p.stack), p.cur} }

// finish makes a node of everything completed since m and returns its index.
func (p *parser) finish(m mark, kind Kind) int32 {
	end := p.prevEnd
	if end < m.first {
		end = m.first
	}
	nd := node{first: m.first, end: end, child: none, next: none, kind: kind}
	children := p.stack[m.stack:]
	if len(children) > 0 {
		nd.child = children[0]
		for i, c := range children[:len(children)-1] {
			p.nodes[p.nodeBase+int(c)].next = children[i+1]
		}
	}
	id := int32(len(p.nodes) - p.nodeBase)
	p.nodes = append(p.nodes, nd)
	p.stack = append(p.stack[:m.stack], id)
	return id
}

// ends reports whether the logical line is over.
func (p *parser) ends() bool { return p.kind == eol || p.kind == eof }

// word reports whether the current token is the given word.
func (p *parser) word(w string) bool {
	return p.kind == Name && p.text[p.pos:p.end] == w
}

// adjacent reports whether the current token follows the one before it without
// a blank.
func (p *parser) adjacent() bool { return !p.ends() && p.pos == p.prevPos }

// addFault records a fault with offsets in the file.
func (p *parser) addFault(f Fault) {
	if p.quiet || p.wire && p.failed() {
		return
	}
	f.Start -= p.itemStart
	f.End -= p.itemStart
	if f.Fix != nil {
		edits := make([]Edit, len(f.Fix.Edits))
		for i, e := range f.Fix.Edits {
			edits[i] = Edit{e.Start - p.itemStart, e.End - p.itemStart, e.Text}
		}
		f.Fix = &Fix{f.Fix.Title, edits}
	}
	p.faults = append(p.faults, f)
}

// fault reports what stands between start and end. It does not mute: the tree
// is whole and what follows can be trusted.
func (p *parser) fault(code string, start, end int, message string, fix *Fix) {
	p.slipped = true
	if p.muted {
		return
	}
	n := len(p.faults)
	if p.addFault(Fault{code, start, end, message, fix}); len(p.faults) > n {
		p.judged = n + 1
	}
}

// broken reports text that the parser could not follow, and mutes what would
// only be a consequence of it.
func (p *parser) broken(code string, start, end int, message string, fix *Fix) {
	p.fault(code, start, end, message, fix)
	p.muted = true
}

// here returns the range of the current token, or the place after the last one
// at the end of a line.
func (p *parser) here() (int, int) {
	if p.ends() {
		return p.prevPos, p.prevPos
	}
	return p.pos, p.end
}

// found names the current token for a message.
func (p *parser) found() string {
	switch p.kind {
	case eof:
		return "the end of the text"
	case eol:
		return "the end of the line"
	}
	return "'" + clip(p.text[p.pos:p.end], 40) + "'"
}

// clip shortens s to at most n runes.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// want consumes a token of the given kind, or reports what was expected.
func (p *parser) want(kind Kind, what string) bool {
	if p.kind == kind {
		p.next()
		return true
	}
	p.unexpected(what)
	return false
}

func (p *parser) unexpected(what string) {
	start, end := p.here()
	p.broken("PARSE001", start, end, "expected "+what+", found "+p.found(), nil)
}

// nameHere reports whether the current token is a name; if not, it reports what
// was expected and gives up the line.
func (p *parser) nameHere(what string) bool {
	if p.kind == Name {
		return true
	}
	p.unexpected(what)
	p.skipLine()
	return false
}

// deeper opens one level of recursion. At the bound it reports the fault, skips
// the rest of the logical line and returns false.
func (p *parser) deeper() bool {
	p.nesting++
	if p.nesting <= maxNesting {
		return true
	}
	start, end := p.here()
	if !p.tooDeep {
		p.broken("PARSE001", start, end, "nested too deeply: at most 250 levels are understood — split this up", nil)
	}
	p.tooDeep, p.muted = true, true
	p.skipLine()
	return false
}

func (p *parser) shallower() { p.nesting-- }

// skipLine consumes tokens up to the end of the logical line and wraps them in
// an error node. Open brackets are given up.
func (p *parser) skipLine() {
	p.depth = 0
	if p.newline && !p.ends() {
		p.kind = eol
	}
	if p.ends() {
		return
	}
	m := p.start()
	for !p.ends() {
		p.next()
	}
	p.finish(m, ErrorNode)
}

// skip consumes tokens up to one, outside of the brackets among them, that stop
// says to go on at, or to the end of the logical line. What it consumes becomes an
// error node.
func (p *parser) skip(stop func() bool) {
	m := p.start()
	level := 0
	for !p.ends() && !(level == 0 && stop()) {
		switch p.kind {
		case LParen, LBrace, LBracket:
			level++
		case RParen, RBrace, RBracket:
			level = max(level-1, 0)
		}
		p.next()
	}
	if p.prevEnd > m.first {
		p.finish(m, ErrorNode)
	}
}

// continues reports whether the next line belongs to a construct whose lines
// have at least the indentation min: it starts with an arm or a |>. A blank
// line or a comment line in between is a fault (KORU010), but the line is still
// taken, so that one misplaced line does not also cost a missing arm.
func (p *parser) continues(min int, kinds ...Kind) bool {
	if p.kind != eol || p.line.indent < min {
		return false
	}
	for _, k := range kinds {
		if p.line.kind == k {
			if !p.pure && !p.wire && (p.line.blank || p.line.comment >= 0) && p.line.kind != PipeArrow && !p.armAhead() {
				return false // a host line that happens to start with a bar
			}
			p.strayGap()
			return true
		}
	}
	return false
}

// armAhead tells an arm from host text in a file with host lines.
func (p *parser) armAhead() bool {
	if p.line.blank {
		return false
	}
	c := p.at(p.end)
	return isBlank(c) || c == '?'
}
