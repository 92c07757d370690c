package eval

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// blockText returns the text of a call's source block without the indentation
// of the block (language.md 9.1).
func (c *compiler) blockText(call *check.Call) string {
	if call.Template != nil || !call.Block.IsValid() || call.Block.Kind() != syntax.Block {
		return ""
	}
	return dedent(call.Block.Token(syntax.Text).Text())
}

// dedent takes off the spaces that all lines share, and the lines of the braces.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	shared := -1
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if blank := strings.TrimLeft(line, " ") == ""; blank || i == 0 {
			continue
		}
		if n := len(line) - len(strings.TrimLeft(line, " ")); shared < 0 || n < shared {
			shared = n
		}
	}
	for i := range lines {
		if i > 0 && shared > 0 {
			lines[i] = lines[i][leading(lines[i], shared):]
		}
	}
	if len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if n := len(lines); n > 1 && strings.TrimSpace(lines[n-1]) == "" {
		lines[n-1] = ""
	}
	return strings.Join(lines, "\n")
}

// leading returns the number of leading spaces of a line, at most n.
func leading(line string, n int) int {
	i := 0
	for i < n && i < len(line) && line[i] == ' ' {
		i++
	}
	return i
}
