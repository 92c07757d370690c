package check_test

import (
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// TestCorpus checks every program below the folder that KORU_CORPUS names. No
// input may make the checker fail; with KORU_CORPUS_REPORT set it prints what
// was found, for a reader to judge.
func TestCorpus(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		root = "testdata"
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	c := check.NewChecker(opts)
	counts := map[string]int{}
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
		all = append(all, p.Diagnostics...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all = check.SortDiagnostics(all)
	for _, d := range all {
		counts[d.Code]++
	}
	if os.Getenv("KORU_CORPUS_REPORT") == "" {
		return
	}
	for _, d := range all {
		fmt.Println(show(d))
	}
	codes := make([]string, 0, len(counts))
	for code := range counts {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	for _, code := range codes {
		fmt.Println(code, counts[code])
	}
}
