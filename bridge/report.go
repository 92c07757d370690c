package bridge

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Everything that a model, or a person watching one, reads about the steps of
// a reply is worded here and nowhere else (bridge.md 5.7). The judgements
// themselves come from package check, so that a refusal on the wire and a
// diagnostic in an editor have the same words (R7); this file says where in the
// reply they apply, what became of the rest, and how to go on.

// Trace returns the report: one line a step, and the lesson of an unarmed
// outcome on a line of its own (R32).
func (t *Turn) Trace() []string {
	if t.Tier == TierError && len(t.Steps) == 0 {
		return []string{oneLine(t.Err.Error())}
	}
	lines := make([]string, 0, len(t.Steps)+1)
	for i := range t.Steps {
		s := &t.Steps[i]
		lines = append(lines, s.String())
		if s.Verdict == VerdictUnhandled {
			lines = append(lines, s.lesson())
		}
	}
	return lines
}

// String returns the step's line of the report. It is one line whatever the
// step carries.
func (s *Step) String() string {
	var room [256]byte
	return string(s.appendLine(room[:0]))
}

func (s *Step) appendLine(dst []byte) []byte {
	dst = append(dst, "step "...)
	dst = strconv.AppendInt(dst, int64(s.N), 10)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, int64(s.Of), 10)
	dst = append(dst, ' ')
	dst = append(dst, s.Verdict.String()...)
	switch s.Verdict {
	case VerdictResult, VerdictListing:
		dst = eval.AppendOutcomeJSON(append(dst, ": "...), s.Outcome)
		return s.appendBound(dst)
	case VerdictUnhandled:
		dst = append(dst, ": "...)
		dst = append(dst, oneLine(s.Outcome.Branch)...)
		dst = eval.AppendOutcomeJSON(append(dst, " — "...), s.Outcome)
		dst = appendHeld(append(dst, ' '), s.Held)
		return s.appendBound(dst)
	case VerdictParse, VerdictAbandoned:
		// The text stands for itself: what is not wire has no verb.
	default:
		if s.Verb != "" {
			dst = append(dst, ' ')
			dst = append(dst, oneLine(s.Verb)...)
		}
	}
	if m := s.message(); m != "" {
		dst = append(dst, ": "...)
		dst = append(dst, oneLine(m)...)
	}
	return dst
}

func (s *Step) appendBound(dst []byte) []byte {
	if s.Bound == "" {
		return dst
	}
	dst = append(dst, " bound: "...)
	return append(dst, s.Bound...)
}

// appendHeld appends what the session holds, oldest first:
// (held [r1=h:Dir:737eec, r4=note_0]).
func appendHeld(dst []byte, held []Held) []byte {
	dst = append(dst, "(held ["...)
	for i, h := range held {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, h.Binding...)
		dst = append(dst, '=')
		dst = append(dst, oneLine(h.Handle)...)
	}
	return append(dst, "])"...)
}

// lesson spells the arm that the reply lacked.
func (s *Step) lesson() string {
	arm := "  arm it: | " + oneLine(s.Outcome.Branch)
	if s.Outcome.Has {
		arm += " " + s.Lesson
	}
	return arm + " |>"
}

// lessonName chooses the name that the lesson binds the payload to: the first
// letter of the outcome, or the word, or the word with a number, whichever the
// reply does not use yet.
func lessonName(branch string, used func(string) bool) string {
	word := strings.ToLower(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (isLetter(byte(r)) || isDigit(byte(r))) {
			return r
		}
		return -1
	}, branch))
	if word == "" || !isLetter(word[0]) {
		word = "v" + word
	}
	for _, name := range []string{word[:1], word} {
		if !used(name) && !isResultName(name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if name := word + "-" + strconv.Itoa(n); !used(name) {
			return name
		}
	}
}

// isResultName reports whether a name is of the form rN, which no arm binds.
func isResultName(name string) bool {
	return len(name) > 1 && name[0] == 'r' && strings.Trim(name[1:], "0123456789") == ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// oneLine returns text as it may stand in a report: control characters, which
// would break the line or drive a terminal, become spaces.
func oneLine(text string) string {
	control := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	if strings.IndexFunc(text, control) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return ' '
		}
		return r
	}, text)
}

// legalForms is what every text that is not wire is answered with.
const legalForms = `verb(field: "value") with arms | outcome name |>, say: text, note: text, tor name { … }, release(r: rN), abandon(reason: "…")`

// notWire says that a text is no item: the text, what was delivered before it,
// and what could stand there (bridge.md 5.11).
func notWire(text string, before []Step, of int) string {
	return quoteText(text) + " is not wire. Delivered: " + delivered(before, of) + ". Legal: " + legalForms + "."
}

// quoteText returns the first line of a text in quotes, cut to 60 characters.
func quoteText(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		text = text[:end]
	}
	return "'" + clip(text, 60) + "'"
}

