package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// check verifies what must hold between any two operations on a pool.
func (p *pool) check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	dependents := map[*record]int{}
	n, last := 0, 0
	for r := p.owed.oldest; r != nil; r = r.links[byAge].younger {
		n++
		if r.id <= last || r.id > p.lastID {
			fail("record %d stands after record %d; the last number given is %d", r.id, last, p.lastID)
		}
		last = r.id
		if r.discharged || !r.owed {
			fail("record %d is listed as owed and is not", r.id)
		}
		seen := map[*record]bool{}
		for _, q := range r.providers {
			if seen[q] || q == r {
				fail("record %d leans on record %d twice or is it", r.id, q.id)
			}
			seen[q] = true
			dependents[q]++
			if q.leansOn(r) {
				fail("records %d and %d lean on each other", r.id, q.id)
			}
		}
	}
	if n != p.owed.len {
		fail("%d records are owed, the count says %d", n, p.owed.len)
	}
	for r := p.owed.oldest; r != nil; r = r.links[byAge].younger {
		if r.dependents != dependents[r] {
			fail("record %d has %d dependents, it counts %d", r.id, dependents[r], r.dependents)
		}
	}

	if shown := p.held(); len(shown) != n {
		fail("%d records are owed, %d are shown", n, len(shown))
	} else {
		r := p.owed.oldest
		for _, h := range shown {
			if h != (Held{r.binding, r.handle, r.resource, r.owes.String()}) {
				fail("record %d is shown as %v", r.id, h)
			}
			r = r.links[byAge].younger
		}
	}

	named, owed := 0, 0
	identified := map[any]bool{}
	for key, r := range p.byName {
		owes := map[obligation]bool{}
		for ; r != nil; r = r.twin {
			named++
			if r.discharged || key != (name{r.capability, r.handle, r.scope}) {
				fail("record %d is filed under %v", r.id, key)
			}
			if r.owed {
				owed++
				if owes[r.owes] {
					fail("%v owes %v twice", key, r.owes)
				}
				owes[r.owes] = true
			}
			if r.identity != nil {
				identified[r.identity] = true
				if p.objects[r.identity] != r.handle {
					fail("the object of record %d is known as %q", r.id, p.objects[r.identity])
				}
			}
		}
	}
	if len(identified) != len(p.objects) {
		fail("%d objects are known, %d of them are alive", len(p.objects), len(identified))
	}
	kinds := 0
	for key, c := range p.byKind {
		n := 0
		for r := c.oldest; r != nil; r = r.links[byKind].younger {
			n++
			if key != (kind{r.scope, r.resource, r.owes}) {
				fail("record %d is of kind %v", r.id, key)
			}
		}
		if n != c.len {
			fail("%d records of kind %v, the count says %d", n, key, c.len)
		}
		kinds += n
	}
	if owed != p.owed.len || kinds != named {
		fail("%d owed, %d owed by name, %d by name, %d by kind", p.owed.len, owed, named, kinds)
	}
	return errors.Join(errs...)
}

// desk is a session that tests hand out things from: it counts bindings and
// keeps the ledger in memory.
type desk struct {
	*testing.T
	pool  *pool
	steps int
	log   []string
}

func newDesk(t *testing.T) *desk {
	d := &desk{T: t}
	d.pool = newPool("a", 0, func(e *Entry) error {
		d.log = append(d.log, fmt.Sprintf("%s %d %s %s via %s", e.Op, e.ID, e.Handle, e.Binding, e.Discharge))
		return nil
	})
	return d
}

func (d *desk) mint(m mint) *record {
	d.Helper()
	d.steps++
	m.scope, m.binding = "s", fmt.Sprintf("r%d", d.steps)
	r, err := d.pool.mint(m)
	if err != nil {
		d.Fatal(err)
	}
	if err := d.pool.check(); err != nil {
		d.Fatal(err)
	}
	return r
}

var (
	dirState  = obligation{"std.fs", "dir"}
	openState = obligation{"main", "open"}
)

// note mints the string handle that a verb returned as text.
func (d *desk) note(text string, given ...claim) *record {
	d.Helper()
	return d.mint(mint{handle: text, owed: true, owes: openState, resource: "string", createdBy: "open", discharge: "close", given: given})
}

// dir mints a capability.
func (d *desk) dir(object any, given ...claim) *record {
	d.Helper()
	return d.mint(mint{capability: true, object: object, owed: true, owes: dirState, resource: "Dir", createdBy: "dir", discharge: "close", given: given})
}

