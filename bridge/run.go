package bridge

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Limits of one reply. What goes beyond them is refused before anything runs.
const (
	maxReply = 1 << 20 // bytes (R79)
	maxSteps = 1000
	maxChain = 100 // calls of one item
)

// keepWhole is how long a reply may be of which a result may keep hold: a text
// that it passes on is a part of it, and would keep all of it in memory.
const keepWhole = 4 << 10

// reply is one reply while it runs (bridge.md 5.6). Its slices are used again
// for the next.
type reply struct {
	b    *Bridge
	ctx  context.Context
	room *syntax.Replies
	file *syntax.File
	turn *Turn
	plan plan
	long bool // texts of the reply are copied before they are kept

	item   int     // the item at hand
	base   int     // steps before it
	locals []local // what the arms have bound so far
	spoken []local // the names that the arms of earlier items bind, fired or not
	stop   *Step   // the step that put an end to the reply
	at     int     // the call of the plan that is or was at hand
	end    ending

	args  []eval.Value
	later []int // arguments that name something
	call  call
	text  []byte
	// filled is how many bytes splices have made in the step at hand.
	filled int
	json   struct {
		text  string
		value eval.Value
	}
}

var replies = sync.Pool{New: func() any { return &reply{room: new(syntax.Replies)} }}

// clear lets go of everything a reply has seen and keeps its room.
func (r *reply) clear() {
	clear(r.locals[:cap(r.locals)])
	clear(r.args[:cap(r.args)])
	clear(r.plan.calls[:cap(r.plan.calls)])
	clear(r.plan.arms[:cap(r.plan.arms)])
	if cap(r.text) > maxSpliced/16 {
		r.text = nil
	}
	*r = reply{
		room:   r.room,
		plan:   plan{calls: r.plan.calls[:0], arms: r.plan.arms[:0], links: r.plan.links[:0]},
		locals: r.locals[:0], spoken: r.spoken[:0], args: r.args[:0], later: r.later[:0], text: r.text[:0],
		call: call{claims: r.call.claims[:0], minted: r.call.minted[:0]},
	}
}

// Run carries out a reply: item by item, each step judged just before it runs.
// What has run stays, and what did not is in the turn as well. A bridge serves
// one reply at a time; ctx stops it between two steps (R79).
func (b *Bridge) Run(ctx context.Context, source string) *Turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.unusable(); e != nil {
		return scopeMissing(e)
	}
	r := replies.Get().(*reply)
	defer replies.Put(r)
	defer r.clear()
	r.b, r.ctx, r.turn = b, ctx, newTurn()
	b.session.reply.used = 0
	r.run(source)
	return r.turn
}

func (r *reply) run(source string) {
	t := r.turn
	if len(source) > maxReply {
		source = source[:0]
		r.reject(fmt.Sprintf("the reply has more than %d bytes, and no reply may: send it in parts", maxReply))
	} else {
		r.long = len(source) > keepWhole
		r.file = r.room.Parse(source, r.declares)
		r.number()
		if r.stop == nil {
			t.Cost = r.foresee()
			t.Budgeted = r.b.purse.limited || r.b.session.reply.limited
		}
	}
	for ; r.item < r.file.NumItems(); r.item++ {
		n := r.file.Item(r.item)
		if r.stop == nil {
			r.perform(n)
		}
		if r.stop != nil || r.end.cancelled != "" {
			break
		}
		r.base += stepsOf(n)
	}
	r.afterwards()
	t.Held = r.b.pool.held()
	t.Used = r.b.purse.used
	t.conclude(r.end)
}

// declares tells the parser which verb has which outcome. What a definition of
// this very reply declares is not known yet.
func (r *reply) declares(verb, word string) bool {
	c := planned{verb: r.b.words.Verb(verb)}
	if c.verb == nil {
		if c.word = wireWordOf(verb, &r.b.words); c.word == noWord {
			return true
		}
	}
	return c.declares(word)
}

