package stdlib

import (
	"strings"

	"github.com/koru-go/koru/eval"
)

// AssertError is why a test failed: the error of an assert that did not hold.
type AssertError struct{ Message string }

func (e *AssertError) Error() string { return e.Message }

var testingVerbs = map[string]eval.Func{
	"assert":          testingAssert,
	"assert.ok":       func(*eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
	"assert.fail":     testingFail,
	"assert.eq":       testingEq,
	"assert.contains": testingContains,
}

var comparedShape = eval.NewShape("expected", "actual")

// testingAssert gets the value of its condition from the machine.
func testingAssert(c *eval.Call) (eval.Outcome, error) {
	switch v := c.Arg("expr"); {
	case v.Kind() != eval.Bool:
		return eval.Outcome{}, &AssertError{"assert wants a condition, got " + eval.Describe(v)}
	case !v.Bool():
		return eval.Outcome{}, &AssertError{"the condition does not hold"}
	}
	return eval.Outcome{}, nil
}

func testingFail(c *eval.Call) (eval.Outcome, error) {
	if m := c.Arg("message"); !m.IsNull() {
		return eval.Outcome{}, &AssertError{m.Str()}
	}
	return eval.Outcome{}, &AssertError{"this place must not be reached"}
}

func testingEq(c *eval.Call) (eval.Outcome, error) {
	expected, actual := c.Arg("expected"), c.Arg("actual")
	if expected.Equal(actual) {
		return eval.Fired("ok"), nil
	}
	return differ(expected, actual)
}

func testingContains(c *eval.Call) (eval.Outcome, error) {
	haystack, needle := c.Arg("haystack"), c.Arg("needle")
	if strings.Contains(haystack.Str(), needle.Str()) {
		return eval.Fired("ok"), nil
	}
	return differ(needle, haystack)
}

// differ is the outcome failed. Both values are written as JSON, so that the
// text "1" and the number 1 do not look alike.
func differ(expected, actual eval.Value) (eval.Outcome, error) {
	return eval.Delivered("failed", eval.RecordValue(comparedShape, jsonOf(expected), jsonOf(actual))), nil
}

func jsonOf(v eval.Value) eval.Value {
	if eval.Weight(v, MaxText) > MaxText {
		return eval.StringValue(eval.Describe(v))
	}
	return eval.StringValue(string(eval.AppendJSON(nil, v)))
}
