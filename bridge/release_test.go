package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// letGo releases the pool and returns the handles in the order their verbs were
// invoked; those in stuck fail.
func (d *desk) letGo(stuck ...string) (order []string, remaining int) {
	d.Helper()
	remaining, err := d.pool.release(func(r *record) error {
		order = append(order, r.handle)
		if slices.Contains(stuck, r.handle) {
			return errors.New("stuck")
		}
		return nil
	})
	if err != nil {
		d.Fatal(err)
	}
	if err := d.pool.check(); err != nil {
		d.Fatal(err)
	}
	return order, remaining
}

// Each case is one of the orders that the upstream suite pins (bridge.md 7.6, 12.2).
func TestReleaseOrder(t *testing.T) {
	for _, tt := range []struct {
		name      string
		make      func(d *desk)
		stuck     []string
		want      []string
		remaining int
	}{
		{"nothing", func(d *desk) {}, nil, nil, 0},
		{"independent: the youngest first (440_011)", func(d *desk) {
			d.note("a")
			d.note("b")
			d.note("c")
		}, nil, []string{"c", "b", "a"}, 0},
		{"a dependent goes before its provider (440_010)", func(d *desk) {
			a := d.note("a")
			d.note("b", lend(a))
		}, nil, []string{"b", "a"}, 0},
		{"a chain unwinds leaf first (440_014)", func(d *desk) {
			a := d.note("a")
			b := d.note("b", lend(a))
			d.note("c", lend(b))
		}, nil, []string{"c", "b", "a"}, 0},
		{"two providers wait for their one dependent (440_015)", func(d *desk) {
			a := d.note("a")
			b := d.note("b")
			d.note("c", lend(a), lend(b))
			d.note("d")
		}, nil, []string{"d", "c", "b", "a"}, 0},
		{"what was let go in a turn is not let go again (440_013)", func(d *desk) {
			a := d.note("a")
			d.note("b")
			d.close(a)
		}, nil, []string{"b"}, 0},
		{"a dependent that cannot go keeps its provider (440_016)", func(d *desk) {
			a := d.note("a")
			d.note("b", lend(a))
		}, []string{"b"}, []string{"b"}, 2},
		{"a failure keeps only what is under it, and is tried again after progress", func(d *desk) {
			a := d.note("a")
			d.note("b", lend(a))
			d.note("c")
		}, []string{"b"}, []string{"c", "b", "b"}, 2},
		{"a re-issued provider is younger, but still goes last (R87)", func(d *desk) {
			a := d.note("a")
			d.note("b", lend(a))
			d.note("a", hold(a))
			d.note("c")
		}, nil, []string{"c", "b", "a"}, 0},
		{"a provider let go by name first frees its dependents of it (U9)", func(d *desk) {
			a := d.note("a")
			d.note("b", lend(a))
			d.close(a)
		}, nil, []string{"b"}, 0},
		{"a handle re-issued from its own dependent does not wait for it", func(d *desk) {
			a := d.note("a")
			b := d.note("b", lend(a))
			d.note("a", hold(a), lend(b))
		}, nil, []string{"b", "a"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			tt.make(d)
			order, remaining := d.letGo(tt.stuck...)
			if diff := cmp.Diff(tt.want, order); diff != "" || remaining != tt.remaining {
				t.Errorf("%d remain, want %d; order (-want +got):\n%s", remaining, tt.remaining, diff)
			}
		})
	}
}

// Random pools are let go in the order of the algorithm as the rules put it:
// every pass walks all records from the youngest to the oldest (bridge.md 7.6).
func TestReleaseAgainstThePlainAlgorithm(t *testing.T) {
	plain := func(records []*record, fails func(*record) bool) (order []string) {
		gone := map[*record]bool{}
		for progress := true; progress; {
			progress = false
			for _, r := range slices.Backward(records) {
				waits := slices.ContainsFunc(records, func(q *record) bool { return !gone[q] && slices.Contains(q.providers, r) })
				if gone[r] || waits {
					continue
				}
				order = append(order, r.handle)
				if !fails(r) {
					gone[r], progress = true, true
				}
			}
		}
		return order
	}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		d := newDesk(t)
		for range 1 + rnd.IntN(25) {
			var given []claim
			for r := d.pool.owed.oldest; r != nil; r = r.links[byAge].younger {
				if rnd.IntN(5) == 0 {
					given = append(given, lend(r))
				}
			}
			d.note(fmt.Sprintf("n%d", rnd.IntN(15)), given...)
		}
		var records []*record
		for r := d.pool.owed.oldest; r != nil; r = r.links[byAge].younger {
			records = append(records, r)
		}
		stuck := map[string]int{} // how often the verb of a handle fails
		for _, r := range records {
			if rnd.IntN(4) == 0 {
				stuck[r.handle] = rnd.IntN(4)
			}
		}
		failing := func() func(*record) bool {
			tries := map[string]int{}
			return func(r *record) bool { tries[r.handle]++; return tries[r.handle] <= stuck[r.handle] }
		}
		want := plain(records, failing())
		var got []string
		fails := failing()
		d.pool.release(func(r *record) error {
			got = append(got, r.handle)
			if fails(r) {
				return errors.New("stuck")
			}
			return nil
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if err := d.pool.check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A discharger may hand out what a session then owes as well: closing a child
// gives its parent back (language.md 5.1, nesting).
func TestReleaseGoesOnWithWhatIsHandedBack(t *testing.T) {
	d := newDesk(t)
	d.note("child")
	var order []string
	remaining, _ := d.pool.release(func(r *record) error {
		order = append(order, r.handle)
		if r.handle == "child" {
			d.note("parent")
		}
		return nil
	})
	if want := []string{"child", "parent"}; remaining != 0 || !slices.Equal(order, want) {
		t.Errorf("order %v, %d remain", order, remaining)
	}
}

// Two verbs that hand each other back for ever cannot keep a session open.
func TestReleaseEnds(t *testing.T) {
	p := newPool("a", 0, nil)
	text := func(i int) mint { return mint{handle: fmt.Sprint(i), owed: true, scope: "s"} }
	p.mint(text(0))
	calls := 0
	remaining, _ := p.release(func(*record) error {
		calls++
		p.mint(text(calls))
		return nil
	})
	if remaining != 1 || calls != maxHeirs+1 {
		t.Errorf("%d calls, %d remain", calls, remaining)
	}
}

// The shape that costs a plain pass over all records most: a long chain whose
// providers were all re-issued, so that they are younger than what leans on them.
func BenchmarkReleaseInvertedChain(b *testing.B) {
	const n = 2000
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		p := newPool("a", 0, nil)
		text := func(i int, given ...claim) mint {
			return mint{handle: fmt.Sprint(i), owed: true, scope: "s", given: given}
		}
		last, _ := p.mint(text(0))
		for i := 1; i < n; i++ {
			last, _ = p.mint(text(i, lend(last)))
		}
		for i := n - 2; i >= 0; i-- {
			p.mint(text(i))
		}
		b.StartTimer()
		if remaining, _ := p.release(func(*record) error { return nil }); remaining != 0 {
			b.Fatal(remaining)
		}
	}
}
