package check

import "github.com/koru-go/koru/syntax"

// Flow is a body with every name resolved: a top-level flow, the implementation
// of a tor, a definition of a session, or a flow of a test. It is what
// possession is judged on, what the machine compiles, and what an editor asks
// about a place. Every value of the flow lives in a Binding.
type Flow struct {
	Owner    *Tor    // the tor that the flow implements; nil for a flow of its own
	Module   *Module // where names resolve
	File     *File
	Node     syntax.Node
	Params   []*Binding // the owner's fields, in declared order: slots 0..n-1
	Body     *Chain
	Bindings []*Binding // every binding of the flow, params first, by slot

	stray []*Arm // arms that no step of their chain declares
}

// BindingKind says how a name came to be.
type BindingKind uint8

// The ways to bind a name.
const (
	ParamBinding   BindingKind = iota // a field of the tor
	ResultBinding                     // call(): name, or the unnamed value that threads on
	PayloadBinding                    // | arm name
	FieldBinding                      // one field of a destructure
	LoopBinding                       // an item of a template loop
)

// Binding is one value that a path of a flow holds. A binding without a name is
// hidden: a payload discarded with _, or a result that only threads on.
type Binding struct {
	Name  string
	Kind  BindingKind
	Slot  int // index in Flow.Bindings
	Type  *Type
	Node  syntax.Node   // where it is bound
	From  *Call         // the call that delivered the value, nil for params
	Arm   *Arm          // the arm that binds it, for payloads and their fields
	Uses  []syntax.Node // the names that read it, in the order they are met
	Mut   bool          // [mutable]
	Whole *Binding      // for a FieldBinding: the value it is a part of
	Path  []string      // for a FieldBinding: the fields that lead from Whole to it

	// mentions are places that may read it though no name there says so: opaque
	// text that spells its name, or a fault in which it was meant.
	mentions []syntax.Node
}

// RowPlace is the one step of the path of a FieldBinding that takes the place of
// a row in its store instead of a column: `! query { [id]h }`.
const RowPlace = "[id]"

// Chain is steps joined by |>, then what ends the path. The arms under a chain
// hang on the calls they apply to.
type Chain struct {
	Node  syntax.Node
	Steps []*Step
	End   *End // => or ->, or nil
	// Settle lists the disposals that the checker inserts where this path ends:
	// after the value of End is computed, before it leaves; newest first.
	Settle []Disposal
}

// Disposal is one inserted call of a disposer (language.md 13).
type Disposal struct {
	Tor     *Tor
	Field   int      // the field of Tor that takes the resource
	Binding *Binding // the resource, or the record that holds it
	Path    []string // fields from the binding to the resource
}

// StepKind says what a step does.
type StepKind uint8

// The kinds of step.
const (
	CallStep StepKind = iota
	JumpStep
	DiscardStep // _
	BrokenStep  // text that was not understood
)

// Step is one link of a chain.
type Step struct {
	Kind StepKind
	Node syntax.Node
	Call *Call // CallStep
	Jump *Jump // JumpStep
}

// Jump re-enters a label with new arguments.
type Jump struct {
	Node   syntax.Node
	Label  string
	Target *Call // the labelled call
	Args   []Arg // one a field of the target's tor
	Settle []Disposal
}

// Form says how a call is carried out: most call a body, some are part of the
// language (language.md 9.4, 9.6).
type Form uint8

// The forms of call.
const (
	Plain Form = iota
	If
	For
	While
	Cond
	Capture
	Captured
	Const
	Register
	StoreNew
	StoreInsert
	StoreStored
	StoreTake
	StoreQuery
	StoreClear
	StoreStripe
	StoreRule
	StoreWatch
	Test
	Opaque // an unknown transform: its block and coverage are not judged (R1)
)

// Call is one resolved invocation.
type Call struct {
	Node    syntax.Node
	Form    Form
	Tor     *Tor // nil if the name is unknown
	Variant string
	Args    []Arg // one a field of Tor, in declared order
	Label   string

	Block    syntax.Node // the source block, raw
	Template *Expr       // the text of a template block (print.blk, fmt.blk)
	Assigns  []Assign    // the entries of an assignment block
	Store    *Store      // the store that a std/store call names
	Index    *Expr       // take(name[index])

	// Result holds what a single-output verb delivers, named or hidden; nil for
	// a void verb and for one with outcomes (unless it threads, see Survivor).
	Result *Binding
	Fields []*Binding // fields of a destructuring binding

	// Arms are the handlers that apply to this call, in source order: its own
	// and the chokes of the chain it stands in (language.md 8.3).
	Arms []*Arm
	// Survivor is the outcome that goes on to the next step of the chain, when
	// the dedented arms claim all others; its payload is in Result. In front of
	// a further step without a Survivor, an optional outcome that nobody handles
	// goes on and brings nothing along.
	Survivor *Outcome
	// Unarmed lists disposals for a path that ends here because an optional
	// outcome fired that nobody handles.
	Unarmed []Disposal
}

// Single reports whether the call is known to deliver one value, without a word.
func (c *Call) Single() bool {
	return c.Tor != nil && c.Form != Opaque && c.Tor.Return != nil && !c.Tor.Branches()
}

// Arg is the value of one field of a call.
type Arg struct {
	Field    *Field
	Value    *Expr    // nil if omitted or threaded
	Threaded *Binding // the value of the step before, filled in (language.md 8.3)
	Punned   bool
	Node     syntax.Node // the argument as written
}

// Assign is one entry of an assignment block: path: value.
type Assign struct {
	Node   syntax.Node
	Store  *Store   // the store written to, for std/store:stored
	Row    *Expr    // the row index of a store cell, or nil
	Base   *Binding // the bound row written through, for e.qty: 10
	Path   []string // the column, or the name of a captured cell
	Value  *Expr
	Punned bool
}

// Arm is one handler.
type Arm struct {
	Node     syntax.Node // the Call, for an arm that the checker adds (Forward)
	Outcome  *Outcome    // nil for a catch-all and for an undeclared word
	Word     string      // the word as written
	Effect   bool
	CatchAll bool
	Meta     string   // Transition, Profile or Audit of a catch-all
	Payload  *Binding // named or hidden; nil if there is no payload
	Fields   []*Binding
	Guard    *Expr
	// Body is nil for a bodiless arm. An arm that applies to several calls of a
	// chain (language.md 8.3) stands at each of them with the outcome of that
	// call; payload and body are shared.
	Body *Chain
	// Forward marks an arm that nobody wrote: the outcome leaves the owner under
	// its own name.
	Forward bool
}

// End is what a path ends in: an outcome of the owner, or its value.
type End struct {
	Node    syntax.Node
	Outcome *Outcome // => arm; nil for ->
	Word    string
	Resume  bool  // it answers an effect instead of ending the tor
	Value   *Expr // nil if there is no payload
	Call    *Call // -> call(args)
}
