package promote

import (
	"bytes"
	"context"
	"fmt"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/eval"
)

// Record plays a session for real, without the candidate and with it, and
// returns it with what every verb has answered: all that its replays need. The
// bodies run against the host. A verb that answers the same call differently
// in the two is no verb that a replay can stand for.
func (g *Gate) Record(ctx context.Context, name string, c *Canned, host *eval.Host, serve bridge.Server) (*Canned, error) {
	_, source, s, err := g.candidate(name)
	if err != nil {
		return nil, err
	}
	without, err := s.record(ctx, c, host, serve)
	if err != nil {
		return nil, err
	}
	with, err := s.with(name, string(source)).record(ctx, c, host, serve)
	if err != nil {
		return nil, err
	}
	merged, err := merge(without, with)
	if err != nil {
		return nil, fmt.Errorf("session '%s': %w", c.Name, err)
	}
	return &Canned{c.Name, c.Replies, merged}, nil
}

func (s stage) record(ctx context.Context, c *Canned, host *eval.Host, serve bridge.Server) ([]Recorded, error) {
	r := &recorder{names: names{}}
	b, _, closed, err := s.open(c.Name, bridge.Options{Host: host, Serve: serve, Interpose: func(bodies bridge.Server) bridge.Server {
		r.bodies = bodies
		return r.serve
	}})
	if err != nil {
		return nil, err
	}
	for _, reply := range c.Replies {
		b.Run(ctx, reply)
	}
	_ = closed() // what strands is for the judge to find
	return r.list, nil
}

// merge joins two recordings of one session: for each call the longer list of
// answers, in the order of the first recording.
func merge(a, b []Recorded) ([]Recorded, error) {
	first := map[string][]Recorded{}
	for _, r := range a {
		key := call(r.Verb, r.Args)
		first[key] = append(first[key], r)
	}
	seen := map[string]int{}
	out := append([]Recorded(nil), a...)
	for _, r := range b {
		key := call(r.Verb, r.Args)
		n := seen[key]
		seen[key]++
		if n >= len(first[key]) {
			out = append(out, r)
			continue
		}
		if old := first[key][n]; old.Branch != r.Branch || old.Failed != r.Failed || !bytes.Equal(old.Value, r.Value) {
			return nil, fmt.Errorf("%s does not answer the same twice: it cannot be recorded", key)
		}
	}
	return out, nil
}
