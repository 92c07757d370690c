package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/koru-go/koru/lsp/lsptest"
)

// folderServer starts a server on a folder with the given files.
func folderServer(t *testing.T, files map[string]string, capabilities lsptest.Obj) (e *editor, uri func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	e = startServer(t)
	if _, err := e.Initialize("file://"+dir, capabilities); err != nil {
		t.Fatal(err)
	}
	return e, func(name string) string { return "file://" + filepath.Join(dir, name) }
}

// TestNavigationAcrossFiles asks the real server for what reaches over several
// documents, one of them with changes that are not saved.
func TestNavigationAcrossFiles(t *testing.T) {
	e, uri := folderServer(t, map[string]string{
		"shop.k":  "import stock\n\nstock:count(sku: \"a\"): _\n",
		"other.k": "import stock\n\nstock:count(sku: \"b\"): _\n",
		"stock.k": "pub tor count { sku: string } -> i64\ncount -> 1\n",
	}, lsptest.Obj{"workspace": lsptest.Obj{"workspaceEdit": lsptest.Obj{"documentChanges": true, "resourceOperations": []string{"rename"}}}})
	e.Open(uri("shop.k"), 7, "import stock\n\nstock:count(sku: \"a\"): n\n|> stock:count(sku: \"{{ n:d }}\"): _\n")
	expect := func(method string, params lsptest.Obj, parts ...string) {
		t.Helper()
		result, err := e.Call(method, params)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			return
		}
		for _, part := range parts {
			if !strings.Contains(string(result), part) {
				t.Errorf("%s: %s does not hold %s", method, result, part)
			}
		}
	}
	at := lsptest.At(uri("shop.k"), 2, 7)
	expect("textDocument/definition", at, "stock.k", `"line":0,"character":8`)
	expect("textDocument/references", with(at, "context", lsptest.Obj{"includeDeclaration": true}),
		"shop.k", "other.k", "stock.k", `"line":3,"character":9`)
	expect("textDocument/prepareRename", at, `"placeholder":"count"`)
	expect("textDocument/rename", with(at, "newName", "tally"), "shop.k", "other.k", "stock.k", `"version":7`, `"version":null`)
	expect("textDocument/rename", with(lsptest.At(uri("shop.k"), 0, 8), "newName", "store"), `"kind":"rename"`, "store.k")
	expect("workspace/willRenameFiles", lsptest.Obj{"files": []lsptest.Obj{{"oldUri": uri("stock.k"), "newUri": uri("store.k")}}},
		"shop.k", "other.k", `"newText":"store"`)
	expect("workspace/symbol", lsptest.Obj{"query": "cou"}, `"name":"count"`)
	expect("textDocument/documentLink", lsptest.Doc(uri("shop.k")), "stock.k")
	expect("workspace/executeCommand", lsptest.Obj{"command": "koru.openStd", "arguments": []any{uri("shop.k"), "std/io"}}, "koru-std:/std/io.k")
	expect("workspace/textDocumentContent", lsptest.Obj{"uri": "koru-std:/std/io.k"}, "pub tor print.ln")
	expect("koru/textDocumentContent", lsptest.Obj{"uri": "koru-std:/std/io.k"}, "pub tor print.ln")
	e.refused("textDocument/rename", with(at, "newName", "no name"), -32803)
}

func with(params lsptest.Obj, key string, value any) lsptest.Obj {
	out := lsptest.Obj{key: value}
	for k, v := range params {
		out[k] = v
	}
	return out
}

