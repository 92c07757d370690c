// Package eval runs checked programs.
//
// A value ([Value]) is three words; its JSON, its text and its fit to a declared
// type are functions over it. [NewProgram] links a checked program: it finds a
// body for every verb, which is a flow, a Go function ([Func]) or a proc of a
// [Target], and compiles every flow to steps ([Code]). A [Process] is one run of
// it: stores ([Store]), a host ([Host]) and a machine.
//
//	value.go fit.go json.go text.go number.go   values
//	program.go constant.go                      linking
//	compile.go control.go store_ops.go expr.go  flows to steps
//	machine.go step.go rare.go operate.go       steps to outcomes
//	contract.go effect.go host.go               bodies, held to their verb
//	store.go store_run.go owed.go               stores, and debts of flows that fail
//	process.go testrun.go trace.go fault.go     what the host sees
//
// The machine keeps its own stack, so no program is too deep for Go's; it
// counts steps, so none runs for ever; and whatever goes wrong is a [Fault] with
// its place, never a panic.
package eval
