package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// sourceFiles returns the Koru files under the folder that KORU_CORPUS names.
// The public repositories are for trying the parser on; they are not part of
// the project, so that the variable is normally unset.
func sourceFiles(t testing.TB) map[string]string {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		t.Skip("KORU_CORPUS names no folder with Koru sources")
	}
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".k", ".kz", ".kjs":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[path] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func print(f *File) string {
	var b strings.Builder
	for n := range f.Items() {
		for t := range n.AllTokens() {
			b.WriteString(t.Text())
		}
	}
	return b.String()
}

func TestCorpusParses(t *testing.T) {
	files := sourceFiles(t)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	clean := 0
	for _, name := range names {
		f := Parse(name, KindOf(name), files[name])
		if got := print(f); got != files[name] {
			t.Errorf("%s: the tree does not give the file back", name)
		}
		faults := f.Faults()
		if len(faults) == 0 {
			clean++
		}
		for _, ft := range faults {
			p := f.Position(ft.Start, UTF8)
			t.Logf("%s:%d:%d: %s %s", name, p.Line+1, p.Column+1, ft.Code, ft.Message)
		}
	}
	t.Logf("%d files, %d without a syntax fault", len(names), clean)
}
