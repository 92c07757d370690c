package view

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// TestRenameThereAndBack renames everything that has a name in the examples, and
// back. What comes out is, byte for byte, what was; in between the program has
// the findings that it had. What may not be renamed is refused with a reason,
// and which reasons those are is listed.
func TestRenameThereAndBack(t *testing.T) {
	for _, file := range glob(t, "../../examples/*.k") {
		s := workspace(t, file)
		renamed, refused := renameEverything(t, s)
		if renamed < 8 {
			t.Errorf("%s: only %d names were changed; refused: %q", file, renamed, refused)
		}
		for _, reason := range refused {
			if !expected(reason) {
				t.Errorf("%s: refused: %s", file, reason)
			}
		}
	}
}

// expected reports whether a refusal is one that examples have to give.
func expected(reason string) bool {
	for _, part := range []string{
		"belongs to the standard library", "is a word of the language", "is a type of the host",
		" body of '", "is handed to '", "is named '",
	} {
		if strings.Contains(reason, part) {
			return true
		}
	}
	return false
}

// TestRenameCorpus renames everything in the sources below the folder that
// KORU_CORPUS names, each file by itself.
func TestRenameCorpus(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		t.Skip("KORU_CORPUS names no folder")
	}
	renamed := 0
	reasons := map[string]int{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isSource(name) {
			return err
		}
		n, refused := renameEverything(t, workspace(t, name))
		renamed += n
		for _, reason := range refused {
			if !expected(reason) {
				reasons[reason]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d names changed there and back", renamed)
	for reason, n := range reasons {
		t.Logf("%d times refused: %s", n, reason)
	}
}

// workspace returns a workspace that holds one file of the disk.
func workspace(t testing.TB, file string) *Snapshot {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	disk := fstest.MapFS{"w/" + filepath.Base(file): {Data: text}}
	return New(markerOptions(disk, syntax.UTF16)).WithRoots([]uri.URI{uriOf(markerRoot)})
}

// renameEverything renames every entity of the documents of a workspace, there
// and back, and returns how many, and why the others may not be.
func renameEverything(t *testing.T, s *Snapshot) (renamed int, refused []string) {
	t.Helper()
	done := map[check.EntityID]bool{}
	for _, path := range s.Files() {
		d, err := s.Document(uriOf(path))
		if err != nil {
			t.Fatal(err)
		}
		prog, file, err := s.Program(d)
		if err != nil {
			t.Fatal(err)
		}
		for it := range file.Syntax.Items() {
			for _, r := range prog.ReferencesIn(file, it) {
				if id := r.Entity.ID(); done[id] || r.Entity.Kind == check.ModuleEntity {
					continue
				} else {
					done[id] = true
				}
				n, err := s.nameAt(d, r.Span.Start)
				if err != nil || n.entity().ID() != r.Entity.ID() {
					continue // a name that stands for something else first
				}
				why := thereAndBack(t, s, d, r)
				if why == "" {
					renamed++
				} else if !slices.Contains(refused, why) {
					refused = append(refused, why)
				}
			}
		}
	}
	return renamed, refused
}

// thereAndBack renames what a reference names, and back, and returns why it is
// refused.
func thereAndBack(t *testing.T, s *Snapshot, d *Document, r check.Reference) string {
	t.Helper()
	const fresh = "zzq" // no source holds it
	there, err := s.rename(d, r.Span.Start, fresh)
	var why Refusal
	if errors.As(err, &why) {
		return string(why)
	} else if err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return ""
	}
	after := s.edited(there)
	at := there.nameAfter(r)
	back, err := after.rename(after.open[at.path], at.off, r.Entity.Name)
	if err != nil {
		t.Errorf("%s:%d: the way back from '%s' is refused: %v", d.Path, d.Syntax.LineOf(r.Span.Start)+1, r.Entity.Name, err)
		return ""
	}
	end := after.edited(back)
	for _, path := range there.paths() {
		if was, is := there.docs[path].Syntax.Text(), end.open[path].Syntax.Text(); was != is && !redundant(s, path) {
			t.Errorf("%s:%d: the %v '%s' renamed there and back gives another text:\n%s", path, d.Syntax.LineOf(r.Span.Start)+1,
				r.Entity.Kind, r.Entity.Name, firstChange(was, is))
		}
	}
	return ""
}

// redundant reports whether a document has a label that says what its value says
// already. The way back drops it, as the fix of that finding does.
func redundant(s *Snapshot, path string) bool {
	d, err := s.Document(uriOf(path))
	if err != nil {
		return false
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(prog.Diagnostics, func(d check.Diagnostic) bool { return d.Code == "PARSE005" && d.File == file })
}

func firstChange(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return "-" + a[i] + "\n+" + b[min(i, len(b)-1)]
		}
	}
	return ""
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}
