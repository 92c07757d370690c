package bridge

import (
	"reflect"
	"slices"
	"strings"
)

// name is what a handle is found by. Capabilities and string handles live
// apart: a body that returns the text of a token gains nothing by it.
type name struct {
	capability bool
	handle     string
	scope      string
}

// kind is what records have in common that fit the same fields. The refusal
// that names the live handles which would fit looks them up by it.
type kind struct {
	scope, resource string
	owes            obligation
}

// known is a string that some payload carried in a plain state (R6).
type known struct {
	state obligation
	text  string
}

// pool holds what a session possesses. To find, mint and discharge takes the
// same time whatever the session holds and however many forged names it is
// asked for; [pool.release] takes n log n. A pool is not safe for concurrent use: a
// session serves one reply at a time (bridge.md 6.5).
type pool struct {
	session string
	tokens  *tokens
	lastID  int
	// log is told of every mint and discharge of an owed handle, in order.
	log func(*Entry) error

	owed    chain // all owed records, by age
	byName  map[name]*record
	objects map[any]string // tokens of live capabilities, by the identity of their host object
	known   map[known]struct{}
	recent  map[obligation][]string // the newest of them, the newest last

	// byKind and states grow with the kinds of handle that a scope knows, not
	// with what the session does. states lists the kinds that records of a type
	// have had, under the kind without an obligation.
	byKind map[kind]*chain
	states map[kind][]kind

	sweep *sweep // not nil while release runs
	shown []Held // what held returned, nil once that has changed
}

// newPool returns an empty pool whose first record gets the number lastID+1
// (R56). log may be nil.
func newPool(session string, lastID int, log func(*Entry) error) *pool {
	return &pool{
		session: session,
		tokens:  newTokens(session),
		lastID:  lastID,
		log:     log,
		owed:    chain{axis: byAge},
		byName:  map[name]*record{},
		byKind:  map[kind]*chain{},
		objects: map[any]string{},
		known:   map[known]struct{}{},
		recent:  map[obligation][]string{},
		states:  map[kind][]kind{},
	}
}

// find returns the oldest live record of a handle that the field accepts
// (bridge.md 7.3). A string handle is found by its text, a capability by its
// token; the caller vouches that the token came out of a binding.
func (p *pool) find(capability bool, handle string, w *want) (claim, bool) {
	var found claim
	for r := p.byName[name{capability, handle, w.scope}]; r != nil; r = r.twin {
		if ok, consume := w.accepts(r); ok && found.yieldsTo(r) {
			found = claim{r, r.id, consume}
		}
	}
	return found, found.record != nil
}

// named returns the oldest owed record of a handle, whatever it owes: the one
// that release lets go.
func (p *pool) named(capability bool, handle, scope string) (claim, bool) {
	var found claim
	for r := p.byName[name{capability, handle, scope}]; r != nil; r = r.twin {
		if r.owed && found.yieldsTo(r) {
			found = claim{r, r.id, true}
		}
	}
	return found, found.record != nil
}

// mint takes a handle into the pool and returns its record. An error beside a
// record says that the ledger could not be written: the handle is held all the
// same. An error without a record says that the session is out of tokens.
func (p *pool) mint(m mint) (*record, error) {
	if m.capability {
		p.recognise(&m)
	}
	if r := p.successor(&m); r != nil {
		return r, p.reissue(r, &m)
	}
	if m.capability && m.handle == "" {
		token, err := p.tokens.mint(m.resource)
		if err != nil {
			return nil, err
		}
		m.handle = token
	} else if !m.capability {
		m.handle = strings.Clone(m.handle) // it may be a piece of a long payload, and lives longer
	}
	r := &record{handle: m.handle, capability: m.capability, owed: m.owed, scope: m.scope, object: m.object, identity: m.identity}
	p.describe(r, &m)
	p.enter(r)
	p.lean(r, m.given)
	return r, p.write(opMint, r, "")
}

// recognise gives a capability the token that it has in this session already:
// a verb that hands out what is held re-issues it, wherever its body runs
// (bridge.md 7.4, R93). A text in place of a token that this session has not
// minted is a host's name for the object and becomes the object.
func (p *pool) recognise(m *mint) {
	if m.handle != "" && p.byName[name{true, m.handle, m.scope}] == nil {
		m.object, m.handle = m.handle, ""
	}
	m.identity = identityOf(m.resource, m.object)
	if m.handle == "" && m.identity != nil {
		m.handle = p.objects[m.identity]
	}
}

// describe gives r what a mint says of it, and the next number if it is owed.
func (p *pool) describe(r *record, m *mint) {
	if r.owed {
		p.lastID++
		r.id = p.lastID
	}
	r.owes, r.resource, r.binding, r.createdBy, r.discharge = m.owes, m.resource, m.binding, m.createdBy, m.discharge
}

