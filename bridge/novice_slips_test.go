package bridge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// slip is one way to go wrong in writing down what is right. make reports
// whether the draft has a place for it.
type slip struct {
	kind, name string
	make       func(d *draft, rng *rand.Rand) bool
}

// slips are what models are seen to write. A slip of content changes what the
// draft means, so that the novice takes it for right; a slip of manner changes
// only how it is written.
var slips = []slip{
	// Names of verbs.
	{"name", "misspelt", onCall(func(c *draftCall, rng *rand.Rand) bool { return put(&c.verb, misspelt(c.verb, rng)) })},
	{"name", "other case", onCall(func(c *draftCall, _ *rand.Rand) bool { return put(&c.verb, respelt(c.verb)) })},
	{"name", "with a prefix", onCall(func(c *draftCall, rng *rand.Rand) bool {
		return put(&c.verb, pick(rng, "get-", "do-", "call-", "run-")+c.verb)
	})},
	{"name", "with its scope", onCall(func(c *draftCall, rng *rand.Rand) bool {
		return put(&c.verb, pick(rng, "tools", "functions", "api")+pick(rng, ".", ":")+c.verb)
	})},

	// Fields.
	{"field", "misspelt", onArg(func(_ *draftCall, a *draftArg, rng *rand.Rand) bool { return put(&a.label, misspelt(a.label, rng)) })},
	{"field", "another word", onArg(func(_ *draftCall, a *draftArg, rng *rand.Rand) bool {
		return put(&a.label, pick(rng, "input", "query", "name", "value", "data"))
	})},
	{"field", "left out", onCall(func(c *draftCall, rng *rand.Rand) bool {
		if len(c.args) == 0 {
			return false
		}
		i := rng.IntN(len(c.args))
		c.forgotten = append(c.forgotten, c.args[i])
		c.args = append(c.args[:i:i], c.args[i+1:]...)
		return true
	})},
	{"field", "invented", onCall(func(c *draftCall, rng *rand.Rand) bool {
		c.args = append(c.args, &draftArg{label: pick(rng, "verbose", "limit", "format", "reason_for_call"), value: pick(rng, `"yes"`, "10", "true")})
		return true
	})},
	{"field", "given twice", onArg(func(c *draftCall, a *draftArg, _ *rand.Rand) bool {
		c.args = append(c.args, &draftArg{label: a.label, value: a.value})
		return true
	})},

	// Outcome words.
	{"outcome", "misspelt", onArm(func(a *draftArm, rng *rand.Rand) bool { return put(&a.word, misspelt(a.word, rng)) })},
	{"outcome", "another word", onArm(func(a *draftArm, rng *rand.Rand) bool {
		return put(&a.word, pick(rng, "success", "result", "okay", "done", "value", "Ok"))
	})},

	// Quotes.
	{"quoting", "single", onText(func(text string, _ *rand.Rand) string { return "'" + text + "'" })},
	{"quoting", "none", onText(func(text string, _ *rand.Rand) string { return text })},
	{"quoting", "curly", onText(func(text string, _ *rand.Rand) string { return "“" + text + "”" })},
	{"quoting", "back ticks", onText(func(text string, _ *rand.Rand) string { return "`" + text + "`" })},
	{"quoting", "never closed", onText(func(text string, _ *rand.Rand) string { return `"` + text })},
	{"quoting", "quotes inside", onArg(func(_ *draftCall, a *draftArg, _ *rand.Rand) bool {
		if !strings.Contains(a.value, `\"`) {
			return false
		}
		a.quotes = manner{"quotes", func(v string) string { return strings.ReplaceAll(v, `\"`, `"`) }}
		return true
	})},

	// Chains.
	{"chain", "a bar for the arrow", onJoint(func(string) string { return " |" })},
	{"chain", "an arrow of another language", onJoint(func(string) string { return " ->" })},
	{"chain", "a fat arrow", onJoint(func(string) string { return " =>" })},
	{"chain", "no arrow", onJoint(func(string) string { return "" })},
	{"chain", "and", onJoint(func(string) string { return " &&" })},
	{"chain", "then", onJoint(func(string) string { return " then" })},

	// Arms.
	{"arm", "left out", onCall(func(c *draftCall, _ *rand.Rand) bool { had := c.arm != nil; c.arm = nil; return had })},
	{"arm", "its name left out", onArm(func(a *draftArm, _ *rand.Rand) bool { had := a.name != ""; a.name = ""; return had })},
	{"arm", "in parentheses", onArmManner(func(a *draftArm) string { return "| " + a.word + "(" + a.name + ")" })},
	{"arm", "with a colon", onArmManner(func(a *draftArm) string { return "| " + a.word + ": " + a.name })},
	{"arm", "as", onArmManner(func(a *draftArm) string { return "| " + a.word + " as " + a.name })},
	{"arm", "guarded", onArmManner(func(a *draftArm) string { return "| " + a.word + " " + a.name + ` when ` + a.name + ` != ""` })},
	{"arm", "a name for no value", onCall(func(c *draftCall, _ *rand.Rand) bool {
		had := c.arm != nil && c.arm.name != ""
		if had {
			c.name, c.arm = c.arm.name, nil
		}
		return had
	})},
	{"arm", "where there are no outcomes", onCall(func(c *draftCall, rng *rand.Rand) bool {
		if c.arm != nil {
			return false
		}
		c.arm = &draftArm{word: pick(rng, "ok", "result", "done"), name: c.name, of: []*draftCall{c}}
		c.name = ""
		return true
	})},
	{"arm", "a name taken twice", func(d *draft, rng *rand.Rand) bool {
		var arms []*draftArm
		for _, s := range d.steps() {
			if s.spine >= 0 && s.call.arm != nil && s.call.arm.name != "" && s.call.arm.name != "_" {
				arms = append(arms, s.call.arm)
			}
		}
		if len(arms) < 2 {
			return false
		}
		i := 1 + rng.IntN(len(arms)-1)
		old, taken := arms[i].name, arms[i-1].name
		seen := false
		for _, s := range d.steps() { // no later step may mean the first value
			later := ""
			if s.call != nil && seen {
				later = s.call.String()
			}
			if later != rename(later, taken, "other") {
				return false
			}
			seen = seen || s.call != nil && s.call.arm == arms[i]
		}
		seen = false
		for _, s := range d.steps() { // what follows the arm means its value
			if seen && s.call != nil {
				for _, a := range s.call.args {
					a.value = rename(a.value, old, taken)
				}
			}
			seen = seen || s.call != nil && s.call.arm == arms[i]
		}
		return put(&arms[i].name, taken)
	}},

	// Handles.
	{"handle", "its token", onHandle(func(name string, _ *rand.Rand) string {
		if name != "r1" {
			return "" // it has seen the token of no other
		}
		return `"h:Room:7ba8ac"`
	})},
	{"handle", "a number", onHandle(func(_ string, rng *rand.Rand) string { return pick(rng, "1", "7") })},
	{"handle", "a result that is none", onHandle(func(_ string, rng *rand.Rand) string { return pick(rng, "r8", "r9", "r99") })},
	{"handle", "a name from before", onHandle(func(_ string, rng *rand.Rand) string { return pick(rng, "handle", "room", "d", "it") })},
	{"handle", "in quotes", onHandle(func(name string, _ *rand.Rand) string { return `"` + name + `"` })},
	{"handle", "in braces", onHandle(func(name string, _ *rand.Rand) string { return `"{{ ` + name + ` }}"` })},

	// Splices.
	{"splice", "a name misspelt", onSplice(func(path string, rng *rand.Rand) string {
		head, rest := cutDot(path)
		if rest != "" {
			rest = "." + rest
		}
		return "{{ " + head + "x" + rest + " }}"
	})},
	{"splice", "a field that is none", onSplice(func(path string, rng *rand.Rand) string {
		return "{{ " + path + "." + pick(rng, "name", "id", "text") + " }}"
	})},
	{"splice", "a field misspelt", onSplice(func(path string, rng *rand.Rand) string {
		if i := strings.LastIndexByte(path, '.'); i > 0 {
			return "{{ " + path[:i+1] + misspelt(path[i+1:], rng) + " }}"
		}
		return ""
	})},
	{"splice", "an expression", onSplice(func(path string, rng *rand.Rand) string {
		return "{{ " + path + pick(rng, " + 1", " | upper", "[0]", ".length()") + " }}"
	})},
	{"splice", "never closed", onSplice(func(path string, _ *rand.Rand) string { return "{{ " + path })},

	// Prose.
	{"prose", "before", narrated(0, "I will look this up for you.", "First, let me check the details.", "Okay, I'll start now:")},
	{"prose", "between", narrated(1, "Now that this is done, I can go on.", "Next, I use the result.", "Let me continue.")},
	{"prose", "behind", narrated(2, "I have done what you asked for.", "That completes the task.", "Let me know if you need more.")},
	{"prose", "for a say line", func(d *draft, rng *rand.Rand) bool {
		for _, i := range d.items {
			if text, ok := strings.CutPrefix(i.spoken, "say: "); ok {
				i.manner = manner{"speech", func(string) string { return text }}
				return true
			}
		}
		return false
	}},
	{"prose", "thinking", framed("narration", func(text string) string { return "<think>The user wants this, so I call it.</think>\n" + text })},

	// Tool calls of other formats.
	{"tool call", "OpenAI", foreign(func(verb string, args map[string]any) string {
		return asJSON(map[string]any{"name": verb, "arguments": args})
	})},
	{"tool call", "tool and input", foreign(func(verb string, args map[string]any) string {
		return asJSON(map[string]any{"tool": verb, "input": args})
	})},
	{"tool call", "a list", foreign(func(verb string, args map[string]any) string {
		return asJSON([]any{map[string]any{"type": "function", "function": map[string]any{"name": verb, "arguments": asJSON(args)}}})
	})},
	{"tool call", "in a tag", foreign(func(verb string, args map[string]any) string {
		return "<tool_call>\n" + asJSON(map[string]any{"name": verb, "arguments": args}) + "\n</tool_call>"
	})},
	{"tool call", "XML", foreign(func(verb string, args map[string]any) string {
		text := `<invoke name="` + verb + `">`
		for k, v := range args {
			text += fmt.Sprintf("\n<parameter name=%q>%v</parameter>", k, v)
		}
		return text + "\n</invoke>"
	})},
	{"tool call", "labelled", foreign(func(verb string, args map[string]any) string {
		return "tool_call: " + verb + " " + asJSON(args)
	})},

	// Markdown.
	{"markdown", "fence", framed("markup", func(text string) string { return "```\n" + text + "\n```" })},
	{"markdown", "fence with a language", framed("markup", func(text string) string { return "```koru\n" + text + "\n```" })},
	{"markdown", "bullets", onItem("markup", func(text string) string { return "- " + text })},
	{"markdown", "numbers", onItem("markup", func(text string) string { return "1. " + text })},
	{"markdown", "back ticks", onItem("markup", func(text string) string { return "`" + text + "`" })},
	{"markdown", "bold", onItem("markup", func(text string) string { return "**" + text + "**" })},
	{"markdown", "quote", onItem("markup", func(text string) string { return "> " + text })},
	{"markdown", "heading", framed("markup", func(text string) string { return "## Calls\n" + text })},

	// Comments.
	{"comment", "slashes", framed("comment", func(text string) string { return "// look it up first\n" + text })},
	{"comment", "hash", framed("comment", func(text string) string { return "# look it up first\n" + text })},
	{"comment", "at the end of a line", onItem("comment", func(text string) string { return text + " // and so on" })},

	// Statements of other languages.
	{"statement", "assignment", onItem("statement", func(text string) string { return "x = " + text })},
	{"statement", "let", onItem("statement", func(text string) string { return "let x = " + text })},
	{"statement", "await", onItem("statement", func(text string) string { return "await " + text })},
	{"statement", "tilde", onItem("statement", func(text string) string { return "~" + text })},
	{"statement", "semicolon", onItem("statement", func(text string) string { return text + ";" })},
	{"statement", "print", onItem("statement", func(text string) string { return "print(" + text + ")" })},

	// Arguments of other languages.
	{"arguments", "equal signs", onArgManner(func(a *draftArg) string { return a.label + "=" + a.value })},
	{"arguments", "positions", onArgManner(func(a *draftArg) string { return a.value })},
	{"arguments", "quoted labels", onArgManner(func(a *draftArg) string { return `"` + a.label + `": ` + a.value })},
	{"arguments", "never closed", onCallManner(func(text string) string { return strings.TrimSuffix(text, ")") })},
	{"arguments", "no parentheses", onCallManner(func(text string) string { return strings.NewReplacer("(", " ", ")", "").Replace(text) })},
	{"arguments", "in braces", onCallManner(func(text string) string {
		return strings.Replace(strings.TrimSuffix(text, ")"), "(", "({ ", 1) + " })"
	})},

	// Types.
	{"type", "a word for a number", onValue(`^-?[0-9.]+$`, func(string, *rand.Rand) string { return `"many"` })},
	{"type", "a text for a list", onValue(`^\[`, func(string, *rand.Rand) string { return `"all of them"` })},
	{"type", "a choice that is none", onValue(`^"(economy|business|basic|work|home|a|b)"$`, func(v string, rng *rand.Rand) string {
		return pick(rng, `"first"`, strings.ToUpper(v), `"premium"`)
	})},
	{"type", "a list for a text", onValue(`^"`, func(v string, _ *rand.Rand) string { return "[" + v + "]" })},
	{"type", "a field of a record misspelt", onValue(`[{] *[a-z_]+:`, func(v string, rng *rand.Rand) string {
		m := regexp.MustCompile(`([{] *)([a-z_]+)(:)`).FindStringSubmatchIndex(v)
		return v[:m[4]] + misspelt(v[m[4]:m[5]], rng) + v[m[5]:]
	})},
	{"type", "a field of a record left out", onValue(`[{].*,.*[}]`, func(v string, _ *rand.Rand) string {
		return regexp.MustCompile(`([{] *)[a-z_]+: *("[^"]*"|[^,}]*), *`).ReplaceAllString(v, "$1")
	})},

	// Definitions.
	{"definition", "its flow under another name", onDefinition(func(d *draftDefinition, rng *rand.Rand) bool { return put(&d.flow, misspelt(d.flow, rng)) })},
	{"definition", "its flow left out", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		d.forgotten, d.body = append(d.forgotten, d.body), ""
		return true
	})},
	{"definition", "an outcome left out", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		n := len(d.outcomes)
		if n < 3 {
			return false
		}
		d.forgotten, d.outcomes = append(d.forgotten, d.outcomes[n-1]), d.outcomes[:n-1]
		return true
	})},
	{"definition", "a payload left out", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		for i, o := range d.outcomes {
			if word, payload, ok := strings.Cut(o, " "); ok && word != "->" {
				d.forgotten, d.outcomes[i] = append(d.forgotten, payload), word
				return true
			}
		}
		return false
	})},
	{"definition", "a parameter left out", onDefinition(func(d *draftDefinition, rng *rand.Rand) bool {
		i := rng.IntN(len(d.params))
		d.forgotten, d.params = append(d.forgotten, d.params[i]), append(d.params[:i:i], d.params[i+1:]...)
		return true
	})},
	{"definition", "a verb of its body misspelt", onDefinition(func(d *draftDefinition, rng *rand.Rand) bool {
		verb := d.body[:strings.IndexByte(d.body, '(')]
		return put(&d.body, misspelt(verb, rng)+d.body[len(verb):])
	})},
	{"definition", "a field of its body misspelt", onDefinition(func(d *draftDefinition, rng *rand.Rand) bool {
		m := regexp.MustCompile(`[(,] *(\w+): `).FindStringSubmatchIndex(d.body)
		return m != nil && put(&d.body, d.body[:m[2]]+misspelt(d.body[m[2]:m[3]], rng)+d.body[m[3]:])
	})},
	{"definition", "another keyword", onDefinition(func(d *draftDefinition, rng *rand.Rand) bool {
		word := pick(rng, "def", "fn", "function", "define")
		d.manner = manner{"definition", func(text string) string { return word + strings.TrimPrefix(text, "tor") }}
		return true
	})},
	{"definition", "parentheses", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		d.manner = manner{"definition", func(text string) string { return strings.NewReplacer(" { ", "(", " }", ")").Replace(text) }}
		return true
	})},
	{"definition", "a body in braces", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		d.manner = manner{"definition", func(text string) string { return strings.Replace(text, " = ", " = { ", 1) + " }" }}
		return true
	})},
	{"definition", "on one line", onDefinition(func(d *draftDefinition, _ *rand.Rand) bool {
		d.manner = manner{"definition", func(text string) string { return strings.ReplaceAll(text, "\n", " ") }}
		return true
	})},

	// States on data.
	{"known value", "made up", onValue(`payment_methods|methods\.|\.text$`, func(string, *rand.Rand) string { return `"credit_card_0001"` })},
}

