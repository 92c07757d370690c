package bridge

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// recogniser says whether a grammar generates a text, the way a constrained
// decoder does: it carries along every stack of things that may still come.
// Sets of stacks are kept with where each character leads, so that many texts
// that are alike cost little.
type recogniser struct {
	t      testing.TB
	starts map[*rule][]*part // the alternatives of a rule; nil is the empty one
	stacks map[stack]*stack
	ids    map[*stack]uint32
	states map[string]*state
	start  *state
}

// part is one symbol of an alternative, and what comes after it.
type part struct {
	set  *set
	rule *rule
	next *part
}

// stack is what comes next, and what comes after that.
type stack struct {
	top   *part
	below *stack
}

type state struct {
	tops   []*stack // stacks whose top is a set of characters
	accept bool
	next   map[rune]*state
}

func newRecogniser(t testing.TB, g *grammar) *recogniser {
	r := &recogniser{
		t: t, starts: map[*rule][]*part{}, stacks: map[stack]*stack{}, ids: map[*stack]uint32{}, states: map[string]*state{},
	}
	for _, rule := range g.rules {
		r.starts[rule] = r.compile(rule.body, nil)
	}
	b := builder{r: r, seen: map[*stack]bool{}}
	b.push(r.starts[g.rules[0]], nil)
	r.start = b.state()
	return r
}

// accepts reports whether the grammar generates the text.
func (r *recogniser) accepts(text string) bool {
	s := r.start
	for _, c := range text {
		if s = r.advance(s, c); len(s.tops) == 0 && !s.accept {
			return false
		}
	}
	return s.accept
}

// reach returns how much of the text some sentence of the grammar begins with.
func (r *recogniser) reach(text string) string {
	s := r.start
	for i, c := range text {
		if s = r.advance(s, c); len(s.tops) == 0 && !s.accept {
			return text[:i]
		}
	}
	return text
}

func (r *recogniser) advance(s *state, c rune) *state {
	if next := s.next[c]; next != nil {
		return next
	}
	b := builder{r: r, seen: map[*stack]bool{}}
	for _, st := range s.tops {
		if st.top.set.has(c) {
			b.behind(st)
		}
	}
	if s.next == nil {
		s.next = map[rune]*state{}
	}
	s.next[c] = b.state()
	return s.next[c]
}

// compile returns the alternatives of an expression, each followed by next.
// Groups and repetitions become rules of their own.
func (r *recogniser) compile(e expr, next *part) []*part {
	switch e := e.(type) {
	case text:
		for _, c := range slices.Backward([]rune(e)) {
			next = &part{set: &set{ranges: [][2]rune{{c, c}}}, next: next}
		}
		return []*part{next}
	case class:
		s := newSet(e)
		return []*part{{set: &s, next: next}}
	case *rule:
		return []*part{{rule: e, next: next}}
	case seq:
		for _, p := range slices.Backward(e) {
			next = r.one(p, next)
		}
		return []*part{next}
	case alt:
		var all []*part
		for _, p := range e {
			all = append(all, r.compile(p, next)...)
		}
		return all
	case repeat:
		var more *rule
		if e.max < 0 {
			more = new(rule)
			r.starts[more] = append(r.compile(e.of, &part{rule: more}), nil)
		}
		for i := e.min; i < e.max; i++ {
			var then *part
			if more != nil {
				then = &part{rule: more}
			}
			more = new(rule)
			r.starts[more] = append(r.compile(e.of, then), nil)
		}
		if more != nil {
			next = &part{rule: more, next: next}
		}
		for range e.min {
			next = r.one(e.of, next)
		}
		return []*part{next}
	}
	r.t.Fatalf("%T is no expression", e)
	return nil
}

// one is compile for what has to be a single symbol.
func (r *recogniser) one(e expr, next *part) *part {
	switch e.(type) {
	case alt:
		group := new(rule)
		r.starts[group] = r.compile(e, nil)
		return &part{rule: group, next: next}
	}
	return r.compile(e, next)[0]
}

// builder gathers the stacks of a state.
type builder struct {
	r      *recogniser
	seen   map[*stack]bool
	tops   []*stack
	accept bool
	depth  int
}

func (b *builder) push(alternatives []*part, below *stack) {
	for _, p := range alternatives {
		b.put(p, below)
	}
}

