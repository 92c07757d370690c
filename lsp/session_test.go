package lsp

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	format "github.com/koru-go/koru/fmt"
	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/syntax"
)

var (
	edits  = flag.Int("edits", 400, "edits of the random session")
	record = flag.String("record", "", "file that the messages of the session are written to")
	replay = flag.String("replay", "", "file of messages, written by -record, to send again")
)

// TestSession is a person at work, at random: several files are open, letters
// and lines come and go, whole texts are taken back, files are closed and opened
// again, and all the while everything is asked. Nothing may fail but requests
// that are refused with a reason, no range may lie outside of the text it was
// asked about, and now and then, and in the end, the server must have the text
// that the client has, and find what `koru check` finds in it.
//
// The long form, on files that people wrote:
//
//	KORU_CORPUS=/path go test ./lsp -run TestSession -edits 20000 -timeout 2h -v
//
// -seed chooses another session; -record writes it down, and -replay sends what
// was written down.
func TestSession(t *testing.T) {
	w := newWorker(t)
	if *record != "" {
		file, err := os.Create(*record)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		w.s.Record(file)
	}
	if _, err := w.s.Initialize("file://"+w.root, in("utf-16")); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		w.openOne()
	}
	for n := range *edits {
		w.edit()
		for range w.r.IntN(3) {
			w.ask()
		}
		if w.r.IntN(100) == 0 {
			w.closeOne()
			w.openOne()
		}
		if n%100 == 99 {
			w.compare()
		}
	}
	w.compare()
	t.Logf("%d edits, %d answers of which %d were refusals, %d comparisons of %d findings", *edits, w.answers, w.refusals, w.compared, w.findings)
	if w.answers == 0 || w.findings == 0 {
		t.Error("the session has tried nothing")
	}
}

// worker is the person and what is open before them.
type worker struct {
	t       *testing.T
	s       *session
	r       *rand.Rand
	root    string
	names   []string
	texts   map[string]string // as they are on disk, by path
	open    map[string]*buffer
	pending []*pendingAnswer

	answers, refusals, compared, findings int
}

type buffer struct {
	uri      string
	path     string
	version  int
	text     []rune
	original string
}

// pendingAnswer is a request that was not waited for, with the text that it is
// about.
type pendingAnswer struct {
	*lsptest.Pending
	method, uri string
	ref         *reference
}

func newWorker(t *testing.T) *worker {
	root, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("KORU_CORPUS"); dir != "" {
		root = dir
	}
	w := &worker{t: t, r: rand.New(rand.NewPCG(3, *seed)), root: root, texts: map[string]string{}, open: map[string]*buffer{}}
	for name, text := range sources(t) {
		name, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, root) && len(text) < 40_000 {
			w.texts[name] = strings.ToValidUTF8(text, "?")
			w.names = append(w.names, name)
		}
	}
	slices.Sort(w.names)
	w.s = start(t, os.DirFS("/"))
	return w
}

func (w *worker) openOne() {
	name := w.names[w.r.IntN(len(w.names))]
	if w.open[name] != nil {
		return
	}
	b := &buffer{uri: "file://" + name, path: name, version: 1, text: []rune(w.texts[name]), original: w.texts[name]}
	w.open[name] = b
	w.s.Open(b.uri, 1, b.original)
}

func (w *worker) closeOne() {
	b := w.any()
	delete(w.open, b.path)
	w.s.Notify("textDocument/didClose", lsptest.Doc(b.uri))
}

func (w *worker) any() *buffer {
	var names []string
	for name := range w.open {
		names = append(names, name)
	}
	slices.Sort(names)
	return w.open[names[w.r.IntN(len(names))]]
}

// edit changes one buffer, mostly by a little.
func (w *worker) edit() {
	b := w.any()
	b.version++
	var changes []lsptest.Obj
	for range 1 + w.r.IntN(8)/7 {
		changes = append(changes, w.change(b))
	}
	w.s.Change(b.uri, b.version, changes...)
}

func (w *worker) change(b *buffer) lsptest.Obj {
	ref := &reference{b.text, syntax.UTF16}
	if w.r.IntN(60) == 0 || len(b.text) > 60_000 {
		b.text = []rune(b.original)
		return lsptest.Obj{"text": b.original}
	}
	start := w.r.IntN(len(b.text) + 1)
	end, text := start, ""
	switch w.r.IntN(8) {
	case 0:
		end = min(len(b.text), start+w.r.IntN(30))
	case 1:
		end, text = min(len(b.text), start+w.r.IntN(6)), w.fragment(12)
	case 2:
		text = w.fragment(300)
	case 3:
		text = words[w.r.IntN(len(words))]
	case 4:
		text = "\n"
	default:
		text = string(rune('a' + w.r.IntN(26)))
	}
	startLine, startColumn := ref.position(start)
	endLine, endColumn := ref.position(end)
	ref.replace(startLine, startColumn, endLine, endColumn, text)
	b.text = ref.text
	return lsptest.Obj{"range": lsptest.Range(startLine, startColumn, endLine, endColumn), "text": text}
}

// fragment is a piece of some file.
func (w *worker) fragment(most int) string {
	text := []rune(w.texts[w.names[w.r.IntN(len(w.names))]])
	if len(text) == 0 {
		return ""
	}
	start := w.r.IntN(len(text))
	return string(text[start:min(len(text), start+w.r.IntN(most))])
}

