package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// A reply of a model is judged one step at a time, by the functions that judge
// the calls of a file: what they find has the same code and the same words (R7,
// design.md 3.1). What differs is what becomes of a finding: here it refuses
// the step, and where it stands in the order of judgement (bridge.md 5.6) says
// as what.

// RefusalKind says at which station of the judgement a step was refused.
type RefusalKind uint8

// The stations that package check judges at, in their order. The budget and the
// bodies come after them.
const (
	Misread      RefusalKind = iota // a definition that does not obey the grammar
	Denied                          // the verb is neither granted nor defined
	Invalid                         // fields, types, names bound twice
	Misshapen                       // an arm word that the verb does not declare
	Undispatched                    // bindings, splices, handles
)

// Refusal is why one step of a reply may not run.
type Refusal struct {
	Kind RefusalKind
	Diagnostic
	Word string // Misshapen: the word that no outcome has
	// Exact says that the words are fixed to the byte (R33).
	Exact bool
}

func refuse(kind RefusalKind, d Diagnostic) *Refusal { return &Refusal{Kind: kind, Diagnostic: d} }

// listed is how many names a refusal offers where no single one is near.
const listed = 12

// offer ends a message in the name that was probably meant or, if none is
// near, in those there are. Those that have a part in common with it come first.
func offer(message, name, what string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return message + didYouMean(near)
	}
	if len(candidates) == 0 {
		return message
	}
	candidates = slices.Clone(candidates)
	slices.SortStableFunc(candidates, func(a, b string) int { return cmp.Compare(kinship(b, name), kinship(a, name)) })
	more := ""
	if len(candidates) > listed {
		candidates, more = candidates[:listed], ", …"
	}
	return message + " — " + what + ": " + strings.Join(candidates, ", ") + more
}

// kinship is the length of the longest part that a name has in common with
// another: of book-seat and seat-map, that of seat.
func kinship(name, other string) (longest int) {
	parts := func(c rune) bool { return strings.ContainsRune("-_.:/", c) }
	for _, part := range strings.FieldsFunc(name, parts) {
		if len(part) > longest && slices.Contains(strings.FieldsFunc(other, parts), part) {
			longest = len(part)
		}
	}
	return longest
}

// JudgeVerb finds the verb that a step names (KORU040).
func (v *Vocabulary) JudgeVerb(name syntax.Token) (*Verb, *Refusal) {
	if verb := v.Verb(name.Text()); verb != nil {
		return verb, nil
	}
	return nil, refuse(Denied, Diagnostic{Code: "KORU040", Span: name.Span(), Message: v.notGranted(name.Text())})
}

// notGranted says that a verb is not granted, and which are. A name that was
// given the module or the scope it is from stands for its last part.
func (v *Vocabulary) notGranted(name string) string {
	message := fmt.Sprintf("scope '%s' does not grant '%s'", v.Scope.Name, clip(name))
	names := v.Names()
	if last := lastSegment(name); last != name && slices.Contains(names, last) {
		return message + didYouMean(last)
	}
	return offer(message, name, "it grants", names)
}

// Names lists the verbs that the session may call: what it has defined, and
// what the scope grants.
func (v *Vocabulary) Names() []string {
	var names []string
	for _, d := range v.Defined {
		names = append(names, d.Name)
	}
	for _, s := range v.Scope.Verbs {
		names = append(names, s.Name)
	}
	return names
}

// JudgeStep matches the arguments of a step to the fields of its verb: a label
// that names no field or the same field twice is KORU081, a field that is
// missing KORU080. What the fields are given is judged by value.
func JudgeStep(verb *Verb, call syntax.CallView) ([]Supplied, *Refusal) {
	supplied, faults := JudgeFields(verb.Tor, verb.Name, call.ArgList(), OnWire)
	if len(faults) > 0 {
		return nil, refuse(Invalid, faults[0])
	}
	for i := range supplied {
		if s := &supplied[i]; !s.Node.IsValid() && s.Field.Required() {
			return nil, refuse(Invalid, NeedsField(verb.Name, s.Field, call.Path().Span()))
		}
	}
	return supplied, nil
}

// NeedsField is [Missing] in the words of a reply (bridge.md 3.8).
func NeedsField(verb string, f *Field, at syntax.Span) Diagnostic {
	d := Missing(verb, f, at)
	d.Message = fmt.Sprintf("'%s' needs the field '%s': it requires input '%s' (%s)", verb, f.Name, f.Name, f.Type)
	return d
}

