package check

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// declarations is what the files of a module declare, with nothing of where it
// stands: tors are numbered in the order in which they are declared, and so are
// bodies (procs and implementations). Versions of a module that declare the same
// share it; the tors themselves are made of their items when they are asked for.
type declarations struct {
	tors            int
	bodies          int
	names           map[string]int32  // a second declaration is a finding, the first counts
	states          map[string]bool   // labels that tors are declared with
	stray           map[int32]bool    // tors whose arms are stray lines
	labels          uint64            // sum of states
	values          map[string]uint64 // constants and stores, and the sums of what declares them
	qualifiedValues bool
	broken          bool // some tor is

	keywords []int32
	behind   []span // of each tor: its bodies in list
	list     []int32
	odd      []int32 // bodies that no tor has: of a foreign or an unknown tor, or one too many

	// For editing: the paths of tors without a body that runs here, and the procs
	// that the host has a say about.
	loose  map[string]bool
	hosted []hosted
}

// span is a range of a list.
type span struct{ start, end int32 }

// taken is a [take] of a tor of the module.
type taken struct {
	tor, field int32
	lenient    bool
}

// declare finds out what the module declares.
func (m *Module) declare() {
	d := &declarations{names: map[string]int32{}, states: map[string]bool{}}
	for _, f := range m.Files {
		d.tors += len(f.outline.tors)
		d.bodies += len(f.outline.bodies)
	}
	d.names = make(map[string]int32, d.tors)
	n := int32(0)
	for _, f := range m.Files {
		for _, i := range f.outline.tors {
			d.tor(n, f.outline, int(i))
			n++
		}
		f.outline.each(isValue, func(i int) {
			s := f.outline.sketches[i]
			d.qualifiedValues = d.qualifiedValues || s.marks&isQualified != 0
			for _, name := range s.values {
				d.value(name, s.sum)
			}
		})
	}
	for state := range d.states {
		d.labels += maphash.String(seed, state)
	}
	m.decls = d
	m.attach()
}

func (d *declarations) value(name string, sum uint64) {
	if d.values == nil {
		d.values = map[string]uint64{}
	}
	d.values[name] = mix(d.values[name], sum)
}

func (d *declarations) tor(n int32, o *outline, i int) {
	s := o.sketches[i]
	if _, twice := d.names[s.name]; !twice {
		d.names[s.name] = n
	}
	for _, state := range s.states {
		d.states[state] = true
	}
	if s.marks&(isPub|isKeyword) == isPub|isKeyword {
		d.keywords = append(d.keywords, n)
	}
	d.broken = d.broken || s.marks&isBroken != 0
	if o.stray(i) {
		if d.stray == nil {
			d.stray = map[int32]bool{}
		}
		d.stray[n] = true
		d.broken = true
	}
}

// attach finds out which bodies stand behind which tor.
func (m *Module) attach() {
	d := m.decls
	owners := make([]int32, 0, d.bodies)
	d.behind = make([]span, d.tors)
	for _, f := range m.Files {
		for _, i := range f.outline.bodies {
			name := f.outline.sketches[i].name
			n, ok := d.names[name]
			if !ok || name == "" {
				n = -1
			} else {
				d.behind[n].end++
			}
			owners = append(owners, n)
		}
	}
	at := int32(0)
	for n := range d.behind {
		count := d.behind[n].end
		d.behind[n] = span{at, at}
		at += count
	}
	d.list = make([]int32, at)
	for b, n := range owners {
		if n < 0 || d.spare(m, n, int32(b)) {
			d.odd = append(d.odd, int32(b))
			continue
		}
		s := &d.behind[n]
		d.list[s.end] = int32(b)
		s.end++
	}
}

// spare reports whether a tor has a body already that leaves no room for one more.
func (d *declarations) spare(m *Module, tor, body int32) bool {
	s := d.behind[tor]
	if s.start == s.end {
		return false
	}
	f, i := m.bodyPlace(body)
	mine := f.outline.sketches[i]
	if mine.marks&isVariant != 0 {
		return false
	}
	for _, other := range d.list[s.start:s.end] {
		g, k := m.bodyPlace(other)
		its := g.outline.sketches[k]
		switch {
		case its.marks&isVariant != 0 || (its.marks^mine.marks)&(isProc|isImpl) != 0:
		case mine.marks&isImpl != 0:
			return true
		case slices.Equal(mine.targets, its.targets):
			return true
		}
	}
	return false
}

// torPlace returns where a tor is declared.
func (m *Module) torPlace(n int32) (*File, int) {
	for _, f := range m.Files {
		if tors := f.outline.tors; int(n) < len(tors) {
			return f, int(tors[n])
		} else {
			n -= int32(len(tors))
		}
	}
	panic("check: a module has no such tor")
}

// bodyPlace returns where a body stands.
func (m *Module) bodyPlace(n int32) (*File, int) {
	for _, f := range m.Files {
		if bodies := f.outline.bodies; int(n) < len(bodies) {
			return f, int(bodies[n])
		} else {
			n -= int32(len(bodies))
		}
	}
	panic("check: a module has no such body")
}

// sketchOf returns what is known of a tor without reading it.
func (m *Module) sketchOf(n int32) *sketch {
	f, i := m.torPlace(n)
	return f.outline.sketches[i]
}

// tor returns a tor of the module by its number. Readers may ask for the same one
// at the same time; they all get the one that was made first.
func (m *Module) tor(n int32) *Tor {
	slot := &m.slots[n]
	if t := slot.Load(); t != nil {
		return t
	}
	f, i := m.torPlace(n)
	t := m.DeclareTor(f, f.Syntax.Item(i))
	t.broken = t.broken || m.decls.stray[n]
	s := m.decls.behind[n]
	for _, body := range m.decls.list[s.start:s.end] {
		t.attach(m.bodyPlace(body))
	}
	if !slot.CompareAndSwap(nil, t) {
		return slot.Load()
	}
	return t
}

// declared returns the tor that the files of the module declare under a name, or
// nil.
func (m *Module) declared(name string) *Tor {
	if m.decls != nil {
		if n, ok := m.decls.names[name]; ok {
			return m.tor(n)
		}
	}
	return nil
}

// attach gives the tor a body that stands in the module of its declaration.
func (t *Tor) attach(f *File, i int) {
	item := f.Syntax.Item(i)
	switch s := f.outline.sketches[i]; {
	case s.marks&isProc != 0:
		t.Procs = append(t.Procs, newProc(f, item))
	case s.marks&isVariant == 0:
		t.Impl = &Impl{Node: item, File: f, tor: t, prog: t.Module.prog}
	}
}

func newProc(f *File, item syntax.Node) *Proc {
	v := syntax.ProcView{Node: item}
	return &Proc{Name: v.Name().Text(), Targets: v.Targets(), Body: v.Body().Text(), Node: item, File: f}
}

// declareAll reads all tors of the module. It is for one that is read for the
// first time: nobody else may use the module yet.
func (m *Module) declareAll() {
	m.slabs.open()
	for n := range m.slots {
		m.tor(int32(n))
	}
	m.slabs = slabs{}
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
