package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/stdlib"
)

// The tests of this package are programs with their findings written in them:
//
//	find(sku: "A")  //! KORU022 'unknown' must be handled
//
// A marker is a comment at the end of the line that the finding is reported on:
// the code, then optionally the exact source text of its range in backquotes,
// then a regular expression that its message matches. A line may carry several.
// Where no comment can stand (in the middle of a flow, in a vertical
// annotation), a marker elsewhere counts lines: @-2 is two lines above.
//
//	//! @-2 KORU010 `// a comment` stray continuation
//	//! KORU026 warning empty
//
// Every finding needs a marker and every marker a finding.
//
// testdata/rules holds sources of many small programs, cut at lines "// ---".
// testdata/modules holds archives: each file at the root is an entry program,
// those in folders are what it imports; markers count in all of them.
// A first line "//: key" sets an option: runs, debug, no-auto-discharge, no-std.

func TestRules(t *testing.T) {
	for _, file := range glob(t, "testdata/rules/*.k*") {
		t.Run(stem(file), func(t *testing.T) {
			for _, chunk := range chunks(read(t, file)) {
				name := filepath.Base(file)
				run(t, file, fstest.MapFS{name: {Data: []byte(chunk)}}, name)
			}
		})
	}
}

func TestModules(t *testing.T) {
	for _, file := range glob(t, "testdata/modules/*.txtar") {
		t.Run(stem(file), func(t *testing.T) {
			archive := txtar.Parse([]byte(read(t, file)))
			files := fstest.MapFS{}
			for _, f := range archive.Files {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			for _, f := range archive.Files {
				if !strings.Contains(f.Name, "/") && strings.Contains(filepath.Ext(f.Name), ".k") {
					run(t, file, files, f.Name)
				}
			}
		})
	}
}

// run checks one program and compares its findings with its markers.
func run(t *testing.T, origin string, files fstest.MapFS, entry string) {
	t.Helper()
	opts := options(string(files[entry].Data))
	opts.Files = files
	p, err := check.Load(entry, opts)
	if err != nil {
		t.Fatalf("%s: %v", origin, err)
	}
	var want []marker
	for _, m := range p.Modules {
		for _, f := range m.Files {
			if !m.Std {
				want = append(want, markers(t, f)...)
			}
		}
	}
	if name := "koru.json"; files[name] != nil {
		want = append(want, jsonMarkers(t, files)...)
	}
	for _, d := range p.Diagnostics {
		if !claim(want, d) {
			t.Errorf("%s: unexpected finding\n%s", origin, show(d))
		}
	}
	for _, w := range want {
		if !w.met {
			t.Errorf("%s: %s:%d: no finding like %s", origin, w.file, w.line+1, w.text)
		}
	}
}

func options(text string) check.Options {
	opts := check.Options{Std: stdlib.FS(), Targets: []string{"js", "zig"}}
	bodies := stdlib.Bodies()
	opts.Bodies = func(path string) bool {
		module, _, _ := strings.Cut(path, ":")
		return bodies[path] != nil || slices.Contains(bridged, module)
	}
	for line := range strings.Lines(text) {
		key, ok := strings.CutPrefix(strings.TrimSpace(line), "//: ")
		if !ok {
			continue
		}
		switch key {
		case "runs":
			opts.Runs = true
		case "debug":
			opts.Debug = true
		case "no-auto-discharge":
			opts.NoAutoDischarge = true
		case "no-std":
			opts.Std = nil
		}
	}
	return opts
}

// bridged are the modules whose bodies live one floor up, in the bridge.
var bridged = []string{"std/bridge", "std/runtime", "std/interpreter"}

// marker is one expected finding.
type marker struct {
	file     string
	line     int // counted from 0
	code     string
	severity check.Severity
	span     string // source text of the range, or ""
	message  *regexp.Regexp
	text     string
	met      bool
}

var markerForm = regexp.MustCompile("^(?:@([+-]\\d+) )?([A-Z]+\\d+)(?: (warning))?(?: `([^`]*)`)?(?: (.*))?$")

func markers(t *testing.T, f *check.File) []marker {
	t.Helper()
	return markersIn(t, f.Path, f.Syntax.Text())
}

func markersIn(t *testing.T, file, text string) []marker {
	t.Helper()
	var out []marker
	for i, line := range strings.Split(text, "\n") {
		parts := strings.Split(line, "//! ")
		for _, text := range parts[1:] {
			text = strings.TrimSpace(text)
			m := markerForm.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("%s:%d: no marker: %s", file, i+1, text)
			}
			offset, _ := strconv.Atoi(m[1])
			w := marker{file: file, line: i + offset, code: m[2], span: m[4], message: regexp.MustCompile(m[5]), text: text}
			if m[3] != "" {
				w.severity = check.Warning
			}
			out = append(out, w)
		}
	}
	return out
}

// jsonMarkers reads the markers of a koru.json, which has no comments of its
// own, from the file koru.json.want: one line of markers a line.
func jsonMarkers(t *testing.T, files fstest.MapFS) []marker {
	want := files["koru.json.want"]
	if want == nil {
		return nil
	}
	return markersIn(t, "koru.json", string(want.Data))
}

// claim marks the expectation that a finding meets.
func claim(want []marker, d check.Diagnostic) bool {
	line := d.File.Syntax.LineOf(d.Span.Start)
	text := d.File.Syntax.Text()[d.Span.Start:d.Span.End]
	for i := range want {
		w := &want[i]
		if !w.met && w.file == d.File.Path && w.line == line && w.code == d.Code && w.severity == d.Severity &&
			(w.span == "" || w.span == text) && w.message.MatchString(d.Message) {
			w.met = true
			return true
		}
	}
	return false
}

func show(d check.Diagnostic) string {
	line := d.File.Syntax.LineOf(d.Span.Start)
	text := d.File.Syntax.Text()[d.Span.Start:d.Span.End]
	return fmt.Sprintf("%s:%d: %s `%s` %s", d.File.Path, line+1, d.Code, text, d.Message)
}

// chunks cuts a source at its "// ---" lines. Each program keeps its place in
// the file, so that line numbers are those of the file.
func chunks(text string) []string {
	var out []string
	var b strings.Builder
	line, start := 0, 0
	flush := func() {
		if strings.TrimSpace(b.String()) != "" {
			out = append(out, strings.Repeat("\n", start)+b.String())
		}
		b.Reset()
		start = line + 1
	}
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "// ---") {
			flush()
		} else {
			b.WriteString(l)
		}
		line++
	}
	flush()
	return out
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func stem(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
