package check_test

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// faults are the kinds of fault that have a fix, each under its code.
var faults = []fault{
	{name: "label a pun", code: "PARSE005", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArgView{Node: n.Node}
		if n.Kind() != syntax.Arg || v.Label().IsValid() || v.Pun() == "" || v.Value().Kind() == syntax.IndexExpr {
			return syntax.Edit{}, false
		}
		return insert(n.Span().Start, v.Pun()+": "), true
	})},
	{name: "declare an event", code: "PARSE003", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		word := n.Token(syntax.Name)
		if word.Text() == "pub" {
			word = word.Next().Next()
		}
		if n.Kind() != syntax.TorItem || word.Text() != "tor" {
			return syntax.Edit{}, false
		}
		return replace(word, "event"), true
	})},
	{name: "quote an import", code: "PARSE003", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		path := syntax.ImportView{Node: n.Node}.Path()
		if n.Kind() != syntax.ImportItem || !strings.HasPrefix(path.Text(), "std/") {
			return syntax.Edit{}, false
		}
		return replace(path, `"$`+path.Text()+`"`), true
	})},
	{name: "use the host's text", code: "PARSE003", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Type || n.Text() != "string" || n.in.Kind() == syntax.Column {
			return syntax.Edit{}, false
		}
		return replace(n.FirstToken(), "[]const u8"), true
	})},
	{name: "square a state", code: "KORU033", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Phantom {
			return syntax.Edit{}, false
		}
		return over(n.Node, "["+strings.Trim(n.Text(), "<>")+"]"), true
	})},
	{name: "mint on an input", code: "KORU033", places: nodes(func(n place) (syntax.Edit, bool) {
		state := strings.Trim(n.Text(), "<>")
		if n.Kind() != syntax.Phantom || !strings.HasPrefix(state, "!") || strings.Contains(state, "|") {
			return syntax.Edit{}, false
		}
		return over(n.Node, "<"+state[1:]+"!>"), true
	})},
	{name: "consume on an outcome", code: "KORU033", places: nodes(func(n place) (syntax.Edit, bool) {
		state := strings.Trim(n.Text(), "<>")
		if n.Kind() != syntax.Phantom || !strings.HasSuffix(state, "!") {
			return syntax.Edit{}, false
		}
		return over(n.Node, "<!"+strings.TrimSuffix(state, "!")+">"), true
	})},
	{name: "snake a name everywhere", code: "KORU034", unasked: true, places: snakeNames},
	{name: "dot a module", code: "KORU035", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		path := syntax.CallView{Node: n.Node}.Path()
		module, _, ok := strings.Cut(path.Text(), ":")
		if n.Kind() == syntax.ImportItem {
			path = syntax.ImportView{Node: n.Node}.Path()
			module, ok = path.Text(), true
		}
		if !ok || n.Kind() != syntax.Call && n.Kind() != syntax.ImportItem || !strings.Contains(module, "/") || strings.Contains(module, ".") {
			return syntax.Edit{}, false
		}
		return replace(path, strings.ReplaceAll(module, "/", ".")+strings.TrimPrefix(path.Text(), module)), true
	})},
	{name: "wrap a guard", code: "KORU024", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Guard || n.FirstChild().Kind() == syntax.ParenExpr {
			return syntax.Edit{}, false
		}
		return over(n.FirstChild(), "("+n.FirstChild().Text()+")"), true
	})},
	{name: "discard nothing", code: "KORU101", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n.Node}
		if n.Kind() != syntax.Arm || v.CatchAll() || v.Effect() || v.Bind().IsValid() || v.Guard().IsValid() {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End, " _"), true
	})},
	{name: "bind nothing", code: "KORU030", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n.Node}
		if n.Kind() != syntax.Arm || v.Bind().Name().Text() != "_" {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: v.Name().Span().End, End: v.Bind().Span().End}, true
	})},
	{name: "bind what nobody reads", code: "KORU100", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		name := syntax.BindView{Node: n.Node}.Name()
		if n.Kind() != syntax.Bind || name.Text() != "_" {
			return syntax.Edit{}, false
		}
		return replace(name, "unread_by_all"), true
	})},
	{name: "forget a discharge", code: "KORU030", says: "was not discharged. Call: ", strict: true, unasked: true, gives: sameMeaning, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.CallView{Node: n.Node}
		args := 0
		for range v.Args() {
			args++
		}
		if n.Kind() != syntax.Call || n.in.Kind() != syntax.Chain || !n.before.IsValid() || n.Next().IsValid() || args != 1 {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: n.before.Span().End, End: n.Span().End}, true
	})},
	{name: "misspell an arm", code: "KORU021", places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n.Node}
		if n.Kind() != syntax.Arm || v.CatchAll() || len(v.Name().Text()) < 5 || v.Name().Kind() != syntax.Name {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End-1, "q"), true
	})},
	{name: "misspell an outcome", code: "KORU021", places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ConstructView{Node: n.Node}
		if n.Kind() != syntax.Construct || len(v.Name().Text()) < 5 || v.Name().Kind() != syntax.Name {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End-1, "q"), true
	})},
	{name: "produce an outcome", code: "KORU021", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Construct || n.FirstToken().Kind() != syntax.FatArrow || n.FirstChild().Kind() == syntax.RecordExpr {
			return syntax.Edit{}, false
		}
		return replace(n.FirstToken(), "->"), true
	})},
	{name: "misspell a verb", code: "KORU040", places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.CallView{Node: n.Node}
		if n.Kind() != syntax.Call || len(v.Path().Text()) < 5 || v.Path().Kind() != syntax.Name || !v.ArgList().IsValid() {
			return syntax.Edit{}, false
		}
		return insert(v.Path().Span().End-1, "q"), true
	})},
	{name: "misspell a module", code: "KORU002", places: nodes(func(n place) (syntax.Edit, bool) {
		path := syntax.ImportView{Node: n.Node}.Path()
		if n.Kind() != syntax.ImportItem || len(path.Text()) < 9 || !strings.HasPrefix(path.Text(), "std/") {
			return syntax.Edit{}, false
		}
		return insert(path.Span().End-1, "q"), true
	})},
	{name: "misspell a field", code: "KORU081", places: nodes(func(n place) (syntax.Edit, bool) {
		label := syntax.ArgView{Node: n.Node}.Label()
		if n.Kind() != syntax.Arg || len(label.Text()) < 4 {
			return syntax.Edit{}, false
		}
		return insert(label.Span().End-1, "q"), true
	})},
	{name: "misspell a part of a payload", code: "KORU036", places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.BindFieldView{Node: n.Node}
		name := v.As()
		if !name.IsValid() {
			name = v.Field()
		}
		if n.Kind() != syntax.BindField || len(name.Text()) < 4 {
			return syntax.Edit{}, false
		}
		return insert(name.Span().End-1, "q"), true
	})},
	{name: "leave out what is bound", code: "KORU080", says: "is bound here", unasked: true, gives: sameMeaning, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArgView{Node: n.Node}
		if n.Kind() != syntax.Arg || v.Label().IsValid() || v.Value().Kind() != syntax.NameExpr {
			return syntax.Edit{}, false
		}
		return withoutComma(n), true
	})},
	{name: "leave out a literal", code: "KORU080", says: `\((string|bool|[iu]\d+|usize|f64)\)`, gives: nothingLeft, places: nodes(func(n place) (syntax.Edit, bool) {
		v := syntax.ArgView{Node: n.Node}
		if n.Kind() != syntax.Arg || !v.Label().IsValid() || v.Value().Kind() != syntax.Literal {
			return syntax.Edit{}, false
		}
		return withoutComma(n), true
	})},
	{name: "drop a spec", code: "KORU168", unasked: true, gives: nothingLeft, places: nodes(func(n place) (syntax.Edit, bool) {
		spec := syntax.SpliceView{Node: n.Node}.Spec()
		if n.Kind() != syntax.Splice || !spec.IsValid() {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: spec.Span().Start - 1, End: spec.Span().End}, true
	})},
	{name: "drop an arm", code: "KORU022", gives: nothingLeft, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Arm || (syntax.ArmView{Node: n.Node}).Guard().IsValid() {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: lineStart(n.Node), End: n.Span().End}, true
	})},
	{name: "lead to an outcome", code: "KORU103", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		arrow := n.Token(syntax.FatArrow)
		if n.Kind() != syntax.Construct || !arrow.IsValid() || !strings.HasPrefix(textBefore(n.Node), "|") {
			return syntax.Edit{}, false
		}
		return replace(arrow, "|>"), true
	})},
	{name: "handle with the wrong glyph", code: "KORU025", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		glyph := n.FirstToken()
		switch {
		case n.Kind() != syntax.Arm:
		case glyph.Kind() == syntax.Bang:
			return replace(glyph, "|"), true
		case glyph.Kind() == syntax.Pipe && !n.Next().IsValid():
			return replace(glyph, "!"), true
		}
		return syntax.Edit{}, false
	})},
	{name: "end in a discard", code: "KORU010", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		steps := 0
		for range (syntax.ChainView{Node: n.Node}).Steps() {
			steps++
		}
		last := n.LastToken()
		if n.Kind() != syntax.Chain || steps < 1 || n.FirstChild().Kind() != syntax.Call || n.Child(syntax.Arm).IsValid() ||
			(syntax.ChainView{Node: n.Node}).End().IsValid() || last.Kind() != syntax.RParen {
			return syntax.Edit{}, false
		}
		return insert(n.Span().End, " |> _"), true
	})},
	{name: "part an arm from its call", code: "KORU010", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		return insert(lineStart(n.Node), "\n"), n.Kind() == syntax.Arm
	})},
	{name: "say something between arms", code: "KORU010", unasked: true, gives: sameMeaning, places: nodes(func(n place) (syntax.Edit, bool) {
		return insert(lineStart(n.Node), "\n// a word in between"), n.Kind() == syntax.Arm
	})},
	{name: "end a line in a pipe", code: "KORU010", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		arrow := syntax.ArmView{Node: n.Node}.Arrow()
		if n.Kind() != syntax.Arm || n.Child(syntax.Chain).FirstChild().Kind() != syntax.Call || arrow.Next().Text() != " " {
			return syntax.Edit{}, false
		}
		return replace(arrow.Next(), "\n"+strings.Repeat(" ", indent(n.Node)+8)), true
	})},
	{name: "indent with a tab", code: "PARSE002", unasked: true, places: nodes(func(n place) (syntax.Edit, bool) {
		if n.Kind() != syntax.Arm || indent(n.Node) < 4 {
			return syntax.Edit{}, false
		}
		start := lineStart(n.Node) + 1
		return syntax.Edit{Start: start, End: start + 4, Text: "\t"}, true
	})},
}

