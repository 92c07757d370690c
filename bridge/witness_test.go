package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// witness stands between a session and its bodies. It keeps its own account of
// what bodies have handed out and taken back, from their declarations and from
// nothing that the session keeps, and objects to every call that should not have
// come through.
type witness struct {
	session *Bridge
	bodies  Server
	owed    map[possession]bool
	known   map[possession]bool // texts that a payload carried in a plain state
	calls   []string
	spent   uint64
	closing bool // what is let go of at the close costs nothing
	ledger  []byte
	faults  []error
}

// possession is a handle, by its text or its host object, under what it owes.
type possession struct {
	handle any
	owes   obligation
}

// watched opens a session with a witness.
func watched(o Options) (*witness, error) {
	w := &witness{owed: map[possession]bool{}, known: map[possession]bool{}}
	o.Interpose = func(bodies Server) Server {
		w.bodies = bodies
		return w.serve
	}
	b, err := Create(o)
	if err != nil {
		return nil, err
	}
	w.session = b
	b.pool.log = func(e *Entry) error {
		w.ledger = e.appendTo(w.ledger)
		return nil
	}
	return w, nil
}

func (w *witness) object(format string, args ...any) {
	w.faults = append(w.faults, fmt.Errorf(format, args...))
}

func (w *witness) serve(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	w.calls = append(w.calls, v.Name)
	if !w.closing {
		w.spent += v.Cost
	}
	if w.session.scope.Verb(v.Name) != v {
		w.object("the body of '%s' ran, which the scope does not grant", v.Name)
	}
	taken := map[possession]bool{}
	for i, f := range v.Tor.Fields {
		eachHandle(f.Takes(), args[i], func(t *check.Type, v eval.Value) { w.judge(f.Name, t, v, taken) })
	}
	o, err := w.bodies(ctx, v, args)
	if err != nil {
		return o, err
	}
	if declared, fault := declaredPayload(v, &o); fault == nil && o.Has {
		eachHandle(declared, lifted(o.Payload, declared), func(t *check.Type, v eval.Value) { w.handOut(t, v, taken) })
	}
	for p := range taken {
		delete(w.owed, p)
	}
	return o, nil
}

// judge objects to an argument that nobody has handed out, and notes what the
// call takes back.
func (w *witness) judge(field string, t *check.Type, v eval.Value, taken map[possession]bool) {
	handle := handleOf(v)
	if t.Phantom == nil {
		return
	}
	for _, m := range t.Phantom.Members {
		p := possession{handle, obligationOf(m)}
		switch {
		case w.owed[p] && m.Consume:
			if taken[p] {
				w.object("'%s' takes back %v, which another field does", field, p)
			}
			taken[p] = true
			return
		case w.owed[p], !m.Consume && w.known[p]:
			return
		}
	}
	w.object("a body was given %v as '%s', which nobody holds", handle, field)
}

// handOut notes what a payload brings. What is handed out again while it is
// taken back stays.
func (w *witness) handOut(t *check.Type, v eval.Value, taken map[possession]bool) {
	if t.Phantom == nil {
		return
	}
	for _, m := range t.Phantom.Members {
		p := possession{handleOf(v), obligationOf(m)}
		if m.Mint {
			w.owed[p] = true
			delete(taken, p)
		} else {
			w.known[p] = true
		}
	}
}

// handleOf returns what a handle is known by outside the session.
func handleOf(v eval.Value) any {
	if v.Kind() == eval.Handle {
		return v.Object()
	}
	return v.Str()
}

// eachHandle walks a value along its type to what is or may be a handle.
func eachHandle(t *check.Type, v eval.Value, visit func(*check.Type, eval.Value)) {
	switch {
	case v.IsNull():
	case t.IsCapability(), t.Kind == check.TextType && t.Phantom != nil:
		visit(t, v)
	case t.Kind == check.ListType && t.Elem != nil:
		for _, e := range v.Elems() {
			eachHandle(t.Elem, e, visit)
		}
	case t.Kind == check.RecordType:
		for i, e := range v.Elems() {
			eachHandle(t.Fields[i].Type, e, visit)
		}
	}
}