func (d *desk) close(r *record) {
	d.Helper()
	if err := d.pool.consume(hold(r), "close"); err != nil {
		d.Fatal(err)
	}
	if err := d.pool.check(); err != nil {
		d.Fatal(err)
	}
}

// hold is the claim of a call that consumes r; lend that of one that does not.
func hold(r *record) claim { return claim{record: r, id: r.id, consume: true} }
func lend(r *record) claim { return claim{record: r, id: r.id} }

func (d *desk) holds(want ...string) {
	d.Helper()
	got := []string{}
	for _, h := range d.pool.held() {
		got = append(got, h.Binding+"="+h.Handle)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		d.Errorf("held (-want +got):\n%s", diff)
	}
}

// What names a handle, and what does not (bridge.md 7.3).
func TestFind(t *testing.T) {
	d := newDesk(t)
	d.dir(new(int))
	d.dir(new(int))
	closed := d.dir(new(int))
	d.close(closed)
	d.note("note_0")
	dirField := want{scope: "s", resource: "Dir", states: []demand{{dirState, true}}}
	noteField := want{scope: "s", resource: "string", states: []demand{{openState, true}}}
	anyDir := want{scope: "s", resource: "Dir"}

	for _, tt := range []struct {
		name       string
		capability bool
		handle     string
		want       want
		found      int // the record's number, 0 for HandleNotHeld
	}{
		{"alive, right type", true, "h:Dir:737eec", dirField, 1},
		{"the second one", true, "h:Dir:89715d", dirField, 2},
		{"a field without a state takes any", true, "h:Dir:737eec", anyDir, 1},
		{"one of two states", true, "h:Dir:737eec", want{"s", "Dir", []demand{{openState, true}, {dirState, true}}}, 1},
		{"already discharged", true, "h:Dir:700b53", dirField, 0},
		{"wrong resource type", true, "h:Dir:737eec", want{"s", "Conn", nil}, 0},
		{"the state of another module", true, "h:Dir:737eec", want{"s", "Dir", []demand{{obligation{"main", "dir"}, true}}}, 0},
		{"minted under another scope", true, "h:Dir:737eec", want{"other", "Dir", nil}, 0},
		{"counted", true, "h:Dir:2", dirField, 0},
		{"guessed", true, "h:Dir:ffffff", dirField, 0},
		{"a capability spelled as text", false, "h:Dir:737eec", want{"s", "Dir", nil}, 0},
		{"a string handle spelled as text", false, "note_0", noteField, 4},
		{"a string handle nobody holds", false, "note_7", noteField, 0},
		{"nothing", false, "", noteField, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := d.pool.find(tt.capability, tt.handle, &tt.want)
			if ok != (tt.found > 0) || c.id != tt.found {
				t.Errorf("found record %d, %t; want %d", c.id, ok, tt.found)
			}
		})
	}
}

func TestMintNamesCapabilities(t *testing.T) {
	d := newDesk(t)
	one := new(int)
	first := d.dir(one)
	if again := d.dir(one); again != first || again.handle != "h:Dir:737eec" || again.id != 2 {
		t.Errorf("the same object again: got record %d of %s", again.id, again.handle)
	}
	d.close(first)
	if r := d.dir(one); r.handle != "h:Dir:89715d" {
		t.Errorf("the object after its discharge: got %s, want a fresh token", r.handle)
	}
	// Objects that nothing tells apart are a handle each time they come.
	for _, object := range []any{[]int{1}, nil, nil, new(struct{}), new(struct{})} {
		d.dir(object)
	}
	if d.pool.count() != 6 || len(d.pool.byName) != 6 {
		t.Errorf("%d handles of %d names, want 6 of 6", d.pool.count(), len(d.pool.byName))
	}
}

