package lsp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/lsptest"
)

// The workspace that every capability is tried on. A caret is a place that a
// probe asks about; carets are cut out.
var contractFiles = map[string]string{
	"main.k": `import std/io
import std/runtime
import app/stock

[
- doc
Find an item.
]
tor fi^nd { sku: string }
| fo^und { name: string }
| missing
proc find|js { return "missing"; }

tor lend { id: i64 } -> string<lent!>
proc lend|js { return "h"; }
tor give-back { it: string<!lent> }
proc give-back|js {}

tor all { sku: string }
| found { name: string }
| missing
all = fi^nd(^sku)
| found f => fo^und { f.name }
| missing => missing

find(sku:   "A")
| found f |> app/stock:cou^nt(sku: f.name) |> ^std/io:print.ln("{{ ^f.name:s }}")
| missing |> _

lend(id: 1): l^oan
|> std/io:print.ln("kept")

std/runtime:register(scope: "shop") {
    find -> find(2)
}

fnd(sku: "A")
`,
	"stock.k": "// what is there\npub tor count { sku: string }\nproc count|js {}\n",
}

// Places of main.k by the number of their caret.
const (
	declaredVerb = iota
	declaredOutcome
	calledVerb
	argument
	constructed
	importedVerb
	step
	splice
	handle
)

// probe is a request and what its answer must tell.
type probe struct {
	place  int // the number of a caret
	params lsptest.Obj
	want   []string
}

// probes try every request about a document.
var probes = map[string]probe{
	"textDocument/hover":                     {calledVerb, nil, []string{"tor find", "Find an item."}},
	"textDocument/completion":                {splice, nil, []string{`"isIncomplete"`, `"textEdit"`, `"f`}},
	"textDocument/signatureHelp":             {argument, nil, []string{"find", "sku"}},
	"textDocument/inlayHint":                 {0, nil, []string{"give-back"}},
	"textDocument/semanticTokens/full":       {0, nil, []string{`"data":[`, `"resultId"`}},
	"textDocument/semanticTokens/full/delta": {0, nil, []string{`"edits":[]`}},
	"textDocument/semanticTokens/range":      {0, nil, []string{`"data":[`}},
	"textDocument/definition":                {importedVerb, nil, []string{"stock.k", `"line":1`}},
	"textDocument/declaration":               {calledVerb, nil, []string{"main.k", `"line":8`}},
	"textDocument/typeDefinition":            {handle, nil, []string{"main.k"}},
	"textDocument/implementation":            {calledVerb, nil, []string{"main.k", `"line":11`}},
	"textDocument/references":                {declaredVerb, nil, []string{`"line":8`, `"line":21`, `"line":25`, `"line":33`}},
	"textDocument/documentHighlight":         {declaredOutcome, nil, []string{`"line":9`, `"line":22`, `"line":26`}},
	"textDocument/prepareRename":             {declaredVerb, nil, []string{`"find"`}},
	"textDocument/rename":                    {importedVerb, lsptest.Obj{"newName": "tally"}, []string{"main.k", "stock.k", `"tally"`}},
	"textDocument/linkedEditingRange":        {declaredOutcome, nil, []string{`"ranges":[{`}},
	"textDocument/documentSymbol":            {0, nil, []string{`"find"`, `"children"`, `"shop"`}},
	"textDocument/prepareCallHierarchy":      {declaredVerb, nil, []string{`"find"`}},
	"textDocument/codeAction":                {0, nil, []string{"quickfix", "find"}},
	"textDocument/codeLens":                  {0, nil, []string{`"range"`}},
	"textDocument/foldingRange":              {0, nil, []string{`"startLine"`}},
	"textDocument/selectionRange":            {splice, nil, []string{`"parent"`}},
	"textDocument/documentLink":              {0, nil, []string{"koru-std:/std/io.k", "stock.k"}},
	"textDocument/formatting":                {0, nil, []string{`"newText"`}},
	"textDocument/rangeFormatting":           {calledVerb, nil, []string{`"newText"`}},
	"textDocument/rangesFormatting":          {calledVerb, nil, []string{`"newText"`}},
	"textDocument/onTypeFormatting":          {step, lsptest.Obj{"ch": "\n"}, []string{`"newText"`}},
	"textDocument/diagnostic":                {0, nil, []string{"KORU040", "find"}},
}