// agrees says whether the session, its ledger and the witness tell the same.
func (w *witness) agrees() error {
	errs := append([]error{w.session.pool.check()}, w.faults...)
	holds := map[possession]bool{}
	for r := w.session.pool.owed.oldest; r != nil; r = r.links[byAge].younger {
		if r.capability {
			holds[possession{r.object, r.owes}] = true
		} else {
			holds[possession{r.handle, r.owes}] = true
		}
	}
	if !maps.Equal(holds, w.owed) {
		errs = append(errs, fmt.Errorf("the session holds %v, bodies have handed out %v", holds, w.owed))
	}
	state, err := parseLedger(bytes.NewReader(w.ledger))
	if err != nil || state.Torn != nil || state.Damage != nil || state.Stray != nil {
		errs = append(errs, fmt.Errorf("the ledger is damaged: %+v, %v", state, err))
	}
	recorded := []Held{}
	for _, s := range state.Sessions {
		for _, e := range s.Held {
			recorded = append(recorded, Held{e.Binding, e.Handle, e.ResourceType, e.ObligationModule + ":" + e.ObligationName})
		}
	}
	held := slices.Clone(w.session.Held())
	for i := range held {
		held[i].Handle = string([]rune(held[i].Handle)) // a ledger is JSON: a byte that is no text is written as U+FFFD
	}
	if diff := cmp.Diff(recorded, held, cmpopts.EquateEmpty()); diff != "" {
		errs = append(errs, fmt.Errorf("the ledger and the session (-ledger +session)\n%s", diff))
	}
	if len(w.session.words.Defined) == 0 && w.session.Used() != w.spent {
		errs = append(errs, fmt.Errorf("the session says it spent %d, its calls cost %d", w.session.Used(), w.spent))
	}
	if p := w.session.purse; p.limited && p.used > p.limit {
		errs = append(errs, fmt.Errorf("spent %d of %d", p.used, p.limit))
	}
	return errors.Join(errs...)
}

// accounts says whether the steps of a turn account for the bodies that ran:
// one for each call that was carried out, in order, and none for a step that was
// refused or never reached. What a definition calls is its own affair, so from
// the first call of one on it only says whether bodies ran at all.
func (w *witness) accounts(t *Turn) error {
	calls := w.calls
	for i := range t.Steps {
		s := &t.Steps[i]
		v := w.session.words.Verb(s.Verb)
		if v != nil && v.Definition != "" && s.Verdict != VerdictDefined {
			return nil
		}
		ran := s.fired() && s.Bound != "" // a listing and a line that nobody serves are free
		if s.Verdict == VerdictDispatch {
			ran = s.Refusal.Code == "" && s.Refusal.Cause == "" // the body itself
		}
		switch {
		case !ran:
		case len(calls) == 0:
			return fmt.Errorf("no body ran for %s", s.String())
		case v != nil && calls[0] != s.Verb:
			return fmt.Errorf("the body of '%s' ran for %s", calls[0], s.String())
		default:
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		return fmt.Errorf("no step accounts for the bodies of %q", calls)
	}
	return nil
}

// invented says whether a step ran although an arm of its call is no outcome of
// its verb. It looks at replies of one line, where an arm belongs to the call
// that it stands behind.
func (w *witness) invented(text string, t *Turn) error {
	file := syntax.ParseReply(text, nil)
	if strings.ContainsAny(text, "\n\r") || file.NumItems() != 1 || len(t.Steps) < stepsOf(file.Item(0)) {
		return nil
	}
	step := -1
	var walk func(n syntax.Node) error
	walk = func(n syntax.Node) error {
		call := -1
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.Call, syntax.ErrorNode:
				step++
				call = step
			case syntax.WireArm:
				if call < 0 {
					return nil // the arm of a call that is not there
				}
				word, s := syntax.ArmView{Node: c}.Name().Text(), &t.Steps[call]
				if v := w.session.scope.Verb(s.Verb); v != nil && s.fired() && v.Tor.Outcome(word) == nil {
					return fmt.Errorf("'%s' is no outcome of '%s': %s", word, s.Verb, s.String())
				}
				if err := walk(c); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if file.Item(0).Kind() != syntax.WireItem {
		return nil
	}
	return walk(file.Item(0))
}
