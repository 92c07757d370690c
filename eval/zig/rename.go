package zig

import (
	"fmt"
	"slices"

	"github.com/koru-go/koru/syntax"
)

// Rename returns the edits, in offsets of the body, that give an input of a |zig
// body another name. The error says why it cannot be done: the body is not
// understood, it declares a name that is spelled the same, or the new one means
// something in it. A name of Zig hides no other, so the words of the body tell.
func Rename(body, name, to string) ([]syntax.Edit, error) {
	if slices.Contains(keywords, to) {
		return nil, fmt.Errorf("'%s' is a word of Zig", to)
	}
	l := lexer{src: body}
	var edits []syntax.Edit
	var before token
	for {
		tok, fault := l.next()
		if fault != nil {
			return nil, fault
		}
		if tok.kind == endToken {
			return edits, nil
		}
		member := before.text == "."
		switch {
		case tok.kind != nameToken || member:
		case tok.text == to:
			return nil, fmt.Errorf("it uses '%s' for something else", to)
		case tok.text == name && declaring(before.text):
			return nil, fmt.Errorf("it declares a '%s' of its own", name)
		case tok.text == name:
			edits = append(edits, syntax.Edit{Start: tok.start, End: tok.end, Text: to})
		}
		before = tok
	}
}

// declaring reports whether the name behind a word is declared there. Behind a
// bar stands a capture, or the right side of an operation on bits: nobody can
// tell from the words.
func declaring(word string) bool {
	return word == "const" || word == "var" || word == "|" || word == "fn"
}

// keywords are the words of Zig that cannot be names.
var keywords = []string{
	"and", "break", "catch", "comptime", "const", "continue", "defer", "else", "enum", "errdefer", "error", "export",
	"extern", "false", "fn", "for", "if", "inline", "null", "or", "orelse", "packed", "pub", "return", "struct", "switch",
	"test", "threadlocal", "true", "try", "undefined", "union", "unreachable", "usingnamespace", "var", "volatile", "while",
}
