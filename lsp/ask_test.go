package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/lsp/view"
)

// question is one request about a place in a document.
type question struct {
	method string
	params func(uri string, line, character int) lsptest.Obj
}

func aboutPlace(extra lsptest.Obj) func(string, int, int) lsptest.Obj {
	return func(uri string, line, character int) lsptest.Obj {
		return with(lsptest.At(uri, line, character), extra)
	}
}

func aboutDocument(extra lsptest.Obj) func(string, int, int) lsptest.Obj {
	return func(uri string, _, _ int) lsptest.Obj { return with(lsptest.Doc(uri), extra) }
}

func aboutRange(extra lsptest.Obj) func(string, int, int) lsptest.Obj {
	return func(uri string, line, character int) lsptest.Obj {
		return with(with(lsptest.Doc(uri), lsptest.Obj{"range": lsptest.Range(line, character, line+20, 0)}), extra)
	}
}

func with(o, extra lsptest.Obj) lsptest.Obj {
	for k, v := range extra {
		o[k] = v
	}
	return o
}

var formatOptions = lsptest.Obj{"options": lsptest.Obj{"tabSize": 4, "insertSpaces": true}}

// questions are all requests that are about a document; TestQuestions holds the
// list to the table of features.
var questions = []question{
	{"textDocument/hover", aboutPlace(nil)},
	{"textDocument/completion", aboutPlace(nil)},
	{"textDocument/signatureHelp", aboutPlace(nil)},
	{"textDocument/inlayHint", aboutRange(nil)},
	{"textDocument/semanticTokens/full", aboutDocument(nil)},
	{"textDocument/semanticTokens/full/delta", aboutDocument(lsptest.Obj{"previousResultId": "none"})},
	{"textDocument/semanticTokens/range", aboutRange(nil)},
	{"textDocument/definition", aboutPlace(nil)},
	{"textDocument/declaration", aboutPlace(nil)},
	{"textDocument/typeDefinition", aboutPlace(nil)},
	{"textDocument/implementation", aboutPlace(nil)},
	{"textDocument/references", aboutPlace(lsptest.Obj{"context": lsptest.Obj{"includeDeclaration": true}})},
	{"textDocument/documentHighlight", aboutPlace(nil)},
	{"textDocument/prepareRename", aboutPlace(nil)},
	{"textDocument/rename", aboutPlace(lsptest.Obj{"newName": "renamed"})},
	{"textDocument/linkedEditingRange", aboutPlace(nil)},
	{"textDocument/documentSymbol", aboutDocument(nil)},
	{"textDocument/prepareCallHierarchy", aboutPlace(nil)},
	{"textDocument/codeAction", aboutRange(lsptest.Obj{"context": lsptest.Obj{"diagnostics": []any{}}})},
	{"textDocument/codeLens", aboutDocument(nil)},
	{"textDocument/foldingRange", aboutDocument(nil)},
	{"textDocument/selectionRange", func(uri string, line, character int) lsptest.Obj {
		return with(lsptest.Doc(uri), lsptest.Obj{"positions": []lsptest.Obj{{"line": line, "character": character}}})
	}},
	{"textDocument/documentLink", aboutDocument(nil)},
	{"textDocument/formatting", aboutDocument(formatOptions)},
	{"textDocument/rangeFormatting", aboutRange(formatOptions)},
	{"textDocument/rangesFormatting", func(uri string, line, character int) lsptest.Obj {
		ranges := []lsptest.Obj{lsptest.Range(line, 0, line, character), lsptest.Range(line+5, 0, line+9, 0)}
		return with(with(lsptest.Doc(uri), formatOptions), lsptest.Obj{"ranges": ranges})
	}},
	{"textDocument/onTypeFormatting", aboutPlace(with(lsptest.Obj{"ch": "\n"}, formatOptions))},
	{"textDocument/diagnostic", aboutDocument(nil)},
}

// asideFrom are the requests that are not about a place: a search, what follows
// upon an answer, what a client asks of the workspace.
var asideFrom = []string{
	"completionItem/resolve", "codeLens/resolve", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls",
	"workspace/symbol", "workspace/diagnostic", "workspace/willRenameFiles", "workspace/executeCommand",
	"workspace/textDocumentContent", "koru/textDocumentContent",
}

