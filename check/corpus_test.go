package check_test

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// TestCorpus checks every program below the folder that KORU_CORPUS names. No
// input may make the checker fail. With -v it logs how often each code is found,
// in files that are meant to be wrong and in the others; with KORU_CORPUS_REPORT
// set also each finding of the others, for a reader to judge.
func TestCorpus(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		root = "testdata"
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	c := check.NewChecker(opts)
	files, clean := 0, 0
	meant, others := map[string]int{}, map[string]int{}
	var all []check.Diagnostic
	err := fs.WalkDir(opts.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !(strings.HasSuffix(path, ".k") || strings.HasSuffix(path, ".kz") || strings.HasSuffix(path, ".kjs")) {
			return err
		}
		p, err := c.Check(path, nil)
		if err != nil {
			t.Errorf("%v", err)
			return nil
		}
		files++
		if len(p.Diagnostics) == 0 {
			clean++
		}
		all = append(all, p.Diagnostics...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all = check.SortDiagnostics(all)
	for _, d := range all {
		if isNegative(d.File.Path, d.File.Syntax.Text()) {
			meant[d.Code]++
			continue
		}
		others[d.Code]++
		if os.Getenv("KORU_CORPUS_REPORT") != "" {
			t.Log(show(d))
		}
	}
	t.Logf("%d files, %d without a finding", files, clean)
	codes := maps.Clone(meant)
	maps.Copy(codes, others)
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%s: %3d, and %3d where a fault is meant", code, others[code], meant[code])
	}
}

// saysNegative is how the public test programs say that they are wrong on
// purpose: a directive, or the words of their first lines.
var saysNegative = regexp.MustCompile(`(?i)//~ (compile_fail|error)|must[ _]fail|must not compile|negative (test|\()|should fail`)

// isNegative reports whether a public file is marked as wrong on purpose.
func isNegative(path, text string) bool {
	return strings.Contains(path, "negative") || saysNegative.MatchString(text)
}
