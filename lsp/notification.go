package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/lsp/view"
)

// notification takes a message that wants no answer. What is not known is passed
// over, as the protocol asks.
func (s *Server) notification(ctx context.Context, method string, params json.RawMessage) {
	switch {
	case method == "exit":
		code := 1
		if s.stage == shutDown {
			code = 0
		}
		s.leave(code)
		return
	case method == "$/cancelRequest":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(params, &p) == nil {
			s.cancel(p.ID)
		}
		return
	case s.stage != running:
		return
	}
	if handle := notifications[method]; handle != nil {
		if err := handle(s, ctx, params); err != nil {
			s.complain("%s: %v", method, err)
		}
	}
}

// notifications are what the server listens to.
var notifications = map[string]func(*Server, context.Context, json.RawMessage) error{
	"initialized": func(s *Server, ctx context.Context, _ json.RawMessage) error {
		s.initialized(ctx)
		return nil
	},
	"textDocument/didOpen":                (*Server).didOpen,
	"textDocument/didChange":              (*Server).didChange,
	"textDocument/didClose":               (*Server).didClose,
	"textDocument/didSave":                (*Server).didSave,
	"workspace/didChangeWatchedFiles":     (*Server).didChangeWatchedFiles,
	"workspace/didChangeWorkspaceFolders": (*Server).didChangeWorkspaceFolders,
	"workspace/didChangeConfiguration":    (*Server).didChangeConfiguration,
}

// complain tells the user of the editor, in its log, what is wrong with what the
// editor says.
func (s *Server) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.log.Print(text)
	s.tell("window/logMessage", &protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: text})
}

// update makes the next snapshot. Edits come on one goroutine in their order, but
// settings are fetched and come beside them.
func (s *Server) update(next func(*view.Snapshot) *view.Snapshot) {
	s.updating.Lock()
	defer s.updating.Unlock()
	s.snapshot.Store(next(s.snapshot.Load()))
	s.publish.wake()
}

// documentURI reads the URI of the document of a notification, in the client's spelling.
func documentURI(raw json.RawMessage) (uri.URI, error) {
	var p struct {
		TextDocument struct {
			URI *string `json:"uri"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", err
	}
	if p.TextDocument.URI == nil {
		return "", invalid("params.textDocument.uri is missing")
	}
	return uri.URI(*p.TextDocument.URI), nil
}

func (s *Server) didOpen(_ context.Context, raw json.RawMessage) error {
	u, err := documentURI(raw)
	if err != nil {
		return err
	}
	p, err := decodeAbout[protocol.DidOpenTextDocumentParams](s.snapshot.Load(), u, raw)
	if err != nil {
		return err
	}
	delete(s.lost, s.pathOf(u))
	s.update(func(old *view.Snapshot) *view.Snapshot {
		return old.WithOpen(u, string(p.TextDocument.LanguageID), p.TextDocument.Version, p.TextDocument.Text)
	})
	return nil
}

func (s *Server) pathOf(u uri.URI) string { return s.snapshot.Load().PathOf(u) }

func (s *Server) didChange(_ context.Context, raw json.RawMessage) error {
	u, err := documentURI(raw)
	if err != nil {
		return err
	}
	p, err := decodeAbout[protocol.DidChangeTextDocumentParams](s.snapshot.Load(), u, raw)
	if err != nil {
		return err
	}
	snapshot := s.snapshot.Load()
	d := snapshot.Open()[snapshot.PathOf(u)]
	if d == nil {
		return invalid("%s is not open", u)
	}
	file, err := applyChanges(snapshot, d, p.ContentChanges, s.lost[d.Path])
	if err != nil {
		s.lost[d.Path] = true
		return err
	}
	if file == nil {
		return nil // still lost
	}
	delete(s.lost, d.Path)
	s.update(func(old *view.Snapshot) *view.Snapshot { return old.WithText(d, p.TextDocument.Version, file) })
	return nil
}

func (s *Server) didClose(_ context.Context, raw json.RawMessage) error {
	u, err := documentURI(raw)
	if err != nil {
		return err
	}
	delete(s.lost, s.pathOf(u))
	s.update(func(old *view.Snapshot) *view.Snapshot { return old.WithoutDocument(u) })
	return nil
}

// didSave makes sure that the file counts as it is now on disk, for the time
// after the document is closed.
func (s *Server) didSave(_ context.Context, raw json.RawMessage) error {
	u, err := documentURI(raw)
	if err != nil {
		return err
	}
	s.snapshot.Load().Forget(u)
	return nil
}

func (s *Server) didChangeWatchedFiles(ctx context.Context, raw json.RawMessage) error {
	var p struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	changed := make([]uri.URI, len(p.Changes))
	for i, c := range p.Changes {
		changed[i] = uri.URI(c.URI)
	}
	s.update(func(old *view.Snapshot) *view.Snapshot { return old.WithDisk(changed...) })
	s.refresh(ctx)
	return nil
}

// refresh asks the client to ask again for what it shows: something has changed
// that it does not know of.
func (s *Server) refresh(ctx context.Context) {
	w := &s.client.Capabilities.Workspace
	for _, r := range []struct {
		method string
		able   bool
	}{
		{"workspace/diagnostic/refresh", w.Diagnostics.RefreshSupport},
		{"workspace/semanticTokens/refresh", w.SemanticTokens.RefreshSupport},
		{"workspace/inlayHint/refresh", w.InlayHint.RefreshSupport},
		{"workspace/codeLens/refresh", w.CodeLens.RefreshSupport},
	} {
		if r.able {
			s.call(ctx, r.method, nil, nil)
		}
	}
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, raw json.RawMessage) error {
	var p struct {
		Event struct {
			Added   []folder `json:"added"`
			Removed []folder `json:"removed"`
		} `json:"event"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	snapshot := s.snapshot.Load()
	for _, r := range p.Event.Removed {
		s.roots = slices.DeleteFunc(s.roots, func(f folder) bool {
			return snapshot.PathOf(uri.URI(f.URI)) == snapshot.PathOf(uri.URI(r.URI))
		})
	}
	s.roots = append(s.roots, p.Event.Added...)
	s.update(func(old *view.Snapshot) *view.Snapshot { return old.WithRoots(uris(s.roots)) })
	return nil
}
