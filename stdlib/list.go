package stdlib

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// MaxElements is the greatest number of elements a list grows to.
const MaxElements = 10_000_000

// list is the object behind the handle *List of std/list.
type list struct {
	elem  *check.Type // nil for a type this host does not judge
	items []eval.Value
}

var listVerbs = map[string]eval.Func{
	"new":  listNew,
	"push": withList(listPush),
	"len":  withList(listLen),
	"get":  withList(listGet),
	"pop":  withList(listPop),
	"free": withList(listFree),
}

func withList(body func(*eval.Call, *list) (eval.Outcome, error)) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		xs, ok := c.Arg("xs").Object().(*list)
		if !ok {
			return eval.Outcome{}, errors.New("'xs' wants a list of std/list")
		}
		return body(c, xs)
	}
}

func listNew(c *eval.Call) (eval.Outcome, error) {
	name := strings.TrimSpace(c.Arg("expr").Str())
	if name == "" {
		return unable("a list needs the type of its elements, as in new(i64)")
	}
	return eval.Delivered("list", eval.HandleValue("", &list{elem: scalarType(name)})), nil
}

// scalarType returns the type that a name of language.md 5 stands for, or nil
// for the name of a host type.
func scalarType(name string) *check.Type {
	switch name {
	case "string":
		return &check.Type{Kind: check.TextType, Name: name}
	case "bool":
		return &check.Type{Kind: check.BoolType, Name: name}
	case "usize", "isize":
		return &check.Type{Kind: check.IntType, Name: name, Bits: 64, Signed: name == "isize"}
	case "f32", "f64":
		bits, _ := strconv.Atoi(name[1:])
		return &check.Type{Kind: check.FloatType, Name: name, Bits: bits}
	}
	if bits, err := strconv.Atoi(name[1:]); err == nil && (name[0] == 'i' || name[0] == 'u') {
		switch bits {
		case 8, 16, 32, 64, 128:
			return &check.Type{Kind: check.IntType, Name: name, Bits: bits, Signed: name[0] == 'i'}
		}
	}
	return nil
}

func listPush(c *eval.Call, xs *list) (eval.Outcome, error) {
	v := c.Arg("v")
	if xs.elem != nil {
		fitted, err := eval.Convert(v, xs.elem)
		if err != nil {
			return eval.Outcome{}, fmt.Errorf("'v' wants %s, got %s", xs.elem.Name, eval.Describe(v))
		}
		v = fitted
	}
	if len(xs.items) == MaxElements {
		return eval.Outcome{}, fmt.Errorf("a list holds at most %d elements", MaxElements)
	}
	xs.items = append(xs.items, v)
	return eval.Outcome{}, nil
}

func listLen(_ *eval.Call, xs *list) (eval.Outcome, error) {
	return eval.Delivered("", eval.IntValue(int64(len(xs.items)))), nil
}

func listGet(c *eval.Call, xs *list) (eval.Outcome, error) {
	i, ok := c.Arg("i").Int()
	if !ok || i < 0 || i >= int64(len(xs.items)) {
		return eval.Fired("out-of-bounds"), nil
	}
	return eval.Delivered("item", xs.items[i]), nil
}

func listPop(_ *eval.Call, xs *list) (eval.Outcome, error) {
	last := len(xs.items) - 1
	if last < 0 {
		return eval.Fired("empty"), nil
	}
	v := xs.items[last]
	xs.items[last] = eval.Value{}
	xs.items = xs.items[:last]
	return eval.Delivered("item", v), nil
}

func listFree(_ *eval.Call, xs *list) (eval.Outcome, error) {
	xs.items = nil
	return eval.Outcome{}, nil
}
