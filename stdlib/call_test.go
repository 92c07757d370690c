package stdlib

import (
	"bytes"
	"context"
	"fmt"
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

func (w *world) outcome(verb string, fields ...field) (eval.Outcome, error) {
	w.t.Helper()
	body := Bodies()[verb]
	if body == nil {
		w.t.Fatalf("%s has no body", verb)
	}
	tor := &check.Tor{Name: verb}
	c := &eval.Call{Context: context.Background(), Tor: tor, Host: &w.host}
	for _, f := range fields {
		tor.Fields = append(tor.Fields, &check.Field{Name: f.name})
		c.Args = append(c.Args, value(f.value))
	}
	for i, effect := range []string{"line", "piece"} {
		tor.Outcomes = append(tor.Outcomes, &check.Outcome{Name: effect, Index: i, Effect: true})
	}
	w.fired = nil
	c.OnEffect(func(effect int, payload eval.Value) (eval.Outcome, error) {
		w.fired = append(w.fired, payload.Str())
		return eval.Outcome{}, nil
	})
	return body(c)
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
