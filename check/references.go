package check

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/koru-go/koru/syntax"
)

// index remembers what the names of items stand for, of those that somebody has
// asked about.
type index struct{ items sync.Map } // syntax.Node to []Reference

// FileOf returns the file of the program that a node stands in, or nil.
func (p *Program) FileOf(n syntax.Node) *File {
	if !n.IsValid() {
		return nil
	}
	for _, m := range p.Modules {
		for _, f := range m.Files {
			if f.holds(n) {
				return f
			}
		}
	}
	return nil
}

// holds reports whether a node stands in the file.
func (f *File) holds(n syntax.Node) bool {
	return f.Syntax.Item(f.Syntax.ItemAt(n.Base())).Tree() == n.Tree()
}

// torAt returns the record of a declaration of a file, or nil.
func (m *Module) torAt(item syntax.Node) *Tor {
	if item.Kind() != syntax.TorItem {
		return nil
	}
	if t := m.Tor(syntax.TorView{Node: item}.Name().Text()); t != nil && t.Node == item {
		return t
	}
	for _, t := range m.Tors() { // the second of that name
		if t.Node == item {
			return t
		}
	}
	return nil
}

// EntityAt returns what the name at an offset of a file stands for, and where
// the name stands. Between two names it is the one that begins there. It works
// out no more than the item under the offset.
func (p *Program) EntityAt(f *File, off int) (Entity, syntax.Span, bool) {
	if refs := p.ReferencesAt(f, off); len(refs) > 0 {
		return refs[0].Entity, refs[0].Span, true
	}
	return Entity{}, syntax.Span{}, false
}

// ReferencesAt returns everything that the name at an offset stands for. Of a
// pun the value comes first, then the field that it fills.
func (p *Program) ReferencesAt(f *File, off int) []Reference {
	refs := p.ReferencesIn(f, f.Syntax.Item(f.Syntax.ItemAt(off)))
	if i := f.Syntax.ItemAt(off); i > 0 && f.Syntax.Item(i).Base() == off {
		refs = slices.Concat(p.ReferencesIn(f, f.Syntax.Item(i-1)), refs)
	}
	best := syntax.Span{Start: -1}
	for _, r := range refs {
		if r.Span.Contains(off) && (best.Start < 0 || closer(r.Span, best, off)) {
			best = r.Span
		}
	}
	var out []Reference
	for _, r := range refs {
		if r.Span == best {
			out = append(out, r)
		}
	}
	return out
}

// closer reports whether a is a better answer to what stands at an offset than b.
func closer(a, b syntax.Span, off int) bool {
	if (a.End > off) != (b.End > off) {
		return a.End > off
	}
	return a.Len() < b.Len()
}

// ReferencesIn returns the names of one top-level item of a file with what they
// stand for, in source order.
func (p *Program) ReferencesIn(f *File, item syntax.Node) []Reference {
	if refs, ok := p.places.items.Load(item); ok {
		return refs.([]Reference)
	}
	refs, _ := p.places.items.LoadOrStore(item, p.trace(f, item, true))
	return refs.([]Reference)
}

// trace finds the names of an item. Without bodies it finds those that need no
// resolved body, at a small part of the cost.
func (p *Program) trace(f *File, item syntax.Node, bodies bool) []Reference {
	t := &tracer{prog: p, mod: f.Module, file: f, root: item, walked: map[*Chain]bool{}, pairs: map[syntax.Node]syntax.Node{}}
	t.item(item, bodies)
	slices.SortStableFunc(t.out, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End), cmp.Compare(a.rank(), b.rank()))
	})
	return unique(t.out)
}

// outside are the kinds of entity that are named nowhere but where a tree and
// the declarations tell: to find their uses no body has to be resolved.
var outside = map[EntityKind]bool{
	TorEntity: true, ModuleEntity: true, GrantEntity: true, StateEntity: true, TypeEntity: true, AnnotationEntity: true,
}

// rank orders the names of a pun: what is read there comes before what it is
// given to; a destructured field is first of all the name it is bound to.
func (r *Reference) rank() int {
	switch {
	case r.Side == Alone:
		return 0
	case (r.Side == Label) == (r.Pair.Kind() == syntax.BindField):
		return 1
	}
	return 2
}

// unique drops what was met twice: the body of an arm that several steps share.
func unique(refs []Reference) []Reference {
	out := refs[:0]
	for _, r := range refs {
		same := false
		for i := len(out) - 1; i >= 0 && out[i].Span == r.Span && !same; i-- {
			same = out[i].Entity.ID() == r.Entity.ID()
		}
		if !same {
			out = append(out, r)
		}
	}
	return slices.Clip(out)
}

// Uses returns every place in the program's files, the standard library's
// included, that names an entity: by file in load order, then by position.
func (p *Program) Uses(e Entity) []Reference {
	var out []Reference
	needles := p.needles(e)
	for _, m := range p.Modules {
		for _, f := range m.Files {
			out = p.usesIn(f, e, needles, out)
		}
	}
	return out
}

// UsesIn returns the places of one file that name an entity, in their order.
func (p *Program) UsesIn(f *File, e Entity) []Reference { return p.usesIn(f, e, p.needles(e), nil) }

