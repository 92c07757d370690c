package view

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
)

// The commands that a client may send. The first argument of each is the URI of
// a document; the second a position in it, or for a scope also its name.
const (
	RunCommand        = "koru.run"
	GrammarCommand    = "koru.grammar"
	VocabularyCommand = "koru.vocabulary"
	ManifestCommand   = "koru.manifest"
	OpenStdCommand    = "koru.openStd"
	// ShowReferences is behind a lens that counts uses. Editors that can show a
	// list of places carry it out themselves, with the third argument.
	ShowReferences = "koru.showReferences"
)

// commands are carried out for the document and the place that they name.
var commands = map[string]func(ctx context.Context, s *Snapshot, d *Document, where json.RawMessage) (any, error){
	RunCommand:        runDocument,
	GrammarCommand:    renderScope("grammar", bridge.RenderGrammar),
	VocabularyCommand: renderScope("vocabulary", bridge.RenderVocabulary),
	ManifestCommand:   renderScope("manifest", bridge.RenderManifest),
	OpenStdCommand:    openStd,
	ShowReferences:    showReferences,
}

// Commands returns the names of the commands, sorted.
func Commands() []string { return slices.Sorted(maps.Keys(commands)) }

// ExecuteCommand carries out a command that the user has chosen.
func ExecuteCommand(ctx context.Context, s *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	do := commands[p.Command]
	if do == nil {
		return nil, Refusal(fmt.Sprintf("there is no command '%s': the commands are %s", p.Command, strings.Join(Commands(), ", ")))
	}
	var u uri.URI
	if len(p.Arguments) == 0 || json.Unmarshal(p.Arguments[0], &u) != nil {
		return nil, Refusal(p.Command + " needs the URI of a document as its first argument")
	}
	d, err := s.Document(u)
	if err != nil {
		return nil, err
	}
	var where json.RawMessage
	if len(p.Arguments) > 1 {
		where = json.RawMessage(p.Arguments[1])
	}
	return do(ctx, s, d, where)
}

// Shown is a text that a command answers with, for the editor to show.
type Shown struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// renderScope returns the command that shows what a scope grants, in one of the
// forms that models read. It runs nothing (R27).
func renderScope(what string, render func(*check.Vocabulary) string) func(context.Context, *Snapshot, *Document, json.RawMessage) (any, error) {
	return func(_ context.Context, s *Snapshot, d *Document, where json.RawMessage) (any, error) {
		scope, err := s.scopeOf(d, where)
		if err != nil {
			return nil, err
		}
		return Shown{what + " of " + scope.Name, render(&check.Vocabulary{Scope: scope})}, nil
	}
}

