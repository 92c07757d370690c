package lsp

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

// session is a server in this process and a client that talks to it.
type session struct {
	*lsptest.Client
	t      testing.TB
	server *Server
	code   chan int
	codes  map[string][]string // of the findings that were last published, by URI
}

// start starts a server over a disk.
func start(t testing.TB, disk fs.FS) *session {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := &session{t: t, code: make(chan int, 1)}
	s.server = newServer(fromClient, toClient, Options{Check: checkOptions(disk), Version: "test", Log: testLog{t}})
	s.Client = lsptest.New(fromServer, toServer)
	go func() {
		s.code <- s.server.serve(context.Background())
		_ = fromClient.Close()
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		_ = s.Close()
		select {
		case <-s.code:
		case <-time.After(lsptest.Patience):
			t.Error("the server does not end")
		}
	})
	return s
}

// open starts a server and initializes it, with /w as its folder.
func open(t testing.TB, disk fs.FS, capabilities lsptest.Obj) *session {
	t.Helper()
	s := start(t, disk)
	if _, err := s.Initialize("file:///w", capabilities); err != nil {
		t.Fatal(err)
	}
	return s
}

// in makes capabilities with which a client asks for an encoding of positions.
func in(encoding string) lsptest.Obj {
	return lsptest.Obj{"general": lsptest.Obj{"positionEncodings": []string{encoding}}}
}

func checkOptions(disk fs.FS) check.Options {
	bodies := stdlib.Bodies()
	return check.Options{
		Files: disk, Std: stdlib.FS(), Targets: []string{"js", "zig"},
		Bodies: func(path string) bool {
			module, _, _ := strings.Cut(path, ":")
			return bodies[path] != nil || module == "std/bridge" || module == "std/runtime" || module == "std/interpreter"
		},
	}
}

// testLog makes what a server complains of a fault of the test: nothing is to go
// wrong inside unless a test says so.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	if text := string(p); strings.Contains(text, "goroutine") || strings.Contains(text, "panic") {
		l.t.Errorf("the server met a fault:\n%s", text)
	}
	return len(p), nil
}

// document returns a document as the server has it, once it has taken all
// messages that were sent.
func (s *session) document(uri string) *view.Document {
	s.t.Helper()
	s.sync()
	snapshot := s.server.snapshot.Load()
	return snapshot.Open()[snapshot.PathOf(uriOf(uri))]
}

// sync waits until the server has taken all messages that were sent.
func (s *session) sync() {
	s.t.Helper()
	if _, err := s.Call("koru/nothing", nil); err == nil {
		s.t.Fatal("a method that there is not was answered")
	} else if _, ok := err.(*lsptest.Error); !ok {
		s.t.Fatal(err)
	}
}

// must calls a method that must not fail.
func (s *session) must(method string, params any) string {
	s.t.Helper()
	result, err := s.Call(method, params)
	if err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	return string(result)
}

// encodings are the names of the encodings of positions.
var encodings = map[string]syntax.Encoding{"utf-8": syntax.UTF8, "utf-16": syntax.UTF16, "utf-32": syntax.UTF32}
