package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// noSpan is the place of a refusal that is about what a session holds and not
// about a piece of the reply.
var noSpan syntax.Span

// Limits of one session. Each is refused with a message that names it.
const (
	maxHandles = 1 << 16  // handles held at a time
	maxValue   = 16 << 20 // weight of one value that goes in or out, in bytes
	maxFields  = 4096     // fields of one record, as in JSON
)

// session is what calls go through, whoever makes them: a step of a reply, the
// body of a definition, a run of std/runtime. It judges what they cost and
// hold, has them carried out, and keeps account.
type session struct {
	id    string
	scope *check.Scope
	words check.Vocabulary
	pool  *pool
	purse purse
	// reply bounds what the reply at hand may spend.
	reply    purse
	bodies   bodies
	served   bool // somebody serves the verbs without a body
	log      io.Writer
	needs    map[*check.Type]*need
	givers   map[*check.Type]bool
	lastPaid string // the last verb that was charged
}

// bodies carries out calls. All that can be judged about them has been.
type bodies interface {
	// preset returns what a field holds that a call leaves out.
	preset(f *check.Field) eval.Value
	// run runs the body of a verb that the scope grants.
	run(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error)
	// define runs the body of a verb that the session has defined. Every call
	// it makes goes through perform.
	define(ctx context.Context, v *check.Verb, args []eval.Value, perform performer) (eval.Outcome, error)
	// close ends what the calls have started.
	close() error
}

// performer makes one call of a definition's body.
type performer func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error)

// purse is an amount that may be spent.
type purse struct {
	limited     bool
	limit, used uint64
}

func (p *purse) covers(cost uint64) bool {
	return !p.limited || cost <= p.limit && p.used <= p.limit-cost
}

// call is one call while it is made.
type call struct {
	verb    *check.Verb
	args    []eval.Value
	binding string    // the rN that its result will have
	claims  []claim   // the handles it was given
	minted  []*record // the handles it delivered
	began   bool      // its body has run: its cost is spent
}

// perform judges what a call costs and holds, carries it out, and takes its
// outcome into the session (bridge.md 5.6, from 6 on). The outcome it returns
// is declared, fits, and has its tokens.
func (s *session) perform(ctx context.Context, c *call) (eval.Outcome, *RunError) {
	if refusal := s.afford(c.verb); refusal != nil {
		return eval.Outcome{}, refusal
	}
	if refusal := s.custody(c); refusal != nil {
		return eval.Outcome{}, runError(c.verb.Name, refusal)
	}
	if len(c.verb.Mints) > 0 && s.pool.count() >= maxHandles {
		return eval.Outcome{}, failed(c.verb.Name, fmt.Errorf("the session holds %d handles, and no session holds more: let some go first", maxHandles))
	}
	s.pay(c)
	o, err := s.carryOut(ctx, c)
	if err == nil {
		err = s.receive(c, &o)
	}
	if err != nil {
		return o, broken(c.verb.Name, err)
	}
	s.settle(c)
	return o, nil
}

// broken words the error of a call whose body failed, or was refused a call
// inside it.
func broken(verb string, err error) *RunError {
	var inner *innerRefusal
	if errors.As(err, &inner) {
		return inner.within(verb)
	}
	return failed(verb, err)
}

func (s *session) carryOut(ctx context.Context, c *call) (eval.Outcome, error) {
	if c.verb.Definition == "" {
		return s.bodies.run(ctx, c.verb, c.args)
	}
	return s.carryOutBody(ctx, c)
}

// carryOutBody runs the body of a definition. What its calls hand out is the
// session's, and remembered with the call that they are made for.
func (s *session) carryOutBody(ctx context.Context, c *call) (eval.Outcome, error) {
	return s.bodies.define(ctx, c.verb, c.args, func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
		inner := call{verb: v, args: args, binding: c.binding}
		o, refusal := s.perform(ctx, &inner)
		c.minted = append(c.minted, inner.minted...)
		if refusal != nil {
			return o, &innerRefusal{refusal}
		}
		return o, nil
	})
}

// afford refuses a verb that a budget does not cover. A definition starts only
// if the least that it can spend is there (R65).
func (s *session) afford(v *check.Verb) *RunError {
	least := max(v.Cost, v.Least)
	message := ""
	switch {
	case !s.purse.covers(least):
		message = exhausted(s.purse.used, s.purse.limit, v.Name, least, "", s.within())
	case !s.reply.covers(least):
		message = exhausted(s.reply.used, s.reply.limit, v.Name, least, ": this is what one reply may spend", s.within())
	default:
		return nil
	}
	return &RunError{
		Kind: VerdictExhausted, Message: message, Verb: v.Name,
		Used: s.purse.used, LastEvent: s.lastPaid, Handles: s.pool.count(),
	}
}

