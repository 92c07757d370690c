package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// need is what a type asks of the values that come in under it. A nil need asks
// nothing.
type need struct {
	want
	kind needKind
}

// needKind says how a value shows that it may be used.
type needKind uint8

const (
	needCapability needKind = iota // a host object: reached through a binding, held
	needHandle                     // a text that is held
	needState                      // a text that the session was given in a state (R6)
	needWithin                     // a list or record that has such values inside
)

// need returns what a type asks, remembered by type.
func (s *session) need(t *check.Type) *need {
	n, known := s.needs[t]
	if !known {
		n = s.makeNeed(t)
		s.needs[t] = n
	}
	return n
}

func (s *session) makeNeed(t *check.Type) *need {
	switch {
	case t.IsCapability():
		return &need{s.wantOf(t), needCapability}
	case t.Kind == check.TextType && t.Phantom != nil:
		n := &need{s.wantOf(t), needState}
		if isHandle(&s.words, t) {
			n.kind = needHandle
		}
		return n
	case t.Kind == check.ListType && t.Elem != nil && s.need(t.Elem) != nil:
		return &need{kind: needWithin}
	case t.Kind == check.RecordType:
		for _, f := range t.Fields {
			if s.need(f.Type) != nil {
				return &need{kind: needWithin}
			}
		}
	}
	return nil
}

func (s *session) wantOf(t *check.Type) want {
	w := want{scope: s.scope.Name, resource: t.Resource()}
	if t.Phantom == nil {
		return w
	}
	for _, m := range t.Phantom.Members {
		w.states = append(w.states, demand{obligationOf(m), m.Consume})
	}
	return w
}

// isHandle reports whether a field of the type takes a handle: a capability, or
// a text that is owed. A state that no verb of the vocabulary hands out, and
// that none consumes, can only be a mark on data (R6).
func isHandle(words *check.Vocabulary, t *check.Type) bool {
	if t.Kind != check.TextType || t.Phantom == nil {
		return t.IsCapability()
	}
	for _, m := range t.Phantom.Members {
		if m.Consume || mints(words, m) {
			return true
		}
	}
	return len(t.Phantom.Members) == 0
}

// mints reports whether some verb hands out what is owed in the state.
func mints(words *check.Vocabulary, state check.State) bool {
	for v := range verbsOf(words) {
		for i := range v.Mints {
			if v.Mints[i].State.Same(state) {
				return true
			}
		}
	}
	return false
}

// isHandle reports whether a field takes a handle: whatever else it is given is
// refused as one that is not held (R37).
func (s *session) isHandle(f *check.Field) bool {
	n := s.need(f.Takes())
	return n != nil && (n.kind == needCapability || n.kind == needHandle)
}

// fitting is how many live handles a refusal names.
const fittingHandles = 8

// notHeld refuses a value that is no live handle a field would take.
func (s *session) notHeld(n *need) *check.Refusal {
	fits := s.pool.fitting(&n.want, fittingHandles)
	var sources []string
	if len(fits) == 0 {
		sources = s.sources(n)
	}
	return check.NotHeld(notHeld(&n.want, n.kind == needCapability, fits, sources), noSpan)
}

// sources lists verbs that deliver what would fit a field.
func (s *session) sources(n *need) (names []string) {
	const most = 4
	for v := range verbsOf(&s.words) {
		brings := n.fits(v.Tor.Return)
		for _, o := range v.Tor.Outcomes {
			brings = brings || n.fits(o.Payload)
		}
		if brings && len(names) < most {
			names = append(names, v.Name)
		}
	}
	return names
}

// fits reports whether a value of the type, or a part of it, is what the field
// asks for.
func (n *need) fits(t *check.Type) bool {
	switch {
	case t == nil:
		return false
	case t.Kind == check.ListType:
		return n.fits(t.Elem)
	case t.Kind == check.RecordType:
		return slices.ContainsFunc(t.Fields, func(f *check.Field) bool { return n.fits(f.Type) })
	case t.IsCapability() != (n.kind == needCapability) || t.Resource() != n.resource:
		return false
	case len(n.states) == 0:
		return true
	case t.Phantom == nil:
		return false
	}
	return slices.ContainsFunc(t.Phantom.Members, func(m check.State) bool {
		return slices.ContainsFunc(n.states, func(d demand) bool { return d.owes == obligationOf(m) })
	})
}

