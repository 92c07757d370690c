package bridge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// livePath is what a live result leads to, by itself or by a part of it.
type livePath struct {
	path   string
	value  eval.Value
	handle bool
}

// mostLivePaths bounds how many paths into live results a grammar knows of.
// What others lead to is judged when a reply runs.
const mostLivePaths = 256

// livePaths lists where live results lead, the results before their parts.
func livePaths(live []Binding) []livePath {
	var paths []livePath
	for _, b := range live {
		v := b.Outcome.Payload
		paths = append(paths, livePath{b.Name, v, b.Handle != "" || v.Kind() == eval.Handle})
	}
	for i := 0; i < len(paths) && len(paths) < mostLivePaths; i++ {
		whole := paths[i]
		eachPart(whole.value, func(name string, v eval.Value) {
			if len(paths) < mostLivePaths {
				paths = append(paths, livePath{whole.path + "." + name, v, v.Kind() == eval.Handle})
			}
		})
	}
	return paths
}

// eachPart calls f for the fields or elements of a value that a path can name.
// A text that holds JSON has the parts of what it holds (bridge.md 5.4).
func eachPart(v eval.Value, f func(name string, v eval.Value)) {
	if v.Kind() == eval.String {
		if decoded, err := eval.DecodeJSON([]byte(v.Str()), eval.Limits{}); err == nil {
			v = decoded
		}
	}
	switch v.Kind() {
	case eval.Record:
		for i, e := range v.Elems() {
			if name := v.Shape().Names[i]; isWireName(name) && !strings.Contains(name, "-") {
				f(name, e)
			}
		}
	case eval.List:
		for i, e := range v.Elems() {
			f(strconv.Itoa(i), e)
		}
	}
}

// fits reports whether a field of the type takes what stands behind the path.
func (p *livePath) fits(t *check.Type) bool {
	if p.value.IsNull() {
		return t.Optional
	}
	_, err := eval.Coerce(p.value, t)
	return err == nil
}

// fitsSpliced is [livePath.fits] for a path that is spliced into a quoted text
// and is all there is in it: a list or record is passed on, anything else
// becomes the text. A handle is no text, which is found when it is dispatched.
func (p *livePath) fitsSpliced(t *check.Type) bool {
	if t.Kind == check.ListType || t.Kind == check.RecordType {
		return p.fits(t)
	}
	if p.value.Kind() == eval.Handle {
		return true
	}
	_, err := eval.Coerce(eval.StringValue(eval.Text(p.value)), t)
	return err == nil
}

// leadsTo reports whether the path may lead to a handle of a type, or of any if
// there is none. The token of a capability names its type.
func (p *livePath) leadsTo(t *check.Type) bool {
	if t == nil {
		return p.handle
	}
	if p.value.Kind() == eval.Handle {
		return strings.HasPrefix(p.value.Str(), "h:"+t.Resource()+":")
	}
	return p.handle && !t.IsCapability()
}

// namesOf is the names whose values may fit a type: not those of live results
// that are known not to, and in a strict grammar only those of live results
// that are known to, and of the arms of the reply.
func (l *legal) namesOf(t *check.Type) expr {
	return l.namesThat("named-"+ruleName(t), t.String(), func(p *livePath) bool { return p.fits(t) })
}

// splice is a text that is one splice and nothing else.
func (l *legal) splice(t *check.Type) expr {
	names := l.namesThat("spliced-"+ruleName(t), t.String(), func(p *livePath) bool {
		return p.fitsSpliced(t) && !(l.names.Strict && p.handle)
	})
	return seq{text(`"{{`), l.blanks(), names, l.blanks(), text(`}}"`)}
}

func (l *legal) namesThat(name, of string, fit func(*livePath) bool) expr {
	switch {
	case l.names.Live == nil:
		return l.path(nil)
	case l.names.Strict:
		return l.rule(name, of, func() expr { return l.known(fit) })
	}
	var misfits []string
	for i := range l.live {
		if p := &l.live[i]; !fit(p) {
			misfits = append(misfits, p.path)
		}
	}
	return l.path(misfits)
}

// handle is the names that may lead to a handle of a type, or of any.
func (l *legal) handle(t *check.Type) expr {
	if l.names.Live == nil {
		return l.path(nil)
	}
	of := ""
	if t != nil {
		of = t.String()
	}
	return l.rule("handle", of, func() expr {
		return l.known(func(p *livePath) bool { return p.leadsTo(t) })
	})
}

// known is what the arms of a reply may bind, and the live results that will do.
func (l *legal) known(will func(*livePath) bool) expr {
	forms := alt{l.local()}
	for i := range l.live {
		if p := &l.live[i]; will(p) {
			forms = append(forms, text(p.path))
		}
	}
	return forms
}