func (p *Program) usesIn(f *File, e Entity, needles []string, out []Reference) []Reference {
	id := e.ID()
	for it := range f.Syntax.Items() {
		if !mayName(it, e, needles) {
			continue
		}
		refs, known := p.places.items.Load(it)
		switch {
		case known:
		case outside[e.Kind]:
			refs = p.trace(f, it, false)
		default:
			refs = p.ReferencesIn(f, it)
		}
		for _, r := range refs.([]Reference) {
			if r.Entity.Kind == e.Kind && r.Entity.ID() == id {
				out = append(out, r)
			}
		}
	}
	return out
}

// needles returns texts one of which an item must hold to name the entity. It
// spares resolving bodies that cannot; nil means that none can be told.
func (p *Program) needles(e Entity) []string {
	switch {
	case e.Kind == ModuleEntity:
		var out []string
		for _, m := range p.Modules {
			for name, n := range m.names {
				if n == e.Module {
					out = append(out, lastName(name))
				}
			}
		}
		out = append(out, e.Name)
		slices.Sort(out)
		return slices.Compact(out)
	case e.Kind == TorEntity && e.Name == defaultTor, e.Kind == OutcomeEntity && e.Name == "*", e.Name == "":
		return nil // named by what stands around it
	}
	return []string{e.Name}
}

// mayName reports whether an item can name an entity at all.
func mayName(item syntax.Node, e Entity, needles []string) bool {
	if e.Local() {
		return item.Tree() == e.Node.Tree()
	}
	if needles == nil {
		return true
	}
	text := item.Tree().Text()
	return slices.ContainsFunc(needles, func(needle string) bool { return strings.Contains(text, needle) })
}

// Mention is a place that may name an entity though nothing there says so: text
// of a host, or what is handed to a transform that nobody knows.
type Mention struct {
	File *File
	Span syntax.Span
	In   string // what holds it, in words: "the |js body of 'find'"
	Proc *Proc  // the host body that holds it, or nil
}

// Mentions returns the places that may name an entity and cannot be resolved. A
// change of the name would have to be made there by hand.
func (p *Program) Mentions(e Entity) []Mention {
	switch e.Kind {
	case FieldEntity, OutcomeEntity:
		out := p.inBodies(e)
		if e.Kind == FieldEntity {
			out = append(out, p.inOpaque(e)...)
		}
		return out
	case ColumnEntity, StoreEntity, ConstEntity, BindingEntity:
		return p.inOpaque(e)
	}
	return nil
}

// inBodies finds the host bodies of the tor that an input or an outcome belongs
// to, as far as they use a word like its name. A host writes dashes as
// underscores.
func (p *Program) inBodies(e Entity) []Mention {
	owner := p.Owner(e)
	if owner == nil {
		return nil
	}
	var out []Mention
	for _, proc := range owner.Procs {
		body := syntax.ProcView{Node: proc.Node}.Body()
		in := "the body of '" + owner.Name + "'"
		if len(proc.Targets) > 0 {
			in = "the |" + strings.Join(proc.Targets, "|") + " body of '" + owner.Name + "'"
		}
		for _, name := range []string{e.Name, strings.ReplaceAll(e.Name, "-", "_")} {
			if span, ok := wordIn(body, name); ok {
				out = append(out, Mention{proc.File, span, in, proc})
				break
			}
		}
	}
	return out
}

// inOpaque finds text that is handed to calls nobody knows.
func (p *Program) inOpaque(e Entity) []Mention {
	var out []Mention
	for _, m := range p.own() {
		for _, f := range m.Files {
			for it := range f.Syntax.Items() {
				body := it.Kind() == syntax.FlowItem || it.Kind() == syntax.ImplItem
				if body && mayName(it, e, nil) && strings.Contains(it.Tree().Text(), e.Name) {
					out = append(out, p.opaqueIn(f, it, e)...)
				}
			}
		}
	}
	return out
}

// opaqueIn finds them in one item.
func (p *Program) opaqueIn(f *File, item syntax.Node, e Entity) []Mention {
	t := &tracer{prog: p, mod: f.Module, file: f, root: item}
	var out []Mention
	t.opaque(item, t.opened(nil, item), func(v syntax.CallView) {
		for _, n := range []syntax.Node{v.ArgList(), v.Block()} {
			for tok := range n.AllTokens() {
				if span, ok := wordIn(tok, e.Name); ok && tok.Kind() != syntax.Comment && !p.named(f, item, span) {
					out = append(out, Mention{f, span, "what is handed to '" + v.Path().Text() + "'", nil})
				}
			}
		}
	})
	return out
}

// named reports whether it is known what a word of an item stands for.
func (p *Program) named(f *File, item syntax.Node, word syntax.Span) bool {
	return slices.ContainsFunc(p.ReferencesIn(f, item), func(r Reference) bool { return r.Span.Start == word.Start })
}

// wordIn finds the first place in a token where a name stands as a whole word.
func wordIn(t syntax.Token, name string) (syntax.Span, bool) {
	text := t.Text()
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) {
			return syntax.Span{Start: t.Span().Start + start, End: t.Span().Start + end}, true
		}
		from = start + 1
	}
	return syntax.Span{}, false
}

func wordByte(b byte) bool { return isFlagByte(b) && b != '-' && b != '.' }
