package check_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"weak"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// The answer to an edit is the answer to the text it leads to: what a Checker
// remembers may save work and may change nothing else. Scripts of random edits
// run over programs, and after each edit all that an editor asks of a program is
// asked of one that was judged before and of one that is judged for the first
// time. KORU_EDITS makes the scripts so many times as long.

func TestEditingIsCheckingAnew(t *testing.T) {
	for _, file := range glob(t, "testdata/rules/*.k*") {
		t.Run(stem(file), func(t *testing.T) {
			for i, text := range chunks(read(t, file)) {
				opts := options(text)
				opts.Files = fstest.MapFS{}
				s := newScript(opts, map[string]string{"a.k": text}, "a.k", uint64(i))
				s.run(t, 12)
			}
		})
	}
	t.Run("depot", func(t *testing.T) {
		s := newScript(options(""), map[string]string{"a.k": depot(200)}, "a.k", 1)
		s.run(t, 80)
	})
	for _, file := range glob(t, "../examples/*.k") {
		t.Run(stem(file), func(t *testing.T) {
			opts := options("")
			opts.Files = os.DirFS("../examples")
			s := newScript(opts, map[string]string{filepath.Base(file): read(t, file)}, filepath.Base(file), 3)
			s.run(t, 30)
		})
	}
}

// The files of a program are edited in turn, also those that the entry imports.
func TestEditingModulesIsCheckingAnew(t *testing.T) {
	for _, file := range glob(t, "testdata/modules/*.txtar") {
		t.Run(stem(file), func(t *testing.T) {
			files, open := fstest.MapFS{}, map[string]string{}
			for _, f := range txtar.Parse([]byte(read(t, file))).Files {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
				if strings.Contains(filepath.Ext(f.Name), ".k") {
					open[f.Name] = string(f.Data)
				}
			}
			for i, entry := range slices.Sorted(maps.Keys(open)) {
				if strings.Contains(entry, "/") {
					continue
				}
				opts := options(open[entry])
				opts.Files = files
				s := newScript(opts, open, entry, uint64(i))
				s.run(t, 40)
			}
		})
	}
}

// TestEditingCorpus runs scripts over the programs below the folder that
// KORU_CORPUS names.
// A declaration and its body lie in two facets, at different places of them.
func TestEditingFacetsIsCheckingAnew(t *testing.T) {
	var contract, bodies strings.Builder
	for i := range 12 {
		fmt.Fprintf(&contract, "tor act-%d { x: i64 }\n\nact-%d(x: %d)\n\n", i, i, i)
	}
	for i := range 4 {
		fmt.Fprintf(&bodies, "~proc act-%d|zig { return; }\n", 11-i)
	}
	opts := options("")
	opts.Files = fstest.MapFS{}
	newScript(opts, map[string]string{"a.k": contract.String(), "a.kz": bodies.String()}, "a.k", 5).run(t, 60)
}

func TestEditingCorpus(t *testing.T) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		t.Skip("KORU_CORPUS names no folder")
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	err := fs.WalkDir(opts.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(path), ".k") {
			return err
		}
		s := newScript(opts, map[string]string{path: read(t, filepath.Join(root, path))}, path, 7)
		s.run(t, 5)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// script is a session of edits in the files of one program.
type script struct {
	rng   *rand.Rand
	opts  check.Options
	c     *check.Checker
	open  map[string]*syntax.File
	names []string
	entry string

	before string // the texts that were compared last
}

func newScript(opts check.Options, texts map[string]string, entry string, seed uint64) *script {
	opts.CheckBody = compiles
	s := &script{rng: rand.New(rand.NewPCG(1, seed)), opts: opts, open: map[string]*syntax.File{}, entry: entry}
	for name, text := range texts {
		s.open[name] = syntax.Parse(name, syntax.KindOf(name), text)
	}
	s.names = slices.Sorted(maps.Keys(s.open))
	opts.Editing = true
	s.c = check.NewChecker(opts)
	return s
}

// compiles is a host that finds fault with bodies by what they hold and by the
// declaration that they stand behind, which may lie in another file.
func compiles(t *check.Tor, proc *check.Proc, target string) []check.BodyFault {
	if len(proc.Body)%2 == 0 || len(t.Fields) > 1 {
		return []check.BodyFault{{Start: 0, End: min(1, len(proc.Body)), Message: fmt.Sprintf("%s takes %d inputs", t.Name, len(t.Fields))}}
	}
	return nil
}

// run makes edits and compares after each. Now and then one is taken back, as
// people do, so that what was known before may be known again.
func (s *script) run(t *testing.T, edits int) {
	t.Helper()
	if factor, err := strconv.Atoi(os.Getenv("KORU_EDITS")); err == nil {
		edits *= factor
	}
	s.compare(t)
	for range edits {
		name := s.names[s.rng.IntN(len(s.names))]
		before := s.open[name]
		s.open[name] = before.Edit(randomEdit(s.rng, before))
		s.compare(t)
		if s.rng.IntN(3) == 0 {
			s.open[name] = before
			s.compare(t)
		}
	}
}

