package view

import (
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// The ranks of candidates: what the place asks for, what is near, and the rest.
const (
	wanted = iota
	near
	own
	imported
	control
	elsewhere
)

// candidates lists what may stand where the name is, by the node it is in.
func (w *site) candidates() []candidate {
	n := w.up(0)
	switch n.Kind() {
	case syntax.Call:
		if w.pathOf(n) == w.token {
			return w.steps()
		}
	case syntax.Arm:
		return w.arms(n)
	case syntax.NameExpr:
		return w.expression(w.up(1))
	case syntax.Arg:
		return w.labels(n)
	case syntax.RecordField:
		return w.recordFields(w.up(1))
	case syntax.FieldExpr:
		return w.fields(w.typeOf(n.FirstChild()), "")
	case syntax.BindField:
		return w.bindFields(n)
	case syntax.Splice:
		return specs()
	case syntax.Construct:
		return w.constructs()
	case syntax.ImportItem:
		return w.modules()
	case syntax.Annotation:
		return annotations()
	case syntax.State:
		return w.states()
	case syntax.Type:
		return w.types()
	case syntax.Grant:
		return w.grants(n)
	case syntax.GrantInclude:
		return w.scopes()
	case syntax.Jump:
		return w.labelsOfJumps()
	case syntax.ImplItem, syntax.ProcItem:
		return w.implemented()
	case syntax.ErrorNode, syntax.Chain, syntax.ErrorItem:
		return w.steps()
	}
	return nil
}

func (w *site) pathOf(call syntax.Node) syntax.Token { return syntax.CallView{Node: call}.Path() }

// steps lists the verbs, and at the start of a line the outcomes that the flow
// above leaves open and the words that begin a construct.
func (w *site) steps() []candidate {
	if !w.beginsStep() {
		return nil
	}
	list := w.verbs()
	if w.leadIn().Kind() == syntax.Arrow { // what a flow answers with is no control flow
		list = slices.DeleteFunc(list, func(k candidate) bool { return k.rank == control })
	}
	if w.token.Kind() == syntax.Name && w.firstOfItem() && !strings.Contains(w.typed, ":") {
		list = append(w.openArms(), list...)
		list = append(list, constructs...)
	}
	return list
}

// beginsStep reports whether a call can begin at the name: behind what leads to a
// step, or at the start of a construct.
func (w *site) beginsStep() bool {
	if w.firstOfItem() {
		return true
	}
	t := w.leadIn()
	switch t.Kind() {
	case syntax.PipeArrow, syntax.Equal, syntax.LBrace:
		return true
	case syntax.RBracket:
		return t.Span().End == w.path[0].Child(syntax.Annotations).Span().End
	case syntax.Arrow:
		return w.up(0).Kind() == syntax.Call
	case syntax.Name: // #label
		return w.nearest(syntax.Label).IsValid() || t.Prev().Kind() == syntax.Hash
	}
	ownLine := strings.TrimLeft(w.file.Syntax.Line(w.file.Syntax.LineOf(w.token.Span().Start))[:w.column()], " \t") == ""
	return ownLine && w.up(0).Kind() == syntax.Call
}

// leadIn returns the token in front of the name.
func (w *site) leadIn() syntax.Token {
	t := w.token.Prev()
	for t.IsValid() && t.Kind().IsTrivia() {
		t = t.Prev()
	}
	return t
}

// column returns where in its line the name begins, in bytes.
func (w *site) column() int {
	start := w.token.Span().Start
	return start - w.file.Syntax.LineStart(w.file.Syntax.LineOf(start))
}

// constructs are what an item can begin with besides a verb.
var constructs = []candidate{
	{label: "import", kind: protocol.CompletionItemKindKeyword, insert: "import $0", rank: control},
	{label: "tor", kind: protocol.CompletionItemKindKeyword, insert: "tor ${1:name} { ${2:field}: ${3:string} }$0", rank: control},
	{label: "pub tor", kind: protocol.CompletionItemKindKeyword, insert: "pub tor ${1:name} { ${2:field}: ${3:string} }$0", rank: control},
	{label: "proc", kind: protocol.CompletionItemKindKeyword, insert: "proc ${1:name}|${2:js} {\n    $0\n}", rank: control},
	{label: "std/runtime:register", kind: protocol.CompletionItemKindSnippet, insert: "std/runtime:register(scope: \"${1:name}\") {\n    $0\n}", rank: control, detail: "(scope: …) { grants }", verb: "std/runtime:register"},
}

// verbs lists the verbs that a call here can name.
func (w *site) verbs() []candidate {
	var list []candidate
	w.handles = w.held()
	module, _, qualified := strings.Cut(w.typed, ":")
	for _, t := range w.file.Module.Tors() {
		if !qualified {
			list = append(list, w.verb(t, t.Name, own, ""))
		}
	}
	for _, m := range w.file.Module.Imports {
		if !qualified || m.Path == module {
			list = append(list, w.verbsOf(m, imported, "")...)
		}
	}
	if !qualified {
		if m := w.s.checker.Library("std/control"); m != nil {
			for _, t := range m.Tors() {
				list = append(list, w.verb(t, t.Name, control, ""))
			}
		}
		if w.typed == "" {
			return list
		}
	}
	return append(list, w.unimported(list)...)
}

// held returns the states of the handles that can be named here.
func (w *site) held() []check.State {
	var states []check.State
	if w.flow == nil {
		return nil
	}
	for _, b := range visible(w.flow, w.off) {
		if b.Type != nil && b.Type.Phantom != nil {
			states = append(states, b.Type.Phantom.Members...)
		}
	}
	return states
}

// takes reports whether a verb takes one of the states away: it is likely what
// comes next.
func takes(t *check.Tor, held []check.State) bool {
	for _, f := range t.Fields {
		if f.Type == nil || f.Type.Phantom == nil {
			continue
		}
		for _, s := range f.Type.Phantom.Members {
			if s.Consume && slices.ContainsFunc(held, s.Same) {
				return true
			}
		}
	}
	return false
}

// unimported lists the verbs of the standard library that an import would bring.
func (w *site) unimported(known []candidate) []candidate {
	var list []candidate
	for _, name := range w.s.checker.Importable(w.entry(), "") {
		m := w.s.checker.Library(name)
		if m == nil || slices.Contains(w.file.Module.Imports, m) || w.prog.Module(name) != nil && w.imports(name) {
			continue
		}
		if typed, _, _ := strings.Cut(w.typed, ":"); !strings.HasPrefix(name, typed) && !strings.HasPrefix(strings.TrimPrefix(name, "std/"), typed) {
			continue
		}
		list = append(list, w.verbsOf(m, elsewhere, name)...)
	}
	return list
}

func (w *site) imports(name string) bool {
	return slices.ContainsFunc(w.file.Module.Imports, func(m *check.Module) bool { return m.Path == name })
}

func (w *site) entry() string { return w.s.entryOf(w.s.DocumentOf(w.file).Path) }

func (w *site) verbsOf(m *check.Module, rank int, adds string) []candidate {
	var list []candidate
	for _, t := range m.Tors() {
		if t.Pub {
			list = append(list, w.verb(t, m.Path+":"+t.Name, rank, adds))
		}
	}
	return list
}

// verb is a verb with places for the fields that must be given.
func (w *site) verb(t *check.Tor, name string, rank int, adds string) candidate {
	insert := quoteSnippet(name)
	if w.up(0).Kind() == syntax.Call && !syntax.CallView.ArgList(syntax.CallView{Node: w.up(0)}).IsValid() {
		insert += w.arguments(t)
	}
	if takes(t, w.handles) {
		rank = near
	}
	return candidate{
		label: name, kind: protocol.CompletionItemKindFunction, detail: " " + signatureOf(t), from: fromOf(t, adds),
		insert: insert, rank: rank, verb: t.Path(), adds: adds,
	}
}

func fromOf(t *check.Tor, adds string) string {
	if adds != "" {
		return "import " + adds
	}
	return ""
}

// arguments writes the fields of a call that must be given. A binding of the
// same name stands for itself.
func (w *site) arguments(t *check.Tor) string {
	var args []string
	n := 1
	for _, f := range t.Fields {
		switch {
		case !f.Required() || injected(f.Type):
			continue
		case f.Type.Kind == check.SourceType:
			return argumentList(args) + " {\n    $0\n}"
		case f.Type.Kind == check.ExprType:
			args = append(args, fmt.Sprintf("\"${%d}\"", n))
		case w.bound(f.Name) != nil:
			args = append(args, f.Name)
			continue
		case f.Type.Kind == check.TextType && f.Type.Phantom == nil:
			args = append(args, fmt.Sprintf("%s: \"${%d}\"", f.Name, n))
		case f.Type.Kind == check.ChoiceType:
			args = append(args, fmt.Sprintf("%s: ${%d|%s|}", f.Name, n, quotedChoices(f.Type)))
		default:
			args = append(args, f.Name+": "+stop(n, f.Name))
		}
		n++
	}
	return argumentList(args)
}

func argumentList(args []string) string { return "(" + strings.Join(args, ", ") + ")" }

func quotedChoices(t *check.Type) string {
	words := make([]string, len(t.Choices))
	for i, c := range t.Choices {
		words[i] = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `|`, `\|`, `$`, `\$`, `}`, `\}`).Replace(fmt.Sprintf("%q", c))
	}
	return strings.Join(words, ",")
}