// put changes a text and reports whether it is another one now.
func put(text *string, to string) bool {
	if to == *text || to == "" {
		return false
	}
	*text = to
	return true
}

func pick(rng *rand.Rand, choices ...string) string { return choices[rng.IntN(len(choices))] }

// misspelt makes one slip of the fingers in a word.
func misspelt(word string, rng *rand.Rand) string {
	if len(word) < 3 {
		return word + word[len(word)-1:]
	}
	i := 1 + rng.IntN(len(word)-2)
	switch rng.IntN(3) {
	case 0:
		return word[:i] + word[i+1:]
	case 1:
		return word[:i] + word[i:i+1] + word[i:]
	}
	return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
}

// respelt writes a word as other languages join its parts.
func respelt(word string) string {
	if strings.Contains(word, "-") {
		return strings.ReplaceAll(word, "-", "_")
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// one returns some element for which f makes its change.
func one[T any](list []T, rng *rand.Rand, f func(T) bool) bool {
	for _, i := range rng.Perm(len(list)) {
		if f(list[i]) {
			return true
		}
	}
	return false
}

func (d *draft) spine() (calls []*draftCall) {
	for _, i := range d.items {
		calls = append(calls, i.calls...)
	}
	return calls
}

func onCall(f func(*draftCall, *rand.Rand) bool) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		return one(d.spine(), rng, func(c *draftCall) bool { return f(c, rng) })
	}
}

