package syntax

import "strings"

// bodyEnd finds the brace that closes the host body opened at pos. Zig bodies
// hide braces in strings, character literals, // comments and \\ lines; a
// JavaScript body also in template literals, block comments and regular
// expressions (R98). It returns the end of the text and false if none closes it.
func bodyEnd(text string, pos int, zig bool) (int, bool) {
	level := 0
	var last byte // last significant byte: tells a division from a regular expression
	quoted := quotes{text: text}
	for i := pos; i < len(text); {
		c := text[i]
		switch {
		case c == '{':
			level++
		case c == '}':
			if level--; level == 0 {
				return i, true
			}
		case c == '"', c == '\'':
			i = quoted.skip(i)
			last = '"'
			continue
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			i = lineEnd(text, i)
			continue
		case zig && c == '\\' && strings.HasPrefix(text[i:], `\\`):
			i = lineEnd(text, i)
			continue
		case !zig && c == '/' && strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
			continue
		case !zig && c == '`':
			i = skipTemplate(&quoted, i)
			last = '"'
			continue
		case !zig && c == '/' && startsRegex(text, i, last):
			i = quoted.skipRegex(i)
			last = '"'
			continue
		}
		if !isBlank(c) && !isLine(c) {
			last = c
		}
		i++
	}
	return len(text), false
}

// lineEnd returns the offset of the line end after offset i.
func lineEnd(text string, i int) int {
	for i < len(text) && !isLine(text[i]) {
		i++
	}
	return i
}

func after(text string, i int, end string) int {
	if i > len(text) {
		return len(text)
	}
	if j := strings.Index(text[i:], end); j >= 0 {
		return i + j + len(end)
	}
	return len(text)
}

// skipTemplate skips a JavaScript template literal with its ${ … } parts, which
// may hold further literals. The stack is explicit so that depth costs no Go
// stack: inText for a literal, a count of open braces for a ${ … }.
func skipTemplate(quoted *quotes, i int) int {
	const inText = 0
	text := quoted.text
	stack := []int{inText}
	for i++; i < len(text); i++ {
		top := len(stack) - 1
		c := text[i]
		if stack[top] == inText {
			switch {
			case c == '\\':
				i++
			case c == '`':
				if stack = stack[:top]; top == 0 {
					return i + 1
				}
			case c == '$' && i+1 < len(text) && text[i+1] == '{':
				stack = append(stack, 1)
				i++
			}
			continue
		}
		switch c {
		case '"', '\'':
			i = quoted.skip(i) - 1
		case '`':
			stack = append(stack, inText)
		case '{':
			stack[top]++
		case '}':
			if stack[top]--; stack[top] == 0 {
				stack = stack[:top]
			}
		}
	}
	return len(text)
}

// startsRegex decides whether a slash opens a regular expression: it does where
// a value may start, that is after an operator, an opening bracket, a comma or
// a keyword such as return.
func startsRegex(text string, i int, last byte) bool {
	switch {
	case strings.IndexByte("(,=:[!&|?{};+-*%<>~^", last) >= 0:
		return true
	case !isWord(last):
		return false
	}
	end := i
	for end > 0 && isBlank(text[end-1]) {
		end--
	}
	start := end
	for start > 0 && isWord(text[start-1]) {
		start--
	}
	switch text[start:end] {
	case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield":
		return true
	}
	return false
}
