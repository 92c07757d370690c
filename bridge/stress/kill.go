package stress

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/stdlib"
)

// cabinet is a scope whose sessions write all kinds of lines: mints, pairs of a
// re-issue, discharges, capabilities that lean on other handles.
const cabinet = `
import std/runtime

pub tor open { name: string } -> string<open!>
proc open|js { return "box:" + name; }

pub tor use { box: string<!open>, n: i64 } -> string<open!>
proc use|js { return box; }

pub tor shut { box: string<!open> }
proc shut|js { }

pub tor lift { box: string<open> } -> *Lid<lifted!>
proc lift|js { return { of: box }; }

pub tor drop { lid: *Lid<!lifted> }
proc drop|js { }

std/runtime:register(scope: "cabinet") {
    open
    use
    shut
    lift
    drop
}
`

// killedID is the name of the session that is killed.
const killedID = "a"

// Kill says how often to kill a session and who runs it.
type Kill struct {
	Times   int    // processes to kill, one after the other on one world
	Replies int    // that each of them is sent
	Seed    uint64 // of the replies and of the moments
	// Session returns a process that serves the session id of the program FILE
	// on a world, as koru bridge does: one JSON object a line both ways. One that
	// waits for the disk after every line spends more of its life in between.
	Session func(file, world, id string) *exec.Cmd
	// Progress, if not nil, is told after each kill.
	Progress func(done, of int)
}

// Killed is what came of it.
type Killed struct {
	Kills        int
	Acknowledged int // replies that were answered before the kills
	Unanswered   int // kills that found part of a reply's work on the disk
	Torn         int // lines set aside by the next mount
	Drafts       int // half-written definitions removed by it
	Entries      int // lines of the ledger in the end
	Definitions  int // in the end
	Faults       []string
}

// Holds reports whether every kill left what was acknowledged, and nothing that
// the session would not have written next.
func (k *Killed) Holds() bool { return k.Kills > 0 && len(k.Faults) == 0 }

// maxFaults is where a trial that fails stops.
const maxFaults = 10

// Run kills sessions. What each of them should leave is known from a twin: the
// same session, sent the same replies in this process, on a copy of the world.
// Ledgers have no clock and tokens no chance, so a world must hold, byte for
// byte, what the twin's held after the last answered reply and a beginning of
// what the next one added. The error is about a session that could not be run.
func (k Kill) Run(ctx context.Context) (*Killed, error) {
	dir, err := os.MkdirTemp("", "koru-kill-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := link("cabinet.k", cabinet, stdlib.Bodies(), &js.Target{})
	if err != nil {
		return nil, err
	}
	t := &execution{
		plan: k, program: program, rng: rand.New(rand.NewPCG(k.Seed, 0)),
		file: filepath.Join(dir, "cabinet.k"), world: filepath.Join(dir, "world"), twin: filepath.Join(dir, "twin"),
		pace: time.Millisecond,
	}
	if err := errors.Join(os.WriteFile(t.file, []byte(cabinet), 0o644), os.Mkdir(t.world, 0o755)); err != nil {
		return nil, err
	}
	for t.Kills < k.Times && len(t.Faults) < maxFaults {
		if err := t.round(ctx); err != nil {
			return nil, fmt.Errorf("kill %d: %w", t.Kills+1, err)
		}
		t.Kills++
		if k.Progress != nil {
			k.Progress(t.Kills, k.Times)
		}
	}
	return &t.Killed, nil
}

// execution is one trial.
type execution struct {
	plan Kill
	Killed
	program           *eval.Program
	rng               *rand.Rand
	file, world, twin string
	pace              time.Duration // from one answer of a session to the next
}

// kept is what a world holds: the bytes of its ledger and of its definitions.
type kept struct {
	ledger      string
	definitions map[string]string
}

func keptIn(world string) (kept, error) {
	k := kept{definitions: map[string]string{}}
	names, err := filepath.Glob(filepath.Join(world, "*"))
	if err != nil {
		return k, err
	}
	for _, name := range names {
		base := filepath.Base(name)
		if base != "holds.log" && filepath.Ext(base) != ".k" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return k, err
		}
		if base == "holds.log" {
			k.ledger = string(text)
		} else {
			k.definitions[base] = string(text)
		}
	}
	return k, nil
}