// successor returns the record that a mint carries on, or nil. A handle is
// owed at most once under one obligation (R93); and a call that consumes a
// handle and mints it again under another obligation has moved it to the next
// state of its protocol. Both are the same possession, under a new number.
func (p *pool) successor(m *mint) *record {
	first := p.byName[name{m.capability, m.handle, m.scope}]
	for r := first; r != nil; r = r.twin {
		if r.owes == m.owes && r.owed == m.owed {
			return r
		}
	}
	for r := first; r != nil && m.owed; r = r.twin {
		for _, c := range m.given {
			if c.record == r && c.id == r.id && c.consume && r.owed {
				return r
			}
		}
	}
	return nil
}

// reissue makes r the record of a new mint: another number and binding, the
// same handle. What leaned on the old record leans on the new one, since they
// are one (R87). The ledger sees the mint first and then the discharge
// (bridge.md 7.4).
func (p *pool) reissue(r *record, m *mint) error {
	old := *r
	p.unlist(r)
	p.describe(r, m)
	p.list(r)
	r.providers = slices.DeleteFunc(r.providers, func(q *record) bool { return q.discharged })
	p.lean(r, m.given)
	if err := p.write(opMint, r, ""); err != nil {
		return err // the old line stands: something is held
	}
	return p.write(opDischarge, &old, m.createdBy)
}

// lean makes r depend on the records that the minting call was given. A
// capability that owes nothing is seen through to what it was made from, and a
// record that leans on r already cannot become its provider: two that wait for
// each other would never be let go.
func (p *pool) lean(r *record, given []claim) {
	for _, c := range given {
		switch g := c.record; {
		case g.discharged:
		case g.owed:
			p.provide(r, g)
		default:
			for _, q := range g.providers {
				p.provide(r, q)
			}
		}
	}
}

func (p *pool) provide(r, provider *record) {
	if provider.discharged || provider.leansOn(r) || slices.Contains(r.providers, provider) {
		return
	}
	r.providers = append(r.providers, provider)
	if r.owed {
		provider.dependents++
	}
}

// consume discharges what a call claimed, through the given verb. A record
// that the same call re-issued or let go already is left alone.
func (p *pool) consume(c claim, verb string) error {
	if c.record.discharged || c.record.id != c.id || !c.record.owed {
		return nil
	}
	p.leave(c.record)
	return p.write(opDischarge, c.record, verb)
}

// forget drops a capability that owes nothing and that no binding leads to any
// longer.
func (p *pool) forget(r *record) {
	if !r.owed && !r.discharged {
		p.leave(r)
	}
}

// enter puts a new record into the pool. A capability that another record
// names already brings no object of its own.
func (p *pool) enter(r *record) {
	key := name{r.capability, r.handle, r.scope}
	last := p.byName[key]
	if last == nil {
		p.byName[key] = r
	} else {
		for last.twin != nil {
			last = last.twin
		}
		last.twin = r
		r.object, r.identity = last.object, last.identity
	}
	if r.identity != nil {
		p.objects[r.identity] = r.handle
	}
	p.list(r)
}

// leave takes a record out of the pool. It lets go of what it leaned on, so
// that a long line of dead records does not keep itself alive.
func (p *pool) leave(r *record) {
	r.discharged = true
	key := name{r.capability, r.handle, r.scope}
	if first := p.byName[key]; first != r {
		for first.twin != r {
			first = first.twin
		}
		first.twin = r.twin
	} else if r.twin != nil {
		p.byName[key] = r.twin
	} else {
		delete(p.byName, key)
		if r.identity != nil {
			delete(p.objects, r.identity)
		}
	}
	p.unlist(r)
	if r.owed {
		for _, q := range r.providers {
			if q.dependents--; q.dependents == 0 && !q.discharged {
				p.sweep.add(q)
			}
		}
	}
	r.providers, r.object, r.identity, r.twin = nil, nil, nil, nil
}

// list appends r to the orders it stands in, as the youngest.
func (p *pool) list(r *record) {
	if r.owed {
		p.shown = nil
		p.owed.push(r)
		p.sweep.admit(r)
	}
	k := kind{r.scope, r.resource, r.owes}
	c := p.byKind[k]
	if c == nil {
		c = &chain{axis: byKind}
		p.byKind[k] = c
		stateless := kind{scope: k.scope, resource: k.resource}
		p.states[stateless] = append(p.states[stateless], k)
	}
	c.push(r)
}

func (p *pool) unlist(r *record) {
	if r.owed {
		p.shown = nil
		p.owed.remove(r)
	}
	p.byKind[kind{r.scope, r.resource, r.owes}].remove(r)
}

