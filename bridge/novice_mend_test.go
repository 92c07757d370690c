package bridge

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// novice reads a report and mends its draft by it.
type novice struct {
	draft  *draft
	told   []string // every report of the session so far, line by line
	report []string // that of the last turn
}

var stepLine = regexp.MustCompile(`^step (\d+)/\d+ (\S+?):?(?: (.*))?$`)

// mend changes the draft by what the report says of the first step that is not
// done, and drops what is done. It returns what it went by.
func (n *novice) mend() string {
	steps := n.draft.steps()
	rule, done := "nothing", map[int]string{} // steps that ran, and their rN
	for i, line := range n.report {
		m := stepLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		k, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "result", "listing", "defined":
			done[k-1] = bound(line)
			continue
		case "not-run", "refused":
			continue
		case "unhandled-branch":
			done[k-1] = bound(line)
			rule = "it has run"
			n.neverBound(k, done[k-1])
		default:
			var step draftStep
			if k <= len(steps) {
				step = steps[k-1]
			}
			message := strings.Join(append([]string{line}, linesBelow(n.report[i+1:])...), " ")
			if m[2] == "parse-error" && (step.item == nil || step.item.taught == nil) {
				rule = n.rewrite(message)
			} else {
				rule = n.replace(step, message)
			}
		}
		break
	}
	n.goOn(steps, done)
	return rule
}

// bound returns the name that a line says its result is bound to.
func bound(line string) string {
	_, name, _ := strings.Cut(line, " bound: ")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// linesBelow are the lines below a step's line that belong to it.
func linesBelow(lines []string) (below []string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		below = append(below, strings.TrimSpace(line))
	}
	return below
}

var neverBoundText = regexp.MustCompile(`'([^' ]+)' was never bound \(step (\d+) `)

// neverBound learns from the lines of later steps which names they lack: it is
// the result of the step that the reply stopped at.
func (n *novice) neverBound(step int, result string) {
	for _, line := range n.report {
		if m := neverBoundText.FindStringSubmatch(line); m != nil && m[2] == strconv.Itoa(step) {
			n.draft.texts(func(text string) string { return rename(text, m[1], result) })
		}
	}
}

// goOn drops the steps that are done, and says rN for the names that they
// bound: a name holds for one reply only.
func (n *novice) goOn(steps []draftStep, done map[int]string) {
	ran := map[*draftCall]string{}
	spoken := map[*draftItem]bool{}
	for i, result := range done {
		if i >= len(steps) {
			continue
		}
		if steps[i].call == nil {
			spoken[steps[i].item] = true
			continue
		}
		ran[steps[i].call] = result
	}
	for _, s := range steps {
		result, is := ran[s.call]
		if s.call == nil || !is {
			continue
		}
		for _, name := range namesOf(s) {
			if name != "" && name != "_" && result != "" {
				n.draft.texts(func(text string) string { return rename(text, name, result) })
			}
		}
	}
	var items []*draftItem
	for _, i := range n.draft.items {
		if spoken[i] {
			continue
		}
		if i.spoken == "" && i.taught == nil {
			i.calls = slices.DeleteFunc(i.calls, func(c *draftCall) bool { _, is := ran[c]; return is })
			i.below = slices.DeleteFunc(i.below, func(a *draftArm) bool {
				a.of = slices.DeleteFunc(a.of, func(c *draftCall) bool { _, is := ran[c]; return is })
				return len(a.of) == 0
			})
			if len(i.calls) == 0 {
				continue
			}
		}
		items = append(items, i)
	}
	n.draft.items = items
	if len(items) == 0 {
		n.draft.manner = manner{}
	}
}

// namesOf are the names that a call of the draft binds.
func namesOf(s draftStep) []string {
	names := []string{s.call.name}
	if s.call.arm != nil {
		names = append(names, s.call.arm.name)
	}
	for _, a := range s.item.below {
		if slices.Contains(a.of, s.call) {
			names = append(names, a.name)
		}
	}
	return names
}

