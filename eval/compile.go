package eval

import (
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// compiler turns one flow into [Code]. It walks the flow once. Loops and
// conditions of the language become jumps in the frame of the flow; handlers of
// effects become blocks of the same code, which run in the same registers.
type compiler struct {
	prog *Program
	code *Code
	flow *check.Flow
	file *check.File
	node syntax.Node // the place that emitted instructions belong to
	next int32       // the first register that is free

	block    *block
	anchors  map[*check.Call]*anchor
	captures []*capture // open ones, the innermost last

	constAt map[Value]int32
	nameAt  map[string]int32
	typeAt  map[*check.Type]int32
	shapeAt map[*Shape]int32
}

// exit is where a path goes on when it has done its last step: to a label, or,
// if there is none, out of the block or the flow it stands in.
type exit struct{ to *label }

// label is a place in the code that is jumped to, maybe before it is known.
type label struct {
	at   int32
	uses []int32 // instructions to patch
}

// block is the code of handlers that run outside the order of the chain they
// stand in: when a body fires an effect, or when a store changes.
type block struct {
	outer    *block
	effect   *check.Outcome
	resuming bool
	// detached blocks outlive the frame of the flow: they cannot return to it.
	detached bool
}

// anchor is a labelled call that jumps come back to.
type anchor struct {
	args  int32
	label *label
	block *block
}

// compile compiles a flow. What it cannot compile it reports.
func (p *Program) compile(flow *check.Flow) *Code {
	c := newCompiler(p, flow.File)
	c.flow, c.code.flow = flow, flow
	c.next = int32(len(flow.Bindings))
	c.code.size = len(flow.Bindings)
	c.at(flow.Node)
	if flow.Body != nil {
		c.chain(flow.Body, exit{})
	} else {
		c.finish(exit{})
	}
	return c.code
}

func newCompiler(p *Program, file *check.File) *compiler {
	return &compiler{
		prog: p, code: &Code{}, file: file, anchors: map[*check.Call]*anchor{},
		constAt: map[Value]int32{}, nameAt: map[string]int32{}, typeAt: map[*check.Type]int32{}, shapeAt: map[*Shape]int32{},
	}
}

// at sets the place of the instructions that follow and returns the last one.
func (c *compiler) at(node syntax.Node) syntax.Node {
	last := c.node
	if node.IsValid() {
		c.node = node
	}
	return last
}

// refuse reports what this host cannot run.
func (c *compiler) refuse(node syntax.Node, message string) {
	if !node.IsValid() {
		node = c.node
	}
	c.prog.report("KORU176", c.file, node.Span(), message)
}

func (c *compiler) emit(op op, a, b, cc, d int32) int32 {
	c.code.instrs = append(c.code.instrs, instr{op: op, a: a, b: b, c: cc, d: d})
	c.code.nodes = append(c.code.nodes, c.node)
	return int32(len(c.code.instrs)) - 1
}

func (c *compiler) pc() int32 { return int32(len(c.code.instrs)) }

// jump emits an instruction whose first operand is a label.
func (c *compiler) jump(op op, to *label, b, cc, d int32) {
	i := c.emit(op, to.at, b, cc, d)
	if to.at < 0 {
		to.uses = append(to.uses, i)
	}
}

func newLabel() *label { return &label{at: -1} }

// place sets a label to the next instruction.
func (c *compiler) place(l *label) {
	l.at = c.pc()
	for _, i := range l.uses {
		c.code.instrs[i].a = l.at
	}
}

// temps reserves n registers in a row. They are free again when c.next is set
// back.
func (c *compiler) temps(n int) int32 {
	first := c.next
	c.next += int32(n)
	c.code.size = max(c.code.size, int(c.next))
	return first
}

// The tables of the code hold each entry once; maps find it, so that a long
// flow costs no more than its length.

func (c *compiler) constOperand(v Value) int32 { return ^index(&c.code.consts, c.constAt, v) }

func (c *compiler) name(s string) int32 { return index(&c.code.names, c.nameAt, s) }

func (c *compiler) typeIndex(t *check.Type) int32 { return index(&c.code.types, c.typeAt, t) }

// index returns the place of an entry in a table and adds it if it is new.
func index[T comparable](table *[]T, at map[T]int32, entry T) int32 {
	i, ok := at[entry]
	if !ok {
		i = int32(len(*table))
		at[entry] = i
		*table = append(*table, entry)
	}
	return i
}

// chain compiles steps, then the end of the path.
func (c *compiler) chain(ch *check.Chain, out exit) {
	defer c.at(c.at(ch.Node))
	for i, step := range ch.Steps {
		c.at(step.Node)
		switch step.Kind {
		case check.CallStep:
			rest := i+1 < len(ch.Steps) || ch.End != nil
			if !c.call(step.Call, out, rest) {
				return
			}
		case check.JumpStep:
			c.jumpStep(step.Jump)
			return
		case check.BrokenStep:
			c.refuse(step.Node, "this step was not understood")
		}
	}
	c.end(ch, out)
}

// finish ends a path that constructs nothing.
func (c *compiler) finish(out exit) {
	switch {
	case out.to != nil:
		c.jump(opJump, out.to, 0, 0, 0)
	case c.block != nil:
		c.emit(opEnd, 0, 0, 0, 0)
	default:
		c.emit(opReturn, -1, nothing, 0, 0)
	}
}

// end compiles what a chain ends in. Disposals come after the value has been
// computed and before it leaves.
func (c *compiler) end(ch *check.Chain, out exit) {
	if ch.End == nil {
		c.settle(ch.Settle)
		c.finish(out)
		return
	}
	mark := c.next
	e := ch.End
	defer c.at(c.at(e.Node))
	value := c.endValue(e, out)
	c.settle(ch.Settle)
	switch {
	case e.Resume:
		c.resume(e, value)
	case e.Outcome != nil && e.Outcome.Effect:
		c.emit(opFire, int32(e.Outcome.Index), value, 0, 0)
		c.finish(out)
	default:
		c.produce(e, value)
	}
	c.next = mark
}

func (c *compiler) endValue(e *check.End, out exit) int32 {
	want := c.endType(e)
	switch {
	case e.Call != nil:
		c.call(e.Call, out, true)
		if r := e.Call.Result; r != nil {
			return c.fitted(int32(r.Slot), r.Type, want, e.Word)
		}
	case e.Value != nil:
		return c.value(e.Value, want, e.Word)
	}
	return nothing
}

// endType returns the declared type of what a path ends in.
func (c *compiler) endType(e *check.End) *check.Type {
	switch {
	case e.Outcome != nil:
		return e.Outcome.Payload
	case e.Resume:
		if b := c.block.resumes(); b != nil {
			return b.effect.Resume
		}
	case c.flow.Owner != nil:
		return c.flow.Owner.Return
	}
	return nil
}

// resumes returns the innermost block around b (or b itself) that answers an
// effect.
func (b *block) resumes() *block {
	for b != nil && !b.resuming {
		b = b.outer
	}
	return b
}

// resume answers the effect that the innermost resuming block handles.
func (c *compiler) resume(e *check.End, value int32) {
	target := c.block.resumes()
	if target == nil {
		c.refuse(e.Node, "this answers an effect, but no effect is handled here")
		return
	}
	for b := c.block; b != target; b = b.outer {
		c.leave(b, e.Node)
	}
	arm := int32(-1)
	if e.Outcome != nil {
		arm = c.name(e.Outcome.Name)
	}
	c.emit(opResume, arm, value, 0, 0)
}

// produce ends the flow, from within handlers too.
func (c *compiler) produce(e *check.End, value int32) {
	for b := c.block; b != nil; b = b.outer {
		c.leave(b, e.Node)
	}
	outcome := int32(-1)
	if e.Outcome != nil {
		outcome = int32(e.Outcome.Index)
	}
	c.emit(opReturn, outcome, value, 0, 0)
}

func (c *compiler) leave(b *block, node syntax.Node) {
	if b.detached {
		c.refuse(node, "the handler of a store runs on its own: it cannot end the flow that declares it")
		return
	}
	c.emit(opLeave, 0, 0, 0, 0)
}

// settle compiles the disposals that the checker inserts.
func (c *compiler) settle(list []check.Disposal) {
	for _, d := range list {
		mark := c.next
		s := site{verb: c.called(d.Tor), node: c.node, dst: -1}
		s.args = c.temps(len(d.Tor.Fields))
		for i, f := range d.Tor.Fields {
			reg := s.args + int32(i)
			if i == d.Field {
				c.part(reg, int32(d.Binding.Slot), d.Path)
				if mayBeRow(d.Binding) {
					c.emit(opWhole, reg, reg, 0, 0)
				}
			} else {
				c.emit(opMove, reg, c.absent(f), 0, 0)
			}
		}
		at := c.emit(opCall, int32(len(c.code.sites)), 0, 0, 0)
		s.next = at + 1
		if d.Tor.Branches() {
			s.arms = make([]int32, len(d.Tor.Outcomes))
			for i := range s.arms {
				s.arms[i] = s.next
			}
		}
		c.code.sites = append(c.code.sites, s)
		c.next = mark
	}
}

// called returns the verb behind a tor that the flow calls.
func (c *compiler) called(tor *check.Tor) *verb {
	v := c.prog.verb(tor)
	c.prog.calls = append(c.prog.calls, calling{v, c.file, c.node})
	return v
}

// part moves the part of a value that a path of fields leads to.
func (c *compiler) part(dst, from int32, path []string) {
	if len(path) == 0 {
		c.emit(opMove, dst, from, 0, 0)
		return
	}
	c.code.paths = append(c.code.paths, path)
	c.emit(opPart, dst, from, int32(len(c.code.paths))-1, 0)
}

// absent returns the operand for a field that a call leaves out.
func (c *compiler) absent(f *check.Field) int32 {
	if !f.Default.IsValid() {
		return c.constOperand(Value{})
	}
	v, err := c.prog.literal(f.Default, f.Type)
	if err != nil {
		c.refuse(f.Default, "the default of '"+f.Name+"' cannot be evaluated: "+err.Error())
	}
	return c.constOperand(v)
}

// call compiles one call and its arms. It reports whether the chain goes on
// behind it: not if every outcome has an arm.
func (c *compiler) call(call *check.Call, out exit, rest bool) bool {
	defer c.at(c.at(call.Node))
	switch call.Form {
	case check.If:
		return c.ifCall(call, out, rest)
	case check.For:
		return c.forCall(call, out, rest)
	case check.While:
		return c.whileCall(call, out, rest)
	case check.Cond:
		return c.condCall(call, out, rest)
	case check.Capture:
		return c.captureCall(call, out, rest)
	case check.Captured:
		return c.captured(call)
	case check.Const, check.Register, check.Test:
		return true
	case check.StoreNew:
		return c.storeNew(call)
	case check.StoreInsert:
		return c.storeInsert(call, out, rest)
	case check.StoreStored:
		return c.storeStored(call)
	case check.StoreTake:
		return c.storeTake(call, out, rest)
	case check.StoreQuery:
		return c.storeQuery(call, out)
	case check.StoreClear, check.StoreStripe:
		return c.storeWhole(call)
	case check.StoreRule, check.StoreWatch:
		return c.storeHook(call)
	}
	switch {
	case call.Tor == nil:
		c.refuse(call.Node, "this call was not understood")
		return true
	case call.Tor.Has("norun"):
		return true
	}
	return c.verbCall(call, out, rest)
}

// verbCall compiles the call of a body or of a flow: arguments, the call, the
// handlers of its effects, the arms of its outcomes.
func (c *compiler) verbCall(call *check.Call, out exit, rest bool) bool {
	mark := c.next
	got := c.temps(1)
	at := int32(len(c.code.sites))
	c.code.sites = append(c.code.sites, site{})
	s := site{verb: c.called(call.Tor), node: call.Node, dst: -1, block: c.blockText(call)}
	s.args = c.temps(len(call.Tor.Fields))
	c.args(call, s.args, s.block)
	if call.Label != "" {
		a := &anchor{args: s.args, label: newLabel(), block: c.block}
		c.place(a.label)
		c.anchors[call] = a
	}
	c.emit(opCall, at, 0, 0, 0)
	if hasEffects(call) {
		s.fired = c.temps(1)
		s.effects = c.effects(call, s.fired)
	}
	c.next = got + 1
	if call.Tor.Branches() {
		next := newLabel()
		s.dst = got
		s.arms = c.arms(call, got, out, rest, next)
		c.code.sites[at] = s
		c.place(next)
		c.next = mark
		return len(next.uses) > 0
	}
	s.next = c.pc()
	if call.Result != nil {
		s.dst = int32(call.Result.Slot)
		c.fields(s.dst, call.Fields)
	}
	c.code.sites[at] = s
	c.next = mark
	return true
}

// args compiles the arguments of a call into registers, one a field.
func (c *compiler) args(call *check.Call, first int32, block string) {
	for i, f := range call.Tor.Fields {
		reg := first + int32(i)
		var arg check.Arg
		if i < len(call.Args) {
			arg = call.Args[i]
		}
		last := c.at(arg.Node)
		switch {
		case arg.Threaded != nil:
			c.move(reg, c.fitted(int32(arg.Threaded.Slot), arg.Threaded.Type, f.Takes(), f.Name))
		case arg.Value != nil:
			c.valueTo(reg, arg.Value, f.Takes(), f.Name)
		case f.Type != nil && f.Type.Kind == check.SourceType && call.Template != nil:
			c.valueTo(reg, call.Template, f.Type, f.Name)
		case f.Type != nil && f.Type.Kind == check.SourceType && call.Block.IsValid():
			c.emit(opMove, reg, c.constOperand(StringValue(block)), 0, 0)
		default:
			c.emit(opMove, reg, c.absent(f), 0, 0)
		}
		c.at(last)
	}
}

func (c *compiler) move(dst, from int32) {
	if dst != from {
		c.emit(opMove, dst, from, 0, 0)
	}
}

func hasEffects(call *check.Call) bool {
	for _, a := range call.Arms {
		if a.Effect {
			return true
		}
	}
	return false
}

// effects compiles the handlers of a call's effects as blocks and returns where
// each begins.
func (c *compiler) effects(call *check.Call, fired int32) []int32 {
	entries := make([]int32, len(call.Tor.Outcomes))
	for i, o := range call.Tor.Outcomes {
		entries[i] = -1
		if o.Effect {
			entries[i] = c.effectBlock(call, o, fired, false)
		}
	}
	return entries
}

// effectBlock compiles the handlers of one effect as a block and returns its
// first instruction, or -1 if there are none.
func (c *compiler) effectBlock(call *check.Call, o *check.Outcome, fired int32, detached bool) int32 {
	if len(handlersOf(call, o)) == 0 {
		return -1
	}
	entry := c.pc()
	mark := c.next
	c.block = &block{outer: c.block, effect: o, detached: detached, resuming: o.Resume != nil || len(o.ResumeArms) > 0}
	c.handlers(call, o, fired)
	c.emit(opEnd, 0, 0, 0, 0)
	c.block = c.block.outer
	c.next = mark
	return entry
}

// handlers compiles the handlers of one effect one behind the other. Each is
// judged on its own; one that answers ends the block (R82).
func (c *compiler) handlers(call *check.Call, o *check.Outcome, fired int32) {
	for _, arm := range handlersOf(call, o) {
		next := newLabel()
		c.bind(call, arm, o, fired)
		c.guard(arm, next)
		c.body(arm, exit{next})
		c.place(next)
	}
}

// handlersOf returns the arms that apply to an outcome, in source order; a
// catch-all comes last and only for what is optional.
func handlersOf(call *check.Call, o *check.Outcome) []*check.Arm {
	var arms []*check.Arm
	always := false
	for _, a := range call.Arms {
		if a.Effect == o.Effect && !a.CatchAll && a.Outcome == o {
			arms = append(arms, a)
			always = always || a.Guard == nil
		}
	}
	if always || !o.Optional {
		return arms
	}
	for _, a := range call.Arms {
		if a.Effect == o.Effect && a.CatchAll {
			arms = append(arms, a)
		}
	}
	return arms
}

// arms compiles the arms of a call's outcomes and returns where each begins.
// Outcomes that go on in the chain jump to next.
func (c *compiler) arms(call *check.Call, got int32, out exit, rest bool, next *label) []int32 {
	entries := make([]int32, len(call.Tor.Outcomes))
	for i, o := range call.Tor.Outcomes {
		entries[i] = -1
		if !o.Effect {
			entries[i] = c.pc()
			c.outcome(call, o, got, out, rest, next)
		}
	}
	return entries
}

// outcome compiles what happens when one outcome has fired: the first arm that
// applies runs (R82). If none does, the survivor goes on, an optional outcome
// ends the path, and a panic fails.
func (c *compiler) outcome(call *check.Call, o *check.Outcome, got int32, out exit, rest bool, next *label) {
	for _, arm := range handlersOf(call, o) {
		other := newLabel()
		c.bind(call, arm, o, got)
		c.guard(arm, other)
		c.body(arm, out)
		if arm.Guard == nil {
			return
		}
		c.place(other)
	}
	switch {
	case call.Survivor == o:
		if call.Result != nil {
			c.move(int32(call.Result.Slot), got)
			c.fields(int32(call.Result.Slot), call.Fields)
		}
		c.jump(opJump, next, 0, 0, 0)
	case o.Panic:
		c.fail(opPanic, call, o, got)
	case !o.Optional:
		c.fail(opUnarmed, call, o, got)
	case rest && call.Survivor == nil:
		c.jump(opJump, next, 0, 0, 0)
	default:
		c.settle(call.Unarmed)
		c.finish(out)
	}
}

func (c *compiler) fail(op op, call *check.Call, o *check.Outcome, got int32) {
	payload := got
	if o.Payload == nil {
		payload = nothing
	}
	c.emit(op, int32(o.Index), payload, c.name(call.Tor.Name), c.name(o.Name))
}

// bind moves the payload of an outcome or an effect to the bindings of an arm.
func (c *compiler) bind(call *check.Call, arm *check.Arm, o *check.Outcome, from int32) {
	defer c.at(c.at(arm.Node))
	switch {
	case arm.Payload == nil:
	case arm.CatchAll:
		c.reflect(call, arm, o, from)
	default:
		c.move(int32(arm.Payload.Slot), from)
	}
	c.fields(from, arm.Fields)
}

// reflect binds what a catch-all with a metatype sees: which verb fired which
// outcome with what (language.md 8.4).
func (c *compiler) reflect(call *check.Call, arm *check.Arm, o *check.Outcome, from int32) {
	mark := c.next
	first := c.temps(len(reflection.Names))
	c.move(first, c.constOperand(StringValue(call.Tor.Path())))
	c.move(first+1, c.constOperand(StringValue(o.Name)))
	value := from
	if o.Payload == nil {
		value = c.constOperand(Value{})
	}
	c.move(first+2, value)
	c.emit(opRecord, int32(arm.Payload.Slot), first, c.shapeIndex(reflection), 0)
	c.next = mark
}

var reflection = NewShape("verb", "branch", "value")

// fields compiles a destructure. A field of a row may be the row itself, or its
// place in the store.
func (c *compiler) fields(from int32, fields []*check.Binding) {
	for _, f := range fields {
		if len(f.Path) == 1 && f.Path[0] == check.RowPlace {
			c.emit(opPlace, int32(f.Slot), from, 0, 0)
		} else {
			c.part(int32(f.Slot), from, f.Path)
		}
	}
}

func (c *compiler) guard(arm *check.Arm, other *label) {
	if arm.Guard == nil {
		return
	}
	mark := c.next
	v := c.expr(arm.Guard)
	c.jump(opUnless, other, v, 0, 0)
	c.next = mark
}

func (c *compiler) body(arm *check.Arm, out exit) {
	if arm.Body == nil {
		c.finish(out)
		return
	}
	c.chain(arm.Body, out)
}

// jumpStep compiles @label(args): the arguments first, then the disposals, then
// the way out of the handlers between here and the label.
func (c *compiler) jumpStep(j *check.Jump) {
	a := c.anchors[j.Target]
	if a == nil {
		c.refuse(j.Node, "nothing here is labelled '"+j.Label+"'")
		return
	}
	mark := c.next
	fields := j.Target.Tor.Fields
	first := c.temps(len(fields))
	jumped := *j.Target
	jumped.Args, jumped.Block, jumped.Template = j.Args, syntax.Node{}, nil
	c.args(&jumped, first, "")
	c.settle(j.Settle)
	for b := c.block; b != nil && b != a.block; b = b.outer {
		c.leave(b, j.Node)
	}
	for i := range fields {
		c.emit(opMove, a.args+int32(i), first+int32(i), 0, 0)
	}
	c.jump(opLoop, a.label, 0, 0, 0)
	c.next = mark
}