// Mistyped refuses a value that does not fit the field it is given to
// (KORU082). misfit words what is wrong with it, from the verb on.
func Mistyped(f *Field, misfit, text string, at syntax.Span) *Refusal {
	d := Diagnostic{Code: "KORU082", Span: at, Message: misfit}
	if f.Type.Kind == ChoiceType {
		if near := Nearest(text, f.Type.Choices); near != "" {
			d.suggest(near)
		}
	}
	return refuse(Invalid, d)
}

// JudgeArm judges the word of an arm against the verb it handles (KORU021).
// armed are the outcomes that other arms of the call accept: it cannot mean one
// of those.
func JudgeArm(verb *Verb, word syntax.Token, armed []string) *Refusal {
	name := word.Text()
	if o := verb.Tor.Outcome(name); o != nil && !o.Effect {
		return nil
	}
	d := Diagnostic{Code: "KORU021", Span: word.Span(), Message: InventedOutcome(verb.Tor, verb.Name, name)}
	switch {
	case verb.Tor.Branches():
		d.suggestOneOf(name, unarmed(verb.Tor, armed))
	case verb.Tor.Return != nil:
		d.Message += " — name what it delivers: " + verb.Name + "(…): name"
	default:
		d.Message += " — it delivers nothing: " + verb.Name + "(…) |>"
	}
	r := refuse(Misshapen, d)
	r.Word = name
	return r
}

// suggestOneOf ends a finding in the word that was probably meant.
func (d *Diagnostic) suggestOneOf(name string, words []string) {
	if near := Nearest(name, words); near != "" {
		d.suggest(near)
	}
}

func unarmed(t *Tor, armed []string) []string {
	return slices.DeleteFunc(outcomeWords(t), func(w string) bool { return slices.Contains(armed, w) })
}

// ArmedTwice refuses a second arm for one outcome of a call (SHAPE002).
func ArmedTwice(verb *Verb, word syntax.Token) *Refusal {
	r := refuse(Misshapen, Diagnostic{
		Code: "SHAPE002", Span: word.Span(),
		Message: fmt.Sprintf("Duplicate handler for branch '%s' of '%s': one arm accepts it", word.Text(), verb.Name),
	})
	r.Word = word.Text()
	return r
}

// Armed is a call of an item and what its arms accept. Verb is nil if nobody
// grants it.
type Armed struct {
	Name  string
	Verb  *Verb
	Words []string
}

// StrayArm refuses an arm on a line of its own whose word no call of its item
// declares (KORU021, R25). A call of a verb that is not granted may be the one
// that it was meant for.
func StrayArm(words *Vocabulary, calls []Armed, word syntax.Token) *Refusal {
	if len(calls) == 1 && calls[0].Verb != nil {
		return JudgeArm(calls[0].Verb, word, calls[0].Words)
	}
	name := word.Text()
	message := fmt.Sprintf("'%s' is not an outcome of any call of its item", name)
	var free []string
	sep := " — "
	for _, c := range calls {
		switch {
		case c.Verb == nil:
			message += sep + words.notGranted(c.Name)
		case !c.Verb.Tor.Branches():
			message += sep + "'" + c.Name + "' declares no outcome"
		default:
			message += sep + "'" + c.Name + "' declares: " + allWords(c.Verb.Tor)
			free = append(free, unarmed(c.Verb.Tor, c.Words)...)
		}
		sep = "; "
	}
	d := Diagnostic{Code: "KORU021", Span: word.Span(), Message: message}
	d.suggestOneOf(name, free)
	r := refuse(Misshapen, d)
	r.Word = name
	return r
}

// BindsNothing refuses a name for the value of a call that delivers none, or
// delivers it with an outcome: `find(...): f`.
func BindsNothing(verb *Verb, name syntax.Token) *Refusal {
	switch {
	case verb.Tor.Branches():
		return refuse(Misshapen, Diagnostic{
			Code: "KORU021", Span: name.Span(),
			Message: fmt.Sprintf("'%s' delivers no single value to bind: accept one of its outcomes (%s) with an arm", verb.Name, allWords(verb.Tor)),
		})
	case verb.Tor.Return == nil:
		return nil // a name for nothing binds nothing (R28)
	}
	return nil
}

// Shadowing is how bridge.md 4.4 and 5.3 refuse a name that is bound twice.
const Shadowing = "Shadowing not allowed: binding already exists"

