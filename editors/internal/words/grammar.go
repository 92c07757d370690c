package words

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Grammar is a file of an editor that holds lists of words.
type Grammar struct {
	Path  string   // below the folder editors
	Lacks []string // lists that this grammar has no use for

	rewrite func(text string) (string, []string, error)
}

// Grammars returns every file that holds lists.
func Grammars() []Grammar {
	return []Grammar{
		{Path: "vscode/syntaxes/koru.tmLanguage.json", Lacks: []string{"spoken"}, rewrite: inPatterns},
		{Path: "vscode/syntaxes/koru-wire.tmLanguage.json", Lacks: allBut("spoken"), rewrite: inPatterns},
		{Path: "sublime/Koru.sublime-syntax", Lacks: []string{"spoken"}, rewrite: between("#", sublimeLines)},
		{Path: "vim/syntax/koru.vim", rewrite: between(`"`, vimLines)},
		{Path: "emacs/koru-mode.el", rewrite: between(";;", lispLines)},
		{Path: "web/src/words.js", rewrite: between("//", scriptLines)},
	}
}

func allBut(names ...string) []string {
	var rest []string
	for _, l := range Lists() {
		if !slices.Contains(names, l.Name) {
			rest = append(rest, l.Name)
		}
	}
	return rest
}

// Rewrite returns the text with every marked place filled from the lists, and
// the names of the lists it holds. An unknown name and a place without an end
// are errors.
func (g Grammar) Rewrite(text string) (string, []string, error) {
	text, names, err := g.rewrite(text)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", g.Path, err)
	}
	return text, names, nil
}

// marked is a mark in a pattern and the group that it announces, which holds no
// group of its own. The pattern stands in JSON: an escape is two backslashes.
var marked = regexp.MustCompile(`\(\?#([a-z-]+)\)\(\?:((?:\\\\.|[^()\\])*)\)`)

// inPatterns fills the marks in the patterns of a JSON grammar.
func inPatterns(text string) (string, []string, error) {
	var names []string
	var unknown error
	out := marked.ReplaceAllStringFunc(text, func(place string) string {
		name := marked.FindStringSubmatch(place)[1]
		list, ok := Find(name)
		if !ok {
			unknown = fmt.Errorf("there is no list %q", name)
			return place
		}
		names = append(names, name)
		return "(?#" + name + ")(?:" + inJSON(joined(list, quotePattern)) + ")"
	})
	if n := strings.Count(text, "(?#"); unknown == nil && n != len(names) {
		unknown = fmt.Errorf("%d marks, and %d with a group (?:…) behind", n, len(names))
	}
	return out, names, unknown
}

// quotePattern escapes what has a meaning in an Oniguruma pattern, and the
// parentheses that would end a marked place.
func quotePattern(word string) string { return regexp.QuoteMeta(word) }

// inJSON returns text as it stands between the quotes of a JSON string.
func inJSON(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// between fills the lines from `<comment> words: NAME` to `<comment> end words`.
// They get the indentation of the mark.
func between(comment string, lines func(name string, list []string) []string) func(string) (string, []string, error) {
	return func(text string) (string, []string, error) {
		var out, names []string
		inside := ""
		for _, line := range strings.Split(text, "\n") {
			mark := strings.TrimSpace(line)
			name, opens := strings.CutPrefix(mark, comment+" words: ")
			switch {
			case opens && inside != "":
				return "", nil, fmt.Errorf("the words %q have no end", inside)
			case opens:
				list, ok := Find(name)
				if !ok {
					return "", nil, fmt.Errorf("there is no list %q", name)
				}
				indent := line[:strings.Index(line, comment)]
				out = append(out, line)
				for _, l := range lines(name, list) {
					out = append(out, indent+l)
				}
				inside, names = name, append(names, name)
			case mark == comment+" end words":
				if inside == "" {
					return "", nil, fmt.Errorf("an end of words without a start")
				}
				out, inside = append(out, line), ""
			case inside == "":
				out = append(out, line)
			}
		}
		if inside != "" {
			return "", nil, fmt.Errorf("the words %q have no end", inside)
		}
		return strings.Join(out, "\n"), names, nil
	}
}

// sublimeLines is a variable of a .sublime-syntax file.
func sublimeLines(name string, list []string) []string {
	variable := strings.ReplaceAll(name, "-", "_")
	return []string{variable + ": '(?:" + strings.ReplaceAll(joined(list, quotePattern), "'", "''") + ")'"}
}

// vimLines is a variable that holds a very magic pattern of the words.
func vimLines(name string, list []string) []string {
	pattern := joined(list, quoteVim)
	return []string{"let s:" + strings.ReplaceAll(name, "-", "_") + " = '%(" + strings.ReplaceAll(pattern, "'", "''") + ")'"}
}

// quoteVim escapes every byte that is no letter, digit or _ for \v.
func quoteVim(word string) string {
	var b strings.Builder
	for _, c := range []byte(word) {
		if c != '_' && c != ':' && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// lispLines is a constant that holds a list of strings.
func lispLines(name string, list []string) []string {
	lines := []string{"(defconst koru--" + name}
	lines = append(lines, wrapped(list, " ", "  '(", "    ", "))")...)
	return lines
}

// scriptLines is a constant that holds an array of strings.
func scriptLines(name string, list []string) []string {
	words := strings.Split(name, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	lines := []string{"export const " + strings.Join(words, "") + " = ["}
	lines = append(lines, wrapped(list, ", ", "  ", "  ", ",")...)
	return append(lines, "];")
}

// wrapped writes quoted words over lines of at most 78 columns.
func wrapped(list []string, sep, first, rest, last string) []string {
	var lines []string
	line := first
	for i, w := range list {
		word := inJSON(w)
		word = `"` + word + `"`
		if i > 0 {
			if len(line)+len(sep)+len(word) > 78 {
				lines = append(lines, strings.TrimRight(line+sep, " "))
				line = rest
			} else {
				line += sep
			}
		}
		line += word
	}
	return append(lines, line+last)
}
