package bridge

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Every refusal quotes the text that it is about, says what of the reply was
// delivered, and names what would have been legal there (bridge.md 5.11, R7).
// Two say nothing of what was delivered: the words of a splice that names no
// field are fixed to the byte, and what is said of a handle depends on the
// session alone (R33).
func TestRefusalsTeach(t *testing.T) {
	source, err := os.ReadFile("testdata/market.k")
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	program := compile(t, string(source), marketBodies(&calls))
	const first = "find(code: \"P1\") | ok p |>\n"
	covered := map[string]bool{}
	for _, tt := range []struct {
		name, before, reply string
		code, quotes        string
		legal               []string // what stands in its place
		silent              bool     // says nothing of what was delivered
	}{
		{name: "a verb near another", reply: `fnd(code: "P1")`, code: "KORU040", quotes: "'fnd'", legal: []string{"did you mean 'find'?"}},
		{name: "a verb like none", reply: `remove(path: "x")`, code: "KORU040", quotes: "'remove'", legal: []string{"it grants: find, weigh, say"}},
		{name: "a verb with a part of another", reply: `get-page(book: r1)`, code: "KORU040", quotes: "'get-page'", legal: []string{"it grants: page, find"}},
		{name: "a verb with where it comes from", reply: `tools.page(book: r1)`, code: "KORU040", quotes: "'tools.page'", legal: []string{"did you mean 'page'?"}},
		{name: "a field near another", reply: `find(kode: "P1")`, code: "KORU081", quotes: "'kode'", legal: []string{"(fields: code)", "did you mean 'code'?"}},
		{name: "a field like none", reply: `book(price_limit: 5)`, code: "KORU081", quotes: "'price_limit'", legal: []string{"(fields: flights, cabin, ?insured, ?bags, ?price, ?note)"}},
		{name: "a field where there are none", reply: `ping(x: 1)`, code: "KORU081", quotes: "'x'", legal: []string{"it takes no input"}},
		{name: "a field twice", reply: `find(code: "P1", code: "P2")`, code: "KORU081", quotes: "'code'", legal: []string{"given twice"}},
		{name: "a field that is missing", reply: `find()`, code: "KORU080", quotes: "'find'", legal: []string{"needs the field 'code'", "(string)"}},
		{name: "a number that is none", reply: `weigh(code: "P1", grams: "heavy")`, code: "KORU082", quotes: `"heavy"`, legal: []string{"'weigh.grams' wants i64"}},
		{name: "a choice that is none", reply: `book(flights: [], cabin: "first")`, code: "KORU082", quotes: `"first"`, legal: []string{`wants "basic" | "economy" | "business"`}},
		{name: "a field inside a record", reply: `book(flights: [{ flight_number: "1", day: "2" }], cabin: "basic")`, code: "KORU082", quotes: "flights[0].day", legal: []string{"the fields are flight_number, date"}},
		{name: "a text that is no JSON", reply: `book(flights: "none", cabin: "basic")`, code: "KORU082", quotes: `"none"`, legal: []string{"wants []{ flight_number: string, date: string }"}},
		{name: "an outcome near another", reply: `find(code: "P1") | okay |>`, code: "KORU021", quotes: "'okay'", legal: []string{"declared: ok, error", "did you mean 'ok'?"}},
		{name: "an outcome like none", reply: `find(code: "P1") | success |>`, code: "KORU021", quotes: "'success'", legal: []string{"declared: ok, error"}},
		{name: "an outcome where one value is delivered", reply: `weigh(code: "P1", grams: 1) | ok g |>`, code: "KORU021", quotes: "'ok'", legal: []string{"weigh(…): name"}},
		{name: "an outcome where nothing is delivered", reply: `ping() | ok |>`, code: "KORU021", quotes: "'ok'", legal: []string{"ping(…) |>"}},
		{name: "a word that is armed already is not offered", reply: "find(code: \"P1\") | ok q |>\nsay(text: q)\n| Ok e |>", code: "KORU021", quotes: "'Ok'", legal: []string{"'find' declares: ok, error; 'say' declares no outcome — Delivered"}},
		{name: "an outcome of no call, one of which is not granted", reply: "find(code: \"P1\") | ok q |>\nsy(text: q)\n| fine e |>", code: "KORU021", quotes: "'fine'", legal: []string{"'find' declares: ok, error", "does not grant 'sy' — did you mean 'say'?"}},
		{name: "one outcome armed twice", reply: "find(code: \"P1\")\n| ok a |>\n| ok b |>", code: "SHAPE002", quotes: "'ok'", legal: []string{"one arm accepts it"}},
		{name: "a name for what an outcome brings", reply: `find(code: "P1"): q`, code: "KORU021", quotes: "'find'", legal: []string{"(ok, error) with an arm"}},
		{name: "a name taken twice", reply: `find(code: "P1") | ok p |>`, code: "KORU106", quotes: "'p'", legal: []string{"give this one another name"}},
		{name: "the name of a result", reply: `find(code: "P1") | ok r9 |>`, code: "KORU106", quotes: "'r9'", legal: []string{"give this one another name"}},
		{name: "a name that is not bound", reply: `find(code: parcel)`, code: "KORU040", quotes: "'parcel'", legal: []string{"bound here: p", "a text stands in quotes"}},
		{name: "a name near one that is bound", before: `user(id: "ada") | ok _ |>`, reply: `find(code: r11)`, code: "KORU040", quotes: "'r11'", legal: []string{"did you mean 'r1'?"}},
		{name: "a name in a splice", reply: `say(text: "{{ nobody }}")`, code: "KORU040", quotes: "'{ nobody }'", legal: []string{"bound here: p"}},
		{name: "an expression in a splice", reply: `say(text: "{{ p + 1 }}")`, code: "KORU168", quotes: "'{ p + 1 }'", legal: []string{"{{ u.name }}"}},
		{name: "a handle in a splice", before: `borrow(title: "x") | lent _ |>`, reply: `say(text: "{{ r1 }}")`, code: "KORU168", quotes: "'{ r1 }'", legal: []string{"pass it bare"}},
		{name: "a field of a value", before: `user(id: "ada") | ok _ |>`, reply: `find(code: r1.nme)`, code: "KORU040", quotes: "'nme'", legal: []string{"it has: user_id, methods"}},
		{name: "an element of a list", before: `user(id: "ada") | ok _ |>`, reply: `find(code: r1.methods.7)`, code: "KORU040", quotes: "'7'", legal: []string{"it is a list: its elements are 0 to 1"}},
		{name: "a field of a text", reply: `find(code: p.name)`, code: "KORU040", quotes: "'name'", legal: []string{"name it alone"}},
		{name: "a field of a value, in a splice", before: `user(id: "ada") | ok _ |>`, reply: `say(text: "{{ r1.nme }}")`, code: "KORU168", quotes: "'{ r1.nme }'", legal: []string{"the bound value 'r1' carries no field 'nme'"}, silent: true},
		{name: "a text that was never given", before: `user(id: "ada") | ok _ |>`, reply: `pay(payment_id: "cash", amount: 5) | paid |>`, code: "KORU030", quotes: "'cash'", legal: []string{"given: 'gift_2', 'card_1'"}},
		{name: "a text near one that was given", before: `user(id: "ada") | ok _ |>`, reply: `pay(payment_id: "card_2", amount: 5) | paid |>`, code: "KORU030", quotes: "'card_2'", legal: []string{"did you mean 'card_1'?"}},
		{name: "a text where none was given", reply: `pay(payment_id: "cash", amount: 5) | paid |>`, code: "KORU030", quotes: "'cash'", legal: []string{"none was given yet, it comes from: user"}},
		{name: "a handle that is not held", before: `borrow(title: "x") | lent _ |>`, reply: `bring(book: "h:Book:000001")`, code: "KORU030", quotes: "HandleNotHeld", legal: []string{"live here: r1"}, silent: true},
		{name: "a handle where none is held", reply: `bring(book: r1)`, code: "KORU030", quotes: "HandleNotHeld", legal: []string{"this session holds no Book, it comes from: borrow"}, silent: true},
		{name: "a handle that others lean on", before: "borrow(title: \"x\") | lent b |>\npage(book: b, n: 1)", reply: `release(r: r1)`, code: "KORU030", quotes: "HandleInUse", legal: []string{"release first: r2"}, silent: true},
		{name: "prose", reply: `Here it is.`, code: "PARSE001", quotes: "'Here it is.'", legal: []string{`verb(field: "value")`, "say: line"}},
		{name: "Markdown", reply: "- ping()", code: "PARSE001", quotes: "'- ping()'", legal: []string{"without bullets"}},
		{name: "a fence", reply: "```koru\nping()\n```", code: "PARSE001", quotes: "'```koru'", legal: []string{"send its lines alone"}},
		{name: "a tool call", reply: `{"name": "ping"}`, code: "PARSE001", quotes: `'{"name": "ping"}'`, legal: []string{`write verb(field: "value")`}},
		{name: "a tag", reply: `<think>so</think>`, code: "PARSE001", quotes: "'<think>so</think>'", legal: []string{"leave it out, or put it into a note: line"}},
		{name: "a comment", reply: `// so`, code: "PARSE001", quotes: "'// so'", legal: []string{"note: line"}},
		{name: "an assignment", reply: `x = ping()`, code: "PARSE001", quotes: "'x = ping()'", legal: []string{"| outcome name |>", "verb(…): name"}},
		{name: "a call in a call", reply: `say(text: ping())`, code: "PARSE001", quotes: "'say(text: ping())'", legal: []string{"call it first"}},
		{name: "no label", reply: `find("P1")`, code: "PARSE001", quotes: `'find("P1")'`, legal: []string{"field: value"}},
		{name: "no colon", reply: `find(code="P1")`, code: "PARSE001", quotes: `'find(code="P1")'`, legal: []string{"':' after the field 'code'"}},
		{name: "braces", reply: `find({ code: "P1" })`, code: "PARSE001", quotes: `'find({ code: "P1" })'`, legal: []string{"without braces"}},
		{name: "single quotes", reply: `find(code: 'P1')`, code: "PARSE001", quotes: "'find(code: 'P1')'", legal: []string{`a text is quoted, field: "…"`}},
		{name: "no quotes", reply: `find(code: the first)`, code: "PARSE001", quotes: "'find(code: the first)'", legal: []string{`a text value is quoted: field: "…"`}},
		{name: "a splice without quotes", reply: `say(text: {{ p }})`, code: "PARSE001", quotes: "'say(text: {{ p }})'", legal: []string{`field: "{{ name }}"`}},
		{name: "quotes in a text", reply: `say(text: "a "b" c")`, code: "PARSE001", quotes: `'say(text: "a "b" c")'`, legal: []string{`a quote inside it is written \"`}},
		{name: "no parenthesis", reply: "find(code: \"P1\" | ok q |>", code: "PARSE001", quotes: `'find(code: "P1" | ok q |>'`, legal: []string{"never closed", "')'"}},
		{name: "no end of an arm", reply: `find(code: "P1") | ok(q) |>`, code: "PARSE001", quotes: `'find(code: "P1") | ok(q) |>'`, legal: []string{"| ok name |>"}},
		{name: "a fault further down", reply: "find(code: \"P1\")\n| ok q |>\n| error e", code: "PARSE001", quotes: "'| error e'", legal: []string{"| error name |>"}},
		{name: "an arrow of another language", reply: `ping() -> ping()`, code: "PARSE001", quotes: "'-> ping()'", legal: []string{"chained with '|>'"}},
		{name: "a definition that is none", reply: "tor twice { code: string }", code: "PARSE001", quotes: "`tor name { args }` then `name = ...`", legal: []string{"then `name = ...`"}},
		{name: "a definition that is not understood", reply: "tor twice { code: string } | a | b twice = find(code)", quotes: "'='", legal: []string{"tor name { field: type } | outcome type and, on the next line, name = verb(field)"}},
		{name: "a definition of another language", reply: "def twice(code):", code: "PARSE001", quotes: "'def twice(code):'", legal: []string{"tor name { field: type } | outcome type"}},
		{name: "a definition that is not honest", reply: "tor f { code: string } | ok string | none\nf = find(code)", quotes: "'error'", legal: []string{"does not declare it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := Create(Options{ID: "a", Program: program, Scope: "market", Log: t.Output()})
			if err != nil {
				t.Fatal(err)
			}
			if tt.before != "" {
				if turn := b.Run(t.Context(), tt.before); turn.Tier != TierResult {
					t.Fatal(report(turn))
				}
			}
			turn := b.Run(t.Context(), first+"\n"+tt.reply)
			i := slices.IndexFunc(turn.Steps, func(s Step) bool { return s.Refusal != nil })
			if i < 0 {
				t.Fatalf("nothing is refused\n%s", report(turn))
			}
			line := turn.Steps[i].String()
			if tt.code != "" && turn.Err.Code != tt.code {
				t.Errorf("code %s, want %s", turn.Err.Code, tt.code)
			}
			covered[turn.Err.Code] = true
			for _, part := range append([]string{tt.quotes}, tt.legal...) {
				if !strings.Contains(line, part) {
					t.Errorf("does not say %q:\n%s", part, line)
				}
			}
			if says := strings.Contains(line, " steps (find"); says == tt.silent {
				t.Errorf("says what was delivered: %v\n%s", says, line)
			}
		})
	}
	for _, code := range []string{"PARSE001", "KORU021", "KORU030", "KORU040", "KORU080", "KORU081", "KORU082", "KORU106", "KORU168", "SHAPE002"} {
		if !covered[code] {
			t.Errorf("no refusal with the code %s", code)
		}
	}
}

