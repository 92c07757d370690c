package check

import (
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Possession (language.md 5.1 and 13). A state is a label on a type: a verb
// that mints <open!> hands over a value that is owed a discharge, one that
// takes <!open> ends the debt, one that takes <open> borrows. A warden walks
// every path of a flow with what is held on it: arguments are met with the
// states that their fields demand, outcomes add what they mint, and where a
// path ends every debt must be gone: discharged, returned under a signature
// that says so, moved into a store, or settled by the one disposer that the
// checker can insert.
//
//	custody.go            what is held on the path that is walked
//	possession.go         the walk
//	possession_meet.go    a value meets the state that a place demands
//	possession_settle.go  the end of a path
//	possession_report.go  the words
//	possession_fix.go     the edits that discharge
//	dispose.go            who can discharge what
//	drain.go              what a store still owes when the program ends
//	balance.go            what a definition does to the debts of its caller
//	settlement.go         what was inserted where, for whoever shows it

// judgePossession judges one flow and enters the disposals that the machine is
// to run into Chain.Settle, Call.Unarmed and Jump.Settle. With insert unset
// (--auto-discharge=disable) every debt must be discharged in the source. heirs
// are the verbs that an implementation leaves its own inputs to. The mock of a
// verb owes nothing of what it is given: it only says what comes back.
func judgePossession(flow *Flow, who *disposers, insert, mock bool) (found []Diagnostic, heirs []*Tor) {
	w := warden{flow: flow, who: who, insert: insert, mock: mock}
	w.run()
	return w.findings(), w.heirs
}

// possess judges what a flow does with what it owes.
func (j *judge) possess(f *Flow) {
	who := *j.prog.takers
	who.asked = j.needTaker
	found, heirs := judgePossession(f, &who, !j.prog.Options.NoAutoDischarge, j.mocks)
	for _, d := range found {
		if d.Code == "KORU030" && (strings.Contains(d.Message, "was not discharged") || strings.Contains(d.Message, "drops cleanup obligation")) {
			d.doubt = &doubt{disposer: true, in: j.mod}
		}
		j.add(d)
	}
	for i, t := range heirs {
		if first := j.prog.byPath(t.Path()); first != nil {
			heirs[i] = first // of a name that is declared twice the first stands for all
		}
	}
	if heirs != nil && !j.apart {
		j.prog.takers.heirs[f.Owner] = heirs
	}
}

// warden walks the paths of one flow.
type warden struct {
	flow   *Flow
	who    *disposers
	insert bool
	mock   bool
	// wire marks the body of a definition. Nothing is inserted into it: what it
	// leaves open is the balance that its signature has to state (bridge.md 8.3).
	wire    bool
	balance Balance

	held   custody
	bodies map[*Chain][]visit // the walks of bodies that steps share
	chains int                // chains of several steps walked so far,
	within int                // and the one that is walked, 0 for a single step
	depth  int                // effects and loops open around the place
	labels []anchor
	vars   []bound  // of the calls that are walked, outermost first
	answer *Outcome // the effect whose handler is walked

	debts []*debt
	found []Diagnostic
	heirs []*Tor
}

// anchor is a place that jumps go back to, and what was held there.
type anchor struct {
	call   *Call
	moment moment
}

// bound is a state variable with the states of the argument it stands for.
type bound struct {
	name   string
	states []State
}

func (w *warden) run() {
	w.held.newest = make([]int32, len(w.flow.Bindings))
	for _, p := range w.flow.Params {
		w.enter(p, p.Type, nil)
	}
	if w.flow.Body != nil {
		w.chain(w.flow.Body)
	}
}

// enter takes over what the owner was given (R51): a consumed input is owed by
// the body. A borrowed one needs no record, for its state never changes.
func (w *warden) enter(root *Binding, t *Type, path []string) {
	switch {
	case t == nil:
	case t.Phantom != nil:
		if !slices.ContainsFunc(t.Phantom.Members, func(s State) bool { return s.Consume }) {
			return
		}
		h := holding{root: root, path: path, typ: t, states: t.Phantom.Members, standing: owed}
		if w.mock {
			h.standing = lost
		}
		w.held.hold(h)
	case t.Kind == RecordType:
		for _, f := range t.Fields {
			w.enter(root, f.Type, extend(path, f.Name))
		}
	}
}

// extend returns path with one more field, never sharing its storage.
func extend(path []string, field string) []string {
	return append(path[:len(path):len(path)], field)
}

// chain walks steps to the end of every path that they open.
func (w *warden) chain(c *Chain) {
	defer func(outer int) { w.within = outer }(w.within)
	w.within = 0
	if len(c.Steps) > 1 {
		w.chains++
		w.within = w.chains
	}
	for i, s := range c.Steps {
		switch s.Kind {
		case CallStep:
			if goesOn := w.call(s.Call, i == len(c.Steps)-1 && c.End == nil); !goesOn {
				return
			}
		case JumpStep:
			w.jump(s.Jump)
			return
		case BrokenStep:
			w.forget()
		}
	}
	w.end(c)
}

// call walks a call and its arms, and reports whether its path goes on behind
// it. last marks a step that nothing follows.
func (w *warden) call(c *Call, last bool) (goesOn bool) {
	defer func(n int) { w.vars = w.vars[:n] }(len(w.vars))
	vars := w.arguments(c)
	w.block(c)
	if c.Tor == nil {
		w.mentioned(c.Node)
	}
	if c.Label != "" {
		w.labels = append(w.labels, anchor{c, w.held.now()})
	}
	for _, a := range c.Arms {
		w.arm(c, a, vars)
	}
	w.unarmed(c, vars)
	switch {
	case c.Tor == nil:
		return true
	case c.Survivor != nil:
		if hands(c, c.Survivor) {
			w.mint(c.Result, payload(c, c.Survivor), c, vars)
		}
		return true
	case !c.Tor.Branches():
		if named(c) {
			return false
		}
		w.mint(c.Result, c.Tor.Return, c, vars)
		return true
	}
	return !last
}

// named reports whether the one value of a call was taken under an outcome word
// that there is not. That is a fault of its own (KORU021), and the path is the
// one under the word.
func named(c *Call) bool {
	return c.Single() && slices.ContainsFunc(c.Arms, func(a *Arm) bool { return !a.Effect && !a.CatchAll })
}

// arm walks one handler, from what is held now and back to it.
func (w *warden) arm(c *Call, a *Arm, vars []bound) {
	before, labels, answer := w.held.now(), len(w.labels), w.answer
	from := arrival{moment: before, chain: w.within}
	if a.Outcome != nil && hands(c, a.Outcome) && owes(payload(c, a.Outcome)) {
		from.payload = payload(c, a.Outcome)
	}
	if a.Effect {
		w.depth++
		w.answer = a.Outcome
	}
	switch {
	case !w.wire && !a.CatchAll && unbound(a):
		// Reported as such (KORU030); what it owes is not to be said twice.
	case a.Outcome == nil && !a.CatchAll && c.Single():
		w.mint(a.Payload, c.Tor.Return, c, vars)
	case from.payload != nil && a.Effect && !resumes(a.Outcome) && second(c, a):
		w.reportSecond(a)
		w.mint(a.Payload, from.payload, c, vars)
		w.forgive(before.held)
	case a.Outcome != nil && hands(c, a.Outcome):
		w.mint(a.Payload, payload(c, a.Outcome), c, vars)
	case a.CatchAll && !a.Effect && c.Tor != nil:
		w.swallows(c, a)
	}
	w.uses(a.Guard)
	if a.Body != nil {
		w.body(a, from)
	} else if settle := w.settle(pathEnd{arm: a}); settle != nil {
		a.Body = &Chain{Node: a.Node, Settle: settle}
	}
	if a.Effect {
		w.depth--
	}
	w.answer, w.labels = answer, w.labels[:labels]
	w.held.rewind(before)
}

// second reports whether another handler of the call gets the payload first:
// all handlers of a void effect fire (R82), but a debt has one owner.
func second(c *Call, a *Arm) bool {
	for _, b := range c.Arms {
		if b == a {
			break
		}
		if b.Outcome == a.Outcome {
			return true
		}
	}
	return false
}

// body walks the body of an arm. A dedented arm stands for every step that can
// end in its word (language.md 8.3), and the steps share its body. What is held
// may differ from step to step: where it does, and something is owed, a step
// gets a body of its own.
func (w *warden) body(a *Arm, before arrival) {
	if before.chain == 0 {
		w.chain(a.Body)
		return
	}
	for _, v := range w.bodies[a.Body] {
		if v.arrival == before || v.held+before.held == 0 && v.payload == before.payload {
			a.Body = v.body
			return // nothing would come out differently
		}
	}
	shared := a.Body
	if first := w.bodies[shared]; len(first) > 0 && (w.held.owed > 0 || first[0].owed) && !w.wire {
		a.Body = copier{}.chain(shared)
	}
	if w.bodies == nil {
		w.bodies = map[*Chain][]visit{}
	}
	w.bodies[shared] = append(w.bodies[shared], visit{before, w.held.owed > 0, a.Body})
	w.chain(a.Body)
}

// visit is one walk of a body that steps share.
type visit struct {
	arrival
	owed bool
	body *Chain // as it is for this visit
}

// arrival tells walks of a body apart: two that come from the same walk of the
// chain above, with nothing changed in between and the same debt in the payload,
// are alike.
type arrival struct {
	moment
	chain   int
	payload *Type // nil if it owes nothing
}

// unbound reports whether an arm of the source neither binds nor discards.
func unbound(a *Arm) bool {
	return a.Node.Kind() == syntax.Arm && !(syntax.ArmView{Node: a.Node}).Bind().IsValid()
}

// hands reports whether an outcome of the call hands over what its payload
// owes. A store keeps the debts of its rows: it lends them to who looks at
// them and hands them over when a row is taken, refused or drained
// (language.md 9.6, R94).
func hands(c *Call, o *Outcome) bool {
	switch c.Form {
	case StoreTake:
		return !o.Effect
	case StoreInsert:
		return o.Name == "full"
	case StoreNew:
		return o.Name == "discharge"
	case Plain, Opaque:
		return true
	}
	return false
}

// payload returns what an outcome of the call carries. A store knows what its
// rows are, its verbs do not.
func payload(c *Call, o *Outcome) *Type {
	if o.Payload != nil && o.Payload.Kind == WildType && c.Store != nil {
		return c.Store.payload(c.Form, o.Name)
	}
	return o.Payload
}

// swallows reports the debts that a catch-all would take without a name for
// them.
func (w *warden) swallows(c *Call, a *Arm) {
	for _, o := range c.Tor.Outcomes {
		if o.Effect || !o.Optional || !hands(c, o) || !owes(payload(c, o)) {
			continue
		}
		if !slices.ContainsFunc(c.Arms, func(b *Arm) bool { return b.Outcome == o && b.Guard == nil }) {
			w.reportSwallowed(o, a)
		}
	}
}

// mint begins to track what a payload of type t owes. A plain state needs no
// record; one forwarded through a variable is only known here.
func (w *warden) mint(b *Binding, t *Type, from *Call, vars []bound) {
	if b == nil {
		return
	}
	w.mintAt(b, nil, t, from, vars)
}

func (w *warden) mintAt(b *Binding, path []string, t *Type, from *Call, vars []bound) {
	if t == nil {
		return
	}
	if p := t.Phantom; p != nil {
		h := holding{root: b, path: path, typ: t, depth: w.depth, mint: from}
		switch {
		case p.Var != "":
			for _, v := range vars {
				if v.name == p.Var {
					h.states, h.standing = v.states, lent
					w.held.hold(h)
					return
				}
			}
		case len(p.Members) == 1 && p.Members[0].Mint:
			h.states, h.standing = p.Members, owed
			w.held.hold(h)
		}
		return
	}
	if t.Kind == RecordType {
		for _, f := range t.Fields {
			if carries(f.Type) {
				w.mintAt(b, extend(path, f.Name), f.Type, from, vars)
			}
		}
	}
}

// carries reports whether a type or a field of it has a state.
func carries(t *Type) bool {
	if t == nil {
		return false
	}
	if t.Phantom != nil {
		return true
	}
	switch t.Kind {
	case ListType:
		return carries(t.Elem)
	case RecordType:
		for _, f := range t.Fields {
			if carries(f.Type) {
				return true
			}
		}
	}
	return false
}

// arguments meets the values of a call with the states of its fields and
// returns what its state variables stand for.
func (w *warden) arguments(c *Call) []bound {
	base := len(w.vars)
	for i := range c.Args {
		w.argument(c.Tor, &c.Args[i], c.Node)
	}
	return w.vars[base:]
}

func (w *warden) argument(tor *Tor, a *Arg, call syntax.Node) {
	if a.Field != nil && !carries(a.Field.Type) {
		w.uses(a.Value) // nothing is demanded
		return
	}
	var v operand
	switch {
	case a.Threaded != nil:
		v = operandOf(nil, a.Threaded)
	case a.Value == nil:
		if a.Field != nil && a.Field.Required() {
			w.omitted(a)
		}
		return
	case a.Value.Kind == BrokenExpr && a.Field != nil:
		w.omitted(a)
		return
	default:
		w.uses(a.Value)
		v = operandOf(a.Value, nil)
	}
	if a.Field == nil {
		w.abandon(v)
		return
	}
	s := demand{what: "argument", name: a.Field.Name, node: a.Node, tor: tor, binds: true}
	if !s.node.IsValid() {
		s.node = call
	}
	w.pass(v, a.Field.Type, &s)
}

// omitted gives up on what a field would have consumed if its value were there
// and understood: that has been reported, and the debt was meant to end here.
func (w *warden) omitted(a *Arg) {
	if a.Field.Type.Phantom == nil || w.held.owed == 0 {
		return
	}
	for i := range w.held.list {
		h := &w.held.list[i]
		if h.standing == owed && accepts(a.Field.Type.Phantom, h.states) && takes(a.Field.Type.Phantom, h.states, false) {
			w.held.turn(i, lost, syntax.Node{}, nil)
		}
	}
}

// mentioned gives up on what a call of an unknown verb mentions.
func (w *warden) mentioned(call syntax.Node) {
	if w.held.owed == 0 {
		return
	}
	span := call.Span()
	for i := range w.held.list {
		h := &w.held.list[i]
		if h.standing == owed && h.root.readIn(span) {
			w.held.turn(i, lost, syntax.Node{}, nil)
		}
	}
}

// block walks what else a call reads: the cells it writes, its text, its index.
func (w *warden) block(c *Call) {
	w.uses(c.Index)
	w.uses(c.Template)
	for i := range c.Assigns {
		w.assign(c, &c.Assigns[i])
	}
}

// assign moves a value into a cell. An owned column takes the debt over; what
// a cell of a capture takes stays owed by the path.
func (w *warden) assign(c *Call, a *Assign) {
	w.uses(a.Row)
	w.uses(a.Value)
	if a.Value == nil {
		return
	}
	if col := column(c, a); col != nil {
		w.pass(operandOf(a.Value, nil), col.Type, &demand{what: "column", name: col.Name, node: a.Node, outward: true})
	}
}

// column returns the store column that an entry writes, or nil.
func column(c *Call, a *Assign) *Column {
	store := a.Store
	if store == nil {
		store = c.Store
	}
	if store == nil {
		return nil
	}
	if len(store.Columns) == 1 && store.Columns[0].Name == "" {
		return store.Columns[0]
	}
	if len(a.Path) == 0 {
		return nil
	}
	return store.Column(a.Path[len(a.Path)-1])
}

// jump goes back to a label. What it passes is consumed as by a call; what was
// minted behind the label and is still owed would be dropped; what was held at
// the label must still be there, or the next round would have less.
func (w *warden) jump(jump *Jump) {
	if jump.Target == nil {
		return // nobody knows where it leads (KORU041)
	}
	var base moment
	for _, l := range w.labels {
		if l.call == jump.Target {
			base = l.moment
		}
	}
	for i := range jump.Args {
		w.argument(jump.Target.Tor, &jump.Args[i], jump.Node)
	}
	for _, was := range w.held.trail[base.changed:] {
		if h := &w.held.list[was.at]; was.at < base.held && was.standing == owed && h.standing == dead {
			w.reportRound(h, jump)
		}
	}
	jump.Settle = w.settle(pathEnd{jump: jump, from: base.held})
}

// unarmed ends the paths of optional outcomes that nobody handles: nothing
// happens then (language.md 6.1), but nothing may stay owed either. A payload
// that is owed gets an arm of its own, so that there is a place to settle it.
func (w *warden) unarmed(c *Call, vars []bound) {
	c.Unarmed = nil
	if c.Tor == nil {
		return
	}
	open := false
	for _, o := range c.Tor.Outcomes {
		if o.Effect || !o.Optional || o == c.Survivor || handled(c, o) {
			continue
		}
		if !w.wire && hands(c, o) && owes(payload(c, o)) {
			a := w.arrest(c, o)
			w.arm(c, a, vars)
			c.Arms = append(c.Arms, a)
			continue
		}
		open = true
	}
	if open && !w.wire {
		c.Unarmed = w.settle(pathEnd{call: c})
	}
}

// handled reports whether an arm of the call takes every firing of o.
func handled(c *Call, o *Outcome) bool {
	for _, a := range c.Arms {
		if a.Effect != o.Effect || a.Guard != nil {
			continue
		}
		if a.Outcome == o || a.CatchAll && o.Optional {
			return true
		}
	}
	return false
}

// owes reports whether a payload carries a debt.
func owes(t *Type) bool {
	if t == nil {
		return false
	}
	if p := t.Phantom; p != nil {
		return p.Var == "" && len(p.Members) == 1 && p.Members[0].Mint
	}
	if t.Kind == RecordType {
		for _, f := range t.Fields {
			if owes(f.Type) {
				return true
			}
		}
	}
	return false
}

// arrest makes the arm that an unhandled outcome with a debt needs.
func (w *warden) arrest(c *Call, o *Outcome) *Arm {
	a := &Arm{Node: c.Node, Outcome: o, Word: o.Name}
	a.Payload = &Binding{Kind: PayloadBinding, Slot: len(w.flow.Bindings), Type: payload(c, o), Node: c.Node, From: c, Arm: a}
	w.flow.Bindings = append(w.flow.Bindings, a.Payload)
	return a
}
