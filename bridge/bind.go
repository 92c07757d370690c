package bridge

import (
	"fmt"
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
// lie in a ring; older ones are there only if they lead to a live handle.
type results struct {
	ring   []result
	head   int // where the oldest of the ring lies
	len    int
	first  int // the number of the oldest less one
	weight int
	older  map[int]result
}

// last returns the greatest number given so far.
func (t *results) last() int { return t.first + t.len }

// at returns the result of a number that the ring holds, or nil.
func (t *results) at(n int) *result {
	if n <= t.first || n > t.last() {
		return nil
	}
	i := t.head + n - t.first - 1
	if i >= len(t.ring) {
		i -= len(t.ring)
	}
	return &t.ring[i]
}

// bind gives the next number to a result and lets go of what is too old or too
// heavy to keep. It returns the handles that nothing leads to any more.
func (t *results) bind(r result) (dropped []*record) {
	r.weight = eval.Weight(r.outcome.Payload, keptWeight)
	for t.len == keptResults || t.weight+r.weight > keptWeight && t.len > 0 {
		dropped = append(dropped, t.drop()...)
	}
	if t.len == len(t.ring) {
		t.grow()
	}
	t.len++
	t.weight += r.weight
	*t.at(t.last()) = r
	return dropped
}

func (t *results) grow() {
	ring := make([]result, min(max(2*len(t.ring), 8), keptResults))
	n := copy(ring, t.ring[t.head:])
	copy(ring[n:], t.ring[:t.head])
	t.ring, t.head = ring, 0
}

// drop takes the oldest result out of the ring.
func (t *results) drop() (dropped []*record) {
	oldest := t.at(t.first + 1)
	old := *oldest
	*oldest = result{}
	t.head++
	if t.head == len(t.ring) {
		t.head = 0
	}
	t.len--
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

// find returns the result of a number, or nil if it is not kept.
func (t *results) find(n int) *result {
	if r := t.at(n); r != nil {
		return r
	}
	if r, ok := t.older[n]; ok && r.held() {
		return &r
	}
	return nil
}

// handle returns the one handle that the result delivered and that is still
// owed, or nil if there are none or more.
func (r *result) handle() *record {
	var one *record
	for _, m := range r.minted {
		if !m.owed || m.discharged {
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
func resultName(n int) string {
	room := [20]byte{'r'}
	return string(strconv.AppendInt(room[:1], int64(n), 10))
}

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
	n     int // the number of the result it names
}

// lookup returns what a name is bound to: an arm of this reply, or a result of
// the session.
func (r *reply) lookup(name string) (v eval.Value, ok bool) {
	if l := r.local(name); l != nil {
		return l.value, true
	}
	if n, is := resultNumber(name); is {
		if found := r.b.results.find(n); found != nil {
			return found.outcome.Payload, true
		}
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

// live lists the names that a step can use, the newest value first: the name
// that this reply has given it, or else its rN.
func (r *reply) live() []string {
	var names []string
	t, i := &r.b.results, len(r.locals)-1
	for n := t.last(); n > t.first && len(names) < liveNames; n-- {
		named := false
		for ; i >= 0 && r.locals[i].n >= n; i-- {
			names, named = append(names, r.locals[i].name), true
		}
		if !named {
			names = append(names, resultName(n))
		}
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
		member, ok := r.member(v, field)
		if !ok {
			return v, check.Unreachable(splice, whole, field, r.shapeOf(v), at)
		}
		v = member
	}
	return v, nil
}

func (r *reply) unnamed(splice, name string, at syntax.Span) *check.Refusal {
	if n, is := resultNumber(name); is && n <= r.b.results.first {
		return check.Forgotten(splice, name, keptResults, at)
	}
	return check.Unnamed(splice, name, r.live(), at)
}

// shapeOf says what a value has that a path can lead to.
func (r *reply) shapeOf(v eval.Value) string {
	if v.Kind() == eval.String {
		if decoded := r.decoded(v.Str()); decoded.Kind() != eval.Null {
			v = decoded
		}
	}
	switch {
	case v.Kind() == eval.Record && len(v.Shape().Names) > 0:
		names := v.Shape().Names
		more := ""
		if len(names) > liveNames {
			names, more = names[:liveNames], ", …"
		}
		return "it has: " + oneLine(strings.Join(names, ", ")) + more
	case v.Kind() == eval.List && v.Len() > 0:
		return fmt.Sprintf("it is a list: its elements are 0 to %d", v.Len()-1)
	}
	return "it is " + eval.Describe(v) + ", name it alone"
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