// Rebound refuses a name that the reply, or the session, has bound already
// (KORU106, R34). line counts from 1; 0 stands for a result of the session.
func Rebound(name syntax.Token, line int) *Refusal {
	d := Shadows(name.Text(), line, name.Span())
	if line == 0 {
		d.Message = "'" + name.Text() + "' names a result of this session: give this one another name"
	}
	d.Message = Shadowing + " — " + d.Message
	return refuse(Invalid, d)
}

// NamedTwice refuses a record that gives one field two values (KORU081).
func NamedTwice(field string, at syntax.Span) *Refusal {
	return refuse(Invalid, Diagnostic{
		Code: "KORU081", Sub: "duplicate", Span: at, Message: "the record names '" + field + "' twice",
	})
}

// Oversized refuses a value that is beyond a limit (KORU082).
func Oversized(message string, at syntax.Span) *Refusal {
	return refuse(Invalid, Diagnostic{Code: "KORU082", Span: at, Message: message})
}

// Unnamed refuses a name that nothing is bound as (KORU040, R37). splice is
// what stands between the braces, or "" in an argument; live are the names that
// are bound.
func Unnamed(splice, name string, live []string, at syntax.Span) *Refusal {
	return refuse(Undispatched, Diagnostic{
		Code: "KORU040", Span: at,
		Message: offer(Unbound(splice, name), name, "bound here", live) + asText(splice, name),
	})
}

// asText reminds whoever writes a bare word in an argument that a text has
// quotes. One that writes r9 means a result.
func asText(splice, name string) string {
	if splice != "" || len(name) > 1 && name[0] == 'r' && strings.Trim(name[1:], "0123456789") == "" {
		return ""
	}
	return " (a text stands in quotes)"
}

// Unreachable refuses a path that leads out of a bound value: a field or an
// element that it does not have. Of a splice (KORU168) the words are fixed to
// the byte (bridge.md 5.7); in an argument has says what the value does have.
func Unreachable(splice, name, field, has string, at syntax.Span) *Refusal {
	if splice != "" {
		r := refuse(Undispatched, Diagnostic{Code: "KORU168", Span: at, Message: NoField(splice, name, field)})
		r.Exact = true
		return r
	}
	return refuse(Undispatched, Diagnostic{Code: "KORU040", Span: at, Message: NoField("", name, field) + " — " + has})
}

// Unspliced refuses a splice for another reason (KORU168).
func Unspliced(splice, why string, at syntax.Span) *Refusal {
	return refuse(Undispatched, Diagnostic{Code: "KORU168", Span: at, Message: "'{ " + splice + " }' — " + why})
}

// NotGiven refuses a text that a session was never given in the state that a
// field asks for (KORU030, R6). given are those that it was given, the newest
// first, and sources the verbs that deliver some.
func NotGiven(state, text string, given, sources []string, at syntax.Span) *Refusal {
	article := "a"
	if state != "" && strings.IndexByte("aeiou", state[0]) >= 0 {
		article = "an"
	}
	message := fmt.Sprintf("'%s' is not %s %s this session was given", clip(text), article, state)
	if len(given) == 0 {
		message += " — none was given yet" + DeliveredBy(sources)
	} else if near := Nearest(text, given); near != "" {
		message += didYouMean(near)
	} else {
		message += " — given: '" + strings.Join(given, "', '") + "'"
	}
	return refuse(Undispatched, Diagnostic{Code: "KORU030", Span: at, Message: message})
}

// DeliveredBy goes on to say which verbs deliver what is missing.
func DeliveredBy(verbs []string) string {
	if len(verbs) == 0 {
		return ""
	}
	return ", it comes from: " + strings.Join(verbs, ", ")
}

// NotHeld refuses what names no live handle that would do (KORU030). The words
// are the session's: they say what it holds, not what was written (R33).
func NotHeld(message string, at syntax.Span) *Refusal {
	return refuse(Undispatched, Diagnostic{Code: "KORU030", Span: at, Message: message})
}

// Forgotten refuses a result that the session no longer keeps (R62).
func Forgotten(splice, name string, kept int, at syntax.Span) *Refusal {
	message := name + " is no longer kept (newest " + thousands(kept) + " are)"
	if splice != "" {
		message = "'{ " + splice + " }' — " + message
	}
	return refuse(Undispatched, Diagnostic{Code: "KORU040", Span: at, Message: message})
}

// thousands writes a count with commas between its thousands.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