// A host outside this process may answer with the token it was given, which
// is the same handle, or with a name of its own, which is not a token and is
// the same handle as long as one of that type is held under it.
func TestMintByText(t *testing.T) {
	d := newDesk(t)
	typed := func(resource, text string) *record {
		return d.mint(mint{capability: true, handle: text, owed: true, owes: openState, resource: resource, createdBy: "connect", discharge: "hang-up"})
	}
	conn := func(text string) *record { return typed("Conn", text) }
	r := conn("line 1")
	if r.handle != "h:Conn:737eec" || r.object != "line 1" {
		t.Errorf("a name of the host's: %s for %v", r.handle, r.object)
	}
	if again := conn(r.handle); again != r || r.object != "line 1" {
		t.Errorf("the token it was given: %s for %v", again.handle, again.object)
	}
	if forged := conn("h:Conn:ffffff"); forged.handle == "h:Conn:ffffff" {
		t.Error("a host must not choose its tokens")
	}
	d.holds("r2=h:Conn:737eec", "r3=h:Conn:89715d")
	if again := conn("line 1"); again != r || again.handle != "h:Conn:737eec" {
		t.Errorf("its own name again: %s for %v", again.handle, again.object)
	}
	page := typed("Page", "line 1")
	d.holds("r3=h:Conn:89715d", "r4=h:Conn:737eec", "r5=h:Page:700b53")
	d.close(r)
	if fresh := conn("line 1"); fresh == r || fresh.handle == "h:Conn:737eec" {
		t.Errorf("the name after its discharge: %s, want a fresh token", fresh.handle)
	}
	if again := typed("Page", "line 1"); again != page {
		t.Error("what another type calls the same is gone with it")
	}
}

