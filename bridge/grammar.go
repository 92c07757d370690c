package bridge

import "github.com/koru-go/koru/check"

// wireRules is the contract of a reply as a model reads it. Each line states
// rules that the parser of replies and the judgement of steps enforce (bridge.md
// 3.6, 5).
const wireRules = `your reply IS wire — invocations, never narration. Prose, Markdown, comments and JSON tool calls are refused.
- A step is verb(field: value, other: value). Quote text: "…", with \" and \\ inside. Numbers, true, false, lists [ … ] and records { field: value } stand bare.
- Results are numbered r1, r2, … over the whole session. Name one bare, and a part of it with dots: room: r3, id: u.id
- Accept an outcome with an arm: | ok u |> keeps its value as u, | ok |> drops it. Arm words are the verb's declared outcomes. One that fires without an arm stops the reply there.
- A call after |>, on the same line or the next, runs next: that is a chain, and a blank line ends it. After a verb without outcomes write verb(…): name |> or verb(…) |>
- Accept a further outcome on a line of its own below, with a call of its own if it needs one: | error e |> verb(field: e)
- {{ u.name }} inside quoted text puts a bound value there. A name is bound once a reply.
- A field typed *Type or <!name> takes a handle: pass the rN that holds it. Handles are issued, never spelled. A field typed <name> takes only what a result gave you as <name>.
- Teach a verb: tor name { field: type } | outcome type   then on the next line   name = verb(field, other: "text")
- say: text speaks to the user, to the end of its line. note: text is kept for the observer.
- release(r: rN) lets go of a handle. abandon(reason: "…") ends the reply.
- In the list below ?type or = value marks a field that may be left out, ?word an outcome that need not be accepted, [cost N] a price other than 1.`

// introspectionRule is shown only where it is granted, for a reply that uses it
// elsewhere is refused.
const introspectionRule = `
- vocabulary() lists your verbs and what you hold. grammar() shows this text.`

// RenderGrammar returns the contract text: the rules of the wire and the
// vocabulary (bridge.md 3.6). It is meant for a system message: the same bytes
// from turn to turn, which a definition alone changes, at the end.
func RenderGrammar(words *check.Vocabulary) string {
	text := wireRules
	if words.Introspect {
		text += introspectionRule
	}
	text += "\n\nYour vocabulary:"
	if verbs := RenderVocabulary(words); verbs != "" {
		text += "\n" + verbs
	}
	return text
}
