package bridge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// The law: the grammar generates a reply exactly if none of its steps would be
// refused as a parse-error, event-denied, validation-error or shape-error. The
// tests hold both spellings of the grammar to what the session itself says.

// unlawful says why a session would refuse some step of a reply on those
// grounds, or "". Every step is judged, also those on arms that may not be
// taken; nothing runs, so that what a name of the reply is bound to is open.
func (b *Bridge) unlawful(source string) string {
	r := &reply{b: b, ctx: context.Background(), turn: &Turn{}}
	r.file = syntax.ParseReply(source, r.declares)
	if faults := r.file.Faults(); len(faults) > 0 {
		return "parse-error: " + faults[0].Message
	}
	if r.number(); r.stop != nil {
		return r.stop.Refusal.Error()
	}
	for i := range r.file.NumItems() {
		for _, refusal := range r.judged(r.file.Item(i)) {
			if refusal == nil || refusal.Kind == check.Undispatched || refusal.Code == "KORU106" && !strings.Contains(refusal.Message, "of this session") {
				continue // that a name is bound once no grammar of this kind can say
			}
			return runError("", refusal).Error()
		}
	}
	return ""
}

// judged returns what is wrong with each step of an item.
func (r *reply) judged(item syntax.Node) (refusals []*check.Refusal) {
	switch item.Kind() {
	case syntax.SayLine:
		if v, field := voice(&r.b.words); v != nil {
			text, refusal := r.spokenLine(item)
			if refusal == nil {
				refusal = r.voiced(v, field, text, item)
			}
			refusals = append(refusals, refusal)
		}
	case syntax.WireItem:
		r.plan.lay(item, &r.b.words)
		for i := range r.plan.calls {
			r.at = i
			refusals = append(refusals, r.judgedCall(&r.plan.calls[i]))
		}
	}
	return refusals
}

func (r *reply) judgedCall(c *planned) *check.Refusal {
	view := syntax.CallView{Node: c.node}
	switch {
	case c.verb == nil && c.word == noWord:
		_, refusal := r.b.words.JudgeVerb(view.Path())
		return refusal
	case c.word == wordRelease:
		supplied, refusal := check.JudgeStep(releaseVerb, view)
		if refusal != nil {
			return refusal
		}
		held, refusal := r.released(supplied[0].Value)
		if refusal != nil {
			return refusal
		}
		return r.judgeArms(r.b.words.Verb(held.discharge), view)
	}
	v := c.verb
	if v == nil {
		v = c.word.verb()
	}
	supplied, refusal := check.JudgeStep(v, view)
	if refusal == nil {
		refusal = r.literals(v, supplied)
	}
	if refusal == nil {
		refusal = r.judgeArms(v, view)
	}
	if refusal != nil {
		return refusal
	}
	for _, i := range r.later {
		if r.b.isHandle(supplied[i].Field) {
			continue
		}
		s := &supplied[i]
		value, refusal := r.value(s.Value, s.Field.Type)
		if refusal == nil {
			_, refusal = typed(v, s, s.Value, value, s.Field.Type, "")
		}
		if refusal != nil && refusal.Kind != check.Undispatched {
			return refusal
		}
	}
	return nil
}

// readers are the spellings of the grammar and how the tests read them.
var readers = []struct {
	name   string
	render func(*check.Vocabulary, Names) string
	read   func(testing.TB, string) *grammar
}{
	{"gbnf", RenderGBNF, readGBNF},
	{"lark", RenderLark, readLark},
}

// Single tokens of legal lines are deleted, doubled, replaced by others and
// have others put in front of them: the grammar accepts what becomes of the
// line exactly if the session would.
func TestPromptEqualsLaw(t *testing.T) {
	total := 0
	for _, file := range scopeFiles(t) {
		t.Run(scopeName(file), func(t *testing.T) {
			archive, b := scopeOf(t, file)
			lines := linesOf(archive)
			for v := range verbsOf(b.Words()) {
				if !strings.Contains(strings.Join(lines, "\n"), v.Name+"(") {
					t.Errorf("no line calls '%s'", v.Name)
				}
			}
			names := Names{Live: b.Bindings()}
			for _, reader := range readers {
				r := newRecogniser(t, reader.read(t, reader.render(b.Words(), names)))
				pairs, legal, wrong := 0, 0, 0
				judge := func(line string) {
					why := b.unlawful(line)
					pairs++
					if why == "" {
						legal++
					}
					if accepted := r.accepts(line); accepted != (why == "") {
						if wrong++; wrong <= 12 {
							t.Errorf("%s accepts: %v, the session says %q, of\n%s\nunderstood up to %q", reader.name, accepted, why, line, r.reach(line))
						}
					}
				}
				for _, line := range lines {
					if why := b.unlawful(line); why != "" {
						t.Errorf("not a legal line: %s\n%s", why, line)
					}
				}
				mutations(lines, judge)
				total += pairs
				t.Logf("%s: %d lines, %d mutants, %d of them legal, %d judged differently", reader.name, len(lines), pairs, legal, wrong)
				if wrong > 0 || legal == 0 {
					t.Errorf("%s: %d of %d mutants judged differently", reader.name, wrong, pairs)
				}
			}
		})
	}
	if total < 2*50_000 {
		t.Errorf("%d pairs of a mutant and a grammar, for two grammars of at least 50,000", total)
	}
}

// Every scope that an example opens is held to the law.
func TestExamplesAreHeldToTheLaw(t *testing.T) {
	var held strings.Builder
	for _, file := range scopeFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		held.Write(text)
	}
	examples, _ := filepath.Glob("../examples/*.k")
	for _, example := range examples {
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "std/runtime:register(") && !strings.Contains(held.String(), "program: "+filepath.ToSlash(example)+"\n") {
			t.Errorf("%s opens a scope that no archive of testdata/renders is about", example)
		}
	}
}

func scopeName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(file, "testdata/renders/"), ".txtar")
}

// Whatever the grammars generate is lawful, and stays so when it runs: names are
// drawn anew each time, for that a name is bound once no grammar of this kind
// can say.
func TestLegalReplies(t *testing.T) {
	for _, file := range scopeFiles(t) {
		t.Run(scopeName(file), func(t *testing.T) {
			_, b := scopeOf(t, file)
			words, live := b.Words(), b.Bindings()
			open := readGBNF(t, RenderGBNF(words, Names{Live: live}))
			strict := readGBNF(t, RenderGBNF(words, Names{Live: live, Strict: true}))
			all := newRecogniser(t, open)
			for _, g := range []*grammar{open, strict} {
				s := namingAnew(g)
				for range 150 {
					reply := s.sentence(g)
					if why := b.unlawful(reply); why != "" {
						t.Fatalf("%s\n%s", why, reply)
					}
					if !all.accepts(reply) {
						t.Fatalf("the grammar does not accept, from %q on:\n%s", strings.TrimPrefix(reply, all.reach(reply)), reply)
					}
				}
			}
			s := namingAnew(strict)
			for range 100 {
				reply := s.sentence(strict)
				for _, step := range b.Run(context.Background(), reply).Steps {
					if VerdictParse <= step.Verdict && step.Verdict <= VerdictShape {
						t.Fatalf("%s\nin\n%s", step.String(), reply)
					}
				}
			}
		})
	}
}

// namingAnew returns a sampler that draws no name twice.
func namingAnew(g *grammar) *sampler {
	s, names := newSampler(g, 1), 0
	s.fresh = func(r *rule, b *strings.Builder) bool {
		if r.name != "name" {
			return false
		}
		names++
		fmt.Fprintf(b, "n%d", names)
		return true
	}
	return s
}