func onDefinition(f func(*draftDefinition, *rand.Rand) bool) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		return one(d.items, rng, func(i *draftItem) bool { return i.taught != nil && f(i.taught, rng) })
	}
}

func onArg(f func(*draftCall, *draftArg, *rand.Rand) bool) func(*draft, *rand.Rand) bool {
	return onCall(func(c *draftCall, rng *rand.Rand) bool {
		return one(c.args, rng, func(a *draftArg) bool { return f(c, a, rng) })
	})
}

func onArm(f func(*draftArm, *rand.Rand) bool) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		var arms []*draftArm
		for _, i := range d.items {
			for _, c := range i.calls {
				if c.arm != nil {
					arms = append(arms, c.arm)
				}
			}
			arms = append(arms, i.below...)
		}
		return one(arms, rng, func(a *draftArm) bool { return f(a, rng) })
	}
}

func onArmManner(f func(*draftArm) string) func(*draft, *rand.Rand) bool {
	return onArm(func(a *draftArm, _ *rand.Rand) bool {
		if a.name == "" {
			return false
		}
		a.manner = manner{"arm", func(string) string { return f(a) }}
		return true
	})
}

func onJoint(f func(string) string) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		var joints []*draftCall
		for _, i := range d.items {
			for k, c := range i.calls {
				if c.arm != nil || k+1 < len(i.calls) {
					joints = append(joints, c)
				}
			}
		}
		return one(joints, rng, func(c *draftCall) bool { c.joined = manner{"arrow", f}; return true })
	}
}

