package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// specRule says what a receiver of splices asks of their specs.
type specRule uint8

const (
	specOptional specRule = iota // text fields, std/fmt
	specRequired                 // std/io: every splice says how it is shown
)

// text lowers a string with splices (language.md 9.2).
func (l *lowerer) text(n syntax.Node, rule specRule) *Expr {
	e := &Expr{Kind: TextOf, Node: n, Type: textType}
	child := n.FirstChild()
	first := true
	for t := range n.Tokens() {
		for child.IsValid() && child.Span().Start < t.Span().Start {
			e.Parts = append(e.Parts, l.spliced(child, rule))
			child = child.Next()
		}
		if t.Kind() != syntax.Quote {
			continue
		}
		s := t.Text()
		if first {
			s = strings.TrimPrefix(s, `"`)
		}
		first = false
		if t == n.LastToken() {
			s = strings.TrimSuffix(s, `"`)
		}
		if s = unescape(s); s != "" {
			e.Parts = append(e.Parts, Part{Kind: TextPart, Text: s, Node: n})
		}
	}
	for ; child.IsValid(); child = child.Next() {
		e.Parts = append(e.Parts, l.spliced(child, rule))
	}
	return e
}

// spliced lowers one splice and judges its spec (R22).
func (l *lowerer) spliced(n syntax.Node, rule specRule) Part {
	v := syntax.SpliceView{Node: n}
	p := Part{Kind: SplicePart, Node: n, Spec: v.Spec().Text()}
	outer := l.splice
	l.splice = n
	defer func() { l.splice = outer }()
	if v.Broken() {
		l.touch(n)
		l.brokenSplice()
		p.Expr = &Expr{Kind: BrokenExpr, Node: n, Type: unknown}
		return p
	}
	before := len(l.diags)
	if p.Expr = l.value(v.Expr(), nil); len(l.diags) == before {
		l.spec(v, p, rule)
	}
	return p
}

// brokenSplice reports a splice that holds no expression.
func (l *lowerer) brokenSplice() {
	l.report("KORU168", l.splice.Span(), quoteSplice(l.splice)+" — a splice holds a value, a path or arithmetic, and then ':' and a spec")
}

// spliceText returns what stands between the braces of a splice.
func spliceText(n syntax.Node) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(n.Text(), "{{"), "}}"))
}

func quoteSplice(n syntax.Node) string { return "'{ " + clip(spliceText(n)) + " }'" }

// specs are the ways to show a value and what they show.
var specs = []struct{ spec, shows string }{
	{"s", "text"}, {"d", "an integer"}, {"f", "a float"}, {"any", "anything"},
}

// spec judges how a splice shows its value.
func (l *lowerer) spec(v syntax.SpliceView, p Part, rule specRule) {
	d := Diagnostic{Code: "KORU168", Span: v.Span()}
	right := specFor(p.Expr.Type)
	switch {
	case p.Spec == "" && rule == specOptional:
		return
	case p.Spec == "":
		d.Message = quoteSplice(v.Node) + " — a splice that is printed says how: :s text, :d integer, :f float, :any anything"
		end := v.Expr().Span().End
		d.replace("show it as :"+right, true, syntax.Span{Start: end, End: end}, ":"+right)
	case showing(p.Spec) == "":
		d.Message = quoteSplice(v.Node) + " — there is no spec ':" + p.Spec + "': :s text, :d integer, :f float, :any anything"
		d.replace("show it as :"+right, false, v.Spec().Span(), right)
	case !specFits(p.Spec, p.Expr.Type):
		d.Message = quoteSplice(v.Node) + " — ':" + p.Spec + "' shows " + showing(p.Spec) + ", found " + describe(p.Expr)
		d.replace("show it as :"+right, true, v.Spec().Span(), right)
	default:
		return
	}
	l.add(d)
}

func showing(spec string) string {
	for _, s := range specs {
		if s.spec == spec {
			return s.shows
		}
	}
	return ""
}

// specFor returns the spec that shows values of a type.
func specFor(t *Type) string {
	if known(t) {
		switch {
		case textual(t):
			return "s"
		case t.Kind == IntType:
			return "d"
		case t.Kind == FloatType:
			return "f"
		}
	}
	return "any"
}

