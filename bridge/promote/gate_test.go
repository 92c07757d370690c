package promote

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
)

const notes = `
import std/runtime

pub tor open { path: string } -> *Note<open!>
pub tor append { note: *Note<open>, text: string } | added i64 | failed string
pub tor renew { note: *Note<!open> } -> *Note<open!>
pub tor close { note: *Note<!open> }

std/runtime:register(scope: "notes") {
    open(10)
    append(1)
    renew(1)
    close(1)
}

std/runtime:register(scope: "more") {
    open(10)
    append(2)
    renew(1)
    close(1)
}
`

const jot = "tor jot { note: *Note<open>, text: string } | added i64 | failed string\njot = append(note, text)\n"

// monday uses jot, and says what a note is told where there is none.
const monday = "open(path: \"plan\"): n |> append(note: n, text: \"bread\")\n| added |>\n| failed |>\n---\n" +
	"jot(note: r1, text: \"butter\")\n| added |>\n| failed |>\n---\nclose(note: r1)\n"

func program(t *testing.T) *eval.Program {
	t.Helper()
	type note struct{ path, text string }
	bodies := eval.Bodies{
		"open": func(c *eval.Call) (eval.Outcome, error) {
			return eval.Delivered("", eval.HandleValue("", &note{path: c.Arg("path").Str()})), nil
		},
		"append": func(c *eval.Call) (eval.Outcome, error) {
			n, ok := c.Arg("note").Object().(*note)
			if !ok {
				return eval.Outcome{}, errors.New("the body was given something else than its note")
			}
			n.text += c.Arg("text").Str()
			return eval.Delivered("added", eval.IntValue(int64(len(n.text)))), nil
		},
		"renew": func(c *eval.Call) (eval.Outcome, error) { return eval.Delivered("", c.Arg("note")), nil },
		"close": func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
	}
	for path, body := range stdlib.Bodies() {
		bodies[path] = body
	}
	checked := check.Source("notes.k", notes, check.Options{
		Std:    stdlib.FS(),
		Bodies: func(path string) bool { return bodies[path] != nil },
	})
	for _, d := range checked.Diagnostics {
		if d.Severity == check.Error {
			t.Fatalf("%s: %s", d.Code, d.Message)
		}
	}
	p, err := eval.NewProgram(checked, bodies, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func openGate(t *testing.T, dir, scope string) *Gate {
	t.Helper()
	g, err := Open(dir, program(t), scope)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// recorded records a session against the real bodies.
func recorded(t *testing.T, g *Gate, name, text string) *Canned {
	t.Helper()
	c, err := ParseCanned(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err = g.Record(t.Context(), "jot", c, &eval.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// judged stages jot in a new world and judges it by sessions.
func judged(t *testing.T, source string, sessions map[string]string) (dir string, g *Gate, v *Verdict) {
	t.Helper()
	dir = t.TempDir()
	g = openGate(t, dir, "notes")
	if _, err := g.Stage("jot", []byte(source)); err != nil {
		t.Fatal(err)
	}
	var list []*Canned
	for name, text := range sessions {
		list = append(list, recorded(t, g, name, text))
	}
	if _, err := g.Baseline(t.Context(), "jot", list); err != nil {
		t.Fatal(err)
	}
	v, err := g.Judge(t.Context(), "jot")
	if err != nil {
		t.Fatal(err)
	}
	return dir, g, v
}

// A recording has names in the place of host objects, and replays to the same.
func TestRecording(t *testing.T) {
	g := openGate(t, t.TempDir(), "notes")
	if _, err := g.Stage("jot", []byte(jot)); err != nil {
		t.Fatal(err)
	}
	c := recorded(t, g, "monday", monday)
	want := monday + `===
{"verb":"open","args":{"path":"plan"},"branch":"","value":"open#1"}
{"verb":"append","args":{"note":"open#1","text":"bread"},"branch":"added","value":5}
{"verb":"close","args":{"note":"open#1"},"branch":""}
{"verb":"append","args":{"note":"open#1","text":"butter"},"branch":"added","value":11}
`
	if diff := cmp.Diff(want, string(c.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	again, err := ParseCanned("monday", c.Bytes())
	if diff := cmp.Diff(c, again); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// What a body re-issued for real is re-issued in the replay, where a name stands
// for the object: the older name of the handle stays usable (bridge.md 7.4).
func TestReplayReissues(t *testing.T) {
	_, g, v := judged(t, jot, map[string]string{"s": "open(path: \"plan\"): n |> renew(note: n)\n---\n" +
		"jot(note: r1, text: \"butter\")\n| added |>\n| failed |>\n---\nclose(note: r1)"})
	if v.Verdict != Pass || len(v.Sessions[0].Ledger.Held) > 0 || v.Sessions[0].Ledger.Turns["result"] != 3 {
		t.Errorf("%+v", v)
	}
	if err := g.Promote(t.Context(), "jot"); err != nil {
		t.Error(err)
	}
}

// The arc from the staged candidate to the heir, twice to the same bytes (B27).
func TestArc(t *testing.T) {
	var verdicts [2]string
	for i := range verdicts {
		dir, g, v := judged(t, jot, map[string]string{"monday": monday})
		if v.Verdict != Pass || len(v.Why) > 0 {
			t.Fatalf("%+v", v)
		}
		verdicts[i] = read(t, dir, "staged/jot.verdict.json")
		if err := g.Promote(t.Context(), "jot"); err != nil {
			t.Fatal(err)
		}
		if got := read(t, dir, "jot.k"); got != jot {
			t.Errorf("the world holds %q", got)
		}
		transcript, err := g.Heir(t.Context(), "jot")
		if err != nil || !strings.Contains(transcript, `step 1/1 result: {"branch":"added","value":11}`) {
			t.Errorf("%v\n%s", err, transcript)
		}
		if err := g.Promote(t.Context(), "jot"); err == nil {
			t.Error("it was promoted twice")
		}
	}
	if diff := cmp.Diff(verdicts[0], verdicts[1]); diff != "" {
		t.Errorf("the same things came to another verdict\n%s", diff)
	}
}

// What a candidate does not pass for.
func TestFails(t *testing.T) {
	for _, tt := range []struct {
		name, source, session, why string
	}{
		{"nobody used it", jot, "open(path: \"a\"): n |> close(note: n)", "no session used it"},
		{"something stays held", jot,
			"open(path: \"plan\")\n---\njot(note: r1, text: \"x\") | added |>", "it still holds r1=h:Note:"},
		{"a reply is refused that was not",
			strings.Replace(jot, "append(note, text)", "append(note, text: \"something else\")", 1),
			"open(path: \"plan\"): n |> jot(note: n, text: \"x\") | added k |> close(note: n)\n---\n" +
				"open(path: \"b\"): n |> append(note: n, text: \"a\") | added k |> close(note: n)\n---\nrelease(r: r1)",
			"dispatch-error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, g, v := judged(t, tt.source, map[string]string{"s": tt.session})
			if v.Verdict != Fail || !strings.Contains(strings.Join(v.Why, "\n"), tt.why) {
				t.Errorf("got %s %q, want %q", v.Verdict, v.Why, tt.why)
			}
			if err := g.Promote(t.Context(), "jot"); err == nil || !strings.Contains(err.Error(), "did not pass") {
				t.Errorf("promoting it: %v", err)
			}
		})
	}
}

// Whatever is changed after the verdict voids it (R14).
func TestTampering(t *testing.T) {
	edit := func(name, old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			text := read(t, dir, name)
			if !strings.Contains(text, old) {
				t.Fatalf("%s does not hold %q:\n%s", name, old, text)
			}
			write(t, dir, name, strings.Replace(text, old, new, 1))
		}
	}
	for _, tt := range []struct {
		name   string
		tamper func(*testing.T, string)
		scope  string
	}{
		{"the candidate", edit("staged/jot.k", "(note, text)", `(note, text: "x")`), "notes"},
		{"one blank of the candidate", edit("staged/jot.k", "jot =", "jot  ="), "notes"},
		{"its digest", edit("staged/jot.json", `"candidate_sha256": "`, `"candidate_sha256": "0`), "notes"},
		{"a reply of a session", edit("staged/jot.sessions/monday", "butter", "bitter"), "notes"},
		{"a recorded outcome", edit("staged/jot.sessions/monday", `"value":11`, `"value":12`), "notes"},
		{"a session more", func(t *testing.T, dir string) {
			write(t, dir, "staged/jot.sessions/tuesday", "close(note: r1)\n")
		}, "notes"},
		{"a session less", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "staged/jot.sessions/monday")); err != nil {
				t.Fatal(err)
			}
		}, "notes"},
		{"the baseline", edit("staged/jot.baseline.json", `"event-denied": 1`, `"event-denied": 9`), "notes"},
		{"the verdict", edit("staged/jot.verdict.json", `"uses": 1`, `"uses": 2`), "notes"},
		{"a definition of the world", func(t *testing.T, dir string) {
			write(t, dir, "other.k", "tor other { note: *Note<open> } | added i64 | failed string\nother = append(note, text: \"x\")\n")
		}, "notes"},
		{"the scope", func(*testing.T, string) {}, "more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, g, v := judged(t, jot, map[string]string{"monday": monday})
			if v.Verdict != Pass {
				t.Fatalf("%+v", v)
			}
			g.Close()
			tt.tamper(t, dir)
			err := openGate(t, dir, tt.scope).Promote(t.Context(), "jot")
			if err == nil || !strings.Contains(err.Error(), "void") {
				t.Errorf("promoting it: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "jot.k")); err == nil {
				t.Error("it is in the world")
			}
		})
	}
}

// Every byte of what a promotion goes by is bound: with any one of them changed,
// in any file, nothing is promoted. KORU_EVERY_BYTE tries them all, which takes a
// minute; without it every thirteenth has to do.
func TestEveryByteIsBound(t *testing.T) {
	dir, g, v := judged(t, jot, map[string]string{"monday": monday})
	if v.Verdict != Pass {
		t.Fatalf("%+v", v)
	}
	files, err := filepath.Glob(filepath.Join(dir, "staged", "jot*"))
	sessions, err2 := filepath.Glob(filepath.Join(dir, "staged", "jot.sessions", "*"))
	if err := errors.Join(err, err2); err != nil || len(files) != 5 || len(sessions) != 1 {
		t.Fatalf("%q %q %v", files, sessions, err)
	}
	stride := 13
	if os.Getenv("KORU_EVERY_BYTE") != "" {
		stride = 1
	}
	for _, file := range append(files, sessions...) {
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += stride {
			tampered := bytes.Clone(text)
			tampered[i] ^= 1 // a letter for a letter, a digit for a digit
			if tampered[i] < ' ' || text[i] == '\n' {
				tampered[i] = ' '
			}
			if err := os.WriteFile(file, tampered, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := g.Promote(t.Context(), "jot"); err == nil {
				t.Fatalf("%s: byte %d became %q, and it was promoted", filepath.Base(file), i, tampered[i])
			}
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Promote(t.Context(), "jot"); err != nil {
		t.Errorf("with every byte as it was: %v", err)
	}
	write(t, dir, "staged/jot.sessions/monday", strings.Replace(monday, "plan", "flan", 1))
	if _, err := g.Heir(t.Context(), "jot"); err == nil || !strings.Contains(err.Error(), "void") {
		t.Errorf("an heir with another session: %v", err)
	}
}

// A verdict that was edited to pass does not.
func TestForgedPass(t *testing.T) {
	dir, g, _ := judged(t, jot, map[string]string{"s": "open(path: \"a\"): n |> close(note: n)"})
	forged := strings.Replace(read(t, dir, "staged/jot.verdict.json"), `"fail"`, `"pass"`, 1)
	write(t, dir, "staged/jot.verdict.json", forged)
	if err := g.Promote(t.Context(), "jot"); err == nil || !strings.Contains(err.Error(), "the verdict is not what judging it comes to") {
		t.Errorf("promoting it: %v", err)
	}
}

// Session files that are none say where and why.
func TestParseCannedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "has no reply",
		"---\n---\n===\n":           "has no reply",
		"say: x\n===\nnonsense":     "line 3: a recorded outcome is one JSON object",
		"say: x\n===\n{\"verb\":1}": "line 3: a recorded outcome is one JSON object",
		"say: x\n===\n{\"verb\":\"f\",\"args\":[]}":                     "the args of a recorded outcome are a JSON object",
		"say: x\n===\n{\"verb\":\"f\",\"args\":{},\"colour\":\"blue\"}": "line 3: a recorded outcome is one JSON object",
	} {
		if _, err := ParseCanned("s", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What a session file says survives being written and read again.
func FuzzParseCanned(f *testing.F) {
	f.Add([]byte(monday))
	f.Add([]byte("say: x\n---\n---\nsay: y\r\n===\n{\"verb\":\"f\",\"args\":{\"a\":1.50},\"branch\":\"ok\",\"value\":[1, 2]}\n\n{\"verb\":\"f\",\"failed\":\"why\"}"))
	f.Add([]byte("===\n{}\n---\n"))
	f.Add([]byte(" === \n\t---\n"))
	f.Add([]byte("say: x\n---\r"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCanned("s", data)
		if err != nil {
			if !strings.Contains(err.Error(), "session 's'") {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		again, err := ParseCanned("s", c.Bytes())
		if err != nil || !bytes.Equal(c.Bytes(), again.Bytes()) || !slices.Equal(c.Replies, again.Replies) || len(c.Outcomes) != len(again.Outcomes) {
			t.Errorf("%q\nbecame %q\nthen %+v, %v", data, c.Bytes(), again, err)
		}
	})
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
