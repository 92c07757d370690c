package syntax

import "slices"

// Declares tells the reply parser whether a verb declares an outcome word. Two
// calls of a chain may both be candidates for an arm that starts a line, and
// only the vocabulary knows which one it belongs to (R24, R25). For a verb it
// does not know it should answer true.
type Declares func(verb, word string) bool

// ParseReply parses what a model sent: a sequence of items, each a WireItem, a
// Definition, a SayLine or a NoteLine (bridge.md 5.1). The first text that is
// no wire ends the structure: from the step it stands in to the end of the
// reply everything is one error node, with the one fault of the reply (R45).
func ParseReply(text string, declares Declares) *File {
	f := &File{Kind: Reply, text: text}
	if len(text) > maxSource {
		f.items = []place{{tree: oversized(text)}}
		return f
	}
	p := newParser(Reply, text)
	p.reserve(len(text))
	p.declares = declares
	f.items = p.parseAll(0, nil)
	return f
}

// Replies parses one reply after another in the same room. It is for those who
// are done with a reply before the next one comes.
type Replies struct {
	file   File
	p      parser
	cuts   []cut
	trees  []Tree
	places []place
}

// roomy is how large a reply may be whose room is kept for the next.
const roomy = 64 << 10

// Parse is [ParseReply]. The file, and every node of it, is valid until the
// next call.
func (r *Replies) Parse(text string, declares Declares) *File {
	if len(text) > roomy {
		return ParseReply(text, declares)
	}
	p := &r.p
	tokens, nodes, stack := p.tokens[:0], p.nodes[:0], p.stack[:0]
	*p = newParser(Reply, text)
	if p.tokens, p.nodes, p.stack = tokens, nodes, stack; tokens == nil {
		p.reserve(len(text))
	}
	p.declares = declares
	r.cuts = p.parseItems(r.cuts[:0], 0, nil)
	n := len(r.cuts)
	if cap(r.trees) < n {
		r.trees, r.places = make([]Tree, n), make([]place, n)
	}
	p.slice(r.cuts, r.trees[:n], r.places[:n])
	r.file = File{Kind: Reply, text: text, items: r.places[:n]}
	return &r.file
}

// replyItem parses one item of a reply.
func (p *parser) replyItem() Kind {
	switch {
	case p.kind == eof:
		p.prevEnd = uint32(len(p.tokens) - p.tokBase)
		return BlankItem
	case p.word("tor") && p.spaceAfter():
		return p.definition()
	case p.spoken():
		return p.spokenLine()
	case p.callAhead():
		return p.wireItem()
	}
	start := p.start()
	p.fault("PARSE001", p.pos, p.lineEndAt(p.pos), p.notWire(), nil)
	p.rest(start)
	return ErrorItem
}

// spoken reports whether a say: or note: line starts at the current token.
func (p *parser) spoken() bool {
	return p.kind == Name && p.at(p.end) == ':' && slices.Contains(SpokenWords, p.text[p.pos:p.end])
}

// callAhead reports whether a call starts at the current token: a verb name and
// an opening parenthesis with nothing between, so that a sentence with
// parentheses in it is prose.
func (p *parser) callAhead() bool {
	if p.kind != Name || p.spoken() {
		return false
	}
	end, _ := p.pathEnd(p.end)
	return p.at(end) == '('
}

// rest wraps everything from m to the end of the reply into one error node.
func (p *parser) rest(m mark) {
	p.depth = 0
	start, keep := p.prevPos, p.prevEnd
	if keep < m.first { // nothing of it was consumed: what stands before it stays
		start, keep = p.pos, m.first
	}
	p.tokens = p.tokens[:p.tokBase+int(keep)]
	p.cur = keep
	if start < p.limit {
		p.raw(Text, start, p.limit)
		p.next1()
	}
	p.finish(m, ErrorNode)
	p.pos, p.end, p.kind = p.limit, p.limit, eof
	p.far = p.limit + 1
}

// failed reports whether the item has a fault, which makes the step it is in
// unreadable.
func (p *parser) failed() bool { return len(p.faults) > p.faultBase }