// specFits judges a spec against the type of the value, between known kinds.
func specFits(spec string, t *Type) bool {
	if spec == "any" || !known(t) {
		return true
	}
	switch spec {
	case "s":
		return textual(t)
	case "d":
		return t.Kind == IntType
	}
	return t.Kind == FloatType || t == wholeType
}

// template lowers the text of a template block: splices, and the tags
// {% if x %} … {% else %} … {% endif %} and {% for x in xs %} … {% endfor %}.
func (l *lowerer) template(block syntax.Node, rule specRule) *Expr {
	t := &templater{l: l, rule: rule}
	defer func(unnamed bool) { l.unnamed = unnamed }(l.unnamed)
	for _, piece := range pieces(block) {
		t.piece(piece)
	}
	for len(t.open) > 0 {
		tag := t.top().tag
		if t.lost {
			t.close()
			continue
		}
		d := l.report("KORU125", tag.Span(), "'"+tag.Text()+"' is never closed: expected '{% "+t.top().closer()+" %}'")
		if end := block.LastToken(); end.Kind() == syntax.RBrace {
			at := end.Span().Start
			d.replace("close it", false, syntax.Span{Start: at, End: at}, "{% "+t.top().closer()+" %}")
		}
		t.close()
	}
	dedent(t.parts)
	return &Expr{Kind: TextOf, Node: block, Type: textType, Parts: t.parts}
}

// piece is a run of text or a node of a template block.
type piece struct {
	text string
	node syntax.Node
}

// pieces lists what stands between the braces of a template block.
func pieces(block syntax.Node) []piece {
	var out []piece
	child := block.FirstChild()
	for t := range block.Tokens() {
		for child.IsValid() && child.Span().Start < t.Span().Start {
			out = append(out, piece{node: child})
			child = child.Next()
		}
		if t.Kind() == syntax.Text {
			out = append(out, piece{text: t.Text()})
		}
	}
	for ; child.IsValid(); child = child.Next() {
		out = append(out, piece{node: child})
	}
	return out
}

// templater builds the parts of a template. Tags nest, so it keeps a stack of
// those that are open.
type templater struct {
	l     *lowerer
	rule  specRule
	parts []Part
	open  []*openTag
	lost  bool // a tag was not understood
}

// openTag is a tag whose end has not come yet.
type openTag struct {
	tag   syntax.Node
	part  Part
	outer []Part // the parts in front of the tag
	mark  int    // of the visible names
	more  bool   // behind {% else %}
}

func (t *openTag) closer() string {
	if t.part.Kind == ForPart {
		return "endfor"
	}
	return "endif"
}

func (t *templater) top() *openTag { return t.open[len(t.open)-1] }

func (t *templater) piece(p piece) {
	switch {
	case !p.node.IsValid():
		t.parts = append(t.parts, Part{Kind: TextPart, Text: p.text})
	case p.node.Kind() == syntax.Splice:
		t.parts = append(t.parts, t.l.spliced(p.node, t.rule))
	case p.node.Kind() == syntax.Tag:
		t.tag(p.node)
	}
}

func (t *templater) tag(n syntax.Node) {
	word := n.Token(syntax.Name).Text()
	switch word {
	case "if":
		part := Part{Kind: IfPart, Node: n, Expr: t.operand(n)}
		t.l.condition(part.Expr, "'{% if %}'")
		t.push(&openTag{tag: n, part: part})
	case "for":
		t.loop(n)
	case "else":
		if len(t.open) == 0 || t.top().part.Kind != IfPart || t.top().more {
			t.stray(n, "'{% else %}' stands in no '{% if %}'")
			return
		}
		top := t.top()
		top.part.Body, top.more, t.parts = t.parts, true, nil
	case "endif", "endfor":
		switch {
		case len(t.open) > 0 && t.top().closer() == word:
			t.close()
		case !t.lost:
			t.stray(n, "'{% "+word+" %}' closes nothing")
		}
	default:
		t.unknown(n, word)
	}
}

// unknown reports a tag that there is not. What it was to open or to close is not
// missed as well, and what it was to bind may be read.
func (t *templater) unknown(n syntax.Node, word string) {
	t.stray(n, "there is no tag '"+word+"': the tags are if, else, endif, for and endfor")
	d := &t.l.diags[len(t.l.diags)-1]
	if near := Nearest(word, []string{"if", "else", "endif", "for", "endfor"}); near != "" && word != "" {
		d.File = t.l.file
		d.suggestAt(near, n.Token(syntax.Name).Span())
	}
	t.lost, t.l.unnamed = true, true
}