// custody judges what the arguments of a call hold and claims it for the call
// (bridge.md 7.3). Nothing has run yet, and nothing runs if it refuses.
func (s *session) custody(c *call) *check.Refusal {
	for i, f := range c.verb.Tor.Fields {
		t := f.Takes()
		n := s.need(t)
		if n == nil {
			continue
		}
		if refusal := s.claim(c, c.args[i], t, n); refusal != nil {
			return refusal
		}
	}
	for i, a := range c.claims {
		for _, b := range c.claims[:i] {
			if a.consume && b.consume && a.record == b.record {
				return check.NotHeld(handleNotHeld+" — one handle is given to two fields that use it up", noSpan)
			}
		}
	}
	return nil
}

// claim judges one value against the need of its type. A list or record is
// walked along its type, so the walk is as deep as the declaration.
func (s *session) claim(c *call, v eval.Value, t *check.Type, n *need) *check.Refusal {
	if v.IsNull() && t.Optional {
		return nil
	}
	switch n.kind {
	case needWithin:
		for i, e := range v.Elems() {
			part := t.Elem
			if t.Kind == check.RecordType {
				part = t.Fields[i].Type
			}
			if inner := s.need(part); inner != nil {
				if refusal := s.claim(c, e, part, inner); refusal != nil {
					return refusal
				}
			}
		}
		return nil
	case needCapability:
		if v.Kind() != eval.Handle {
			return s.notHeld(n)
		}
	default:
		if v.Kind() != eval.String {
			return s.notHeld(n)
		}
	}
	held, ok := s.pool.find(n.kind == needCapability, v.Str(), &n.want)
	if ok {
		c.claims = append(c.claims, held)
		return nil
	}
	if n.kind == needCapability || !s.knows(n, v.Str()) {
		return s.refused(n, v.Str())
	}
	return nil
}

func (s *session) knows(n *need, text string) bool {
	for _, d := range n.states {
		if !d.consume && s.pool.knows(d.owes, text) {
			return true
		}
	}
	return false
}

func (s *session) refused(n *need, text string) *check.Refusal {
	if n.kind == needState {
		return check.NotGiven(n.states[0].owes.name, text, s.pool.given(n.states), s.sources(n), noSpan)
	}
	return s.notHeld(n)
}

// given adds the handles that a minting call was given in fields that ask for
// none: the new one leans on them as well (bridge.md 7.6).
func (s *session) given(c *call) []claim {
	given := c.claims
	for i, f := range c.verb.Tor.Fields {
		v := c.args[i]
		if s.need(f.Takes()) != nil || v.Kind() != eval.String && v.Kind() != eval.Handle {
			continue
		}
		if held, ok := s.pool.named(v.Kind() == eval.Handle, v.Str(), s.scope.Name); ok {
			held.consume = false
			given = append(given, held)
		}
	}
	return given
}

// gives reports whether values of the type bring anything that the session
// keeps account of: handles, or texts in a state.
func (s *session) gives(t *check.Type) bool {
	if t == nil {
		return false
	}
	g, known := s.givers[t]
	if known {
		return g
	}
	switch {
	case t.IsCapability(), t.Kind == check.TextType && t.Phantom != nil:
		g = true
	case t.Kind == check.ListType:
		g = s.gives(t.Elem)
	case t.Kind == check.RecordType:
		for _, f := range t.Fields {
			g = g || s.gives(f.Type)
		}
	}
	s.givers[t] = g
	return g
}