// stepsOf counts the steps of an item: its calls, and the text that is no wire.
// A note is no step.
func stepsOf(n syntax.Node) int {
	switch n.Kind() {
	case syntax.BlankItem, syntax.NoteLine:
		return 0
	case syntax.WireItem:
		count := 0
		for range callsOf(n) {
			count++
		}
		return count
	}
	return 1
}

// callsOf returns an iterator over the calls of an item in the order of the
// text, and the error node that may end it.
func callsOf(item syntax.Node) func(yield func(syntax.Node) bool) {
	return func(yield func(syntax.Node) bool) {
		for c := range item.Children() {
			switch c.Kind() {
			case syntax.Call, syntax.ErrorNode:
				if !yield(c) {
					return
				}
			case syntax.WireArm:
				for inner := range c.Children() {
					if (inner.Kind() == syntax.Call || inner.Kind() == syntax.ErrorNode) && !yield(inner) {
						return
					}
				}
			}
		}
	}
}

// number makes the steps of the reply, each as one that has not run, and
// refuses a reply that has too many.
func (r *reply) number() {
	t := r.turn
	longest, spoken := 0, false
	for n := range r.file.Items() {
		k := stepsOf(n)
		t.Of += k
		longest = max(longest, k)
		spoken = spoken || n.Kind() == syntax.NoteLine
	}
	switch {
	case t.Of == 0 && !spoken:
		r.reject("the reply was empty")
		return
	case t.Of > maxSteps:
		r.reject(fmt.Sprintf("the reply has %d steps, and no reply may have more than %d: send it in parts", t.Of, maxSteps))
		return
	case longest > maxChain:
		r.reject(fmt.Sprintf("an item of the reply has %d calls, and none may have more than %d: begin a new item", longest, maxChain))
		return
	}
	if t.Of > cap(t.Steps) {
		t.Steps = make([]Step, 0, t.Of)
	}
	for n := range r.file.Items() {
		switch n.Kind() {
		case syntax.WireItem:
			for c := range callsOf(n) {
				r.await(syntax.CallView{Node: c}.Path().Text())
			}
		case syntax.SayLine:
			r.await("say")
		case syntax.Definition:
			r.await(syntax.TorView{Node: n.Child(syntax.TorItem)}.Name().Text())
		case syntax.ErrorItem:
			r.await("")
		}
	}
}

func (r *reply) await(verb string) {
	t := r.turn
	t.Steps = append(t.Steps, Step{N: len(t.Steps) + 1, Of: t.Of, Verb: verb, Verdict: VerdictNotRun})
}

// reject refuses the reply as a whole: it is one step that is not wire.
func (r *reply) reject(message string) {
	r.file = syntax.ParseReply("", nil)
	r.turn.Of = 1
	r.turn.Steps = []Step{{N: 1, Of: 1}}
	r.refuse(&r.turn.Steps[0], &RunError{Kind: VerdictParse, Message: message, Code: "PARSE001", Line: 1, Column: 1})
}

// refuse ends the reply at a step that may not run, or that failed.
func (r *reply) refuse(s *Step, e *RunError) {
	s.Verdict, s.Refusal = e.Kind, e
	r.stop = s
	if teaches(e) {
		e.Delivered = delivered(r.turn.Steps[:s.N-1], s.Of)
	}
}

// goesOn reports whether the next step may run, or the caller has stopped the
// reply.
func (r *reply) goesOn() bool {
	if r.ctx.Err() == nil {
		return true
	}
	r.end.cancelled = stoppedBy(r.ctx)
	return false
}

// stoppedBy says why a context is done.
func stoppedBy(ctx context.Context) string {
	switch cause := context.Cause(ctx); cause {
	case context.DeadlineExceeded:
		return "the reply took longer than it may"
	case context.Canceled:
		return "the caller stopped the reply"
	default:
		return cause.Error()
	}
}

