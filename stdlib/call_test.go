package stdlib

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// world is the host of a test: a folder, streams and a record of what fired.
type world struct {
	t              *testing.T
	host           eval.Host
	stdout, stderr bytes.Buffer
	fired          []string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t}
	w.host = eval.Host{Stdout: &w.stdout, Stderr: &w.stderr, Dir: t.TempDir()}
	return w
}

// field is one argument of a call.
type field struct {
	name  string
	value any
}

// call runs the body of a verb and returns what it ended in, as a transcript
// shows it: the outcome word, then its payload.
func (w *world) call(verb string, fields ...field) string {
	w.t.Helper()
	o, err := w.outcome(verb, fields...)
	if err != nil {
		return "error: " + err.Error()
	}
	return show(o)
}

// outcome calls a body as the machine does: the contract says which fields there
// are, and what the body ends in must be what the contract declares.
func (w *world) outcome(verb string, fields ...field) (eval.Outcome, error) {
	w.t.Helper()
	body := Bodies()[verb]
	if body == nil {
		w.t.Fatalf("%s has no body", verb)
	}
	tor := contract(w.t, verb)
	c := &eval.Call{Context: context.Background(), Tor: tor, Host: &w.host, Args: make([]eval.Value, len(tor.Fields))}
	for _, f := range fields {
		at := slices.IndexFunc(tor.Fields, func(d *check.Field) bool { return d.Name == f.name })
		if at < 0 {
			w.t.Fatalf("%s has no field %s", verb, f.name)
		}
		c.Args[at] = value(f.value)
	}
	w.fired = nil
	c.OnEffect(func(effect int, payload eval.Value) (eval.Outcome, error) {
		w.fits(tor, tor.Outcomes[effect].Name, tor.Outcomes[effect].Payload, payload)
		w.fired = append(w.fired, payload.Str())
		return eval.Outcome{}, nil
	})
	o, err := body(c)
	if err == nil {
		w.declared(tor, o)
	}
	return o, err
}

func (w *world) declared(tor *check.Tor, o eval.Outcome) {
	w.t.Helper()
	payload := tor.Return
	if o.Branch != "" {
		arm := tor.Outcome(o.Branch)
		if arm == nil || arm.Effect {
			w.t.Errorf("%s ends in %s, which it does not declare", tor.Path(), o.Branch)
			return
		}
		payload = arm.Payload
	} else if tor.Branches() {
		w.t.Errorf("%s ends in no outcome", tor.Path())
		return
	}
	if (payload != nil) != o.Has {
		w.t.Errorf("%s ends in %q: payload %v, declared %v", tor.Path(), o.Branch, o.Has, payload != nil)
		return
	}
	w.fits(tor, o.Branch, payload, o.Payload)
}

func (w *world) fits(tor *check.Tor, arm string, t *check.Type, v eval.Value) {
	w.t.Helper()
	if t == nil {
		return
	}
	if _, err := eval.Convert(v, t); err != nil {
		w.t.Errorf("%s ends in %q with a payload it does not declare: %v", tor.Path(), arm, err)
	}
}

func value(v any) eval.Value {
	switch v := v.(type) {
	case nil:
		return eval.Value{}
	case string:
		return eval.StringValue(v)
	case int:
		return eval.IntValue(int64(v))
	case rune:
		return eval.IntValue(int64(v))
	case float64:
		return eval.FloatValue(v)
	case bool:
		return eval.BoolValue(v)
	case eval.Value:
		return v
	}
	return eval.HandleValue("", v)
}

func show(o eval.Outcome) string {
	var b strings.Builder
	b.WriteString(o.Branch)
	if o.Has {
		if o.Branch != "" {
			b.WriteByte(' ')
		}
		b.WriteString(eval.Text(o.Payload))
	}
	return b.String()
}

// expect fails the test if a call did not end as it should.
func (w *world) expect(want, verb string, fields ...field) {
	w.t.Helper()
	if got := w.call(verb, fields...); got != want {
		var args []string
		for _, f := range fields {
			args = append(args, fmt.Sprintf("%s: %.60q", f.name, fmt.Sprint(f.value)))
		}
		w.t.Errorf("%s(%s) ended in %.200q, want %q", verb, strings.Join(args, ", "), got, want)
	}
}

// lineCall is a call whose handler of the effect line is handle.
func lineCall(handle func(line string) error) *eval.Call {
	c := &eval.Call{
		Context: context.Background(),
		Tor:     &check.Tor{Outcomes: []*check.Outcome{{Name: "line", Effect: true}}},
		Host:    &eval.Host{},
	}
	c.OnEffect(func(_ int, payload eval.Value) (eval.Outcome, error) {
		return eval.Outcome{}, handle(payload.Str())
	})
	return c
}
