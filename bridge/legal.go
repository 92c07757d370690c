package bridge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
)

// Names says what is known of the session that a grammar is made for.
type Names struct {
	// Live are the results that the session keeps. One that does not fit a field
	// is not offered there. Nil means that nothing is known of them.
	Live []Binding
	// Strict narrows the grammar to what a decoder should offer a model: of the
	// results only the live ones, handles by their names, splices that name
	// something, one spelling of a value. Without it the grammar generates what
	// is not refused as a parse-error, event-denied, validation-error or
	// shape-error; what a session holds, and what a name of the reply is bound
	// to, is judged when it runs.
	Strict bool
}

// legal builds the grammar of the replies that a vocabulary makes legal: with
// verbs and fields, outcome words and value shapes as declared, in the layouts
// that the parser of replies reads.
//
// It generates what a writer needs and not all that is tolerated: fields stand
// in declared order, numbers are decimal, blanks come in runs of at most twenty
// and line ends in runs of at most four. It generates no definitions, for no
// grammar of this kind can say that a body is honest; nor can it say that a
// name is bound once a reply.
type legal struct {
	*grammar
	words    *check.Vocabulary
	names    Names
	families []*family
	memory   memory
	live     []livePath // what the live results lead to
	forks    int
}

// legalReplies returns the grammar of the legal replies of a vocabulary.
func legalReplies(words *check.Vocabulary, names Names) *grammar {
	l := &legal{grammar: newGrammar(), words: words, names: names, live: livePaths(names.Live)}
	l.families = familiesOf(words)
	l.memory = memoryFor(l.families)
	l.rule("root", "", l.reply)
	return l.grammar
}

// family is the verbs that can be followed by the same: those that have the same
// outcomes, or have none and deliver a value, or none and no value.
type family struct {
	verbs    []*check.Verb
	outcomes []outcome
	returns  bool
}

// outcome is a word that an arm can accept, and whether it brings a value.
type outcome struct {
	word  string
	value bool
}

// familiesOf sorts the verbs of a vocabulary, and the words of the wire that no
// verb of it goes by.
func familiesOf(vocabulary *check.Vocabulary) []*family {
	var families []*family
	add := func(v *check.Verb) {
		f := &family{returns: v.Tor.Return != nil}
		for _, o := range outcomesOf(v.Tor) {
			if isWireName(o.Name) { // no arm can spell another
				f.outcomes = append(f.outcomes, outcome{o.Name, o.Payload != nil})
			}
		}
		i := slices.IndexFunc(families, func(other *family) bool {
			return other.returns == f.returns && slices.Equal(other.outcomes, f.outcomes)
		})
		if i < 0 {
			i = len(families)
			families = append(families, f)
		}
		families[i].verbs = append(families[i].verbs, v)
	}
	for v := range verbsOf(vocabulary) {
		add(v)
	}
	for _, v := range wireVerbs(vocabulary) {
		add(v)
	}
	return families
}

// isWireName reports whether a reply can write a word: letters, digits and _,
// with dashes inside.
func isWireName(word string) bool {
	for i := range len(word) {
		switch c := word[i]; {
		case isLetter(c) || c == '_' || i > 0 && isDigit(c):
		case i > 0 && c == '-' && i+1 < len(word) && word[i+1] != '-':
		default:
			return false
		}
	}
	return word != ""
}

// words is a set of outcome words in a fixed order.
type words []string

func (s words) String() string { return strings.Join(s, " ") }

func (s words) without(word string) words {
	return slices.DeleteFunc(slices.Clone(s), func(w string) bool { return w == word })
}

func declares(outcomes []outcome, word string) bool {
	return slices.ContainsFunc(outcomes, func(o outcome) bool { return o.word == word })
}

// without returns the outcomes but for one. Of a verb with many, an arm may be
// followed by arms for later ones only: the orders of many words are too many
// to generate.
func without(outcomes []outcome, word string) []outcome {
	const freely = 5
	i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.word == word })
	switch {
	case i < 0:
		return outcomes
	case len(outcomes) > freely:
		return outcomes[i+1:]
	}
	return slices.Delete(slices.Clone(outcomes), i, i+1)
}

// An arm on a line of its own accepts an outcome for every earlier call of its
// item that has no arm for it (R25). A grammar has to carry along, from call to
// call, which words those are, and there are many sets of words. So memory says
// which words are carried along, and how many at a time: all of a small
// vocabulary; two, or one, of a larger one; in a large one only words that
// several families share, as error and failed are. What is not carried along is
// still offered right behind its own call.
type memory struct {
	words  words
	most   int
	states int // sets of so many of the words
}

// mostRules bounds how many productions memory may cost: one a state and family.
const mostRules = 60

