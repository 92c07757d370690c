package syntax

import "strings"

// parseItem parses one top-level item that begins at offset p.itemStart and
// returns the offset where the next one begins.
func (p *parser) parseItem() int {
	p.scanItemStart()
	m := mark{0, 0}
	if p.wire {
		return p.endItem(m, p.replyItem())
	}
	return p.endItem(m, p.item())
}

// scanItemStart sets the scanner on the first token of the item.
func (p *parser) scanItemStart() {
	p.tokBase, p.nodeBase, p.faultBase = len(p.tokens), len(p.nodes), len(p.faults)
	p.stack = p.stack[:0]
	p.depth, p.nesting, p.muted, p.tooDeep = 0, 0, false, false
	p.prevEnd, p.prevPos, p.end = 0, p.itemStart, p.itemStart
	p.far, p.head = p.itemStart, -1
	p.line = line{} // an item reads the same whatever stands above it
	if !p.pure && !p.wire && p.hostLine(p.itemStart) {
		p.cur, p.pos, p.end = 0, p.itemStart, p.itemStart
		p.kind = eof
		return
	}
	p.scan(p.itemStart)
	if p.kind == eol {
		p.takeLine()
	}
}

// endItem closes the item: the rest of its last line belongs to it, what
// follows to the next. It returns where the next item begins.
func (p *parser) endItem(m mark, kind Kind) int {
	p.far = max(p.far, p.end+2)
	next := p.itemEnd()
	p.root(m, kind)
	p.faultsUpTo(next - p.itemStart)
	return next
}

// faultsUpTo drops the faults of the item that lie behind its end: the scanner
// has found them while it looked ahead, and the next item reports them. Where the
// parser has expected something else there, something is missing at the end.
func (p *parser) faultsUpTo(end int) {
	kept := p.faults[:p.faultBase]
	for i, f := range p.faults[p.faultBase:] {
		if f.Start > end {
			if p.faultBase+i+1 != p.judged {
				continue
			}
			f.Start, f.End, f.Fix = p.prevPos-p.itemStart, p.prevPos-p.itemStart, nil
		}
		kept = append(kept, f)
	}
	p.faults = kept
}

// itemEnd cuts the tokens after the line end that follows the last consumed
// token and returns the offset behind it.
func (p *parser) itemEnd() int {
	i := p.tokBase + int(p.prevEnd)
	for i < len(p.tokens) && (p.tokens[i].kind == Space || p.tokens[i].kind == Comment) {
		i++
	}
	if i < len(p.tokens) && p.tokens[i].kind == Newline {
		i++
	}
	if i < len(p.tokens) {
		end := p.itemStart + int(p.tokens[i].off)
		p.tokens = p.tokens[:i]
		return end
	}
	return p.end
}

// root makes the item's own node, which covers every token.
func (p *parser) root(m mark, kind Kind) {
	p.cur, p.prevEnd = 0, uint32(len(p.tokens)-p.tokBase)
	p.finish(m, kind)
}

// hostLine reports whether the line at offset pos is host text: in a file with
// host lines everything is, but a line that starts with ~.
func (p *parser) hostLine(pos int) bool {
	return p.at(p.skipBlanks(pos)) != '~'
}

// item parses the construct that the scanner stands on and says what it was.
func (p *parser) item() Kind {
	if p.kind == eof {
		if !p.pure && !p.wire && p.itemStart < p.limit {
			return p.hostItem()
		}
		p.prevEnd = uint32(len(p.tokens) - p.tokBase)
		return BlankItem
	}
	indent := p.indentOf(p.pos)
	if p.kind == Tilde {
		p.tilde()
	}
	switch p.kind {
	case Pipe, PipeArrow, Bang, PipePipe:
		return p.strayItem(indent)
	}
	if p.kind == LBracket {
		p.annotations()
		if p.itemIsAnnotation() {
			return AnnotationItem
		}
	}
	kind := p.construct(indent)
	p.lineEnd(indent, kind)
	return kind
}

