package check_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// depot writes a program of about the given number of lines: verbs with and
// without outcomes, subflows, guards, splices and handles, as people write them.
func depot(lines int) string {
	var b strings.Builder
	b.WriteString("// depot: parcels in and out.\nimport std/io\nimport std/runtime\n\n")
	for i := 0; i*27 < lines; i++ {
		fmt.Fprintf(&b, `[
- doc
Find a parcel by its code.
]
pub tor find-%[1]d { code: string, limit: i64 = 3 }
| found { code: string, shelf: i64 }
| none
proc find-%[1]d|js { return "none"; }

tor lease-%[1]d { id: i64 } -> string<held-%[1]d!>
proc lease-%[1]d|js { return "h"; }
tor give-%[1]d { ticket: string<!held-%[1]d> }
proc give-%[1]d|js {}

tor visit-%[1]d { code: string }
| done string
| gone
visit-%[1]d = find-%[1]d(code)
| found p when p.shelf > 3 |> std/io:print.ln("{{ p.code:s }} lies on {{ p.shelf:d }}") => done p.code
| found p => done p.code
| none => gone

lease-%[1]d(id: %[1]d): t
|> visit-%[1]d(code: t)
| done d |> std/io:print.ln("done {{ d:s }}")
| gone |> _

`, i)
	}
	return b.String()
}

func options5k(b *testing.B) check.Options {
	opts := options("")
	opts.Files = fstest.MapFS{}
	return opts
}

func BenchmarkCheck(b *testing.B) {
	for _, lines := range []int{500, 5000, 50000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			text := depot(lines)
			f := syntax.Parse("depot.k", syntax.Pure, text)
			opts := options("")
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				p, err := check.NewChecker(opts).Check("depot.k", map[string]*syntax.File{"depot.k": f})
				if err != nil {
					b.Fatal(err)
				}
				if len(p.Diagnostics) > 0 {
					b.Fatal(show(p.Diagnostics[0]))
				}
			}
		})
	}
}

// BenchmarkCheckCorpus checks every program below the folder that KORU_CORPUS
// names, in one process that knows nothing yet.
func BenchmarkCheckCorpus(b *testing.B) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		b.Skip("KORU_CORPUS names no folder")
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	var names []string
	err := fs.WalkDir(opts.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".k", ".kz", ".kjs"}, filepath.Ext(path)) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c := check.NewChecker(opts)
		programs := make([]*check.Program, len(names))
		for i, name := range names {
			if programs[i], err = c.Check(name, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heapSize())/1e6, "MB-held")
		runtime.KeepAlive(programs)
	}
	b.ReportMetric(float64(len(names)), "files")
}

// BenchmarkKeystroke types a letter into a long file and takes it back, each a
// whole keystroke: the text, the tree and the findings. One is typed in the last
// flow, one in a declaration in the middle, which its callers depend on, and one
// in an import.
func BenchmarkKeystroke(b *testing.B) {
	for _, lines := range []int{5000, 10000, 50000} {
		text := depot(lines)
		b.Run(fmt.Sprint(lines), func(b *testing.B) { keystrokes(b, text, strings.LastIndex(text, "done {{")) })
	}
}

func BenchmarkKeystrokeInDeclaration(b *testing.B) {
	for _, lines := range []int{5000, 10000, 50000} {
		text := depot(lines)
		middle := strings.Index(text[len(text)/2:], "code: string, shelf") + len(text)/2
		b.Run(fmt.Sprint(lines), func(b *testing.B) { keystrokes(b, text, middle) })
	}
}

func BenchmarkKeystrokeInImport(b *testing.B) {
	for _, lines := range []int{5000, 10000, 50000} {
		text := depot(lines)
		b.Run(fmt.Sprint(lines), func(b *testing.B) { keystrokes(b, text, strings.Index(text, "runtime\n")) })
	}
}

// BenchmarkKeystrokeAmongFindings types in a file that has something wrong in
// every other flow: an import is missing.
func BenchmarkKeystrokeAmongFindings(b *testing.B) {
	for _, lines := range []int{5000, 10000, 50000} {
		text := strings.Replace(depot(lines), "import std/io\n", "", 1)
		b.Run(fmt.Sprint(lines), func(b *testing.B) { keystrokes(b, text, strings.LastIndex(text, "done {{")) })
	}
}

func keystrokes(b *testing.B, text string, at int) {
	opts := options("")
	opts.Editing = true
	c := check.NewChecker(opts)
	f := syntax.Parse("depot.k", syntax.Pure, text)
	if _, err := c.Check("depot.k", map[string]*syntax.File{"depot.k": f}); err != nil {
		b.Fatal(err)
	}
	typed := syntax.Edit{Start: at, End: at, Text: "x"}
	taken := syntax.Edit{Start: at, End: at + 1}
	b.ReportAllocs()
	for b.Loop() {
		f = f.Edit(typed)
		typed, taken = taken, typed
		if _, err := c.Check("depot.k", map[string]*syntax.File{"depot.k": f}); err != nil {
			b.Fatal(err)
		}
	}
}
