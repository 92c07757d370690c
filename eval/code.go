package eval

import (
	"math"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// Code is a flow compiled to steps. Like the flow it is a tree of paths laid
// out flat: a call is followed by the code of its arms, a path that ends
// returns, and no two paths meet again. Values live in the registers of a
// frame: one for every binding of the flow, in the order of its slots, then
// those the compiler needs in between.
//
// Code does not change once compiled. Every run of a program, and every
// session on it, shares it.
type Code struct {
	flow   *check.Flow // nil for an expression that stands alone
	instrs []instr
	nodes  []syntax.Node // the place in the source, by instruction
	consts []Value
	names  []string
	paths  [][]string
	types  []*check.Type
	shapes []*Shape
	sites  []site
	writes []write
	hooks  []*hook
	size   int // registers of a frame
}

// Flow returns the flow that was compiled.
func (c *Code) Flow() *check.Flow { return c.flow }

// instr is one instruction. What a, b, c and d mean is said beside each op; a
// jump has its target in a.
//
// An operand is a register if it is not negative, else a constant: operand -1
// is consts[0].
type instr struct {
	op         op
	a, b, c, d int32
}

// nothing is the operand of an outcome without a payload.
const nothing = math.MinInt32

type op uint8

const (
	// Values. A register is written rA.
	opMove    op = iota // rA = B
	opField             // rA = field names[C] of B
	opPart              // rA = part paths[C] of B
	opPlace             // rA = the place of row B in its store
	opWhole             // rA = B; a row of a store becomes the record of its cells
	opIndex             // rA = B[C]
	opSlice             // rA = B[C..D], to the end if D is null
	opLength            // rA = B.len
	opCell              // rA = cell D of row C (or nothing) of store B
	opRow               // rA = row C (or nothing) of store B
	opCount             // rA = number of rows of store B
	opNot               // rA = not B
	opNegate            // rA = -B
	opArith             // rA = B op C; D is the operator: + - * / %
	opConcat            // rA = B ++ C
	opEqual             // rA = B == C; D is 1 for !=
	opOrder             // rA = B < C; D is one of the orderings
	opRecord            // rA = record of shapes[C] from registers B...
	opList              // rA = list of C registers B...
	opBuiltin           // rA = builtins[C] of D registers B...
	opFit               // rA = B as types[C]; D names the place in messages
	opText              // begin a text; rA remembers where it starts
	opLit               // append constant A to the text
	opSplice            // append A to the text, in format names[B]
	opEndText           // rA = the text that began at rA

	// Paths.
	opJump    // go to A
	opLoop    // go back to A: a step
	opUnless  // go to A if B is not true
	opWhen    // go to A if B is true
	opIfNull  // go to A if B is null
	opCall    // call sites[A]
	opReturn  // end the flow in outcome A (-1: none) with payload B (or nothing)
	opFire    // fire the effect A of the flow's verb with payload B
	opEnd     // end a handler
	opResume  // end a handler; answer arm A (-1: none) with B (or nothing)
	opLeave   // leave a handler for good: go on behind it, in the frame that set it up
	opPanic   // fail: outcome A of sites[C] with payload B fired and nobody handles it
	opUnarmed // fail: no guard of outcome A of sites[C] applies
	opEach    // rB... = iteration over C
	opRange   // rB... = iteration over C..D
	opNext    // rC = next item of the iteration rB, or go to A
	opRows    // rB... = iteration over the rows of store C
	opNextRow // rC = next row of the iteration rB, or go to A
	opInsert  // insert registers B... into the store C; go to A if it is full; rD = row, or what did not fit
	opWrite   // write the cells of writes[A], values in registers B...
	opTake    // rD = row C of store B, or go to A if it is empty
	opClear   // remove all rows of store A
	opStripe  // run the rules of store A over all rows
	opRule    // hooks[A] is a rule: for every row, now and later
	opWatch   // hooks[A] are watches: from now on
)

// The orderings of opOrder.
const (
	less int32 = iota
	lessOrEqual
	greater
	greaterOrEqual
)

// site is one call of a flow: what it calls, where its arguments are and where
// each way it can end goes on.
type site struct {
	verb *verb
	node syntax.Node
	args int32 // register of the first argument
	dst  int32 // register that takes the payload, or -1
	// next is where a call goes on that ends without an outcome.
	next int32
	// arms holds, by the place of an outcome among the verb's arms, where the
	// call goes on. It is nil if the verb has no outcomes.
	arms []int32
	// effects holds the first instruction of the handlers of an effect, or -1.
	// It is nil if no effect is handled.
	effects []int32
	// fired is the register that takes the payload of an effect.
	fired int32
	block string
}

// handles reports whether handlers for an effect stand at the call.
func (s *site) handles(effect int) bool {
	return s != nil && effect < len(s.effects) && s.effects[effect] >= 0
}

// write is one std/store:stored for one row: values in registers from first,
// one a column.
type write struct {
	store   int32
	row     int32 // operand: the index of the row or the row itself; nothing for a singleton
	columns []int
	first   int32
}

// hook is a call that leaves handlers behind which run when a store changes:
// new, rule or watch.
type hook struct {
	store int32
	verb  *verb
	// entries holds the first instruction of the handlers, or -1: for rule one,
	// for watch one a column, for new one an arm of the verb.
	entries []int32
	fired   int32
}