func onArgManner(f func(*draftArg) string) func(*draft, *rand.Rand) bool {
	return onCall(func(c *draftCall, _ *rand.Rand) bool {
		for _, a := range c.args {
			a.manner = manner{"label", func(string) string { return f(a) }}
		}
		return len(c.args) > 0
	})
}

func onCallManner(f func(string) string) func(*draft, *rand.Rand) bool {
	return onCall(func(c *draftCall, _ *rand.Rand) bool { c.manner = manner{"call", f}; return true })
}

// onText changes the quotes of a text.
func onText(f func(string, *rand.Rand) string) func(*draft, *rand.Rand) bool {
	return onArg(func(_ *draftCall, a *draftArg, rng *rand.Rand) bool {
		if len(a.value) < 3 || a.value[0] != '"' || strings.ContainsAny(a.value[1:len(a.value)-1], "\"\\") {
			return false
		}
		a.quotes = manner{"quotes", func(v string) string { return f(strings.Trim(v, `"`), rng) }}
		return true
	})
}

// onValue changes a value that a pattern finds.
func onValue(pattern string, f func(string, *rand.Rand) string) func(*draft, *rand.Rand) bool {
	re := regexp.MustCompile(pattern)
	return onArg(func(c *draftCall, a *draftArg, rng *rand.Rand) bool {
		if !re.MatchString(a.value) {
			return false
		}
		meant := *a
		c.forgotten = append(c.forgotten, &meant)
		return put(&a.value, f(a.value, rng))
	})
}