// TestContract: whatever the server says it can do it does, and what it does it
// says. Each answer must tell something of the program.
func TestContract(t *testing.T) {
	s, places := contractSession(t, fullClient)
	for _, q := range questions {
		p, ok := probes[q.method]
		if !ok {
			t.Errorf("no probe tries %s", q.method)
			continue
		}
		params := with(q.params("file:///w/main.k", places[p.place][0], places[p.place][1]), p.params)
		if r, ok := params["range"].(lsptest.Obj); ok {
			r["start"], r["end"] = lsptest.Obj{"line": 0, "character": 0}, lsptest.Obj{"line": 99, "character": 0}
		}
		if _, ok := params["ranges"]; ok {
			params["ranges"] = []lsptest.Obj{lsptest.Range(0, 0, 1, 0), lsptest.Range(20, 0, 30, 0)}
		}
		switch q.method {
		case "textDocument/semanticTokens/full/delta":
			params["previousResultId"] = s.field(s.must("textDocument/semanticTokens/full", lsptest.Doc("file:///w/main.k")), "resultId")
		case "textDocument/onTypeFormatting":
			params["position"] = lsptest.Obj{"line": 27, "character": 0}
		}
		s.probe(q.method, params, p.want...)
	}
	s.probeAside()
}

// probeAside tries what is not about a document.
func (s *session) probeAside() {
	s.t.Helper()
	s.probe("workspace/symbol", lsptest.Obj{"query": "count"}, "stock.k", `"count"`)
	s.probe("workspace/diagnostic", lsptest.Obj{"previousResultIds": []any{}}, "main.k", "stock.k", "KORU040")
	s.probe("workspace/willRenameFiles", lsptest.Obj{
		"files": []lsptest.Obj{{"oldUri": "file:///w/stock.k", "newUri": "file:///w/shelf.k"}},
	}, "main.k", "app/shelf")
	s.probe("workspace/executeCommand", lsptest.Obj{
		"command": "koru.grammar", "arguments": []any{"file:///w/main.k", "shop"},
	}, "find")
	for _, method := range []string{"workspace/textDocumentContent", "koru/textDocumentContent"} {
		s.probe(method, lsptest.Obj{"uri": "koru-std:/std/io.k"}, "print.ln")
	}
	completions := s.must("textDocument/completion", lsptest.At("file:///w/main.k", 25, 0))
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(completions), &list); err != nil {
		s.t.Fatal(err)
	}
	i := slices.IndexFunc(list.Items, func(item json.RawMessage) bool { return strings.Contains(string(item), `"label":"find"`) })
	if i < 0 {
		s.t.Fatalf("find is not completed: %s", completions)
	}
	s.probe("completionItem/resolve", list.Items[i], "Find an item.")
	var lenses []json.RawMessage
	if err := json.Unmarshal([]byte(s.must("textDocument/codeLens", lsptest.Doc("file:///w/main.k"))), &lenses); err != nil || len(lenses) == 0 {
		s.t.Fatal("no lenses", err)
	}
	s.probe("codeLens/resolve", lenses[0], `"command"`)
	var calls []json.RawMessage
	if err := json.Unmarshal([]byte(s.must("textDocument/prepareCallHierarchy", lsptest.At("file:///w/main.k", 8, 5))), &calls); err != nil {
		s.t.Fatal(err)
	}
	s.probe("callHierarchy/incomingCalls", lsptest.Obj{"item": calls[0]}, `"all"`)
	calls = nil
	if err := json.Unmarshal([]byte(s.must("textDocument/prepareCallHierarchy", lsptest.At("file:///w/main.k", 18, 5))), &calls); err != nil {
		s.t.Fatal(err)
	}
	s.probe("callHierarchy/outgoingCalls", lsptest.Obj{"item": calls[0]}, `"find"`)
}

func (s *session) probe(method string, params any, want ...string) {
	s.t.Helper()
	result, err := s.Call(method, params)
	if err != nil {
		s.t.Errorf("%s: %v", method, err)
		return
	}
	for _, text := range want {
		if !strings.Contains(string(result), text) {
			s.t.Errorf("%s does not tell of %s: %s", method, text, result)
		}
	}
}

func (s *session) field(result, name string) string {
	s.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(result), &v); err != nil {
		s.t.Fatal(err)
	}
	text, _ := v[name].(string)
	return text
}

// contractSession opens the workspace and returns the places of the carets.
func contractSession(t *testing.T, capabilities lsptest.Obj) (*session, [][2]int) {
	t.Helper()
	files := map[string]string{}
	var places [][2]int
	for name, text := range contractFiles {
		files["w/"+name] = strings.ReplaceAll(text, "^", "")
	}
	for line, text := range strings.Split(contractFiles["main.k"], "\n") {
		for i := strings.IndexByte(text, '^'); i >= 0; i = strings.IndexByte(text, '^') {
			places = append(places, [2]int{line, i})
			text = text[:i] + text[i+1:]
		}
	}
	s := open(t, newDisk(files), capabilities)
	s.Open("file:///w/main.k", 1, files["w/main.k"])
	return s, places
}

