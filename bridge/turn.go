package bridge

import (
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Tier is what a turn ends in: the arm of std/bridge:run that fires (bridge.md
// 6.2).
type Tier uint8

// The tiers.
const (
	TierResult Tier = iota
	TierDefined
	TierUnhandled
	TierPartial
	TierResidue
	TierError
)

var tierNames = [...]string{"result", "defined", "unhandled-branch", "partial", "residue", "error"}

// String spells the tier as JSON and reports do.
func (t Tier) String() string { return tierNames[t] }

// Verdict is what became of one step; the refusals among them are also the
// kinds of error, which know two more that stop a whole reply.
type Verdict uint8

// The verdicts.
const (
	VerdictResult    Verdict = iota // the verb answered and the reply went on
	VerdictListing                  // vocabulary() or grammar()
	VerdictDefined                  // a definition was installed
	VerdictUnhandled                // an outcome fired that the reply does not arm
	VerdictAbandoned                // abandon(reason: ...)

	VerdictParse      // not wire
	VerdictDenied     // the scope does not grant the verb
	VerdictValidation // fields, types, definitions
	VerdictShape      // an arm word that is no outcome of the verb
	VerdictDispatch   // bindings, splices, handles, and bodies that failed
	VerdictExhausted  // the budget does not cover the verb

	VerdictRefused // after the stop: leans on what was never bound
	VerdictNotRun  // after the stop, or on an arm not taken

	VerdictNoScope   // of a reply: its scope is not registered
	VerdictCancelled // of a reply: its caller stopped it
)

var verdictNames = [...]string{
	"result", "listing", "defined", "unhandled-branch", "abandoned",
	"parse-error", "event-denied", "validation-error", "shape-error", "dispatch-error", "exhausted",
	"refused", "not-run",
	"scope-not-found", "cancelled",
}

// String spells the verdict as JSON and reports do.
func (v Verdict) String() string { return verdictNames[v] }

// Success reports whether the step did what it says (bridge.md 6.3).
func (v Verdict) Success() bool { return v <= VerdictDefined }

// Refusal reports whether the step was refused by one of the six classes.
func (v Verdict) Refusal() bool { return VerdictParse <= v && v <= VerdictExhausted }

// Reached reports whether the step counts as run: a verdict was reached on it,
// whichever it was (bridge.md 5.10, R31).
func (v Verdict) Reached() bool { return v <= VerdictExhausted }

// Step is one step of a reply and what became of it.
type Step struct {
	N, Of   int    // this is step N of Of
	Verb    string // "" if the text is no call
	Verdict Verdict

	// Outcome is what fired: for result, listing and unhandled-branch.
	Outcome eval.Outcome
	Bound   string // the rN that the outcome is bound to, "" if it binds nothing
	Cost    uint64 // what the step spent

	// Refusal says why a step was refused by one of the six classes.
	Refusal *RunError
	// Message is what a step says beyond its verdict: the reason of an abandon,
	// what a step after the stop leans on, the cost of what was defined.
	Message string

	// Held is what the session held when an outcome fired unarmed, and Lesson
	// the name that the report's advice binds the payload to.
	Held   []Held
	Lesson string
}

// RunError is why a step or a whole reply was refused: a kind, the message, and
// what else that kind carries (bridge.md 6.4). Nothing is lost by folding the
// kinds into one.
type RunError struct {
	Kind    Verdict
	Message string // what is wrong, and what would be legal
	Code    string // KORU040; "" where none applies (R7)
	// Delivered says what of the reply was carried out before, where the report
	// says so behind the message: nothing, 1 of 3 steps (find).
	Delivered string

	Line, Column  int    // parse-error: from 1, in the reply as given
	Branch, Field string // shape-error: the invented word; the field or ""
	Verb          string // event-denied, dispatch-error: the verb
	// Cause names a failure of possession in one word: HandleNotHeld,
	// HandleInUse, NoDischarger. It is what error-decode hands out.
	Cause     string
	Used      uint64 // exhausted: spent so far
	LastEvent string // exhausted: the last verb that was charged
	Handles   int    // exhausted: handles held
	Scope     string // scope-not-found

	complete bool // the message is the whole text: it goes on with nothing
}

// Error returns the kind and the text.
func (e *RunError) Error() string { return e.Kind.String() + ": " + e.Text() }

// Text returns the text of the report line: the message and, where it goes on so
// (R7), what was delivered.
func (e *RunError) Text() string {
	if e.Delivered == "" {
		return e.Message
	}
	stop := " — "
	if strings.HasSuffix(e.Message, "?") {
		stop = " "
	}
	return e.Message + stop + "Delivered: " + e.Delivered + "."
}

// Bare returns the message without the teaching that a report line goes on
// with: what error-decode hands out (bridge.md 6.4, R33).
func (e *RunError) Bare() string {
	switch {
	case e.Kind == VerdictDenied:
		return e.Verb
	case e.Kind == VerdictNoScope:
		return e.Scope
	case e.Cause != "":
		return e.Cause
	}
	return e.Message
}

// Turn is what one reply came to.
type Turn struct {
	Tier Tier

	// Value is the last outcome of a result or of the good part of a residue;
	// Valued is false if the reply called nothing.
	Value  eval.Outcome
	Valued bool
	// Name lists what was defined, joined by ", ".
	Name string
	// Unhandled is the step of an unhandled-branch.
	Unhandled *Step
	// Kind and Message say what stopped a partial turn: the kind of the
	// refusal, abandoned or cancelled.
	Kind    Verdict
	Message string
	// Text is what was left unread in a residue.
	Text string
	// Err is the error of tier error, or the refusal behind a partial or a
	// residue.
	Err *RunError

	Bound   []string // every rN of this reply, in order
	Steps   []Step
	Held    []Held   // what the session owes, oldest first; turns share the list, so it is not to be written to
	Said    []string // what say: lines told the user, where the scope grants no say
	Notes   []string
	Ran, Of int    // verdicts reached, steps in the reply
	Used    uint64 // what the session has spent in all (R89)
	// Cost is what the reply could cost, as it was known before any of it ran
	// (R9).
	Cost check.Cost
	// Budgeted says that a budget bounds the session or its replies.
	Budgeted bool
}

// smallTurn is a turn with room for the steps of a small reply, which most are:
// it takes one allocation.
type smallTurn struct {
	Turn
	steps [2]Step
	bound [2]string
}

func newTurn() *Turn {
	t := new(smallTurn)
	t.Steps, t.Bound = t.steps[:0], t.bound[:0]
	return &t.Turn
}

// ending is what a reply's steps do not say of how it ended.
type ending struct {
	// unread is the text from the first item on that is not wire (R45).
	unread string
	// cancelled says why the caller stopped the reply between two steps (R79),
	// "" if it did not.
	cancelled string
}

// conclude chooses the tier (bridge.md 6.3). Steps, Of and what the session
// holds are set.
func (t *Turn) conclude(end ending) {
	succeeded, defined := 0, 0
	var stop *Step
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Verdict.Reached() {
			t.Ran++
		}
		if s.Bound != "" {
			t.Bound = append(t.Bound, s.Bound)
		}
		switch {
		case s.Verdict == VerdictDefined:
			defined++
			t.Name = joinNames(t.Name, s.Verb)
		case s.Verdict.Success():
			t.Value, t.Valued = s.Outcome, true
		case s.Verdict.Reached() && stop == nil:
			stop = s
		}
		if s.Verdict.Success() {
			succeeded++
		}
	}
	switch {
	case end.cancelled != "":
		t.Tier, t.Kind, t.Message = TierPartial, VerdictCancelled, end.cancelled
		if stop != nil {
			t.Err = stop.Refusal // the step that was running when the caller stopped it
		}
	case stop != nil:
		t.stopped(stop, succeeded > 0, end)
	case defined > 0 && defined == len(t.Steps):
		t.Tier = TierDefined
	default:
		t.Tier = TierResult
	}
}

// stopped chooses the tier of a reply that a step put an end to.
func (t *Turn) stopped(s *Step, succeeded bool, end ending) {
	t.Err = s.Refusal
	switch {
	case s.Verdict == VerdictUnhandled:
		t.Tier, t.Unhandled = TierUnhandled, s
	case s.Verdict == VerdictAbandoned:
		t.Tier, t.Kind, t.Message = TierPartial, s.Verdict, s.Message
	case !succeeded:
		t.Tier = TierError
	case s.Verdict == VerdictParse:
		t.Tier, t.Text = TierResidue, end.unread
	default:
		t.Tier, t.Kind, t.Message = TierPartial, s.Verdict, s.Refusal.Text()
	}
}

func joinNames(names, name string) string {
	if names == "" {
		return name
	}
	return names + ", " + name
}

// scopeMissing is the turn of a session whose scope nobody registered (R88).
func scopeMissing(e *RunError) *Turn { return &Turn{Tier: TierError, Err: e} }