// round sends one process its replies, kills it and looks at what it left.
func (t *execution) round(ctx context.Context) error {
	replies, states, err := t.rehearse(ctx)
	if err != nil {
		return err
	}
	answered, err := t.kill(ctx, replies)
	if err != nil {
		return err
	}
	t.Acknowledged += answered
	return t.survey(states[answered], states[min(answered+1, len(states)-1)], answered)
}

// rehearse has the twin make up the replies and carry them out. It returns what
// the world holds before the first and after each.
func (t *execution) rehearse(ctx context.Context) (replies []string, states []kept, err error) {
	if err := errors.Join(os.RemoveAll(t.twin), os.CopyFS(t.twin, os.DirFS(t.world))); err != nil {
		return nil, nil, err
	}
	b, err := bridge.Create(bridge.Options{ID: killedID, Program: t.program, Scope: "cabinet", World: t.twin, Log: io.Discard})
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	begin, err := bridge.ReadLedger(t.twin)
	if err != nil {
		return nil, nil, err
	}
	for n := 0; ; n++ {
		state, err := keptIn(t.twin)
		if err == nil {
			err = agree(b, t.twin, begin.LastID(killedID))
		}
		if err != nil {
			return nil, nil, err
		}
		states = append(states, state)
		if n == t.plan.Replies {
			return replies, states, nil
		}
		reply := t.reply(n, b)
		replies = append(replies, reply)
		b.Run(ctx, reply)
	}
}

// agree says whether the world of a session holds what the session does: its
// unpaired mints after the number last, and its definitions.
func agree(b *bridge.Bridge, world string, last int) error {
	state, err := bridge.ReadLedger(world)
	if err != nil {
		return err
	}
	var recorded, held []string
	for _, s := range state.Sessions {
		for _, e := range s.Held {
			if s.Session == killedID && e.ID > last {
				recorded = append(recorded, e.Binding+"="+e.Handle)
			}
		}
	}
	for _, h := range b.Held() {
		held = append(held, h.Binding+"="+h.Handle)
	}
	if !slices.Equal(recorded, held) {
		return fmt.Errorf("the session holds %q, its ledger says %q", held, recorded)
	}
	for _, v := range b.Words().Defined {
		text, err := os.ReadFile(filepath.Join(world, v.Name+".k"))
		if err != nil || !strings.HasPrefix(string(text), "tor "+v.Name+" ") {
			return fmt.Errorf("the session has '%s', its file holds %q, %v", v.Name, text, err)
		}
	}
	return nil
}

// reply makes up the nth reply of a session: it teaches, takes, uses and lets
// go of things.
func (t *execution) reply(n int, b *bridge.Bridge) string {
	box, lid := "r999999", "r999999" // refused; the session goes on
	held := b.Held()
	t.rng.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for _, h := range held {
		if h.ResourceType == "Lid" {
			lid = h.Binding
		} else {
			box = h.Binding
		}
	}
	name := fmt.Sprintf("tidy-%d", t.rng.IntN(3))
	switch t.rng.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("tor %s { box: string<!open> } -> string<open!>\n%s -> use(box, n: %d)", name, name, t.rng.IntN(1000))
	case 2:
		return fmt.Sprintf("lift(box: %s)", box)
	case 3:
		return fmt.Sprintf("%s(box: %s)", name, box)
	case 4:
		return fmt.Sprintf("use(box: %s, n: %d)\nrelease(r: %s)", box, n, lid)
	case 5:
		return fmt.Sprintf("shut(box: %s)", box)
	}
	return fmt.Sprintf("open(name: \"%d-%d\"): b |> lift(box: b)\nopen(name: \"%d-%d-more\")", t.Kills, n, t.Kills, n)
}

