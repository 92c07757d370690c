package latency

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/koru-go/koru/lsp/lsptest"
)

var (
	measure = flag.Bool("measure", false, "measure; without it nothing is run")
	only    = flag.String("only", "", "servers to measure, separated by commas")
	sizes   = flag.String("lines", "5000,50000", "lengths of the files")
	keys    = flag.Int("keys", 100, "keystrokes for each request; a tenth of it for 50,000 lines and more")
	methods = flag.String("methods", "", "requests to measure, separated by commas")
)

// kind is one language server and what to type into it.
type kind struct {
	name    string
	command []string
	// files returns the files of a workspace whose main file has about the given
	// number of lines, and the name of that file.
	files    func(lines int) (files map[string]string, main string)
	language string
	// requests are what is asked after a keystroke.
	requests []request
}

// mark stands in a generated file where is to be typed.
const mark = " // here"

// request is one request after a keystroke.
type request struct {
	method string
	params func(f *file) lsptest.Obj
}

// file is an open file that is typed into.
type file struct {
	uri       string
	lines     []string
	line, col int // where letters are typed
	version   int
	typed     bool   // there is a letter to take away
	tokens    string // the id of the last full answer of tokens
}

func (f *file) at() lsptest.Obj { return lsptest.At(f.uri, f.line, f.col) }

func (f *file) doc() lsptest.Obj { return lsptest.Doc(f.uri) }

// screen is what an editor shows around the place of typing.
func (f *file) screen() lsptest.Obj {
	o := f.doc()
	o["range"] = lsptest.Range(max(0, f.line-30), 0, min(len(f.lines)-1, f.line+30), 0)
	return o
}

func with(o lsptest.Obj, key string, value any) lsptest.Obj {
	o[key] = value
	return o
}

var koruRequests = []request{
	{"textDocument/hover", (*file).at},
	{"textDocument/completion", (*file).at},
	{"textDocument/signatureHelp", (*file).at},
	{"textDocument/definition", (*file).at},
	{"textDocument/references", func(f *file) lsptest.Obj {
		return with(f.at(), "context", lsptest.Obj{"includeDeclaration": true})
	}},
	{"textDocument/documentHighlight", (*file).at},
	{"textDocument/prepareRename", (*file).at},
	{"textDocument/documentSymbol", (*file).doc},
	{"textDocument/semanticTokens/full", (*file).doc},
	{"textDocument/semanticTokens/full/delta", func(f *file) lsptest.Obj { return with(f.doc(), "previousResultId", f.tokens) }},
	{"textDocument/semanticTokens/range", (*file).screen},
	{"textDocument/inlayHint", (*file).screen},
	{"textDocument/codeAction", func(f *file) lsptest.Obj {
		o := with(f.doc(), "range", lsptest.Range(f.line, f.col, f.line, f.col))
		return with(o, "context", lsptest.Obj{"diagnostics": []string{}})
	}},
	{"textDocument/codeLens", (*file).doc},
	{"textDocument/foldingRange", (*file).doc},
	{"textDocument/selectionRange", func(f *file) lsptest.Obj {
		return with(f.doc(), "positions", []lsptest.Obj{{"line": f.line, "character": f.col}})
	}},
	{"textDocument/documentLink", (*file).doc},
	{"textDocument/linkedEditingRange", (*file).at},
	{"textDocument/formatting", func(f *file) lsptest.Obj { return with(f.doc(), "options", options) }},
	{"textDocument/rangeFormatting", func(f *file) lsptest.Obj { return with(f.screen(), "options", options) }},
	{"textDocument/onTypeFormatting", func(f *file) lsptest.Obj { return with(with(f.at(), "ch", "}"), "options", options) }},
	{"workspace/symbol", func(*file) lsptest.Obj { return lsptest.Obj{"query": "find-42"} }},
}

var options = lsptest.Obj{"tabSize": 4, "insertSpaces": true}

var peerRequests = []request{
	{"textDocument/hover", (*file).at},
	{"textDocument/completion", (*file).at},
	{"textDocument/definition", (*file).at},
	{"textDocument/documentSymbol", (*file).doc},
}