// perform carries out one item.
func (r *reply) perform(n syntax.Node) {
	switch n.Kind() {
	case syntax.BlankItem:
	case syntax.NoteLine:
		r.turn.Notes = append(r.turn.Notes, spokenText(n))
	case syntax.WireItem:
		r.calls(n)
	case syntax.ErrorItem:
		r.unread(n, &r.turn.Steps[r.base])
	default:
		if !r.goesOn() {
			return
		}
		if s := &r.turn.Steps[r.base]; n.Kind() == syntax.SayLine {
			r.say(n, s)
		} else {
			r.define(n, s)
		}
	}
}

// spokenText returns what stands behind the colon of a note.
func spokenText(n syntax.Node) string { return n.Token(syntax.Text).Text() }

// calls carries out an item of calls, along the arms that fire.
func (r *reply) calls(item syntax.Node) {
	r.plan.lay(item, &r.b.words)
	for r.at = 0; r.at != none && r.goesOn(); {
		s := &r.turn.Steps[r.base+r.at]
		c := &r.plan.calls[r.at]
		c.done = true
		next := none
		switch {
		case c.node.Kind() == syntax.ErrorNode:
			r.unread(c.node, s)
		case c.verb != nil:
			next = r.step(c, s)
		case c.word != noWord:
			next = r.control(c, s)
		default:
			_, refusal := r.b.words.JudgeVerb(syntax.CallView{Node: c.node}.Path())
			r.refuse(s, runError(s.Verb, refusal))
		}
		if r.stop != nil {
			return
		}
		r.at = next
	}
	r.remember()
	// Text that is not wire ends the reply, also where it stands behind an arm
	// that was not taken: what follows it has not been read (R45).
	if i := len(r.plan.calls) - 1; r.plan.calls[i].node.Kind() == syntax.ErrorNode && r.end.cancelled == "" {
		r.at = i
		r.unread(r.plan.calls[i].node, &r.turn.Steps[r.base+i])
	}
}

// step judges and carries out one call of a verb, and returns the next.
func (r *reply) step(c *planned, s *Step) (next int) {
	view := syntax.CallView{Node: c.node}
	supplied, refusal := check.JudgeStep(c.verb, view)
	if refusal == nil {
		refusal = r.literals(c.verb, supplied)
	}
	if refusal == nil {
		refusal = r.judgeArms(c.verb, view)
	}
	if refusal == nil {
		refusal = r.resolve(c.verb, supplied)
	}
	if refusal != nil {
		r.refuse(s, runError(s.Verb, refusal))
		return none
	}
	o, ok := r.make(c.verb, s)
	if !ok {
		return none
	}
	return r.proceed(c, s, o, view.Bind())
}

// make makes the call that r.args are for and binds what it delivers.
func (r *reply) make(v *check.Verb, s *Step) (o eval.Outcome, ok bool) {
	b := r.b
	r.call = call{
		verb: v, args: r.args, binding: resultName(b.results.last() + 1),
		claims: r.call.claims[:0], minted: r.call.minted[:0],
	}
	before := b.purse.used
	o, refused := b.session.perform(r.ctx, &r.call)
	s.Cost = b.purse.used - before
	if refused == nil {
		refused = r.unarmedPanic(v, o)
	}
	if refused != nil {
		refused.Verb = s.Verb
		if r.ctx.Err() != nil {
			r.end.cancelled = stoppedBy(r.ctx)
		}
		s.Bound = b.rescue(&r.call)
		r.refuse(s, refused)
		return o, false
	}
	s.Verdict, s.Outcome = VerdictResult, o
	b.bind(o, r.call.minted)
	s.Bound = r.call.binding
	return o, true
}

// unarmedPanic refuses a step whose verb ended in an outcome that is declared
// as a failure of the program, and that the reply does not accept (R66).
func (r *reply) unarmedPanic(v *check.Verb, o eval.Outcome) *RunError {
	declared := v.Tor.Outcome(o.Branch)
	if !v.Tor.Branches() || !declared.Panic || r.at != none && r.plan.arm(r.at, o.Branch) != nil {
		return nil
	}
	message := "it ended in '" + o.Branch + "'"
	if o.Has {
		message += ": " + clip(eval.Text(o.Payload), 400)
	}
	return failed(v.Name, fmt.Errorf("%s", message))
}

