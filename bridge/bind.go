package bridge

import (
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// What a session keeps of the data it has bound (R62). A result that a live
// handle came with is kept as long as the handle lives, whatever its age.
const (
	keptResults = 4096
	keptWeight  = 64 << 20
)

// result is what one call of the session came to: rN.
type result struct {
	outcome eval.Outcome
	weight  int
	minted  []*record // the handles it delivered
}

// held reports whether the result leads to a handle that is still owed.
func (r *result) held() bool {
	for _, m := range r.minted {
		if m.owed && !m.discharged {
			return true
		}
	}
	return false
}

// results are the rN of a session, numbered from 1 (bridge.md 5.5). The newest
// lie in a row; older ones are there only if they lead to a live handle.
type results struct {
	row    []result
	first  int // the number of row[0] less one
	weight int
	older  map[int]result
}

// last returns the greatest number given so far.
func (t *results) last() int { return t.first + len(t.row) }

// bind gives the next number to a result and lets go of what is too old or too
// heavy to keep. It returns the handles that nothing leads to any more.
func (t *results) bind(r result) (dropped []*record) {
	r.weight = eval.Weight(r.outcome.Payload, keptWeight)
	t.row = append(t.row, r)
	t.weight += r.weight
	for len(t.row) > keptResults || t.weight > keptWeight && len(t.row) > 1 {
		dropped = append(dropped, t.drop()...)
	}
	return dropped
}

// drop takes the oldest result out of the row.
func (t *results) drop() (dropped []*record) {
	old := t.row[0]
	t.row[0] = result{}
	t.row = t.row[1:]
	t.first++
	t.weight -= old.weight
	if old.held() {
		if t.older == nil {
			t.older = map[int]result{}
		}
		t.older[t.first] = old
		return nil
	}
	return old.minted
}

// prune forgets the older results whose handles are gone. What it costs is paid
// for by the results that were added since: live bounds how many can stay.
func (t *results) prune(live int) {
	if len(t.older) <= 2*live+64 {
		return
	}
	for n, r := range t.older {
		if !r.held() {
			delete(t.older, n)
		}
	}
}

// get returns the result of that number, and whether it is kept.
func (t *results) get(n int) (eval.Value, bool) {
	if n > t.first && n <= t.last() {
		return t.row[n-t.first-1].outcome.Payload, true
	}
	r, ok := t.older[n]
	if !ok || !r.held() {
		return eval.Value{}, false
	}
	return r.outcome.Payload, true
}

// minted returns the one handle that a result of several parts delivered and
// that is still owed, or nil if there are none or more.
func (t *results) minted(n int) *record {
	r, ok := t.older[n]
	if n > t.first && n <= t.last() {
		r, ok = t.row[n-t.first-1], true
	}
	var one *record
	for _, m := range r.minted {
		if !ok || !m.owed || m.discharged {
			continue
		}
		if one != nil {
			return nil
		}
		one = m
	}
	return one
}

// resultName returns rN.
func resultName(n int) string { return "r" + strconv.Itoa(n) }

// resultNumber returns N of rN.
func resultNumber(name string) (n int, ok bool) {
	if !isResultName(name) || name[1] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(name[1:])
	return n, err == nil
}

// local is a name that an arm of the reply at hand has bound.
type local struct {
	name  string
	value eval.Value
	at    int // where it is bound in the reply
}

// lookup returns what a name is bound to: an arm of this reply, or a result of
// the session.
func (r *reply) lookup(name string) (v eval.Value, ok bool) {
	if l := r.local(name); l != nil {
		return l.value, true
	}
	if n, is := resultNumber(name); is {
		return r.b.results.get(n)
	}
	return v, false
}

func (r *reply) local(name string) *local {
	for i := len(r.locals) - 1; i >= 0; i-- {
		if r.locals[i].name == name {
			return &r.locals[i]
		}
	}
	return nil
}

// liveNames is how many bindings a refusal offers.
const liveNames = 8

// live lists the names that a step can use: those of this reply, then the
// newest results.
func (r *reply) live() []string {
	var names []string
	for i := len(r.locals) - 1; i >= 0 && len(names) < liveNames; i-- {
		names = append(names, r.locals[i].name)
	}
	t := &r.b.results
	for n := t.last(); n > t.first && len(names) < liveNames; n-- {
		names = append(names, resultName(n))
	}
	return names
}

// path follows a name and the fields behind it: r3, u.id, list.0.name. splice
// is what stands between the braces of a splice, or "" for an argument. A text
// that holds a JSON object or list is walked into (bridge.md 5.4).
func (r *reply) path(text, splice string, at syntax.Span) (eval.Value, *check.Refusal) {
	name, rest := cutDot(text)
	v, ok := r.lookup(name)
	if !ok {
		return v, r.unnamed(splice, name, at)
	}
	for rest != "" {
		var field string
		whole := text[:len(text)-len(rest)-1]
		field, rest = cutDot(rest)
		if v, ok = r.member(v, field); !ok {
			return v, check.Unreachable(splice, whole, field, at)
		}
	}
	return v, nil
}

func (r *reply) unnamed(splice, name string, at syntax.Span) *check.Refusal {
	if n, is := resultNumber(name); is && n <= r.b.results.first {
		return check.Forgotten(splice, name, keptResults, at)
	}
	return check.Unnamed(splice, name, r.live(), at)
}

// cutDot cuts a path at its first dot.
func cutDot(path string) (head, rest string) {
	for i := range len(path) {
		if path[i] == '.' {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}

// member returns the field or the element of a value.
func (r *reply) member(v eval.Value, name string) (eval.Value, bool) {
	if v.Kind() == eval.String {
		v = r.decoded(v.Str())
	}
	switch v.Kind() {
	case eval.Record:
		return v.Field(name)
	case eval.List:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= v.Len() || name[0] == '+' {
			return eval.Value{}, false
		}
		return v.Elems()[i], true
	}
	return eval.Value{}, false
}

// decoded returns the value of a text that holds JSON, or null. Steps that take
// one field after the other out of the same text decode it once.
func (r *reply) decoded(text string) eval.Value {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' {
		return eval.Value{}
	}
	if r.json.text != text {
		v, err := eval.DecodeJSON([]byte(text), eval.Limits{})
		if err != nil {
			v = eval.Value{}
		}
		r.json.text, r.json.value = text, v
	}
	return r.json.value
}
