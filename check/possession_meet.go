package check

import (
	"slices"
	"strconv"

	"github.com/koru-go/koru/syntax"
)

// operand is a value on its way to a place: an expression, or the value of the
// step before that fills a field by itself.
type operand struct {
	expr *Expr    // nil for a threaded value
	root *Binding // what the value is a part of; nil if it is no place
	path []string
	typ  *Type
}

// operandOf finds the place that an expression names, if it names one.
func operandOf(e *Expr, threaded *Binding) operand {
	if threaded != nil {
		v := operand{root: threaded, typ: threaded.Type}
		return v.rooted()
	}
	v := operand{expr: e, typ: e.Type}
	depth := 0
	x := e
	for ; x.Kind == FieldOfExpr && x.X != nil; x = x.X {
		depth++
	}
	if x.Kind != BindingExpr || x.Ref == nil {
		return v
	}
	v.root = x.Ref
	if v.typ == nil && depth == 0 {
		v.typ = x.Ref.Type
	}
	if depth > 0 {
		v.path = make([]string, depth)
		for y := e; y != x; y = y.X {
			depth--
			v.path[depth] = y.Names[0]
		}
	}
	return v.rooted()
}

// rootOf returns the value that an expression names a part of, or nil.
func rootOf(e *Expr) *Binding {
	for e.Kind == FieldOfExpr && e.X != nil {
		e = e.X
	}
	if e.Kind != BindingExpr || e.Ref == nil {
		return nil
	}
	b := e.Ref
	for b.Whole != nil {
		b = b.Whole
	}
	return b
}

// rooted replaces a destructured field by the value it is a part of.
func (v operand) rooted() operand {
	for v.root.Whole != nil {
		v.path = append(slices.Clone(v.root.Path), v.path...)
		v.root = v.root.Whole
	}
	return v
}

// field is the part of the operand under a field name, whose type is t if the
// value itself does not know.
func (v operand) field(name string) (operand, bool) {
	if v.expr != nil && v.expr.Kind == RecordOf {
		for i, n := range v.expr.Names {
			if n == name && i < len(v.expr.List) && v.expr.List[i] != nil {
				return operandOf(v.expr.List[i], nil), true
			}
		}
		return operand{}, false
	}
	if v.root == nil || v.typ == nil || v.typ.Kind != RecordType {
		return operand{}, false
	}
	part := operand{expr: v.expr, root: v.root, path: extend(v.path, name)}
	for _, f := range v.typ.Fields {
		if f.Name == name {
			part.typ = f.Type
		}
	}
	return part, true
}

// demand is the place that a value comes to: a field of a call, an outcome, a
// column. Outward demands are met by giving: there a mint takes the debt over.
type demand struct {
	what    string // argument, outcome, result, column
	name    string
	node    syntax.Node
	tor     *Tor // whose field it is, or whose outcome
	outward bool
	forges  bool // the owner may put its own label on a value that has none
	binds   bool // its state variables stand for what they meet
}

// part is the demand for a part of the value, which the message names by its
// path and points at if the source writes it (R4).
func (s *demand) part(step string, v operand) *demand {
	p := *s
	p.name += step
	if v.expr != nil && rootOf(v.expr) == v.root {
		p.node = v.expr.Node
	}
	return &p
}

// pass meets a value with a declared type, part by part.
func (w *warden) pass(v operand, t *Type, s *demand) {
	switch {
	case !carries(t):
	case t.Phantom != nil:
		w.meet(v, t, s)
	case t.Kind == RecordType:
		for _, f := range t.Fields {
			if !carries(f.Type) {
				continue
			}
			if part, ok := v.field(f.Name); ok {
				w.pass(part, f.Type, s.part("."+f.Name, part))
			}
		}
	case t.Kind == ListType && v.expr != nil && v.expr.Kind == ListOf:
		for i, e := range v.expr.List {
			if e != nil {
				v := operandOf(e, nil)
				w.pass(v, t.Elem, s.part("["+strconv.Itoa(i)+"]", v))
			}
		}
	}
}

// meet holds a value against one demanded state: the table of language.md 13.
func (w *warden) meet(v operand, t *Type, s *demand) {
	at, states, how := w.stateOf(v)
	p := t.Phantom
	switch {
	case how == dead || how == lost:
		return // reported where it was used, or not to be judged
	case how == untracked && v.unknown():
		w.abandon(v)
		return
	case how == untracked:
		if !w.excused(v, t, s) {
			w.reportUntracked(v, t, s)
		}
		return
	case p.Var != "":
		if len(p.Members) > 0 && !accepts(p, states) {
			w.reportMismatch(states, how, t, s)
		} else if s.binds {
			w.vars = append(w.vars, bound{p.Var, states})
		}
		return
	case !accepts(p, states):
		w.reportMismatch(states, how, t, s)
		if how == owed && w.who.leads(states, p, v.typ) {
			w.held.turn(at, lost, syntax.Node{}, nil) // a step was left out in front: here the debt was meant to end
		}
		return
	}
	if takes(p, states, s.outward) {
		w.take(v, at, how, t, s)
	}
}

// accepts reports whether every state the value may be in is demanded. A value
// that may be in any state is accepted.
func accepts(p *Phantom, states []State) bool {
	for _, s := range states {
		if !slices.ContainsFunc(p.Members, s.Same) {
			return false
		}
	}
	return true
}

// consumes reports whether the demand ends a debt in some state.
func consumes(p *Phantom) bool {
	return slices.ContainsFunc(p.Members, func(m State) bool { return m.Consume })
}

