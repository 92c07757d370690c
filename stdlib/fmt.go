package stdlib

import "github.com/koru-go/koru/eval"

var fmtVerbs = map[string]eval.Func{
	"ln":  filled("expr"),
	"blk": filled("source"),
}

var textShape = eval.NewShape("text")

// filled returns the body of a verb that hands back the text which the
// compiler filled.
func filled(name string) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		return eval.Delivered("", eval.RecordValue(textShape, eval.StringValue(eval.Text(c.Arg(name))))), nil
	}
}
