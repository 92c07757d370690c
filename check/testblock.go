package check

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// test resolves a std/testing:test block: flows that it runs, and mocks that
// take the place of verbs while it does (language.md 15.9).
func (j *judge) test(call syntax.CallView, block syntax.Node) {
	t := &TestBlock{Title: testTitle(call), Node: call.Node, File: j.file}
	for item := range block.Children() {
		switch item.Kind() {
		case syntax.FlowItem:
			t.Flows = append(t.Flows, j.body(item, nil))
		case syntax.ImplItem:
			if m, ok := j.mock(item, t.Mocks); ok {
				t.Mocks = append(t.Mocks, m)
			}
		case syntax.ErrorNode, syntax.ErrorItem, syntax.BlankItem:
		default:
			j.fault("PARSE003", item.Span(), "a test holds flows and mocks (name => outcome, name -> value): declare everything else outside of it")
		}
	}
	j.mod.Tests = append(j.mod.Tests, t)
}

// testTitle returns the title of a test as plain words.
func testTitle(call syntax.CallView) string {
	title := strings.TrimSpace(call.ArgList().Child(syntax.Arg).Text())
	if len(title) >= 2 && title[0] == '"' && title[len(title)-1] == '"' {
		title = title[1 : len(title)-1]
	}
	return title
}

func (j *judge) mock(item syntax.Node, before []Mock) (Mock, bool) {
	name := syntax.ImplView{Node: item}.Name()
	t, problem := j.prog.Resolve(j.mod, name.Text(), nil)
	if problem != nil {
		if !problem.Known {
			j.add(problem.At(j.file, name.Span()))
		}
		return Mock{}, false
	}
	for _, m := range before {
		if m.Tor == t {
			d := j.fault("KORU113", name.Span(), fmt.Sprintf("'%s' has two mocks in this test: keep one", t.Path()))
			d.note(j.file, syntax.ImplView{Node: m.Flow.Node}.Name().Span(), "the first one is here")
			return Mock{}, false
		}
	}
	k := *j
	k.mocks = true
	return Mock{t, k.body(item, t)}, true
}
