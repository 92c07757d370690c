package stdlib

import (
	"fmt"

	"github.com/koru-go/koru/eval"
)

var envVerbs = map[string]eval.Func{
	"get":     envGet,
	"get.or":  envGetOr,
	"is-set":  envIsSet,
	"require": envRequire,
}

// variable returns an environment variable and whether it is set.
func variable(c *eval.Call) (string, bool) {
	if c.Host.Env == nil {
		return "", false
	}
	return c.Host.Env(c.Arg("name").Str())
}

func envGet(c *eval.Call) (eval.Outcome, error) {
	if v, ok := variable(c); ok {
		return eval.Delivered("ok", eval.StringValue(v)), nil
	}
	return eval.Fired("not-set"), nil
}

func envGetOr(c *eval.Call) (eval.Outcome, error) {
	if v, ok := variable(c); ok {
		return eval.Delivered("", eval.StringValue(v)), nil
	}
	return eval.Delivered("", c.Arg("default")), nil
}

func envIsSet(c *eval.Call) (eval.Outcome, error) {
	if _, ok := variable(c); ok {
		return eval.Fired("yes"), nil
	}
	return eval.Fired("no"), nil
}

func envRequire(c *eval.Call) (eval.Outcome, error) {
	if v, ok := variable(c); ok {
		return eval.Delivered("ok", eval.StringValue(v)), nil
	}
	why := fmt.Sprintf("the environment variable %s is not set", clipped(c.Arg("name").Str()))
	return eval.Delivered("missing", eval.StringValue(why)), nil
}
