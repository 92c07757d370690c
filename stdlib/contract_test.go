package stdlib

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/koru-go/koru/syntax"
)

// contractFiles returns the contracts by module path.
func contractFiles(t *testing.T) (paths []string, texts map[string]string) {
	t.Helper()
	names, err := fs.Glob(FS(), "*.k")
	if err != nil || len(names) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	texts = make(map[string]string)
	for _, name := range names {
		text, err := fs.ReadFile(FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		path := "std/" + strings.TrimSuffix(name, ".k")
		paths = append(paths, path)
		texts[path] = string(text)
	}
	return paths, texts
}

func TestContractsParse(t *testing.T) {
	paths, texts := contractFiles(t)
	for _, path := range paths {
		file := syntax.Parse(path+".k", syntax.KindOf("x.k"), texts[path])
		for _, fault := range file.Faults() {
			t.Errorf("%s: %s %s at %d: %.40q", path, fault.Code, fault.Message, fault.Start, texts[path][fault.Start:])
		}
	}
}
