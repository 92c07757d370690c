package promote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// Ledger is what a replay of a session came to.
type Ledger struct {
	Turns    map[string]int `json:"turns"`    // replies by the tier they ended in
	Refusals map[string]int `json:"refusals"` // refused steps by class
	Ran      int            `json:"ran"`      // verdicts reached
	Uses     int            `json:"uses"`     // calls of the candidate that succeeded
	Tier     string         `json:"tier"`     // of the last reply
	Outcome  string         `json:"outcome"`  // of its last step that has one, as JSON
	Held     []string       `json:"held"`     // when the session was closed
	Stranded string         `json:"stranded"` // why the close could not let go of it
	Used     uint64         `json:"used"`     // what it spent
}

// performance is one replay, and the transcript it left.
type performance struct {
	Ledger
	transcript string
	missing    []string
}

// stage is where sessions are played: a world of its own for each of them, made
// of the definitions that are given to it.
type stage struct {
	program *eval.Program
	scope   string
	files   []bridge.WorldFile
}

// with returns the stage with one more definition, in the place of an older
// one of its name.
func (s stage) with(name, text string) stage {
	file := bridge.WorldFile{Name: name + ".k", Text: text}
	files := []bridge.WorldFile{file}
	for _, f := range s.files {
		if f.Name != file.Name {
			files = append(files, f)
		}
	}
	s.files = files
	return s
}

// open opens a session on a scratch world. What the mount says comes back with
// it; the folder is gone once the session is closed.
func (s stage) open(id string, o bridge.Options) (b *bridge.Bridge, notes string, closed func() error, err error) {
	dir, err := os.MkdirTemp("", "koru-replay-")
	if err != nil {
		return nil, "", nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	for _, f := range s.files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, "", nil, err
		}
		if err := os.WriteFile(name, []byte(f.Text), 0o644); err != nil {
			return nil, "", nil, err
		}
	}
	var log bytes.Buffer
	o.ID, o.Program, o.Scope, o.World, o.Log = id, s.program, s.scope, dir, &log
	if b, err = bridge.Create(o); err != nil {
		return nil, "", nil, err
	}
	notes = log.String()
	return b, notes, func() error {
		defer os.RemoveAll(dir)
		return b.Close()
	}, nil
}

// answered are the options of a session whose bodies are a recording.
func answered(p *player) bridge.Options {
	return bridge.Options{
		Serve:     p.serve,
		Interpose: func(bridge.Server) bridge.Server { return p.serve },
		Host:      &eval.Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard},
	}
}

// replay plays a session from its recording and counts how often it used verb.
func (s stage) replay(ctx context.Context, c *Canned, verb string) (*performance, error) {
	p := newPlayer(c)
	b, _, closed, err := s.open(c.Name, answered(p))
	if err != nil {
		return nil, err
	}
	out := perform(ctx, b, c, verb, closed)
	out.missing = p.missing
	return out, nil
}

// perform sends the replies and closes the session.
func perform(ctx context.Context, b *bridge.Bridge, c *Canned, verb string, closed func() error) *performance {
	out := &performance{Ledger: Ledger{Turns: map[string]int{}, Refusals: map[string]int{}, Held: []string{}}}
	var text strings.Builder
	for _, reply := range c.Replies {
		t := b.Run(ctx, reply)
		out.note(t, verb)
		writeTurn(&text, reply, t)
	}
	for _, h := range b.Held() {
		out.Held = append(out.Held, h.Binding+"="+h.Handle)
	}
	out.Used = b.Used()
	if err := closed(); err != nil {
		out.Stranded = err.Error()
	}
	fmt.Fprintf(&text, "held at the close: [%s]\n", strings.Join(out.Held, ", "))
	out.transcript = text.String()
	return out
}

// note counts what a reply came to.
func (l *Ledger) note(t *bridge.Turn, verb string) {
	l.Turns[t.Tier.String()]++
	l.Ran += t.Ran
	l.Tier, l.Outcome = t.Tier.String(), ""
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case s.Verdict.Refusal():
			l.Refusals[s.Verdict.String()]++
		case s.Verdict == bridge.VerdictResult || s.Verdict == bridge.VerdictUnhandled:
			l.Outcome = string(eval.AppendOutcomeJSON(nil, s.Outcome))
			if s.Verb == verb {
				l.Uses++
			}
		}
	}
}

func writeTurn(w *strings.Builder, reply string, t *bridge.Turn) {
	fmt.Fprintf(w, "> %s\n", strings.ReplaceAll(reply, "\n", "\n. "))
	for _, line := range t.Trace() {
		fmt.Fprintf(w, "  %s\n", line)
	}
	for _, said := range t.Said {
		fmt.Fprintf(w, "  said %q\n", said)
	}
}

// grants returns what a session on the stage may call, and what the mount said
// of the definitions that it could not install.
func (s stage) grants() (words *check.Vocabulary, notes string, err error) {
	b, notes, closed, err := s.open("stage", answered(newPlayer(&Canned{})))
	if err != nil {
		return nil, "", err
	}
	words = b.Words()
	return words, notes, closed()
}
