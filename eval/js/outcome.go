package js

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// snake is the JavaScript spelling of a kebab name.
func snake(name string) string { return strings.ReplaceAll(name, "-", "_") }

// misuse is a result that the contract of the verb does not allow. arm is the
// word it is about, if it got that far.
type misuse struct{ arm, message string }

func (m *misuse) Error() string { return m.message }

// outcome reads what a body returned (R2, R47): the value of a `-> T`, an arm
// of a verb that has arms, nothing for a void verb.
func (c *call) outcome(v goja.Value) (eval.Outcome, error) {
	tor := c.body.tor
	switch {
	case tor.Return != nil:
		value, err := c.out(v, tor.Return)
		if err != nil {
			return eval.Outcome{}, &misuse{message: "the |js body returned a value that does not fit: " + err.Error()}
		}
		return eval.Delivered("", value), nil
	case tor.Branches():
		return c.arm(v, outcomesOf(tor), "the |js body")
	case goja.IsUndefined(v) || goja.IsNull(v):
		return eval.Fired(""), nil
	}
	return eval.Outcome{}, &misuse{message: fmt.Sprintf("the |js body returned %s, but '%s' declares neither a value nor an outcome", c.describe(v), tor.Name)}
}

func outcomesOf(tor *check.Tor) []*check.Outcome {
	var arms []*check.Outcome
	for _, o := range tor.Outcomes {
		if !o.Effect {
			arms = append(arms, o)
		}
	}
	return arms
}

// arm reads { arm: payload }, or the name of an arm without payload.
func (c *call) arm(v goja.Value, arms []*check.Outcome, who string) (eval.Outcome, error) {
	fail := func(arm, format string, args ...any) (eval.Outcome, error) {
		return eval.Outcome{}, &misuse{arm, who + " returned " + fmt.Sprintf(format, args...)}
	}
	if goja.IsString(v) {
		name := v.String()
		arm := findArm(arms, name)
		switch {
		case arm == nil:
			return fail(name, "'%s', which is not an outcome of '%s' — declared: %s", name, c.body.tor.Name, armNames(arms))
		case arm.Payload != nil:
			return fail(name, "the bare name of '%s', which carries %s: return { %s: … }", arm.Name, eval.TypeText(arm.Payload), snake(arm.Name))
		}
		return eval.Fired(branchOf(arm, name)), nil
	}
	object, ok := v.(*goja.Object)
	if !ok || kindOf(object) != "an object" {
		return fail("", "%s, expected { outcome: payload } with one of: %s", c.describe(v), armNames(arms))
	}
	keys := object.Keys()
	if len(keys) != 1 {
		return fail("", "an object of %d fields, expected { outcome: payload } with one of: %s", len(keys), armNames(arms))
	}
	name := keys[0]
	arm := findArm(arms, name)
	if arm == nil {
		return fail(name, "'%s', which is not an outcome of '%s' — declared: %s", name, c.body.tor.Name, armNames(arms))
	}
	payload := object.Get(name)
	if arm.Payload == nil {
		if payload != nil && !goja.IsUndefined(payload) && !goja.IsNull(payload) {
			return fail(name, "a payload for '%s', which carries none: return \"%s\" or { %s: null }", arm.Name, arm.Name, snake(arm.Name))
		}
		return eval.Fired(branchOf(arm, name)), nil
	}
	value, err := c.out(payload, arm.Payload)
	if err != nil {
		return fail(name, "'%s' with a payload that does not fit: %s", arm.Name, err)
	}
	return eval.Delivered(branchOf(arm, name), value), nil
}

// findArm finds an arm by its declared name or its snake form. A raw "*"
// answers for every name that nothing else matches.
func findArm(arms []*check.Outcome, name string) *check.Outcome {
	var wild *check.Outcome
	for _, arm := range arms {
		switch {
		case arm.Name == name, !arm.Raw && snake(arm.Name) == name:
			return arm
		case arm.Raw && arm.Name == "*":
			wild = arm
		}
	}
	return wild
}

// branchOf is the name the outcome fires under.
func branchOf(arm *check.Outcome, name string) string {
	if arm.Raw && arm.Name == "*" {
		return name
	}
	return arm.Name
}

func armNames(arms []*check.Outcome) string {
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = arm.Name
	}
	return strings.Join(names, ", ")
}

// effect makes the function that fires an effect (R85). It takes the payload
// and returns the resume: the value of a `-> T`, { arm: payload } of named
// resume arms, nothing for a void effect.
func (c *call) effect(declared *check.Outcome) goja.Value {
	return c.engine.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		var payload eval.Value
		if declared.Payload != nil {
			var err error
			if payload, err = c.out(f.Argument(0), declared.Payload); err != nil {
				panic(c.engine.vm.NewTypeError("the payload of the effect '%s' does not fit: %s", declared.Name, err))
			}
		} else if len(f.Arguments) > 0 && !goja.IsUndefined(f.Argument(0)) && !goja.IsNull(f.Argument(0)) {
			panic(c.engine.vm.NewTypeError("the effect '%s' carries no payload", declared.Name))
		}
		c.watch.pause()
		resume, err := c.Fire(declared.Name, payload)
		c.watch.resume()
		if err != nil {
			panic(abort{err})
		}
		return c.resume(resume)
	})
}

// abort carries the error of a handler through the engine. Being none of the
// engine's own types it passes catch and finally blocks of the body.
type abort struct{ err error }

func (c *call) resume(r eval.Outcome) goja.Value {
	switch {
	case r.Branch == "" && !r.Has:
		return goja.Undefined()
	case r.Branch == "":
		return c.in(r.Payload)
	}
	object := c.engine.vm.NewObject()
	c.define(object, snake(r.Branch), c.in(r.Payload))
	return object
}
