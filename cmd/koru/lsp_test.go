package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/koru-go/koru/lsp/lsptest"
)

// editor is a client with the process it talks to.
type editor struct {
	*lsptest.Client
	t    *testing.T
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// startServer starts `koru lsp` as an editor does.
func startServer(t *testing.T) *editor {
	t.Helper()
	e := &editor{t: t, cmd: exec.Command("koru", "lsp", "--stdio"), done: make(chan struct{})}
	e.cmd.Stderr = os.Stderr
	in, err := e.cmd.StdinPipe()
	must(t, err)
	out, w, err := os.Pipe() // not StdoutPipe: Wait must not close it under the reader
	must(t, err)
	e.cmd.Stdout = w
	must(t, e.cmd.Start())
	must(t, w.Close())
	e.Client = lsptest.New(out, in)
	go func() {
		e.err = e.cmd.Wait()
		close(e.done)
	}()
	t.Cleanup(func() {
		_ = in.Close()
		select {
		case <-e.done:
		case <-time.After(lsptest.Patience):
			t.Error("the server outlives its client")
			_ = e.cmd.Process.Kill()
		}
		_ = out.Close()
	})
	return e
}

// open starts a server and initializes it.
func openServer(t *testing.T, capabilities lsptest.Obj) *editor {
	t.Helper()
	e := startServer(t)
	if _, err := e.Initialize("file://"+t.TempDir(), capabilities); err != nil {
		t.Fatal(err)
	}
	return e
}

// exits waits for the end of the process and compares its exit code.
func (e *editor) exits(code int) {
	e.t.Helper()
	select {
	case <-e.done:
	case <-time.After(lsptest.Patience):
		e.t.Fatal("the process does not end")
	}
	if got := e.cmd.ProcessState.ExitCode(); got != code {
		e.t.Errorf("exit code %d, want %d", got, code)
	}
}

// refused calls a method that must be answered with an error of a code.
func (e *editor) refused(method string, params any, code int) {
	e.t.Helper()
	_, err := e.Call(method, params)
	refusal, ok := err.(*lsptest.Error)
	if !ok || refusal.Code != code {
		e.t.Errorf("%s: %v, want an error with code %d", method, err, code)
	}
}

// serves makes sure that the server still does its work.
func (e *editor) serves(uri string) {
	e.t.Helper()
	if got := e.hover(uri, 3, 0); !strings.Contains(got, "tor find") {
		e.t.Errorf("hover: %s", got)
	}
}

func (e *editor) hover(uri string, line, character int) string {
	e.t.Helper()
	result, err := e.Call("textDocument/hover", lsptest.At(uri, line, character))
	if err != nil {
		e.t.Errorf("hover: %v", err)
	}
	return string(result)
}

// unanswered waits for an answer that has no id.
func (e *editor) unanswered(code int) {
	e.t.Helper()
	m, err := e.Await(func(m *lsptest.Message) bool { return m.Error != nil && string(m.ID) == "null" })
	if err != nil {
		e.t.Fatal(err)
	}
	if m.Error.Code != code {
		e.t.Errorf("%v, want code %d", m.Error, code)
	}
}

const shopText = "tor find { sku: string }\nproc find|js {}\n\nfind(sku: \"A\")\n"

const shopURI = "file:///shop/shop.k"

// TestHostileClients drives the real process through what gets servers killed.
func TestHostileClients(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"a request before initialize", func(t *testing.T) {
			e := startServer(t)
			e.refused("textDocument/hover", lsptest.At(shopURI, 0, 0), -32002)
			e.Open(shopURI, 1, shopText) // a notification is dropped
			if _, err := e.Initialize("", nil); err != nil {
				t.Fatal(err)
			}
			e.Open(shopURI, 1, shopText)
			e.serves(shopURI)
		}},
		{"a header in small letters", func(t *testing.T) {
			e := startServer(t)
			body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
			must(t, e.Raw(fmt.Sprintf("content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n%s", len(body), body)))
			m, err := e.Await(func(m *lsptest.Message) bool { return string(m.ID) == "1" })
			if err != nil || m.Result == nil {
				t.Fatal(m, err)
			}
		}},
		{"UTF-8 is offered", func(t *testing.T) {
			for offered, want := range map[string]string{
				`["utf-8","utf-16"]`: "utf-8", `["utf-16","utf-8"]`: "utf-8", `["utf-32","utf-16"]`: "utf-32",
				`["utf-16"]`: "utf-16", `[]`: "utf-16", `["utf-7"]`: "utf-16",
			} {
				e := startServer(t)
				result, err := e.Initialize("", lsptest.Obj{"general": lsptest.Obj{"positionEncodings": json.RawMessage(offered)}})
				if err != nil || !strings.Contains(string(result), `"positionEncoding":"`+want+`"`) {
					t.Errorf("%s: %s, %v", offered, result, err)
				}
			}
		}},
		{"an unknown method", func(t *testing.T) {
			e := openServer(t, nil)
			e.refused("textDocument/telepathy", lsptest.Obj{}, -32601)
			e.refused("$/telepathy", lsptest.Obj{}, -32601)
			e.Notify("$/telepathy", lsptest.Obj{})
			e.Notify("textDocument/didTelepathy", lsptest.Obj{})
			e.Open(shopURI, 1, shopText)
			e.serves(shopURI)
		}},
		{"hover far below the text", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, shopText)
			if got := e.hover(shopURI, 999_999, 0); got != "null" {
				t.Errorf("hover: %s", got)
			}
			if got := e.hover(shopURI, 1<<32-1, 1<<32-1); got != "null" {
				t.Errorf("hover: %s", got)
			}
		}},
		{"hover past the end of a line", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, "tor find {}\n| a\n| b\nproc find|js { return \"a\"; }\n\nfind()\n| a |> _\n| b |> find\n")
			if got := e.hover(shopURI, 7, 999); !strings.Contains(got, "tor find") {
				t.Errorf("the position is not that of the end of the line: %s", got)
			}
		}},
		{"a buffer without a file", func(t *testing.T) {
			e := openServer(t, nil)
			for _, uri := range []string{"untitled:Untitled-1", "untitled:/with%20space.k", "inmemory://model/1"} {
				e.Open(uri, 1, shopText)
				e.serves(uri)
				e.Open(uri, 2, "find(")
				d, _, err := e.Published(uri, 2)
				if err != nil || len(d.Diagnostics) == 0 {
					t.Errorf("%s: no diagnostics: %v", uri, err)
				}
			}
		}},
		{"params without a position", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, shopText)
			e.refused("textDocument/hover", lsptest.Doc(shopURI), -32602)
			e.refused("textDocument/hover", lsptest.Obj{"position": lsptest.Obj{"line": 0, "character": 0}}, -32602)
			e.refused("textDocument/hover", nil, -32602)
			e.refused("textDocument/hover", lsptest.Obj{"textDocument": lsptest.Obj{"uri": shopURI}, "position": lsptest.Obj{"line": -1, "character": 0}}, -32602)
			e.refused("textDocument/hover", lsptest.At("file:///shop/nowhere.k", 0, 0), -32602)
			e.refused("textDocument/rangeFormatting", lsptest.Doc(shopURI), -32602)
			e.serves(shopURI)
		}},
		{"a second initialize", func(t *testing.T) {
			e := openServer(t, nil)
			e.refused("initialize", lsptest.Obj{"capabilities": lsptest.Obj{}}, -32600)
			e.Open(shopURI, 1, shopText)
			e.serves(shopURI)
		}},
		{"an inverted change", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, shopText)
			e.Change(shopURI, 2, lsptest.Obj{"range": lsptest.Range(3, 4, 0, 0), "text": "x"})
			if _, err := e.Await(func(m *lsptest.Message) bool { return m.Method == "window/logMessage" }); err != nil {
				t.Fatal(err)
			}
			// what is relative to a text that we do not have is passed over
			e.Change(shopURI, 3, lsptest.Obj{"range": lsptest.Range(0, 0, 3, 0), "text": ""})
			e.serves(shopURI)
			e.Change(shopURI, 4, lsptest.Obj{"text": "\n" + shopText})
			if got := e.hover(shopURI, 4, 0); !strings.Contains(got, "tor find") {
				t.Errorf("the whole text has not brought the document back: %s", got)
			}
			e.Change(shopURI, 5, lsptest.Obj{"range": lsptest.Range(0, 0, 1, 0), "text": ""})
			e.serves(shopURI)
		}},
		{"a body that is no JSON", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, shopText)
			for _, body := range []string{`{"jsonrpc":"2.0","id":7,"method":`, "\x00\xff", "{", ""} {
				must(t, e.Body(body))
				e.unanswered(-32700)
			}
			for _, body := range []string{`[]`, `[{"jsonrpc":"2.0","id":7,"method":"shutdown"}]`, `17`, `null`, `{}`, `{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}`} {
				must(t, e.Body(body))
				e.unanswered(-32600)
			}
			must(t, e.Raw("Content-Length: soon\r\n\r\n"))
			e.unanswered(-32700)
			e.serves(shopURI)
		}},
		{"exit without shutdown", func(t *testing.T) {
			e := openServer(t, nil)
			e.Notify("exit", nil)
			e.exits(1)
		}},
		{"standard input is closed", func(t *testing.T) {
			e := openServer(t, nil)
			must(t, e.Close())
			e.exits(0)
		}},
		{"a request after shutdown", func(t *testing.T) {
			e := openServer(t, nil)
			if _, err := e.Call("shutdown", nil); err != nil {
				t.Fatal(err)
			}
			e.refused("textDocument/hover", lsptest.At(shopURI, 0, 0), -32600)
			e.refused("initialize", lsptest.Obj{"capabilities": lsptest.Obj{}}, -32600)
			e.refused("shutdown", nil, -32600)
			e.Notify("exit", nil)
			e.exits(0)
		}},
		{"shutdown and exit with work under way", func(t *testing.T) {
			e := openServer(t, nil)
			e.Open(shopURI, 1, strings.Repeat(shopText, 2_000))
			for range 50 {
				e.Start("textDocument/formatting", lsptest.Doc(shopURI))
			}
			if _, err := e.Call("shutdown", nil); err != nil {
				t.Fatal(err)
			}
			e.Notify("exit", nil) // the stream stays open
			e.exits(0)
		}},
		{"a header without end", func(t *testing.T) {
			e := openServer(t, nil)
			_ = e.Raw("X-Filler: " + strings.Repeat("x", 1<<20)) // the pipe may break
			<-e.done
		}},
		{"a length that is a lie", func(t *testing.T) {
			e := openServer(t, nil)
			must(t, e.Raw("Content-Length: 500000000\r\n\r\n{"))
			must(t, e.Close())
			e.exits(0)
		}},
		{"ids of every kind", func(t *testing.T) {
			e := openServer(t, nil)
			for _, id := range []string{`-5`, `0`, `"a \"b\""`, `9007199254740993`} {
				must(t, e.Body(`{"jsonrpc":"2.0","id":`+id+`,"method":"workspace/nothing"}`))
				if _, err := e.Await(func(m *lsptest.Message) bool { return string(m.ID) == id }); err != nil {
					t.Errorf("id %s: %v", id, err)
				}
			}
		}},
	} {
		t.Run(tt.name, tt.run)
	}
}

// A hundred editors come and go, in every manner, and leave nothing behind.
func TestServersEnd(t *testing.T) {
	for i := range 100 {
		e := startServer(t)
		if i%4 > 0 {
			if _, err := e.Initialize("", nil); err != nil {
				t.Fatal(err)
			}
			e.Open(shopURI, 1, shopText)
		}
		switch i % 4 {
		case 1:
			_, _ = e.Call("shutdown", nil)
			e.Notify("exit", nil)
			e.exits(0)
		case 2:
			e.Notify("exit", nil)
			e.exits(1)
		default:
			must(t, e.Close())
			e.exits(0)
		}
	}
}
