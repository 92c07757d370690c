package check

import (
	"slices"

	"github.com/koru-go/koru/syntax"
)

// standing says how a value stands to its state on the path that is walked.
type standing uint8

const (
	untracked standing = iota // nothing is known of its state
	anyState                  // its owner vouches for whatever state it is in
	lent                      // in a state, but its debt is somebody else's
	owed                      // in a state, and this path has to discharge it
	dead                      // discharged or moved away
	lost                      // in the hands of text that was not understood
)

// holding is a place of a flow, a binding or a field of a record, whose state
// changes along the path. States that never change are read off the type.
type holding struct {
	root     *Binding
	path     []string // the fields that lead from root to the resource
	typ      *Type
	states   []State // one, but for an input that accepts a union
	standing standing
	depth    int         // effects and loops around the place where it was minted
	mint     *Call       // who minted it, or nil for an input of the owner
	spent    syntax.Node // what ended it
	spender  *Tor
	older    int32 // the holding before it with the same root, or -1
}

// custody is everything held on the path that is walked. Arms are independent
// paths (language.md 13), so the walk goes back and forth: going into an arm
// costs nothing, and going back undoes only what the arm changed.
type custody struct {
	list   []holding
	newest []int32 // by slot of the root: 1 + index in list, 0 if nothing is held
	trail  []change
	dead   int // how many are dead,
	owed   int // and how many are owed
}

type change struct {
	at       int
	standing standing
	spent    syntax.Node
	spender  *Tor
}

// moment is a point of a path to go back to.
type moment struct{ held, changed int }

func (c *custody) now() moment { return moment{len(c.list), len(c.trail)} }

func (c *custody) rewind(m moment) {
	for i := len(c.trail) - 1; i >= m.changed; i-- {
		was := &c.trail[i]
		h := &c.list[was.at]
		c.count(h.standing, was.standing)
		h.standing, h.spent, h.spender = was.standing, was.spent, was.spender
	}
	c.trail = c.trail[:m.changed]
	for i := len(c.list) - 1; i >= m.held; i-- {
		h := &c.list[i]
		c.count(h.standing, lent)
		c.newest[h.root.Slot] = h.older + 1
	}
	clear(c.list[m.held:])
	c.list = c.list[:m.held]
}

// count keeps the numbers of what is dead and what is owed.
func (c *custody) count(from, to standing) {
	switch from {
	case dead:
		c.dead--
	case owed:
		c.owed--
	}
	switch to {
	case dead:
		c.dead++
	case owed:
		c.owed++
	}
}

// hold begins to track a place.
func (c *custody) hold(h holding) {
	slot := h.root.Slot
	if slot >= len(c.newest) {
		c.newest = append(c.newest, make([]int32, slot+1-len(c.newest))...)
	}
	h.older = c.newest[slot] - 1
	c.list = append(c.list, h)
	c.newest[slot] = int32(len(c.list))
	c.count(lent, h.standing)
}

// turn changes how a holding stands.
func (c *custody) turn(at int, to standing, spent syntax.Node, spender *Tor) {
	h := &c.list[at]
	c.trail = append(c.trail, change{at, h.standing, h.spent, h.spender})
	c.count(h.standing, to)
	h.standing, h.spent, h.spender = to, spent, spender
}

// of returns the index of the newest holding below a binding, or -1. The
// others follow by holding.older.
func (c *custody) of(root *Binding) int {
	if root == nil || root.Slot >= len(c.newest) {
		return -1
	}
	return int(c.newest[root.Slot]) - 1
}

// at returns the index of the holding at exactly that place, or -1.
func (c *custody) at(root *Binding, path []string) int {
	for i := c.of(root); i >= 0; i = int(c.list[i].older) {
		if c.list[i].root == root && slices.Equal(c.list[i].path, path) {
			return i
		}
	}
	return -1
}

// grave returns the index of a dead holding that a use of the place touches,
// the place itself or what it is a part of, or -1.
func (c *custody) grave(root *Binding, path []string) int {
	if c.dead == 0 {
		return -1
	}
	for i := c.of(root); i >= 0; i = int(c.list[i].older) {
		h := &c.list[i]
		if h.standing == dead && h.root == root && partOf(path, h.path) {
			return i
		}
	}
	return -1
}

// partOf reports whether path leads to or into what outer leads to.
func partOf(path, outer []string) bool {
	return len(path) >= len(outer) && slices.Equal(path[:len(outer)], outer)
}
