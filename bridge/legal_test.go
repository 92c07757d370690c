package bridge

import (
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// declaring tells the parser of replies what a vocabulary declares.
func declaring(words *check.Vocabulary) syntax.Declares {
	return func(verb, word string) bool {
		v := words.Verb(verb)
		for _, w := range wireVerbs(words) {
			if v == nil && w.Name == verb {
				v = w
			}
		}
		if v == nil {
			return true
		}
		o := v.Tor.Outcome(word)
		return o != nil && !o.Effect
	}
}

// Whatever the grammar generates, the parser of replies reads.
func TestLegalRepliesParse(t *testing.T) {
	for _, file := range scopeFiles(t) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/renders/"), ".txtar"), func(t *testing.T) {
			_, words := scopeOf(t, file)
			for _, names := range []Names{{}, {Strict: true}} {
				g := readGBNF(t, RenderGBNF(words, names))
				r, s := newRecogniser(t, g), newSampler(g, 1)
				for range 600 {
					reply := s.sentence(g)
					if !r.accepts(reply) {
						t.Fatalf("the grammar generates what it does not accept:\n%s\nthe end: %q", reply, strings.TrimPrefix(reply, r.reach(reply)))
					}
					f := syntax.ParseReply(reply, declaring(words))
					if faults := f.Faults(); len(faults) > 0 {
						t.Fatalf("%s %s\nin %q\n%s", faults[0].Code, faults[0].Message, reply[faults[0].Start:], reply)
					}
				}
			}
		})
	}
}
