package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// hostBodies judges what a checker can see of host bodies without knowing their
// language: Koru flows inside them, and names of the module that they cannot
// reach.
func (j *judge) hostBodies() {
	j.file.outline.each(isZig, func(i int) {
		v := syntax.ProcView{Node: j.file.Syntax.Item(i)}
		if j.file.verdict(i) == nil {
			before := len(*j.out)
			if j.inlineFlows(v.Body()); len(*j.out) == before {
				j.file.pass(i, sound)
			}
		}
		if j.mod.Path == "" {
			return
		}
		if t := j.mod.Tor(v.Name().Text()); t != nil && t.Pub && t.pulses() {
			j.bareModuleNames(t, v.Body())
		}
	})
}

// inlineFlows reports flows inside a body, which the language once had (KORU003).
func (j *judge) inlineFlows(body syntax.Token) {
	at := body.Span().Start
	fresh := true // the line before ended a statement, so that ~ is no operator
	for line := range strings.Lines(body.Text()) {
		text := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(text, "~"); ok && fresh {
			if n := pathLength(rest); n > 0 && strings.HasPrefix(rest[n:], "(") && strings.ContainsAny(rest[:n], ":/") {
				start := at + strings.Index(line, "~")
				j.fault("KORU003", syntax.Span{Start: start, End: start + 1 + n},
					"a flow inside a proc body: a body is host code — call the verb from a flow, or the host function it stands for")
			}
		}
		if text != "" && !strings.HasPrefix(text, "//") {
			fresh = strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{") || strings.HasSuffix(text, "}")
		}
		at += len(line)
	}
}

// pathLength returns the length of the verb path that a text starts with.
func pathLength(s string) int {
	n := 0
	for n < len(s) && (isFlagByte(s[n]) || s[n] == '/' || s[n] == ':') {
		n++
	}
	return n
}

// bareModuleNames reports names of the module's host lines that an effect body
// uses without $mod. Such a body is put where it is called, which may be in
// another module (KORU112).
func (j *judge) bareModuleNames(t *Tor, body syntax.Token) {
	names := j.mod.hostNames()
	if len(names) == 0 {
		return
	}
	text := body.Text()
	reported := map[string]bool{"std": true, "builtin": true} // reachable from everywhere
	for w := range hostWords(text) {
		name := text[w.Start:w.End]
		if !names[name] || reported[name] || w.Start > 0 && text[w.Start-1] == '.' || declaresLocally(text, name) {
			continue
		}
		reported[name] = true
		base := body.Span().Start
		d := j.fault("KORU112", syntax.Span{Start: base + w.Start, End: base + w.End},
			fmt.Sprintf("'%s' has effects, so its body is placed where it is called: reach '%s' of this module as $mod.%s", t.Name, name, name))
		d.replace("write $mod."+name, true, d.Span, "$mod."+name)
	}
}

// declaresLocally reports whether a body has a variable or a capture of its own
// under a name.
func declaresLocally(body, name string) bool {
	for _, before := range []string{"const ", "var ", "|"} {
		for rest := body; ; {
			i := strings.Index(rest, before+name)
			if i < 0 {
				break
			}
			rest = rest[i+len(before)+len(name):]
			if rest == "" || !isFlagByte(rest[0]) || rest[0] == '.' || rest[0] == '-' {
				return true
			}
		}
	}
	return false
}

// hostNames returns the names that the host lines of the module declare at top
// level: functions, constants and variables.
func (m *Module) hostNames() map[string]bool {
	names := map[string]bool{}
	for _, f := range m.Files {
		for it := range f.items(isHost) {
			for line := range strings.Lines(it.Text()) {
				if name := declaredHostName(line); name != "" {
					names[name] = true
				}
			}
		}
	}
	return names
}

// declaredHostName returns the name that a line at the top level of a Zig file
// declares, or "".
func declaredHostName(line string) string {
	for _, word := range []string{"pub ", "export ", "inline ", "threadlocal "} {
		line = strings.TrimPrefix(line, word)
	}
	for _, word := range []string{"const ", "var ", "fn "} {
		if rest, ok := strings.CutPrefix(line, word); ok {
			n := 0
			for n < len(rest) && isFlagByte(rest[n]) && rest[n] != '-' && rest[n] != '.' {
				n++
			}
			return rest[:n]
		}
	}
	return ""
}

// hostWords returns an iterator over the words of a Zig body, those in strings
// and comments left out.
func hostWords(text string) func(yield func(syntax.Span) bool) {
	return func(yield func(syntax.Span) bool) {
		for i := 0; i < len(text); {
			switch c := text[i]; {
			case strings.HasPrefix(text[i:], "//") || strings.HasPrefix(text[i:], `\\`):
				for i < len(text) && text[i] != '\n' {
					i++
				}
			case c == '"' || c == '\'':
				i = closeQuote(text, i)
			case isFlagByte(c) && c != '-' && c != '.':
				start := i
				for i < len(text) && isFlagByte(text[i]) && text[i] != '-' && text[i] != '.' {
					i++
				}
				if !yield(syntax.Span{Start: start, End: i}) {
					return
				}
			default:
				i++
			}
		}
	}
}

// closeQuote returns the offset behind the quoted text that starts at i.
func closeQuote(text string, i int) int {
	for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j + 1
		}
	}
	return i + 1
}
