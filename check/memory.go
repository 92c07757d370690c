package check

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/koru-go/koru/syntax"
)

// memory is what a Checker keeps of one entry between two judgements of it, for
// editors (Options.Editing). A keystroke changes one item of thousands; what a
// judgement costs is to follow what it touches.
//
// Nothing in a memory knows where in a file it stands, or belongs to a program:
// it is made of outlines, of declarations by number, and of a verdict for each
// item. A verdict says that nothing is wrong with an item, or what is, and what
// else the judgement of it has brought to light. It holds for the tree that it was
// passed on, as long as what the tree can see is the same: all see the surroundings,
// which are the modules of the program and what is visible everywhere; a
// declaration with qualified names sees what is imported; a body sees the
// declarations that its names lead to, but no other body.
type memory struct {
	sums    sums
	modules map[string]*moduleMemory // by stem
	files   map[string]*fileMemory   // by path in Options.Files
}

// sums sum up what items can see.
type sums struct {
	surroundings uint64
	imports      uint64 // how the modules import each other, and the states they use
	outside      uint64 // all of it, with every declaration
}

type moduleMemory struct {
	sum    uint64
	decls  *declarations
	takers map[takenKey][]taken
}

type fileMemory struct {
	outline  *outline
	verdicts []*verdict // by item; nil where something was found
}

// verdict is that nothing is wrong with an item, or what is wrong with it. It is
// not changed once the judgement that passed it is over.
type verdict struct {
	found  []remark    // of a body: what is wrong with it,
	effort int64       // and what it took to find out what was meant (Program.effort)
	takes  []take      // of a tor: the inputs that consume a state
	called []reference // of a body: the verbs that it calls
	always bool        // some of them have nothing behind them whatever the program declares
	heirs  []string    // and the verbs that the checker made it leave its inputs to;
	needs  needs       // what it has asked
	asked  uint64      // of a proc: the sum of the tor that the host was asked to run it for,
	faults []BodyFault // and what it said
}

// take is an input that consumes a state, or accepts it beside one that it
// consumes.
type take struct {
	key     takenKey
	field   int32
	lenient bool
}

// reference names a verb at a place, relative to the item.
type reference struct {
	path string
	std  bool // it is a verb of the standard library without a body here
	span syntax.Span
}

// sound is the verdict on items that there is nothing else to say about.
var sound = &verdict{}

// recollect takes the verdicts over that were passed on the items of a file.
func (f *File) recollect(old *fileMemory) {
	f.verdicts = make([]*verdict, f.Syntax.NumItems())
	if old == nil {
		return
	}
	if f.outline == old.outline {
		copy(f.verdicts, old.verdicts)
		return
	}
	prefix, suffix := f.Syntax.Shared(old.outline.file)
	copy(f.verdicts, old.verdicts[:prefix])
	copy(f.verdicts[len(f.verdicts)-suffix:], old.verdicts[len(old.verdicts)-suffix:])
}

// verdict returns what is known of an item, or nil.
func (f *File) verdict(i int) *verdict {
	if f.verdicts == nil {
		return nil
	}
	return f.verdicts[i]
}

// pass passes a verdict on an item, nil if something was found.
func (f *File) pass(i int, v *verdict) {
	if f.verdicts != nil {
		f.verdicts[i] = v
	}
}

// declare finds out what the own modules of the program declare. A module that
// declares what it did the last time shares that with the version before.
func (p *Program) declare(own []*Module) {
	for _, m := range own {
		m.sum = 0
		for _, f := range m.Files {
			m.sum = mix(mix(m.sum, f.outline.sum), uint64(len(f.outline.tors)))
			for k, i := range f.outline.tors {
				if f.outline.stray(int(i)) {
					m.sum = mix(m.sum, uint64(k)+1)
				}
			}
			if p.Options.Editing {
				f.recollect(p.old.file(f.full))
			}
		}
		if old := p.old.module(m.stem); old != nil && old.sum == m.sum {
			m.decls = old.decls
		} else {
			m.declare()
			if p.Options.Editing {
				m.back(&p.Options)
			}
		}
		m.slots = make([]atomic.Pointer[Tor], m.decls.tors)
		for _, f := range m.Files {
			for range f.items(isPrototype) {
				m.prototype = true
			}
		}
	}
	if p.old == nil {
		for _, m := range own {
			m.declareAll()
		}
	}
}