// A re-issuing verb uses what it holds: one handle before, one after, under
// the newest name and as the youngest (bridge.md 7.4, R87).
func TestReissue(t *testing.T) {
	d := newDesk(t)
	note := d.note("note_0")
	child := d.note("note_1", lend(note))
	used := hold(note)
	again := d.mint(mint{handle: "note_0", owed: true, owes: openState, resource: "string", createdBy: "append", discharge: "close", given: []claim{used}})
	d.holds("r2=note_1", "r3=note_0")
	if err := d.pool.consume(used, "append"); err != nil {
		t.Fatal(err)
	}
	d.holds("r2=note_1", "r3=note_0")
	if again.dependents != 1 || !slices.Contains(child.providers, again) {
		t.Errorf("what leaned on the old record must lean on the new one")
	}
	wantLog := []string{
		"mint 1 note_0 r1 via close",
		"mint 2 note_1 r2 via close",
		"mint 3 note_0 r3 via close",
		"discharge 1 note_0 r1 via append",
	}
	if diff := cmp.Diff(wantLog, d.log); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

// A verb that mints what is held already, without taking it, re-issues it too:
// one object never owes twice (R93).
func TestSecondMintReissues(t *testing.T) {
	d := newDesk(t)
	d.note("note_0")
	d.note("note_0")
	d.holds("r2=note_0")
	d.close(d.pool.byName[name{false, "note_0", "s"}])
	d.holds()
}

// A verb that takes a handle in one state and returns it in the next moves one
// possession on; what was made from it still goes first.
func TestTransition(t *testing.T) {
	d := newDesk(t)
	blank := d.mint(mint{handle: "form", owed: true, owes: obligation{"main", "blank"}, resource: "string", createdBy: "draw", discharge: "bin"})
	copied := d.note("copy", lend(blank))
	used := hold(blank)
	filled := d.mint(mint{handle: "form", owed: true, owes: obligation{"main", "filled"}, resource: "string", createdBy: "fill", discharge: "file", given: []claim{used}})
	if err := d.pool.consume(used, "fill"); err != nil {
		t.Fatal(err)
	}
	d.holds("r2=copy", "r3=form")
	if filled.owes.name != "filled" || filled.discharge != "file" || filled.dependents != 1 || copied.providers[0] != filled {
		t.Errorf("the filled form: %+v", filled)
	}
	if _, ok := d.pool.find(false, "form", &want{"s", "string", []demand{{obligation{"main", "blank"}, true}}}); ok {
		t.Error("the form is no longer blank")
	}
}

// Two obligations on one handle are two debts.
func TestTwoObligationsOnOneHandle(t *testing.T) {
	d := newDesk(t)
	file := d.note("f1")
	lock := d.mint(mint{handle: "f1", owed: true, owes: obligation{"main", "locked"}, resource: "string", createdBy: "lock", discharge: "unlock", given: []claim{lend(file)}})
	d.holds("r1=f1", "r2=f1")
	if file.dependents != 1 {
		t.Error("the lock leans on the file")
	}
	d.close(lock)
	d.holds("r1=f1")
	d.close(file)
	d.holds()
}

// A capability that owes nothing can be used, is not settled, and does not
// outlive what it was made from.
func TestPlainCapability(t *testing.T) {
	d := newDesk(t)
	dir := d.dir(new(int))
	peek := d.mint(mint{capability: true, object: new(int), owes: obligation{"std.fs", "view"}, resource: "View", createdBy: "view", given: []claim{lend(dir)}})
	deeper := d.mint(mint{capability: true, object: new(int), resource: "View", createdBy: "zoom", given: []claim{lend(peek)}})
	d.holds("r1=h:Dir:737eec")
	if dir.dependents != 0 {
		t.Error("what owes nothing holds nobody back")
	}
	view := want{scope: "s", resource: "View"}
	for _, r := range []*record{peek, deeper} {
		if _, ok := d.pool.find(true, r.handle, &view); !ok {
			t.Errorf("%s must be usable", r.handle)
		}
	}
	if _, ok := d.pool.named(true, peek.handle, "s"); ok {
		t.Error("release has nothing to let go")
	}
	take := want{"s", "View", []demand{{obligation{"std.fs", "view"}, true}}}
	if _, ok := d.pool.find(true, peek.handle, &take); ok || d.pool.fitting(&take, 5) != nil {
		t.Error("what is not owed cannot be consumed")
	}
	if got := d.pool.fitting(&view, 5); !slices.Equal(got, []string{"r2", "r3"}) {
		t.Errorf("fitting = %v", got)
	}
	d.close(dir)
	for _, r := range []*record{peek, deeper} {
		if _, ok := d.pool.find(true, r.handle, &view); ok {
			t.Errorf("%s must not outlive the directory", r.handle)
		}
		d.pool.forget(r)
	}
	if err := d.pool.check(); err != nil || len(d.pool.byName) != 0 {
		t.Errorf("%d names left, %v", len(d.pool.byName), err)
	}
	if len(d.log) != 2 {
		t.Errorf("the ledger knows debts only, got %q", d.log)
	}
}

// In a union each member stands alone: a handle is consumed in the one state
// and lent in the other (language.md 5.1).
func TestFindInUnion(t *testing.T) {
	d := newDesk(t)
	fed := obligation{"main", "fed"}
	d.note("n")
	d.mint(mint{handle: "m", owed: true, owes: fed, resource: "string"})
	w := want{"s", "string", []demand{{fed, true}, {openState, false}}}
	for handle, consume := range map[string]bool{"n": false, "m": true} {
		if c, ok := d.pool.find(false, handle, &w); !ok || c.consume != consume {
			t.Errorf("%s: consumed %t, %t", handle, c.consume, ok)
		}
	}
}

func TestConsumeTwice(t *testing.T) {
	d := newDesk(t)
	c := hold(d.note("n"))
	for range 2 {
		if err := d.pool.consume(c, "close"); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.log) != 2 {
		t.Errorf("a handle is discharged once, got %q", d.log)
	}
}

func TestHeldOldestFirst(t *testing.T) {
	d := newDesk(t)
	if got := d.pool.held(); got == nil || len(got) != 0 {
		t.Errorf("nothing held must be an empty list, got %#v", got)
	}
	d.dir(new(int))
	d.note("note_0")
	want := []Held{
		{"r1", "h:Dir:737eec", "Dir", "std.fs:dir"},
		{"r2", "note_0", "string", "main:open"},
	}
	if diff := cmp.Diff(want, d.pool.held()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFittingNamesTheYoungest(t *testing.T) {
	d := newDesk(t)
	for range 5 {
		d.dir(new(int))
	}
	d.note("n")
	if got := d.pool.fitting(&want{"s", "Dir", []demand{{dirState, true}}}, 3); !slices.Equal(got, []string{"r5", "r4", "r3"}) {
		t.Errorf("got %v", got)
	}
	if got := d.pool.fitting(&want{scope: "s", resource: "Conn"}, 3); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestLeaningOn(t *testing.T) {
	d := newDesk(t)
	a := d.note("a")
	d.note("b", lend(a))
	c := d.note("c", lend(a))
	d.note("d", lend(c))
	d.note("e", lend(a))
	if got := d.pool.leaningOn(a, 2); !slices.Equal(got, []string{"r5", "r3"}) {
		t.Errorf("got %v", got)
	}
	if got := d.pool.leaningOn(c, 5); !slices.Equal(got, []string{"r4"}) {
		t.Errorf("got %v", got)
	}
}

// R6: a string is known only in the state, and of the module, it came in.
func TestKnownStates(t *testing.T) {
	d := newDesk(t)
	payment := obligation{"main", "payment"}
	d.pool.learn(payment, "card_1")
	for _, tt := range []struct {
		state obligation
		text  string
		want  bool
	}{
		{payment, "card_1", true},
		{payment, "card_2", false},
		{obligation{"main", "user"}, "card_1", false},
		{obligation{"std.fs", "payment"}, "card_1", false},
	} {
		if got := d.pool.knows(tt.state, tt.text); got != tt.want {
			t.Errorf("%s known as %s: %t", tt.text, tt.state, got)
		}
	}
}

// A ledger that cannot be written is reported; the handle is held all the same.
func TestMintSurvivesTheLedger(t *testing.T) {
	full := errors.New("disk full")
	p := newPool("a", 0, func(*Entry) error { return full })
	r, err := p.mint(mint{handle: "n", owed: true, scope: "s"})
	if err != full || r == nil || p.count() != 1 {
		t.Errorf("got %v, %v, %d held", r, err, p.count())
	}
}

// Random sessions against a pool kept as a plain list, the way the rules put
// it (bridge.md 7.2 - 7.4).
func TestPoolAgainstPlainList(t *testing.T) {
	type plain struct {
		id      int
		handle  string
		binding string
	}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		d := newDesk(t)
		var list []plain
		drop := func(id int) {
			list = slices.DeleteFunc(list, func(p plain) bool { return p.id == id })
		}
		for range 60 {
			text := fmt.Sprintf("n%d", rnd.IntN(8))
			at := slices.IndexFunc(list, func(p plain) bool { return p.handle == text })
			switch c, ok := d.pool.find(false, text, &want{"s", "string", []demand{{openState, true}}}); {
			case ok != (at >= 0) || ok && c.id != list[at].id:
				t.Fatalf("seed %d: find %s = %d, %t", seed, text, c.id, ok)
			case ok && rnd.IntN(3) == 0:
				d.close(c.record)
				drop(list[at].id)
			default:
				var given []claim
				for _, p := range list {
					if g, ok := d.pool.find(false, p.handle, &want{scope: "s", resource: "string"}); ok && rnd.IntN(3) == 0 {
						given = append(given, g)
					}
				}
				r := d.note(text, given...)
				if at >= 0 {
					drop(list[at].id)
				}
				list = append(list, plain{r.id, text, r.binding})
			}
			var want []string
			for _, p := range list {
				want = append(want, p.binding+"="+p.handle)
			}
			d.holds(want...)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A session that opens and closes for ever keeps nothing of it, even when each
// handle was made from the one before.
func TestDischargedRecordsAreForgotten(t *testing.T) {
	d := newDesk(t)
	last := d.note("n0")
	for i := range 1000 {
		next := d.note(fmt.Sprintf("n%d", i+1), lend(last))
		d.close(last)
		if last.providers != nil {
			t.Fatal("a dead record keeps its providers alive")
		}
		last = next
	}
	d.close(last)
	kept := d.note("kept")
	for i := range 1000 {
		via := d.note(fmt.Sprintf("via%d", i))
		d.note("kept", hold(kept), lend(via))
		d.close(via)
	}
	if n := len(kept.providers); n > 1 {
		t.Errorf("a handle that is used for ever keeps %d dead ones", n)
	}
	d.close(kept)
	if len(d.pool.byName)+len(d.pool.objects) != 0 {
		t.Error("an empty pool still files records")
	}
}

func BenchmarkForgedHandle(b *testing.B) {
	p := newPool("a", 0, nil)
	for i := range 2000 {
		p.mint(mint{capability: true, owed: true, owes: dirState, resource: "Dir", scope: "s", binding: fmt.Sprintf("r%d", i)})
	}
	forged := make([]string, 1024)
	for i := range forged {
		forged[i] = fmt.Sprintf("h:Dir:%06x", i)
	}
	w := want{"s", "Dir", []demand{{dirState, true}}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := p.find(false, forged[i%len(forged)], &w); ok {
			b.Fatal("a forged handle was found")
		}
	}
}

func BenchmarkMintAndDischarge(b *testing.B) {
	p := newPool("a", 0, func(*Entry) error { return nil })
	for i := range 2000 {
		p.mint(mint{handle: fmt.Sprintf("held%d", i), owed: true, owes: openState, resource: "string", scope: "s"})
	}
	b.ReportAllocs()
	for b.Loop() {
		r, _ := p.mint(mint{handle: "note", owed: true, owes: openState, resource: "string", scope: "s"})
		p.consume(hold(r), "close")
	}
}

func BenchmarkReissue(b *testing.B) {
	p := newPool("a", 0, nil)
	m := mint{handle: "note", owed: true, owes: openState, resource: "string", scope: "s"}
	p.mint(m)
	b.ReportAllocs()
	for b.Loop() {
		p.mint(m)
	}
}