// put adds what begins with a symbol, or, behind the last one, with what is
// below.
func (b *builder) put(p *part, below *stack) {
	switch {
	case p != nil:
		b.expand(b.r.stack(p, below))
	case below != nil:
		b.expand(below)
	default:
		b.accept = true
	}
}

func (b *builder) behind(s *stack) { b.put(s.top.next, s.below) }

func (b *builder) expand(s *stack) {
	if b.seen[s] {
		return
	}
	b.seen[s] = true
	if s.top.set != nil {
		b.tops = append(b.tops, s)
		return
	}
	if b.depth++; b.depth > 2000 {
		b.r.t.Fatal("the grammar is left recursive")
	}
	below := s.below
	if s.top.next != nil {
		below = b.r.stack(s.top.next, s.below)
	}
	b.push(b.r.starts[s.top.rule], below)
	b.depth--
}

func (b *builder) state() *state {
	ids := make([]uint32, len(b.tops))
	for i, s := range b.tops {
		ids[i] = b.r.ids[s]
	}
	slices.Sort(ids)
	key := make([]byte, 0, 4*len(ids)+1)
	for _, id := range ids {
		key = binary.LittleEndian.AppendUint32(key, id)
	}
	if b.accept {
		key = append(key, 1)
	}
	if b.r.states[string(key)] == nil {
		b.r.states[string(key)] = &state{tops: b.tops, accept: b.accept}
	}
	return b.r.states[string(key)]
}

func (r *recogniser) stack(p *part, below *stack) *stack {
	key := stack{p, below}
	if r.stacks[key] == nil {
		s := &stack{p, below}
		r.stacks[key] = s
		r.ids[s] = uint32(len(r.ids))
	}
	return r.stacks[key]
}

// sampler draws sentences of a grammar.
type sampler struct {
	rnd    *rand.Rand
	height map[*rule]int
	text   strings.Builder
	depth  int
	// fresh writes a rule in its own way instead, if it returns true.
	fresh func(r *rule, b *strings.Builder) bool
}

func newSampler(g *grammar, seed uint64) *sampler {
	s := &sampler{rnd: rand.New(rand.NewPCG(seed, 0)), height: map[*rule]int{}}
	for _, r := range g.rules {
		s.height[r] = 1 << 20
	}
	for changed := true; changed; {
		changed = false
		for _, r := range g.rules {
			if h := s.tall(r.body) + 1; h < s.height[r] {
				s.height[r], changed = h, true
			}
		}
	}
	return s
}

// tall is how deep rules nest at least in what an expression generates.
func (s *sampler) tall(e expr) int {
	h := 0
	switch e := e.(type) {
	case *rule:
		return s.height[e]
	case seq:
		for _, p := range e {
			h = max(h, s.tall(p))
		}
	case alt:
		h = 1 << 20
		for _, p := range e {
			h = min(h, s.tall(p))
		}
	case repeat:
		if e.min > 0 {
			h = s.tall(e.of)
		}
	}
	return h
}

func (s *sampler) sentence(g *grammar) string {
	s.text.Reset()
	s.draw(g.rules[0])
	return s.text.String()
}

func (s *sampler) draw(e expr) {
	switch e := e.(type) {
	case text:
		s.text.WriteString(string(e))
	case class:
		s.text.WriteRune(s.char(newSet(e)))
	case *rule:
		if s.fresh == nil || !s.fresh(e, &s.text) {
			s.depth++
			s.draw(e.body)
			s.depth--
		}
	case seq:
		for _, p := range e {
			s.draw(p)
		}
	case alt:
		s.draw(s.choose(e))
	case repeat:
		n := e.min
		for (e.max < 0 || n < e.max) && s.depth < 40 && s.rnd.IntN(3) > 0 && n < e.min+8 {
			n++
		}
		for range n {
			s.draw(e.of)
		}
	}
}

// choose takes any alternative; deep down, one of the lowest.
func (s *sampler) choose(e alt) expr {
	if s.depth < 40 {
		return e[s.rnd.IntN(len(e))]
	}
	return slices.MinFunc(e, func(a, b expr) int { return s.tall(a) - s.tall(b) })
}

func (s *sampler) char(set set) rune {
	if !set.not {
		r := set.ranges[s.rnd.IntN(len(set.ranges))]
		return r[0] + s.rnd.Int32N(r[1]-r[0]+1)
	}
	common := []rune(" abcxyz019_-.,:{}()[]|>\"\\é漢😀\n")
	for {
		c := common[s.rnd.IntN(len(common))]
		if set.has(c) {
			return c
		}
	}
}
