package view

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
)

// A module is its files: renaming it moves them and respells the paths that lead
// to it (language.md 4). An editor that moves files itself asks the same thing
// before it does (WillRenameFiles).

// movable refuses a module whose files cannot be moved on behalf of a name.
func (s *Snapshot) movable(m *check.Module) error {
	if !s.opts.Client.FileOperations {
		return Refusal("a module is called like its file, and this editor does not rename files on behalf of a server")
	}
	for _, f := range m.Files {
		if entry := s.checker.Project(path.Dir(pathOfFile(f))).Entry; entry != "" && "/"+strings.TrimPrefix(entry, "/") == pathOfFile(f) {
			return Refusal(fmt.Sprintf("koru.json names %s as the entry: change both by hand", display(f)))
		}
	}
	return nil
}

// renameModule gives a module another name: that of its files, or that of the
// folder whose index it is.
func (s *Snapshot) renameModule(m *check.Module, to string) (*edits, error) {
	stem := stemOfPath(pathOfFile(m.Files[0]))
	from, target := stem, path.Join(path.Dir(stem), to)
	if path.Base(stem) == "index" {
		from = path.Dir(stem)
		target = path.Join(path.Dir(from), to)
	}
	for _, taken := range []string{target + ".k", target + ".kz", target + ".kjs", target} {
		if s.there(taken) {
			return nil, Refusal(fmt.Sprintf("there is a %s already", path.Base(taken)))
		}
	}
	e := newEdits()
	for _, f := range s.known() {
		if rest, ok := strings.CutPrefix(f, from+"/"); ok && from != stem {
			e.moves = append(e.moves, move{f, target + "/" + rest})
		} else if stemOfPath(f) == stem && from == stem {
			e.moves = append(e.moves, move{f, target + path.Ext(f)})
		}
	}
	if len(e.moves) == 0 {
		return nil, Refusal("the files of this module are not on disk")
	}
	s.respell(e)
	return e, s.soundMove(e)
}

// soundMove carries moves out on a workspace that nobody sees and refuses what
// leaves a program worse than it was.
func (s *Snapshot) soundMove(e *edits) error {
	after := s.edited(e)
	for p := range s.Programs() {
		part := func(path string) bool { return s.judge(entryPath(p)).holds(path) }
		if !slices.ContainsFunc(e.moves, func(m move) bool { return part(m.from) }) {
			continue
		}
		j := after.judge(e.moved(entryPath(p)))
		if j.err != nil {
			return Refusal("the program cannot be read any more: " + j.err.Error())
		}
		if err := worse(p, j.prog); err != nil {
			return err
		}
	}
	return nil
}

// known returns the files of the workspace and those outside of it that its
// programs are made of, sorted.
func (s *Snapshot) known() []string {
	files := slices.Clone(s.Files())
	for p := range s.Programs() {
		for _, m := range p.Modules {
			for _, f := range m.Files {
				if !m.Std {
					files = append(files, pathOfFile(f))
				}
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// there reports whether a file or folder exists, or a buffer of that name.
func (s *Snapshot) there(name string) bool {
	if s.open[name] != nil {
		return true
	}
	if s.opts.Files == nil {
		return false
	}
	_, err := fs.Stat(s.opts.Files, strings.TrimPrefix(name, "/"))
	return err == nil
}

// WillRenameFiles returns the edits that keep imports leading where they lead
// when files or folders get other paths.
func WillRenameFiles(_ context.Context, s *Snapshot, p *protocol.RenameFilesParams) (*protocol.WorkspaceEdit, error) {
	e := newEdits()
	for _, r := range p.Files {
		from, to := s.pathOf(uri.URI(r.OldURI)), s.pathOf(uri.URI(r.NewURI))
		for _, f := range s.known() {
			if f == from {
				e.moves = append(e.moves, move{f, to})
			} else if rest, ok := strings.CutPrefix(f, from+"/"); ok {
				e.moves = append(e.moves, move{f, to + "/" + rest})
			}
		}
	}
	s.respell(e)
	e.moves = nil // the editor moves them
	if len(e.spans) == 0 {
		return nil, nil
	}
	return s.workspaceEdit(e), nil
}

// respell adds the edits that the moves ask for: every path to a module whose
// stem changes is written anew, in every program of the workspace.
func (s *Snapshot) respell(e *edits) {
	stems := map[string]string{}
	for _, m := range e.moves {
		stems[stemOfPath(m.from)] = stemOfPath(m.to)
	}
	seen := map[place]bool{}
	for p := range s.Programs() {
		home := path.Dir(entryPath(p))
		newHome := path.Dir(e.moved(entryPath(p)))
		for _, m := range p.Modules {
			if m.Std {
				break
			}
			stem := stemOfPath(pathOfFile(m.Files[0]))
			to, moves := stems[stem]
			if !moves && home == newHome {
				continue
			}
			if !moves {
				to = stem
			}
			entity := check.Entity{Kind: check.ModuleEntity, Name: path.Base(stem), Module: m, Fact: m}
			for _, use := range p.Uses(entity) {
				at := place{pathOfFile(use.File), use.Span.Start}
				if use.File.Module.Std || seen[at] {
					continue
				}
				text := use.File.Syntax.Text()[use.Span.Start:use.Span.End]
				if is := respelled(text, stem, to, home, newHome); is != text {
					seen[at] = true
					e.replace(s.DocumentOf(use.File), use.Span, is)
				}
			}
		}
	}
}

// respelled returns the path that leads to a module after its files have moved
// from one stem to another and the entry from one folder to another. A path that
// cannot be written with the same first word starts at the entry; one that
// cannot be written at all stays, and is reported as it is followed.
func respelled(text, from, to, home, newHome string) string {
	dotted := !strings.Contains(text, "/")
	written := text
	if dotted {
		written = strings.ReplaceAll(text, ".", "/")
	}
	from, to = strings.TrimSuffix(from, "/index"), strings.TrimSuffix(to, "/index")
	is := ""
	alias, rest, _ := strings.Cut(written, "/")
	switch {
	case alias == "app":
		if below, ok := strings.CutPrefix(to, newHome+"/"); ok && from == home+"/"+rest {
			is = "app/" + below
		} else if root, ok := strings.CutSuffix(from, "/"+rest); ok && rest != "" {
			is = under("app", root, to)
		}
	case from == home+"/"+written:
		if below, ok := strings.CutPrefix(to, newHome+"/"); ok {
			is = below
		}
	case rest != "":
		if root, ok := strings.CutSuffix(from, "/"+rest); ok {
			is = under(alias, root, to)
		}
	}
	if is == "" || strings.Count(is, "/") > 2 {
		return text
	}
	if dotted && strings.Contains(text, ".") {
		return strings.ReplaceAll(is, "/", ".")
	}
	return is
}

// under writes a stem below the folder that an alias stands for.
func under(alias, root, stem string) string {
	if below, ok := strings.CutPrefix(stem, root+"/"); ok {
		return alias + "/" + below
	}
	return ""
}

// stemOfPath returns the path of a source without its extension.
func stemOfPath(name string) string {
	for _, ext := range []string{".kjs", ".kz", ".k"} {
		if stem, ok := strings.CutSuffix(name, ext); ok {
			return stem
		}
	}
	return name
}
