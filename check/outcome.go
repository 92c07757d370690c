package check

import (
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// available lists the words a verb declares, as messages show them.
func available(t *Tor, effect bool) string {
	var words []string
	for _, o := range t.Outcomes {
		if o.Effect == effect {
			words = append(words, o.Name)
		}
	}
	return enumerate(words)
}

// enumerated is how many names a message lists.
const enumerated = 24

// enumerate lists names in a message; of very many it shows the first.
func enumerate(words []string) string {
	return enumerateFirst(words[:min(len(words), enumerated)], len(words))
}

// enumerateFirst lists the first names of a number of them.
func enumerateFirst(words []string, all int) string {
	if all == 0 {
		return "none"
	}
	list := strings.Join(words, ", ")
	if more := all - len(words); more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	return list
}

// UndeclaredOutcome words an arm that the verb does not declare (KORU021), as
// an editor shows it.
func UndeclaredOutcome(tor *Tor, verb, word string) string {
	return "'" + verb + "' has no branch '" + word + "' (available: " + allWords(tor) + ")"
}

// InventedOutcome words the same fault of a reply (bridge.md 5.7).
func InventedOutcome(tor *Tor, verb, word string) string {
	return "'" + word + "' is not an outcome of '" + verb + "' — declared: " + allWords(tor)
}

func allWords(t *Tor) string {
	words := make([]string, min(len(t.Outcomes), enumerated))
	for i := range words {
		words[i] = t.Outcomes[i].Name
	}
	return enumerateFirst(words, len(t.Outcomes))
}

func outcomeWords(t *Tor) []string {
	words := make([]string, len(t.Outcomes))
	for i, o := range t.Outcomes {
		words[i] = o.Name
	}
	return words
}

// strayArms reports the arms that no step of the chain declares (KORU021).
func (l *lowerer) strayArms(t *track) {
	for _, h := range t.handlers {
		if h.claimed {
			continue
		}
		l.strayArm(t, h)
		if h.arm != nil {
			l.flow.stray = append(l.flow.stray, h.arm)
		}
	}
}

func (l *lowerer) strayArm(t *track, h *handler) {
	if t.blind != nil || t.last == nil {
		// Whoever nobody knows may declare it; without a call something is broken.
		if t.last == nil && !t.broken {
			l.report("KORU021", h.view.Span(), "this arm has no call to handle")
		}
		if t.blind == nil {
			t.blind = &Call{Node: t.chain.Node}
		}
		l.applyArm(t.blind, h, nil)
		return
	}
	if h.all {
		l.report("KORU026", h.view.Span(), "a catch-all handles optional outcomes, and '"+verbOf(t.last)+"' declares none").Severity = Warning
		l.applyArm(&Call{Node: t.last.Node, Tor: t.last.Tor}, h, nil)
		return
	}
	t.broken = true
	l.add(l.undeclared(t, h))
	// The body is judged all the same: with the one value there is, or with a
	// payload that nobody knows.
	c := &Call{Node: t.last.Node}
	if t.last.Single() {
		c = t.last
	}
	l.applyArm(c, h, nil)
}

func verbOf(c *Call) string { return syntax.CallView{Node: c.Node}.Path().Text() }

// undeclared is KORU021 for an arm: with the words there are and the nearest.
func (l *lowerer) undeclared(t *track, h *handler) Diagnostic {
	c, near := l.meaning(t, h)
	d := Diagnostic{Code: "KORU021", Span: h.view.Name().Span(), Message: UndeclaredOutcome(c.Tor, verbOf(c), h.word)}
	if c.Form == StoreWatch && c.Store != nil {
		d.Message = "'" + c.Store.Name + "' has no branch '" + h.word + "' (available: " + enumerate(c.Store.columnNames()) + ")"
	}
	open := t.open(outcomeWords(c.Tor))
	switch {
	case near != "":
		d.suggest(near)
		if o := c.Tor.Outcome(near); o != nil && c.Store == nil {
			d.declaredIn(c.Tor, o.Node, near)
		}
		t.meant[near] = true
	case len(c.Tor.Outcomes) == 0 && c.Tor.Return != nil:
		d.Message += ": it delivers one value, bind it with ': name'"
		l.bindInstead(&d, c, h, len(t.handlers))
	default:
		// It stands where the arm of another outcome is missing.
		if word := l.missingFor(t, h); word != "" {
			t.meant[word] = true
			if len(open) == 1 {
				d.replace("change to '"+word+"'", false, d.Span, word)
			}
		}
		d.replace("remove this arm", false, armLines(h.view.Node), "")
	}
	return d
}

// missingFor returns an outcome that no arm takes and that an arm with an
// undeclared word may have been meant for, or "".
func (l *lowerer) missingFor(t *track, h *handler) string {
	for _, u := range t.unmet {
		if u.outcome.Effect == h.effect && !t.meant[u.outcome.Name] {
			return u.outcome.Name
		}
	}
	return ""
}

// meaning finds the call that an undeclared word was meant for, and the word
// that was meant: of those no arm has yet, or of all. Without one the call is
// the last that declares outcomes, or the last.
func (l *lowerer) meaning(t *track, h *handler) (*Call, string) {
	last := t.last
	for i := len(t.chain.Steps) - 1; i >= 0; i-- {
		c := t.chain.Steps[i].Call
		if c == nil || c.Tor == nil || len(c.Tor.Outcomes) == 0 {
			continue
		}
		words := func() []string { return outcomeWords(c.Tor) }
		if c.Form == StoreWatch && c.Store != nil {
			words = c.Store.columnNames
		}
		near := l.near(h.word, func() []string { return t.open(words()) })
		if near == "" {
			near = l.near(h.word, words)
		}
		if near != "" {
			return c, near
		}
		if len(last.Tor.Outcomes) == 0 {
			last = c
		}
	}
	return last, ""
}

// open returns the words that no arm of the chain has.
func (t *track) open(words []string) []string {
	handled := make(map[string]bool, len(t.handlers))
	for _, h := range t.handlers {
		handled[h.word] = true
	}
	var open []string
	for _, w := range words {
		if !handled[w] {
			open = append(open, w)
		}
	}
	return open
}

// bindInstead offers `call(): name` for the one arm `| line name` under a verb
// that delivers a single value (language.md 16.4).
func (l *lowerer) bindInstead(d *Diagnostic, c *Call, h *handler, arms int) {
	bind := h.view.Bind()
	if arms != 1 || !bind.IsValid() || h.view.Guard().IsValid() || (syntax.CallView{Node: c.Node}).Bind().IsValid() {
		return
	}
	d.replace("bind the value", false, syntax.Span{Start: c.Node.Span().End, End: bind.Span().End}, ": "+bind.Text())
	d.Fixes[len(d.Fixes)-1].respells = true
}

// armLines returns the range of an arm with the line end in front of it.
func armLines(n syntax.Node) syntax.Span {
	span := n.Span()
	for t := n.FirstToken().Prev(); t.Kind() == syntax.Space || t.Kind() == syntax.Newline; t = t.Prev() {
		span.Start = t.Span().Start
		if t.Kind() == syntax.Newline {
			break
		}
	}
	return span
}
