package bridge

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Bodies returns the bodies of std/bridge, std/runtime and std/interpreter by
// the full path of their verb. The map is the caller's own.
func Bodies() eval.Bodies {
	sources := &sourceCache{}
	return eval.Bodies{
		"std/bridge:create":       bridgeCreate,
		"std/bridge:run":          bridgeRun,
		"std/bridge:define":       bridgeDefine,
		"std/bridge:vocabulary":   bridgeVocabulary,
		"std/bridge:grammar":      bridgeGrammar,
		"std/bridge:get-handles":  bridgeHandles,
		"std/bridge:error-decode": errorDecode,
		"std/bridge:close":        bridgeClose,

		"std/runtime:get-scope":        getScope,
		"std/runtime:scope-vocabulary": scopeRender(RenderVocabulary),
		"std/runtime:scope-grammar":    scopeRender(RenderGrammar),
		"std/runtime:scope-manifest":   scopeRender(RenderManifest),
		"std/runtime:parse.source":     parseSourceBody("parsed"),
		"std/runtime:parse.wire":       parseWireBody,
		"std/runtime:eval":             runtimeEval,
		"std/runtime:run":              runtimeRun(nil),
		"std/runtime:run-cached":       runtimeRun(sources),

		"std/interpreter:value.stringify": stringify,
		"std/interpreter:parse":           parseSourceBody("flow"),
		"std/interpreter:define":          interpreterDefine,
		"std/interpreter:run":             interpreterRun(nil),
		"std/interpreter:run-cached":      interpreterRun(sources),
		"std/interpreter:eval":            interpreterEval,
	}
}

// text returns a string argument, and whether it is there: optional ones may be
// null.
func textArg(c *eval.Call, name string) (string, bool) {
	v := c.Arg(name)
	return v.Str(), v.Kind() == eval.String
}

// amountArg returns an optional budget.
func amountArg(c *eval.Call, name string) *uint64 {
	v := c.Arg(name)
	if v.IsNull() {
		return nil
	}
	n := v.Big().Uint64()
	return &n
}

// stderrOf returns where a body says what is no outcome.
func stderrOf(c *eval.Call) io.Writer {
	if c.Host == nil || c.Host.Stderr == nil {
		return io.Discard
	}
	return c.Host.Stderr
}

// sessionOf returns the session behind a capability.
func sessionOf(c *eval.Call) (*Bridge, error) {
	b, ok := c.Arg("br").Object().(*Bridge)
	if !ok {
		return nil, fmt.Errorf("'br' is no session that std/bridge:create has opened")
	}
	return b, nil
}

// bridgeCreate opens a session whose verbs share the stores of the program that
// opens it.
func bridgeCreate(c *eval.Call) (eval.Outcome, error) {
	world, _ := textArg(c, "world")
	if world != "" && c.Host != nil && c.Host.Dir != "" && !filepath.IsAbs(world) {
		world = filepath.Join(c.Host.Dir, world)
	}
	b, err := Create(Options{
		ID: c.Arg("id").Str(), Program: c.Process.Program(), Scope: c.Arg("scope").Str(), World: world,
		Introspect: c.Arg("introspect").Bool(), Budget: amountArg(c, "budget"),
		Host: c.Host, Process: c.Process, Log: stderrOf(c),
	})
	if err != nil {
		return eval.Outcome{}, err
	}
	return eval.Delivered("", eval.HandleValue("", b)), nil
}

func bridgeClose(c *eval.Call) (eval.Outcome, error) {
	b, err := sessionOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	return eval.Outcome{}, b.CloseContext(c.Context)
}

func bridgeHandles(c *eval.Call) (eval.Outcome, error) {
	b, err := sessionOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	return eval.Delivered("", eval.IntValue(int64(len(b.Held())))), nil
}

func bridgeVocabulary(c *eval.Call) (eval.Outcome, error) { return bridgeText(c, (*Bridge).Vocabulary) }
func bridgeGrammar(c *eval.Call) (eval.Outcome, error)    { return bridgeText(c, (*Bridge).Grammar) }

func bridgeText(c *eval.Call, render func(*Bridge) string) (eval.Outcome, error) {
	b, err := sessionOf(c)
	switch {
	case err != nil:
		return eval.Outcome{}, err
	case b.missing != "":
		return eval.Delivered("not-found", eval.StringValue(b.missing)), nil
	}
	return eval.Delivered("ok", eval.StringValue(render(b))), nil
}

func bridgeDefine(c *eval.Call) (eval.Outcome, error) {
	b, err := sessionOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	name, refused := b.Define(c.Arg("source").Str())
	if refused != nil {
		return misparseOutcome(&misparse{refused.Message, max(refused.Line, 1), max(refused.Column, 1)}), nil
	}
	return eval.Delivered("defined", eval.StringValue(name)), nil
}

// bridgeRun runs a reply. Which arm fires is the tier (bridge.md 6.2).
func bridgeRun(c *eval.Call) (eval.Outcome, error) {
	b, err := sessionOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	return turnOutcome(b.Run(c.Context, c.Arg("source").Str())), nil
}

