package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// CompletionTriggers are the characters behind which an editor asks by itself.
var CompletionTriggers = []string{"|", "!", ":", ".", "(", "{", "<", "[", "@", "/", ",", " "}

// candidate is one thing that may stand at the cursor.
type candidate struct {
	label  string
	kind   protocol.CompletionItemKind
	detail string // right behind the label: a shape, a type
	from   string // where it comes from: a module, the verb that delivered it
	doc    string // Markdown; a verb's is told when the client asks for it
	insert string // snippet; the label if empty
	rank   int    // the lower, the nearer to the top
	verb   string // path of the verb that the candidate names
	adds   string // module that is imported along with it
}

// Completion lists what may stand at the cursor.
func Completion(ctx context.Context, s *Snapshot, d *Document, off int, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	w, err := siteAt(s, d, off)
	if err != nil || w == nil {
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, err
	}
	if p != nil && triggeredBy(p, " ") && !w.expectsWord() {
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, nil
	}
	list := w.candidates()
	if w.wire != nil {
		list = s.wireCandidates(w, w.wire)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	items := make([]protocol.CompletionItem, 0, len(list))
	seen := map[string]bool{}
	for i, c := range list {
		if !seen[c.label] {
			seen[c.label] = true
			items = append(items, w.item(s, d, c, i))
		}
	}
	return &protocol.CompletionList{Items: items}, nil
}

// triggeredBy reports whether the client asks because a character was typed.
func triggeredBy(p *protocol.CompletionParams, char string) bool {
	return p.Context.TriggerCharacter != nil && *p.Context.TriggerCharacter == char
}

// item writes a candidate for the client. The edit always says what it replaces:
// clients differ in what they take for a word.
func (w *site) item(s *Snapshot, d *Document, c candidate, place int) protocol.CompletionItem {
	client := s.Client()
	it := protocol.CompletionItem{Label: c.label, Kind: c.kind}
	it.SortText = protocol.NewOptional(fmt.Sprintf("%04d", place))
	it.FilterText = protocol.NewOptional(c.label)
	text := c.insert
	switch {
	case text == "":
		text = c.label
	case client.Snippets:
		it.InsertTextFormat = protocol.InsertTextFormatSnippet
	default:
		text = withoutStops(text)
	}
	replace := s.Range(d.Syntax, w.replace)
	if client.InsertReplace {
		it.TextEdit = &protocol.InsertReplaceEdit{NewText: text, Insert: s.Range(d.Syntax, w.insert), Replace: replace}
	} else {
		it.TextEdit = &protocol.TextEdit{NewText: text, Range: replace}
	}
	if client.LabelDetails && (c.detail != "" || c.from != "") {
		it.LabelDetails = &protocol.CompletionItemLabelDetails{Detail: some(c.detail), Description: some(c.from)}
	} else if c.detail != "" {
		it.Detail = protocol.NewOptional(strings.TrimSpace(c.detail))
	}
	if c.doc != "" {
		it.Documentation = s.markup(c.doc)
	}
	if c.verb != "" {
		it.Data, _ = json.Marshal(completionData{URI: string(d.URI), Verb: c.verb})
	}
	if c.adds != "" {
		at, line := w.importing(d, c.adds)
		pos := s.Position(d.Syntax, at)
		it.AdditionalTextEdits = []protocol.TextEdit{{Range: protocol.Range{Start: pos, End: pos}, NewText: line}}
	}
	return it
}

// importing returns the import line of a module and where it goes in the text
// without the placeholder.
func (w *site) importing(d *Document, module string) (int, string) {
	f := *w.file
	f.Syntax = d.Syntax
	return f.Importing(module)
}

func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// completionData is what a candidate carries along so that its documentation can
// be told later.
type completionData struct {
	URI  string `json:"uri"`
	Verb string `json:"verb"`
}

// ResolveCompletion adds the documentation of a candidate.
func ResolveCompletion(_ context.Context, s *Snapshot, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	var data completionData
	if len(item.Data) == 0 || json.Unmarshal(item.Data, &data) != nil || data.Verb == "" {
		return item, nil
	}
	d, err := s.documentNamed(data.URI)
	if err != nil {
		return item, nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return item, nil
	}
	if tor := s.torNamed(prog, file, data.Verb); tor != nil {
		item.Documentation = s.markup(describeVerb(tor))
	}
	return item, nil
}

// torNamed finds a verb by its path: of the file's own module, of one that the
// program loads, or of the standard library.
func (s *Snapshot) torNamed(p *check.Program, f *check.File, name string) *check.Tor {
	module, verb, ok := strings.Cut(name, ":")
	if !ok {
		if t := f.Module.Tor(name); t != nil {
			return t
		}
		module, verb = "std/control", name
	}
	if m := p.Module(module); m != nil {
		return m.Tor(verb)
	}
	if m := s.checker.Library(module); m != nil {
		return m.Tor(verb)
	}
	return nil
}

// quoteSnippet escapes what a snippet would take for its own.
var quoteSnippet = strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`).Replace

// stop is the nth place of a snippet to fill.
func stop(n int, text string) string { return fmt.Sprintf("${%d:%s}", n, quoteSnippet(text)) }

// withoutStops takes the places to fill out of a snippet of ours: a client that
// knows none gets what stands in front of the first.
func withoutStops(snippet string) string {
	var b strings.Builder
	for i := 0; i < len(snippet); i++ {
		switch c := snippet[i]; {
		case c == '\\' && i+1 < len(snippet):
			i++
			b.WriteByte(snippet[i])
		case c == '$':
			return strings.TrimRight(b.String(), " ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// expectsWord reports whether something definite follows a blank that was typed
// here: an outcome behind a pipe, a field behind a comma.
func (w *site) expectsWord() bool {
	switch w.up(0).Kind() {
	case syntax.Arm, syntax.ArmDecl, syntax.Construct, syntax.WireArm, syntax.ImportItem:
		return true
	case syntax.NameExpr:
		k := w.up(1).Kind()
		return k == syntax.Arg || k == syntax.RecordField || k == syntax.Splice
	case syntax.Call:
		return len(w.path) > 2 && w.up(2).Kind() != syntax.FlowItem || !w.firstOfItem()
	}
	return false
}

// firstOfItem reports whether the name begins its item.
func (w *site) firstOfItem() bool {
	first := w.path[0].FirstToken()
	for first.IsValid() && first.Kind().IsTrivia() {
		first = first.Next()
	}
	return first == w.token
}