func (t *templater) stray(n syntax.Node, message string) {
	t.l.touch(n)
	t.l.report("KORU125", n.Span(), message)
}

// operand lowers the expression of a tag.
func (t *templater) operand(n syntax.Node) *Expr {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.Bind:
		case syntax.ErrorNode:
			t.l.touch(c)
		default:
			return t.l.value(c, nil)
		}
	}
	t.l.report("KORU125", n.Span(), "'"+clip(n.Text())+"' lacks its expression")
	return &Expr{Kind: BrokenExpr, Node: n, Type: unknown}
}

func (t *templater) loop(n syntax.Node) {
	part := Part{Kind: ForPart, Node: n, Expr: t.operand(n)}
	item := unknown
	switch typ := part.Expr.Type; {
	case !known(typ):
	case typ.Kind == ListType:
		item = orUnknown(typ.Elem)
	default:
		t.l.report("KORU125", part.Expr.Node.Span(), "'{% for %}' runs through a list, found "+describe(part.Expr))
	}
	tag := &openTag{tag: n, part: part}
	t.push(tag)
	bind := n.Child(syntax.Bind)
	name := syntax.BindView{Node: bind}.Name()
	b := t.l.newBinding(LoopBinding, name.Text(), item, n)
	tag.part.Item = b
	if name.IsValid() {
		b.Node = bind
		t.l.declare(b, name)
	}
}

// deepest is how deep tags may nest: everything that walks parts relies on it.
const deepest = 250

func (t *templater) push(tag *openTag) {
	if len(t.open) == deepest {
		t.l.report("KORU125", tag.tag.Span(), "tags are nested too deeply: at most 250 levels are understood")
	}
	tag.outer, tag.mark = t.parts, t.l.visible.mark()
	t.open, t.parts = append(t.open, tag), nil
}

func (t *templater) close() {
	top := t.top()
	t.open = t.open[:len(t.open)-1]
	if top.more {
		top.part.Else = t.parts
	} else {
		top.part.Body = t.parts
	}
	t.parts = append(top.outer, top.part)
	t.l.visible.back(top.mark)
}

// dedent takes the indentation of a block off its lines, and what stands on the
// lines of the braces (language.md 9.1). The line end of the last line stays.
func dedent(parts []Part) {
	indent := -1
	least(parts, true, &indent)
	if indent > 0 {
		strip(parts, strings.Repeat(" ", indent), true)
	}
	trimEdges(parts)
}

// least finds the smallest indentation of a line that holds anything. It
// returns whether the text ends at the start of a line.
func least(parts []Part, fresh bool, indent *int) bool {
	for i := range parts {
		p := &parts[i]
		if p.Kind != TextPart {
			if fresh {
				*indent = 0
			}
			fresh = least(p.Else, least(p.Body, false, indent), indent)
			continue
		}
		lines := strings.Split(p.Text, "\n")
		for j, line := range lines {
			if j == 0 && !fresh {
				continue
			}
			body := strings.TrimLeft(line, " ")
			blank := strings.TrimRight(body, "\r\t") == ""
			if last := j == len(lines)-1; blank && (!last || i == len(parts)-1) {
				continue
			}
			if n := len(line) - len(body); *indent < 0 || n < *indent {
				*indent = n
			}
		}
		fresh = strings.HasSuffix(p.Text, "\n")
	}
	return fresh
}

func strip(parts []Part, indent string, fresh bool) {
	for i := range parts {
		p := &parts[i]
		if p.Kind == TextPart {
			p.Text = strings.ReplaceAll(p.Text, "\n"+indent, "\n")
			continue
		}
		strip(p.Body, indent, false)
		strip(p.Else, indent, false)
	}
}

// trimEdges drops the rest of the line behind the opening brace and the blanks
// in front of the closing one.
func trimEdges(parts []Part) {
	if len(parts) == 0 {
		return
	}
	if first := &parts[0]; first.Kind == TextPart {
		rest := strings.TrimLeft(first.Text, " \t\r")
		if strings.HasPrefix(rest, "\n") {
			first.Text = rest[1:]
		}
	}
	if last := &parts[len(parts)-1]; last.Kind == TextPart {
		rest := strings.TrimRight(last.Text, " \t\r")
		if strings.HasSuffix(rest, "\n") {
			last.Text = rest
		}
	}
}
