// Package bridge runs the replies of a model against one scope and keeps what
// the session comes to own.
//
// A [Bridge] is one session. A reply is read item by item (run.go): each item
// is laid out (plan.go), each step judged by the rules of package check, its
// values resolved (value.go, bind.go, splice.go), paid for and carried out
// (session.go, machine.go), and reported; the turn ends in one tier.
//
// What a verb hands out under an obligation becomes a record of the session's
// pool (custody.go, pool.go): it is named by a token nobody can spell
// (token.go), may be used only through a live record, and is let go through the
// verb that discharges it, dependents first. Beside a world (world.go, mount.go)
// every mint and discharge is a line of a ledger, and every definition
// (define.go) a file, so that a successor process inherits the vocabulary and
// can read, but never take over, what a dead session held.
//
// Only report.go words what a model reads about its steps. A [Door] serves one
// session behind a line protocol; [Bodies] are the verbs by which Koru programs
// open sessions of their own and run interpreted source.
package bridge