func kinds(t *testing.T) []kind {
	all := []kind{
		{
			name: "koru", command: []string{build(t), "lsp"}, language: "koru", requests: koruRequests,
			files: func(lines int) (map[string]string, string) {
				return map[string]string{"depot.k": depot(lines)}, "depot.k"
			},
		},
		{
			name: "gopls", command: []string{"gopls"}, language: "go", requests: peerRequests,
			files: func(lines int) (map[string]string, string) {
				return map[string]string{"go.mod": "module depot\n\ngo 1.25\n", "depot.go": goDepot(lines)}, "depot.go"
			},
		},
		{
			name: "cue", command: []string{"cue", "lsp"}, language: "cue", requests: peerRequests,
			files: func(lines int) (map[string]string, string) {
				return map[string]string{
					"cue.mod/module.cue": "module: \"example.com/depot\"\nlanguage: version: \"v0.13.0\"\n", "depot.cue": cueDepot(lines),
				}, "depot.cue"
			},
		},
		{
			name: "buf", command: []string{"buf", "lsp", "serve"}, language: "proto", requests: peerRequests,
			files: func(lines int) (map[string]string, string) {
				return map[string]string{"buf.yaml": "version: v2\n", "depot.proto": protoDepot(lines)}, "depot.proto"
			},
		},
	}
	var out []kind
	for _, k := range all {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), k.name) {
			continue
		}
		if _, err := exec.LookPath(k.command[0]); err != nil {
			t.Logf("%s is not installed", k.name)
			continue
		}
		out = append(out, k)
	}
	return out
}

func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "koru")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/koru-go/koru/cmd/koru").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// server is a running server and its client.
type server struct {
	*lsptest.Client
	cmd     *exec.Cmd
	dir     string
	started time.Time
	ready   time.Duration // from spawn to the reply to initialize
	whole   bool          // it wants whole texts, no edits
}

// wantsWhole reads off the reply to initialize whether a server takes whole texts
// alone.
func wantsWhole(result json.RawMessage) bool {
	var r struct {
		Capabilities struct {
			TextDocumentSync json.RawMessage
		}
	}
	if json.Unmarshal(result, &r) != nil {
		return false
	}
	var kind int
	var options struct{ Change int }
	if json.Unmarshal(r.Capabilities.TextDocumentSync, &kind) == nil {
		return kind == 1
	}
	return json.Unmarshal(r.Capabilities.TextDocumentSync, &options) == nil && options.Change == 1
}

func startServer(t *testing.T, k kind, dir string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(k.command[0], k.command[1:]...), dir: dir}
	s.cmd.Dir = dir
	if k.name == "koru" {
		s.cmd.Stderr = os.Stderr
	}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.started = time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Client = lsptest.New(out, in)
	s.Answer(func(m *lsptest.Message) any {
		if m.Method == "workspace/configuration" {
			return []any{nil}
		}
		return nil
	})
	pending := s.Start("initialize", lsptest.Obj{
		"processId": os.Getpid(), "rootUri": "file://" + dir,
		"workspaceFolders": []lsptest.Obj{{"uri": "file://" + dir, "name": "w"}},
		"capabilities": lsptest.Obj{
			"general": lsptest.Obj{"positionEncodings": []string{"utf-16"}},
			"textDocument": lsptest.Obj{ // as those of VS Code
				"publishDiagnostics": lsptest.Obj{"versionSupport": true, "relatedInformation": true, "codeDescriptionSupport": true},
				"documentSymbol":     lsptest.Obj{"hierarchicalDocumentSymbolSupport": true},
				"hover":              lsptest.Obj{"contentFormat": []string{"markdown"}},
				"completion":         lsptest.Obj{"completionItem": lsptest.Obj{"snippetSupport": true, "labelDetailsSupport": true, "insertReplaceSupport": true}},
				"codeAction":         lsptest.Obj{"codeActionLiteralSupport": lsptest.Obj{"codeActionKind": lsptest.Obj{"valueSet": []string{"quickfix", "source"}}}},
			},
		},
	})
	m, err := pending.Wait()
	if err != nil || m.Error != nil {
		t.Fatalf("%s: initialize: %v %v", k.name, err, m)
	}
	s.ready = m.At.Sub(s.started)
	s.whole = wantsWhole(m.Result)
	s.Notify("initialized", lsptest.Obj{})
	return s
}

func (s *server) stop() {
	_, _ = s.Call("shutdown", nil)
	s.Notify("exit", nil)
	_ = s.Close()
	done := make(chan struct{})
	go func() { _ = s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill() // buf does not end by itself
		<-done
	}
}

// openFile writes the workspace, opens its file and waits for what is said of it.
func (s *server) openFile(k kind, dir, name, text string) *file {
	f := &file{uri: "file://" + filepath.Join(dir, name), version: 1}
	before, after, _ := strings.Cut(text, mark)
	text = before + after // a flow has no room for comments
	f.lines = strings.Split(text, "\n")
	f.line = strings.Count(before, "\n")
	f.col = len(before) - strings.LastIndexByte(before, '\n') - 1
	s.Notify("textDocument/didOpen", lsptest.Obj{"textDocument": lsptest.Obj{
		"uri": f.uri, "languageId": k.language, "version": 1, "text": text,
	}})
	return f
}

