package format

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koru-go/koru/internal/source"
	"github.com/koru-go/koru/syntax"
)

// TestCorpus checks the invariants on every Koru file under the folder that
// KORU_CORPUS names, and reports how far its authors lay out as the formatter
// does: how many files are canonical, and what is changed most often in the
// others. The public repositories are for trying the formatter on; they are not
// part of the project, so that the variable is normally unset.
func TestCorpus(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		t.Skip("KORU_CORPUS names no folder with Koru sources")
	}
	var files, canonical, faulty int
	counts := map[string]*tally{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !source.IsKoru(path) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f := parse(path, string(data))
		checkFormat(t, path, f.Text(), Options{})
		edits, err := Edits(f, Options{})
		files++
		switch {
		case len(f.Faults()) > 0:
			faulty++
		case len(edits) == 0:
			canonical++
		}
		for _, e := range edits {
			count(counts, f, e)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d with a syntax fault, %d canonical", files, faulty, canonical)
	kinds := make([]string, 0, len(counts))
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b].sites, counts[a].sites), strings.Compare(a, b))
	})
	for _, kind := range kinds {
		c := counts[kind]
		t.Logf("%4d in %3d files: %s, as in %s", c.sites, len(c.files), kind, c.example)
	}
}

// tally counts the edits of one kind.
type tally struct {
	sites   int
	files   map[string]bool
	example string
}

func count(counts map[string]*tally, f *syntax.File, e syntax.Edit) {
	kind := kindOf(f, e)
	c := counts[kind]
	if c == nil {
		line := f.LineOf(e.Start)
		c = &tally{files: map[string]bool{}, example: strings.TrimSpace(f.Line(line))}
		counts[kind] = c
	}
	c.sites++
	c.files[f.Name] = true
}

// kindOf names the rule that asks for an edit, from what stands around it.
func kindOf(f *syntax.File, e syntax.Edit) string {
	old := f.Text()[e.Start:e.End]
	breaks := strings.Contains(e.Text, "\n")
	next, below := f.TokenAt(e.End), e.End
	for next.IsValid() && next.Kind().IsTrivia() && next.Kind() != syntax.Comment {
		below = next.Span().End
		next = next.Next()
	}
	previous := f.TokenAt(max(e.Start-1, 0))
	for previous.IsValid() && previous.Kind().IsTrivia() {
		previous = previous.Prev()
	}
	switch {
	case strings.Contains(e.Text, ","):
		return "a comma behind the last field of a broken shape"
	case below == f.Len():
		return "one line end at the end of the file"
	case next.Kind() == syntax.Comment:
		return "one blank in front of a comment, none behind it"
	case next.Kind() == syntax.OpenSplice, previous.Kind() == syntax.OpenSplice, next.Kind() == syntax.CloseSplice:
		return "one blank inside the braces of a splice"
	case breaks && next.Kind() == syntax.PipeArrow:
		return "a chain of more than 100 columns is broken"
	case breaks && f.NodeAt(below).Kind() == syntax.FieldDecl:
		return "a shape of more than 100 columns is broken"
	case breaks && strings.TrimLeft(e.Text, "\r\n ") == "":
		return "a blank line between constructs"
	case strings.Contains(old, "\n"):
		return "fewer blank lines"
	case next.Kind() == syntax.PipeArrow && f.Text()[f.LineStart(f.LineOf(below)):below] == strings.Repeat(" ", below-f.LineStart(f.LineOf(below))):
		return "a |> at the column of its chain"
	case (next.Kind() == syntax.Pipe || next.Kind() == syntax.Bang) && strings.TrimSpace(f.Text()[f.LineStart(f.LineOf(below)):below]) == "":
		return "an arm at the column of its flow, or one step right of its arm"
	case previous.Kind() == syntax.RBracket:
		return "an annotation tight to what it annotates"
	case next.Kind() == syntax.RBrace && strings.TrimSpace(f.Line(f.LineOf(e.Start)))[0] == '}', previous.Kind() == syntax.Text, f.TokenAt(e.Start).Kind() == syntax.Text:
		return "the closing brace of a block at the column of its line"
	case len(old) > len(e.Text):
		return "no padding"
	}
	return "a blank where one belongs"
}