// habits are the manners of writing that a novice gives up, and what it must be
// told for that.
var habits = []struct {
	style string
	told  *regexp.Regexp
}{
	{"markup", regexp.MustCompile(`(?i)markdown|\bfence|back ?tick|bullet|heading`)},
	{"tool call", regexp.MustCompile(`(?i)tool call|another format|JSON`)},
	{"comment", regexp.MustCompile(`(?i)\bcomment`)},
	{"speech", regexp.MustCompile(`say: line|into a say:|write say:`)},
	{"narration", regexp.MustCompile(`(?i)prose|narrat|thinking`)},
	{"quotes", regexp.MustCompile(`(?i)quote|quoted|closing quote`)},
	{"label", regexp.MustCompile(`field: value|':' after|expected a field name`)},
	{"call", regexp.MustCompile(`(?i)never closed|'\('|'\)'|parenthes|brace`)},
	{"arrow", regexp.MustCompile(`'\|>'|write \|>|with \|>`)},
	{"arm", regexp.MustCompile(`'\|>' to close the arm|\| \S+ name \|>$|an arm (is|of a reply)|guard`)},
	{"definition", regexp.MustCompile("`tor |tor name|begins with tor|next line|\\{ field|in braces")},
	{"statement", regexp.MustCompile(`(?i)assign|'='|'~'|';'|statement|semicolon|await|begins with (a|its) verb|nothing follows`)},
}

// legalText is the list of forms that ends every text about what is not wire.
var legalText = regexp.MustCompile(`Legal: .*?abandon\(reason: "…"\)\.?`)

var notWireText = regexp.MustCompile(`'(.*)' is not wire`)

var callForm = regexp.MustCompile(`^[A-Za-z_][\w.:-]*\(`)

// rewrite writes otherwise what the report says is written wrong. It looks at
// what the text says of this line, not at the list of forms. Only a line that
// does not even begin like a call it compares with that list.
func (n *novice) rewrite(message string) string {
	pointed := legalText.ReplaceAllString(message, "")
	for _, h := range habits {
		if at := h.told.FindString(pointed); at != "" && n.giveUp(h.style) {
			return h.style + " by “" + at + "”"
		}
	}
	m := notWireText.FindStringSubmatch(pointed)
	if m == nil || callForm.MatchString(m[1]) || !strings.Contains(message, `verb(field: "value")`) {
		return "nothing"
	}
	for _, style := range []string{"markup", "tool call", "comment", "narration", "statement", "speech", "call"} {
		if n.giveUp(style) {
			return style + " by the legal forms"
		}
	}
	return "nothing"
}

// giveUp gives up a manner of writing wherever the draft has it.
func (n *novice) giveUp(style string) bool {
	found := false
	plain := func(m *manner) {
		if m.style == style {
			*m, found = manner{}, true
		}
	}
	d := n.draft
	plain(&d.manner)
	for _, i := range d.items {
		plain(&i.manner)
		if i.taught != nil {
			plain(&i.taught.manner)
		}
		for _, a := range i.below {
			plain(&a.manner)
		}
		for _, c := range i.everyCall() {
			plain(&c.manner)
			plain(&c.joined)
			if c.arm != nil {
				plain(&c.arm.manner)
			}
			for _, a := range c.args {
				plain(&a.manner)
				plain(&a.quotes)
			}
		}
	}
	return found
}

var (
	flowText      = regexp.MustCompile(`the flow names '([^']+)', the declaration names '([^']+)'`)
	undeclaredOne = regexp.MustCompile(`can end in '([^']+)' but does not declare it`)
	payloadText   = regexp.MustCompile(`declares '\| ([^']+)' without a payload; the body yields (.+?)(?: —|$)`)
	parameterText = regexp.MustCompile(`uses '([^']+)', which is no parameter`)
)

