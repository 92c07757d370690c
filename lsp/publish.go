package lsp

import (
	"context"
	"encoding/json"
	"hash/maphash"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/lsp/view"
)

// publisher sends the diagnostics of open documents to a client that does not
// ask for them. It works on the newest snapshot there is: while it does, edits
// come and go, and what they leave is next. So it never falls behind, and what
// it has found out about a text that is no more is not sent.
type publisher struct {
	s     *Server
	ready chan struct{}
	said  map[string]said // by path: what the client shows
}

// said is what a client has been told about a document.
type said struct {
	uri     uri.URI
	version int32
	sum     uint64
	empty   bool
}

func newPublisher(s *Server) *publisher {
	return &publisher{s: s, ready: make(chan struct{}, 1), said: map[string]said{}}
}

// wake says that there is a new snapshot.
func (p *publisher) wake() {
	select {
	case p.ready <- struct{}{}:
	default:
	}
}

func (p *publisher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.ready:
			p.s.guard("publishing diagnostics", func() { p.round(ctx) })
		}
	}
}

// round publishes what has changed in the newest snapshot.
func (p *publisher) round(ctx context.Context) {
	s := p.s.snapshot.Load()
	if p.s.pulls.Load() {
		return
	}
	shown := map[string]bool{}
	for _, d := range p.order(s) {
		if s != p.s.snapshot.Load() {
			return // its successor has woken us already
		}
		shown[d.Path] = true
		list, err := view.Diagnostics(ctx, s, d)
		if err != nil {
			list = []protocol.Diagnostic{}
		}
		p.say(s, d, list)
		if at, list := view.ProjectDiagnostics(s, d); at != "" {
			path := s.PathOf(at)
			if !shown[path] {
				p.say(s, &view.Document{URI: at, Path: path}, list)
			}
			shown[path] = true
		}
	}
	for path, was := range p.said {
		if !shown[path] {
			if !was.empty {
				p.send(was.uri, nil, []protocol.Diagnostic{})
			}
			delete(p.said, path)
		}
	}
}

// order returns the open documents, those first that have changed since they
// were last spoken of.
func (p *publisher) order(s *view.Snapshot) []*view.Document {
	var changed, rest []*view.Document
	for path, d := range s.Open() {
		if was, ok := p.said[path]; !ok || was.version != d.Version {
			changed = append(changed, d)
		} else {
			rest = append(rest, d)
		}
	}
	return append(changed, rest...)
}

var sumSeed = maphash.MakeSeed()

// say tells the client what is wrong with a document, unless it knows.
func (p *publisher) say(s *view.Snapshot, d *view.Document, list []protocol.Diagnostic) {
	text := mustMarshal(&protocol.PublishDiagnosticsParams{URI: d.URI, Diagnostics: list})
	now := said{d.URI, d.Version, maphash.Bytes(sumSeed, text), len(list) == 0}
	if was, known := p.said[d.Path]; known && was == now {
		return
	} else if !known && now.empty && !d.Open {
		return
	}
	if s != p.s.snapshot.Load() {
		return
	}
	p.said[d.Path] = now
	if !d.Open {
		p.send(d.URI, nil, list)
		return
	}
	p.send(d.URI, &d.Version, list)
}

func (p *publisher) send(u uri.URI, version *int32, list []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: list}
	if version != nil {
		params.Version = protocol.NewOptional(*version)
	}
	_ = p.s.stream.notify("textDocument/publishDiagnostics", json.RawMessage(mustMarshal(params)))
}
