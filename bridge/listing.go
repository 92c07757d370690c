package bridge

import (
	"slices"

	"github.com/koru-go/koru/check"
)

// listedResults is how many results of plain data a listing shows, the newest.
// What leads to a live handle is always shown.
const listedResults = 100

// Vocabulary lists what the session may call, and its live results (bridge.md
// 6.6).
func (b *Bridge) Vocabulary() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.vocabulary()
}

func (b *Bridge) vocabulary() string { return RenderListing(&b.words, b.bindings(listedResults)) }

// Grammar returns the contract that the replies of the session are judged by.
// It changes when a verb is defined and at no other time (bridge.md 6.6).
func (b *Bridge) Grammar() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.grammar()
}

func (b *Bridge) grammar() string { return RenderGrammar(&b.words) }

// Words returns what the session may call, for the renders that take a
// vocabulary. It is the state of the moment: a later definition does not show
// in it.
func (b *Bridge) Words() *check.Vocabulary {
	b.mu.Lock()
	defer b.mu.Unlock()
	words := b.words
	return &words
}

// bindings lists the live results, oldest first, and of plain data only the
// newest few.
func (b *Bridge) bindings(data int) []Binding {
	t := &b.results
	var live []Binding
	add := func(n int, r *result) {
		handle := r.token()
		switch {
		case len(r.minted) > 0 && handle == "" && !r.held():
			return // the handle is gone, and the result with it
		case !r.held():
			if data == 0 {
				return
			}
			data--
		}
		live = append(live, Binding{Name: resultName(n), Handle: handle, Outcome: r.outcome})
	}
	for n := t.last(); n > t.first; n-- {
		add(n, t.at(n))
	}
	var older []int
	for n := range t.older {
		older = append(older, n)
	}
	slices.Sort(older)
	slices.Reverse(older)
	for _, n := range older {
		r := t.older[n]
		add(n, &r)
	}
	slices.Reverse(live)
	return live
}

// token returns the token of the live handle that the result is, or "".
func (r *result) token() string {
	for _, m := range r.minted {
		if m.live() && m.handle == r.outcome.Payload.Str() {
			return m.handle
		}
	}
	return ""
}
