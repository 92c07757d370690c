package bridge

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
)

// marketBodies are the bodies of testdata/market.k.
func marketBodies(calls *[]string) eval.Bodies {
	str, fired, delivered := eval.StringValue, eval.Fired, eval.Delivered
	record := func(names string, vals ...eval.Value) eval.Value {
		return eval.RecordValue(eval.NewShape(strings.Fields(names)...), vals...)
	}
	handle := func() eval.Value { return eval.HandleValue("", new(int)) }
	all := eval.Bodies{
		"find": func(c *eval.Call) (eval.Outcome, error) {
			switch code := c.Arg("code").Str(); code {
			case "P1":
				return delivered("ok", str("shelf 4")), nil
			case "J":
				return delivered("ok", str(`{"name":"Ada","tags":["x","y"],"n":3,"box":{"a":[]}}`)), nil
			case "L":
				return delivered("ok", str(`[]`)), nil
			default:
				return delivered("error", str("Error: parcel "+code+" not found")), nil
			}
		},
		"weigh": func(c *eval.Call) (eval.Outcome, error) { return delivered("", c.Arg("grams")), nil },
		"say":   func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"book": func(c *eval.Call) (eval.Outcome, error) {
			return delivered("booked", str(string(eval.AppendJSON(nil, eval.ListValue(append([]eval.Value(nil), c.Args...)))))), nil
		},
		"user": func(c *eval.Call) (eval.Outcome, error) {
			if c.Arg("id").Str() != "ada" {
				return delivered("error", str("no such user")), nil
			}
			methods := eval.ListValue([]eval.Value{record("id source", str("card_1"), str("visa")), record("id source", str("gift_2"), str("gift"))})
			return delivered("ok", record("user_id methods", str("ada"), methods)), nil
		},
		"pay": func(c *eval.Call) (eval.Outcome, error) { return fired("paid"), nil },
		"split": func(c *eval.Call) (eval.Outcome, error) {
			return delivered("", eval.IntValue(int64(c.Arg("parts").Len()))), nil
		},
		"open": func(c *eval.Call) (eval.Outcome, error) {
			return delivered("opened", str("note-"+c.Arg("path").Str())), nil
		},
		"append": func(c *eval.Call) (eval.Outcome, error) { return delivered("", c.Arg("handle")), nil },
		"shut":   func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"lease": func(c *eval.Call) (eval.Outcome, error) {
			return delivered("", record("ticket seat", handle(), eval.IntValue(7))), nil
		},
		"stamp":     func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"give-back": func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"copy":      func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"borrow": func(c *eval.Call) (eval.Outcome, error) {
			if c.Arg("title").Str() == "" {
				return fired("out"), nil
			}
			return delivered("lent", handle()), nil
		},
		"page":  func(c *eval.Call) (eval.Outcome, error) { return delivered("", handle()), nil },
		"glue":  func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"bring": func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"probe": func(c *eval.Call) (eval.Outcome, error) {
			switch how := c.Arg("how").Str(); how {
			case "late", "broken":
				return delivered(how, str("why "+how)), nil
			case "undeclared":
				return fired("nowhere"), nil
			case "misfit":
				return delivered("late", eval.IntValue(1)), nil
			case "error":
				return eval.Outcome{}, fmt.Errorf("the probe\nis lost")
			case "panic":
				panic("boom")
			}
			return fired("done"), nil
		},
		"ping": func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
		"swap": func(c *eval.Call) (eval.Outcome, error) {
			return delivered("", record("left right", c.Arg("x"), eval.Value{})), nil
		},
		"noisy": func(c *eval.Call) (eval.Outcome, error) { return delivered("", str("a\nb\x1b[31m\u2028c")), nil },
	}
	for name, body := range all {
		all[name] = func(c *eval.Call) (eval.Outcome, error) {
			*calls = append(*calls, name)
			return body(c)
		}
	}
	for path, body := range stdlib.Bodies() {
		all[path] = body
	}
	return all
}