// wireItem parses calls that are chained by arms, and the arms after the last.
func (p *parser) wireItem() Kind {
	kind := ErrorItem // until a first step has been read
	for more := true; more; {
		m := p.start()
		verb := p.wireCall()
		if !p.failed() {
			more = p.wireArms(verb)
		}
		if p.failed() {
			p.rest(m)
			return kind
		}
		kind = WireItem
	}
	if !p.ends() {
		m := p.start()
		p.fault("PARSE001", p.pos, p.lineEndAt(p.pos), afterCall(p.text[p.pos:p.limit]), nil)
		p.rest(m)
	}
	return kind
}

// wireCall parses verb(field: value, …) and an optional binding. It returns the
// verb's name.
func (p *parser) wireCall() string {
	m := p.start()
	p.path()
	verb := p.text[p.pos:p.end]
	p.next()
	p.wireArgs()
	if p.kind == Colon && !p.failed() {
		b := p.start()
		p.next()
		if p.kind != Name {
			p.unexpected("a name to bind the result to")
			return verb
		}
		p.next()
		p.finish(b, Bind)
	}
	p.finish(m, Call)
	return verb
}

// wireArgs parses the arguments of a call: every one is labelled (R46).
func (p *parser) wireArgs() {
	m := p.start()
	p.depth++
	p.next()
	for p.kind != RParen && !p.failed() {
		a := p.start()
		if !p.labelAhead() {
			p.missingLabel()
			return
		}
		p.next()
		p.next()
		p.wireValue()
		if p.failed() {
			return
		}
		p.finish(a, Arg)
		if p.kind == Comma {
			p.next()
		} else if p.kind != RParen {
			start, end := p.here()
			if p.lineBetween() {
				start, end = p.prevPos, p.prevPos
			}
			p.broken("PARSE001", start, end, p.afterValue(a), nil)
			return
		}
	}
	if p.kind == RParen {
		p.depth--
		p.next()
		p.finish(m, Args)
	}
}

func (p *parser) missingLabel() {
	start, end := p.here()
	switch name := p.text[p.pos:p.end]; {
	case p.callAhead():
		verb, _ := p.pathEnd(p.end)
		p.broken("PARSE001", start, end, "'"+clip(p.text[p.pos:verb], 40)+"(' is a call inside a call: a line begins with its verb, and '|>' leads from one call to the next", nil)
	case p.kind == Name && !p.past(p.end):
		p.broken("PARSE001", start, end, "expected ':' after the field '"+name+"': arguments are field: value pairs", nil)
	case p.kind == LBrace && start > 0 && p.text[start-1] == '{':
		p.broken("PARSE001", start, end, "a splice stands in a quoted text: field: \"{{ name }}\"", nil)
	case p.kind == LBrace:
		p.broken("PARSE001", start, end, "expected a field name, found '{': arguments stand in the parentheses without braces, as field: value pairs", nil)
	case p.kind == eof:
		p.broken("PARSE004", start, end, "the call is never closed: the reply looks truncated", nil)
	default:
		p.broken("PARSE001", start, end, "expected a field name, found "+p.found()+": arguments are field: value pairs", nil)
	}
}

// wireValue parses what a field may be given: a quoted text, a number, true,
// false, null, the name of a binding with a path, or a list or record of those
// (R4).
func (p *parser) wireValue() {
	m := p.start()
	switch p.kind {
	case String:
		p.str()
	case Int, Float:
		p.next()
		p.finish(m, Literal)
	case Minus:
		p.next()
		if p.kind != Int && p.kind != Float || !p.adjacent() {
			p.unexpected("a number after '-'")
			return
		}
		n := p.start()
		p.next()
		p.finish(n, Literal)
		p.finish(m, UnaryExpr)
	case Name:
		p.wirePath(m)
	case LBracket:
		p.wireList(m)
	case LBrace:
		p.wireRecord(m)
	default:
		start, end := p.here()
		p.broken("PARSE001", start, end, "a value is a quoted text, a number, a binding or a list or record of them, found "+p.found()+": a text is quoted, field: \"…\"", nil)
	}
}