// proceed finds where an outcome leads: along the arm that accepts it, or to
// the end of the item, or of the reply (bridge.md 5.6(8), R66).
func (r *reply) proceed(c *planned, s *Step, o eval.Outcome, result syntax.BindView) (next int) {
	tor := c.verb.Tor
	if !tor.Branches() {
		r.bindName(result.Name(), o)
		return c.onward
	}
	if a := r.plan.arm(r.at, o.Branch); a != nil {
		r.bindName(a.view.Bind().Name(), o)
		return a.next
	}
	if !tor.Outcome(o.Branch).Optional {
		r.unhandled(s)
	}
	return none
}

// unhandled ends the reply at an outcome that it does not accept.
func (r *reply) unhandled(s *Step) {
	s.Verdict = VerdictUnhandled
	s.Held = r.b.pool.held()
	s.Lesson = lessonName(s.Outcome.Branch, r.names)
	r.stop = s
}

// names reports whether the reply uses a name already.
func (r *reply) names(name string) bool {
	if r.local(name) != nil {
		return true
	}
	for i := range r.spoken {
		if r.spoken[i].name == name {
			return true
		}
	}
	return false
}

func (r *reply) bindName(name syntax.Token, o eval.Outcome) {
	if !o.Has || !name.IsValid() || name.Text() == "_" {
		return // a name on nothing binds nothing (R28)
	}
	r.locals = append(r.locals, local{name: name.Text(), value: o.Payload, at: name.Span().Start, n: r.b.results.last()})
}

// judgeArms judges the arms of the call at hand: their words, then the names
// they bind (bridge.md 5.6(4), R34).
func (r *reply) judgeArms(v *check.Verb, view syntax.CallView) *check.Refusal {
	p := &r.plan
	if r.at == 0 && p.stray.IsValid() {
		return check.StrayArm(&r.b.words, p.armed(), p.stray)
	}
	for i, l := range p.links {
		if l.call != r.at {
			continue
		}
		word := p.arms[l.arm].view.Name()
		if refusal := check.JudgeArm(v, word, nil); refusal != nil {
			return check.JudgeArm(v, word, p.wordsOf(r.at)) // in the knowledge of its other arms
		}
		for _, other := range p.links[:i] {
			if other.call == r.at && p.arms[other.arm].word == word.Text() {
				return check.ArmedTwice(v, word)
			}
		}
	}
	if name := view.Bind().Name(); name.IsValid() {
		if refusal := check.BindsNothing(v, name); refusal != nil {
			return refusal
		}
		if refusal := r.rebound(name, v.Tor.Return); refusal != nil {
			return refusal
		}
	}
	for _, l := range p.links {
		if l.call == r.at {
			a := &p.arms[l.arm]
			if refusal := r.rebound(a.view.Bind().Name(), v.Tor.Outcome(a.word).Payload); refusal != nil {
				return refusal
			}
		}
	}
	return nil
}

// rebound refuses a name that is bound already. A name on an outcome without
// payload binds nothing.
func (r *reply) rebound(name syntax.Token, payload *check.Type) *check.Refusal {
	if !name.IsValid() || name.Text() == "_" || payload == nil {
		return nil
	}
	if _, is := resultNumber(name.Text()); is {
		return check.Rebound(name, 0)
	}
	for _, list := range [][]local{r.locals, r.spoken} {
		for i := range list {
			if list[i].name == name.Text() {
				return check.Rebound(name, r.file.LineOf(list[i].at)+1)
			}
		}
	}
	return nil
}