// script is one file of testdata/wire. A line `== title` opens a new session,
// with options behind a tab; `> ` begins a reply and `. ` goes on with it, and
// what follows up to the next reply is its report: the tier, the trace, what was
// said and noted, and what bodies ran.
type script struct {
	path  string
	lines []string
}

func readScript(t *testing.T, path string) *script {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &script{path: path}
	for in := bufio.NewScanner(f); in.Scan(); {
		s.lines = append(s.lines, in.Text())
	}
	return s
}

// play runs the script and returns it with what was reported.
func (s *script) play(t *testing.T, program *eval.Program, calls *[]string) []string {
	t.Helper()
	var out, reply []string
	var b *Bridge
	flush := func() {
		if len(reply) == 0 {
			return
		}
		*calls = nil
		turn := b.Run(t.Context(), strings.Join(reply, "\n"))
		out = append(out, s.reported(turn, *calls)...)
		reply = nil
	}
	for _, line := range s.lines {
		switch {
		case strings.HasPrefix(line, "== "):
			flush()
			if b != nil {
				b.Close()
				out = append(out, "")
			}
			b = s.open(t, program, line)
			out = append(out, line)
		case strings.HasPrefix(line, "# "):
			flush()
			out = append(out, line)
		case strings.HasPrefix(line, ">"), strings.HasPrefix(line, "."):
			if line[0] == '>' {
				flush()
			}
			text := strings.TrimPrefix(line[1:], " ")
			reply = append(reply, strings.NewReplacer("␍", "\r", "␉", "\t").Replace(text))
			out = append(out, line)
		}
	}
	flush()
	return out
}

func (s *script) reported(turn *Turn, calls []string) []string {
	head := "  " + turn.Tier.String()
	if turn.Tier == TierPartial {
		head += " (" + turn.Kind.String() + ")"
	}
	head += fmt.Sprintf(", ran %d of %d, used %d", turn.Ran, turn.Of, turn.Used)
	out := []string{head}
	for _, line := range turn.Trace() {
		out = append(out, "  "+line)
	}
	if turn.Err != nil && turn.Err.Code != "" {
		out = append(out, "  code "+turn.Err.Code)
	}
	if turn.Err != nil && turn.Err.Line > 0 {
		out = append(out, fmt.Sprintf("  at %d:%d", turn.Err.Line, turn.Err.Column))
	}
	for _, said := range turn.Said {
		out = append(out, "  said "+strconv.Quote(said))
	}
	for _, note := range turn.Notes {
		out = append(out, "  noted "+strconv.Quote(note))
	}
	if len(calls) > 0 {
		out = append(out, "  bodies: "+strings.Join(calls, " "))
	}
	return out
}

func (s *script) open(t *testing.T, program *eval.Program, line string) *Bridge {
	t.Helper()
	o := Options{ID: "a", Program: program, Scope: "market", Log: t.Output()}
	_, options, _ := strings.Cut(line, "\t")
	for _, option := range strings.Fields(options) {
		key, value, _ := strings.Cut(option, "=")
		n, _ := strconv.ParseUint(value, 10, 64)
		switch key {
		case "introspect":
			o.Introspect = true
		case "budget":
			o.Budget = &n
		case "reply-budget":
			o.ReplyBudget = &n
		case "scope":
			o.Scope = value
		default:
			t.Fatalf("%s: unknown option %q", s.path, key)
		}
	}
	b, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The rules of the wire, one script a subject.
func TestWire(t *testing.T) {
	source, err := os.ReadFile("testdata/market.k")
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	program := compile(t, string(source), marketBodies(&calls))
	paths, _ := filepath.Glob("testdata/wire/*.wire")
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".wire"), func(t *testing.T) {
			s := readScript(t, path)
			got := s.play(t, program, &calls)
			if *update {
				if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(s.lines, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
