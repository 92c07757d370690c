package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// Interpreted Koru (std/runtime, std/interpreter): one flow in the dialect of
// files over the verbs of a scope, run once, with a pool and a budget of its
// own (bridge.md 3.2, 4.4). Its calls take the path that the calls of a session
// take.

// flowSource is a flow that was parsed.
type flowSource struct {
	file *syntax.File
	item syntax.Node
}

// misparse says why a text is no flow, and where.
type misparse struct {
	message      string
	line, column int
}

// tildeRefused refuses a ~ outside a string (bridge.md 4.4).
const tildeRefused = "`~` is not legal in interpreter source. It switches a host-embedded file (.kz/.kjs) from the host language into Koru; " +
	"interpreter source is already pure Koru, so it marks nothing. Drop it: write `open(path: \"x\")`, not `~open(path: \"x\")`."

// parseSource finds the flow in a text. With failFast a fault anywhere refuses
// the text; without, the first sound flow is taken (430_049).
func parseSource(text string, failFast bool) (*flowSource, *misparse) {
	if strings.TrimSpace(text) == "" {
		return nil, &misparse{"Empty input", 1, 1}
	}
	file := syntax.Parse("source", syntax.Pure, text)
	var flow syntax.Node
	for n := range file.Items() {
		faults := n.Faults()
		switch {
		case len(faults) > 0 && failFast:
			return nil, misparsed(file, n, faults[0])
		case n.Kind() == syntax.FlowItem && len(faults) == 0 && !flow.IsValid():
			flow = n
		}
	}
	switch {
	case !flow.IsValid() && len(file.Faults()) > 0:
		return nil, misparsed(file, file.Item(file.ItemAt(file.Faults()[0].Start)), file.Faults()[0])
	case !flow.IsValid():
		return nil, &misparse{"No flow found in source", 1, 1}
	case !(syntax.CallView{Node: syntax.FlowView{Node: flow}.Chain().Child(syntax.Call)}).ArgList().IsValid():
		return nil, &misparse{"No invocation found", 1, 1}
	}
	return &flowSource{file, flow}, nil
}

func misparsed(file *syntax.File, item syntax.Node, f syntax.Fault) *misparse {
	m := &misparse{message: f.Message}
	at := f.Start
	first := true
	for t := range item.AllTokens() {
		switch {
		case t.Kind() == syntax.Tilde:
			m.message, at = tildeRefused, t.Span().Start
		case t.Kind().IsTrivia():
			continue
		case first && proseAhead(file.Text()[t.Span().Start:]):
			m.message = "Event name must not contain spaces: prose is not an invocation"
		}
		first = false
	}
	pos := file.Position(at, syntax.UTF8)
	m.line, m.column = pos.Line+1, pos.Column+1
	return m
}

// proseAhead reports whether words with blanks between them come before the
// parenthesis that would open the arguments of a call.
func proseAhead(text string) bool {
	head, _, ok := strings.Cut(text, "(")
	return ok && strings.ContainsAny(strings.TrimSpace(head), " \t") && !strings.ContainsAny(head, "\n|=\"")
}

// sourceRun is one run of a source.
type sourceRun struct {
	session
	calls map[syntax.Node]*check.Call
	last  eval.Outcome // what the last call ended in
}

// sourceEnd is how a run ended: an outcome, or why not.
type sourceEnd struct {
	outcome eval.Outcome
	refused *RunError
	used    uint64
	handles int
}

// runSource judges and runs a flow over a scope. keep leaves what is still held
// at the end to nobody; otherwise it is let go of (bridge.md 7.5).
func runSource(ctx context.Context, p *eval.Process, scope *check.Scope, flow *flowSource, limit *uint64, keep bool, log io.Writer) sourceEnd {
	r := newSourceRun(p, scope, limit, log)
	judged, refusal := p.Program().Checked().JudgeSource(&r.words, flow.file, flow.item)
	if refusal != nil {
		return sourceEnd{refused: sourceRefusal(refusal)}
	}
	code, err := p.Program().Compile(judged)
	if err != nil {
		return sourceEnd{refused: &RunError{Kind: VerdictValidation, Message: unrunnable("source", err)}}
	}
	r.note(judged.Body)
	o, err := p.Execute(ctx, code, nil, r.dispatch)
	end := sourceEnd{outcome: o}
	var inner *innerRefusal
	switch {
	case errors.As(err, &inner):
		end.refused = inner.RunError
	case err != nil:
		end.refused = failed("", err)
	case o.Branch == "" && !o.Has:
		end.outcome = r.last // nothing was constructed: the last call's outcome leaks out
	}
	if !keep {
		r.letGoAll(ctx, atRunEnd)
	}
	end.used, end.handles = r.purse.used, r.pool.count()
	return end
}