// key types a letter at the place, or takes it away again.
func (s *server) key(f *file) {
	f.version++
	change := lsptest.Obj{"range": lsptest.Range(f.line, f.col, f.line, f.col), "text": "x"}
	if f.typed {
		change = lsptest.Obj{"range": lsptest.Range(f.line, f.col, f.line, f.col+1), "text": ""}
	}
	f.typed = !f.typed
	if s.whole {
		lines := slices.Clone(f.lines)
		if f.typed {
			lines[f.line] = lines[f.line][:f.col] + "x" + lines[f.line][f.col:]
		}
		change = lsptest.Obj{"text": strings.Join(lines, "\n")}
	}
	s.Change(f.uri, f.version, change)
}

// times are measured durations.
type times []time.Duration

func (d times) at(p int) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	return fmt.Sprintf("%.1f", float64(d[min(len(d)-1, len(d)*p/100)].Microseconds())/1000)
}

func TestLatency(t *testing.T) {
	if !*measure {
		t.Skip("-measure is not set")
	}
	for _, size := range strings.Split(*sizes, ",") {
		lines, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kinds(t) {
			latencyOf(t, k, lines)
		}
	}
}

func latencyOf(t *testing.T, k kind, lines int) {
	files, name := k.files(lines)
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := startServer(t, k, dir)
	defer s.stop()
	count := *keys
	if lines >= 50_000 {
		count = max(10, count/10)
	}
	opened := time.Now()
	f := s.openFile(k, dir, name, files[name])
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\n%s, %d lines, %d KB\tp50\tp95\tmax\t\n", k.name, len(f.lines), len(files[name])>>10)
	fmt.Fprintf(w, "spawn to initialize\t%s\t\t\t\n", times{s.ready}.at(50))
	if m := s.published(f, 1, 20*time.Second); m != nil {
		fmt.Fprintf(w, "didOpen to diagnostics\t%s\t\t\t\n", times{m.At.Sub(opened)}.at(50))
	}
	for _, r := range k.requests {
		if *methods != "" && !slices.ContainsFunc(strings.Split(*methods, ","), func(m string) bool { return strings.HasSuffix(r.method, m) }) {
			continue
		}
		var got times
		refused := ""
		for range count {
			s.key(f)
			m, err := s.ask(r.method, r.params(f))
			if err != nil {
				refused = err.Error()
				break
			}
			if m.Error != nil {
				refused = m.Error.Error()
			}
			f.remember(r.method, m)
			got = append(got, m.took)
			time.Sleep(time.Millisecond) // nobody types faster
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.method, got.at(50), got.at(95), got.at(100), refused)
	}
	var got times
	for range count {
		sent := time.Now()
		s.key(f)
		if m := s.published(f, f.version, 5*time.Second); m != nil {
			got = append(got, m.At.Sub(sent))
		} else {
			break
		}
	}
	fmt.Fprintf(w, "diagnostics\t%s\t%s\t%s\t\n", got.at(50), got.at(95), got.at(100))
	fmt.Fprintf(w, "memory, MB\t%d\t\t\t\n", memory(s.cmd.Process.Pid)>>20)
	w.Flush()
}

// published waits for the diagnostics of a version, for as long as a peer may
// take; nil if it sends none.
func (s *server) published(f *file, version int, patience time.Duration) *lsptest.Message {
	type result struct{ m *lsptest.Message }
	ch := make(chan result, 1)
	go func() {
		_, m, err := s.Published(f.uri, version)
		if err != nil {
			m = nil
		}
		ch <- result{m}
	}()
	select {
	case r := <-ch:
		return r.m
	case <-time.After(patience):
		return nil
	}
}

// remember keeps the id of an answer that the next request is relative to.
func (f *file) remember(method string, m *answer) {
	if !strings.HasPrefix(method, "textDocument/semanticTokens/full") {
		return
	}
	var r struct{ ResultID string }
	if json.Unmarshal(m.Result, &r) == nil && r.ResultID != "" {
		f.tokens = r.ResultID
	}
}

// ask sends a request and waits for its answer.
func (s *server) ask(method string, params lsptest.Obj) (*answer, error) {
	p := s.Start(method, params)
	m, err := p.Wait()
	if err != nil {
		return nil, err
	}
	return &answer{m, m.At.Sub(p.Sent)}, nil
}

// answer is an answer and how long it took.
type answer struct {
	*lsptest.Message
	took time.Duration
}