// scopeOf returns the scope that a place of a document means: wire text has one,
// a program those that it registers.
func (s *Snapshot) scopeOf(d *Document, where json.RawMessage) (*check.Scope, error) {
	if s.speaksWire(d) {
		w, err := s.examine(d)
		if err != nil {
			return nil, err
		}
		return w.prog.Scope(w.scope), nil
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	return s.scopeAt(prog, file, where)
}

// scopeAt returns the scope of that name, the one that a place names or lies in,
// or the only one of the program.
func (s *Snapshot) scopeAt(p *check.Program, f *check.File, where json.RawMessage) (*check.Scope, error) {
	var name string
	var pos protocol.Position
	switch {
	case len(where) == 0:
	case json.Unmarshal(where, &name) == nil:
		if scope := p.Scope(name); scope != nil {
			return scope, nil
		}
		return nil, Refusal(fmt.Sprintf("there is no scope '%s' in this program", name))
	case protocol.Unmarshal(where, &pos) == nil:
		off := s.Offset(f.Syntax, pos)
		for _, r := range p.ReferencesAt(f, off) {
			if scope, ok := r.Entity.Fact.(*check.Scope); ok {
				return scope, nil
			}
		}
		item := f.Syntax.Item(f.Syntax.ItemAt(off))
		for _, scope := range p.Scopes {
			if scope.Node == item {
				return scope, nil
			}
		}
	}
	if len(p.Scopes) == 1 {
		return p.Scopes[0], nil
	}
	return nil, Refusal(fmt.Sprintf("this program has %d scopes: put the cursor on one, in a register block or on its name", len(p.Scopes)))
}

// Ran is how a program ended that a user has run.
type Ran struct {
	Output string `json:"output"` // both streams, as they came
	Code   int    `json:"code"`   // the exit code
}

// runDocument runs the program of a document. It is the one thing here that
// executes anything, and happens when a user asks for it by this command alone.
// What runs is the file: a buffer that differs from it is refused.
func runDocument(ctx context.Context, s *Snapshot, d *Document, _ json.RawMessage) (any, error) {
	if s.opts.Run == nil {
		return nil, Refusal("this server cannot run programs")
	}
	prog, _, err := s.Program(d)
	if err != nil {
		return nil, err
	}
	for _, m := range prog.Modules {
		for _, f := range m.Files {
			if open := s.open[pathOfFile(f)]; open != nil && !s.saved(open) {
				return nil, Refusal(fmt.Sprintf("%s has changes that are not saved, and what runs is the file: save it first", display(f)))
			}
		}
	}
	entry := entryPath(prog)
	return s.opts.Run(ctx, entry, s.folderOf(entry))
}

// folderOf returns where a program runs: the folder of the workspace that it
// lies in, else its own.
func (s *Snapshot) folderOf(entry string) string {
	dir := path.Dir(entry)
	for _, root := range s.roots {
		if strings.HasPrefix(entry, root+"/") {
			return root
		}
	}
	return dir
}

// saved reports whether a buffer reads like its file.
func (s *Snapshot) saved(d *Document) bool {
	disk, err := s.onDisk(d.Path, d.URI)
	return err == nil && disk.Syntax.Text() == d.Syntax.Text()
}

// showReferences answers with the places that name what stands at a place.
func showReferences(_ context.Context, s *Snapshot, d *Document, where json.RawMessage) (any, error) {
	var pos protocol.Position
	if protocol.Unmarshal(where, &pos) != nil {
		return nil, Refusal("say which name: a position is missing")
	}
	n, err := s.nameAt(d, s.Offset(d.Syntax, pos))
	if err != nil || !n.named() {
		return []protocol.Location{}, err
	}
	return s.references(d, n.prog, n.entity(), false), nil
}

// Opened names a document for the editor to show.
type Opened struct {
	URI uri.URI `json:"uri"`
}

// openStd answers with the contract of the module of the standard library that a
// place names: its path, or the module that the verb, the type or the import
// there leads to.
func openStd(_ context.Context, s *Snapshot, d *Document, where json.RawMessage) (any, error) {
	var name string
	var pos protocol.Position
	if json.Unmarshal(where, &name) == nil && name != "" {
		doc, err := s.Document(uriOf(stdPrefix + name + ".k"))
		if err != nil {
			return nil, err
		}
		return Opened{doc.URI}, nil
	}
	if protocol.Unmarshal(where, &pos) != nil {
		return nil, Refusal("say which module: a path such as std/io, or a position that names one")
	}
	n, err := s.nameAt(d, s.Offset(d.Syntax, pos))
	if err != nil {
		return nil, err
	}
	for _, r := range n.refs {
		if m := r.Entity.Module; m != nil && m.Std {
			return Opened{s.URI(m.Files[0])}, nil
		}
	}
	return nil, Refusal("what stands here does not come from the standard library")
}

// TextContent returns the text of a virtual document: a contract of the standard
// library.
func TextContent(_ context.Context, s *Snapshot, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	if !strings.HasPrefix(string(p.URI), StdScheme+":") {
		return nil, Refusal("only documents of the scheme " + StdScheme + " are made here")
	}
	d, err := s.Document(p.URI)
	if err != nil {
		return nil, err
	}
	return &protocol.TextDocumentContentResult{Text: d.Syntax.Text()}, nil
}
