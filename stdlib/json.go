package stdlib

import (
	"errors"
	"fmt"

	"github.com/koru-go/koru/eval"
)

var jsonVerbs = map[string]eval.Func{
	"get.string":    jsonGetString,
	"get.int":       jsonGetInt,
	"object.new":    jsonObjectNew,
	"object.set":    jsonObjectSet,
	"object.finish": jsonObjectFinish,
	"array.new":     jsonArrayNew,
	"array.push":    jsonArrayPush,
	"array.finish":  jsonArrayFinish,
}

// jsonField returns the value under the key that a get asks for.
func jsonField(c *eval.Call) (eval.Value, bool) {
	v, err := eval.DecodeJSON([]byte(c.Arg("json").Str()), eval.Limits{})
	if err != nil {
		return eval.Value{}, false
	}
	return v.Field(c.Arg("key").Str())
}

func jsonGetString(c *eval.Call) (eval.Outcome, error) {
	if v, ok := jsonField(c); ok && v.Kind() == eval.String {
		return eval.Delivered("ok", v), nil
	}
	return eval.Fired("not-found"), nil
}

func jsonGetInt(c *eval.Call) (eval.Outcome, error) {
	if v, ok := jsonField(c); ok {
		if _, fits := v.Int(); fits {
			return eval.Delivered("ok", v), nil
		}
	}
	return eval.Fired("not-found"), nil
}

// jsonObject is an object that is being built: the object behind the handle
// *JsonObject.
type jsonObject struct {
	keys   []string
	values []eval.Value
	place  map[string]int
}

// jsonArray is an array that is being built.
type jsonArray struct {
	values []eval.Value
}

func jsonObjectNew(*eval.Call) (eval.Outcome, error) {
	return eval.Delivered("", eval.HandleValue("", &jsonObject{place: map[string]int{}})), nil
}

func jsonObjectSet(c *eval.Call) (eval.Outcome, error) {
	obj, ok := c.Arg("obj").Object().(*jsonObject)
	if !ok {
		return eval.Outcome{}, errors.New("'obj' wants an object that object.new began")
	}
	key := c.Arg("key").Str()
	if at, set := obj.place[key]; set {
		obj.values[at] = c.Arg("value")
	} else {
		obj.place[key] = len(obj.keys)
		obj.keys = append(obj.keys, key)
		obj.values = append(obj.values, c.Arg("value"))
	}
	return eval.Delivered("", c.Arg("obj")), nil
}

func jsonObjectFinish(c *eval.Call) (eval.Outcome, error) {
	obj, ok := c.Arg("obj").Object().(*jsonObject)
	if !ok {
		return eval.Outcome{}, errors.New("'obj' wants an object that object.new began")
	}
	return jsonText(eval.RecordValue(eval.NewShape(obj.keys...), obj.values...))
}

func jsonArrayNew(*eval.Call) (eval.Outcome, error) {
	return eval.Delivered("", eval.HandleValue("", &jsonArray{})), nil
}

func jsonArrayPush(c *eval.Call) (eval.Outcome, error) {
	arr, ok := c.Arg("arr").Object().(*jsonArray)
	if !ok {
		return eval.Outcome{}, errors.New("'arr' wants an array that array.new began")
	}
	arr.values = append(arr.values, c.Arg("value"))
	return eval.Delivered("", c.Arg("arr")), nil
}

func jsonArrayFinish(c *eval.Call) (eval.Outcome, error) {
	arr, ok := c.Arg("arr").Object().(*jsonArray)
	if !ok {
		return eval.Outcome{}, errors.New("'arr' wants an array that array.new began")
	}
	return jsonText(eval.ListValue(arr.values))
}

// jsonText delivers the text of what was built. A value may hold one part many
// times over, so its text is weighed before it is written.
func jsonText(v eval.Value) (eval.Outcome, error) {
	if eval.Weight(v, MaxText) > MaxText {
		return eval.Outcome{}, fmt.Errorf("the JSON text would be longer than %d bytes", MaxText)
	}
	return eval.Delivered("", eval.StringValue(string(eval.AppendJSON(nil, v)))), nil
}
