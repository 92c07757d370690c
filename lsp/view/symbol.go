package view

import (
	"iter"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// SymbolKind says what a name means.
type SymbolKind uint8

// The kinds of thing that have names.
const (
	NoSymbol      SymbolKind = iota
	VerbSymbol               // Tor
	OutcomeSymbol            // Outcome of Tor
	FieldSymbol              // Field: an input of Tor, or a part of a record
	BindingSymbol            // Binding of Flow
	ModuleSymbol             // Module
	ConstSymbol              // Const
	StoreSymbol              // Store
)

// Symbol is what a name in a source means.
type Symbol struct {
	Kind    SymbolKind
	Tor     *check.Tor
	Outcome *check.Outcome
	Field   *check.Field
	Binding *check.Binding
	Flow    *check.Flow // that the binding belongs to
	Module  *check.Module
	Const   *check.ConstDecl
	Store   *check.Store
	Call    *check.Call // the call that the name stands in: as its verb, as a label or as the word of an arm
}

// Occurrence is one place where a name stands.
type Occurrence struct {
	Span     syntax.Span
	Symbol   Symbol
	Declares bool
}

// SymbolAt returns the name at an offset and what it means. Between two names
// the one that begins there counts.
func SymbolAt(p *check.Program, f *check.File, off int) (Occurrence, bool) {
	var found Occurrence
	ok := false
	at := f.Syntax.ItemAt(off)
	for _, i := range []int{at, at - 1} { // a name that ends where an item ends
		if i < 0 {
			continue
		}
		for o := range Occurrences(p, f, f.Syntax.Item(i)) {
			if o.Span.Contains(off) && (!ok || off < o.Span.End) {
				found, ok = o, true
				if off < o.Span.End {
					return found, true
				}
			}
		}
		if ok {
			break
		}
	}
	return found, ok
}

// Occurrences returns an iterator over the names of an item and what they mean,
// not always in the order of the text. What the checker could not resolve is
// left out.
func Occurrences(p *check.Program, f *check.File, item syntax.Node) iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		w := &occurrences{prog: p, file: f, yield: yield, arms: map[syntax.Node]bool{}}
		w.item(item)
	}
}

// occurrences walks one item.
type occurrences struct {
	prog    *check.Program
	file    *check.File
	flow    *check.Flow
	yield   func(Occurrence) bool
	arms    map[syntax.Node]bool // arms that were seen: one may stand at several calls
	stopped bool
}

func (w *occurrences) emit(t syntax.Token, s Symbol, declares bool) {
	if t.IsValid() {
		w.emitSpan(t.Span(), s, declares)
	}
}

func (w *occurrences) emitSpan(span syntax.Span, s Symbol, declares bool) {
	if !w.stopped && span.Len() > 0 && !w.yield(Occurrence{span, s, declares}) {
		w.stopped = true
	}
}

func (w *occurrences) item(item syntax.Node) {
	switch item.Kind() {
	case syntax.TorItem:
		w.tor(syntax.TorView{Node: item})
	case syntax.ImportItem:
		path := syntax.ImportView{Node: item}.Path()
		for _, m := range w.file.Module.Imports {
			if m.Path == path.Text() {
				w.emit(path, Symbol{Kind: ModuleSymbol, Module: m}, false)
			}
		}
	case syntax.ProcItem:
		w.verb(syntax.ProcView{Node: item}.Name(), w.file.Module.Tor(syntax.ProcView{Node: item}.Name().Text()), nil)
	case syntax.ImplItem, syntax.FlowItem:
		flow := w.prog.FlowOf(w.file, item)
		if flow == nil {
			return
		}
		w.flow = flow
		if item.Kind() == syntax.ImplItem {
			w.verb(syntax.ImplView{Node: item}.Name(), flow.Owner, nil)
		}
		w.chain(flow.Body)
	}
}

// tor emits what a declaration declares.
func (w *occurrences) tor(v syntax.TorView) {
	tor := w.file.Module.Tor(v.Name().Text())
	if tor == nil || tor.Node != v.Node {
		return
	}
	w.emit(v.Name(), Symbol{Kind: VerbSymbol, Tor: tor}, true)
	for _, f := range tor.Fields {
		w.field(f, tor)
	}
	for _, o := range tor.Outcomes {
		w.emit(syntax.ArmDeclView{Node: o.Node}.Name(), Symbol{Kind: OutcomeSymbol, Tor: tor, Outcome: o}, true)
		w.record(o.Payload)
	}
	w.record(tor.Return)
}

func (w *occurrences) field(f *check.Field, tor *check.Tor) {
	w.emit(syntax.FieldView{Node: f.Node}.Name(), Symbol{Kind: FieldSymbol, Field: f, Tor: tor}, true)
	w.record(f.Type)
}

// record emits the fields that a type declares.
func (w *occurrences) record(t *check.Type) {
	for t != nil && t.Kind == check.ListType {
		t = t.Elem
	}
	if t == nil || t.Kind != check.RecordType {
		return
	}
	for _, f := range t.Fields {
		if f.Node.IsValid() {
			w.field(f, nil)
		}
	}
}