// within lists verbs that what is left of both budgets covers.
func (s *session) within() (names []string) {
	const most = 8
	for v := range verbsOf(&s.words) {
		if least := max(v.Cost, v.Least); s.purse.covers(least) && s.reply.covers(least) && len(names) < most {
			names = append(names, v.Name)
		}
	}
	return names
}

// pay charges a call whose body is about to run (R54).
func (s *session) pay(c *call) {
	s.purse.used += c.verb.Cost
	s.reply.used += c.verb.Cost
	s.lastPaid = c.verb.Name
	c.began = true
}

// receive judges an outcome against the declaration of its verb and takes what
// it brings into the pool. What a body answers beyond its declaration is the
// body's fault, and no outcome is made of it (R40, R47).
func (s *session) receive(c *call, o *eval.Outcome) error {
	declared, err := declaredPayload(c.verb, o)
	if err != nil {
		return err
	}
	if !o.Has {
		return nil
	}
	if eval.Weight(o.Payload, maxValue) > maxValue {
		return fmt.Errorf("what it delivered weighs more than %d bytes, and no value may", maxValue)
	}
	fitted, err := eval.Convert(lifted(o.Payload, declared), declared)
	if err != nil {
		return fmt.Errorf("what it delivered does not fit its declaration: %w", err)
	}
	if c.verb.Definition == "" {
		fitted, err = s.take(c, fitted, declared)
	}
	o.Payload = fitted
	return err
}

// declaredPayload returns the type that an outcome carries by its declaration.
func declaredPayload(v *check.Verb, o *eval.Outcome) (*check.Type, error) {
	declared := v.Tor.Return
	if v.Tor.Branches() {
		arm := v.Tor.Outcome(o.Branch)
		if arm == nil || arm.Effect {
			return nil, errors.New(check.InventedOutcome(v.Tor, v.Name, o.Branch))
		}
		declared = arm.Payload
	} else if o.Branch != "" {
		return nil, errors.New(check.InventedOutcome(v.Tor, v.Name, o.Branch))
	}
	switch {
	case declared == nil && o.Has:
		return nil, fmt.Errorf("it delivered %s where its declaration has nothing", eval.Describe(o.Payload))
	case declared != nil && !o.Has:
		return nil, fmt.Errorf("it delivered nothing where its declaration has %s", declared)
	}
	return declared, nil
}

// lifted makes a capability of the text by which whoever serves a verb names a
// host object of his own.
func lifted(v eval.Value, t *check.Type) eval.Value {
	switch {
	case t.IsCapability() && v.Kind() == eval.String:
		return eval.HandleValue(v.Str(), nil)
	case t.Kind == check.RecordType && v.Kind() == eval.Record:
		var parts []eval.Value
		for i, name := range v.Shape().Names {
			for _, f := range t.Fields {
				if f.Name == name && f.Type.IsCapability() && v.Elems()[i].Kind() == eval.String {
					if parts == nil {
						parts = append(parts, v.Elems()...)
					}
					parts[i] = eval.HandleValue(v.Elems()[i].Str(), nil)
				}
			}
		}
		if parts != nil {
			return eval.RecordValue(v.Shape(), parts...)
		}
	}
	return v
}

// innerRefusal carries the refusal of a call inside a definition out of the
// machine that runs it.
type innerRefusal struct{ *RunError }

// within says which definition the refused call belongs to. The kind stays the
// inner one (R65).
func (e *innerRefusal) within(verb string) *RunError {
	out := *e.RunError
	out.Message = "in '" + verb + "': " + out.Message
	return &out
}

// refusalKinds are the verdicts of package check's refusals.
var refusalKinds = [...]Verdict{
	check.Misread:      VerdictParse,
	check.Denied:       VerdictDenied,
	check.Invalid:      VerdictValidation,
	check.Misshapen:    VerdictShape,
	check.Undispatched: VerdictDispatch,
}

// runError turns a refusal into what the wire carries.
func runError(verb string, r *check.Refusal) *RunError {
	return &RunError{
		Kind: refusalKinds[r.Kind], Message: r.Message, Code: r.Code, Branch: r.Word, Verb: verb, Cause: causeOf(r.Message), complete: r.Exact,
	}
}

// causeOf returns the one word that a failure of possession begins with, or "".
func causeOf(message string) string {
	for _, cause := range []string{handleNotHeld, handleInUse, noDischarger} {
		if strings.HasPrefix(message, cause) {
			return cause
		}
	}
	return ""
}

// failed is the error of a call whose body failed.
func failed(verb string, err error) *RunError {
	return &RunError{Kind: VerdictDispatch, Message: eval.Reason(err), Verb: verb}
}