// tilde consumes the mode switch. In a pure file there is nothing to switch.
func (p *parser) tilde() {
	if p.pure {
		p.fault("PARSE003", p.pos, p.end,
			"'~' has no place in a .k file: everything in it is Koru already — drop it",
			&Fix{"remove the ~", []Edit{{p.pos, p.end, ""}}})
	}
	p.next()
}

// strayItem takes lines that start with an arm or a |> but continue no flow.
func (p *parser) strayItem(indent int) Kind {
	p.broken("KORU010", p.pos, p.end,
		"stray continuation line: no flow stands right above it", nil)
	p.skipLine()
	for p.kind == eol && !p.line.blank && isContinuation(p.line.kind) {
		p.takeLine()
		p.muted = true
		p.skipLine()
	}
	return ErrorItem
}

func isContinuation(k Kind) bool {
	return k == Pipe || k == Bang || k == PipeArrow
}

// itemIsAnnotation reports whether the annotations just parsed stand alone: no
// construct follows on the same or the next line.
func (p *parser) itemIsAnnotation() bool {
	if p.kind != eol {
		return p.kind == eof
	}
	if p.line.blank || p.line.comment >= 0 || p.line.kind == eof || isContinuation(p.line.kind) {
		return true
	}
	if !p.pure && !p.wire && (p.line.kind == Tilde || !p.declarationAhead()) {
		return true // a ~ line never receives a forwarded annotation
	}
	p.takeLine()
	return false
}

// declarationAhead reports whether the next line starts with a word that opens a
// declaration; in a file with host lines nothing else may follow a ] line.
func (p *parser) declarationAhead() bool {
	switch p.text[p.pos:p.end] {
	case "pub", "tor", "proc", "import":
		return true
	}
	return false
}

// construct parses what follows the annotations, in the order of precedence of
// language.md 3.
func (p *parser) construct(indent int) Kind {
	if p.kind == Tilde {
		p.fault("PARSE008", p.pos, p.end, "'~' right after ']': the annotation has switched to Koru already — drop it",
			&Fix{"remove the ~", []Edit{{p.pos, p.end, ""}}})
		p.next()
	}
	if p.kind == Name && p.spaceAfter() {
		p.doubled()
		switch p.text[p.pos:p.end] {
		case "import":
			p.importItem()
			return ImportItem
		case "pub":
			return p.pubItem(indent)
		case "tor":
			p.torItem(indent)
			return TorItem
		case "event":
			p.eventFault()
			p.torItem(indent)
			return TorItem
		case "proc":
			p.procItem()
			return ProcItem
		case "var", "fn", "inline", "export", "extern", "comptime":
			if p.pure && p.hostDeclaration() {
				return ErrorItem
			}
		}
	}
	switch p.kind {
	case Name, Hash, At:
		return p.flowOrImpl(indent)
	}
	start, end := p.here()
	p.broken("KORU001", start, end, "no construct starts with "+p.found()+
		": expected import, tor, proc, a flow or an implementation", nil)
	p.skipLine()
	return ErrorItem
}

// doubled reports a word that starts a construct and stands there twice.
func (p *parser) doubled() {
	word := p.text[p.pos:p.end]
	switch word {
	case "import", "tor", "proc", "pub":
	default:
		return
	}
	second := p.end
	for isBlank(p.at(second)) {
		second++
	}
	name := second + len(word)
	if !strings.HasPrefix(p.text[second:p.limit], word) || !isBlank(p.at(name)) {
		return
	}
	for isBlank(p.at(name)) {
		name++
	}
	p.far = max(p.far, name+1)
	if isLetter(p.at(name)) {
		p.fault("PARSE003", p.pos, second+len(word), "'"+word+"' stands here twice",
			&Fix{"drop one", []Edit{{p.pos, second, ""}}})
		m := p.start()
		p.next()
		p.finish(m, ErrorNode)
	}
}

// spaceAfter reports whether a blank follows the current token.
func (p *parser) spaceAfter() bool { return isBlank(p.at(p.end)) || p.past(p.end) }

// peekWord returns the word that follows the current token on its line.
func (p *parser) peekWord() string {
	i := p.skipBlanks(p.end)
	start := i
	for i < p.limit && isWord(p.text[i]) {
		i++
	}
	return p.text[start:i]
}