// verb emits a path: its module and its verb apart.
func (w *occurrences) verb(path syntax.Token, tor *check.Tor, call *check.Call) {
	if tor == nil || !path.IsValid() {
		return
	}
	span := path.Span()
	if module, _, ok := strings.Cut(path.Text(), ":"); ok {
		w.emitSpan(syntax.Span{Start: span.Start, End: span.Start + len(module)}, Symbol{Kind: ModuleSymbol, Module: tor.Module}, false)
		span.Start += len(module) + 1
	}
	w.emitSpan(span, Symbol{Kind: VerbSymbol, Tor: tor, Call: call}, false)
}

func (w *occurrences) chain(c *check.Chain) {
	if c == nil || w.stopped {
		return
	}
	for _, step := range c.Steps {
		switch step.Kind {
		case check.CallStep:
			w.call(step.Call)
		case check.JumpStep:
			w.args(step.Jump.Args, step.Jump.Target)
		}
	}
	if e := c.End; e != nil {
		if e.Outcome != nil && w.flow.Owner != nil {
			w.emit(syntax.ConstructView{Node: e.Node}.Name(), Symbol{Kind: OutcomeSymbol, Tor: w.flow.Owner, Outcome: e.Outcome}, false)
		}
		w.expr(e.Value)
		if e.Call != nil {
			w.call(e.Call)
		}
	}
}

func (w *occurrences) call(c *check.Call) {
	v := syntax.CallView{Node: c.Node}
	w.verb(v.Path(), c.Tor, c)
	w.args(c.Args, c)
	w.expr(c.Index)
	w.expr(c.Template)
	for i := range c.Assigns {
		w.expr(c.Assigns[i].Row)
		w.expr(c.Assigns[i].Value)
	}
	if c.Result != nil {
		w.bound(v.Bind(), c.Result)
	}
	w.parts(c.Fields)
	for _, a := range c.Arms {
		w.arm(c, a)
	}
}

func (w *occurrences) args(args []check.Arg, call *check.Call) {
	for i := range args {
		a := &args[i]
		if a.Node.IsValid() && call != nil {
			w.emit(syntax.ArgView{Node: a.Node}.Label(), Symbol{Kind: FieldSymbol, Field: a.Field, Tor: call.Tor, Call: call}, false)
		}
		w.expr(a.Value)
	}
}

func (w *occurrences) arm(c *check.Call, a *check.Arm) {
	if a.Forward || w.arms[a.Node] {
		return
	}
	w.arms[a.Node] = true
	v := syntax.ArmView{Node: a.Node}
	if a.Outcome != nil && !a.CatchAll {
		w.emit(v.Name(), Symbol{Kind: OutcomeSymbol, Tor: c.Tor, Outcome: a.Outcome, Call: c}, false)
	}
	if a.Payload != nil {
		w.bound(v.Bind(), a.Payload)
	}
	w.parts(a.Fields)
	w.expr(a.Guard)
	w.chain(a.Body)
}

func (w *occurrences) bound(v syntax.BindView, b *check.Binding) {
	if v.IsValid() && b.Name != "" {
		w.emit(v.Name(), Symbol{Kind: BindingSymbol, Binding: b, Flow: w.flow}, true)
	}
}

// parts emits the names that a destructuring binds.
func (w *occurrences) parts(fields []*check.Binding) {
	for _, b := range fields {
		v := syntax.BindFieldView{Node: b.Node}
		if b.Node.Kind() != syntax.BindField {
			continue
		}
		name := v.As()
		if !name.IsValid() {
			name = v.Field()
		}
		w.emit(name, Symbol{Kind: BindingSymbol, Binding: b, Flow: w.flow}, true)
	}
}

func (w *occurrences) expr(e *check.Expr) {
	if e == nil || w.stopped {
		return
	}
	switch e.Kind {
	case check.BindingExpr:
		w.emitSpan(e.Node.Span(), Symbol{Kind: BindingSymbol, Binding: e.Ref, Flow: w.flow}, false)
	case check.ConstExpr:
		w.emitSpan(e.Node.Span(), Symbol{Kind: ConstSymbol, Const: e.Const}, false)
	case check.FieldOfExpr:
		if f := fieldOf(e.X.Type, e.Names[0]); f != nil {
			w.emit(lastName(e.Node), Symbol{Kind: FieldSymbol, Field: f}, false)
		}
	}
	w.expr(e.X)
	w.expr(e.Y)
	w.expr(e.Z)
	for _, x := range e.List {
		w.expr(x)
	}
	w.text(e.Parts)
}

func (w *occurrences) text(parts []check.Part) {
	for i := range parts {
		w.expr(parts[i].Expr)
		w.text(parts[i].Body)
		w.text(parts[i].Else)
	}
}

func fieldOf(t *check.Type, name string) *check.Field {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// lastName returns the last name among the own tokens of a node.
func lastName(n syntax.Node) syntax.Token {
	last := syntax.Token{}
	for t := range n.Tokens() {
		if t.Kind() == syntax.Name {
			last = t
		}
	}
	return last
}
