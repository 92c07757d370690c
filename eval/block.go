package eval

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// blockText returns the text of a call's source block without the indentation
// of the block (language.md 9.1), or the text of the file that it names.
func (c *compiler) blockText(call *check.Call) string {
	switch {
	case call.Template != nil || !call.Block.IsValid():
		return ""
	case call.Block.Kind() == syntax.FileBlock:
		return c.fileText(call)
	case call.Block.Kind() == syntax.Block:
		return dedent(call.Block.Token(syntax.Text).Text())
	}
	return ""
}

// fileText reads the file of call @"page.html", which stands beside the source.
func (c *compiler) fileText(call *check.Call) string {
	name, err := strconv.Unquote(call.Block.Token(syntax.String).Text())
	files := c.prog.checked.Options.Files
	if err != nil || files == nil || c.file == nil {
		c.refuse(call.Block, "the file of this block cannot be read here")
		return ""
	}
	text, err := fs.ReadFile(files, path.Join(path.Dir(c.file.Syntax.Name), name))
	if err != nil {
		c.refuse(call.Block, "the file '"+name+"' cannot be read: it is looked for beside this source")
	}
	return string(text)
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