// onHandle changes a bare name that is given to a field for handles: one that
// another call of these scopes has opened.
func onHandle(f func(string, *rand.Rand) string) func(*draft, *rand.Rand) bool {
	fields := regexp.MustCompile(`^(room|d|note|handle|ticket|book|page|from|n|r)$`)
	return onArg(func(_ *draftCall, a *draftArg, rng *rand.Rand) bool {
		if !fields.MatchString(a.label) || strings.ContainsAny(a.value, `".[{`) || isDigit(a.value[0]) {
			return false
		}
		return put(&a.value, f(a.value, rng))
	})
}

var spliceText = regexp.MustCompile(`\{\{ ([a-z0-9_.-]+) \}\}`)

func onSplice(f func(string, *rand.Rand) string) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		var texts []*string
		for _, i := range d.items {
			texts = append(texts, &i.spoken)
			for _, c := range i.calls {
				for _, a := range c.args {
					texts = append(texts, &a.value)
				}
			}
		}
		return one(texts, rng, func(text *string) bool {
			m := spliceText.FindStringSubmatchIndex(*text)
			if m == nil {
				return false
			}
			with := f((*text)[m[2]:m[3]], rng)
			return with != "" && put(text, (*text)[:m[0]]+with+(*text)[m[1]:])
		})
	}
}

