package bridge

import (
	"container/heap"
	"math"
)

// maxHeirs bounds how many handles the dischargers themselves may mint while a
// session is released. Closing a child may well hand back its parent; two
// verbs that hand each other back for ever may not keep a session open.
const maxHeirs = 10_000

// release lets go of everything the pool owes, dependents before their
// providers and otherwise the youngest first (bridge.md 7.6). discharge runs
// the verb of one record; a record is gone only after that returned nil, and a
// record that could not be let go keeps what it leans on. Passes over the pool
// go on for as long as one of them let something go, since a failed discharge
// may succeed after another. It returns how many handles remain, and the first
// error of the ledger.
//
// The order is that of the algorithm which walks all records from the youngest
// to the oldest, pass after pass; but a record is looked at only once nothing
// leans on it, so that a long chain costs n log n and not n².
func (p *pool) release(discharge func(*record) error) (remaining int, err error) {
	s := &sweep{}
	p.sweep = s
	defer func() { p.sweep = nil }()
	for r := p.owed.oldest; r != nil; r = r.links[byAge].younger {
		s.add(r)
	}
	for progress := true; progress; {
		progress = false
		s.pass()
		for r := s.take(); r != nil; r = s.take() {
			c := claim{record: r, id: r.id, consume: true}
			if discharge(r) != nil {
				s.add(r)
				continue
			}
			progress = true
			if e := p.consume(c, r.discharge); err == nil {
				err = e
			}
		}
	}
	return p.owed.len, err
}

// sweep is the state of one release: the records that nothing leans on, split
// into those that this pass still reaches and those that wait for the next.
type sweep struct {
	now, next ageHeap
	cursor    int // the number of the record at hand; this pass reaches only older ones
	heirs     int
}

// pass starts the next pass at the young end.
func (s *sweep) pass() {
	s.now, s.next = s.next, s.now[:0]
	s.cursor = math.MaxInt
}

// admit adds a record that was minted while the release runs.
func (s *sweep) admit(r *record) {
	if s == nil || s.heirs == maxHeirs {
		return
	}
	s.heirs++
	s.add(r)
}

// add queues a record that may be let go, if nothing leans on it. A nil sweep
// ignores it.
func (s *sweep) add(r *record) {
	if s == nil || r.queued || r.dependents > 0 {
		return
	}
	r.queued = true
	if e := (aged{r, r.id}); r.id < s.cursor {
		heap.Push(&s.now, e)
	} else {
		heap.Push(&s.next, e)
	}
}

// take returns the youngest record that this pass can let go, or nil. A record
// that was let go, leaned on or re-issued since it was queued is passed over;
// the latter two come back in their turn.
func (s *sweep) take() *record {
	for len(s.now) > 0 {
		e := heap.Pop(&s.now).(aged)
		e.record.queued = false
		switch {
		case e.record.discharged || e.record.dependents > 0:
		case e.record.id != e.id:
			s.add(e.record)
		default:
			s.cursor = e.id
			return e.record
		}
	}
	return nil
}

// aged is a record with the number it had when it was queued: a heap needs
// keys that stay.
type aged struct {
	record *record
	id     int
}

// ageHeap yields the youngest record first.
type ageHeap []aged

func (h ageHeap) Len() int           { return len(h) }
func (h ageHeap) Less(i, j int) bool { return h[i].id > h[j].id }
func (h ageHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ageHeap) Push(x any)        { *h = append(*h, x.(aged)) }

func (h *ageHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = aged{}
	*h = (*h)[:last]
	return e
}
