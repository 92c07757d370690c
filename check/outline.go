package check

import (
	"hash/maphash"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// An outline is what a file holds, item by item, as far as the trees alone tell:
// which phases of the judgement care for an item, what it declares, and a sum of
// that. A sketch of an item is the same in every version of the file that shares
// its tree, so the outline of an edited file is the one before with the few
// sketches replaced; phases look at the marks, which lie side by side in memory,
// and at no tree that they have nothing to do with.

// marks say what an item is and which phases care for it.
type marks uint32

const (
	isTor marks = 1 << iota
	isPub
	isKeyword   // a tor marked [keyword]
	isBuildTime // a tor that no program calls while it runs: norun, transform, comptime
	isStateful  // a tor with states
	isQualified // a declaration that names another module
	isProc
	isImpl
	isVariant // an implementation with |variant
	isFlow
	isImport
	isError
	isHost
	isBroken    // see broken
	isFaulty    // the parser found fault with it
	isTight     // nothing but the line end stands between it and the item above
	isWordOnly  // see wordOnly
	isBare      // a flow that calls a bare name without arguments
	isValue     // a block of constants, or a store
	isGrant     // a register block
	isTest      // a test block
	isPaths     // std/compiler:paths
	isPrototype // [prototype] of a module
	mayGenerate // a call of somebody's transform, with a block
	isZig       // a proc with a body in Zig
)

// sketch is what the tree of an item tells about it.
type sketch struct {
	marks   marks
	sum     uint64   // of what others can see of it; 0 if that is nothing
	name    string   // of the verb that it declares or implements
	states  []string // labels of its own module that a tor uses, as often as it does
	values  []string // the constants, or the store, that a flow declares
	targets []string // of a proc
}

// outline is the sketch of a file.
type outline struct {
	file     *syntax.File
	marks    []marks
	sketches []*sketch
	sum      uint64 // of the sums of its sketches, in their order
	summed   bool   // somebody needs the sums
	tors     []int32
	bodies   []int32 // procs and implementations
}

// outlineOf sketches a file. Of what it shares with an older version the
// sketches are taken over.
func outlineOf(f *syntax.File, old *outline, summed bool) *outline {
	if old != nil && old.file == f && old.summed == summed {
		return old
	}
	n := f.NumItems()
	o := &outline{file: f, summed: summed, marks: make([]marks, n), sketches: make([]*sketch, n)}
	prefix, suffix := 0, 0
	if old != nil && old.summed == summed {
		prefix, suffix = f.Shared(old.file)
		copy(o.marks, old.marks[:prefix])
		copy(o.sketches, old.sketches[:prefix])
		copy(o.marks[n-suffix:], old.marks[len(old.marks)-suffix:])
		copy(o.sketches[n-suffix:], old.sketches[len(old.sketches)-suffix:])
		o.tors, o.bodies = make([]int32, 0, len(old.tors)+4), make([]int32, 0, len(old.bodies)+4)
	}
	const together = 16 // a sketch keeps those alive that it was made with
	var room []sketch
	for i := prefix; i < n-suffix; i++ {
		if len(room) == 0 {
			room = make([]sketch, min(together, n-suffix-i))
		}
		s := &room[0]
		room = room[1:]
		*s = sketchOf(f.Item(i), summed)
		o.marks[i], o.sketches[i] = s.marks, s
	}
	for i, m := range o.marks {
		switch {
		case m&isTor != 0:
			o.tors = append(o.tors, int32(i))
		case m&(isProc|isImpl) != 0:
			o.bodies = append(o.bodies, int32(i))
		}
	}
	if summed {
		o.sumUp(old, prefix, suffix)
	}
	return o
}

// sumUp computes the sum of the file, unless the sketches that are new declare
// what the ones before declared.
func (o *outline) sumUp(old *outline, prefix, suffix int) {
	if old != nil && old.summed {
		was, is := old.sketches[prefix:len(old.sketches)-suffix], o.sketches[prefix:len(o.sketches)-suffix]
		if mixSums(was) == mixSums(is) {
			o.sum = old.sum
			return
		}
	}
	o.sum = mixSums(o.sketches)
}

func mixSums(list []*sketch) uint64 {
	sum := uint64(0)
	for _, s := range list {
		if s.sum != 0 {
			sum = mix(sum, s.sum)
		}
	}
	return sum
}

// mix adds a sum to a row of sums.
func mix(sum, next uint64) uint64 {
	sum = (sum ^ next) * 0x9e3779b97f4a7c15
	return sum ^ sum>>29
}

// stray reports whether arms of the tor at an index end up as stray lines, right
// behind it or one line below: its declaration is incomplete then.
func (o *outline) stray(i int) bool {
	next := o.marked(i + 1)
	if next&(isFlow|isTight) == isFlow|isTight && next&isWordOnly == 0 {
		next = o.marked(i + 2)
		return next&isError != 0
	}
	return next&isError != 0 || next&(isFlow|isTight) == isFlow|isTight
}

func (o *outline) marked(i int) marks {
	if i < len(o.marks) {
		return o.marks[i]
	}
	return 0
}

// each calls f with the index of every item that has one of the marks.
func (o *outline) each(want marks, f func(i int)) {
	for i, m := range o.marks {
		if m&want != 0 {
			f(i)
		}
	}
}

// items returns an iterator over the items that have one of the marks.
func (f *File) items(want marks) func(yield func(syntax.Node) bool) {
	return func(yield func(syntax.Node) bool) {
		for i, m := range f.outline.marks {
			if m&want != 0 && !yield(f.Syntax.Item(i)) {
				return
			}
		}
	}
}

func sketchOf(it syntax.Node, summed bool) sketch {
	var s sketch
	if it.Faulty() {
		s.marks |= isFaulty
	}
	if broken(it) {
		s.marks |= isBroken
	}
	switch it.Kind() {
	case syntax.TorItem:
		s.tor(syntax.TorView{Node: it})
	case syntax.ProcItem:
		v := syntax.ProcView{Node: it}
		s.marks |= isProc
		s.name = v.Name().Text()
		s.targets = v.Targets()
		if v.Body().IsValid() && target([]string{"zig"}, s.targets) != "" {
			s.marks |= isZig
		}
	case syntax.ImplItem:
		v := syntax.ImplView{Node: it}
		s.marks |= isImpl
		s.name = v.Name().Text()
		if v.Variant() != "" {
			s.marks |= isVariant
		}
	case syntax.FlowItem:
		s.flow(it)
	case syntax.ImportItem:
		s.marks |= isImport
	case syntax.ErrorItem:
		s.marks |= isError
	case syntax.HostItem:
		s.marks |= isHost
	case syntax.AnnotationItem:
		if annotated(it, "prototype") {
			s.marks |= isPrototype
		}
	}
	if s.marks&(isTor|isValue) != 0 && qualified(it) {
		s.marks |= isQualified
	}
	if summed {
		s.sum = sumOf(it, s.marks)
	}
	return s
}

// qualified reports whether an item names another module.
func qualified(it syntax.Node) bool {
	for t := range it.AllTokens() {
		if k := t.Kind(); k == syntax.Path && strings.Contains(t.Text(), ":") {
			return true
		}
	}
	return false
}

func (s *sketch) tor(v syntax.TorView) {
	s.marks |= isTor
	s.name = v.Name().Text()
	if v.Pub() {
		s.marks |= isPub
	}
	for list := range v.AnnotationList() {
		for a := range list.ChildrenOf(syntax.Annotation) {
			switch a.FirstToken().Text() {
			case "keyword":
				s.marks |= isKeyword
			case "norun", "transform", "comptime":
				s.marks |= isBuildTime
			}
		}
	}
	if strings.Contains(v.Tree().Text(), "<") {
		s.statesIn(v.Node)
	}
}

// statesIn notes the states that the declaration of a tor uses.
func (s *sketch) statesIn(n syntax.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.State:
			s.marks |= isStateful
			if name := (syntax.StateView{Node: c}).Name().Text(); !strings.Contains(name, ":") {
				s.states = append(s.states, name)
			}
		case syntax.Annotations:
		default:
			s.statesIn(c)
		}
	}
}

