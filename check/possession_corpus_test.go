package check_test

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// pinForm is a directive of the public test programs: the code of a finding
// that the program must have and a fragment of its message.
var pinForm = regexp.MustCompile(`^//~ error\[(KORU\d+)\](?:: (.*))?$`)

// possession holds the codes that the public programs are held to here.
var possession = map[string]bool{"KORU030": true, "KORU032": true}

// TestPublicPins judges the programs under the folder that KORU_CORPUS names:
// every possession fault that a program is pinned to must be found, and a
// program that is to run must have none.
func TestPublicPins(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		t.Skip("KORU_CORPUS names no folder with Koru sources")
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	checker := check.NewChecker(opts)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".k" && ext != ".kz" {
			return err
		}
		runs, pins := directives(t, path)
		if !runs && len(pins) == 0 {
			return nil
		}
		name, _ := filepath.Rel(root, path)
		p, err := checker.Check(filepath.ToSlash(name), nil)
		if err != nil {
			return err
		}
		comparePins(t, p, runs, pins)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type pin struct{ code, fragment string }

// directives reads what a program says about itself.
func directives(t *testing.T, path string) (runs bool, pins []pin) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "//~ run" {
			runs = true
		}
		if m := pinForm.FindStringSubmatch(line); m != nil {
			pins = append(pins, pin{m[1], m[2]})
		}
	}
	return runs, pins
}

func comparePins(t *testing.T, p *check.Program, runs bool, pins []pin) {
	t.Helper()
	var found []string
	for _, d := range p.Diagnostics {
		if runs && possession[d.Code] {
			t.Errorf("a program that runs: %s", show(d))
		}
		found = append(found, d.Code+" "+d.Message)
	}
	for _, pin := range pins {
		if !possession[pin.code] {
			continue
		}
		met := false
		for _, text := range found {
			met = met || strings.HasPrefix(text, pin.code) && strings.Contains(text, pin.fragment)
		}
		if !met {
			t.Errorf("%s: no %s %q among\n\t%s", p.Entry.Files[0].Path, pin.code, pin.fragment, strings.Join(found, "\n\t"))
		}
	}
}
