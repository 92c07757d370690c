package stdlib

import "github.com/koru-go/koru/eval"

var voidVerbs = map[string]eval.Func{
	"placeholder": func(*eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
}