// fullClient is a client that can do all that we know of.
var fullClient = lsptest.Obj{
	"general": lsptest.Obj{"positionEncodings": []string{"utf-16"}},
	"workspace": lsptest.Obj{
		"workspaceEdit": lsptest.Obj{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}},
	},
	"textDocument": lsptest.Obj{
		"hover":              lsptest.Obj{"contentFormat": []string{"markdown"}},
		"completion":         lsptest.Obj{"completionItem": lsptest.Obj{"snippetSupport": true, "labelDetailsSupport": true, "insertReplaceSupport": true}},
		"definition":         lsptest.Obj{"linkSupport": true},
		"documentSymbol":     lsptest.Obj{"hierarchicalDocumentSymbolSupport": true},
		"codeAction":         lsptest.Obj{"codeActionLiteralSupport": lsptest.Obj{}},
		"publishDiagnostics": lsptest.Obj{"relatedInformation": true, "tagSupport": lsptest.Obj{}, "codeDescriptionSupport": true},
	},
}

// A client that can do nothing but the least is given nothing that it does not
// understand.
func TestLeastClient(t *testing.T) {
	s, places := contractSession(t, nil)
	for method, strangers := range map[string][]string{
		"textDocument/hover":          {"```", "markdown"},
		"textDocument/completion":     {"${", "$0", `"labelDetails"`, `"insert":`},
		"textDocument/definition":     {"targetUri"},
		"textDocument/documentSymbol": {"children", "selectionRange"},
		"textDocument/codeAction":     {"documentChanges"},
		"textDocument/rename":         {"documentChanges"},
		"textDocument/diagnostic":     {"relatedInformation", "tags", "codeDescription"},
	} {
		i := slices.IndexFunc(questions, func(q question) bool { return q.method == method })
		place := places[probes[method].place]
		result := s.must(method, questions[i].params("file:///w/main.k", place[0], place[1]))
		for _, text := range strangers {
			if strings.Contains(result, text) {
				t.Errorf("%s answers a client that cannot read it with %s: %s", method, text, result)
			}
		}
		if (result == "null" || result == "[]") && method != "textDocument/codeAction" { // which is all edits
			t.Errorf("%s has no answer for the least client", method)
		}
	}
}

// providers are the members of the capabilities, and the requests that a client
// sends because of them.
var providers = map[string][]string{
	"completionProvider":               {"textDocument/completion", "completionItem/resolve"},
	"hoverProvider":                    {"textDocument/hover"},
	"signatureHelpProvider":            {"textDocument/signatureHelp"},
	"declarationProvider":              {"textDocument/declaration"},
	"definitionProvider":               {"textDocument/definition"},
	"typeDefinitionProvider":           {"textDocument/typeDefinition"},
	"implementationProvider":           {"textDocument/implementation"},
	"referencesProvider":               {"textDocument/references"},
	"documentHighlightProvider":        {"textDocument/documentHighlight"},
	"documentSymbolProvider":           {"textDocument/documentSymbol"},
	"codeActionProvider":               {"textDocument/codeAction"},
	"codeLensProvider":                 {"textDocument/codeLens", "codeLens/resolve"},
	"documentLinkProvider":             {"textDocument/documentLink"},
	"workspaceSymbolProvider":          {"workspace/symbol"},
	"documentFormattingProvider":       {"textDocument/formatting"},
	"documentRangeFormattingProvider":  {"textDocument/rangeFormatting", "textDocument/rangesFormatting"},
	"documentOnTypeFormattingProvider": {"textDocument/onTypeFormatting"},
	"renameProvider":                   {"textDocument/rename", "textDocument/prepareRename"},
	"foldingRangeProvider":             {"textDocument/foldingRange"},
	"selectionRangeProvider":           {"textDocument/selectionRange"},
	"executeCommandProvider":           {"workspace/executeCommand"},
	"callHierarchyProvider":            {"textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"},
	"linkedEditingRangeProvider":       {"textDocument/linkedEditingRange"},
	"semanticTokensProvider":           {"textDocument/semanticTokens/full", "textDocument/semanticTokens/full/delta", "textDocument/semanticTokens/range"},
	"inlayHintProvider":                {"textDocument/inlayHint"},
	"diagnosticProvider":               {"textDocument/diagnostic", "workspace/diagnostic"},
	"workspace":                        {"workspace/willRenameFiles", "workspace/textDocumentContent"},
	"positionEncoding":                 nil,
	"textDocumentSync":                 nil,
}

// TestCapabilities: the members of the capabilities and the table of features
// tell of the same requests.
func TestCapabilities(t *testing.T) {
	text, err := protocol.Marshal(offered("utf-16"))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	answered := map[string]bool{"koru/textDocumentContent": true} // ours, for clients that ask for it by name
	for name, value := range members {
		methods, known := providers[name]
		if !known || value == nil || reflect.ValueOf(value).IsZero() {
			t.Errorf("what %s: %v offers is not known", name, value)
		}
		for _, m := range methods {
			answered[m] = true
		}
	}
	have := map[string]bool{}
	for _, f := range features {
		have[f.method] = true
	}
	if !maps.Equal(answered, have) {
		t.Errorf("offered are %v, answered are %v", slices.Sorted(maps.Keys(answered)), slices.Sorted(maps.Keys(have)))
	}
}
