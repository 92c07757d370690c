package lsp

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/koru-go/koru/lsp/lsptest"
)

// disk is a file system that changes under the server.
type disk struct {
	mu    sync.Mutex
	files fstest.MapFS
}

func newDisk(files map[string]string) *disk {
	d := &disk{files: fstest.MapFS{}}
	for name, text := range files {
		d.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return d
}

func (d *disk) Open(name string) (fs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files.Open(name)
}

func (d *disk) write(name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = &fstest.MapFile{Data: []byte(text)}
}

func (d *disk) remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
}

// changed tells the server that files have changed on disk.
func (s *session) changed(names ...string) {
	var events []lsptest.Obj
	for _, name := range names {
		events = append(events, lsptest.Obj{"uri": "file:///" + name, "type": 2})
	}
	s.Notify("workspace/didChangeWatchedFiles", lsptest.Obj{"changes": events})
}

// shown waits until a document shows findings with the given codes. What is
// published of others meanwhile is remembered.
func (s *session) shown(uri string, codes ...string) {
	s.t.Helper()
	s.sync()
	for !slices.Equal(s.codes[uri], codes) {
		var d lsptest.Diagnostics
		if _, err := s.Await(func(m *lsptest.Message) bool {
			d = lsptest.Diagnostics{}
			return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &d) == nil
		}); err != nil {
			s.t.Fatalf("%s shows %v, want %v", uri, s.codes[uri], codes)
		}
		if s.codes == nil {
			s.codes = map[string][]string{}
		}
		s.codes[d.URI] = codesOf(s.t, d.Diagnostics)
	}
}

func codesOf(t testing.TB, list []json.RawMessage) []string {
	t.Helper()
	var codes []string
	for _, raw := range list {
		var d struct{ Code string }
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		codes = append(codes, d.Code)
	}
	return codes
}

const (
	mainURI  = "file:///w/main.k"
	stockURI = "file:///w/stock.k"
	mainText = "import app/stock\n\napp/stock:count(sku: \"A\")\n"
)

// What is shown of a document goes when its faults go, when it is closed, and
// when what they were about has changed on disk.
func TestDiagnosticsGo(t *testing.T) {
	files := newDisk(map[string]string{"w/main.k": mainText, "w/stock.k": "pub tor count { sku: string }\nproc count|js {}\n"})
	s := open(t, files, nil)
	s.Open(mainURI, 1, mainText)
	s.shown(mainURI)
	s.Change(mainURI, 2, lsptest.Obj{"text": mainText + "nothing()\n"})
	s.shown(mainURI, "KORU040")
	s.Change(mainURI, 3, lsptest.Obj{"text": mainText})
	s.shown(mainURI)

	files.remove("w/stock.k") // a branch is switched
	s.changed("w/stock.k")
	s.shown(mainURI, "KORU002")
	files.write("w/stock.k", "pub tor count { sku: string, of: string }\nproc count|js {}\n")
	s.changed("w/stock.k")
	s.shown(mainURI, "KORU080")

	// an open document counts, not what is on disk
	s.Open(stockURI, 1, "pub tor count { sku: string }\nproc count|js {}\nnothing()\n")
	s.shown(mainURI)
	s.Notify("textDocument/didClose", lsptest.Doc(stockURI))
	s.shown(stockURI)
	s.shown(mainURI, "KORU080")
	s.Notify("textDocument/didClose", lsptest.Doc(mainURI))
	s.shown(mainURI)
}