// wirePath parses r3, u.id, list.0 and the words true, false, null.
func (p *parser) wirePath(m mark) {
	kind := NameExpr
	switch p.text[p.pos:p.end] {
	case "true", "false", "null":
		kind = Literal
	}
	p.next()
	p.finish(m, kind)
	for kind == NameExpr && p.kind == Dot && p.adjacent() {
		p.next()
		if p.kind != Name && p.kind != Int && p.kind != Float || !p.adjacent() {
			p.unexpected("the name of a field after '.'")
			return
		}
		p.next()
		p.finish(m, FieldExpr)
	}
	switch start, end := p.here(); {
	case p.kind == LParen && p.adjacent():
		p.broken("PARSE001", start, end, "a value is no call: call it first, name its result, and pass the name", nil)
	case p.kind == Pipe || p.kind == PipeArrow:
		p.broken("PARSE001", start, end, "the call is never closed: after a value comes ',' or ')', found "+p.found(), nil)
	case kind != Literal && p.kind != RParen && p.kind != RBracket && p.kind != RBrace && p.kind != Comma && !p.lineBetween():
		p.broken("PARSE001", start, end, "a text value is quoted: field: \"…\"", nil)
	}
}

func (p *parser) wireList(m mark) {
	if !p.deeper() {
		p.shallower()
		return
	}
	p.depth++
	p.next()
	for p.kind != RBracket && !p.failed() {
		p.wireValue()
		if p.kind == Comma {
			p.next()
		} else if p.kind != RBracket && !p.failed() {
			p.unexpected("',' or ']'")
		}
	}
	p.shallower()
	p.wireClose(RBracket)
	p.finish(m, ListExpr)
}

func (p *parser) wireRecord(m mark) {
	if !p.deeper() {
		p.shallower()
		return
	}
	p.depth++
	p.next()
	for p.kind != RBrace && !p.failed() {
		f := p.start()
		switch {
		case p.labelAhead():
			p.next()
			p.next()
		case p.kind == String && p.afterBlank() == ':': // JSON spelling of a field
			p.next()
			p.next()
		default:
			p.missingLabel()
			continue
		}
		p.wireValue()
		p.finish(f, RecordField)
		if p.kind == Comma {
			p.next()
		} else if p.kind != RBrace && !p.failed() {
			p.unexpected("',' or '}'")
		}
	}
	p.shallower()
	p.wireClose(RBrace)
	p.finish(m, RecordExpr)
}

func (p *parser) wireClose(kind Kind) {
	p.depth = max(p.depth-1, 0)
	if p.kind == kind && !p.failed() {
		p.next()
	}
}

// wireArms parses what follows a call and reports whether the next call of the
// chain comes after it.
//
// Only the first arm of a call leads on over the end of its line; a further arm
// that starts a line closes there, and a call on its own line belongs to it (R24).
func (p *parser) wireArms(verb string) bool {
	if p.kind == PipeArrow { // call() |> next()
		p.next()
		return p.spineAhead()
	}
	for first := true; ; first = false {
		inline := p.kind == Pipe
		if !inline && !p.continues(0, Pipe) {
			return false
		}
		if !inline {
			p.takeLine()
		}
		m := p.start()
		word := p.wireArmHead()
		if p.failed() {
			return false
		}
		own := first && (inline || p.declares == nil || p.declares(verb, word))
		if own && p.spineAhead() {
			p.finish(m, WireArm)
			return true
		}
		if p.callAhead() {
			p.armCalls()
		}
		p.finish(m, WireArm)
		if p.failed() {
			return false
		}
	}
}

// spineAhead reports whether a call follows a |>, on its line or on the next.
func (p *parser) spineAhead() bool {
	if p.kind == eol && !p.line.blank && p.line.kind == Name {
		kind := p.kind
		p.kind = p.line.kind
		if p.callAhead() {
			p.takeLine()
			return true
		}
		p.kind = kind
		return false
	}
	return p.callAhead()
}

