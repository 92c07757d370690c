package bridge

import (
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// What a reply can cost is known before any of it runs (R9): along each way
// that outcomes can lead it, the prices of the verbs add up. The least is that
// of the cheapest way on which nothing is refused, the greatest that of the
// dearest. A way ends early at an outcome that the reply does not accept, at
// abandon, and at what is certain to be refused.

// CostOf returns what the session would spend on a reply now. Nothing runs.
func (b *Bridge) CostOf(source string) check.Cost {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unusable() != nil || len(source) > maxReply {
		return check.Cost{}
	}
	r := replies.Get().(*reply)
	defer replies.Put(r)
	defer r.clear()
	r.b, r.turn = b, newTurn()
	r.file = r.room.Parse(source, r.declares)
	if r.number(); r.stop != nil {
		return check.Cost{}
	}
	return r.foresee()
}

// ways is what becomes of a reply from one place on: it goes on behind it, or
// it ends.
type ways struct {
	goesOn, ends bool
	on, end      check.Cost // where they are possible
}

func goesOn(c check.Cost) ways { return ways{goesOn: true, on: c} }
func ends(c check.Cost) ways   { return ways{ends: true, end: c} }

// then is one thing after another: the second happens if the first goes on.
func (w ways) then(v ways) ways {
	out := ways{ends: w.ends, end: w.end}
	if !w.goesOn {
		return out
	}
	if v.goesOn {
		out.goesOn, out.on = true, w.on.Then(v.on)
	}
	if v.ends {
		out = out.or(ends(w.on.Then(v.end)))
	}
	return out
}

// or is one of two things.
func (w ways) or(v ways) ways {
	return ways{
		w.goesOn || v.goesOn, w.ends || v.ends,
		either(w.goesOn, w.on, v.goesOn, v.on), either(w.ends, w.end, v.ends, v.end),
	}
}

func either(one bool, c check.Cost, other bool, d check.Cost) check.Cost {
	switch {
	case !one:
		return d
	case !other:
		return c
	}
	return c.Or(d)
}

// foresee returns what the reply can cost. It lays each item out as it will be
// when its turn comes.
func (r *reply) foresee() check.Cost {
	words, taught := &r.b.words, r.b.lessons
	whole := goesOn(check.Cost{})
	for n := range r.file.Items() {
		var next ways
		switch n.Kind() {
		case syntax.WireItem:
			r.plan.lay(n, words)
			next = r.foreseeItem()
		case syntax.SayLine:
			next = goesOn(check.Cost{})
			if v, _ := voice(words); v != nil {
				next = goesOn(priceOf(v)).then(fires(v, func(string) *arm { return nil }, nil))
			}
		case syntax.Definition:
			next = ends(check.Cost{})
			if d := r.b.foreseen(taught, r.definitionText(n)); d != nil {
				taught = taught.with(d)
				known := *words
				known.Defined = taught.order
				words, next = &known, goesOn(check.Cost{})
			}
		case syntax.ErrorItem:
			next = ends(check.Cost{})
		default:
			continue
		}
		whole = whole.then(next)
	}
	return either(whole.goesOn, whole.on, whole.ends, whole.end)
}

// foreseen judges a definition of a reply that has not run, or returns nil if it
// will be refused.
func (b *Bridge) foreseen(among lessons, text string) *definition {
	file := syntax.ParseReply(text, nil)
	item := file.Item(0)
	if len(file.Faults()) > 0 || item.Kind() != syntax.Definition {
		return nil
	}
	d, refusal := b.judge(&among, check.Taught{Decl: item.Child(syntax.TorItem), Body: item.Child(syntax.ImplItem), File: file})
	if refusal != nil {
		return nil
	}
	return d
}

// foreseeItem returns the ways of the item that is laid out. Its paths lead
// forwards only: from the last call to the first, each knows what comes after.
func (r *reply) foreseeItem() ways {
	p := &r.plan
	if p.stray.IsValid() {
		return ends(check.Cost{})
	}
	for i := len(p.calls) - 1; i >= 0; i-- {
		p.calls[i].ways = r.foreseeCall(i)
	}
	w := p.calls[0].ways
	if last := p.calls[len(p.calls)-1]; last.node.Kind() == syntax.ErrorNode && w.goesOn {
		w = ends(w.on).or(ways{ends: w.ends, end: w.end}) // the reply ends at text that is not wire
	}
	return w
}

func (r *reply) foreseeCall(i int) ways {
	p, c := &r.plan, &r.plan.calls[i]
	follow := func(next int) ways {
		if next == none {
			return goesOn(check.Cost{})
		}
		return p.calls[next].ways
	}
	switch {
	case c.verb == nil && (c.word == noWord || c.word == wordAbandon):
		return ends(check.Cost{})
	case c.word == wordRelease:
		return r.foreseeRelease(i, follow)
	case c.verb == nil: // a listing, which is free and goes on whether its text is named or not
		if a := p.arm(i, "ok"); a != nil {
			return follow(a.next)
		}
		return follow(c.onward)
	}
	price := goesOn(priceOf(c.verb))
	if !c.verb.Tor.Branches() {
		return price.then(follow(c.onward))
	}
	return price.then(fires(c.verb, func(word string) *arm { return p.arm(i, word) }, follow))
}

// fires is the ways behind the outcomes of a verb: along the arm that accepts
// one, on to the next item, or to the end of the reply.
func fires(v *check.Verb, armOf func(word string) *arm, follow func(int) ways) ways {
	var after ways
	if !v.Tor.Branches() {
		return goesOn(check.Cost{})
	}
	for _, o := range v.Tor.Outcomes {
		switch a := armOf(o.Name); {
		case o.Effect:
		case a != nil:
			after = after.or(follow(a.next))
		case o.Optional && !o.Panic:
			after = after.or(goesOn(check.Cost{}))
		default:
			after = after.or(ends(check.Cost{}))
		}
	}
	return after
}

// foreseeRelease prices a release: by the verb that lets go of what is held now,
// or, of what the reply is yet to come to hold, by any verb that lets go.
func (r *reply) foreseeRelease(i int, follow func(int) ways) ways {
	c := &r.plan.calls[i]
	var price ways
	supplied, _ := check.JudgeFields(releaseVerb.Tor, releaseVerb.Name, syntax.CallView{Node: c.node}.ArgList(), check.OnWire)
	held := r.b.heldAs(supplied[0].Value)
	for v := range verbsOf(&r.b.words) {
		if held != nil && v.Name == held.discharge || held == nil && len(v.Consumes) > 0 {
			price = price.or(goesOn(priceOf(v)))
		}
	}
	if !price.goesOn {
		return ends(check.Cost{})
	}
	after := follow(c.onward)
	for _, l := range r.plan.links {
		if l.call == i {
			after = after.or(follow(r.plan.arms[l.arm].next))
		}
	}
	return price.then(after)
}

// priceOf is what calling a verb costs.
func priceOf(v *check.Verb) check.Cost {
	return check.Cost{Least: v.Least, Greatest: v.Greatest, Unbounded: v.Unbounded}
}
