package stdlib

import "github.com/koru-go/koru/eval"

var argsVerbs = map[string]eval.Func{
	"all":   argsAll,
	"rest":  argsRest,
	"count": argsCount,
	"get":   argsGet,
}

func argsAll(c *eval.Call) (eval.Outcome, error) {
	return eval.Delivered("", textList(c.Host.Args)), nil
}

func argsRest(c *eval.Call) (eval.Outcome, error) {
	var rest []string
	if len(c.Host.Args) > 1 {
		rest = c.Host.Args[1:]
	}
	return eval.Delivered("", textList(rest)), nil
}

func argsCount(c *eval.Call) (eval.Outcome, error) {
	return eval.Delivered("", eval.IntValue(int64(len(c.Host.Args)))), nil
}

func argsGet(c *eval.Call) (eval.Outcome, error) {
	i, ok := c.Arg("index").Int()
	if !ok || i < 0 || i >= int64(len(c.Host.Args)) {
		return eval.Fired("out-of-bounds"), nil
	}
	return eval.Delivered("arg", eval.StringValue(c.Host.Args[i])), nil
}
