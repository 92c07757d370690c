package bridge

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// The novice is a model of a model: it knows what it wants to do (a right
// reply, [draft]), makes one slip in writing it down ([slips]), and after that
// sees nothing but the report of the turn. It mends its draft by fixed rules
// ([novice.mend]) and sends what has not run yet, once.
//
// What it may use is little. The report: the lines of this turn and of those
// before. Its own draft, in which the slip stands as if it were right: of a
// misspelt word it does not know the right one, and of a value that it wrote
// in a wrong manner it knows the value, but writes it otherwise only if the
// report says how. It knows no scope: a verb, a field, an outcome word, a
// handle or a known value that it takes, it takes from the report. What it
// left out it adds if the report names it, with the value it would have given.
//
// It has recovered if the retry ends in the tier of the right reply and if the
// bodies, over both turns, ran exactly as the right reply has them run: nothing
// missing, nothing twice, no other value.
const (
	noviceSlips = 500
	noviceGoal  = 0.95
)

func TestNoviceRecovers(t *testing.T) {
	stages := noviceStages(t)
	t.Run("slips", func(t *testing.T) { countRecoveries(t, stages, 0) })
	t.Run("slips that no text was written for", func(t *testing.T) { countRecoveries(t, stages, 1<<32) })
}

// countRecoveries makes slips with the seeds that follow one.
func countRecoveries(t *testing.T, stages []*stage, seed uint64) {
	kinds := slipKinds()
	made, recovered := map[string]int{}, map[string]int{}
	good, shown := 0, 0
	for total := range noviceSlips {
		kind := kinds[total%len(kinds)]
		of := slipsOf(kind)
		slip := of[made[kind]%len(of)]
		made[kind]++
		a := refusedTrial(t, stages, slip, &seed)
		if a.recovered() {
			good++
			recovered[kind]++
			continue
		}
		if shown++; shown <= 20 || testing.Verbose() {
			t.Logf("seed %d: not recovered\n%s", seed, a)
		}
	}
	for _, kind := range kinds {
		t.Logf("%-14s %3d of %3d", kind, recovered[kind], made[kind])
	}
	rate := float64(good) / noviceSlips
	t.Logf("%d of %d slips recovered within one retry: %.1f %%", good, noviceSlips, 100*rate)
	if rate < noviceGoal {
		t.Errorf("%.1f %% is below the goal of %.0f %%", 100*rate, 100*noviceGoal)
	}
}

// refusedTrial makes a slip with one seed after the other, until one is refused:
// what the wire takes as it was meant is no slip.
func refusedTrial(t *testing.T, stages []*stage, slip slip, seed *uint64) *trial {
	t.Helper()
	for range 500 {
		*seed++
		if a := attempt(t, stages, slip, rand.New(rand.NewPCG(*seed, 0))); a != nil {
			return a
		}
	}
	t.Fatalf("the slip %q (%s) is never refused", slip.name, slip.kind)
	return nil
}

// slipsOf lists the slips of a kind.
func slipsOf(kind string) (of []slip) {
	for _, s := range slips {
		if s.kind == kind {
			of = append(of, s)
		}
	}
	return of
}

// slipKinds lists the kinds in the order of the table.
func slipKinds() (kinds []string) {
	for _, s := range slips {
		if !slices.Contains(kinds, s.kind) {
			kinds = append(kinds, s.kind)
		}
	}
	return kinds
}

// stage is a scope, what was said in the session before, and right replies.
type stage struct {
	name    string
	program *eval.Program
	scope   string
	before  []string
	replies []string
}

// noviceStages returns the example scopes with the right replies that
// testdata/novice has for them: an archive a scope, whose comment names the
// program and whose files are the replies; those named before set the stage.
func noviceStages(t *testing.T) []*stage {
	t.Helper()
	paths, _ := filepath.Glob("testdata/novice/*.txtar")
	var stages []*stage
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := &stage{name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
		var file string
		for line := range strings.Lines(string(archive.Comment)) {
			if v, ok := strings.CutPrefix(line, "program: "); ok {
				file = strings.TrimSpace(v)
			}
			if v, ok := strings.CutPrefix(line, "scope: "); ok {
				s.scope = strings.TrimSpace(v)
			}
		}
		s.program = stageProgram(t, file)
		for _, f := range archive.Files {
			text := strings.TrimSpace(string(f.Data))
			if f.Name == "before" {
				s.before = append(s.before, text)
			} else {
				s.replies = append(s.replies, text)
			}
		}
		stages = append(stages, s)
	}
	if len(stages) < 5 {
		t.Fatalf("%d scopes", len(stages))
	}
	return stages
}