// onItem writes a chain of calls in another manner.
func onItem(style string, f func(string) string) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		return one(d.items, rng, func(i *draftItem) bool {
			if len(i.calls) == 0 {
				return false
			}
			i.manner = manner{style, f}
			return true
		})
	}
}

// framed writes the whole reply in another manner.
func framed(style string, f func(string) string) func(*draft, *rand.Rand) bool {
	return func(d *draft, _ *rand.Rand) bool { d.manner = manner{style, f}; return true }
}

// narrated puts a sentence in front of the items, between them, or behind.
func narrated(where int, sentences ...string) func(*draft, *rand.Rand) bool {
	return func(d *draft, rng *rand.Rand) bool {
		at := []int{0, 1 + rng.IntN(max(len(d.items)-1, 1)), len(d.items)}[where]
		if where == 1 && len(d.items) < 2 {
			return false
		}
		i := &draftItem{spoken: "note: ", manner: manner{"narration", func(string) string { return pick(rng, sentences...) }}}
		sentence := pick(rng, sentences...)
		i.spoken, i.manner.write = "note: "+sentence, func(string) string { return sentence }
		d.items = append(d.items[:at:at], append([]*draftItem{i}, d.items[at:]...)...)
		return true
	}
}

// foreign writes the first call of a reply, and nothing behind it, as a tool
// call of another format.
func foreign(f func(verb string, args map[string]any) string) func(*draft, *rand.Rand) bool {
	return func(d *draft, _ *rand.Rand) bool {
		calls := d.spine()
		if len(calls) == 0 {
			return false
		}
		args := map[string]any{}
		for _, a := range calls[0].args {
			var v any
			if json.Unmarshal([]byte(a.value), &v) != nil {
				v = a.value
			}
			args[a.label] = v
		}
		text := f(calls[0].verb, args)
		d.manner = manner{"tool call", func(string) string { return text }}
		return true
	}
}
