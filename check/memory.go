package check

import (
	"hash/maphash"
	"sync"

	"github.com/koru-go/koru/syntax"
)

// memory is what a Checker keeps of one entry between two judgements of it, for
// editors (Options.Editing).
//
// What is found out about the body of an item depends on the tree of the item
// and on what its names can lead to: the declarations of the program, but no
// other body. So a body whose tree is the same, in a program whose declarations
// are the same, need not be judged again. Only bodies without findings are
// remembered. A body without findings has none wherever it stands; findings
// hold positions, and are found anew at small cost because there are few.
type memory struct {
	outside uint64 // what the declarations of the program were
	bodies  map[*syntax.Tree]*remembered
	prints  map[*syntax.Tree]uint64
	procs   map[*syntax.Tree][]BodyFault // what the host said about bodies
}

// remembered is what a body without findings did besides.
type remembered struct {
	called []reference // verbs that it calls and that no flow implements
	heirs  []string    // verbs that the checker made it leave its inputs to
}

// reference names a verb at a place, relative to the item.
type reference struct {
	path string
	span syntax.Span
}

var seed = maphash.MakeSeed()

// fingerprint sums up what the bodies of a program can see: the declarations of
// its modules in their order, and which modules they import. It does not
// change when text moves, nor with comments, documentation and bodies.
func (p *Program) fingerprint(old *memory) (uint64, map[*syntax.Tree]uint64) {
	var h maphash.Hash
	h.SetSeed(seed)
	prints := make(map[*syntax.Tree]uint64)
	for _, m := range p.own() {
		h.WriteString(m.Path)
		for _, n := range m.Imports {
			h.WriteByte(0)
			h.WriteString(n.Path)
		}
		for _, t := range m.Tors() {
			if t.broken {
				h.WriteByte(2) // also by what follows it
				h.WriteString(t.Name)
			}
		}
		for _, f := range m.Files {
			h.WriteByte(1)
			h.WriteByte(byte(f.Syntax.Kind))
			for it := range f.Syntax.Items() {
				if sum := printOf(it, old, prints); sum != 0 {
					maphash.WriteComparable(&h, sum)
				}
			}
		}
	}
	return h.Sum64(), prints
}

// printOf sums up what one item declares: 0 for one that declares nothing.
func printOf(it syntax.Node, old *memory, prints map[*syntax.Tree]uint64) uint64 {
	if old != nil {
		if sum, ok := old.prints[it.Tree()]; ok {
			prints[it.Tree()] = sum
			return sum
		}
	}
	var h maphash.Hash
	h.SetSeed(seed)
	declared(it, &h)
	sum := h.Sum64()
	if it.Kind() == syntax.HostItem || it.Kind() == syntax.BlankItem {
		sum = 0
	}
	prints[it.Tree()] = sum
	return sum
}

// declared writes what others can see of an item.
func declared(it syntax.Node, h *maphash.Hash) {
	h.WriteByte(byte(it.Kind()))
	switch it.Kind() {
	case syntax.TorItem, syntax.ImportItem:
		writeTokens(it, h)
	case syntax.ProcItem:
		v := syntax.ProcView{Node: it}
		h.WriteString(v.Name().Text())
		for _, tag := range v.Targets() {
			h.WriteByte('|')
			h.WriteString(tag)
		}
	case syntax.ImplItem:
		v := syntax.ImplView{Node: it}
		h.WriteString(v.Name().Text())
		h.WriteByte('|')
		h.WriteString(v.Variant())
	case syntax.FlowItem:
		call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
		block := call.Block()
		if !block.IsValid() {
			return
		}
		h.WriteString(call.Path().Text())
		writeTokens(call.ArgList(), h)
		switch block.Kind() {
		case syntax.ConstBlock, syntax.ColumnBlock:
			writeTokens(block, h)
		}
	}
}

// writeTokens writes the tokens of a node, without blanks, comments and prose.
func writeTokens(n syntax.Node, h *maphash.Hash) {
	for t := range n.AllTokens() {
		if !t.Kind().IsTrivia() && t.Kind() != syntax.Prose {
			h.WriteByte(byte(t.Kind()))
			h.WriteString(t.Text())
			h.WriteByte(0)
		}
	}
}

// recall decides what of the last judgement of this entry still holds.
func (p *Program) recall(old *memory) {
	outside, prints := p.fingerprint(old)
	p.fresh = &memory{outside: outside, prints: prints, bodies: map[*syntax.Tree]*remembered{}, procs: map[*syntax.Tree][]BodyFault{}}
	if old == nil {
		return
	}
	p.checked = old.procs
	if old.outside == outside {
		p.known = old.bodies
	}
}

// remember judges a body unless what is known of it still holds. The result is
// nil if it was not judged.
func (j *judge) remember(item syntax.Node, owner *Tor) *Flow {
	p, tree := j.prog, item.Tree()
	if r := p.known[tree]; r != nil {
		p.fresh.bodies[tree] = r
		for _, c := range r.called {
			if _, known := p.called[p.byPath(c.path)]; !known {
				p.called[p.byPath(c.path)] = callSite{j.file, syntax.Span{Start: c.span.Start + item.Base(), End: c.span.End + item.Base()}}
			}
		}
		for _, path := range r.heirs {
			p.takers.heirs[owner] = append(p.takers.heirs[owner], p.byPath(path))
		}
		return nil
	}
	before := len(*j.out)
	f := j.body(item, owner)
	if len(*j.out) > before || f == nil {
		return f
	}
	r := &remembered{}
	for c := range f.Calls() {
		if c.Form == Plain && c.Tor != nil && c.Tor.Impl == nil {
			span := syntax.CallView{Node: c.Node}.Path().Span()
			r.called = append(r.called, reference{c.Tor.Path(), syntax.Span{Start: span.Start - item.Base(), End: span.End - item.Base()}})
		}
	}
	if owner != nil {
		for _, t := range p.takers.heirs[owner] {
			r.heirs = append(r.heirs, t.Path())
		}
	}
	p.fresh.bodies[tree] = r
	return f
}

// byPath returns the tor of a full path.
func (p *Program) byPath(path string) *Tor {
	module, name := syntax.SplitPath(path)
	if m := p.Module(module); m != nil {
		return m.tors[name]
	}
	return nil
}

// lazily is a body that is resolved when somebody asks for it.
type lazily struct {
	once sync.Once
	flow *Flow
}

// FlowOf returns the resolved body of a top-level item of a file: a flow or an
// implementation, or nil for another item. With Options.Editing a body that was
// not judged anew is resolved when it is first asked for.
func (p *Program) FlowOf(f *File, item syntax.Node) *Flow {
	if flow := p.flows[item]; flow != nil {
		return flow
	}
	var owner *Tor
	switch item.Kind() {
	case syntax.FlowItem:
	case syntax.ImplItem:
		impl := f.Module.impls[item]
		if impl == nil {
			return nil
		}
		owner = impl.tor
	default:
		return nil
	}
	l, _ := p.lazy.LoadOrStore(item, &lazily{})
	body := l.(*lazily)
	body.once.Do(func() {
		var findings []Diagnostic
		j := &judge{prog: p, mod: f.Module, file: f, out: &findings, apart: true}
		body.flow = j.body(item, owner)
	})
	return body.flow
}

// Body returns the resolved body of the implementation.
func (i *Impl) Body() *Flow {
	if i.Flow == nil && i.prog != nil {
		return i.prog.FlowOf(i.File, i.Node)
	}
	return i.Flow
}