// A budget that does not cover a verb says which verbs it does cover.
func TestExhaustionTeaches(t *testing.T) {
	for _, tt := range []struct {
		budget uint64
		want   string
	}{
		{9, "step 1/1 exhausted stow: used 0 of 9, 'stow' costs 10 — within it: unlock, count, seal, say, find, weigh — Delivered: nothing."},
		{1, "step 1/1 exhausted stow: used 0 of 1, 'stow' costs 10 — within it: count, seal, say, find — Delivered: nothing."},
		{0, "step 1/1 exhausted stow: used 0 of 0, 'stow' costs 10 — no verb is left that costs so little — Delivered: nothing."},
	} {
		r := openPantry(t, func(o *Options) { o.Budget = &tt.budget })
		if got := r.send(`stow(room: r1, crate: "x") | stowed |>`).Steps[0].String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Text that is not wire ends a reply also where it stands on an arm that was
// not taken: nobody has read what follows it, and it may not be lost in silence.
func TestUnreadTextOnAnArmNotTaken(t *testing.T) {
	r := openPantry(t)
	turn := r.send("find(code: \"P1\") | ok p |>\n| error e |> I am sorry.\n\nsay(text: \"later\")")
	if turn.Tier != TierResidue || turn.Text != "I am sorry.\n\nsay(text: \"later\")" || len(r.said) > 0 {
		t.Errorf("%s\nunread: %q, said: %q", report(turn), turn.Text, r.said)
	}
}