// errorDecode tells the classes of failure apart (bridge.md 6.4).
func errorDecode(c *eval.Call) (eval.Outcome, error) {
	e := c.Arg("e")
	field := func(name string) eval.Value {
		v, _ := e.Field(name)
		return v
	}
	bare := field("message")
	if cause := causeOf(bare.Str()); cause != "" {
		bare = eval.StringValue(cause)
	}
	switch kind := field("kind").Str(); kind {
	case "parse-error":
		return eval.Delivered(kind, eval.RecordValue(misparseShape, bare, field("line"), field("column"))), nil
	case "validation-error":
		return eval.Delivered(kind, bare), nil
	case "shape-error":
		return eval.Delivered(kind, eval.RecordValue(misshapeShape, field("branch"), field("field"), bare)), nil
	case "event-denied":
		return eval.Delivered(kind, field("verb")), nil
	case "dispatch-error":
		return eval.Delivered(kind, eval.RecordValue(dispatchShape, field("event_name"), bare)), nil
	case "exhausted":
		return eval.Delivered(kind, eval.RecordValue(exhaustedShape, field("used"), field("last_event"), field("handles"))), nil
	case "scope-not-found":
		return eval.Delivered(kind, field("scope")), nil
	default:
		return eval.Outcome{}, fmt.Errorf("'%s' is no kind of failure", clip(kind, 40))
	}
}

// stringify prints any value as JSON (bridge.md 4.2, R26).
func stringify(c *eval.Call) (eval.Outcome, error) {
	return eval.Delivered("", eval.StringValue(string(eval.AppendJSON(nil, c.Arg("value"))))), nil
}

// scopeNamed returns the scope of the running program that an argument names.
func scopeNamed(c *eval.Call, name string) *check.Scope {
	return c.Process.Program().Checked().Scope(c.Arg(name).Str())
}

func getScope(c *eval.Call) (eval.Outcome, error) {
	scope := scopeNamed(c, "name")
	if scope == nil {
		return eval.Fired("not-found"), nil
	}
	return eval.Delivered("scope", eval.OpaqueValue(scope)), nil
}

func scopeRender(render func(*check.Vocabulary) string) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		scope := scopeNamed(c, "name")
		if scope == nil {
			return eval.Fired("not-found"), nil
		}
		return eval.Delivered("ok", eval.StringValue(render(&check.Vocabulary{Scope: scope}))), nil
	}
}

func parseSourceBody(parsed string) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		flow, fault := parseSource(c.Arg("source").Str(), true)
		if fault != nil {
			return misparseOutcome(fault), nil
		}
		return eval.Delivered(parsed, eval.OpaqueValue(flow)), nil
	}
}

func parseWireBody(c *eval.Call) (eval.Outcome, error) {
	text := c.Arg("source").Str()
	if fault := parseWire(text); fault != nil {
		return misparseOutcome(fault), nil
	}
	flow, fault := parseSource(text, true)
	if fault != nil {
		return misparseOutcome(fault), nil
	}
	return eval.Delivered("parsed", eval.OpaqueValue(flow)), nil
}

func interpreterDefine(c *eval.Call) (eval.Outcome, error) {
	name, fault := definitionIn(c.Arg("source").Str())
	if fault != nil {
		return misparseOutcome(fault), nil
	}
	return eval.Delivered("defined", eval.StringValue(name)), nil
}

// flowOf returns the parsed flow behind an argument.
func flowOf(c *eval.Call) (*flowSource, error) {
	flow, ok := c.Arg("flow").Object().(*flowSource)
	if !ok {
		return nil, errors.New("'flow' is no flow that parse.source has parsed")
	}
	return flow, nil
}

func runtimeEval(c *eval.Call) (eval.Outcome, error) {
	flow, err := flowOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	scope := scopeNamed(c, "scope")
	if scope == nil {
		return eval.Delivered("scope-not-found", c.Arg("scope")), nil
	}
	return runFlow(c, scope, flow).outcomeOf(true), nil
}

// runtimeRun parses and runs a source over a scope of the program.
func runtimeRun(cache *sourceCache) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		scope := scopeNamed(c, "scope")
		if scope == nil {
			return eval.Delivered("scope-not-found", c.Arg("scope")), nil
		}
		flow, fault := cache.parse(c.Arg("source").Str(), c.Arg("fail_fast").Bool())
		if fault != nil {
			return misparseOutcome(fault), nil
		}
		end := runFlow(c, scope, flow)
		if shape, ok := textArg(c, "shape"); ok && end.refused == nil {
			end.refused = misshapen(scope, shape, end.outcome)
		}
		return end.outcomeOf(true), nil
	}
}

// interpreterRun is the same over a scope that the caller has looked up. It
// knows no event-denied: a verb that is not granted is a dispatch-error there
// (bridge.md 4.3).
func interpreterRun(cache *sourceCache) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		scope, ok := c.Arg("scope").Object().(*check.Scope)
		if !ok {
			return eval.Outcome{}, errors.New("'scope' is no scope that get-scope has found")
		}
		flow, fault := cache.parse(c.Arg("source").Str(), c.Arg("fail_fast").Bool())
		if fault != nil {
			return misparseOutcome(fault), nil
		}
		return runFlow(c, scope, flow).outcomeOf(false), nil
	}
}

func interpreterEval(c *eval.Call) (eval.Outcome, error) {
	flow, err := flowOf(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	scope, ok := c.Arg("scope").Object().(*check.Scope)
	if !ok {
		return eval.Outcome{}, errors.New("'scope' is no scope that get-scope has found")
	}
	return runFlow(c, scope, flow).outcomeOf(false), nil
}

func runFlow(c *eval.Call, scope *check.Scope, flow *flowSource) sourceEnd {
	keep := !c.Arg("auto_discharge").Bool()
	return runSource(c.Context, c.Process, scope, flow, amountArg(c, "budget"), keep, stderrOf(c))
}