// The letters of names.
const (
	letters     = "A-Z_a-z"
	wordLetters = "0-9A-Z_a-z"
	digits      = "0-9"
)

// local is the names that the arms of a reply bind, with what is in them.
func (l *legal) local() *rule {
	return l.token("local", "", func() expr { return seq{l.name(true), optional(l.fields())} })
}

// fields is `.name.0` and so on.
func (l *legal) fields() *rule {
	return l.token("fields", "", func() expr {
		return repeat{seq{text("."), alt{l.word(), repeat{class(digits), 1, -1}}}, 1, -1}
	})
}

// rest is what may follow the first letters of a name: more of them, or fields.
func (l *legal) rest() *rule {
	return l.token("rest", "", func() expr {
		return alt{seq{repeat{class(wordLetters), 1, -1}, optional(l.fields())}, l.fields()}
	})
}

func (l *legal) restOfIndex() *rule {
	return l.token("rest-of-index", "", func() expr {
		return alt{seq{repeat{class(digits), 1, -1}, optional(l.fields())}, l.fields()}
	})
}

// path is a name with fields behind it, but for some. The words that are
// literals are no names.
func (l *legal) path(but []string) *rule {
	return l.token("path", strings.Join(but, " "), func() expr {
		root := &branch{}
		for _, literal := range []string{"true", "false", "null"} {
			b := root.plant(literal)
			b.whole = true
		}
		for _, path := range but {
			root.plant(path)
		}
		return l.leaving(root, 0, false)
	})
}

// branch is what paths that are not allowed go on with. A grammar has no "but
// for", so it follows them letter by letter: where a path leaves them it is
// free, and where it has come to the end of one it may not end.
type branch struct {
	letters []byte // in order
	next    []*branch
	end     bool // it may not end here
	whole   bool // nor go on with a field
}

func (b *branch) plant(path string) *branch {
	for i := range len(path) {
		at, found := slices.BinarySearch(b.letters, path[i])
		if !found {
			b.letters = slices.Insert(b.letters, at, path[i])
			b.next = slices.Insert(b.next, at, &branch{})
		}
		b = b.next[at]
	}
	b.end = true
	return b
}

// leaving is what a path may go on with on a branch. before is the letter that
// leads to it, or 0; index says that it stands in the number of an element.
func (l *legal) leaving(b *branch, before byte, index bool) expr {
	var choices alt
	for i, c := range b.letters {
		inIndex := isDigit(c) && (index || before == '.')
		choices = append(choices, seq{text(string(c)), l.behind(b.next[i], c, inIndex)})
	}
	free := func(set string, rest *rule) {
		if set = lessLetters(set, b.letters); set != "" {
			choices = append(choices, seq{class(set), optional(rest)})
		}
	}
	switch {
	case before == 0:
		free(letters, l.rest())
		return choices
	case before == '.':
		free(digits, l.restOfIndex())
		free(letters, l.rest())
		return choices
	case index:
		free(digits, l.restOfIndex())
	default:
		free(wordLetters, l.rest())
	}
	if !b.whole && !slices.Contains(b.letters, '.') {
		choices = append(choices, l.fields())
	}
	if b.end {
		return choices
	}
	return optional(choices)
}

// behind is [legal.leaving], as a rule of its own where the branch forks: what is
// nested too deeply or too often is more than some readers take.
func (l *legal) behind(b *branch, before byte, index bool) expr {
	if len(b.letters) < 2 {
		return l.leaving(b, before, index)
	}
	l.forks++
	fork := l.token("path", "fork "+strconv.Itoa(l.forks), func() expr {
		e := l.leaving(b, before, index)
		if o, ok := e.(repeat); ok {
			return o.of // it may end here: that is said where it is used
		}
		return e
	})
	if before == '.' || b.end {
		return fork
	}
	return optional(fork)
}

// lessLetters is a set of characters without some of them.
func lessLetters(set string, without []byte) string {
	var less []byte
	for i := 0; i < len(set); i++ {
		first, last := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			last = set[i+2]
			i += 2
		}
		for c := first; c <= last; c++ {
			if slices.Contains(without, c) {
				continue
			}
			n := len(less)
			switch {
			case n >= 3 && less[n-2] == '-' && less[n-1] == c-1:
				less[n-1] = c
			case n >= 2 && less[n-1] == c-1 && less[n-2] == c-2:
				less = append(less[:n-1], '-', c)
			default:
				less = append(less, c)
			}
		}
	}
	return string(less)
}