// kill starts a session, sends it all replies at once and kills it at some
// moment between its start and its last answer. It returns how many replies the
// session has answered.
func (t *execution) kill(ctx context.Context, replies []string) (answered int, err error) {
	cmd := t.plan.Session(t.file, t.world, killedID)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for i, reply := range replies {
		line, _ := json.Marshal(map[string]any{"id": i + 1, "source": reply}) // of a number and a text
		if _, err := in.Write(append(line, '\n')); err != nil {
			break // it has ended, which is found out below
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	answers := bufio.NewReader(out)
	awaited, began := t.rng.IntN(len(replies)+1), time.Now()
	for answered < awaited && err == nil {
		if err = answer(answers, answered+1); err == nil {
			answered++
		}
	}
	if answered > 0 {
		t.pace = time.Since(began) / time.Duration(answered)
	}
	time.Sleep(time.Duration(t.rng.Float64() * float64(t.pace)))
	killed := cmd.Process.Kill()
	for err == nil { // what it had said before it died
		if err = answer(answers, answered+1); err == nil {
			answered++
		}
	}
	cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != io.EOF || answered < awaited || killed != nil:
		return 0, fmt.Errorf("the session ended by itself: %v\n%s", err, complaint.String())
	}
	return answered, nil
}

// answer reads the answer to the request of that id; io.EOF says that none
// comes. A line that is not whole answers nothing.
func answer(lines *bufio.Reader, id int) error {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return io.EOF
	}
	var a struct {
		ID   int    `json:"id"`
		Tier string `json:"tier"`
	}
	if err := json.Unmarshal(line, &a); err != nil || a.ID != id || a.Tier == "" {
		return fmt.Errorf("this is no answer to reply %d: %s", id, line)
	}
	return nil
}

// survey compares what a killed session left with what it had acknowledged and
// what it would have written next, and lets another session look at it.
func (t *execution) survey(before, after kept, answered int) error {
	fault := func(format string, args ...any) {
		t.Faults = append(t.Faults, fmt.Sprintf("seed %d, kill %d, %d replies answered: ", t.plan.Seed, t.Kills+1, answered)+fmt.Sprintf(format, args...))
	}
	left, err := keptIn(t.world)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(left.ledger, before.ledger) {
		fault("the ledger lost lines that were acknowledged: it has %d bytes of %d", len(left.ledger), len(before.ledger))
	} else if !strings.HasPrefix(after.ledger, left.ledger) {
		fault("the ledger holds what the session would not have written: %q", left.ledger[len(before.ledger):])
	}
	if !maps.Equal(left.definitions, before.definitions) && !maps.Equal(left.definitions, after.definitions) {
		fault("the definitions are neither the old ones nor the new ones: %q", left.definitions)
	}
	if left.ledger != before.ledger || !maps.Equal(left.definitions, before.definitions) {
		t.Unanswered++
	}
	whole := left.ledger[:strings.LastIndexByte(left.ledger, '\n')+1]
	torn := left.ledger[len(whole):]

	var said bytes.Buffer
	heir, err := bridge.Create(bridge.Options{ID: "heir", Program: t.program, Scope: "cabinet", World: t.world, Log: &said})
	if err != nil {
		fault("no session can mount the world: %v", err)
		return nil
	}
	defer heir.Close()
	if held := heir.Held(); len(held) > 0 {
		fault("the next session holds %v", held)
	}
	for file := range left.definitions {
		if verb := strings.TrimSuffix(file, ".k"); heir.Words().Verb(verb) == nil {
			fault("the next session does not have '%s': %s", verb, said.String())
		}
	}
	if torn != "" {
		t.Torn++
		aside, err := filepath.Glob(filepath.Join(t.world, "holds.log.torn-*"))
		if err != nil || len(aside) != t.Torn || !strings.Contains(said.String(), "the last line was torn") {
			fault("the torn line %q was not set aside and named: %q, %s", torn, aside, said.String())
		}
	}
	t.Drafts += strings.Count(said.String(), "an interrupted write left this draft")
	state, err := bridge.ReadLedger(t.world)
	if err != nil || state.Torn != nil || state.Damage != nil || state.Stray != nil || state.Entries != strings.Count(whole, "\n") {
		fault("the ledger does not read back: %+v, %v", state, err)
		return nil
	}
	t.Entries, t.Definitions = state.Entries, len(left.definitions)
	return nil
}
