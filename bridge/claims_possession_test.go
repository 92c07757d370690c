package bridge

import (
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// bookshelf is a program whose handles lean on each other: a page on a book, a note
// on one or two pages. Every body that lets go says so.
const bookshelf = `
import std/io
import std/bridge
import std/runtime
import std/interpreter

pub tor lend { title: string } -> string<lent!>
proc lend|js { return title; }
pub tor bring { book: string<!lent> }
proc bring|js { console.log("BROUGHT " + book); }
pub tor open { book: string<lent>, n: i64 } -> string<opened!>
proc open|js { return book + "/" + n; }
pub tor shut { page: string<!opened> }
proc shut|js { console.log("SHUT " + page); }
pub tor compare { left: string<opened>, right: string<opened> } -> string<noted!>
proc compare|js { return left + "=" + right; }
pub tor drop { note: string<!noted> }
proc drop|js { console.log("DROPPED " + note); }

std/runtime:register(scope: "notes") {
    lend
    bring
    open
    shut
    compare
    drop
}
`

// hungUp is a session on the bookshelf that takes what the replies take and never
// closes itself.
func hungUp(replies ...string) string {
	return strings.Replace(talked("", replies...), notes, bookshelf, 1)
}

// hangUp spells what the close of a session says and does, verb by verb.
func hangUp(released ...[3]string) string {
	said := map[string]string{"bring": "BROUGHT", "shut": "SHUT", "drop": "DROPPED"}
	text := ""
	for _, r := range released {
		verb, handle, owes := r[0], r[1], r[2]
		text += said[verb] + " " + handle + "\n[BRIDGE] Invoked '" + verb + "' for handle '" + handle + "' [main:" + owes + "]\n"
	}
	return text
}

var possessionClaims = []property{
	{"440_001", "what a reply opened stays open behind it", program{source: talked("", `open(path: "1")`),
		prints: "ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\n", says: "CLOSED note_1\n[BRIDGE] Invoked 'shut' for handle 'note_1' [main:open]\n"}},
	{"440_002", "and another reply closes it", program{source: talked("", `open(path: "1")`, `shut(h: r1)`),
		prints: "ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\nok {\"branch\":\"\"} held 0\n", says: "CLOSED note_1\n"}},
	{"440_003", "a forged close does not run, the real one does", program{source: talked("", `open(path: "1")`, `shut(h: "note_2")`, `shut(h: r1)`),
		prints: "ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\ndispatch shut HandleNotHeld\nok {\"branch\":\"\"} held 0\n", says: "CLOSED note_1\n"}},
	{"440_004", "closing a session lets go through the body of the verb", program{source: hungUp(`lend(title: "A")`),
		prints: "ok {\"branch\":\"\",\"value\":\"A\"} held 1\n", says: hangUp([3]string{"bring", "A", "lent"})}},
	{"440_005", "a session cannot be dropped", program{source: notes + `std/bridge:create(id: "t", scope: "notes"): br
|> std/bridge:get-handles(br): n
|> std/io:print.ln("{{ n:d }}")
`, fails: "obligation <session!> was not discharged", with: func(o *check.Options) { o.NoAutoDischarge = true }}},
	{"440_006", "a program of two turns closes its session on every way out", program{source: talked("", `open(path: "1")`, `rm(path: "1")`),
		prints: "ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\nno verb rm\n", says: "CLOSED note_1\n[BRIDGE] Invoked 'shut' for handle 'note_1' [main:open]\n"}},
	{"440_007", "a verb that re-issues is none that lets go", program{source: talked("", `open(path: "1")`, `use(h: r1)`),
		prints: "ok {\"branch\":\"\",\"value\":\"note_1\"} held 1\nok {\"branch\":\"\",\"value\":\"note_1\"} held 1\n", says: "CLOSED note_1\n[BRIDGE] Invoked 'shut' for handle 'note_1' [main:open]\n"}},
	{"440_008", "a verb is denied before it was taught, and runs afterwards", program{
		source: notes + talk + `[with]std/bridge:create(id: "t", scope: "notes"): br
|> turn(br, text: "loud(s: \"a\")")
|> std/bridge:define(br, source: "tor loud { s: string } -> string\nloud -> echo(s, n: 11)")
| defined d |> std/io:print.ln("taught {{ d:s }}")
    |> turn(br, text: "loud(s: \"a\")")
| parse-error p |> std/io:print.ln("{{ p.message:s }}")
`, prints: "no verb loud\ntaught loud\nok {\"branch\":\"\",\"value\":\"a/11/1.5/false\"} held 0\n"}},
	{"440_009", "a reply teaches, and the vocabulary shows it", program{source: talked(", introspect: true", "tor loud { s: string } -> string\nloud -> echo(s, n: 11)") +
		"|> std/bridge:vocabulary(br)\n| ok v |> std/io:print.ln(\"{{ v:s }}\")\n",
		prints: "defined loud\n" + notesVerbs + "\nloud(s: string) -> string [cost 2]\n"}},
	{"440_010", "what was made from a handle goes before it", program{source: hungUp(`lend(title: "A")`, `open(book: r1, n: 7)`),
		prints: "ok {\"branch\":\"\",\"value\":\"A\"} held 1\nok {\"branch\":\"\",\"value\":\"A/7\"} held 2\n",
		says:   hangUp([3]string{"shut", "A/7", "opened"}, [3]string{"bring", "A", "lent"})}},
	{"440_011", "handles that have nothing to do with each other go newest first", program{source: hungUp("lend(title: \"A\")\nlend(title: \"B\")\nlend(title: \"C\")"),
		prints: "ok {\"branch\":\"\",\"value\":\"C\"} held 3\n", says: hangUp([3]string{"bring", "C", "lent"}, [3]string{"bring", "B", "lent"}, [3]string{"bring", "A", "lent"})}},
	{"440_012", "a verb taught again is the newer one", program{source: talked("", "tor loud { s: string } -> string\nloud -> echo(s, n: 1)", `loud(s: "a")`, "tor loud { s: string } -> string\nloud -> echo(s, n: 2)", `loud(s: "a")`),
		prints: "defined loud\nok {\"branch\":\"\",\"value\":\"a/1/1.5/false\"} held 0\ndefined loud\nok {\"branch\":\"\",\"value\":\"a/2/1.5/false\"} held 0\n"}},
	{"440_013", "what was closed is not closed again at the end", program{source: hungUp("lend(title: \"A\")\nlend(title: \"B\")", "bring(book: r1)"),
		prints: "ok {\"branch\":\"\",\"value\":\"B\"} held 2\nok {\"branch\":\"\"} held 1\n", says: "BROUGHT A\n" + hangUp([3]string{"bring", "B", "lent"})}},
	{"440_014", "three levels unwind from the leaf, in one close", program{source: hungUp("lend(title: \"A\")", "open(book: r1, n: 1)\nopen(book: r1, n: 2)", "compare(left: r2, right: r2)"),
		prints: "ok {\"branch\":\"\",\"value\":\"A\"} held 1\nok {\"branch\":\"\",\"value\":\"A/2\"} held 3\nok {\"branch\":\"\",\"value\":\"A/1=A/1\"} held 4\n",
		says:   hangUp([3]string{"drop", "A/1=A/1", "noted"}, [3]string{"shut", "A/2", "opened"}, [3]string{"shut", "A/1", "opened"}, [3]string{"bring", "A", "lent"})}},
	{"440_015", "what was made from two handles goes before both", program{source: hungUp("lend(title: \"A\")\nlend(title: \"B\")", "open(book: r1, n: 1)\nopen(book: r2, n: 1)", "compare(left: r3, right: r4)", "lend(title: \"C\")"),
		prints: "ok {\"branch\":\"\",\"value\":\"B\"} held 2\nok {\"branch\":\"\",\"value\":\"B/1\"} held 4\nok {\"branch\":\"\",\"value\":\"A/1=B/1\"} held 5\nok {\"branch\":\"\",\"value\":\"C\"} held 6\n",
		says: hangUp([3]string{"bring", "C", "lent"}, [3]string{"drop", "A/1=B/1", "noted"}, [3]string{"shut", "B/1", "opened"}, [3]string{"shut", "A/1", "opened"},
			[3]string{"bring", "B", "lent"}, [3]string{"bring", "A", "lent"})}},
	{"440_016", "a claim to let go without a body is none: its handles strand, with what they lean on", program{
		source: strings.Replace(hungUp("lend(title: \"A\")", "open(book: r1, n: 1)"), "proc shut|js { console.log(\"SHUT \" + page); }", "proc shut|c { }", 1),
		prints: "ok {\"branch\":\"\",\"value\":\"A\"} held 1\nok {\"branch\":\"\",\"value\":\"A/1\"} held 2\n",
		says:   "[BRIDGE] No spec for 'A/1' [main:opened], skipping\n[AUTO-DISCHARGE] Failed 'close': std/bridge:close: session 't' still holds 2 handle(s) after hang-up — a discharge event failed (see the [BRIDGE] lines above)\n",
		fails:  "session 't' still holds 2 handle"}},
	{"440_017", "the contract is the rules, the verbs and what was taught", shown(func(t *testing.T) {
		out, _, err := runProgram(t, talked("", "tor loud { s: string } -> string\nloud -> echo(s, n: 11)")+
			"|> std/bridge:grammar(br)\n| ok g |> std/io:print.ln(\"{{ g:s }}\")\n")
		rules, verbs, _ := strings.Cut(out, "\n\nYour vocabulary:\n")
		if err != nil || !strings.HasPrefix(rules, "defined loud\nyour reply IS wire — invocations, never narration") || verbs != notesVerbs+"\nloud(s: string) -> string [cost 2]\n" {
			t.Errorf("%v\n%s", err, out)
		}
	})},
	{"440_018-440_040", "what these upstream tests say", inapplicable("not retrievable: the newest public state names no test beyond 440_017 but the transcript")},
	{"440_041", "the transcript of a sandbox agent", shown(showSandbox)},
}

// notesVerbs is the vocabulary of the scope "notes".
const notesVerbs = `open(path: string) -> string<open!> [cost 10]
use(h: string<!open>) -> string<open!>
shut(h: string<!open>)
view(h: string<open>) -> string<page!>
drop-view(p: string<!page>)
pick(n: i64) | low i64 | high { n: i64, text: string }
echo(s: string, n: i64 = 3, f: f64 = 1.5, b: bool = false) -> string
say(text: string)
ghost(x: string)`
