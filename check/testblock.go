package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/koru-go/koru/syntax"
)

// test resolves a std/testing:test block: flows that it runs, and mocks that
// take the place of verbs while it does (language.md 15.9). It returns the test
// and its flows and those of its mocks, in the order in which they are written.
func (j *judge) test(call syntax.CallView, block syntax.Node) (*TestBlock, []*Flow) {
	t := &TestBlock{Title: testTitle(call), Node: call.Node, File: j.file}
	var flows []*Flow
	for item := range block.Children() {
		switch item.Kind() {
		case syntax.FlowItem:
			f := j.body(item, nil)
			t.Flows, flows = append(t.Flows, f), append(flows, f)
		case syntax.ImplItem:
			if m, ok := j.mock(item, t.Mocks); ok {
				t.Mocks, flows = append(t.Mocks, m), append(flows, m.Flow)
			}
		case syntax.ErrorNode, syntax.ErrorItem, syntax.BlankItem:
		default:
			j.fault("PARSE003", item.Span(), "a test holds flows and mocks (name => outcome, name -> value): declare everything else outside of it")
		}
	}
	return t, flows
}

// TestOf returns the test that a top-level item of a file is, or nil. With
// Options.Editing a test that was not judged anew is resolved when it is first
// asked for.
func (p *Program) TestOf(f *File, item syntax.Node) *TestBlock {
	if t := p.tests[item]; t != nil {
		return t
	}
	call := syntax.CallView{Node: syntax.FlowView{Node: item}.Chain().Child(syntax.Call)}
	if item.Kind() != syntax.FlowItem || call.Block().Kind() != syntax.TestBlock {
		return nil
	}
	l, _ := p.lazyTests.LoadOrStore(item, &lazyTest{})
	test := l.(*lazyTest)
	test.once.Do(func() {
		var findings []Diagnostic
		j := &judge{prog: p, mod: f.Module, file: f, out: &findings, apart: true}
		test.block, _ = j.test(call, call.Block())
	})
	return test.block
}

// lazyTest is a test that is resolved when somebody asks for it.
type lazyTest struct {
	once  sync.Once
	block *TestBlock
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
	j.needPath(name.Text(), nil, t)
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
