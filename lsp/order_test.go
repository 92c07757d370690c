package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/lsp/view"
)

// TestOrder interleaves edits, requests and cancels. Every request is answered
// once, from the text as it was when the request came: the verb that is hovered
// over is called after the version of the text.
func TestOrder(t *testing.T) {
	const uri = "file:///w/a.k"
	s := open(t, fstest.MapFS{}, nil)
	r := rand.New(rand.NewPCG(2, *seed))
	text := func(version int) string {
		return fmt.Sprintf("tor find-%d {}\nproc find-%d|js {}\n%s", version, version, strings.Repeat("\ntor other {}\n", r.IntN(40)))
	}
	version := 1
	s.Open(uri, version, text(version))
	type asked struct {
		*lsptest.Pending
		version   int
		cancelled bool
	}
	var requests []*asked
	for range 3_000 {
		switch r.IntN(6) {
		case 0:
			version++
			s.Change(uri, version, lsptest.Obj{"text": text(version)})
		case 1: // an edit that half of a reader would see as another name
			from := fmt.Sprint(version)
			version++
			s.Change(uri, version,
				lsptest.Obj{"range": lsptest.Range(0, 9, 0, 9+len(from)), "text": ""},
				lsptest.Obj{"range": lsptest.Range(0, 9, 0, 9), "text": fmt.Sprint(version)})
		case 2:
			if n := len(requests); n > 0 {
				q := requests[max(0, n-1-r.IntN(5))]
				q.cancelled = true
				s.Notify("$/cancelRequest", lsptest.Obj{"id": q.ID})
			}
		default:
			requests = append(requests, &asked{Pending: s.Start("textDocument/hover", lsptest.At(uri, 0, 5)), version: version})
		}
	}
	answered, cancelled := 0, 0
	for _, q := range requests {
		m, err := q.Wait()
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("tor find-%d {}", q.version)
		switch {
		case m.Error != nil && m.Error.Code == codeCancelled && q.cancelled:
			cancelled++
		case m.Error != nil:
			t.Errorf("request %d: %v", q.ID, m.Error)
		case !strings.Contains(string(m.Result), want):
			t.Errorf("request %d: the answer does not tell of %s: %s", q.ID, want, m.Result)
		default:
			answered++
		}
	}
	s.sync()
	for _, q := range requests {
		if n := s.Answers(q.ID); n != 1 {
			t.Errorf("request %d was answered %d times", q.ID, n)
		}
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if n := len(s.server.pending); n != 0 {
		t.Errorf("%d requests are still pending", n)
	}
	if answered == 0 || cancelled == 0 {
		t.Errorf("%d answers and %d cancels: the test has tried nothing", answered, cancelled)
	}
}

// A request that meets a fault of the server is answered with an error, and the
// server goes on.
func TestFaultInARequest(t *testing.T) {
	s := open(t, fstest.MapFS{}, nil)
	s.server.log.SetOutput(new(strings.Builder)) // the stack is expected
	for method, answer := range map[string]func(context.Context, *view.Snapshot, json.RawMessage) (any, error){
		"test/panic": func(context.Context, *view.Snapshot, json.RawMessage) (any, error) { panic("a fault of the test") },
		"test/answer": func(context.Context, *view.Snapshot, json.RawMessage) (any, error) {
			return faultyAnswer{}, nil // met while the answer is encoded
		},
	} {
		byMethod()[method] = &feature{method: method, answer: answer}
		defer delete(byMethod(), method)
		_, err := s.Call(method, lsptest.Obj{})
		if e, ok := err.(*lsptest.Error); !ok || !strings.Contains(e.Message, "a fault of the test") {
			t.Errorf("the answer to %s is %v", method, err)
		}
	}
	s.Open("file:///w/a.k", 1, "tor find {}\n")
	if got := s.must("textDocument/hover", lsptest.At("file:///w/a.k", 0, 5)); !strings.Contains(got, "tor find") {
		t.Errorf("hover: %s", got)
	}
}

// faultyAnswer is an answer that cannot be encoded.
type faultyAnswer struct{}

func (faultyAnswer) MarshalJSON() ([]byte, error) { panic("a fault of the test") }