func (o *memory) file(path string) *fileMemory {
	if o == nil {
		return nil
	}
	return o.files[path]
}

func (o *memory) module(stem string) *moduleMemory {
	if o == nil {
		return nil
	}
	return o.modules[stem]
}

// recall decides what of the last judgement of this entry still holds.
func (p *Program) recall(own []*Module) {
	p.sums.outside = mix(p.sumSurroundings(own), p.sums.imports)
	for _, m := range own {
		p.sums.outside = mix(p.sums.outside, m.sum)
	}
	if p.old != nil {
		old := p.old.sums
		p.settled = old.surroundings == p.sums.surroundings
		p.imported = p.settled && old.imports == p.sums.imports
		p.unmoved = p.imported && old.outside == p.sums.outside
	}
}

// sumSurroundings sums up the modules of the program and what is visible in all
// of them.
func (p *Program) sumSurroundings(own []*Module) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, m := range own {
		writeWord(&h, m.Path)
		writeWord(&h, m.stem)
		for _, f := range m.Files {
			h.WriteByte(byte(f.Syntax.Kind))
		}
		maphash.WriteComparable(&h, m.prototype)
	}
	for _, m := range p.Modules {
		for _, n := range m.decls.keywords {
			writeWord(&h, m.Path)
			writeWord(&h, m.sketchOf(n).name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.generated)) {
		writeWord(&h, name)
	}
	p.sums.surroundings = h.Sum64()
	return p.sums.surroundings
}

// sumImports sums up how the modules of the program import each other.
func (p *Program) sumImports(own []*Module) {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, m := range p.Modules[len(own):] {
		writeWord(&h, m.Path)
	}
	for _, m := range own {
		for _, alias := range m.aliases {
			writeWord(&h, alias)
		}
		for _, name := range slices.Sorted(maps.Keys(m.names)) {
			writeWord(&h, name)
			writeWord(&h, m.names[name].Path)
		}
		for _, name := range slices.Sorted(maps.Keys(m.missing)) {
			writeWord(&h, name)
		}
		maphash.WriteComparable(&h, m.decls.labels)
	}
	p.sums.imports = h.Sum64()
}

func writeWord(h *maphash.Hash, word string) {
	h.WriteString(word)
	h.WriteByte(0)
}

// memorize returns what the next judgement of this entry may know.
func (p *Program) memorize() *memory {
	next := &memory{
		sums:    p.sums,
		modules: map[string]*moduleMemory{}, files: map[string]*fileMemory{},
	}
	for _, m := range p.own() {
		next.modules[m.stem] = &moduleMemory{m.sum, m.decls, m.takers}
		for _, f := range m.Files {
			next.files[f.full] = &fileMemory{f.outline, f.verdicts}
			f.verdicts = nil
		}
	}
	return next
}

// repeat says again what the last judgement of a body said. It reports whether it
// could.
func (j *judge) repeat(i int, v *verdict) bool {
	p := j.prog
	if v.effort > 0 && p.effort.Load()+v.effort > mostLooking {
		return false
	}
	if v.found != nil && !j.restate(j.file.Syntax.Item(i), v.found) {
		return false
	}
	p.effort.Add(v.effort)
	if len(v.heirs) > 0 {
		heirs := make([]*Tor, len(v.heirs))
		for k, path := range v.heirs {
			heirs[k] = p.byPath(path)
		}
		p.takers.heirs[j.mod.owner(j.file.Syntax.Item(i))] = heirs
	}
	if !v.always && len(p.loose) == 0 {
		return true
	}
	base := j.file.Syntax.Item(i).Base()
	for _, c := range v.called {
		if c.std || p.isLoose(c.path) {
			p.call(p.byPath(c.path), callSite{j.file, syntax.Span{Start: c.span.Start + base, End: c.span.End + base}})
		}
	}
	return true
}