func memoryFor(families []*family) memory {
	var all, shared words
	count := map[string]int{}
	for _, f := range families {
		for _, o := range f.outcomes {
			switch count[o.word]++; count[o.word] {
			case 1:
				all = append(all, o.word)
			case 2:
				shared = append(shared, o.word)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(shared)
	n := len(all)
	for _, m := range []memory{
		{all, n, 1 << min(n, 16)},
		{all, 2, 1 + n + n*(n-1)/2},
		{all, 1, 1 + n},
		{shared, len(shared), 1 << min(len(shared), 16)},
		{shared, 1, 1 + len(shared)},
	} {
		if m.states*len(families) <= mostRules {
			return m
		}
	}
	return memory{}
}

// sets returns the sets of words that are carried along to the next call, if
// earlier calls have no arm for those in open and the last one none for its own.
func (m memory) sets(open words, own []outcome) []words {
	var all words
	for _, w := range m.words {
		if slices.Contains(open, w) || declares(own, w) {
			all = append(all, w)
		}
	}
	if len(all) <= m.most {
		return []words{all}
	}
	var sets []words
	for i, w := range all {
		if m.most == 1 {
			sets = append(sets, words{w})
			continue
		}
		for _, v := range all[i+1:] {
			sets = append(sets, words{w, v})
		}
	}
	return sets
}

// reply is items on lines of their own.
func (l *legal) reply() expr {
	between := l.rule("between", "", func() expr {
		ends := seq{l.newline(), l.blanks()}
		return seq{l.blanks(), ends, repeat{ends, 0, 3}}
	})
	item := l.rule("item", "", func() expr {
		return alt{
			l.chain(nil),
			seq{text("say:"), optional(l.spoken())},
			seq{text("note:"), optional(l.line())},
		}
	})
	edge := alt{between, l.blanks()}
	return seq{edge, item, star(seq{between, item}), edge}
}

// chain is a call and what may follow it. open are the words that earlier calls
// of the item have no arm for.
func (l *legal) chain(open words) *rule {
	return l.rule("chain", open.String(), func() expr {
		var calls alt
		for _, f := range l.families {
			calls = append(calls, seq{l.calls(f), optional(l.after(f, open))})
		}
		return calls
	})
}

// calls is a call of any verb of a family.
func (l *legal) calls(f *family) expr {
	if len(f.verbs) == 1 {
		return l.call(f.verbs[0])
	}
	return l.rule("calls", f.verbs[0].Name, func() expr {
		var calls alt
		for _, v := range f.verbs {
			calls = append(calls, l.call(v))
		}
		return calls
	})
}

// next leads to the next call of the chain.
func (l *legal) next(open words, own []outcome) expr {
	var chains alt
	for _, set := range l.memory.sets(open, own) {
		chains = append(chains, l.chain(set))
	}
	return seq{l.join(), chains}
}

// after is what may stand behind a call: the way on to the next call, arms, and
// in front of them a name for what it delivers.
func (l *legal) after(f *family, open words) *rule {
	return l.rule("after", f.verbs[0].Name+":"+open.String(), func() expr {
		choices := alt{seq{l.arrow(), optional(l.next(open, f.outcomes))}}
		if f.outcomes == nil {
			if arms := l.arms(open, nil, false); arms != nil {
				choices = append(choices, arms)
			}
			return append(alt{seq{l.naming(f.returns), optional(slices.Clone(choices))}}, choices...)
		}
		for _, o := range f.outcomes {
			choices = append(choices, seq{l.arm(o), l.led(open, without(f.outcomes, o.word))})
		}
		for _, o := range f.outcomes {
			choices = append(choices, seq{l.fresh(), l.arm(o), l.led(open.without(o.word), without(f.outcomes, o.word))})
		}
		for _, w := range open {
			if !declares(f.outcomes, w) {
				choices = append(choices, seq{l.fresh(), l.arm(l.outcome(w)), l.closed(open.without(w), f.outcomes)})
			}
		}
		return choices
	})
}

// led is what follows the first arm of a call: the next call of the chain, or
// further arms.
func (l *legal) led(open words, own []outcome) expr {
	follows := alt{l.next(open, own)}
	if arms := l.arms(open, own, true); arms != nil {
		follows = append(follows, arms)
	}
	return optional(follows)
}

// arms are arms behind the last call of a chain. open are the words that earlier
// calls have no arm for, own those that the call itself has none for. An arm on
// a line of its own is for all of them, one on the line of the call, or of
// another arm, for the call alone. Nil if there is no word left.
func (l *legal) arms(open words, own []outcome, sameLine bool) expr {
	if len(open) == 0 && len(own) == 0 {
		return nil
	}
	key := open.String() + ":" + strconv.FormatBool(sameLine && len(own) > 0)
	for _, o := range own {
		key += ":" + o.word + strconv.FormatBool(o.value)
	}
	return l.rule("arms", key, func() expr {
		var choices alt
		for _, o := range own {
			choices = append(choices, seq{l.fresh(), l.arm(o), l.closed(open.without(o.word), without(own, o.word))})
			if sameLine {
				choices = append(choices, seq{l.arm(o), l.closed(open, without(own, o.word))})
			}
		}
		for _, w := range open {
			if !declares(own, w) {
				choices = append(choices, seq{l.fresh(), l.arm(l.outcome(w)), l.closed(open.without(w), own)})
			}
		}
		return choices
	})
}

// closed is what follows an arm that does not lead on: further arms, and before
// them calls of its own on its line (R24).
func (l *legal) closed(open words, own []outcome) expr {
	aside := seq{l.blanks(), l.aside()}
	if more := l.arms(open, own, false); more != nil {
		return optional(alt{l.arms(open, own, true), seq{aside, optional(more)}})
	}
	return optional(aside)
}

// aside is the calls on the line of an arm.
func (l *legal) aside() *rule {
	return l.rule("aside", "", func() expr {
		more := optional(seq{l.blanks(), l.aside()})
		var calls alt
		for _, f := range l.families {
			follows := alt{seq{l.arrow(), more}}
			if f.outcomes == nil {
				follows = append(follows, seq{l.naming(f.returns), optional(seq{l.arrow(), more})})
			}
			for _, o := range f.outcomes {
				follows = append(follows, seq{l.arm(o), more})
			}
			calls = append(calls, seq{l.calls(f), optional(follows)})
		}
		return calls
	})
}

// outcome returns how a word is accepted for calls of any verb.
func (l *legal) outcome(word string) outcome {
	for _, f := range l.families {
		if slices.Contains(f.outcomes, outcome{word, true}) {
			return outcome{word, true}
		}
	}
	return outcome{word: word}
}

// arm is `| word name |>`, with the blanks in front of it.
func (l *legal) arm(o outcome) *rule {
	return l.rule("arm-"+o.word, strconv.FormatBool(o.value), func() expr {
		return seq{l.blanks(), text("|"), l.blanks(), text(o.word), l.bound(o.value), l.arrow()}
	})
}

// bound is the name in an arm. A name for no value binds nothing (R28).
func (l *legal) bound(value bool) expr {
	if !value && l.names.Strict {
		return seq{}
	}
	return optional(seq{l.blank(), l.name(value)})
}

// naming is `: name` behind a call without outcomes.
func (l *legal) naming(value bool) expr {
	return l.rule("naming", strconv.FormatBool(value), func() expr {
		return seq{l.blanks(), text(":"), l.blanks(), l.name(value)}
	})
}

// fresh begins the line of an arm.
func (l *legal) fresh() expr { return seq{l.blanks(), l.newline()} }

func (l *legal) arrow() expr { return seq{l.blanks(), text("|>")} }

// join leads from |> to the next call, on the same line or on the next.
func (l *legal) join() expr {
	return l.rule("join", "", func() expr { return seq{l.blanks(), optional(seq{l.newline(), l.blanks()})} })
}

// call is verb(field: value, …).
func (l *legal) call(v *check.Verb) expr {
	return l.rule("call-"+v.Name, "", func() expr {
		fields := inputsOf(v.Tor)
		arg := func(f *check.Field) expr {
			return seq{text(f.Name + ":"), l.gaps(), l.argument(v, f), l.gaps()}
		}
		return seq{text(v.Name + "("), l.gaps(), l.listed("more-"+v.Name, "", fields, arg, true), text(")")}
	})
}

// listed is fields in order with commas between. Those that need not be there
// may be left out; a reply, other than JSON, may have a comma behind the last.
func (l *legal) listed(name, of string, fields []*check.Field, one func(*check.Field) expr, lastComma bool) expr {
	leading := 0 // fields in front that need not be there
	for leading < len(fields) && !fields[leading].Required() {
		leading++
	}
	var rest func(i int) expr // what follows once a field is there
	follow := func(i int) expr {
		switch {
		case i < len(fields) && fields[i].Required():
			return seq{l.comma(), one(fields[i]), rest(i + 1)}
		case i < len(fields):
			maybe := l.rule("maybe-"+fields[i].Name, name+of, func() expr { return optional(seq{l.comma(), one(fields[i])}) })
			return seq{maybe, rest(i + 1)}
		case lastComma:
			return l.lastComma()
		}
		return seq{}
	}
	rest = func(i int) expr {
		if i > leading || leading == 0 {
			return follow(i)
		}
		// More than one field may stand right in front: write it once.
		return l.rule(name, of+strconv.Itoa(i), func() expr { return follow(i) })
	}
	var firsts alt
	for i := range fields[:min(leading+1, len(fields))] {
		firsts = append(firsts, seq{one(fields[i]), rest(i + 1)})
	}
	switch {
	case len(fields) == 0:
		return seq{}
	case leading == len(fields):
		return optional(firsts)
	}
	return firsts
}
