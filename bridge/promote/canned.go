package promote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Canned is a session that can be replayed: its replies, and what the verbs
// that they call have answered.
//
// As a file it is the replies, without blank lines around them, parted by lines
// of three hyphens, and below a line of three equals signs one JSON object for each recorded outcome:
//
//	open(path: "plan"): n |> append(note: n, text: "bread")
//	---
//	close(note: r1)
//	===
//	{"verb":"open","args":{"path":"plan"},"branch":"","value":"note:plan"}
type Canned struct {
	Name     string
	Replies  []string
	Outcomes []Recorded
}

// Recorded is what one call of a verb has answered.
type Recorded struct {
	Verb   string          `json:"verb"`
	Args   json.RawMessage `json:"args"`
	Branch string          `json:"branch"`
	Value  json.RawMessage `json:"value,omitempty"`
	Failed string          `json:"failed,omitempty"`
}

const (
	replyEnd   = "---"
	repliesEnd = "==="
)

// ParseCanned reads the file of a canned session.
func ParseCanned(name string, data []byte) (*Canned, error) {
	c := &Canned{Name: name}
	var reply []string
	flush := func() {
		blank := func(line string) bool { return strings.TrimSpace(line) == "" }
		for len(reply) > 0 && blank(reply[0]) {
			reply = reply[1:]
		}
		for len(reply) > 0 && blank(reply[len(reply)-1]) {
			reply = reply[:len(reply)-1]
		}
		if len(reply) > 0 {
			c.Replies = append(c.Replies, strings.Join(reply, "\n"))
		}
		reply = nil
	}
	inReplies := true
	for i, line := range strings.Split(lineEnds.Replace(string(data)), "\n") {
		switch {
		case inReplies && strings.TrimRight(line, " \t") == replyEnd:
			flush()
		case inReplies && strings.TrimRight(line, " \t") == repliesEnd:
			inReplies = false
		case inReplies:
			reply = append(reply, line)
		case strings.TrimSpace(line) != "":
			r, err := parseRecorded(line)
			if err != nil {
				return nil, fmt.Errorf("session '%s', line %d: %w", name, i+1, err)
			}
			c.Outcomes = append(c.Outcomes, r)
		}
	}
	flush()
	if len(c.Replies) == 0 {
		return nil, fmt.Errorf("session '%s' has no reply", name)
	}
	return c, nil
}

// lineEnds makes line feeds of all ends of lines that replies know (R92).
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func parseRecorded(line string) (Recorded, error) {
	var r Recorded
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil || dec.More() || r.Verb == "" {
		return r, errors.New(`a recorded outcome is one JSON object: {"verb":"find","args":{"code":"P1"},"branch":"ok","value":"shelf 4"}`)
	}
	args, err := eval.DecodeJSON(orEmpty(r.Args), eval.Limits{})
	if err != nil || args.Kind() != eval.Record {
		return r, errors.New("the args of a recorded outcome are a JSON object")
	}
	r.Args = eval.AppendJSON(nil, args)
	if len(r.Value) > 0 {
		if _, err := eval.DecodeJSON(r.Value, eval.Limits{}); err != nil {
			return r, fmt.Errorf("the value of a recorded outcome: %w", err)
		}
	}
	return r, nil
}

func orEmpty(object json.RawMessage) []byte {
	if len(object) == 0 {
		return []byte("{}")
	}
	return object
}

// Bytes returns the session as a file.
func (c *Canned) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(c.Replies, "\n"+replyEnd+"\n") + "\n")
	if len(c.Outcomes) > 0 {
		b.WriteString(repliesEnd + "\n")
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range c.Outcomes {
		_ = enc.Encode(r) // of strings and of JSON that has been read
	}
	return b.Bytes()
}

// call names a call in all that a recording knows of it.
func call(verb string, args []byte) string { return verb + string(args) }

// player answers calls from a recording: the nth call of a verb with the same
// arguments gets the nth answer to it.
type player struct {
	answers map[string][]Recorded
	names   names
	missing []string // calls that nothing is recorded for
}

func newPlayer(c *Canned) *player {
	p := &player{answers: map[string][]Recorded{}, names: names{}}
	for _, r := range c.Outcomes {
		key := call(r.Verb, r.Args)
		p.answers[key] = append(p.answers[key], r)
	}
	return p
}

func (p *player) serve(_ context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	key := call(v.Name, p.names.args(v, args))
	left := p.answers[key]
	if len(left) == 0 {
		p.missing = append(p.missing, key)
		return eval.Outcome{}, fmt.Errorf("no outcome is recorded for %s", key)
	}
	p.answers[key] = left[1:]
	return left[0].outcome()
}

func (r *Recorded) outcome() (eval.Outcome, error) {
	switch {
	case r.Failed != "":
		return eval.Outcome{}, errors.New(r.Failed)
	case len(r.Value) == 0:
		return eval.Fired(r.Branch), nil
	}
	v, err := eval.DecodeJSON(r.Value, eval.Limits{})
	return eval.Delivered(r.Branch, v), err
}

// recorder has calls carried out and notes what they answer.
type recorder struct {
	bodies bridge.Server
	names  names
	list   []Recorded
}

func (r *recorder) serve(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	entry := Recorded{Verb: v.Name, Args: r.names.args(v, args)}
	o, err := r.bodies(ctx, v, args)
	if err != nil {
		entry.Failed = eval.Reason(err)
	} else {
		entry.Branch = o.Branch
		if o.Has {
			entry.Value = eval.AppendJSON(nil, r.names.value(v.Name, o.Payload, 0))
		}
	}
	r.list = append(r.list, entry)
	return o, err
}

// names are what recordings call host objects: open#1, open#2.
type names map[any]string

// of returns the name of an object, after the verb that delivered it.
func (n names) of(verb string, object any) string {
	if name, ok := object.(string); ok {
		return name // it comes from a recording
	}
	if n[object] == "" {
		n[object] = fmt.Sprintf("%s#%d", verb, len(n)+1)
	}
	return n[object]
}

// value returns v with names in the place of objects.
func (n names) value(verb string, v eval.Value, depth int) eval.Value {
	const deepest = 64
	switch {
	case v.Kind() == eval.Handle:
		return eval.StringValue(n.of(verb, v.Object()))
	case depth == deepest || len(v.Elems()) == 0:
		return v
	}
	parts := make([]eval.Value, len(v.Elems()))
	for i, e := range v.Elems() {
		parts[i] = n.value(verb, e, depth+1)
	}
	if v.Kind() == eval.Record {
		return eval.RecordValue(v.Shape(), parts...)
	}
	return eval.ListValue(parts)
}

// args spells the arguments of a call as a recording does: those that are
// given, by name, in declared order.
func (n names) args(v *check.Verb, args []eval.Value) []byte {
	var fields []string
	var values []eval.Value
	for i, f := range v.Tor.Fields {
		if !args[i].IsNull() {
			fields = append(fields, f.Name)
			values = append(values, n.value(v.Name, args[i], 0))
		}
	}
	return eval.AppendJSON(nil, eval.RecordValue(eval.NewShape(fields...), values...))
}