// TestRunsOnlyWhenAsked runs a program by the command, as it is on disk, and
// kills one that has no end together with the server.
func TestRunsOnlyWhenAsked(t *testing.T) {
	e, uri := folderServer(t, map[string]string{
		"hello.k": "import std/io\n\nstd/io:print.ln(\"hello from a file\")\n",
		"loop.k":  "for(0..1000000000000)\n! each n |> if(n < 0)\n    | then |> _\n",
		"wrong.k": "nobody()\n",
	}, nil)
	run := func(name string) (string, error) {
		result, err := e.Call("workspace/executeCommand", lsptest.Obj{"command": "koru.run", "arguments": []string{uri(name)}})
		return string(result), err
	}
	if got, err := run("hello.k"); err != nil || !strings.Contains(got, `"output":"hello from a file\n"`) || !strings.Contains(got, `"code":0`) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := run("wrong.k"); err != nil || !strings.Contains(got, "KORU040") || !strings.Contains(got, `"code":1`) {
		t.Errorf("%s, %v", got, err)
	}
	e.Open(uri("hello.k"), 1, "import std/io\n\nstd/io:print.ln(\"another text\")\n")
	if got, err := run("hello.k"); err == nil || !strings.Contains(err.Error(), "save it first") {
		t.Errorf("a buffer that differs from its file is run: %s", got)
	}
	if runtime.GOOS != "linux" {
		return
	}
	go func() { _, _ = run("loop.k") }()
	child := e.child()
	must(t, e.Close())
	e.exits(0)
	deadline := time.Now().Add(lsptest.Patience)
	for processState(child) != "" {
		if time.Now().After(deadline) {
			t.Fatalf("the program outlives the server: process %s", child)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// child waits for the process that the server has started and returns its id.
func (e *editor) child() string {
	e.t.Helper()
	deadline := time.Now().Add(lsptest.Patience)
	for time.Now().Before(deadline) {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", e.cmd.Process.Pid))
		for _, task := range tasks {
			if text, err := os.ReadFile(task); err == nil && len(strings.Fields(string(text))) > 0 {
				return strings.Fields(string(text))[0]
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	e.t.Fatal("the program is not started")
	return ""
}

// processState returns the state of a process, "" if there is none of that id.
func processState(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	if strings.HasPrefix(rest, "Z") {
		return "" // ended, and nobody has asked how
	}
	return rest
}

// TestCapabilitiesAreKept asks for everything that the server says it can do
// about a document: no such request is unknown.
func TestCapabilitiesAreKept(t *testing.T) {
	e, uri := folderServer(t, map[string]string{"a.k": "tor f { x: string }\nproc f|js {}\n\nf(x: \"a\")\n"}, nil)
	e.Open(uri("a.k"), 1, "tor f { x: string }\nproc f|js {}\n\nf(x: \"a\")\n")
	place := lsptest.At(uri("a.k"), 3, 0)
	whole := lsptest.Obj{"start": lsptest.Obj{"line": 0, "character": 0}, "end": lsptest.Obj{"line": 4, "character": 0}}
	for method, params := range map[string]lsptest.Obj{
		"textDocument/declaration": place, "textDocument/typeDefinition": place, "textDocument/implementation": place,
		"textDocument/documentHighlight": place, "textDocument/linkedEditingRange": place, "textDocument/prepareCallHierarchy": place,
		"textDocument/documentSymbol": lsptest.Doc(uri("a.k")), "textDocument/foldingRange": lsptest.Doc(uri("a.k")),
		"textDocument/codeLens":       lsptest.Doc(uri("a.k")),
		"textDocument/selectionRange": with(lsptest.Doc(uri("a.k")), "positions", []lsptest.Obj{{"line": 3, "character": 0}}),
		"textDocument/codeAction":     with(with(lsptest.Doc(uri("a.k")), "range", whole), "context", lsptest.Obj{"diagnostics": []int{}}),
	} {
		if result, err := e.Call(method, params); err != nil || !json.Valid(result) {
			t.Errorf("%s: %s, %v", method, result, err)
		}
	}
	items, err := e.Call("textDocument/prepareCallHierarchy", place)
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(items, &list); err != nil || len(list) != 1 {
		t.Fatalf("%s, %v", items, err)
	}
	for _, method := range []string{"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"} {
		if _, err := e.Call(method, lsptest.Obj{"item": list[0]}); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}