// wireArmHead parses `| outcome name |>`.
func (p *parser) wireArmHead() string {
	p.next()
	if p.kind != Name {
		p.unexpected("the outcome that the arm accepts (| outcome name |>), or '|>' to lead on to the next call")
		return ""
	}
	p.kebab(false)
	word := p.text[p.pos:p.end]
	p.next()
	if p.word("when") && p.afterBlank() != '|' {
		p.broken("PARSE001", p.pos, p.end, "an arm of a reply has no guard: 'when' belongs to files", nil)
		return word
	}
	if p.kind == Name {
		b := p.start()
		p.bindingName()
		p.finish(b, Bind)
	}
	if p.kind != PipeArrow {
		p.unexpected("'|>' to close the arm (| " + word + " name |>)")
		return word
	}
	p.next()
	return word
}

// armCalls parses the calls that stand on the line of an arm.
func (p *parser) armCalls() {
	for {
		p.wireCall()
		if p.failed() || p.ends() {
			return
		}
		switch p.kind {
		case PipeArrow:
			p.next()
		case Pipe:
			m := p.start()
			p.wireArmHead()
			p.finish(m, WireArm)
		}
		if p.failed() || !p.callAhead() {
			return
		}
	}
}

// spokenLine parses `say: text` and `note: text`: literal text to the end of
// the line, with splices in a say: line (bridge.md 5.12).
func (p *parser) spokenLine() Kind {
	kind := SayLine
	if p.word("note") {
		kind = NoteLine
	}
	p.next()
	p.next1() // the colon; what follows is text
	start := p.end
	end := p.lineEndAt(start)
	if start < end && p.text[start] == ' ' {
		p.push(Space, start)
		start++
		p.cur = uint32(len(p.tokens) - p.tokBase)
	}
	switch {
	case start >= end:
		p.prevPos = start
	case kind == SayLine:
		p.splices(Text, start, end)
		if p.end > p.pos {
			p.next1()
		}
	default:
		p.raw(Text, start, end)
		p.next1()
	}
	p.scan(end)
	return kind
}

// definition parses `tor name { … } | outcome …` and, on the next line,
// `name = body`. It ends before the first line that neither starts with an arm
// nor continues what is open (R35).
func (p *parser) definition() Kind {
	whole := p.start()
	decl := p.start()
	if i := p.skipBlanks(p.end); p.past(i) || p.at(i) == '{' || isLine(p.at(i)) {
		p.broken("PARSE001", p.pos, p.end, "Definition has no name", nil)
		p.rest(whole)
		return ErrorItem
	}
	p.defining = true
	p.torItem(0)
	p.finish(decl, TorItem)
	if !p.failed() {
		p.definitionBody()
	}
	p.defining = false
	if p.failed() {
		p.rest(whole)
		return ErrorItem
	}
	return Definition
}

// MissingHalf refuses a definition of which only one half is there (bridge.md 8.2).
const MissingHalf = "A definition must be a tor declaration followed by its flow: `tor name { args }` then `name = ...`"

const emptyBody = "Definition body is empty"

func (p *parser) definitionBody() {
	name := p.declaredName()
	if p.kind != eol || p.line.blank || p.line.kind != Name {
		start, end := p.here()
		p.broken("PARSE001", start, end, MissingHalf, nil)
		return
	}
	p.takeLine()
	m := p.start()
	p.path()
	flow := p.text[p.pos:p.end]
	if !p.implAhead() {
		p.broken("PARSE001", p.pos, p.end, MissingHalf, nil)
		return
	}
	if flow != name {
		p.broken("PARSE001", p.pos, p.end, "the flow names '"+flow+"', the declaration names '"+name+"'", nil)
		return
	}
	p.next()
	switch p.kind {
	case Equal:
		p.next()
		if p.kind == eol && !p.line.blank && p.line.kind == Name {
			p.takeLine()
		}
		if p.ends() {
			start, end := p.here()
			p.broken("PARSE001", start, end, emptyBody, nil)
			return
		}
		p.chain(p.start(), 0)
	case Arrow:
		p.produce()
	case FatArrow:
		p.construction()
	}
	p.finish(m, ImplItem)
	if !p.ends() {
		p.leftover()
	}
}

// declaredName returns the name in the declaration that was just completed.
func (p *parser) declaredName() string {
	id := p.stack[len(p.stack)-1]
	n := Node{tree: &Tree{text: p.text[p.itemStart:], tokens: p.tokens[p.tokBase:], nodes: p.nodes[p.nodeBase:]}, id: id}
	return TorView{n}.Name().Text()
}