// remember judges the body of the i-th item and passes a verdict on it.
func (j *judge) remember(i int, owner *Tor) *Flow {
	item := j.file.Syntax.Item(i)
	before := len(*j.out)
	others := j.prog.takers.heirs[owner] // of a variant of the same tor
	delete(j.prog.takers.heirs, owner)
	v := &verdict{effort: -j.prog.effort.Load()}
	k := j.watched(v)
	if owner != nil {
		k.needVerb(owner.Module, owner.Name)
		v.needs.bound = v.needs.bound || owner.Module != j.mod
	}
	f := k.body(item, owner)
	heirs := j.prog.takers.heirs[owner]
	if heirs == nil && others != nil {
		j.prog.takers.heirs[owner] = others
	}
	if f == nil || !j.keep(v, item, before) {
		j.file.pass(i, nil)
		return f
	}
	for _, t := range heirs {
		v.heirs = append(v.heirs, t.Path())
	}
	v.hears(f, item, j.prog)
	j.file.pass(i, v)
	return f
}

// rememberTest judges the i-th item, a test, and passes a verdict on it.
func (j *judge) rememberTest(i int, item syntax.Node, call syntax.CallView, block syntax.Node) *Flow {
	before := len(*j.out)
	v := &verdict{effort: -j.prog.effort.Load()}
	k := j.watched(v)
	t, flows := k.test(call, block)
	f := k.body(item, nil)
	j.prog.tests[item] = t
	j.mod.Tests = append(j.mod.Tests, t)
	if !j.keep(v, item, before) {
		j.file.pass(i, nil)
		return f
	}
	for _, f := range append(flows, f) {
		v.hears(f, item, j.prog)
	}
	j.file.pass(i, v)
	return f
}

// keep notes in a verdict what was found since, and reports whether that can be
// said again. Once the search for what was meant has been given up, what is found
// depends on what was looked for before.
func (j *judge) keep(v *verdict, item syntax.Node, before int) bool {
	v.effort += j.prog.effort.Load()
	v.needs.bound = v.needs.bound || v.effort > 0
	if len(*j.out) == before {
		return true
	}
	if j.file.verdicts == nil || j.prog.effort.Load() > mostLooking {
		return false
	}
	var ok bool
	v.found, ok = j.carry(item, (*j.out)[before:])
	return ok
}

// watched returns a judge that notes in a verdict what the bodies that it judges
// ask about.
func (j *judge) watched(v *verdict) *judge {
	k := *j
	if j.file.verdicts != nil {
		k.needs = &v.needs
	}
	return &k
}

// hears notes in a verdict which verbs a flow calls. A verb of the library that
// runs here will always do so.
func (v *verdict) hears(f *Flow, item syntax.Node, p *Program) {
	if f == nil {
		return
	}
	for c := range f.Calls() {
		if c.Form != Plain || c.Tor == nil || c.Tor.Module.Std && (p.Options.Bodies == nil || p.Implemented(c.Tor)) {
			continue
		}
		span := syntax.CallView{Node: c.Node}.Path().Span()
		span.Start, span.End = span.Start-item.Base(), span.End-item.Base()
		v.called = append(v.called, reference{c.Tor.Path(), c.Tor.Module.Std, span})
		v.always = v.always || c.Tor.Module.Std
	}
}

// byPath returns the tor of a full path.
func (p *Program) byPath(path string) *Tor {
	module, name := syntax.SplitPath(path)
	if m := p.Module(module); m != nil {
		return m.Tor(name)
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
		if owner = f.Module.owner(item); owner == nil {
			return nil
		}
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
