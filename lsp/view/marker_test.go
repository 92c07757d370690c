package view

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/*.txtar")

// The features are tested on sources that say in themselves what is expected of
// a place. An archive of testdata is a workspace, and a marker in one of its
// files is a call of a verb:
//
//	find(sku: "A")
//	| found f |> _        //@ hover("find", findVerb), def("found", foundDecl)
//	//@ complete("f|>", "found")
//
// Markers are cut out before the source is looked at, so they may stand where no
// comment can; a line that holds nothing else belongs to the line above it.
//
// What a verb takes is in the Go function behind it (verbs). Its parameters say
// how an argument is read:
//
//	at      a place: a text of the marker's line, "find", or the second such text,
//	        nth("find", 2), or the name of a place that loc(name, "find") has
//	        given. A caret in the text is the cursor: "fi^nd"; without one the
//	        cursor is where the text begins.
//	string, int, bool
//	golden  the name of a part of the archive, `-- @name --`, that holds what is
//	        expected; -update rewrites it
//
// and a variadic parameter takes any number. The comment of an archive may set
// lines of flags: `line-ends: crlf`, `bom: yes`, `open: only`, `language: koru-wire
// world/a.k`.
//
// Every archive is run in all three encodings of positions, with its documents
// open and with its documents on disk alone: the answers are the same.
func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, enc := range []syntax.Encoding{syntax.UTF8, syntax.UTF16, syntax.UTF32} {
				for _, open := range []bool{true, false} {
					runArchive(t, file, enc, open)
				}
			}
		})
	}
}

// verbs are the functions behind markers. The first parameter is the run. Files
// of tests add theirs in an init function.
var verbs = map[string]any{
	"loc":   func(*markerRun, string, at) {}, // handled before all others
	"hover": hoverMarker,
}

// hoverMarker compares what hovering shows, its range included, with a golden part.
func hoverMarker(r *markerRun, place at, want golden) {
	h, err := Hover(r.t.Context(), r.s, place.doc, place.off)
	if err != nil || h == nil {
		r.errorf("hover: %v, %v", h, err)
		return
	}
	r.compare(want, r.text(place.doc.URI, *h.Range)+"\n"+h.Contents.(*protocol.MarkupContent).Value)
}

// at is a place in a document: a span of text and a cursor.
type at struct {
	doc  *Document
	span syntax.Span
	off  int
}

// golden is a named part of the archive.
type golden string

// markerRun is one archive while it is run.
type markerRun struct {
	t       *testing.T
	s       *Snapshot
	archive *txtar.Archive
	places  map[string]at
	wrote   map[golden]bool
	origin  string // file and line of the marker at work
	open    bool   // the documents are open
}

// markerRoot is where the files of an archive lie.
const markerRoot = "/w"

func runArchive(t *testing.T, file string, enc syntax.Encoding, open bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if flagsOf(string(txtar.Parse(data).Comment)).is("open", "only") && !open {
		return // the language id, which tells wire from programs, comes with the buffer
	}
	r := &markerRun{t: t, archive: txtar.Parse(data), places: map[string]at{}, wrote: map[golden]bool{}, open: open}
	flags := flagsOf(string(r.archive.Comment))
	disk := fstest.MapFS{}
	var notes []note
	var names []string
	for _, f := range r.archive.Files {
		if strings.HasPrefix(f.Name, "@") {
			continue
		}
		text, found := cutMarkers(t, file, f.Name, string(f.Data), flags)
		notes = append(notes, found...)
		names = append(names, f.Name)
		disk[strings.TrimPrefix(markerRoot+"/"+f.Name, "/")] = &fstest.MapFile{Data: []byte(text)}
	}
	r.s = New(markerOptions(disk, enc)).WithRoots([]uri.URI{uriOf(markerRoot)})
	for _, name := range names {
		if !open || !isSource(name) {
			continue
		}
		text := string(disk[strings.TrimPrefix(markerRoot+"/"+name, "/")].Data)
		r.s = r.s.WithOpen(uriOf(markerRoot+"/"+name), flags.language(name), 1, text)
	}
	for pass := range 2 {
		for _, n := range notes {
			if (pass == 0) == (n.verb == "loc") {
				r.origin = fmt.Sprintf("%s:%s:%d (%v, open %v)", filepath.Base(file), n.file, n.line+1, enc, open)
				r.call(n)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(r.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func isSource(name string) bool {
	switch filepath.Ext(name) {
	case ".k", ".kz", ".kjs":
		return true
	}
	return false
}

func markerOptions(disk fstest.MapFS, enc syntax.Encoding) Options {
	bodies := stdlib.Bodies()
	return Options{
		Options: check.Options{
			Files: disk, Std: stdlib.FS(), Targets: []string{"js", "zig"},
			Bodies: func(path string) bool {
				module, _, _ := strings.Cut(path, ":")
				return bodies[path] != nil || module == "std/bridge" || module == "std/runtime" || module == "std/interpreter"
			},
		},
		Encoding: enc,
		Client: Client{
			Markdown: true, Snippets: true, LabelDetails: true, InsertReplace: true, Versioned: true, FileOperations: true,
			LinkSupport: true, Hierarchical: true, CodeActions: true, RelatedInfo: true, Tags: true, CodeLinks: true,
		},
		Settings: DefaultSettings(),
	}
}

// archiveFlags are the lines `key: value` of an archive's comment.
type archiveFlags map[string][]string

func flagsOf(comment string) archiveFlags {
	flags := archiveFlags{}
	for line := range strings.Lines(comment) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.Contains(key, " ") {
			flags[key] = append(flags[key], strings.TrimSpace(value))
		}
	}
	return flags
}

func (f archiveFlags) is(key, value string) bool { return len(f[key]) > 0 && f[key][0] == value }

func (f archiveFlags) language(name string) string {
	for _, v := range f["language"] {
		if id, file, ok := strings.Cut(v, " "); ok && file == name {
			return id
		}
	}
	return "koru"
}

// note is one marker.
type note struct {
	file string
	line int // in the text without markers
	verb string
	args []ast.Expr
}

// cutMarkers takes the markers out of a source.
func cutMarkers(t *testing.T, archive, name, source string, flags archiveFlags) (string, []note) {
	t.Helper()
	var b strings.Builder
	var notes []note
	line := -1
	if flags.is("bom", "yes") {
		b.WriteString("\ufeff")
	}
	for l := range strings.Lines(source) {
		text, marker, marked := strings.Cut(strings.TrimSuffix(l, "\n"), "//@")
		text = strings.TrimRight(text, " \t")
		if !marked {
			text = strings.TrimSuffix(l, "\n")
		}
		if !marked || text != "" {
			line++
			b.WriteString(text)
			if flags.is("line-ends", "crlf") {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
		if !marked {
			continue
		}
		expr, err := parser.ParseExpr("_{" + marker + "}")
		if err != nil {
			t.Fatalf("%s: %s:%d: %v: %s", archive, name, line+1, err, marker)
		}
		for _, e := range expr.(*ast.CompositeLit).Elts {
			call, ok := e.(*ast.CallExpr)
			if !ok {
				t.Fatalf("%s: %s:%d: a marker is a call: %s", archive, name, line+1, marker)
			}
			notes = append(notes, note{name, line, call.Fun.(*ast.Ident).Name, call.Args})
		}
	}
	return b.String(), notes
}

func (r *markerRun) call(n note) {
	r.t.Helper()
	if n.verb == "loc" {
		name := n.args[0].(*ast.Ident).Name
		r.places[name] = r.place(n, n.args[1])
		return
	}
	verb := verbs[n.verb]
	if verb == nil {
		r.fatalf("no verb is called %s", n.verb)
	}
	fn := reflect.ValueOf(verb)
	ft := fn.Type()
	in := []reflect.Value{reflect.ValueOf(r)}
	for i, arg := range n.args {
		param := i + 1
		var typ reflect.Type
		switch {
		case ft.IsVariadic() && param >= ft.NumIn()-1:
			typ = ft.In(ft.NumIn() - 1).Elem()
		case param < ft.NumIn():
			typ = ft.In(param)
		default:
			r.fatalf("%s takes %d arguments", n.verb, ft.NumIn()-1)
		}
		in = append(in, r.argument(n, arg, typ))
	}
	if least := ft.NumIn(); len(in) < least && !(ft.IsVariadic() && len(in) == least-1) {
		r.fatalf("%s takes %d arguments", n.verb, least-1)
	}
	fn.Call(in)
}

func (r *markerRun) argument(n note, arg ast.Expr, typ reflect.Type) reflect.Value {
	r.t.Helper()
	switch typ {
	case reflect.TypeFor[at]():
		return reflect.ValueOf(r.place(n, arg))
	case reflect.TypeFor[golden]():
		if id, ok := arg.(*ast.Ident); ok {
			return reflect.ValueOf(golden(id.Name))
		}
	case reflect.TypeFor[string]():
		if text, ok := stringOf(arg); ok {
			return reflect.ValueOf(text)
		}
	case reflect.TypeFor[int]():
		if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.INT {
			i, _ := strconv.Atoi(lit.Value)
			return reflect.ValueOf(i)
		}
	case reflect.TypeFor[bool]():
		if id, ok := arg.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
			return reflect.ValueOf(id.Name == "true")
		}
	}
	r.fatalf("%s: an argument is no %v", n.verb, typ)
	return reflect.Value{}
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// place finds the place that an argument names.
func (r *markerRun) place(n note, arg ast.Expr) at {
	r.t.Helper()
	if id, ok := arg.(*ast.Ident); ok {
		p, known := r.places[id.Name]
		if !known {
			r.fatalf("no place is called %s", id.Name)
		}
		return p
	}
	count := 1
	if call, ok := arg.(*ast.CallExpr); ok && len(call.Args) == 2 {
		arg = call.Args[0]
		count, _ = strconv.Atoi(call.Args[1].(*ast.BasicLit).Value)
	}
	want, ok := stringOf(arg)
	if !ok {
		r.fatalf("%s: an argument is no place", n.verb)
	}
	doc := r.doc(n.file)
	before, after, caret := strings.Cut(want, "^")
	text, start := doc.Syntax.Line(n.line), doc.Syntax.LineStart(n.line)
	end := 0
	for range count {
		i := strings.Index(text[end:], before+after)
		if i < 0 {
			r.fatalf("the line %q does not hold %q", text, before+after)
		}
		end += i + len(before+after)
	}
	p := at{doc: doc, span: syntax.Span{Start: start + end - len(before+after), End: start + end}}
	p.off = p.span.Start
	if caret {
		p.off += len(before)
	}
	return p
}

// doc returns the document of a file of the archive.
func (r *markerRun) doc(name string) *Document {
	r.t.Helper()
	d, err := r.s.Document(uriOf(markerRoot + "/" + name))
	if err != nil {
		r.fatalf("%v", err)
	}
	return d
}

// span converts a range of an answer back to bytes of its document.
func (r *markerRun) span(u uri.URI, rng protocol.Range) (*Document, syntax.Span) {
	r.t.Helper()
	d, err := r.s.Document(u)
	if err != nil {
		r.fatalf("%v", err)
	}
	span := r.s.Span(d.Syntax, rng)
	if back := r.s.Range(d.Syntax, span); back != rng {
		r.errorf("%s: the range %v is none: it comes back as %v", u, rng, back)
	}
	return d, span
}

// text writes a range of an answer so that every encoding gives the same.
func (r *markerRun) text(u uri.URI, rng protocol.Range) string {
	r.t.Helper()
	d, span := r.span(u, rng)
	line := d.Syntax.LineOf(span.Start)
	name := strings.TrimPrefix(d.Path, markerRoot+"/")
	return fmt.Sprintf("%s:%d: %s", name, line+1, d.Syntax.Text()[span.Start:span.End])
}

// compare compares a text with a golden part of the archive.
func (r *markerRun) compare(want golden, got string) {
	r.t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	name := "@" + string(want)
	for i := range r.archive.Files {
		f := &r.archive.Files[i]
		if f.Name != name {
			continue
		}
		if *update && !r.wrote[want] {
			f.Data = []byte(got)
		}
		r.wrote[want] = true
		if diff := cmp.Diff(string(f.Data), got); diff != "" {
			r.errorf("%s (-want +got)\n%s", name, diff)
		}
		return
	}
	if !*update {
		r.errorf("the archive has no part %s; the answer is\n%s", name, got)
		return
	}
	r.wrote[want] = true
	r.archive.Files = append(r.archive.Files, txtar.File{Name: name, Data: []byte(got)})
}

func (r *markerRun) errorf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf("%s: %s", r.origin, fmt.Sprintf(format, args...))
}

func (r *markerRun) fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s: %s", r.origin, fmt.Sprintf(format, args...))
}