func (s *script) compare(t *testing.T) {
	t.Helper()
	got, err := s.c.Check(s.entry, s.open)
	if err != nil {
		t.Fatal(err)
	}
	anew := make(map[string]*syntax.File, len(s.open))
	for name, f := range s.open {
		anew[name] = syntax.Parse(name, f.Kind, f.Text())
	}
	opts := s.opts
	opts.Editing = false
	want, err := check.NewChecker(opts).Check(s.entry, anew)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(findings(want), findings(got)); diff != "" {
		t.Fatalf("%s: after an edit of\n%s\nthe findings are not those of the text:\n%s%s", s.entry, s.before, s.texts(), diff)
	}
	if diff := cmp.Diff(factsOf(want), factsOf(got)); diff != "" {
		t.Fatalf("%s: after an edit of\n%s\nthe facts are not those of the text:\n%s%s", s.entry, s.before, s.texts(), diff)
	}
	s.before = s.texts()
}

func (s *script) texts() string {
	var b strings.Builder
	for _, name := range s.names {
		fmt.Fprintf(&b, "-- %s --\n%s\n", name, s.open[name].Text())
	}
	return b.String()
}

// randomEdit deletes, repeats or moves a piece of a text, types a letter or a
// word, or deletes or repeats whole items.
func randomEdit(rng *rand.Rand, f *syntax.File) syntax.Edit {
	text := f.Text()
	at := rng.IntN(len(text) + 1)
	end := min(at+rng.IntN(12), len(text))
	item := f.Item(rng.IntN(f.NumItems()))
	start, past := item.Base(), item.Base()+len(item.Tree().Text())
	switch rng.IntN(10) {
	case 0:
		return syntax.Edit{Start: at, End: end}
	case 1:
		return syntax.Edit{Start: at, End: at, Text: text[at:end]}
	case 2:
		from := rng.IntN(len(text) + 1)
		return syntax.Edit{Start: at, End: at, Text: text[from:min(from+rng.IntN(40), len(text))]}
	case 3:
		return syntax.Edit{Start: at, End: at, Text: "\n"}
	case 4:
		return syntax.Edit{Start: start, End: past}
	case 5:
		return syntax.Edit{Start: past, End: past, Text: item.Tree().Text()}
	case 6:
		other := f.Item(rng.IntN(f.NumItems()))
		return syntax.Edit{Start: start, End: start, Text: other.Tree().Text()}
	case 7: // a line above an item
		lines := []string{"import std/fs\n", "import std/io\n", "import nowhere\n", "import app/near\n", "[prototype]\n", "tor x { a: i64 }\n", "x\n", "proc x|js {}\n"}
		return syntax.Edit{Start: start, End: start, Text: lines[rng.IntN(len(lines))]}
	case 8: // inside an item, so that what stands around it stays
		at = start + rng.IntN(past-start+1)
		pieces := []string{"a", "-", "x", " ", "_", "// c\n", "!", "?", "<", ">", "'", "0", "(", "[prototype]\n", "pub "}
		return syntax.Edit{Start: at, End: at, Text: pieces[rng.IntN(len(pieces))]}
	}
	return syntax.Edit{Start: at, End: at, Text: string("abx |>{}:_!"[rng.IntN(11)])}
}

// findings renders what is said about a program.
func findings(p *check.Program) string {
	var b []byte
	for i := range p.Diagnostics {
		b = append(p.Diagnostics[i].AppendJSON(b), '\n')
	}
	return string(b)
}

// factsOf writes what an editor can ask of the modules of a program: the verbs
// that they declare and what stands behind each, their values and scopes, and
// every flow with its bindings and calls.
func factsOf(p *check.Program) string {
	var b strings.Builder
	for _, m := range p.Modules {
		if m.Std {
			continue
		}
		fmt.Fprintf(&b, "module %q\n", m.Path)
		for _, t := range m.Tors() {
			writeTor(&b, t)
			if m.Tor(t.Name) == nil {
				fmt.Fprintf(&b, "  but nobody finds %s\n", t.Name)
			}
		}
		for _, c := range m.Consts {
			fmt.Fprintf(&b, "const %s %s %v\n", c.Name, c.Type, c.Node.Span())
		}
		for _, s := range m.Stores {
			fmt.Fprintf(&b, "store %s %v", s.Name, s.Node.Span())
			for _, c := range s.Columns {
				fmt.Fprintf(&b, " %s %s", c.Name, c.Type)
				if c.Drain != nil {
					fmt.Fprintf(&b, " drained by %s", c.Drain.Path())
				}
			}
			b.WriteByte('\n')
		}
		for _, f := range m.Files {
			for it := range f.Syntax.Items() {
				if flow := p.FlowOf(f, it); flow != nil {
					writeFlow(&b, flow)
				}
				if test := p.TestOf(f, it); test != nil {
					fmt.Fprintf(&b, "test %q %v\n", test.Title, test.Node.Span())
					for _, flow := range test.Flows {
						writeFlow(&b, flow)
					}
					for _, mock := range test.Mocks {
						writeFlow(&b, mock.Flow)
					}
				}
			}
		}
	}
	for _, s := range p.Scopes {
		fmt.Fprintf(&b, "scope %s %v\n", s.Name, s.Node.Span())
		for _, v := range s.Verbs {
			fmt.Fprintf(&b, "  %s = %s(%d) %v %v\n", v.Name, v.Tor.Path(), v.Cost, v.Node.Span(), v.Implemented)
		}
	}
	return b.String()
}

