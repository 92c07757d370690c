package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Options say how a session is opened.
type Options struct {
	// ID names the session. Its tokens and its ledger lines are made from it.
	ID string
	// Program holds the scope and what stands behind its verbs. Any number of
	// sessions share one program.
	Program *eval.Program
	// Scope names the register block whose verbs the session may call.
	Scope string
	// World is a folder that keeps definitions and the ledger; "" keeps nothing
	// (bridge.md 8.7). With Sync every line of the ledger waits for the disk.
	World string
	Sync  bool
	// Introspect arms vocabulary() and grammar() on the wire (U18).
	Introspect bool
	// Budget bounds what the session may spend in all, ReplyBudget what one
	// reply may; nil is no bound.
	Budget, ReplyBudget *uint64
	// Serve carries out the verbs of the scope that have no body here (R3). nil
	// means that nobody does.
	Serve Server
	// Interpose, if not nil, is given what runs the bodies of the scope's verbs
	// and returns what the session calls in its place: to record what bodies
	// answer, or to answer without them.
	Interpose func(bodies Server) Server
	// Host is the world that the bodies of verbs run against; nil is an empty
	// one. Process, if not nil, is a running program whose stores the verbs
	// share.
	Host    *eval.Host
	Process *eval.Process
	// Log takes the lines that the session says to the one who runs it; nil is
	// standard error.
	Log io.Writer
}

// Server carries out one call of a verb that has no body here. args holds one
// value a field, in declared order. An error is a failure of the call; what the
// verb's declaration calls a failure is an outcome.
type Server func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error)

// Bridge is one session on a scope. It is safe for concurrent use; it serves
// one reply at a time.
type Bridge struct {
	mu sync.Mutex
	session
	results results
	world   *World
	closed  bool
	left    error  // what the close could not let go of
	missing string // the name of a scope that is not registered
	program *eval.Program
	lessons lessons
}

// Create opens a session. A scope that nobody registered is no error: every
// reply of such a session ends in scope-not-found (R88).
func Create(o Options) (*Bridge, error) {
	b := &Bridge{program: o.Program}
	b.id, b.log = o.ID, o.Log
	if b.log == nil {
		b.log = os.Stderr
	}
	b.purse, b.reply = pursed(o.Budget), pursed(o.ReplyBudget)
	b.served = o.Serve != nil
	b.needs, b.givers = map[*check.Type]*need{}, map[*check.Type]bool{}
	b.scope = o.Program.Checked().Scope(o.Scope)
	if b.scope == nil {
		b.missing = o.Scope
		b.scope = &check.Scope{Name: o.Scope}
	}
	b.words = check.Vocabulary{Scope: b.scope, Introspect: o.Introspect}
	m := &machine{program: o.Program, process: o.Process, host: o.Host, serve: o.Serve, session: b}
	if o.Interpose != nil {
		m.carry = o.Interpose(m.body)
	}
	b.bodies = m
	lastID := 0
	var log func(*Entry) error
	if o.World != "" {
		w, err := Mount(o.World, o.Sync)
		if err != nil {
			return nil, err
		}
		b.world = w
		w.ledger.told = func(notice string) { fmt.Fprintln(b.log, worldNotice(notice)) }
		lastID, log = w.Ledger().LastID(o.ID), w.ledger.append
	}
	b.pool = newPool(o.ID, lastID, log)
	if b.world != nil && b.missing == "" {
		b.mount()
	}
	return b, nil
}

func pursed(limit *uint64) purse {
	if limit == nil {
		return purse{}
	}
	return purse{limited: true, limit: *limit}
}

// unusable says why the session runs no replies.
func (b *Bridge) unusable() *RunError {
	switch {
	case b.closed:
		return &RunError{Kind: VerdictDispatch, Message: "the session '" + b.id + "' is closed", Verb: "run"}
	case b.missing != "":
		return &RunError{Kind: VerdictNoScope, Message: b.missing, Scope: b.missing}
	}
	return nil
}

// Held lists what the session owes, oldest first.
func (b *Bridge) Held() []Held {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pool.held())
}

// Used returns what the session has spent.
func (b *Bridge) Used() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.purse.used
}

// Bindings lists the live results, oldest first: those that are kept, without
// the handles that are gone.
func (b *Bridge) Bindings() []Binding {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bindings(keptResults)
}

// Close lets go of everything the session holds, newest first and dependents
// before what they were made from, and ends it. The error says what could not
// be let go of (bridge.md 7.7). To close twice is to close once, with the same
// error.
func (b *Bridge) Close() error { return b.CloseContext(context.Background()) }

// CloseContext is [Bridge.Close] under a context that the bodies of the
// dischargers see.
func (b *Bridge) CloseContext(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return b.left
	}
	b.closed = true
	if n := b.pool.count(); n > 0 && b.missing != "" {
		b.left = errors.New(noScopeToRelease(b.id, b.missing, n))
	} else if remaining := b.letGoAll(ctx, atClose); remaining > 0 {
		b.left = errors.New(stillHeld(b.id, remaining))
	}
	if err := b.bodies.close(); err != nil {
		b.left = errors.Join(b.left, errors.New(eval.Reason(err)))
	}
	if b.world != nil {
		if err := b.world.Close(); err != nil {
			b.complain(err)
		}
	}
	return b.left
}

// bind gives the next rN to what a call delivered.
func (b *Bridge) bind(o eval.Outcome, minted []*record) {
	r := result{outcome: o}
	if len(minted) > 0 {
		r.minted = append(r.minted, minted...)
	}
	for _, dropped := range b.results.bind(r) {
		b.pool.forget(dropped)
	}
	b.results.prune(b.pool.count())
}

// rescue binds what a call that failed has left in the session's hands: a
// definition whose body stopped halfway may hold what its first half was given.
// Nothing that is held is without a name.
func (b *Bridge) rescue(c *call) (bound string) {
	for _, m := range c.minted {
		if !m.owed || m.discharged {
			continue
		}
		v := eval.StringValue(m.handle)
		if m.capability {
			v = eval.HandleValue(m.handle, m.object)
		}
		b.bind(eval.Delivered("", v), []*record{m})
		bound = resultName(b.results.last())
		b.pool.rename(m, bound)
	}
	return bound
}