// stageProgram checks and links a program file, or the program of an archive.
func stageProgram(t *testing.T, file string) *eval.Program {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".txtar") {
		for _, f := range txtar.Parse(text).Files {
			if f.Name == "program.k" {
				text = f.Data
			}
		}
	}
	return programOf(t, file, string(text))
}

// performance is a session on a stage: every body answers with the first
// outcome that its verb declares, and what it was asked is written down.
type performance struct {
	*Bridge
	calls []string
	told  []string // the reports so far, line by line
}

func (s *stage) open(t testing.TB) *performance {
	t.Helper()
	p := &performance{}
	b, err := Create(Options{
		ID: "kopium", Program: s.program, Scope: s.scope, Introspect: true, Log: io.Discard, Serve: serve,
		Interpose: func(Server) Server {
			return func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
				call := v.Name
				for _, a := range args {
					call += " " + eval.Text(a)
				}
				p.calls = append(p.calls, call)
				return serve(ctx, v, args)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Bridge = b
	for _, reply := range s.before {
		if turn := p.send(reply); turn.Tier != TierResult && turn.Tier != TierDefined {
			t.Fatalf("%s: before the slip:\n%s\n%s", s.name, reply, report(turn))
		}
	}
	p.calls = nil
	return p
}

func (p *performance) send(reply string) *Turn {
	turn := p.Run(context.Background(), reply)
	p.told = append(p.told, turn.Trace()...)
	return turn
}

// trial is one slip and what became of it.
type trial struct {
	stage, kind    string
	right          string
	want           []string // what the right reply has the bodies do
	wrong, retry   string
	first, second  *Turn
	calls          []string
	name, rule     string // of the slip; what the novice took from the report
	wantTier, tier Tier
}

func (a *trial) recovered() bool { return a.tier == a.wantTier && slices.Equal(a.calls, a.want) }

func (a *trial) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s (%s), on %s\n%s\n", a.kind, a.name, a.stage, a.wrong)
	for _, line := range a.first.Trace() {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "-- retry (%s)\n%s\n", a.rule, a.retry)
	if a.second != nil {
		for _, line := range a.second.Trace() {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	fmt.Fprintf(&b, "-- bodies %q, not %q", a.calls, a.want)
	return b.String()
}

// attempt makes a slip on some stage, lets the novice read the report, and
// sends what it makes of it. Nil if the slip changes nothing: one that the wire
// takes as it was meant is none.
func attempt(t *testing.T, stages []*stage, slip slip, rng *rand.Rand) *trial {
	t.Helper()
	s := stages[rng.IntN(len(stages))]
	right := s.replies[rng.IntN(len(s.replies))]

	model := s.open(t)
	d := draftOf(t, model.Bridge, right)
	a := &trial{stage: s.name, kind: slip.kind, name: slip.name, right: d.String()}
	turn := model.send(a.right)
	if turn.Tier != TierResult {
		t.Fatalf("%s: this is no right reply:\n%s\n%s", s.name, a.right, report(turn))
	}
	a.want, a.wantTier = model.calls, turn.Tier

	if !slip.make(d, rng) {
		return nil
	}
	a.wrong = d.String()
	if a.wrong == a.right {
		return nil
	}
	p := s.open(t)
	a.first = p.send(a.wrong)
	if a.first.Err == nil && a.first.Unhandled == nil {
		return nil
	}
	n := novice{draft: d, told: p.told, report: a.first.Trace()}
	a.rule = n.mend()
	if a.retry = n.draft.String(); strings.TrimSpace(a.retry) != "" {
		a.second = p.send(a.retry)
		a.tier = a.second.Tier
	} else {
		a.tier = TierResult // nothing was left to do
	}
	a.calls = p.calls
	return a
}