func writeTor(b *strings.Builder, t *check.Tor) {
	fmt.Fprintf(b, "tor %s %v in %s pub %v broken %v doc %q\n", t.Path(), t.Node.Span(), t.File.Path, t.Pub, t.Broken(), t.Doc)
	for _, f := range t.Fields {
		fmt.Fprintf(b, "  %s: %s %v %q\n", f.Name, f.Type, f.Type.Node.Span(), f.Doc)
	}
	for _, o := range t.Outcomes {
		fmt.Fprintf(b, "  | %s %s %v\n", o.Name, o.Payload, o.Node.Span())
	}
	fmt.Fprintf(b, "  -> %s\n", t.Return)
	for _, proc := range t.Procs {
		fmt.Fprintf(b, "  proc %v %v in %s\n", proc.Targets, proc.Node.Span(), proc.File.Path)
	}
	if t.Impl != nil {
		fmt.Fprintf(b, "  by %v in %s\n", t.Impl.Node.Span(), t.Impl.File.Path)
		if body := t.Impl.Body(); body == nil || body.Owner != t {
			fmt.Fprintf(b, "  with a body that is not its own\n")
		}
	}
}

func writeFlow(b *strings.Builder, f *check.Flow) {
	fmt.Fprintf(b, "flow %v", f.Node.Span())
	if f.Owner != nil {
		fmt.Fprintf(b, " of %s", f.Owner.Path())
	}
	b.WriteByte('\n')
	for _, v := range f.Bindings {
		fmt.Fprintf(b, "  %d %s: %s at %v read", v.Slot, v.Name, v.Type, v.Node.Span())
		for _, u := range v.Uses {
			fmt.Fprintf(b, " %v", u.Span())
		}
		b.WriteByte('\n')
	}
	for c := range f.Calls() {
		verb := "nobody knows"
		if c.Tor != nil {
			verb = fmt.Sprintf("%s of %v", c.Tor.Path(), c.Tor.Node.Span())
		}
		fmt.Fprintf(b, "  call %v %s\n", c.Node.Span(), verb)
	}
	for _, s := range f.Settlements() {
		for _, d := range s.Disposals {
			fmt.Fprintf(b, "  settle %v with %s\n", s.At.Span(), d.Tor.Path())
		}
	}
}

// Readers may ask a program at the same time, also for bodies that nobody has
// asked for before, and while later versions of it are judged.
func TestReadersOfOlderVersions(t *testing.T) {
	s := newScript(options(""), map[string]string{"a.k": depot(120)}, "a.k", 5)
	want := ""
	var wait sync.WaitGroup
	for i := range 12 {
		f := s.open["a.k"]
		p, err := s.c.Check("a.k", s.open)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = factsOf(p)
		}
		for range 2 {
			wait.Go(func() {
				got := factsOf(p)
				if i == 0 && got != want {
					t.Error("the facts of a version change while others are judged")
				}
				for it := range f.Items() {
					flow := p.FlowOf(p.Entry.Files[0], it)
					if isBody := it.Kind() == syntax.FlowItem; isBody && flow == nil {
						t.Errorf("no flow of %q", strings.TrimSpace(it.Text()))
					}
				}
			})
		}
		s.open["a.k"] = f.Edit(randomEdit(s.rng, f))
	}
	wait.Wait()
}

// A session that has gone on for long holds no more than one that has just begun:
// older versions of files and programs are let go, and what was parsed for an edit
// takes no more room than what was parsed at first.
func TestLongSessionsHoldNoMore(t *testing.T) {
	s := newScript(options(""), map[string]string{"a.k": depot(2000)}, "a.k", 9)
	rng := rand.New(rand.NewPCG(1, 9))
	typeAndTake := func() (*syntax.File, *check.Program) {
		f := s.open["a.k"]
		at := rng.IntN(f.Len())
		f = f.Edit(syntax.Edit{Start: at, End: at, Text: "x"})
		s.open["a.k"] = f
		p, err := s.c.Check("a.k", s.open)
		if err != nil {
			t.Fatal(err)
		}
		s.open["a.k"] = f.Edit(syntax.Edit{Start: at, End: at + 1})
		return f, p
	}
	typeAndTake()
	before := heapSize()
	for range 1000 {
		typeAndTake()
	}
	if after := heapSize(); after > before+before/2 {
		t.Errorf("the heap holds %d bytes after 2000 edits, %d before", after, before)
	}
	f, p := typeAndTake()
	file, program := weak.Make(f), weak.Make(p)
	f, p = nil, nil
	typeAndTake()
	runtime.GC()
	if file.Value() != nil || program.Value() != nil {
		t.Error("an older version is still held")
	}
	runtime.KeepAlive(s)
}

func heapSize() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools have held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
