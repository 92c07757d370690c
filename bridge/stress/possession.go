// Package stress tries to talk sessions out of what they hold, and kills them to
// see what they leave.
package stress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
)

// rooms is a scope with something to hold.
const rooms = `
import std/runtime

pub tor open { name: string } -> *Room<open!>
pub tor shut { room: *Room<!open> }

std/runtime:register(scope: "rooms") {
    open(1)
    shut(1)
}
`

// Possession says how hard to try.
type Possession struct {
	Forged   int // closes of what is not held, in each session
	Sessions int // sessions at once, on one program
	Threads  int // that talk to each session
	// Progress, if not nil, is told now and then how many closes were tried.
	Progress func(done, of int)
}

// Result is what came of it.
type Result struct {
	Forged   int64 // closes of what is not held
	Refused  int64 // of them, refused as HandleNotHeld
	Bodies   int64 // bodies of the closing verb that ran before the real closes
	Accepted int64 // closes of what is held
	Real     int64 // handles held
}

// Holds reports whether possession held: every forged close was refused before
// its body, and every real one accepted.
func (r *Result) Holds() bool {
	return r.Refused == r.Forged && r.Bodies == 0 && r.Accepted == r.Real && r.Real > 0
}

// Run holds two handles in every session, tries the forged closes, and then the
// real ones. The error is about a session that could not be set up.
func (p Possession) Run(ctx context.Context) (*Result, error) {
	s := &trial{plan: p}
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	sessions := make([]*bridge.Bridge, p.Sessions)
	for i := range sessions {
		if sessions[i], err = open(ctx, program, fmt.Sprintf("s%d", i)); err != nil {
			return nil, err
		}
		s.Real += 2
	}
	stranger, err := open(ctx, program, "stranger")
	if err != nil {
		return nil, err
	}
	defer stranger.Close()
	s.foreign = stranger.Held()
	var threads sync.WaitGroup
	for _, b := range sessions {
		for t := range p.Threads {
			threads.Go(func() { s.forge(ctx, b, t) })
		}
	}
	threads.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.Result.Refused, s.Result.Bodies = s.refused.Load(), s.shut.Load()
	for _, b := range sessions {
		for _, r := range []string{"r1", "r2"} {
			if t := b.Run(ctx, "shut(room: "+r+")"); t.Tier == bridge.TierResult {
				s.Accepted++
			}
		}
		if err := b.Close(); err != nil {
			return nil, err
		}
	}
	s.Forged = int64(p.Forged) * int64(p.Sessions)
	if ran := s.shut.Load() - s.Bodies; ran != s.Accepted {
		return nil, fmt.Errorf("%d closes were accepted, but %d bodies ran for them", s.Accepted, ran)
	}
	return &s.Result, nil
}

// trial is one run.
type trial struct {
	plan Possession
	Result
	foreign             []bridge.Held // by a session that takes no part
	shut, refused, done atomic.Int64
}

func (s *trial) program() (*eval.Program, error) {
	room := func(*eval.Call) (eval.Outcome, error) { return eval.Delivered("", eval.HandleValue("", new(int))), nil }
	bodies := eval.Bodies{
		"open": room,
		"shut": func(*eval.Call) (eval.Outcome, error) {
			s.shut.Add(1)
			return eval.Outcome{}, nil
		},
	}
	return link("rooms.k", rooms, bodies)
}

// link makes a program of one file.
func link(name, source string, bodies eval.Bodies, targets ...eval.Target) (*eval.Program, error) {
	options := check.Options{
		Std: stdlib.FS(), Runs: true,
		Bodies: func(path string) bool { return bodies[path] != nil },
	}
	for _, t := range targets {
		options.Targets = append(options.Targets, t.Name())
	}
	checked := check.Source(name, source, options)
	for _, d := range checked.Diagnostics {
		if d.Severity == check.Error {
			return nil, errors.New(d.Message)
		}
	}
	return eval.NewProgram(checked, bodies, targets)
}

// open opens a session that holds two rooms, r1 and r2.
func open(ctx context.Context, program *eval.Program, id string) (*bridge.Bridge, error) {
	b, err := bridge.Create(bridge.Options{ID: id, Program: program, Scope: "rooms", Log: io.Discard})
	if err != nil {
		return nil, err
	}
	if t := b.Run(ctx, `open(name: "north")`+"\n"+`open(name: "south")`); t.Tier != bridge.TierResult {
		return nil, errors.New(strings.Join(t.Trace(), "; "))
	}
	return b, nil
}

// forge tries the share of one thread.
func (s *trial) forge(ctx context.Context, b *bridge.Bridge, thread int) {
	held := b.Held()
	of := s.plan.Forged * s.plan.Sessions
	for n := thread; n < s.plan.Forged; n += s.plan.Threads {
		if ctx.Err() != nil {
			return
		}
		t := b.Run(ctx, "shut(room: "+forgery(n, held, s.foreign)+")")
		if t.Err != nil && t.Err.Kind == bridge.VerdictDispatch && t.Err.Cause == "HandleNotHeld" {
			s.refused.Add(1)
		}
		if done := s.done.Add(1); s.plan.Progress != nil && done%4096 == 0 {
			s.plan.Progress(int(done), of)
		}
	}
}

// forgery spells something that is no handle of the session: counted, guessed,
// copied from its own reports or from another session's, never bound, text that
// looks like a binding.
func forgery(n int, held, foreign []bridge.Held) string {
	switch n % 9 {
	case 0:
		return fmt.Sprintf("%q", fmt.Sprintf("h:Room:%d", n))
	case 1:
		return fmt.Sprintf("%q", fmt.Sprintf("h:Room:%06x", n*2654435761&0xffffff))
	case 2:
		return fmt.Sprintf("%q", held[n/9%len(held)].Handle) // the right one, spelled out
	case 3:
		return fmt.Sprintf("r%d", n+3)
	case 4:
		return `"r1"`
	case 5:
		return "room"
	case 6:
		return fmt.Sprint(n)
	case 7:
		return fmt.Sprintf("%q", foreign[n/9%len(foreign)].Handle)
	}
	return `"{{ r1 }}"`
}