// write tells the ledger of one event of an owed handle. A mint may come back
// with a greater number, where another session of the same name writes to the
// ledger, too.
func (p *pool) write(op string, r *record, verb string) error {
	if p.log == nil || !r.owed {
		return nil
	}
	e := Entry{
		Op: op, Session: p.session, ID: r.id, Handle: r.handle, Binding: r.binding, ResourceType: r.resource,
		ObligationModule: r.owes.module, ObligationName: r.owes.name, Scope: r.scope,
		CreatedBy: r.createdBy, Discharge: r.discharge,
	}
	if op == opDischarge {
		e.Discharge = verb
	}
	if e.Discharge == "" {
		e.Discharge = unknownVerb
	}
	err := p.log(&e)
	if op == opMint {
		r.id, p.lastID = e.ID, max(p.lastID, e.ID)
	}
	return err
}

// unknownVerb stands in the ledger where a scope has no verb that lets a
// handle go (bridge.md 2.7).
const unknownVerb = "unknown"

// hostName is the identity of an object that a host outside this process names
// by a text. Names of different types have nothing to do with each other.
type hostName struct{ resource, text string }

// identityOf returns what tells a host object from all others, or nil if
// nothing does. A pointer does, unless it is one to nothing, which may equal any
// other; a text does, since it is all that the host is told when the object is
// used or let go of: two handles under one name would let it go twice.
func identityOf(resource string, object any) any {
	if object == nil {
		return nil
	}
	if text, ok := object.(string); ok {
		return hostName{resource, text}
	}
	if t := reflect.TypeOf(object); t.Kind() == reflect.Pointer && t.Elem().Size() > 0 {
		return object
	}
	return nil
}

// learn notes that a payload carried text in a plain state, knows asks for it
// (R6). It keeps a copy: the text may be a piece of a payload that is longer
// than all that a session keeps.
func (p *pool) learn(state obligation, text string) {
	if p.knows(state, text) {
		return
	}
	text = strings.Clone(text)
	p.known[known{state, text}] = struct{}{}
	list := p.recent[state]
	if len(list) == recentlyGiven {
		list = slices.Delete(list, 0, 1)
	}
	p.recent[state] = append(list, text)
}

// recentlyGiven is how many texts in a state a refusal offers.
const recentlyGiven = 8

// given lists the texts that were learned last in one of the states that a
// field takes, the newest first.
func (p *pool) given(states []demand) (texts []string) {
	for _, d := range states {
		for _, text := range slices.Backward(p.recent[d.owes]) {
			if !d.consume && len(texts) < recentlyGiven {
				texts = append(texts, clip(oneLine(text), 60))
			}
		}
	}
	return texts
}

func (p *pool) knows(state obligation, text string) bool {
	_, ok := p.known[known{state, text}]
	return ok
}

// Held is one handle that a session holds, as reports and JSON show it.
type Held struct {
	Binding      string `json:"binding"`
	Handle       string `json:"handle"`
	ResourceType string `json:"resource_type"`
	Obligation   string `json:"obligation"` // module:name, std.fs:dir
}

// count returns how many handles the session owes.
func (p *pool) count() int { return p.owed.len }

// held lists what the session owes, oldest first. The list is the same one until
// something changes: every turn has it, and a flood of refused replies may not
// cost more where much is held. Nobody may write to it.
func (p *pool) held() []Held {
	if p.shown == nil {
		p.shown = make([]Held, 0, p.owed.len)
		for r := p.owed.oldest; r != nil; r = r.links[byAge].younger {
			p.shown = append(p.shown, Held{r.binding, r.handle, r.resource, r.owes.String()})
		}
	}
	return p.shown
}

// rename gives a record another binding.
func (p *pool) rename(r *record, binding string) {
	r.binding, p.shown = binding, nil
}

// fitting returns the bindings of live handles that a field would accept, at
// most limit of them, the youngest of each state first. What it costs does not
// depend on how much the session holds, so that a flood of forged handles
// stays cheap.
func (p *pool) fitting(w *want, limit int) []string {
	var fits []string
	for _, k := range p.kinds(w) {
		for r := p.byKind[k].end(); r != nil && len(fits) < limit; r = r.links[byKind].older {
			if ok, _ := w.accepts(r); ok {
				fits = append(fits, r.binding)
			}
		}
	}
	return fits
}

// leaningOn returns the bindings of owed handles that were made from r, at most
// limit of them, the youngest first.
func (p *pool) leaningOn(r *record, limit int) []string {
	limit = min(limit, r.dependents)
	var names []string
	for d := p.owed.youngest; d != nil && len(names) < limit; d = d.links[byAge].older {
		if slices.Contains(d.providers, r) {
			names = append(names, d.binding)
		}
	}
	return names
}

// kinds returns the kinds of record that can fit.
func (p *pool) kinds(w *want) []kind {
	if len(w.states) == 0 {
		return p.states[kind{scope: w.scope, resource: w.resource}]
	}
	kinds := make([]kind, len(w.states))
	for i, d := range w.states {
		kinds[i] = kind{w.scope, w.resource, d.owes}
	}
	return kinds
}
