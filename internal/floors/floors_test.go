// Package floors pins the architecture: imports point down only.
package floors

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/koru-go/koru/"

// floors lists the rooms from the ground up. A room may import rooms of lower
// floors and nothing else of the project; rooms that share a floor do not know
// each other, unless an entry of allowed says so.
var floors = [][]string{
	{"syntax", "internal"},
	{"check", "fmt"},
	{"eval", "stdlib"},
	{"bridge"},
	{"agent", "repl", "lsp", "editors"},
	{"bench"},
	{"cmd"},
}

// allowed are the arrows within a floor: the standard library is made of bodies
// that the evaluator runs.
var allowed = map[string]string{"stdlib": "eval"}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	rooms := 0
	for {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		rooms++
		from := room(pkg.ImportPath)
		if floorOf(from) < 0 {
			t.Errorf("%s stands on no floor", pkg.ImportPath)
		}
		for _, imp := range pkg.Imports {
			to := room(imp)
			if to == "" || to == from || allowed[from] == to {
				continue
			}
			if floorOf(to) >= floorOf(from) {
				t.Errorf("%s (floor %d) imports %s (floor %d): imports point down only", pkg.ImportPath, floorOf(from), imp, floorOf(to))
			}
		}
	}
	if rooms < 5 {
		t.Fatalf("go list named %d packages: the test sees nothing", rooms)
	}
}

// room returns the top folder of one of the project's packages, or "".
func room(path string) string {
	rest, ok := strings.CutPrefix(path, module)
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func floorOf(room string) int {
	for i, f := range floors {
		for _, r := range f {
			if r == room {
				return i
			}
		}
	}
	return -1
}

// The test can fail: an arrow that points up is found.
func TestFloorOrder(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		down     bool
	}{
		{"check", "syntax", true},
		{"syntax", "check", false},
		{"lsp", "bridge", true},
		{"bridge", "lsp", false},
		{"cmd", "bench", true},
	} {
		if got := floorOf(tt.to) < floorOf(tt.from); got != tt.down {
			t.Errorf("%s importing %s: down = %v, want %v", tt.from, tt.to, got, tt.down)
		}
	}
}
