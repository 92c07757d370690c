package syntax

import "strings"

// strayGap reports a blank or comment line inside a flow (KORU010).
func (p *parser) strayGap() {
	switch {
	case p.line.blank:
		p.fault("KORU010", p.pos, p.end,
			"stray continuation line: a blank line ended the flow above — remove the blank line", p.closeGap("remove the blank line", false))
	case p.line.comment >= 0:
		end := p.lineEndAt(p.line.comment)
		p.fault("KORU010", p.line.comment, end,
			"stray continuation line after this comment: a comment line may not stand inside a flow — move it above the flow or behind an arm",
			p.closeGap("move the comment above the flow", false))
	}
}

// blankInDeclaration reports a blank line above an arm of a declaration, where
// comment lines may stand (KORU010).
func (p *parser) blankInDeclaration() {
	p.fault("KORU010", p.pos, p.end,
		"stray continuation line: a blank line ended the declaration above — remove the blank line", p.closeGap("remove the blank line", true))
}

// closeGap takes the blank lines out that stand between the line that was parsed
// and the one that follows. Comment lines among them stay if the construct may
// hold some, and go above it otherwise.
func (p *parser) closeGap(title string, keep bool) *Fix {
	start, end := p.gapLines()
	comments := commentLines(p.text[start:end])
	if keep || comments == "" {
		return &Fix{title, []Edit{{start, end, comments}}}
	}
	head := p.headLine()
	return &Fix{title, []Edit{{head, head, comments}, {start, end, ""}}}
}

// gapLines returns the range of the whole lines between the last consumed token
// and the current one.
func (p *parser) gapLines() (start, end int) {
	end = p.pos
	for end > 0 && !isLine(p.text[end-1]) {
		end--
	}
	start = p.prevPos
	for start < end && !isLine(p.text[start]) {
		start++ // a comment behind the token stays on its line
	}
	return afterLineEnd(p.text, start, end), end
}

// afterLineEnd returns the offset behind the line end at offset pos.
func afterLineEnd(text string, pos, limit int) int {
	if pos < limit && text[pos] == '\r' {
		pos++
	}
	if pos < limit && text[pos] == '\n' {
		pos++
	}
	return pos
}

// commentLines returns the lines of a text that are not blank, without their
// indentation.
func commentLines(text string) string {
	var b strings.Builder
	for pos := 0; pos < len(text); {
		for pos < len(text) && isBlank(text[pos]) {
			pos++
		}
		start := pos
		for pos < len(text) && !isLine(text[pos]) {
			pos++
		}
		blank := pos == start
		pos = afterLineEnd(text, pos, len(text))
		if !blank {
			b.WriteString(text[start:pos])
		}
	}
	return b.String()
}

// headLine returns where the line begins that the item's construct starts on.
func (p *parser) headLine() int {
	if p.head >= 0 {
		return p.head
	}
	p.head = p.itemStart
	for i := p.tokBase; i < len(p.tokens); i++ {
		if !p.tokens[i].kind.IsTrivia() {
			p.head = p.itemStart + int(p.tokens[i].off)
			break
		}
	}
	for p.head > p.itemStart && isBlank(p.text[p.head-1]) {
		p.head--
	}
	return p.head
}