// remember notes the names that the arms of the item bind, fired or not: later
// items may not use them again.
func (r *reply) remember() {
	p := &r.plan
	for _, l := range p.links {
		c, a := &p.calls[l.call], &p.arms[l.arm]
		if c.verb == nil {
			continue
		}
		if o := c.verb.Tor.Outcome(a.word); o != nil && o.Payload != nil {
			r.use(a.view.Bind().Name())
		}
	}
	for i := range p.calls {
		if c := &p.calls[i]; c.verb != nil && c.verb.Tor.Return != nil {
			r.use(syntax.CallView{Node: c.node}.Bind().Name())
		}
	}
}

func (r *reply) use(name syntax.Token) {
	if name.IsValid() && name.Text() != "_" {
		r.spoken = append(r.spoken, local{name: name.Text(), at: name.Span().Start})
	}
}

// unread ends the reply at text that is not wire: from here to the end it is
// one step (R45).
func (r *reply) unread(n syntax.Node, s *Step) {
	if n.Kind() == syntax.ErrorItem {
		n = n.FirstChild() // without the blanks in front
	}
	text := r.file.Text()[n.Span().Start:]
	e := &RunError{Kind: VerdictParse, Code: "PARSE001"}
	at, hint := n.Span().Start, ""
	if faults := n.Faults(); len(faults) > 0 {
		f := faults[len(faults)-1]
		e.Code, at, hint = f.Code, f.Start, f.Message
	}
	if strings.HasPrefix(text, "tor ") {
		e.Message = misdefined(hint) // a definition that was not understood: its own words
	} else {
		e.complete = true
		e.Message = notWire(text, r.turn.Steps[:s.N-1], s.Of) + " Here: " + below(text, at-n.Span().Start) + hint + "."
	}
	pos := r.file.Position(at, syntax.UTF8)
	e.Line, e.Column = pos.Line+1, pos.Column+1
	r.end.unread = text
	r.refuse(s, e)
}

// afterwards says of the steps behind the stop what they lack: a name that was
// never bound, or nothing but the end of the reply (bridge.md 5.7).
func (r *reply) afterwards() {
	t := r.turn
	switch {
	case r.stop == nil:
		return
	case r.stop.Verdict == VerdictAbandoned:
		t.Steps = t.Steps[:r.stop.N]
		return
	}
	n := r.file.Item(r.item)
	if n.Kind() == syntax.WireItem {
		r.plan.reach(r.at, func(i int) { r.lean(r.plan.calls[i].node, &t.Steps[r.base+i]) })
	}
	base := r.base + stepsOf(n)
	for i := r.item + 1; i < r.file.NumItems(); i++ {
		n := r.file.Item(i)
		switch n.Kind() {
		case syntax.WireItem:
			for c := range callsOf(n) {
				r.lean(c, &t.Steps[base])
				base++
			}
		case syntax.SayLine:
			r.lean(n, &t.Steps[base])
			base++
		default:
			base += stepsOf(n)
		}
	}
}

// lean says of a step that has not run which name it lacks.
func (r *reply) lean(n syntax.Node, s *Step) {
	if name, splice, ok := r.lacking(n); ok {
		s.Verdict, s.Message = VerdictRefused, neverBound(splice, name, r.stop)
	}
}

// lacking returns the first name in a piece of the reply that nothing is bound
// as; splice is the path in the braces.
func (r *reply) lacking(n syntax.Node) (name, splice string, ok bool) {
	switch n.Kind() {
	case syntax.NameExpr, syntax.FieldExpr:
		path, _ := pathText(n)
		name, _ = cutDot(path)
		_, bound := r.lookup(name)
		return name, "", !bound
	case syntax.Splice:
		expr := syntax.SpliceView{Node: n}.Expr()
		if splice, ok = pathText(expr); ok {
			name, _, ok = r.lacking(expr)
		}
		return name, splice, ok
	}
	for c := range n.Children() {
		if c.Kind() == syntax.Bind || c.Kind() == syntax.ErrorNode {
			continue
		}
		if name, splice, ok = r.lacking(c); ok {
			return name, splice, true
		}
	}
	return "", "", false
}