// takes reports whether meeting the demand ends the debt of the value. In a
// union each member stands alone: <!fed|open> discharges what is fed and
// accepts what is open.
func takes(p *Phantom, states []State, outward bool) bool {
	all := len(states) == 0
	for _, m := range p.Members {
		ends := m.Consume || outward && m.Mint
		if len(states) == 0 {
			all = all && ends
		} else if ends && slices.ContainsFunc(states, m.Same) {
			return true
		}
	}
	return all
}

// take ends the debt of a value, if there is one to end here.
func (w *warden) take(v operand, at int, how standing, t *Type, s *demand) {
	if how != owed {
		if w.wire && !s.outward && v.root != nil && v.root.Kind == ParamBinding {
			w.balance.Taken = append(w.balance.Taken, Debt{Binding: v.root, Path: v.path, States: t.Phantom.Members, Type: t})
			w.held.hold(holding{root: v.root, path: v.path, typ: t, standing: dead, spent: s.node, spender: s.tor})
			return
		}
		w.reportNoDebt(v, t, s)
		return
	}
	h := &w.held.list[at]
	if h.depth < w.depth {
		w.reportOutside(h, s)
	}
	w.held.turn(at, dead, s.node, s.tor)
}

// stateOf returns what is known of a value: the holding it is, or -1, the
// states it may be in, and how it stands.
func (w *warden) stateOf(v operand) (at int, states []State, how standing) {
	if v.root != nil {
		if at = w.held.at(v.root, v.path); at >= 0 {
			h := &w.held.list[at]
			return at, h.states, h.standing
		}
	}
	if v.typ == nil {
		return -1, nil, untracked
	}
	if p := v.typ.Phantom; p != nil {
		if p.Var != "" && len(p.Members) == 0 {
			return -1, nil, anyState
		}
		return -1, p.Members, lent
	}
	if v.root != nil && v.root.Kind == ParamBinding && w.vouched(v.typ) {
		return -1, nil, anyState
	}
	return -1, nil, untracked
}

// vouched reports whether the caller answers for the state of an input without
// one: of a capability always (R51, language.md 16.6), of text in a definition,
// where a handle is the text it is written as (R36).
func (w *warden) vouched(t *Type) bool {
	return t.IsCapability() || w.wire && t.Kind == TextType
}

// unknown reports whether nothing can be said of a value: it, or what it comes
// from, was not understood.
func (v operand) unknown() bool {
	if v.expr != nil && v.expr.Kind == BrokenExpr {
		return true
	}
	return v.typ == nil || v.typ.Kind == WildType || v.typ.Kind == UnknownType && v.typ.Name == ""
}

// excused reports whether a value without a state may pass: nothing given to
// an optional place, and the owner's own label put on a fresh value.
func (w *warden) excused(v operand, t *Type, s *demand) bool {
	if e := v.expr; e != nil && e.Kind == LiteralExpr && e.Lit.Kind == NullLit && t.Optional {
		return true
	}
	return s.forges && !slices.ContainsFunc(t.Phantom.Members, func(m State) bool { return m.Module != s.tor.home() })
}

// home returns the path of the module whose labels the tor owns.
func (t *Tor) home() string {
	if t == nil || t.Module == nil {
		return ""
	}
	return t.Module.Path
}

// uses reports every place of an expression that is used after its discharge,
// the first time on each path.
// The stack is explicit: a long chain of operators is as deep as it is long.
func (w *warden) uses(e *Expr) {
	if e == nil || w.held.dead == 0 {
		return
	}
	for stack := []*Expr{e}; len(stack) > 0; {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e == nil {
			continue
		}
		if root := rootOf(e); root != nil {
			if w.held.of(root) >= 0 {
				v := operandOf(e, nil)
				if at := w.held.grave(v.root, v.path); at >= 0 {
					w.reportDead(&w.held.list[at], v, e.Node)
					w.held.turn(at, lost, syntax.Node{}, nil)
				}
			}
			continue
		}
		stack = append(stack, parts(e.Parts)...)
		for i := len(e.List) - 1; i >= 0; i-- {
			stack = append(stack, e.List[i])
		}
		stack = append(stack, e.Z, e.Y, e.X)
	}
}

// parts returns the expressions of a text with splices, last first.
func parts(list []Part) []*Expr {
	var out []*Expr
	for todo := [][]Part{list}; len(todo) > 0; {
		list := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range list {
			p := &list[i]
			if p.Expr != nil {
				out = append(out, p.Expr)
			}
			if p.Body != nil {
				todo = append(todo, p.Body)
			}
			if p.Else != nil {
				todo = append(todo, p.Else)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// abandon gives up on a value of which part went where nobody can follow.
func (w *warden) abandon(v operand) {
	for i := w.held.of(v.root); i >= 0; i = int(w.held.list[i].older) {
		if h := &w.held.list[i]; h.standing == owed && (partOf(h.path, v.path) || partOf(v.path, h.path)) {
			w.held.turn(i, lost, syntax.Node{}, nil)
		}
	}
}

// forget gives up on everything owed: text that was not understood may have
// settled it, and one fault is enough.
func (w *warden) forget() { w.forgive(0) }

// forgive gives up on what is owed since a moment.
func (w *warden) forgive(since int) {
	for i := since; i < len(w.held.list); i++ {
		if w.held.list[i].standing == owed {
			w.held.turn(i, lost, syntax.Node{}, nil)
		}
	}
}
