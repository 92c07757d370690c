package bridge

// The two orders that a record stands in.
const (
	byAge  = iota // all owed records
	byKind        // records of one kind
)

// link is a record's place in one order.
type link struct{ older, younger *record }

// chain is a list of records from the oldest to the youngest.
type chain struct {
	oldest, youngest *record
	len              int
	axis             int
}

// end returns the youngest record; a nil chain is empty.
func (c *chain) end() *record {
	if c == nil {
		return nil
	}
	return c.youngest
}

func (c *chain) push(r *record) {
	r.links[c.axis] = link{older: c.youngest}
	if c.youngest == nil {
		c.oldest = r
	} else {
		c.youngest.links[c.axis].younger = r
	}
	c.youngest = r
	c.len++
}

func (c *chain) remove(r *record) {
	l := r.links[c.axis]
	if l.older == nil {
		c.oldest = l.younger
	} else {
		l.older.links[c.axis].younger = l.younger
	}
	if l.younger == nil {
		c.youngest = l.older
	} else {
		l.younger.links[c.axis].older = l.older
	}
	r.links[c.axis] = link{}
	c.len--
}
