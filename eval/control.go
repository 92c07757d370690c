package eval

import (
	"github.com/koru-go/koru/check"
)

// The verbs that steer a flow (language.md 9.4) are jumps in the frame of the
// flow. Their arms are compiled in place: an effect arm is the body of a loop,
// an outcome arm a path like any other.

// iteration is the number of registers that hold the state of a loop.
const iteration = 3

func argOf(call *check.Call) *check.Expr {
	for i := range call.Args {
		if call.Args[i].Value != nil {
			return call.Args[i].Value
		}
	}
	return nil
}

// operandOf compiles the one argument of a control verb.
func (c *compiler) operandOf(call *check.Call) int32 {
	e := argOf(call)
	if e == nil {
		c.refuse(call.Node, "'"+call.Tor.Name+"' needs a value in its parentheses")
		return c.constOperand(Value{})
	}
	return c.expr(e)
}

func outcomeNamed(call *check.Call, name string) *check.Outcome {
	if call.Tor == nil {
		return &check.Outcome{Name: name}
	}
	if o := call.Tor.Outcome(name); o != nil {
		return o
	}
	return &check.Outcome{Name: name, Optional: true}
}

// ifCall compiles if(cond).
func (c *compiler) ifCall(call *check.Call, out exit, rest bool) bool {
	mark := c.next
	other, next := newLabel(), newLabel()
	c.jump(opUnless, other, c.operandOf(call), 0, 0)
	c.next = mark
	c.outcome(call, outcomeNamed(call, "then"), mark, out, rest, next)
	c.place(other)
	c.outcome(call, outcomeNamed(call, "else"), mark, out, rest, next)
	c.place(next)
	return len(next.uses) > 0
}

// forCall compiles for(a..b) and for(items).
func (c *compiler) forCall(call *check.Call, out exit, rest bool) bool {
	mark := c.next
	over := argOf(call)
	if over == nil {
		c.refuse(call.Node, "'for' needs a range or a list in its parentheses")
		return true
	}
	item := c.temps(1)
	c.each(over, item, func() { c.handlers(call, outcomeNamed(call, "each"), item) })
	c.next = mark
	return c.done(call, out, rest)
}

// whileCall compiles while(cond): the condition is read anew each round (R69).
func (c *compiler) whileCall(call *check.Call, out exit, rest bool) bool {
	again, done := newLabel(), newLabel()
	mark := c.next
	c.place(again)
	c.jump(opUnless, done, c.operandOf(call), 0, 0)
	c.next = mark
	c.handlers(call, outcomeNamed(call, "each"), mark)
	c.jump(opLoop, again, 0, 0, 0)
	c.place(done)
	return c.done(call, out, rest)
}

// done compiles the outcome of a loop that has ended.
func (c *compiler) done(call *check.Call, out exit, rest bool) bool {
	next := newLabel()
	c.outcome(call, outcomeNamed(call, "done"), c.next, out, rest, next)
	c.place(next)
	return len(next.uses) > 0
}

// condCall compiles cond(value): the first arm whose guard holds.
func (c *compiler) condCall(call *check.Call, out exit, rest bool) bool {
	mark := c.next
	got := c.temps(1)
	c.move(got, c.operandOf(call))
	c.next = got + 1
	next := newLabel()
	c.outcome(call, outcomeNamed(call, "c"), got, out, rest, next)
	c.place(next)
	c.next = mark
	return len(next.uses) > 0
}

// capture is a capture whose body is being compiled. Its cells are registers of
// the frame, so handlers of effects inside the body write the same cells.
type capture struct {
	call  *check.Call
	shape *Shape
	first int32
}

// captureCall compiles capture { cell: first }: the body runs once, then
// captured follows with the last values (R91).
func (c *compiler) captureCall(call *check.Call, out exit, rest bool) bool {
	mark := c.next
	open := &capture{call: call, shape: NewShape(assigned(call)...)}
	open.first = c.temps(len(call.Assigns))
	for i := range call.Assigns {
		c.exprTo(open.first+int32(i), call.Assigns[i].Value)
	}
	c.captures = append(c.captures, open)
	c.handlers(call, outcomeNamed(call, "as"), mark)
	c.captures = c.captures[:len(c.captures)-1]
	got := c.temps(1)
	c.emit(opRecord, got, open.first, c.shapeIndex(open.shape), 0)
	next := newLabel()
	c.outcome(call, outcomeNamed(call, "captured"), got, out, rest, next)
	c.place(next)
	c.next = mark
	return len(next.uses) > 0
}

func assigned(call *check.Call) []string {
	names := make([]string, len(call.Assigns))
	for i := range call.Assigns {
		names[i] = nameOf(&call.Assigns[i])
	}
	return names
}

// captured compiles captured { cell: value }. All values are read before the
// first cell is written.
func (c *compiler) captured(call *check.Call) bool {
	mark := c.next
	first := c.temps(len(call.Assigns))
	for i := range call.Assigns {
		c.exprTo(first+int32(i), call.Assigns[i].Value)
	}
	for i, name := range assigned(call) {
		if cell, ok := c.cellNamed(name); ok {
			c.move(cell, first+int32(i))
		} else {
			c.refuse(call.Assigns[i].Node, "no capture around this place has a value '"+name+"'")
		}
	}
	c.next = mark
	return true
}

// captureOf returns the open capture whose cells a binding stands for.
func (c *compiler) captureOf(b *check.Binding) *capture {
	if b.From == nil || b.From.Form != check.Capture || b.Arm == nil || !b.Arm.Effect {
		return nil
	}
	for _, open := range c.captures {
		if open.call == b.From {
			return open
		}
	}
	return nil
}

// cell returns the register of the cell that an expression names: through the
// binding of its capture, as c.acc, or by its bare name.
func (c *compiler) cell(e *check.Expr) (int32, bool) {
	b := e.Ref
	if e.X != nil {
		b = e.X.Ref
	}
	if b != nil {
		open := c.captureOf(b)
		if open == nil || len(e.Names) == 0 {
			return 0, false
		}
		i := open.shape.Index(e.Names[0])
		return open.first + int32(i), i >= 0
	}
	if e.Kind != check.CaptureExpr || len(e.Names) == 0 {
		return 0, false
	}
	return c.cellNamed(e.Names[0])
}

func (c *compiler) cellNamed(name string) (int32, bool) {
	for i := len(c.captures) - 1; i >= 0; i-- {
		if at := c.captures[i].shape.Index(name); at >= 0 {
			return c.captures[i].first + int32(at), true
		}
	}
	return 0, false
}