func newSourceRun(p *eval.Process, scope *check.Scope, limit *uint64, log io.Writer) *sourceRun {
	r := &sourceRun{calls: map[syntax.Node]*check.Call{}}
	r.id, r.scope, r.log = "run", scope, log
	r.words = check.Vocabulary{Scope: scope}
	r.purse = pursed(limit)
	r.needs, r.givers = map[*check.Type]*need{}, map[*check.Type]bool{}
	r.pool = newPool("run", 0, nil)
	r.bodies = &machine{program: p.Program(), process: p}
	return r
}

// note remembers the calls of a flow by their place.
func (r *sourceRun) note(c *check.Chain) {
	if c == nil {
		return
	}
	for _, s := range c.Steps {
		if s.Call != nil {
			r.calls[s.Call.Node] = s.Call
			for _, a := range s.Call.Arms {
				r.note(a.Body)
			}
		}
	}
}

// dispatch makes one call of the flow.
func (r *sourceRun) dispatch(c *eval.Call) (eval.Outcome, error) {
	v := r.words.Verb(syntax.CallView{Node: c.Node()}.Path().Text())
	if v == nil {
		return eval.Outcome{}, fmt.Errorf("'%s' is no verb of the scope", c.Tor.Name)
	}
	made := call{verb: v, args: c.Args}
	o, refused := r.session.perform(c.Context, &made)
	if refused != nil {
		return o, &innerRefusal{refused}
	}
	if called := r.calls[c.Node()]; called != nil && !accepts(called, o.Branch) {
		return o, &innerRefusal{&RunError{Kind: VerdictDispatch, Message: noBranchMatch, Verb: v.Name}}
	}
	r.last = o
	return o, nil
}

// noBranchMatch is the error of an outcome that no arm of the call accepts
// (bridge.md 3.2).
const noBranchMatch = "NoBranchMatch"

// accepts reports whether a call goes on from an outcome.
func accepts(c *check.Call, branch string) bool {
	o := c.Tor.Outcome(branch)
	if o == nil || o.Optional || o == c.Survivor {
		return true
	}
	for _, a := range c.Arms {
		if a.Outcome == o {
			return true
		}
	}
	return false
}

// sourceRefusal words a refusal as std/runtime does.
func sourceRefusal(refusal *check.Refusal) *RunError {
	e := runError(refusal.Word, refusal)
	switch {
	case refusal.Kind == check.Denied:
	case refusal.Code == "KORU106":
		e.Message = check.Shadowing
	case refusal.Kind == check.Misshapen, refusal.Kind == check.Misread:
		e.Kind = VerdictValidation
	}
	return e
}

// cachedSources bounds what run-cached keeps.
const cachedSources = 256

// sourceCache keeps the flows of sources that came before. A nil cache keeps
// nothing. A parsed flow is the same for every scope and program.
type sourceCache struct {
	mu    sync.Mutex
	flows map[cachedSource]*flowSource
}

type cachedSource struct {
	text     string
	failFast bool
}

func (c *sourceCache) parse(text string, failFast bool) (*flowSource, *misparse) {
	if c == nil {
		return parseSource(text, failFast)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cachedSource{text, failFast}
	if flow := c.flows[key]; flow != nil {
		return flow, nil
	}
	flow, fault := parseSource(text, failFast)
	if fault != nil {
		return nil, fault
	}
	if c.flows == nil || len(c.flows) >= cachedSources {
		c.flows = map[cachedSource]*flowSource{}
	}
	c.flows[key] = flow
	return flow, nil
}