func (p *parser) pubItem(indent int) Kind {
	switch p.peekWord() {
	case "tor":
		p.next()
		p.torItem(indent)
		return TorItem
	case "event":
		p.next()
		p.eventFault()
		p.torItem(indent)
		return TorItem
	case "proc":
		p.fault("PARSE003", p.pos, p.end, "'pub' belongs to the tor, not to its proc — drop it",
			&Fix{"remove pub", []Edit{{p.pos, p.end + 1, ""}}})
		p.next()
		p.procItem()
		return ProcItem
	}
	if p.pure && p.hostDeclaration() {
		return ErrorItem
	}
	p.broken("PARSE003", p.pos, p.end, "'pub' is followed by 'tor' and nothing else", nil)
	p.skipLine()
	return ErrorItem
}

// hostDeclaration reports and skips `fn`, `var` and their like in a .k file.
func (p *parser) hostDeclaration() bool {
	word := p.peekWord()
	if word == "" {
		return false
	}
	p.broken("PARSE003", p.pos, p.end,
		"a host declaration has no place in a .k file: put it into the .kz or .kjs file of the same name", nil)
	p.skipLine()
	return true
}

func (p *parser) eventFault() {
	p.fault("PARSE003", p.pos, p.end, "`event` is not a keyword: a verb is declared with 'tor'",
		&Fix{"write tor", []Edit{{p.pos, p.end, "tor"}}})
}

// lineEnd checks that the construct fills its line, and takes indented lines
// under it that nobody asked for.
func (p *parser) lineEnd(indent int, kind Kind) {
	if !p.ends() {
		p.leftover()
		p.skipLine()
	}
	if kind != FlowItem && kind != ImplItem || !p.pure {
		return
	}
	for p.kind == eol && !p.line.blank && p.line.comment < 0 && p.line.indent > indent {
		p.takeLine()
		p.broken("KORU010", p.pos, p.end,
			"stray continuation line: an indented line must start with |, ! or |> — dedent it to start a flow of its own", nil)
		p.skipLine()
	}
}

// leftover reports text after a complete construct, with the words that fit
// the usual slips.
func (p *parser) leftover() {
	start, end := p.here()
	switch p.kind {
	case Pipe, Bang:
		p.broken("PARSE001", start, end, "an arm stands on a line of its own, under the call it handles", nil)
	case Tilde:
		p.broken("PARSE001", start, end, "'~' inside a flow: flows do not nest — drop it",
			&Fix{"remove the ~", []Edit{{start, end, ""}}})
	case RParen, RBrace, RBracket:
		p.broken("PARSE004", start, end, p.found()+" closes nothing", nil)
	default:
		p.broken("PARSE001", start, end, "unexpected "+p.found()+" after a complete construct", nil)
	}
}

// importItem parses `import std/io`.
func (p *parser) importItem() {
	p.next()
	switch {
	case p.kind == String:
		p.quotedImport()
		return
	case p.kind != Name:
		p.unexpected("a module path such as std/io")
		p.skipLine()
		return
	}
	p.path()
	path := p.text[p.pos:p.end]
	switch {
	case strings.ContainsAny(path, ":"):
		p.fault("PARSE003", p.pos, p.end, "an import names a module, not a tor: drop the part after ':'",
			&Fix{"import the module", []Edit{{p.pos, p.end, path[:strings.IndexByte(path, ':')]}}})
	case strings.Contains(path, "."):
		slashed := strings.ReplaceAll(path, ".", "/")
		p.fault("KORU035", p.pos, p.end, "'.' does not separate modules: write "+slashed,
			&Fix{"write " + slashed, []Edit{{p.pos, p.end, slashed}}})
	case strings.Count(path, "/") > 2:
		p.fault("PARSE003", p.pos, p.end, "a module path has at most two segments after its alias", nil)
	}
	p.next()
}