// injected reports whether the compiler supplies the values of a type.
func injected(t *check.Type) bool { return t.Kind == check.InjectedType }

// bound returns the visible binding of a name.
func (w *site) bound(name string) *check.Binding {
	if w.flow == nil {
		return nil
	}
	for _, b := range slices.Backward(visible(w.flow, w.off)) {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// arms lists the outcomes that an arm can name, those without an arm first.
func (w *site) arms(arm syntax.Node) []candidate {
	if syntax.ArmView.Name(syntax.ArmView{Node: arm}) != w.token {
		return nil // the name of a binding is the author's to choose
	}
	effect := syntax.ArmView{Node: arm}.Effect()
	bare := !syntax.ArmView{Node: arm}.Chain().IsValid()
	tight := w.token.Span().Start > 0 && w.token.Prev().Kind() != syntax.Space
	var list []candidate
	for _, c := range armed(w.flow, arm, w.up(1)) {
		for _, o := range c.Tor.Outcomes {
			if o.Effect == effect {
				k := outcome(c, o, armedElsewhere(c, o, arm), bare)
				if tight && k.insert != "" {
					k.insert = " " + k.insert
				}
				list = append(list, k)
			}
		}
	}
	return list
}

// armedElsewhere reports whether another arm than this one answers an outcome.
func armedElsewhere(c *check.Call, o *check.Outcome, arm syntax.Node) bool {
	return slices.ContainsFunc(c.Arms, func(a *check.Arm) bool {
		return a.Outcome == o && !a.Forward && a.Node != arm && a.Guard == nil
	})
}

// outcome is an outcome as an arm: with a name for what it brings, and a step.
func outcome(c *check.Call, o *check.Outcome, answered, bare bool) candidate {
	k := candidate{
		label: o.Name, kind: protocol.CompletionItemKindEnumMember, from: c.Tor.Path(),
		doc: "```koru\n" + strings.TrimSpace(o.Node.Text()) + "\n```",
	}
	if o.Payload != nil {
		k.detail = " " + typeText(o.Payload)
	}
	if answered {
		k.rank = elsewhere
	}
	if bare {
		k.insert = quoteSnippet(o.Name) + payloadStop(o) + " |> $0"
	}
	return k
}

func payloadStop(o *check.Outcome) string {
	if o.Payload == nil {
		return ""
	}
	return " " + stop(1, strings.ToLower(o.Name[:1]))
}

// openArms lists the outcomes that the flow above the cursor leaves unanswered.
func (w *site) openArms() []candidate {
	i := w.file.Syntax.ItemAt(w.token.Span().Start)
	if i == 0 {
		return nil
	}
	above := w.file.Syntax.Item(i - 1)
	if k := above.Kind(); k != syntax.FlowItem && k != syntax.ImplItem {
		return nil
	}
	flow := w.prog.FlowOf(w.file, above)
	if flow == nil || flow.Body == nil || len(flow.Body.Steps) == 0 {
		return nil
	}
	var list []candidate
	for _, s := range flow.Body.Steps {
		c := s.Call
		if c == nil || c.Tor == nil || !c.Tor.Branches() {
			continue
		}
		for _, o := range c.Tor.Outcomes {
			if o == c.Survivor || o.Effect || slices.ContainsFunc(c.Arms, func(a *check.Arm) bool { return a.Outcome == o || a.CatchAll }) {
				continue
			}
			k := outcome(c, o, false, true)
			k.label, k.insert = "| "+k.label, "| "+k.insert
			list = append(list, k)
		}
	}
	return list
}

// expression lists what a value can be made of. In an argument without a label
// the labels come first.
func (w *site) expression(in syntax.Node) []candidate {
	var list []candidate
	var want *check.Type
	switch in.Kind() {
	case syntax.Arg:
		arg := syntax.ArgView{Node: in}
		if label := arg.Label(); label.IsValid() {
			if f := w.fieldOfCall(label.Text()); f != nil {
				want = f.Type
			}
		} else {
			list = w.labels(in)
		}
		if c := w.callAround(); c != nil && c.Tor != nil && isStoreCall(c) {
			return append(w.stores(), list...)
		}
	case syntax.RecordField:
		if !(syntax.RecordFieldView{Node: in}).Label().IsValid() {
			list = w.recordFields(w.up(2))
		}
	case syntax.Assign:
		if v := (syntax.AssignView{Node: in}); v.Target() == w.up(0) && !v.Punned() {
			return w.columns()
		} else if v.Target() == w.up(0) {
			list = w.columns()
		}
	}
	return append(append(list, choices(want)...), w.values(want)...)
}

// choices are the words that a field of a choice takes.
func choices(t *check.Type) []candidate {
	if t == nil || t.Kind != check.ChoiceType {
		return nil
	}
	var list []candidate
	for _, c := range t.Choices {
		list = append(list, candidate{label: fmt.Sprintf("%q", c), kind: protocol.CompletionItemKindEnumMember, rank: wanted})
	}
	return list
}

// values lists the bindings, constants and stores that can be read, those of the
// wanted type first.
func (w *site) values(want *check.Type) []candidate {
	var list []candidate
	if w.flow != nil {
		for _, b := range slices.Backward(visible(w.flow, w.off)) {
			k := candidate{label: b.Name, kind: protocol.CompletionItemKindVariable, rank: near, from: bindingFrom(b)}
			if b.Type != nil {
				k.detail = ": " + typeText(b.Type)
				if want != nil && fits(b.Type, want) {
					k.rank = wanted
				}
			}
			list = append(list, k)
		}
	}
	for _, c := range w.file.Module.Consts {
		k := candidate{label: c.Name, kind: protocol.CompletionItemKindConstant, rank: own}
		if c.Type != nil {
			k.detail = ": " + typeText(c.Type)
		}
		list = append(list, k)
	}
	for _, s := range w.stores() {
		s.rank = own
		list = append(list, s)
	}
	return list
}

// fits reports whether a value is of the kind that a field takes, possession
// included: a handle that is asked for is held, and nothing else is a handle.
func fits(have, want *check.Type) bool {
	if have.Kind != want.Kind || have.Name != want.Name || (have.Phantom == nil) != (want.Phantom == nil) {
		return false
	}
	if want.Phantom == nil || want.Phantom.Var != "" || have.Phantom.Var != "" {
		return true
	}
	for _, h := range have.Phantom.Members {
		if slices.ContainsFunc(want.Phantom.Members, h.Same) {
			return true
		}
	}
	return false
}

func bindingFrom(b *check.Binding) string {
	if b.From == nil || b.From.Tor == nil {
		return ""
	}
	if b.Arm != nil && b.Arm.Outcome != nil {
		return b.From.Tor.Path() + " " + b.Arm.Outcome.Name
	}
	return b.From.Tor.Path()
}

// callAround returns the call whose arguments or block hold the name.
func (w *site) callAround() *check.Call {
	return callAt(w.flow, w.nearest(syntax.Call))
}

func (w *site) fieldOfCall(name string) *check.Field {
	c := w.callAround()
	if c == nil || c.Tor == nil {
		return nil
	}
	return c.Tor.Field(name)
}

// labels lists the fields of the call that are not given yet, the required first.
func (w *site) labels(at syntax.Node) []candidate {
	c := w.callAround()
	if c == nil || c.Tor == nil {
		return nil
	}
	return w.openFields(c.Tor, syntax.CallView{Node: c.Node}, at)
}

// openFields lists the fields of a verb that a call does not give yet; at is the
// argument that is being written.
func (w *site) openFields(tor *check.Tor, call syntax.CallView, at syntax.Node) []candidate {
	given := map[string]bool{}
	for a := range call.Args() {
		if a.Node == at {
			continue
		}
		if l := a.Label(); l.IsValid() {
			given[l.Text()] = true
		} else if p := a.Pun(); p != "" {
			given[p] = true
		}
	}
	var list []candidate
	for _, f := range tor.Fields {
		if given[f.Name] || injected(f.Type) || f.Type.Kind == check.SourceType || f.Type.Kind == check.ExprType {
			continue
		}
		k := fieldCandidate(f)
		k.label += ":"
		k.insert = quoteSnippet(f.Name) + ": $0"
		if (syntax.ArgView{Node: at}).Label() == w.token {
			k.insert = quoteSnippet(f.Name) // the colon is there
		}
		k.rank = wanted
		if !f.Required() {
			k.rank = near
		}
		list = append(list, k)
	}
	return list
}

func fieldCandidate(f *check.Field) candidate {
	k := candidate{label: f.Name, kind: protocol.CompletionItemKindField, doc: f.Doc}
	if f.Type != nil {
		k.detail = " " + typeText(f.Type)
	}
	return k
}

// fields lists the fields of a record.
func (w *site) fields(t *check.Type, suffix string) []candidate {
	if t == nil {
		return nil
	}
	var list []candidate
	for _, f := range t.Fields {
		k := fieldCandidate(f)
		if suffix != "" {
			k.label += ":"
			k.insert = quoteSnippet(f.Name) + suffix + "$0"
		}
		list = append(list, k)
	}
	if t.Kind == check.ListType || t.Kind == check.TextType {
		list = append(list, candidate{label: "len", kind: protocol.CompletionItemKindProperty, detail: " usize"})
	}
	return list
}

// typeOf returns the type of a value that the name is a part of.
func (w *site) typeOf(n syntax.Node) *check.Type {
	switch n.Kind() {
	case syntax.NameExpr:
		name := n.Token(syntax.Name).Text()
		if b := w.bound(name); b != nil {
			return b.Type
		}
		if s := w.file.Module.Store(name); s != nil {
			return rowType(s)
		}
		if c := w.file.Module.Const(name); c != nil {
			return c.Type
		}
	case syntax.FieldExpr:
		if t := w.typeOf(n.FirstChild()); t != nil {
			if f := fieldOf(t, lastName(n).Text()); f != nil {
				return f.Type
			}
		}
	case syntax.IndexExpr:
		if t := w.typeOf(n.FirstChild()); t != nil && t.Kind == check.ListType {
			return t.Elem
		} else if t != nil {
			return t // a row of a store
		}
	}
	return nil
}

// rowType is the record that a row of a store is.
func rowType(s *check.Store) *check.Type {
	t := &check.Type{Kind: check.RecordType}
	for _, c := range s.Columns {
		t.Fields = append(t.Fields, &check.Field{Name: c.Name, Type: c.Type})
	}
	return t
}

// recordFields lists the fields of the record that is written here.
func (w *site) recordFields(record syntax.Node) []candidate {
	t := w.expected(record)
	if t == nil {
		return nil
	}
	given := map[string]bool{}
	for n := range record.ChildrenOf(syntax.RecordField) {
		v := syntax.RecordFieldView{Node: n}
		if l := v.Label(); l.IsValid() && l != w.token {
			given[l.Text()] = true
		} else if p := v.Pun(); p != "" && p != w.token.Text() {
			given[p] = true
		}
	}
	return slices.DeleteFunc(w.fields(t, ": "), func(k candidate) bool { return given[strings.TrimSuffix(k.label, ":")] })
}

// expected returns the type of the value that a node must have.
func (w *site) expected(n syntax.Node) *check.Type {
	i := slices.Index(w.path, n)
	if i <= 0 {
		return nil
	}
	switch in := w.path[i-1]; in.Kind() {
	case syntax.Arg:
		if f := w.fieldOfCall(syntax.ArgView.Label(syntax.ArgView{Node: in}).Text()); f != nil {
			return f.Type
		}
	case syntax.RecordField:
		if t := w.expected(w.path[i-2]); t != nil {
			if f := fieldOf(t, syntax.RecordFieldView.Label(syntax.RecordFieldView{Node: in}).Text()); f != nil {
				return f.Type
			}
		}
	case syntax.Construct:
		if w.flow != nil && w.flow.Owner != nil {
			if o := w.flow.Owner.Outcome(syntax.ConstructView.Name(syntax.ConstructView{Node: in}).Text()); o != nil {
				return o.Payload
			}
		}
	case syntax.ListExpr:
		if t := w.expected(in); t != nil {
			return t.Elem
		}
	}
	return nil
}

// bindFields lists the fields that a destructuring can take apart.
func (w *site) bindFields(n syntax.Node) []candidate {
	if syntax.BindFieldView.Field(syntax.BindFieldView{Node: n}) != w.token || w.flow == nil {
		return nil
	}
	if arm := w.nearest(syntax.Arm, syntax.Call); arm.Kind() == syntax.Arm {
		for c := range w.flow.Calls() {
			for _, a := range c.Arms {
				if a.Node == arm && a.Outcome != nil {
					return w.fields(a.Outcome.Payload, "")
				}
			}
		}
		return nil
	}
	if c := w.callAround(); c != nil && c.Tor != nil {
		return w.fields(c.Tor.Return, "")
	}
	return nil
}

// specs are the ways to write a value in a text.
func specs() []candidate {
	about := [][2]string{{"s", "text"}, {"d", "an integer"}, {"f", "a float"}, {"any", "whatever it is"}}
	var list []candidate
	for i, s := range about {
		list = append(list, candidate{label: s[0], kind: protocol.CompletionItemKindValue, detail: " " + s[1], rank: i})
	}
	return list
}

// constructs lists the outcomes that the flow's own verb can end in.
func (w *site) constructs() []candidate {
	if w.flow == nil || w.flow.Owner == nil {
		return nil
	}
	var list []candidate
	for _, o := range w.flow.Owner.Outcomes {
		if o.Effect {
			continue
		}
		k := candidate{label: o.Name, kind: protocol.CompletionItemKindEnumMember, from: w.flow.Owner.Path()}
		if o.Payload != nil {
			k.detail = " " + typeText(o.Payload)
			if !(syntax.ConstructView{Node: w.up(0)}).Value().IsValid() {
				k.insert = quoteSnippet(o.Name) + " " + w.payload(o.Payload)
			}
		}
		list = append(list, k)
	}
	return list
}

// payload writes a value of a type with places to fill.
func (w *site) payload(t *check.Type) string {
	if t.Kind != check.RecordType {
		return "$0"
	}
	var parts []string
	for i, f := range t.Fields {
		if w.bound(f.Name) != nil {
			parts = append(parts, f.Name)
		} else {
			parts = append(parts, f.Name+": "+stop(i+1, f.Name))
		}
	}
	return "{ " + strings.Join(parts, ", ") + " \\}"
}

// modules lists what can be imported.
func (w *site) modules() []candidate {
	var list []candidate
	for _, name := range w.s.checker.Importable(w.entry(), w.typed) {
		rank := own
		if strings.HasPrefix(name, "std/") {
			rank = imported
		}
		if !w.imports(name) {
			list = append(list, candidate{label: name, kind: protocol.CompletionItemKindModule, rank: rank})
		}
	}
	return list
}

func annotations() []candidate {
	var list []candidate
	for _, word := range syntax.AnnotationWords {
		list = append(list, candidate{label: word, kind: protocol.CompletionItemKindKeyword})
	}
	return list
}

// states lists the states that the module and its imports declare.
func (w *site) states() []candidate {
	var list []candidate
	add := func(m *check.Module, rank int) {
		for _, t := range m.Tors() {
			eachType(t, func(u *check.Type) {
				if u.Phantom == nil {
					return
				}
				for _, s := range u.Phantom.Members {
					if s.Module == m.Path {
						list = append(list, candidate{label: stateName(s, m, w.file.Module), kind: protocol.CompletionItemKindEnumMember, from: t.Path(), rank: rank})
					}
				}
			})
		}
	}
	add(w.file.Module, own)
	for _, m := range w.file.Module.Imports {
		add(m, imported)
	}
	return list
}

func stateName(s check.State, owner, from *check.Module) string {
	if owner == from {
		return s.Name
	}
	return owner.Path + ":" + s.Name
}

// eachType calls f with the types of a verb's fields and outcomes, those inside
// records too.
func eachType(t *check.Tor, f func(*check.Type)) {
	for _, field := range t.Fields {
		inType(field.Type, f)
	}
	for _, o := range t.Outcomes {
		inType(o.Payload, f)
	}
	inType(t.Return, f)
}

func inType(t *check.Type, f func(*check.Type)) {
	if t == nil {
		return
	}
	f(t)
	inType(t.Elem, f)
	for _, field := range t.Fields {
		inType(field.Type, f)
	}
}

// types lists the types of the language and those that the module's verbs name.
func (w *site) types() []candidate {
	var list []candidate
	for _, name := range syntax.ScalarTypes {
		list = append(list, candidate{label: name, kind: protocol.CompletionItemKindKeyword, rank: imported})
	}
	for _, t := range w.file.Module.Tors() {
		eachType(t, func(u *check.Type) {
			if u.Kind == check.HostType || u.Kind == check.UnknownType {
				if u.Name != "" && !strings.Contains(u.Name, placeholder) {
					list = append(list, candidate{label: u.Name, kind: protocol.CompletionItemKindClass, rank: own})
				}
			}
		})
	}
	return list
}

// grants lists the verbs that a register block can grant, with what another
// scope charges for them.
func (w *site) grants(n syntax.Node) []candidate {
	if w.token != (syntax.GrantView{Node: n}).Source() {
		return nil // an alias is the author's to choose
	}
	whole := !(syntax.GrantView{Node: n}).Cost().IsValid()
	var list []candidate
	add := func(t *check.Tor, name string, rank int) {
		cost := w.costElsewhere(t)
		k := candidate{label: name, kind: protocol.CompletionItemKindFunction, detail: " " + signatureOf(t), rank: rank, verb: t.Path()}
		if cost != "" {
			k.from = "costs " + cost
		}
		if whole {
			k.insert = quoteSnippet(name) + "(" + stop(1, max(cost, "1")) + ")"
		}
		if module, _, ok := strings.Cut(name, ":"); ok && whole && module != "" {
			k.insert = quoteSnippet(name) + " -> " + stop(1, t.Name) + "(" + stop(2, max(cost, "1")) + ")"
		}
		list = append(list, k)
	}
	for _, t := range w.file.Module.Tors() {
		add(t, t.Name, own)
	}
	for _, m := range w.file.Module.Imports {
		for _, t := range m.Tors() {
			if t.Pub {
				add(t, m.Path+":"+t.Name, imported)
			}
		}
	}
	list = append(list, candidate{label: "scope", kind: protocol.CompletionItemKindKeyword, insert: "scope(${1:name})", rank: control})
	return list
}

func (w *site) costElsewhere(t *check.Tor) string {
	for _, s := range w.prog.Scopes {
		for _, v := range s.Verbs {
			if v.Tor == t {
				return fmt.Sprint(v.Cost)
			}
		}
	}
	return ""
}

func (w *site) scopes() []candidate {
	var list []candidate
	for _, s := range w.prog.Scopes {
		list = append(list, candidate{label: s.Name, kind: protocol.CompletionItemKindModule, detail: fmt.Sprintf(" %d verbs", len(s.Verbs))})
	}
	return list
}

func (w *site) labelsOfJumps() []candidate {
	if w.flow == nil {
		return nil
	}
	var list []candidate
	for c := range w.flow.Calls() {
		if c.Label != "" && c.Node.Span().Start <= w.off {
			list = append(list, candidate{label: c.Label, kind: protocol.CompletionItemKindReference})
		}
	}
	return list
}

// implemented lists the verbs that have no body yet, for the name of one.
func (w *site) implemented() []candidate {
	if w.nth() > 1 {
		return nil
	}
	var list []candidate
	for _, t := range w.file.Module.Tors() {
		k := candidate{label: t.Name, kind: protocol.CompletionItemKindFunction, detail: " " + signatureOf(t), rank: wanted}
		if t.Impl != nil || len(t.Procs) > 0 {
			k.rank = elsewhere
		}
		list = append(list, k)
	}
	return list
}

func isStoreCall(c *check.Call) bool {
	switch c.Form {
	case check.StoreInsert, check.StoreTake, check.StoreQuery, check.StoreClear, check.StoreStripe, check.StoreRule, check.StoreWatch:
		return true
	}
	return false
}

func (w *site) stores() []candidate {
	var list []candidate
	for _, s := range w.file.Module.Stores {
		list = append(list, candidate{label: s.Name, kind: protocol.CompletionItemKindStruct, detail: " " + typeText(rowType(s))})
	}
	return list
}

// columns lists the columns that an assignment block can set.
func (w *site) columns() []candidate {
	c := w.callAround()
	if c == nil {
		return nil
	}
	if c.Store != nil {
		return w.fields(rowType(c.Store), ": ")
	}
	return nil
}

func fieldOf(t *check.Type, name string) *check.Field {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// lastName returns the last name among the own tokens of a node.
func lastName(n syntax.Node) syntax.Token {
	last := syntax.Token{}
	for t := range n.Tokens() {
		if t.Kind() == syntax.Name {
			last = t
		}
	}
	return last
}
