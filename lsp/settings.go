package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// settings is the section "koru" of a client's configuration. What is left out
// keeps its default.
type settings struct {
	// Scope and Program say what wire documents are judged against: the name of a
	// scope, and the file that registers it, relative to the first folder.
	Scope   *string `json:"scope"`
	Program *string `json:"program"`
	// DocsURL is where the manual of codes is; "" makes no links.
	DocsURL *string `json:"docsUrl"`
	Hints   struct {
		Puns       *bool `json:"puns"`
		Discharges *bool `json:"discharges"`
		States     *bool `json:"states"`
		Costs      *bool `json:"costs"`
	} `json:"hints"`
}

// readSettings puts what a client has set over the settings there are. What it
// says in the wrong type is passed over.
func readSettings(to *view.Settings, raw json.RawMessage) {
	var outer struct {
		Koru json.RawMessage `json:"koru"`
	}
	if json.Unmarshal(raw, &outer) == nil && len(outer.Koru) > 0 {
		raw = outer.Koru
	}
	var in settings
	_ = json.Unmarshal(raw, &in) // what fits counts
	set(&to.Scope, in.Scope)
	set(&to.Program, in.Program)
	set(&to.DocsURL, in.DocsURL)
	set(&to.Hints.Puns, in.Hints.Puns)
	set(&to.Hints.Discharges, in.Hints.Discharges)
	set(&to.Hints.States, in.Hints.States)
	set(&to.Hints.Costs, in.Hints.Costs)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (s *Server) didChangeConfiguration(ctx context.Context, raw json.RawMessage) error {
	if s.client.Capabilities.Workspace.Configuration {
		s.fetchSettings(ctx)
		return nil
	}
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	s.configure(ctx, p.Settings)
	return nil
}

// fetchSettings asks the client for its settings.
func (s *Server) fetchSettings(ctx context.Context) {
	if !s.client.Capabilities.Workspace.Configuration {
		return
	}
	section := "koru"
	s.call(ctx, "workspace/configuration", &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{Section: &section}},
	}, func(result json.RawMessage) {
		var sections []json.RawMessage
		if json.Unmarshal(result, &sections) == nil && len(sections) == 1 {
			s.configure(ctx, sections[0])
		}
	})
}

// configure makes settings count.
func (s *Server) configure(ctx context.Context, raw json.RawMessage) {
	to := view.DefaultSettings()
	readSettings(&to, s.client.Options)
	readSettings(&to, raw)
	if to == *s.snapshot.Load().Settings() {
		return
	}
	s.update(func(old *view.Snapshot) *view.Snapshot { return old.WithSettings(to) })
	s.refresh(ctx)
}