// quotedImport reports the spelling of May 2026 and offers today's.
func (p *parser) quotedImport() {
	path := strings.Trim(p.text[p.pos:p.end], `"`)
	bare := strings.TrimPrefix(path, "$")
	p.fault("PARSE003", p.pos, p.end, "an import path is bare: write import "+bare,
		&Fix{"remove the quotes", []Edit{{p.pos, p.end, bare}}})
	p.next()
}

// procItem parses `proc name|target { host text }`. The body is one token.
func (p *parser) procItem() {
	p.next()
	if !p.nameHere("the name of the tor that this proc implements") {
		return
	}
	p.path()
	p.checkKebab("proc")
	p.next()
	zig := true
	for p.kind == Pipe {
		p.next()
		if !p.nameHere("a target such as js or zig after '|'") {
			return
		}
		p.kebab(false)
		zig = p.text[p.pos:p.end] != "js"
		m := p.start()
		p.next()
		p.finish(m, Variant)
	}
	if p.kind != LBrace {
		start, end := p.here()
		p.broken("PARSE003", start, end, "a proc has a body in braces: proc name|js { … }", nil)
		p.skipLine()
		return
	}
	m := p.start()
	p.body(zig)
	p.finish(m, Block)
}

// body takes a host body, braces included, as three tokens.
func (p *parser) body(zig bool) {
	open := p.pos
	close, ok := bodyEnd(p.text[:p.limit], open, zig)
	p.far = max(p.far, close+1)
	p.next1()
	if close > open+1 {
		p.raw(Text, open+1, close)
		p.next1()
	}
	if !ok {
		p.broken("PARSE004", open, open+1, "this body has no closing brace", nil)
		p.scan(close)
		return
	}
	p.raw(RBrace, close, close+1)
	p.next()
}

// next1 consumes the current token without scanning: the caller says what
// comes next.
func (p *parser) next1() {
	p.tokens = p.tokens[:p.tokBase+int(p.cur)+1]
	p.prevEnd = uint32(len(p.tokens) - p.tokBase)
	p.prevPos = p.end
	p.cur = p.prevEnd
	p.pos = p.end
}

// hostItem takes host lines up to the next line that starts with ~.
func (p *parser) hostItem() Kind {
	pos := p.itemStart
	for pos < p.limit && p.hostLine(pos) {
		p.bareKoru(pos)
		for pos < p.limit && p.text[pos] != '\n' {
			pos++
		}
		if pos < p.limit {
			pos++
		}
	}
	p.pos, p.end = p.itemStart, pos
	p.push(Text, p.itemStart)
	p.prevEnd, p.prevPos = 1, pos
	p.far = pos + 1
	p.scanFrom(pos)
	return HostItem
}

// scanFrom puts the scanner behind raw text without looking at what follows.
func (p *parser) scanFrom(pos int) {
	p.pos, p.end = pos, pos
	p.kind = eof
	if pos < p.limit {
		p.kind = eol
	}
}

// bareKoru reports a Koru declaration without its ~ in a file with host lines.
func (p *parser) bareKoru(pos int) {
	rest := p.text[pos:p.limit]
	for _, w := range []string{"import ", "tor ", "pub tor ", "proc ", "pub proc "} {
		if !strings.HasPrefix(rest, w) {
			continue
		}
		if w == "import " && strings.ContainsAny(firstLine(rest), `{}"'*;`) {
			return // a host language's own import
		}
		p.addFault(Fault{"PARSE003", pos, pos + len(w) - 1,
			"a Koru line in a host file must start with `~`",
			&Fix{"put ~ in front", []Edit{{pos, pos, "~"}}}})
	}
}

func firstLine(s string) string {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return s[:i]
	}
	return s
}

// checkKebab reports `_` in the current token where a kebab name stands (KORU034).
func (p *parser) checkKebab(what string) {
	name := p.text[p.pos:p.end]
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if !strings.Contains(name, "_") || strings.HasPrefix(name, "_") {
		return
	}
	kebab := strings.ReplaceAll(name, "_", "-")
	start := p.end - len(name)
	p.fault("KORU034", start, p.end, "'_' in the name of a "+what+": write '"+kebab+"'",
		&Fix{"rename to " + kebab, []Edit{{start, p.end, kebab}}})
}
