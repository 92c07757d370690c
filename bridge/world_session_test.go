package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const packSource = "tor pack { room: string, crate: string } | stowed | full string\npack = stow(room, crate)"

func inWorld(dir, id string) func(*Options) {
	return func(o *Options) { o.World, o.ID, o.Introspect = dir, id, true }
}

// A world hands on vocabulary and not possession (B04, B05).
func TestWorldIsInherited(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "w")
	a := openPantry(t, inWorld(dir, "a"))
	if got := a.send(packSource + "\nunlock(door: \"north\") | opened r |>"); got.Tier != TierResult {
		t.Fatal(report(got))
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b := openPantry(t, inWorld(dir, "b"))
	if got := report(b.send(`pack(room: r1, crate: "x") | stowed |>`)); !strings.Contains(got, "dispatch-error pack: HandleNotHeld") {
		t.Error(got)
	}
	if v := b.Vocabulary(); !strings.Contains(v, "pack(room: string, crate: string) | stowed | full string") {
		t.Error(v)
	}
	if got := b.log.String(); got != "" {
		t.Errorf("the mount said %q", got)
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "holds.log"))
	want := `{"op":"mint","session_id":"a","id":1,"handle_id":"h:Room:` + tokenOf(t, "a") + `","binding":"r1","resource_type":"Room","obligation_module":"main","obligation_name":"unlocked","scope_name":"pantry","created_by_event":"unlock","discharge_event":"seal"}
{"op":"discharge","session_id":"a","id":1,"handle_id":"h:Room:` + tokenOf(t, "a") + `","binding":"r1","obligation_module":"main","obligation_name":"unlocked","scope_name":"pantry","discharge_event":"seal"}
`
	if diff := cmp.Diff(want, string(ledger)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func tokenOf(t *testing.T, session string) string {
	token, err := newTokens(session).mint("Room")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(token, "h:Room:")
}

// Ids of a session go on where its ledger ended (R56).
func TestIDsGoOn(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		r := openPantry(t, inWorld(dir, "a"))
		r.send(`unlock(door: "north") | opened r |>`)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ledger, _ := os.ReadFile(filepath.Join(dir, "holds.log"))
	if !bytes.Contains(ledger, []byte(`"op":"mint","session_id":"a","id":2,`)) {
		t.Errorf("%s", ledger)
	}
}

// What a mount does with the files it finds (bridge.md 8.7, R12, R100).
func TestMount(t *testing.T) {
	honest := func(name, verb string) string {
		return "tor " + name + " { code: string } | ok string | error string\n" + name + " = " + verb + "(code)\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a-first.k":   honest("a-first", "z-last"), // needs one that comes later
		"z-last.k":    honest("z-last", "find"),
		"cycle-a.k":   honest("cycle-a", "cycle-b"),
		"cycle-b.k":   honest("cycle-b", "cycle-a"),
		"gone.k":      honest("gone", "rm"),
		"half.k":      "tor half { code: string }\n",
		"other.k":     honest("named", "find"),
		"prose.k":     "just a note\n",
		"twice.k":     honest("z-last", "a-first"),
		"two.k":       honest("one", "find") + "\n" + honest("two", "find"),
		"human.k":     "// Kept by hand.\n[\n- doc\nFind it, whatever it is.\n- doc(code)\nThe label.\n]\n" + honest("human", "find"),
		"dishonest.k": "tor dishonest { code: string } | ok string | no\ndishonest = find(code)\n",
		"lib/text.k":  honest("trim", "find") + "\n" + honest("pad", "trim"),
		"lib/bad.k":   honest("bad", "nothing"),
		"notes.txt":   "not Koru",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := openPantry(t, inWorld(dir, "a"))
	want := `[BRIDGE] world: 'half.k' not installed: A definition must be a tor declaration followed by its flow: ` + "`tor name { args }` then `name = ...`" + `
[BRIDGE] world: other.k defines 'named'; the verb counts, not the file
[BRIDGE] world: 'prose.k' not installed: it holds more than definitions: 'just a note'
[BRIDGE] world: twice.k defines 'z-last'; the verb counts, not the file
[BRIDGE] world: two.k holds 2 definitions; a world keeps one a file
[BRIDGE] world: 'cycle-a.k' not installed: 'cycle-a' calls 'cycle-b', which scope 'pantry' does not grant
[BRIDGE] world: 'cycle-b.k' not installed: 'cycle-b' calls 'cycle-a', which scope 'pantry' does not grant
[BRIDGE] world: 'dishonest.k' not installed: 'dishonest' can end in 'error' but does not declare it
[BRIDGE] world: 'gone.k' not installed: 'gone' calls 'rm', which scope 'pantry' does not grant
[BRIDGE] world: 'twice.k' not installed: 'z-last' is defined by a file before it
[BRIDGE] world: 'lib/bad.k' not installed: 'bad:bad' calls 'nothing', which scope 'pantry' does not grant
`
	if diff := cmp.Diff(want, r.log.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var names []string
	for _, v := range r.words.Defined {
		names = append(names, v.Name)
	}
	if diff := cmp.Diff([]string{"human", "named", "one", "two", "z-last", "text:trim", "text:pad", "a-first"}, names); diff != "" {
		t.Errorf("installed (-want +got)\n%s", diff)
	}
	for _, reply := range []string{`a-first(code: "P1") | ok p |>`, `text:pad(code: "P1") | ok p |>`, `human(code: "P1") | ok p |>`} {
		if got := r.send(reply); got.Tier != TierResult {
			t.Errorf("%s\n%s", reply, report(got))
		}
	}
	if v := r.Vocabulary(); !strings.Contains(v, "human(code: string) | ok string | error string [cost 2]\n    Find it, whatever it is.\n    code: The label.") {
		t.Error(v)
	}
}

// Without a world no file is touched (B07); a world that is no folder, or whose
// ledger is damaged, refuses the session.
func TestCreateWithoutWorld(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	r := openPantry(t)
	r.send(packSource + "\nunlock(door: \"north\") | opened r |>")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("found %v", entries)
	}
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	o := Options{ID: "a", Program: r.program, Scope: "pantry", World: file}
	if _, err := Create(o); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("got %v", err)
	}
}

// Two sessions of one name on one world, at the same time, are told apart in
// its ledger: every number is given once, so what each of them held can be said
// when both are dead (R13, R56, U39).
func TestSessionsOfOneName(t *testing.T) {
	dir := t.TempDir()
	a, b := openPantry(t, inWorld(dir, "a")), openPantry(t, inWorld(dir, "a"))
	for _, r := range []*room{a, b, b, a} {
		if turn := r.send(`unlock(door: "north") | opened r |>`); turn.Tier != TierResult {
			t.Fatal(report(turn))
		}
	}
	b.send(`seal(room: r1)`)
	a.send(`seal(room: r2)`)
	state, err := ReadLedger(dir)
	if err != nil || state.Stray != nil || state.Damage != nil || len(state.Sessions) != 1 {
		t.Fatalf("%+v, %v", state, err)
	}
	var held []string
	for _, e := range state.Sessions[0].Held {
		held = append(held, fmt.Sprint(e.ID, " ", e.Binding))
	}
	if diff := cmp.Diff([]string{"1 r1", "3 r2"}, held); diff != "" { // a's first and b's second
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, r := range []*room{a, b} {
		if err := errors.Join(r.pool.check(), r.Close()); err != nil || len(r.Held()) > 0 {
			t.Errorf("%v, holds %v", err, r.Held())
		}
	}
	if state, err = ReadLedger(dir); err != nil || state.Stray != nil || len(state.Sessions[0].Held) > 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// A session that dies over a line leaves a stump. Another that lives on the same
// world sets it aside before it writes, and says so.
func TestStumpOfAnotherSession(t *testing.T) {
	dir := t.TempDir()
	r := openPantry(t, inWorld(dir, "a"))
	r.send(`unlock(door: "north") | opened r |>`)
	whole := readFile(t, dir, ledgerName)
	file, err := os.OpenFile(filepath.Join(dir, ledgerName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(file, mintLine, `{"op":"discharge","ses`)
	file.Close()
	r.send(`seal(room: r1)`)
	want := fmt.Sprintf("[BRIDGE] world: holds.log: the last line was torn (line 3, byte %d, 22 bytes); it is kept in holds.log.torn-1\n", len(whole)+len(mintLine))
	if diff := cmp.Diff(want, r.log.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := readFile(t, dir, "holds.log.torn-1"); got != `{"op":"discharge","ses` {
		t.Errorf("it kept %q", got)
	}
	if got := readFile(t, dir, ledgerName); !strings.HasPrefix(got, whole+mintLine+`{"op":"discharge","session_id":"a","id":1,`) || strings.Count(got, "\n") != 3 {
		t.Errorf("the ledger holds\n%s", got)
	}
}
