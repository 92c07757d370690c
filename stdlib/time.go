package stdlib

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/koru-go/koru/eval"
)

var timeVerbs = map[string]eval.Func{
	"now":     timeNow,
	"elapsed": timeElapsed,
	"report":  timeReport,
}

var elapsedShape = eval.NewShape("ns", "us", "ms", "s")

// now reads the host's clock. A host without one runs programs that must not
// depend on it, so there is no falling back to the real time.
func now(c *eval.Call) (eval.Value, error) {
	if c.Host.Now == nil {
		return eval.Value{}, errors.New("this host has no clock")
	}
	return eval.IntValue(c.Host.Now().UnixNano()), nil
}

// since returns the nanoseconds since start: its type is i128, so the moment
// may be any that a program computed.
func since(c *eval.Call) (*big.Int, error) {
	end, err := now(c)
	if err != nil {
		return nil, err
	}
	ns := end.Big()
	return ns.Sub(ns, c.Arg("start").Big()), nil
}

func timeNow(c *eval.Call) (eval.Outcome, error) {
	t, err := now(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	return eval.Delivered("", t), nil
}

func timeElapsed(c *eval.Call) (eval.Outcome, error) {
	d, err := since(c)
	if err != nil {
		return eval.Outcome{}, err
	}
	ns := eval.BigValue(d)
	f := ns.Float()
	return eval.Delivered("", eval.RecordValue(elapsedShape, ns,
		eval.FloatValue(f/1e3), eval.FloatValue(f/1e6), eval.FloatValue(f/1e9))), nil
}

func timeReport(c *eval.Call) (eval.Outcome, error) {
	d, err := since(c)
	if err != nil || c.Host.Stderr == nil {
		return eval.Outcome{}, err
	}
	ms := eval.BigValue(d).Float() / 1e6
	return eval.Outcome{}, writeLine(c.Host.Stderr, c.Arg("label").Str(), fmt.Sprintf(": %.2f ms", ms), "\n")
}
