package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/lsp/view"
	"github.com/koru-go/koru/syntax"
)

// client is what is read of the parameters of initialize. It is decoded by a
// struct of our own that passes over whatever does not fit, because a server
// that refuses to start over a capability it does not care for helps nobody.
type client struct {
	ProcessID        *int            `json:"processId"`
	RootURI          *string         `json:"rootUri"`
	RootPath         *string         `json:"rootPath"`
	WorkspaceFolders []folder        `json:"workspaceFolders"`
	Options          json.RawMessage `json:"initializationOptions"`
	Trace            string          `json:"trace"`
	Capabilities     capabilities    `json:"capabilities"`
}

type folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// able is a capability that is said by the presence of an object.
type able = *struct{}

// dynamic is a capability that a server can register at run time.
type dynamic struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

type refreshing struct {
	RefreshSupport bool `json:"refreshSupport"`
}

type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
	Workspace struct {
		Configuration          bool       `json:"configuration"`
		DidChangeConfiguration dynamic    `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  dynamic    `json:"didChangeWatchedFiles"`
		Diagnostics            refreshing `json:"diagnostics"`
		SemanticTokens         refreshing `json:"semanticTokens"`
		InlayHint              refreshing `json:"inlayHint"`
		CodeLens               refreshing `json:"codeLens"`
		WorkspaceEdit          struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Diagnostic able `json:"diagnostic"`
		Hover      struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		Completion struct {
			CompletionItem struct {
				SnippetSupport       bool `json:"snippetSupport"`
				LabelDetailsSupport  bool `json:"labelDetailsSupport"`
				InsertReplaceSupport bool `json:"insertReplaceSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		Definition struct {
			LinkSupport bool `json:"linkSupport"`
		} `json:"definition"`
		DocumentSymbol struct {
			Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
		FoldingRange struct {
			LineFoldingOnly bool `json:"lineFoldingOnly"`
		} `json:"foldingRange"`
		CodeAction struct {
			Literals able `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		PublishDiagnostics struct {
			RelatedInformation     bool `json:"relatedInformation"`
			TagSupport             able `json:"tagSupport"`
			CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			VersionSupport         bool `json:"versionSupport"`
		} `json:"publishDiagnostics"`
	} `json:"textDocument"`
}

// initialize learns what the client can do and says what the server can.
func (s *Server) initialize(ctx context.Context, raw json.RawMessage) (any, error) {
	var c client
	var misfit *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, &c); err != nil && !errors.As(err, &misfit) {
		return nil, invalid("initialize: %v", err)
	}
	s.client = c
	s.stage = running
	s.pulls.Store(c.Capabilities.TextDocument.Diagnostic != nil)
	encoding, name := negotiate(c.Capabilities.General.PositionEncodings)
	settings := view.DefaultSettings()
	readSettings(&settings, c.Options)
	snapshot := view.New(view.Options{
		Options: s.opts.Check, Encoding: encoding, Client: c.view(), Settings: settings, Run: s.run(),
	})
	s.roots = c.folders()
	s.snapshot.Store(snapshot.WithRoots(uris(s.roots)))
	s.watchParent(ctx)
	result := &protocol.InitializeResult{
		Capabilities: *offered(name),
		ServerInfo:   protocol.ServerInfo{Name: "koru", Version: protocol.NewOptional(s.opts.Version)},
	}
	return result, nil
}

// negotiate chooses how columns are counted: bytes if the client can, for they
// cost nothing here; else its first choice; else UTF-16, which every client can.
func negotiate(offered []string) (syntax.Encoding, protocol.PositionEncodingKind) {
	known := map[string]syntax.Encoding{"utf-8": syntax.UTF8, "utf-16": syntax.UTF16, "utf-32": syntax.UTF32}
	if slices.Contains(offered, "utf-8") {
		return syntax.UTF8, "utf-8"
	}
	for _, name := range offered {
		if enc, ok := known[name]; ok {
			return enc, protocol.PositionEncodingKind(name)
		}
	}
	return syntax.UTF16, "utf-16"
}

// offered is what the server can do: how it synchronises, and the offers of the
// table of features.
func offered(encoding protocol.PositionEncodingKind) *protocol.ServerCapabilities {
	yes := true
	change := protocol.TextDocumentSyncKindIncremental
	c := &protocol.ServerCapabilities{
		PositionEncoding: encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &change, Save: protocol.Boolean(true)},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
		},
	}
	for _, f := range features {
		if f.offer != nil {
			f.offer(c)
		}
	}
	return c
}

// byMethod is the table of features by method.
var byMethod = sync.OnceValue(func() map[string]*feature {
	m := make(map[string]*feature, len(features))
	for i := range features {
		m[features[i].method] = &features[i]
	}
	return m
})

// view says what the client can show, as answers depend on it.
func (c *client) view() view.Client {
	d, w := &c.Capabilities.TextDocument, &c.Capabilities.Workspace
	item := &d.Completion.CompletionItem
	return view.Client{
		Markdown:       slices.Contains(d.Hover.ContentFormat, "markdown"),
		Snippets:       item.SnippetSupport,
		LabelDetails:   item.LabelDetailsSupport,
		InsertReplace:  item.InsertReplaceSupport,
		Versioned:      w.WorkspaceEdit.DocumentChanges,
		FileOperations: slices.Contains(w.WorkspaceEdit.ResourceOperations, "rename"),
		LinkSupport:    d.Definition.LinkSupport,
		Hierarchical:   d.DocumentSymbol.Hierarchical,
		LineFolding:    d.FoldingRange.LineFoldingOnly,
		CodeActions:    d.CodeAction.Literals != nil,
		RelatedInfo:    d.PublishDiagnostics.RelatedInformation,
		Tags:           d.PublishDiagnostics.TagSupport != nil,
		CodeLinks:      d.PublishDiagnostics.CodeDescriptionSupport,
	}
}

// folders returns the folders of the workspace, whichever way the client names
// them.
func (c *client) folders() []folder {
	switch {
	case len(c.WorkspaceFolders) > 0:
		return c.WorkspaceFolders
	case c.RootURI != nil && *c.RootURI != "":
		return []folder{{URI: *c.RootURI}}
	case c.RootPath != nil && *c.RootPath != "":
		return []folder{{URI: string(view.URIOf(*c.RootPath))}}
	}
	return nil
}

func uris(folders []folder) []uri.URI {
	out := make([]uri.URI, len(folders))
	for i, f := range folders {
		out[i] = uri.URI(f.URI)
	}
	return out
}

// initialized registers what can only be registered at run time, and draws the
// map of the workspace before somebody waits for it.
func (s *Server) initialized(ctx context.Context) {
	w := &s.client.Capabilities.Workspace
	var wanted []protocol.Registration
	if w.DidChangeWatchedFiles.DynamicRegistration {
		wanted = append(wanted, protocol.Registration{
			ID: "koru-files", Method: "workspace/didChangeWatchedFiles", RegisterOptions: mustMarshal(watched()),
		})
	}
	if w.DidChangeConfiguration.DynamicRegistration {
		wanted = append(wanted, protocol.Registration{
			ID: "koru-settings", Method: "workspace/didChangeConfiguration", RegisterOptions: []byte(`{"section":"koru"}`),
		})
	}
	if len(wanted) > 0 {
		s.call(ctx, "client/registerCapability", &protocol.RegistrationParams{Registrations: wanted}, nil)
	}
	s.fetchSettings(ctx)
	snapshot := s.snapshot.Load()
	go s.guard("initialized", func() {
		s.progress(ctx, "Reading Koru files", func() { snapshot.Files() })
	})
}

// watched are the files whose change on disk changes what is true: sources, and
// the files that say where and what the sources are.
func watched() *protocol.DidChangeWatchedFilesRegistrationOptions {
	w := &protocol.DidChangeWatchedFilesRegistrationOptions{}
	for _, glob := range []string{"**/*.{k,kz,kjs}", "**/koru.json", "**/.koruignore", "**/holds.log"} {
		w.Watchers = append(w.Watchers, protocol.FileSystemWatcher{GlobPattern: protocol.Pattern(glob)})
	}
	return w
}

// progress shows that something takes its time, to clients that can.
func (s *Server) progress(ctx context.Context, title string, do func()) {
	if !s.client.Capabilities.Window.WorkDoneProgress {
		do()
		return
	}
	token := protocol.String("koru-" + title)
	s.call(ctx, "window/workDoneProgress/create", &protocol.WorkDoneProgressCreateParams{Token: token}, func(json.RawMessage) {
		s.tell("$/progress", &protocol.ProgressParams{
			Token: token, Value: mustMarshal(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title}),
		})
		defer s.tell("$/progress", &protocol.ProgressParams{
			Token: token, Value: mustMarshal(&protocol.WorkDoneProgressEnd{Kind: "end"}),
		})
		s.guard(title, do)
	})
}

// watchParent ends the server when the editor that started it is gone: some are
// killed without closing the stream.
func (s *Server) watchParent(ctx context.Context) {
	if s.client.ProcessID == nil || s.opts.Alive == nil || *s.client.ProcessID <= 0 {
		return
	}
	pid := *s.client.ProcessID
	go func() {
		tick := time.NewTicker(s.interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !s.opts.Alive(pid) {
					s.leave(1)
					return
				}
			}
		}
	}()
}