// mend changes a definition by what the report says of it. What was left out it
// adds if the text names it.
func (d *draftDefinition) mend(message string) string {
	if m := flowText.FindStringSubmatch(message); m != nil {
		d.flow = m[2]
		return "the declaration names"
	}
	if strings.Contains(message, "name = ") && d.body == "" && len(d.forgotten) > 0 {
		d.body = d.forgotten[0]
		return "its flow"
	}
	for _, re := range []*regexp.Regexp{undeclaredOne, parameterText} {
		m := re.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		for _, forgotten := range d.forgotten {
			switch word := strings.FieldsFunc(forgotten, func(c rune) bool { return c == ' ' || c == ':' })[0]; {
			case word == m[1] && re == undeclaredOne:
				d.outcomes = append(d.outcomes, forgotten)
				return "can end in"
			case word == m[1]:
				d.params = append(d.params, forgotten)
				return "no parameter"
			}
		}
	}
	if m := payloadText.FindStringSubmatch(message); m != nil {
		for i, o := range d.outcomes {
			if o == m[1] {
				d.outcomes[i] += " " + m[2]
				return "payload"
			}
		}
	}
	if m := meantText.FindStringSubmatch(message); m != nil {
		var words []string
		for _, q := range quotedText.FindAllStringSubmatch(message, -1) {
			if q[1] != m[1] && strings.Contains(d.body, q[1]) {
				words = append(words, q[1])
			}
		}
		if word := mostAlike(m[1], words); word != "" {
			d.body = regexp.MustCompile(`(^|[(, ])`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(d.body, "${1}"+m[1])
			return "did you mean"
		}
	}
	if list := listIn(grantsText, message); list != nil {
		for _, q := range quotedText.FindAllStringSubmatch(message, -1) {
			if strings.HasPrefix(d.body, q[1]+"(") {
				d.body = orFirst(q[1], list) + strings.TrimPrefix(d.body, q[1])
				return "it grants"
			}
		}
	}
	return "nothing"
}

var (
	meantText   = regexp.MustCompile(`did you mean '([^']+)'`)
	quotedText  = regexp.MustCompile(`'(?:\{ )?([^' ]+)(?: \})?'`)
	needsText   = regexp.MustCompile(`needs (?:the|its) field '([^']+)'|needs '([^']+)'|'([^']+)' is missing`)
	fieldsText  = regexp.MustCompile(`fields(?: are|:) ([^)—;]+)`)
	declareText = regexp.MustCompile(`'([^']+)' declares: ([^;—]+)`)
	wordsText   = regexp.MustCompile(`declared: ([^—]+)|outcomes \(([^)]+)\)`)
	grantsText  = regexp.MustCompile(`it grants: ([^—]+)`)
	boundText   = regexp.MustCompile(`bound here: ([^—]+)`)
	liveText    = regexp.MustCompile(`live here: ([^—]+)`)
	knownText   = regexp.MustCompile(`(?:known|given): ([^—]+)`)
	wantsText   = regexp.MustCompile(`wants (.+?), got`)
	noFieldText = regexp.MustCompile(`the bound value '([^']+)' carries no field '([^']+)'`)
)

// listIn returns what a text lists.
func listIn(re *regexp.Regexp, message string) (list []string) {
	m := re.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	for _, e := range strings.Split(strings.Join(m[1:], ""), ",") {
		if e = strings.Trim(e, " .;…"); e != "" {
			list = append(list, e)
		}
	}
	return list
}

// replace puts what the report offers in the place of what it refuses.
func (n *novice) replace(s draftStep, message string) string {
	if s.item != nil && s.item.taught != nil {
		if rule := s.item.taught.mend(message); rule != "nothing" {
			return rule
		}
	}
	if rule := n.rewrite(message); rule != "nothing" {
		return rule
	}
	if m := meantText.FindStringSubmatch(message); m != nil && s.swap(mostAlike(m[1], s.quotedIn(message, m[1])), m[1]) {
		return "did you mean"
	}
	if m := noFieldText.FindStringSubmatch(message); m != nil {
		return n.otherField(s, m[1], m[2])
	}
	if strings.Contains(message, "a splice names a bound value and no more") {
		return s.plainSplice()
	}
	if list := listIn(boundText, message); list != nil {
		for _, word := range s.quotedIn(message, "") {
			if name, _ := cutDot(word); s.swap(name, orFirst(name, list)) {
				return "bound here"
			}
		}
	}
	c := s.call
	if c == nil {
		return "nothing"
	}
	if list := listIn(grantsText, message); list != nil {
		for _, c := range s.item.everyCall() {
			if strings.Contains(message, "not grant '"+c.verb+"'") {
				c.verb = orFirst(c.verb, list)
				return "it grants"
			}
		}
	}
	switch list := listIn(fieldsText, message); {
	case strings.Contains(message, "given twice"):
		c.args = c.args[:len(c.args)-1]
		return "given twice"
	case strings.Contains(message, "takes no input"):
		c.args = nil
		return "takes no input"
	case list != nil:
		return c.otherLabel(message, list)
	}
	if m := needsText.FindStringSubmatch(message); m != nil {
		return c.add(lastOf(m[1] + m[2] + m[3]))
	}
	switch list := listIn(wordsText, message); {
	case len(list) == 1 && list[0] == "none" && c.arm != nil:
		if strings.Contains(message, "): name") {
			c.name = c.arm.name
		}
		c.arm = nil
		return "no outcomes"
	case list != nil:
		return s.otherWord(message, list)
	}
	if m := declareText.FindAllStringSubmatch(message, -1); m != nil {
		return s.strayWord(message, m)
	}
	if strings.Contains(message, "another name") {
		return n.otherName(s, message)
	}
	if list := listIn(liveText, message); list != nil {
		return n.liveHandle(c, message, list)
	}
	if list := listIn(knownText, message); list != nil {
		for _, a := range c.args {
			for _, word := range s.quotedIn(message, "") {
				if strings.Contains(a.value, word) {
					a.value = strings.Replace(a.value, word, strings.Trim(orFirst(word, list), "'\""), 1)
					return "known values"
				}
			}
		}
	}
	if m := wantsText.FindStringSubmatch(message); m != nil {
		return c.otherValue(message, m[1])
	}
	return "nothing"
}

// quotedIn returns the words that a message quotes and the step has, but for
// one.
func (s draftStep) quotedIn(message, but string) (words []string) {
	for _, m := range quotedText.FindAllStringSubmatch(message, -1) {
		for _, word := range []string{m[1], lastOf(m[1])} {
			if word != but && s.has(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// lastOf is the field at the end of a path: find.code, flights[0].date.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func (s draftStep) has(word string) bool {
	text := s.item.spoken
	if s.call != nil {
		text = s.call.chained(true)
		for _, a := range s.item.below {
			text += a.head()
		}
	}
	return strings.Contains(text, word)
}

// swap puts one word in the place of another, wherever the step has it.
func (s draftStep) swap(word, with string) bool {
	if word == "" || with == "" {
		return false
	}
	found := false
	put := func(text *string) {
		if *text == word {
			*text, found = with, true
		}
	}
	within := func(text *string) {
		if was := *text; !found {
			head, _ := cutDot(word)
			if *text = rename(was, head, with); *text == was {
				*text = fieldName(was, word, with)
			}
			found = *text != was
		}
	}
	if s.call == nil {
		text := `"` + s.item.spoken + `"`
		within(&text)
		s.item.spoken = text[1 : len(text)-1]
		return found
	}
	put(&s.call.verb)
	for _, a := range s.call.args {
		put(&a.label)
	}
	for _, a := range s.item.below {
		put(&a.word)
	}
	if s.call.arm != nil {
		put(&s.call.arm.word)
	}
	for _, a := range s.call.args {
		within(&a.value)
	}
	return found
}

// fieldName replaces a field of a path, or the label of a field in a record, or
// a whole text.
func fieldName(value, word, with string) string {
	re := regexp.MustCompile(`(\.|[{,] *"?|^")` + regexp.QuoteMeta(word) + `\b`)
	return re.ReplaceAllString(value, "${1}"+with)
}

// otherField takes a field that the value has, going by the report that showed
// the value; if it has none, the value itself.
func (n *novice) otherField(s draftStep, name, field string) string {
	var keys []string
	root, _ := cutDot(name)
	for _, line := range n.told {
		if bound(line) != root && !n.bindsAs(line, root) {
			continue
		}
		keys = nil
		if seg := lastOf(name); seg != root && !isDigit(seg[0]) && !strings.Contains(line, `"`+seg+`":{`) {
			continue // what it names is shown as a plain value
		}
		for _, m := range regexp.MustCompile(`[{,]"([\w-]+)":`).FindAllStringSubmatch(line, -1) {
			if m[1] != "branch" && m[1] != "value" {
				keys = append(keys, m[1])
			}
		}
	}
	put := func(text string) string {
		if len(keys) > 0 {
			return fieldName(text, field, orFirst(field, keys))
		}
		return strings.ReplaceAll(text, name+"."+field, name)
	}
	s.each(put)
	return "the value as it was shown"
}

// bindsAs reports whether a line of the last report is of the step whose result
// the draft calls by that name.
func (n *novice) bindsAs(line, name string) bool {
	m := stepLine.FindStringSubmatch(line)
	if m == nil || !slices.Contains(n.report, line) {
		return false
	}
	steps := n.draft.steps()
	k, _ := strconv.Atoi(m[1])
	return k <= len(steps) && steps[k-1].call != nil && slices.Contains(namesOf(steps[k-1]), name)
}

func (s draftStep) each(put func(string) string) {
	if s.call == nil {
		s.item.spoken = put(s.item.spoken)
		return
	}
	for _, a := range s.call.args {
		a.value = put(a.value)
	}
}

var spliced = regexp.MustCompile(`\{\{ *([A-Za-z_][\w-]*(?:\.\w+)*)([^{}"]*)(\}\})?`)

// plainSplice leaves of an expression in braces the path at its head, and closes
// braces that are open.
func (s draftStep) plainSplice() string {
	s.each(func(text string) string {
		return spliced.ReplaceAllStringFunc(text, func(m string) string {
			part := spliced.FindStringSubmatch(m)
			behind := part[2]
			if part[3] != "" {
				behind = ""
			}
			return "{{ " + strings.TrimSuffix(part[1], ".length") + " }}" + behind
		})
	})
	return "a splice names a value"
}

// otherLabel takes a field of the list that the call does not use, the most
// alike, or else one that has to be there; if there is none, it drops its own.
func (c *draftCall) otherLabel(message string, list []string) string {
	at := slices.IndexFunc(c.args, func(a *draftArg) bool { return strings.Contains(message, "no field '"+a.label+"'") })
	if at < 0 {
		return c.otherPart(message, list)
	}
	var free, needed []string
	for _, f := range list {
		name := strings.TrimLeft(f, "?")
		if slices.ContainsFunc(c.args, func(a *draftArg) bool { return a.label == name }) {
			continue
		}
		free = append(free, name)
		if name == f {
			needed = append(needed, name)
		}
	}
	switch near := mostAlike(c.args[at].label, free); {
	case near != "" && alike(near, c.args[at].label) >= 0.5:
		c.args[at].label = near
	case len(needed) > 0:
		c.args[at].label = needed[0]
	default:
		c.args = slices.Delete(c.args, at, at+1)
		return "no such field"
	}
	return "fields"
}

// otherPart takes a field of the list for one inside a record.
func (c *draftCall) otherPart(message string, list []string) string {
	for _, m := range quotedText.FindAllStringSubmatch(message, -1) {
		field := lastOf(m[1])
		for _, a := range c.args {
			if changed := fieldName(a.value, field, orFirst(field, list)); changed != a.value {
				a.value = changed
				return "fields"
			}
		}
	}
	return "nothing"
}

// add puts in what was left out.
func (c *draftCall) add(name string) string {
	for _, a := range c.forgotten {
		if a.label == name {
			c.args = append(c.args, a)
			return "needs the field"
		}
		if strings.Contains(a.value, name) { // a part of a value
			for i := range c.args {
				if c.args[i].label == a.label {
					c.args[i] = a
					return "needs the field"
				}
			}
		}
	}
	return "nothing"
}

// otherWord takes an outcome of the list that no arm of the call has.
func (s draftStep) otherWord(message string, list []string) string {
	c, arms := s.call, slices.Clone(s.item.below)
	if c.arm != nil {
		arms = append(arms, c.arm)
	}
	if c.name != "" && strings.Contains(message, "accept one of its outcomes") {
		c.arm, c.name = &draftArm{word: list[0], name: c.name, of: []*draftCall{c}}, ""
		return "outcomes"
	}
	if len(list) == 1 && list[0] == "none" {
		return "nothing"
	}
	var wrong *draftArm
	free := slices.Clone(list)
	for _, a := range arms {
		if strings.Contains(message, "'"+a.word+"' is") {
			wrong = a
		}
		free = slices.DeleteFunc(free, func(w string) bool { return w == a.word })
	}
	if wrong == nil || len(free) == 0 {
		return "nothing"
	}
	wrong.word = orFirst(wrong.word, free)
	return "declared"
}

// strayWord takes, for an arm that no call declares the word of, a word of the
// calls that the arm was meant for.
func (s draftStep) strayWord(message string, declared [][]string) string {
	for _, a := range s.item.below {
		if !strings.Contains(message, "'"+a.word+"' is") {
			continue
		}
		var free []string
		for _, m := range declared {
			if m[2] == "none" || !slices.ContainsFunc(a.of, func(c *draftCall) bool { return c.verb == m[1] }) {
				continue
			}
			for _, word := range strings.Split(m[2], ", ") {
				taken := slices.ContainsFunc(s.item.everyArm(), func(other *draftArm) bool { return other.word == strings.TrimSpace(word) })
				if word = strings.TrimSpace(word); !taken {
					free = append(free, word)
				}
			}
		}
		if len(free) > 0 {
			a.word = orFirst(a.word, free)
			return "declares"
		}
	}
	return "nothing"
}

// otherName gives another name to what the step binds, and to what uses it.
func (n *novice) otherName(s draftStep, message string) string {
	for _, name := range namesOf(s) {
		if name == "" || !strings.Contains(message, "'"+name+"'") {
			continue
		}
		other := name + "2"
		if s.call.name == name {
			s.call.name = other
		}
		if s.call.arm != nil && s.call.arm.name == name {
			s.call.arm.name = other
		}
		behind := false
		for _, next := range n.draft.steps() {
			if behind {
				next.each(func(text string) string { return rename(text, name, other) })
			}
			behind = behind || next.call == s.call
		}
		return "another name"
	}
	return "nothing"
}

var tokenText = regexp.MustCompile(`h:\w+:[0-9a-f]{6}`)

// liveHandle names a handle that is live: the one whose token it wrote, if it
// was told which that is, or else the first.
func (n *novice) liveHandle(c *draftCall, message string, list []string) string {
	var arg *draftArg
	for _, a := range c.args {
		named := strings.Contains(message, "'"+a.label+"'") || strings.Contains(message, "."+a.label+"'")
		if arg == nil || named || tokenText.MatchString(a.value) {
			arg = a
		}
		if named {
			break
		}
	}
	if arg == nil {
		return "nothing"
	}
	name := func(entry string) string { head, _, _ := strings.Cut(entry, "="); return head }
	chosen := name(list[0])
	if token := tokenText.FindString(arg.value); token != "" {
		for _, entry := range list {
			for _, line := range n.told {
				if strings.Contains(entry, token) || bound(line) == name(entry) && strings.Contains(line, token) {
					chosen = name(entry)
				}
			}
		}
	}
	for _, entry := range list { // "r1" for r1
		if strings.Contains(arg.value, name(entry)) {
			chosen = name(entry)
		}
	}
	arg.value = chosen
	return "live here"
}

// otherValue gives a value of the kind that is wanted: a choice of those that
// are listed, or what was meant, written as that kind.
func (c *draftCall) otherValue(message, wants string) string {
	var arg *draftArg
	for _, a := range c.args {
		if strings.Contains(message, "'"+c.verb+"."+a.label) {
			arg = a
		}
	}
	if arg == nil {
		return "nothing"
	}
	var choices []string
	for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(wants, -1) {
		choices = append(choices, m[1])
	}
	switch {
	case strings.Contains(message, "got a list") && !strings.HasPrefix(wants, "[]"):
		arg.value = strings.TrimSuffix(strings.TrimPrefix(arg.value, "["), "]")
		return "wants a text"
	case choices != nil:
		for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(arg.value, -1) {
			if strings.Contains(message, "got") && strings.Contains(message[strings.Index(message, ", got"):], m[1]) {
				arg.value = strings.Replace(arg.value, m[0], `"`+c.meant(arg, m[1], choices)+`"`, 1)
				return "choices"
			}
		}
	default:
		for _, meant := range c.forgotten {
			if meant.label == arg.label {
				arg.value = meant.value
				return "wants " + wants
			}
		}
	}
	return "nothing"
}

// meant returns the choice that was meant, if it is one of those, or else the
// one that looks most like what was written.
func (c *draftCall) meant(arg *draftArg, wrote string, choices []string) string {
	for _, a := range c.forgotten {
		for _, choice := range choices {
			if a.label == arg.label && strings.Contains(a.value, `"`+choice+`"`) {
				return choice
			}
		}
	}
	return orFirst(wrote, choices)
}

// mostAlike returns the word of a list that looks most like another.
func mostAlike(word string, list []string) (best string) {
	most := -1.0
	for _, other := range list {
		if a := alike(word, other); a > most {
			best, most = other, a
		}
	}
	return best
}

// orFirst returns the word of a list that looks like another, or else the first.
func orFirst(word string, list []string) string {
	if best := mostAlike(word, list); alike(word, best) >= 0.4 {
		return best
	}
	return list[0]
}

// alike says how many pairs of letters two words share, from 0 to 1. The ends
// of a word count as letters.
func alike(a, b string) float64 {
	a, b = "^"+respell(a)+"$", "^"+respell(b)+"$"
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	shared := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b)-2)
}

func respell(word string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
}
