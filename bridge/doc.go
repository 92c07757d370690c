// Package bridge runs the replies of a model against one scope and keeps what
// the session comes to own.
//
// A [Bridge] is one session. A reply is read item by item, each step is judged
// by the rules of package check, run, and reported; the turn ends in one tier.
// What a verb hands out under an obligation becomes a record of the session's
// pool (pool.go): it is named by a token nobody can spell (token.go), may be
// used only through a live record, and is let go through the verb that
// discharges it, dependents first. Beside a world (world.go) every mint and
// discharge is a line of a ledger (ledger.go), and every definition a file, so
// that a successor process inherits the vocabulary and can read, but never
// take over, what a dead session held. Only report.go words what a model reads
// about its steps.
package bridge