// place is a node with the one that it stands in and the one before it there.
type place struct {
	syntax.Node
	in, before syntax.Node
}

// nodes makes the places of a fault out of what it does to a single node.
func nodes(at func(n place) (syntax.Edit, bool)) func(f *syntax.File) [][]syntax.Edit {
	return func(f *syntax.File) (out [][]syntax.Edit) {
		var walk func(n place)
		walk = func(n place) {
			if e, ok := at(n); ok {
				out = append(out, []syntax.Edit{e})
			}
			inner := place{in: n.Node}
			for c := range n.Children() {
				inner.before, inner.Node = inner.Node, c
				walk(inner)
			}
		}
		for it := range f.Items() {
			walk(place{Node: it})
		}
		return out
	}
}

// snakeNames respells a verb or an outcome of the file wherever it stands.
func snakeNames(f *syntax.File) (out [][]syntax.Edit) {
	var declared []string
	for it := range f.Items() {
		if it.Kind() == syntax.TorItem {
			declared = append(declared, syntax.TorView{Node: it}.Name().Text())
			for a := range (syntax.TorView{Node: it}).Arms() {
				declared = append(declared, a.Name().Text())
			}
		}
	}
	for _, name := range declared {
		if !strings.Contains(name, "-") {
			continue
		}
		var edits []syntax.Edit
		for it := range f.Items() {
			for tok := range it.AllTokens() {
				if (tok.Kind() == syntax.Name || tok.Kind() == syntax.Path) && tok.Text() == name {
					edits = append(edits, replace(tok, strings.ReplaceAll(name, "-", "_")))
				}
			}
		}
		out = append(out, edits)
	}
	return out
}