// TestQuestions: every request of the table is asked by the tests of this
// package, and nothing else is.
func TestQuestions(t *testing.T) {
	asked := map[string]bool{}
	for _, q := range questions {
		asked[q.method] = true
	}
	for _, m := range asideFrom {
		asked[m] = true
	}
	for _, f := range features {
		if !asked[f.method] {
			t.Errorf("no test asks %s", f.method)
		}
		delete(asked, f.method)
	}
	for method := range asked {
		t.Errorf("%s is no feature", method)
	}
}

// askAll asks everything at one place. What may go wrong is a request that is
// refused with a reason; a fault of the server, or a range that does not lie in
// its document, is a fault of the test.
func (s *session) askAll(d *view.Document, line, character int) {
	s.t.Helper()
	ref := &reference{[]rune(d.Syntax.Text()), s.server.snapshot.Load().Encoding()}
	var waiting []*lsptest.Pending
	for _, q := range questions {
		waiting = append(waiting, s.Start(q.method, q.params(string(d.URI), line, character)))
	}
	for i, p := range waiting {
		m, err := p.Wait()
		if err != nil {
			s.t.Fatalf("%s at %d:%d of\n%q: %v", questions[i].method, line, character, d.Syntax.Text(), err)
		}
		if m.Error != nil && m.Error.Code != codeRequestFailed {
			s.t.Errorf("%s at %d:%d of\n%q: %v", questions[i].method, line, character, d.Syntax.Text(), m.Error)
			continue
		}
		if err := ref.inside(string(d.URI), m.Result); err != nil {
			s.t.Errorf("%s at %d:%d of\n%q: %v", questions[i].method, line, character, d.Syntax.Text(), err)
		}
	}
}

// inside makes sure that every range of an answer that is about a document lies
// in its text, as it was, and ends behind its beginning.
func (r *reference) inside(uri string, result json.RawMessage) error {
	var errs []error
	walkRanges(result, uri, func(at string, w wireRange) any {
		if at != uri {
			return nil
		}
		start, end := r.offset(w.Start.Line, w.Start.Character), r.offset(w.End.Line, w.End.Character)
		if end < start || !r.is(start, w.Start) || !r.is(end, w.End) {
			errs = append(errs, fmt.Errorf("the range %v lies outside of the text", w))
		}
		return nil
	})
	return errors.Join(errs...)
}

// is reports whether a position is that of a character, not one that is taken
// for it.
func (r *reference) is(off int, p wirePosition) bool {
	line, column := r.position(off)
	return line == p.Line && column == p.Character
}

// wireRange is a range as it is sent.
type wireRange struct{ Start, End wirePosition }

type wirePosition struct{ Line, Character int }

// walkRanges calls visit for every range in an answer, with the URI that it is
// about, and returns the answer with what visit returns in their places.
func walkRanges(raw json.RawMessage, uri string, visit func(uri string, r wireRange) any) any {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return walkValue(v, uri, visit)
}

func walkValue(v any, uri string, visit func(uri string, r wireRange) any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = walkValue(v[i], uri, visit)
		}
	case map[string]any:
		if r, ok := rangeIn(v); ok {
			return visit(uri, r)
		}
		for _, key := range []string{"uri", "targetUri"} {
			if u, ok := v[key].(string); ok {
				uri = u
			}
		}
		if d, ok := v["textDocument"].(map[string]any); ok {
			uri, _ = d["uri"].(string)
		}
		for key, x := range v {
			at := uri
			if strings.Contains(key, ":/") { // "changes" of a workspace edit
				at = key
			}
			v[key] = walkValue(x, at, visit)
		}
	}
	return v
}

func rangeIn(v map[string]any) (wireRange, bool) {
	start, ok := positionIn(v["start"])
	if !ok {
		return wireRange{}, false
	}
	end, ok := positionIn(v["end"])
	return wireRange{start, end}, ok && len(v) == 2
}

func positionIn(v any) (wirePosition, bool) {
	m, _ := v.(map[string]any)
	line, ok := m["line"].(float64)
	character, also := m["character"].(float64)
	return wirePosition{int(line), int(character)}, ok && also
}
