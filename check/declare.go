package check

import (
	"strings"

	"github.com/koru-go/koru/syntax"
)

// declare makes the tors of the module from its files. All modules that it
// imports are known by then; their tors need not be.
func (m *Module) declare() {
	m.tors = make(map[string]*Tor)
	m.slabs.open()
	defer func() { m.slabs = slabs{} }()
	for _, f := range m.Files {
		var above arms
		for it := range f.Syntax.Items() {
			above.pass(it)
			if it.Kind() == syntax.AnnotationItem && annotated(it, "prototype") {
				m.prototype = true
			}
			if it.Kind() != syntax.TorItem {
				continue
			}
			t := m.DeclareTor(f, it)
			above = arms{of: t}
			m.all = append(m.all, t)
			if m.tors[t.Name] == nil {
				m.tors[t.Name] = t // a second declaration is a finding, the first counts
			}
		}
	}
}

// DeclareTor makes the record of one declaration: a TorItem of a file or the
// declaration of a definition. The module is where its names resolve.
func (m *Module) DeclareTor(f *File, item syntax.Node) *Tor {
	v := syntax.TorView{Node: item}
	t := m.slabs.tors.new(Tor{Module: m, File: f, Node: item, Name: v.Name().Text(), Pub: v.Pub()})
	for field := range v.Shape().Fields() {
		t.Fields = append(t.Fields, m.field(field))
	}
	if ret := v.Return(); ret.IsValid() {
		t.Return = m.Type(ret)
	}
	for arm := range v.Arms() {
		t.Outcomes = append(t.Outcomes, m.outcome(arm, len(t.Outcomes)))
	}
	t.annotate(item)
	t.broken = broken(item) || !v.Shape().IsValid()
	return t
}

func (m *Module) field(v syntax.FieldView) *Field {
	return m.slabs.fields.new(Field{Name: v.Name().Text(), Type: m.Type(v.Type()), Default: v.Default(), Node: v.Node})
}

func (m *Module) outcome(v syntax.ArmDeclView, index int) *Outcome {
	o := m.slabs.outcomes.new(Outcome{
		Index: index, Node: v.Node,
		Effect: v.Effect(), Optional: v.Optional(), Panic: v.Panic(),
	})
	o.Name, o.Raw = armWord(v.Name())
	if p := v.Payload(); p.IsValid() {
		o.Payload = m.Type(p)
	}
	for r := range v.Resumes() {
		arm := &Outcome{Index: len(o.ResumeArms), Node: r.Node}
		arm.Name, arm.Raw = armWord(r.Name())
		if ty := r.Type(); ty.IsValid() {
			arm.Payload = m.Type(ty)
		}
		if arm.Name == "" {
			o.Resume = arm.Payload
		} else {
			o.ResumeArms = append(o.ResumeArms, arm)
		}
	}
	return o
}

// armWord returns the word of an arm, without the marks of a raw name.
func armWord(t syntax.Token) (word string, raw bool) {
	word = t.Text()
	if t.Kind() != syntax.RawName {
		return word, false
	}
	if len(word) >= 2 {
		word = word[1 : len(word)-1]
	}
	return word, true
}

// annotate takes the annotations of a declaration and the prose under its doc
// bullets: the text of the tor itself, and with `- doc(field)` that of a field
// (language.md 10.3, R5).
func (t *Tor) annotate(item syntax.Node) {
	for list := range item.AnnotationList() {
		doc := prose{}
		about := &doc // what the prose lines that follow describe
		fields := map[string]*prose{}
		named := false
		for c := range list.Children() {
			if c.Kind() == syntax.DocText {
				about.add(c)
				continue
			}
			if c.Kind() != syntax.Annotation {
				continue
			}
			a := annotation(c)
			t.Annotations = append(t.Annotations, a)
			about = &doc
			if a.Name == "doc" && len(a.Args) == 1 {
				about = fields[a.Args[0]]
				if about == nil {
					about = &prose{}
					fields[a.Args[0]] = about
				}
			}
			named = named || a.Name == "doc"
		}
		if named && t.Doc == "" {
			t.Doc = doc.text.String()
		}
		for _, f := range t.Fields {
			if p := fields[f.Name]; p != nil {
				f.Doc = p.text.String()
			}
		}
	}
}

func annotation(n syntax.Node) Annotation {
	a := Annotation{Name: n.FirstToken().Text(), Node: n}
	for arg := range n.ChildrenOf(syntax.AnnotationArg) {
		a.Args = append(a.Args, strings.Trim(arg.Text(), `"`))
	}
	return a
}

// prose joins lines of documentation, keeping the blank lines between them.
type prose struct{ text strings.Builder }

func (p *prose) add(n syntax.Node) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
		if gap := linesBefore(n.FirstToken()); gap > 1 {
			p.text.WriteByte('\n')
		}
	}
	p.text.WriteString(n.Text())
}

// linesBefore counts the line ends directly before a token of an item.
func linesBefore(t syntax.Token) int {
	count := 0
	for t = t.Prev(); t.IsValid() && t.Kind().IsTrivia(); t = t.Prev() {
		if t.Kind() == syntax.Newline {
			count++
		}
	}
	return count
}

// nameSpan returns where the tor's name is declared.
func (t *Tor) nameSpan() syntax.Span { return syntax.TorView{Node: t.Node}.Name().Span() }
