package words

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/syntax"
)

var update = flag.Bool("update", false, "write the words into the grammars")

// folder is where the editors are, seen from this package.
const folder = "../.."

// Every grammar says what syntax says.
func TestGrammarsAgree(t *testing.T) {
	for _, g := range Grammars() {
		t.Run(g.Path, func(t *testing.T) {
			path := filepath.Join(folder, filepath.FromSlash(g.Path))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, names, err := g.Rewrite(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range Lists() {
				if has, lacks := slices.Contains(names, l.Name), slices.Contains(g.Lacks, l.Name); has == lacks {
					t.Errorf("list %s: in the file %v, left out on purpose %v", l.Name, has, lacks)
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, string(text)); diff != "" {
				t.Errorf("the words differ from those of syntax; run with -update (-want +file):\n%s", diff)
			}
		})
	}
}

// No token of the language is without a colour.
func TestEveryTokenHasAGroup(t *testing.T) {
	for kind := syntax.Pipe; kind <= syntax.CloseTag; kind++ {
		if groups[kind] == 0 {
			t.Errorf("token %s is in no group", kind)
		}
	}
	for kind := range groups {
		if kind < syntax.Pipe || kind > syntax.CloseTag {
			t.Errorf("group of %s, which is no punctuation", kind)
		}
	}
}

func TestListsHaveWords(t *testing.T) {
	for _, l := range Lists() {
		if len(l.Words) == 0 {
			t.Errorf("list %s is empty", l.Name)
		}
	}
}

// A pattern of alternatives takes the first that fits.
func TestLongestSpellingFirst(t *testing.T) {
	for _, l := range Lists() {
		if !strings.HasSuffix(l.Name, "operators") {
			continue
		}
		rx := regexp.MustCompile("^" + joined(l.Words, quotePattern))
		for _, w := range l.Words {
			if got := rx.FindString(w); got != w {
				t.Errorf("%s: the pattern reads %q of %q", l.Name, got, w)
			}
		}
	}
}

func TestRewrite(t *testing.T) {
	pattern := Grammar{rewrite: inPatterns}
	vim := Grammar{rewrite: between(`"`, vimLines)}
	for _, tt := range []struct {
		name    string
		grammar Grammar
		in      string
		want    string
		err     string
	}{
		{"a mark in a pattern", pattern,
			`"match": "\\b(?#literals)(?:old|\\))\\b(x)"`,
			`"match": "\\b(?#literals)(?:true|false|null)\\b(x)"`, ""},
		{"escapes for both layers", pattern,
			`"(?#punctuation)(?:)"`,
			`"(?#punctuation)(?::|,|\\.|;)"`, ""},
		{"an unknown list", pattern, `"(?#nouns)(?:a)"`, "", `there is no list "nouns"`},
		{"a mark without a group", pattern, `"(?#literals)(a)"`, "", "1 marks, and 0 with a group"},
		{"lines", vim,
			"a\n  \" words: literals\n  old\n  \" end words\nb",
			"a\n  \" words: literals\n  let s:literals = '%(true|false|null)'\n  \" end words\nb", ""},
		{"lines without an end", vim, "\" words: literals\nold", "", `the words "literals" have no end`},
		{"an end without a start", vim, "\" end words", "", "an end of words without a start"},
		{"a start inside", vim, "\" words: literals\n\" words: types", "", `the words "literals" have no end`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := tt.grammar.Rewrite(tt.in)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if again, _, _ := tt.grammar.Rewrite(got); again != got {
				t.Errorf("a second rewrite changes the text:\n%s", cmp.Diff(got, again))
			}
		})
	}
}

// The grammars for TextMate are JSON after all.
func TestPatternsAreJSON(t *testing.T) {
	for _, g := range Grammars() {
		if filepath.Ext(g.Path) != ".json" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(g.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) {
			t.Errorf("%s is no JSON", g.Path)
		}
	}
}