// ask asks something without waiting for the answer.
func (w *worker) ask() {
	b := w.any()
	q := questions[w.r.IntN(len(questions))]
	ref := &reference{slices.Clone(b.text), syntax.UTF16}
	line, column := ref.position(w.r.IntN(len(b.text) + 1))
	p := &pendingAnswer{w.s.Start(q.method, q.params(b.uri, line, column)), q.method, b.uri, ref}
	w.pending = append(w.pending, p)
	if w.r.IntN(10) == 0 {
		w.s.Notify("$/cancelRequest", lsptest.Obj{"id": p.ID})
	}
	if len(w.pending) > 200 {
		w.collect()
	}
}

// collect looks at the answers.
func (w *worker) collect() {
	w.t.Helper()
	for _, p := range w.pending {
		m, err := p.Wait()
		if err != nil {
			w.t.Fatalf("%s: %v", p.method, err)
		}
		w.answers++
		if m.Error != nil {
			w.refusals++
			if m.Error.Code != codeRequestFailed && m.Error.Code != codeCancelled {
				w.t.Fatalf("%s: %v, on\n%q", p.method, m.Error, string(p.ref.text))
			}
			continue
		}
		if err := p.ref.inside(p.uri, m.Result); err != nil {
			w.t.Fatalf("%s: %v, on\n%q", p.method, err, string(p.ref.text))
		}
	}
	w.pending = w.pending[:0]
	w.s.Notes()
}

// compare holds the server to the texts of the client and to what a checker that
// knows nothing of the past finds in them.
func (w *worker) compare() {
	w.t.Helper()
	w.collect()
	w.s.sync()
	cold := map[string]*syntax.File{}
	for path, b := range w.open {
		cold[path] = syntax.Parse(path, syntax.KindOf(path), string(b.text))
	}
	opts := checkOptions(os.DirFS("/"))
	for path, b := range w.open {
		d := w.s.document(b.uri)
		if got := d.Syntax.Text(); got != string(b.text) {
			w.t.Fatalf("%s: (-client +server)\n%s", path, cmp.Diff(string(b.text), got))
		}
		w.compared++
		want := coldFindings(w.t, w.s.server.snapshot.Load(), d, opts, cold)
		got := pulled(w.t, w.s, b.uri)
		w.findings += len(want)
		if d := cmp.Diff(want, got); d != "" {
			w.t.Fatalf("%s: (-koru check +server)\n%s\n%q", path, d, string(b.text))
		}
		w.format(b, cold[path])
	}
}

// format formats a buffer and carries the edits out as an editor does: what comes
// out is what `koru fmt` makes of the text. The buffer stays as it is.
func (w *worker) format(b *buffer, file *syntax.File) {
	w.t.Helper()
	want, err := format.Format(file, format.Options{})
	if err != nil {
		return // it is refused by the server too
	}
	var edits []struct {
		Range   wireRange
		NewText string
	}
	if err := json.Unmarshal([]byte(w.s.must("textDocument/formatting", with(lsptest.Doc(b.uri), formatOptions))), &edits); err != nil {
		w.t.Fatal(err)
	}
	ref := &reference{slices.Clone(b.text), syntax.UTF16}
	for _, e := range slices.Backward(edits) { // all are places of the text as it was
		ref.replace(e.Range.Start.Line, e.Range.Start.Character, e.Range.End.Line, e.Range.End.Character, e.NewText)
	}
	if d := cmp.Diff(want, string(ref.text)); d != "" {
		w.t.Fatalf("%s: (-koru fmt +server)\n%s", b.path, d)
	}
}

// coldFindings judges the program of a document anew and returns what it says of
// the document.
func coldFindings(t *testing.T, s *view.Snapshot, d *view.Document, opts check.Options, open map[string]*syntax.File) []string {
	t.Helper()
	prog, _, err := s.Program(d)
	if err != nil {
		t.Fatal(err)
	}
	p, err := check.NewChecker(opts).Check(prog.Entry.Files[0].Path, open)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, f := range p.Diagnostics {
		if f.File.Path == d.Path {
			start, end := f.File.Syntax.Position(f.Span.Start, syntax.UTF16), f.File.Syntax.Position(f.Span.End, syntax.UTF16)
			out = append(out, fmt.Sprintf("%d:%d-%d:%d %s %s", start.Line, start.Column, end.Line, end.Column, f.Code, f.Message))
		}
	}
	slices.Sort(out)
	return out
}

// pulled asks for the diagnostics of a document.
func pulled(t *testing.T, s *session, uri string) []string {
	t.Helper()
	var report struct {
		Items []struct {
			Range   wireRange
			Code    string
			Message string
		}
	}
	if err := json.Unmarshal([]byte(s.must("textDocument/diagnostic", lsptest.Doc(uri))), &report); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, f := range report.Items {
		r := f.Range
		out = append(out, fmt.Sprintf("%d:%d-%d:%d %s %s", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character, f.Code, f.Message))
	}
	slices.Sort(out)
	return out
}

// TestReplay sends the messages of a session again: the server must live through
// them.
func TestReplay(t *testing.T) {
	if *replay == "" {
		t.Skip("-replay names no session")
	}
	file, err := os.Open(*replay)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := start(t, os.DirFS("/"))
	r := bufio.NewReader(file)
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Body(strings.TrimSuffix(line, "\n")); err != nil {
			t.Fatal(err)
		}
		n++
	}
	s.sync()
	t.Logf("%d messages", n)
}