func (s *sketch) flow(it syntax.Node) {
	s.marks |= isFlow
	if linesBefore(firstSolid(it)) == 0 {
		s.marks |= isTight
	}
	if wordOnly(it) {
		s.marks |= isWordOnly
	}
	call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
	path := call.Path().Text()
	if !call.ArgList().IsValid() && !strings.Contains(path, ":") {
		s.marks |= isBare
	}
	block := call.Block()
	switch block.Kind() {
	case syntax.ConstBlock:
		s.marks |= isValue
		for entry := range block.ChildrenOf(syntax.ConstEntry) {
			s.values = append(s.values, syntax.ColumnView{Node: entry}.Name().Text())
		}
	case syntax.ColumnBlock:
		s.marks |= isValue
		name, _ := storeHead(call)
		s.values = append(s.values, name.Text())
	case syntax.GrantBlock:
		s.marks |= isGrant
	case syntax.TestBlock:
		s.marks |= isTest
	}
	if module, _ := syntax.SplitPath(path); block.IsValid() && module != "" && !strings.HasPrefix(module, "std/") {
		s.marks |= mayGenerate
	}
	if path == "std/compiler:paths" {
		s.marks |= isPaths
	}
}

var seed = maphash.MakeSeed()

// sumOf sums up what others can see of an item. It does not change with
// comments, documentation and bodies.
func sumOf(it syntax.Node, m marks) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteByte(byte(it.Kind()))
	switch {
	case m&(isTor|isImport) != 0:
		writeNode(it, &h)
		writeFaults(it, &h)
	case m&isProc != 0:
		v := syntax.ProcView{Node: it}
		h.WriteString(v.Name().Text())
		for _, tag := range v.Targets() {
			h.WriteByte('|')
			h.WriteString(tag)
		}
	case m&isImpl != 0:
		v := syntax.ImplView{Node: it}
		h.WriteString(v.Name().Text())
		h.WriteByte('|')
		h.WriteString(v.Variant())
	case m&isValue != 0:
		call := syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)}
		h.WriteString(call.Path().Text())
		writeNode(call.ArgList(), &h)
		writeNode(call.Block(), &h)
		writeFaults(it, &h)
	default:
		return 0
	}
	return max(h.Sum64(), 1)
}

// writeNode writes the tokens of a node and how they hang together, without
// blanks, comments and prose. Tokens alone do not tell: lines do, where the parser
// has lost its way.
func writeNode(n syntax.Node, h *maphash.Hash) {
	h.WriteByte(byte(n.Kind()))
	for parts := n.Parts(); parts.Next(); {
		switch inner := parts.Node(); {
		case inner.Kind() == syntax.DocText:
		case inner.IsValid():
			writeNode(inner, h)
		default:
			h.WriteByte(byte(parts.Kind()))
			h.WriteString(parts.Token().Text())
			h.WriteByte(0)
		}
	}
	h.WriteByte(0)
}

// writeFaults writes what the parser found in an item, but not where.
func writeFaults(it syntax.Node, h *maphash.Hash) {
	if it.Faulty() {
		for _, f := range it.Faults() {
			h.WriteString(f.Code)
			h.WriteString(f.Message)
		}
	}
}