func insert(at int, text string) syntax.Edit { return syntax.Edit{Start: at, End: at, Text: text} }

func replace(tok syntax.Token, text string) syntax.Edit {
	return syntax.Edit{Start: tok.Span().Start, End: tok.Span().End, Text: text}
}

func over(n syntax.Node, text string) syntax.Edit {
	return syntax.Edit{Start: n.Span().Start, End: n.Span().End, Text: text}
}

// withoutComma takes an argument away, with the comma before or behind it.
func withoutComma(n place) syntax.Edit {
	e := over(n.Node, "")
	if n.before.IsValid() {
		e.Start = n.before.Span().End
	} else if next := n.Next(); next.IsValid() {
		e.End = next.Span().Start
	}
	return e
}

// textBefore returns the text of the line in front of a node.
func textBefore(n syntax.Node) string {
	text := n.Tree().Text()[:n.Span().Start-n.Base()]
	return strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " ")
}

// lineStart returns the offset of the line end in front of a node that starts a
// line.
func lineStart(n syntax.Node) int { return n.Span().Start - indent(n) - 1 }

// indent returns how many blanks stand in front of a node that starts a line.
func indent(n syntax.Node) int {
	text := n.Tree().Text()[:n.Span().Start-n.Base()]
	return len(text) - len(strings.TrimRight(text, " "))
}
