package bridge

import (
	"slices"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// plan is one item of a reply laid out: its calls in the order of the text,
// and for each the arms that accept its outcomes and the calls they lead to
// (bridge.md 5.3).
type plan struct {
	calls []planned
	arms  []arm
	links []linked
	stray syntax.Token // the word of an arm that no call of the item declares
}

// none stands for no call.
const none = -1

// planned is one call of an item, or the text that ends it.
type planned struct {
	node   syntax.Node // a Call or an ErrorNode
	verb   *check.Verb // nil if it is a word of the wire, or nobody grants it
	word   wireWord
	onward int  // the call that `|>` behind it leads to
	done   bool // it has had its turn
	ways   ways // what the reply can come to from here on, once foreseen
}

// arm is one arm of an item.
type arm struct {
	view syntax.ArmView
	word string
	call int // the call it stands behind
	next int // the first call of its path
}

// linked says that an arm accepts an outcome of a call.
type linked struct{ call, arm int }

// lay lays an item out. Which arms belong to which calls depends on what the
// vocabulary declares, so an item is laid out when its turn has come.
func (p *plan) lay(item syntax.Node, words *check.Vocabulary) {
	*p = plan{calls: p.calls[:0], arms: p.arms[:0], links: p.links[:0]}
	p.path(item, words)
	for i := range p.arms {
		p.own(i)
	}
}

// path lays out calls and arms that follow each other, and returns the first
// call. The path of an arm is one as well; the parser nests them no deeper.
func (p *plan) path(n syntax.Node, words *check.Vocabulary) (first int) {
	first, last, leading := none, none, none
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.Call, syntax.ErrorNode:
			i := p.add(c, words)
			switch {
			case leading != none:
				p.arms[leading].next = i
			case last != none:
				p.calls[last].onward = i
			}
			if first == none {
				first = i
			}
			last, leading = i, none
		case syntax.WireArm:
			view := syntax.ArmView{Node: c}
			a := len(p.arms)
			p.arms = append(p.arms, arm{view: view, word: view.Name().Text(), call: last, next: none})
			p.arms[a].next = p.path(c, words)
			leading = a
		}
	}
	return first
}

func (p *plan) add(n syntax.Node, words *check.Vocabulary) int {
	c := planned{node: n, onward: none}
	if n.Kind() == syntax.Call {
		name := syntax.CallView{Node: n}.Path().Text()
		if c.verb = words.Verb(name); c.verb == nil {
			c.word = wireWordOf(name, words)
		}
	}
	p.calls = append(p.calls, c)
	return len(p.calls) - 1
}

// own finds the calls that an arm belongs to: the one it stands behind if it
// stands on the same line, else every earlier call of the item that declares
// its word and has no arm for it yet (R25). If all that declare it have one, it
// is one too many for the last of them.
func (p *plan) own(i int) {
	a := &p.arms[i]
	if !startsLine(a.view) {
		p.links = append(p.links, linked{a.call, i})
		return
	}
	declaring, taken := none, false
	for c := a.call; c >= 0; c-- {
		if !p.calls[c].declares(a.word) {
			continue
		}
		if p.arm(c, a.word) != nil {
			if declaring == none {
				declaring = c
			}
			continue
		}
		p.links = append(p.links, linked{c, i})
		taken = true
	}
	if !taken && declaring == none {
		declaring = p.releaseBefore(a)
	}
	switch {
	case taken:
	case declaring != none:
		p.links = append(p.links, linked{declaring, i})
	case !p.stray.IsValid():
		p.stray = a.view.Name()
	}
}

// releaseBefore returns the last release in front of an arm that no call
// declares the word of: the verb that lets the handle go may declare it.
func (p *plan) releaseBefore(a *arm) int {
	for c := a.call; c >= 0; c-- {
		if p.calls[c].word == wordRelease {
			return c
		}
	}
	return none
}

// declares reports whether a call can end in an outcome. Of a verb that nobody
// grants it is not known: the call is refused for that.
func (c *planned) declares(word string) bool {
	switch {
	case c.node.Kind() == syntax.ErrorNode:
		return false
	case c.verb == nil:
		return c.word.declares(word)
	}
	o := c.verb.Tor.Outcome(word)
	return o != nil && !o.Effect
}

// startsLine reports whether an arm is the first of its line.
func startsLine(v syntax.ArmView) bool {
	t := v.FirstToken().Prev()
	for t.Kind() == syntax.Space {
		t = t.Prev()
	}
	return t.Kind() == syntax.Newline
}

// arm returns the arm of a call for an outcome, or nil.
func (p *plan) arm(call int, word string) *arm {
	for _, l := range p.links {
		if l.call == call && p.arms[l.arm].word == word {
			return &p.arms[l.arm]
		}
	}
	return nil
}

// armed lists the verbs that the calls of the item name, each with the outcomes
// that all its calls have arms for.
func (p *plan) armed() []check.Armed {
	var list []check.Armed
	for i := range p.calls {
		c := &p.calls[i]
		if c.node.Kind() == syntax.ErrorNode {
			continue
		}
		a := check.Armed{Name: syntax.CallView{Node: c.node}.Path().Text(), Verb: c.verb, Words: p.wordsOf(i)}
		if c.verb == nil && c.word != noWord {
			a.Verb = c.word.verb()
		}
		at := slices.IndexFunc(list, func(other check.Armed) bool { return other.Name == a.Name })
		if at < 0 {
			list = append(list, a)
			continue
		}
		list[at].Words = slices.DeleteFunc(list[at].Words, func(w string) bool { return !slices.Contains(a.Words, w) })
	}
	return list
}

// wordsOf lists the words that the arms of a call accept.
func (p *plan) wordsOf(call int) []string {
	var words []string
	for _, l := range p.links {
		if l.call == call {
			words = append(words, p.arms[l.arm].word)
		}
	}
	return words
}

// reach marks every call that can still come after one: those are the steps
// that a stop has kept from running. The others stand on arms not taken.
func (p *plan) reach(from int, reached func(call int)) {
	visit := func(i int) {
		if i != none && !p.calls[i].done {
			p.calls[i].done = true
			reached(i)
		}
	}
	// Paths lead forwards only, so one pass in the order of the text is enough.
	for i := from; i < len(p.calls); i++ {
		if i != from && !p.calls[i].done {
			continue
		}
		visit(p.calls[i].onward)
		for _, l := range p.links {
			if l.call == i {
				visit(p.arms[l.arm].next)
			}
		}
	}
}