// clip cuts text to at most n characters and shows that it did.
func clip(text string, n int) string {
	count := 0
	for i := range text {
		if count == n {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// misdefined words why a definition was not understood. The words about its two
// halves say all there is to say (bridge.md 8.2); others go on with its form.
func misdefined(fault string) string {
	if fault == syntax.MissingHalf || strings.HasPrefix(fault, "Definition ") || strings.HasPrefix(fault, "the flow names ") {
		return fault
	}
	return fault + " — a definition is tor name { field: type } | outcome type and, on the next line, name = verb(field)"
}

// below quotes the line of a text that a fault is in, if it is not the first.
func below(text string, at int) string {
	start := strings.LastIndexAny(text[:min(at, len(text))], "\r\n") + 1
	if strings.TrimSpace(text[:start]) == "" || strings.TrimSpace(text[start:]) == "" {
		return ""
	}
	return quoteText(text[start:]) + ": "
}

// teaches reports whether a refusal goes on with what was delivered. The words
// of possession depend on the session alone (R33), and a body that failed was no
// fault of the reply.
func teaches(e *RunError) bool {
	return !e.complete && e.Cause == "" && (e.Code != "" || e.Kind != VerdictDispatch)
}

// delivered says what of a reply was carried out: nothing, or 2 of 5 steps
// (find, say).
func delivered(before []Step, of int) string {
	const most = 8 // verbs named
	n := 0
	var verbs []string
	for i := range before {
		s := &before[i]
		if !s.Verdict.Success() && s.Verdict != VerdictUnhandled {
			continue
		}
		if n++; n <= most {
			verbs = append(verbs, s.Verb)
		}
	}
	switch {
	case n == 0:
		return "nothing"
	case n > most:
		verbs = append(verbs, "…")
	}
	return fmt.Sprintf("%d of %d steps (%s)", n, of, strings.Join(verbs, ", "))
}

// neverBound says that a step after the stop leans on a name that the step
// which stopped the reply would have bound. path is the splice that does, or
// "" for an argument.
func neverBound(path, name string, stop *Step) string {
	why := "was refused"
	if stop.Verdict == VerdictUnhandled {
		why = "fired " + stop.Outcome.Branch
	}
	text := fmt.Sprintf("'%s' was never bound (step %d %s)", name, stop.N, why)
	if path == "" {
		return text
	}
	return "'{ " + path + " }' — " + text
}

// exhausted says that a budget does not cover a verb, and which verbs both
// budgets do. whose says of which budget.
func exhausted(used, limit uint64, verb string, cost uint64, whose string, within []string) string {
	text := fmt.Sprintf("used %d of %d, '%s' costs %d%s", used, limit, verb, cost, whose)
	if len(within) == 0 {
		return text + " — no verb is left that costs so little"
	}
	return text + " — within it: " + strings.Join(within, ", ")
}

// The failures of possession, in one word each.
const (
	handleNotHeld = "HandleNotHeld"
	handleInUse   = "HandleInUse"
	noDischarger  = "NoDischarger"
)

// notHeld refuses what does not name a live handle. What it goes on with
// depends on what the session holds and on nothing that was written: a handle
// that was counted and one that was guessed are refused in the same words (R33).
func notHeld(w *want, capability bool, fits, sources []string) string {
	if len(fits) > 0 {
		return handleNotHeld + " — live here: " + strings.Join(fits, ", ")
	}
	return handleNotHeld + " — this session holds no " + w.describe(capability) + check.DeliveredBy(sources)
}

// describe names what a field wants: a Dir, or a string<open>.
func (w *want) describe(capability bool) string {
	if capability || len(w.states) == 0 {
		return w.resource
	}
	states := make([]string, len(w.states))
	for i, d := range w.states {
		states[i] = d.owes.name
	}
	return w.resource + "<" + strings.Join(states, "|") + ">"
}

// liveHandles says which handles release could be about.
func liveHandles(held []Held) string {
	if len(held) == 0 {
		return " — this session holds no handle"
	}
	names := make([]string, 0, fittingHandles)
	for i := len(held) - 1; i >= 0 && len(names) < fittingHandles; i-- {
		names = append(names, held[i].Binding)
	}
	return " — live here: " + strings.Join(names, ", ")
}

// inUse refuses to release what something else was made from (bridge.md 5.9).
func inUse(dependents []string) string {
	return handleInUse + " — release first: " + strings.Join(dependents, ", ")
}

// label says on whose behalf a handle is let go (bridge.md 7.5).
type label string

const (
	atClose  label = "BRIDGE"         // a session is closed
	atRunEnd label = "AUTO-DISCHARGE" // a run with a pool of its own ends
)

// invoked, failed and skipped are the lines that standard error gets whenever
// the runtime itself lets a handle go (R72).
func (l label) invoked(r *record) string {
	return fmt.Sprintf("[%s] Invoked '%s' for handle '%s' [%s]", l, r.discharge, oneLine(r.handle), r.owes)
}

func (l label) failed(r *record, why error) string {
	return fmt.Sprintf("[%s] Failed '%s': %s", l, r.discharge, oneLine(why.Error()))
}

func (l label) skipped(r *record) string {
	return fmt.Sprintf("[%s] No spec for '%s' [%s], skipping", l, oneLine(r.handle), r.owes)
}

// stillHeld and noScopeToRelease are why a session cannot be closed (bridge.md
// 7.7).
func stillHeld(session string, n int) string {
	return fmt.Sprintf("std/bridge:close: session '%s' still holds %d handle(s) after hang-up — a discharge event failed (see the [BRIDGE] lines above)", session, n)
}

func noScopeToRelease(session, scope string, n int) string {
	return fmt.Sprintf("std/bridge:close: session '%s' holds %d handle(s) and its scope '%s' is not registered, so nothing can release them", session, n, scope)
}

// notInstalled says that a file of a world was skipped (bridge.md 8.7).
func notInstalled(file, why string) string {
	return fmt.Sprintf("[BRIDGE] world: '%s' not installed: %s", oneLine(file), oneLine(why))
}

// worldNotice is what a mount has to say.
func worldNotice(text string) string { return "[BRIDGE] world: " + oneLine(text) }