// take enters what a payload brings into the pool, along its type, and returns
// the payload with the tokens of its capabilities (bridge.md 7.2).
func (s *session) take(c *call, v eval.Value, t *check.Type) (eval.Value, error) {
	switch {
	case v.IsNull() || !s.gives(t):
		return v, nil
	case t.Kind == check.ListType || t.Kind == check.RecordType:
		return s.takeParts(c, v, t)
	}
	owed, state := handedOut(t)
	if !owed && !t.IsCapability() {
		for _, m := range t.Phantom.Members {
			s.pool.learn(obligationOf(m), v.Str())
		}
		return v, nil
	}
	m := mint{
		capability: t.IsCapability(), handle: v.Str(), object: v.Object(), owed: owed, owes: obligationOf(state),
		resource: t.Resource(), scope: s.scope.Name, createdBy: c.verb.Name, binding: c.binding, given: s.given(c),
	}
	if owed {
		if d := s.scope.Discharger(state, s.served); d != nil {
			m.discharge = d.Name
		}
	}
	r, err := s.pool.mint(m)
	if r == nil {
		return v, err
	}
	if err != nil {
		s.complain(err)
	}
	c.minted = append(c.minted, r)
	if m.capability {
		return eval.HandleValue(r.handle, r.object), nil
	}
	return v, nil
}

// handedOut returns the state that a type hands out, and whether it is owed.
func handedOut(t *check.Type) (owed bool, state check.State) {
	if t.Phantom == nil {
		return false, state
	}
	for _, m := range t.Phantom.Members {
		if m.Mint {
			return true, m
		}
		state = m
	}
	return false, state
}

func (s *session) takeParts(c *call, v eval.Value, t *check.Type) (eval.Value, error) {
	parts := make([]eval.Value, v.Len())
	for i, e := range v.Elems() {
		part := t.Elem
		if t.Kind == check.RecordType {
			part = t.Fields[i].Type
		}
		var err error
		if parts[i], err = s.take(c, e, part); err != nil {
			return v, err
		}
	}
	if t.Kind == check.RecordType {
		return eval.RecordValue(v.Shape(), parts...), nil
	}
	return eval.ListValue(parts), nil
}

// settle discharges what the call used up, once its body has returned and what
// it minted is held (bridge.md 7.4). A definition uses nothing up by itself: the
// calls in its body do.
func (s *session) settle(c *call) {
	if c.verb.Definition != "" {
		return
	}
	for _, held := range c.claims {
		if held.consume {
			if err := s.pool.consume(held, c.verb.Name); err != nil {
				s.complain(err)
			}
		}
	}
}

// letGoAll lets go of everything that is held, and returns how much remains
// (bridge.md 7.6).
func (s *session) letGoAll(ctx context.Context, l label) (remaining int) {
	if s.pool.count() == 0 {
		return 0
	}
	remaining, err := s.pool.release(func(r *record) error { return s.letGo(ctx, r, l) })
	if err != nil {
		s.complain(err)
	}
	return remaining
}

// letGo runs the discharger of a record for the runtime itself: it costs
// nothing, and standard error hears of it (R72).
func (s *session) letGo(ctx context.Context, r *record, l label) error {
	v := s.scope.Verb(r.discharge)
	if v == nil || !takesAlone(v, r) {
		fmt.Fprintln(s.log, l.skipped(r))
		return errNoDischarger
	}
	c := call{verb: v, args: s.dischargeArgs(nil, v, r), binding: r.binding}
	c.claims = append(c.claims, claim{record: r, id: r.id, consume: true})
	o, err := s.carryOut(ctx, &c)
	if err == nil {
		err = s.receive(&c, &o)
	}
	if err != nil {
		fmt.Fprintln(s.log, l.failed(r, errors.New(eval.Reason(err))))
		return err
	}
	fmt.Fprintln(s.log, l.invoked(r))
	return nil
}

var errNoDischarger = errors.New(noDischarger)

// complain tells the one who runs the session that the ledger could not be
// written. The handle is held, or gone, all the same.
func (s *session) complain(err error) { fmt.Fprintln(s.log, worldNotice(err.Error())) }