// A module is judged from the program that it is a part of, and its own faults
// are shown with it, wherever the edit was.
func TestModuleOfAProgram(t *testing.T) {
	s := open(t, newDisk(map[string]string{
		"w/main.k":          "import app/lib/stock\n\napp/lib/stock:count(sku: \"A\")\n",
		"w/lib/stock.k":     "import app/lib/shelf\n\npub tor count { sku: string }\ncount = app/lib/shelf:find(sku)\n",
		"w/lib/shelf.k":     "pub tor find { sku: string }\nproc find|js {}\n",
		"w/other/unused.k":  "nothing()\n",
		"w/.hidden/x.k":     "nothing()\n",
		"w/world/holds.log": "", "w/world/sweep.k": "tor sweep {}\n",
	}), nil)
	const stock, shelf = "file:///w/lib/stock.k", "file:///w/lib/shelf.k"
	s.Open(stock, 1, "import app/lib/shelf\n\npub tor count { sku: string }\ncount = app/lib/shelf:find(sku)\n")
	s.shown(stock) // app/ is the folder of main.k
	s.Open(shelf, 1, "pub tor find { shelf: string }\nproc find|js {}\n")
	s.shown(stock, "KORU081")
	s.Change(shelf, 2, lsptest.Obj{"text": "pub tor find { sku: string }\nproc find|js {}\n"})
	s.shown(stock)
	var report struct{ Items []struct{ URI string } }
	if err := json.Unmarshal([]byte(s.must("workspace/diagnostic", lsptest.Obj{"previousResultIds": []string{}})), &report); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range report.Items {
		got = append(got, strings.TrimPrefix(item.URI, "file:///w/"))
	}
	if want := []string{"lib/shelf.k", "lib/stock.k", "main.k", "other/unused.k"}; !slices.Equal(got, want) {
		t.Errorf("the workspace is %v, want %v", got, want)
	}
}

