package view

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// WireLanguage is the language id of a document that holds what a model sends:
// replies, and the definitions of a world.
const WireLanguage = "koru-wire"

// Document is one text: a buffer of the editor, or a file as it is on disk.
type Document struct {
	URI      uri.URI // in the client's own spelling, which answers use too
	Path     string  // the one spelling that means this document inside: a slash path, or std:/io.k
	Language string  // the client's language id, "" if the document is not open
	Version  int32
	Open     bool
	Syntax   *syntax.File
}

// Wire reports whether the document holds the wire dialect.
func (d *Document) Wire() bool { return d.Syntax.Kind == syntax.Reply }

// Replaced returns the file of the document with another text.
func (d *Document) Replaced(text string) *syntax.File {
	if d.Wire() {
		return syntax.ParseReply(text, nil)
	}
	return syntax.Parse(d.Syntax.Name, d.Syntax.Kind, text)
}

// ErrNoDocument means that a URI names nothing that can be read.
var ErrNoDocument = errors.New("there is no such document")

// Parse parses the text of a document.
func Parse(path, language, text string) *syntax.File {
	if language == WireLanguage {
		return syntax.ParseReply(text, nil)
	}
	return syntax.Parse(path, syntax.KindOf(path), text)
}

// Document returns the document of a URI: the buffer if it is open, else the
// file on disk or the contract of the standard library. The error wraps
// ErrNoDocument.
func (s *Snapshot) Document(u uri.URI) (*Document, error) {
	name := s.pathOf(u)
	if d := s.open[name]; d != nil {
		return d, nil
	}
	return s.onDisk(name, u)
}

// Open returns the open documents by path. The map must not be changed.
func (s *Snapshot) Open() map[string]*Document { return s.open }

func (s *Snapshot) onDisk(name string, u uri.URI) (*Document, error) {
	files, inside := s.opts.Files, strings.TrimPrefix(name, "/")
	if module, ok := strings.CutPrefix(name, stdPrefix); ok {
		files, inside = s.opts.Std, strings.TrimPrefix(module, "std/")
	} else if !strings.HasPrefix(name, "/") {
		return nil, noDocument(u, "no buffer of that name is open")
	}
	if files == nil || !fs.ValidPath(inside) {
		return nil, noDocument(u, "the path leads nowhere")
	}
	info, err := fs.Stat(files, inside)
	if err != nil || !info.Mode().IsRegular() {
		return nil, noDocument(u, "no such file")
	}
	text, err := fs.ReadFile(files, inside)
	if err != nil {
		return nil, noDocument(u, err.Error())
	}
	return &Document{URI: u, Path: name, Syntax: syntax.Parse(name, syntax.KindOf(name), string(text))}, nil
}

type documentError struct{ uri, why string }

func (e *documentError) Error() string { return e.uri + ": " + e.why }
func (e *documentError) Unwrap() error { return ErrNoDocument }

func noDocument(u uri.URI, why string) error { return &documentError{string(u), why} }

// DocumentOf returns the document that a file of a program is.
func (s *Snapshot) DocumentOf(f *check.File) *Document {
	name := pathOfFile(f)
	if d := s.open[name]; d != nil {
		return d
	}
	return &Document{URI: uriOf(name), Path: name, Syntax: f.Syntax}
}

// URI returns the URI of a file of a program, spelled as the client spells it if
// the document is open.
func (s *Snapshot) URI(f *check.File) uri.URI { return s.DocumentOf(f).URI }

// pathOfFile returns the path of a file of a program.
func pathOfFile(f *check.File) string {
	switch {
	case f.Module != nil && f.Module.Std:
		return stdPrefix + "std/" + path.Base(f.Path)
	case strings.HasPrefix(f.Path, "/"):
		return f.Path
	}
	return "/" + f.Path // a koru.json is named from the root of the file system
}

// Refusal is why a request that was understood cannot be carried out, in words
// for the user: a rename to a name that is taken, for example.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// documentNamed is Document for a URI that an answer has handed out.
func (s *Snapshot) documentNamed(spelling string) (*Document, error) {
	return s.Document(uri.URI(spelling))
}