// Answers to a client that pulls are not sent again while they hold.
func TestPulledDiagnostics(t *testing.T) {
	s := open(t, newDisk(nil), lsptest.Obj{"textDocument": lsptest.Obj{"diagnostic": lsptest.Obj{}}})
	s.Open(mainURI, 1, "nothing()\n")
	type report struct {
		Kind, ResultID string
		Items          []json.RawMessage
	}
	pull := func(previous string) (r report) {
		t.Helper()
		params := lsptest.Doc(mainURI)
		if previous != "" {
			params["previousResultId"] = previous
		}
		if err := json.Unmarshal([]byte(s.must("textDocument/diagnostic", params)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := pull("")
	if first.Kind != "full" || !slices.Equal(codesOf(t, first.Items), []string{"KORU040"}) {
		t.Errorf("first: %+v", first)
	}
	if again := pull(first.ResultID); again.Kind != "unchanged" || again.ResultID != first.ResultID {
		t.Errorf("again: %+v", again)
	}
	s.Change(mainURI, 2, lsptest.Obj{"text": "\nnothing()\n"})
	if moved := pull(first.ResultID); moved.Kind != "full" {
		t.Errorf("what has moved counts as unchanged: %+v", moved)
	}
	for _, m := range s.Notes() {
		if m.Method == "textDocument/publishDiagnostics" {
			t.Errorf("a client that pulls is pushed to: %s", m.Params)
		}
	}
}

// A koru.json is shown with the programs that it is about.
func TestProjectDiagnostics(t *testing.T) {
	files := newDisk(map[string]string{"w/koru.json": `{"paths": {"app": "x"}}`, "w/main.k": ""})
	s := open(t, files, nil)
	s.Open(mainURI, 1, "")
	s.shown("file:///w/koru.json", "KORU172")
	files.write("w/koru.json", `{}`)
	s.changed("w/koru.json")
	s.shown("file:///w/koru.json")
}

// A workspace may have several folders, which come and go.
func TestFolders(t *testing.T) {
	s := start(t, newDisk(map[string]string{"a/one.k": "tor find-one {}\n", "b/two.k": "tor find-two {}\n", "c/three.k": "tor find-three {}\n"}))
	if _, err := s.Call("initialize", lsptest.Obj{
		"capabilities":     lsptest.Obj{},
		"workspaceFolders": []lsptest.Obj{{"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}},
	}); err != nil {
		t.Fatal(err)
	}
	found := func() (names []string) {
		t.Helper()
		var symbols []struct{ Name string }
		if err := json.Unmarshal([]byte(s.must("workspace/symbol", lsptest.Obj{"query": "find"})), &symbols); err != nil {
			t.Fatal(err)
		}
		for _, sym := range symbols {
			names = append(names, sym.Name)
		}
		slices.Sort(names)
		return names
	}
	if got, want := found(), []string{"find-one", "find-two"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	s.Notify("workspace/didChangeWorkspaceFolders", lsptest.Obj{"event": lsptest.Obj{
		"added": []lsptest.Obj{{"uri": "file:///c/", "name": "c"}}, "removed": []lsptest.Obj{{"uri": "file:///a", "name": "a"}},
	}})
	if got, want := found(), []string{"find-three", "find-two"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// Settings come with initialize, when the server asks, and when they change.
func TestSettings(t *testing.T) {
	const text = "tor find { sku: string }\nproc find|js {}\n\ntor all { x: { sku: string } }\nall = find(x.sku)\n"
	var puns atomic.Bool
	s := start(t, newDisk(nil))
	s.Answer(func(m *lsptest.Message) any {
		if m.Method != "workspace/configuration" {
			return nil
		}
		return []any{lsptest.Obj{"hints": lsptest.Obj{"puns": puns.Load(), "costs": false}}}
	})
	if _, err := s.Initialize("file:///w", lsptest.Obj{"workspace": lsptest.Obj{"configuration": true}}); err != nil {
		t.Fatal(err)
	}
	s.Open(mainURI, 1, text)
	hinted := func() bool {
		return s.must("textDocument/inlayHint", with(lsptest.Doc(mainURI), lsptest.Obj{"range": lsptest.Range(0, 0, 9, 0)})) != "[]"
	}
	until := func(want bool) { // an answer to the server comes beside what we send
		t.Helper()
		for deadline := time.Now().Add(lsptest.Patience); hinted() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("hints are shown: %v, want %v", !want, want)
			}
		}
	}
	until(false)
	puns.Store(true)
	s.Notify("workspace/didChangeConfiguration", lsptest.Obj{"settings": nil})
	until(true)
}

// The server registers the files whose changes it must hear of, and shows that
// it reads the workspace.
func TestRegistrations(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]string{}
	s := start(t, newDisk(nil))
	s.Answer(func(m *lsptest.Message) any {
		mu.Lock()
		defer mu.Unlock()
		asked[m.Method] = string(m.Params)
		return nil
	})
	if _, err := s.Initialize("file:///w", lsptest.Obj{
		"workspace": lsptest.Obj{"didChangeWatchedFiles": lsptest.Obj{"dynamicRegistration": true}},
		"window":    lsptest.Obj{"workDoneProgress": true},
	}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"begin", "end"} {
		if _, err := s.Await(func(m *lsptest.Message) bool {
			return m.Method == "$/progress" && strings.Contains(string(m.Params), `"kind":"`+kind+`"`)
		}); err != nil {
			t.Fatalf("progress does not %s: %v", kind, err)
		}
	}
	for deadline := time.Now().Add(lsptest.Patience); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		watched := asked["client/registerCapability"]
		mu.Unlock()
		if strings.Contains(watched, "didChangeWatchedFiles") && strings.Contains(watched, "koru.json") && strings.Contains(watched, "kjs") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("registered: %s", watched)
		}
	}
}

// A server whose editor is gone ends, though nobody has closed its input.
func TestParentGone(t *testing.T) {
	s := start(t, newDisk(nil))
	var alive atomic.Bool
	alive.Store(true)
	s.server.opts.Alive = func(pid int) bool { return pid != 4711 || alive.Load() }
	s.server.interval = time.Millisecond
	if _, err := s.Call("initialize", lsptest.Obj{"processId": 4711, "capabilities": lsptest.Obj{}}); err != nil {
		t.Fatal(err)
	}
	s.sync()
	alive.Store(false)
	select {
	case code := <-s.code:
		s.code <- code
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
	case <-time.After(lsptest.Patience):
		t.Error("the server outlives its editor")
	}
}
