package bridge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// Survey is what lies in a world, as one finds it without touching anything: a
// mount would set a torn line aside and remove drafts.
type Survey struct {
	Definitions []WorldFile // those in the world, then those in lib
	Staged      []WorldFile // candidates for promotion
	Drafts      []string    // files that a killed process has half written
	SetAside    []string    // torn lines that earlier mounts have kept
	Ledger      *LedgerState
}

// SurveyWorld reads the world at dir. The error is about reaching it; whatever
// is wrong inside is part of the survey.
func SurveyWorld(dir string) (*Survey, error) {
	ledger, err := ReadLedger(dir)
	if err != nil {
		return nil, err
	}
	w, err := readOnly(dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s := &Survey{Ledger: ledger}
	if s.Definitions, err = w.Definitions(); err != nil {
		return nil, err
	}
	if s.Staged, err = w.definitionsIn(StagedFolder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Staged = []WorldFile{{Name: StagedFolder, Err: reason(err)}}
	}
	for _, folder := range draftFolders {
		entries, _ := fs.ReadDir(w.root.FS(), folder) // one that cannot be read is reported above
		for _, e := range entries {
			switch name := e.Name(); {
			case isDraft(e):
				s.Drafts = append(s.Drafts, path.Join(folder, name))
			case folder == "." && strings.HasPrefix(name, ledgerName+".torn-"):
				s.SetAside = append(s.SetAside, name)
			}
		}
	}
	return s, nil
}

// readOnly opens a world to look at it.
func readOnly(dir string) (*World, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("world '%s': %w", dir, reason(err))
	}
	return &World{dir: dir, root: root}, nil
}

// ReadFile returns the bytes of a file of the world, which may not be longer
// than most. The name is relative to the world, with slashes; a file that does
// not exist is fs.ErrNotExist.
func (w *World) ReadFile(name string, most int64) ([]byte, error) {
	if err := regularOrNone(w.root, name); err != nil {
		return nil, err
	}
	file, err := w.root.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, reason(err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("the file is longer than %d bytes", most)
	}
	return data, nil
}

// Names lists the files in a folder of the world in the order of their names,
// without drafts. A folder that does not exist has none.
func (w *World) Names(folder string) ([]string, error) {
	entries, err := fs.ReadDir(w.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("world '%s': cannot read %s: %w", w.dir, folder, reason(err))
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Remove deletes a file of the world. One that is not there is gone already.
func (w *World) Remove(name string) error {
	if err := disk.remove(w.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("world '%s': cannot remove %s: %w", w.dir, name, reason(err))
	}
	return nil
}

// Declared is one definition of a world file, as its tor line spells it.
type Declared struct {
	Verb      string
	Signature string // on one line: sweep { d: string } | written | failed string
}

// Declares lists the definitions in the file; the error says why it cannot be
// read as such. Whether a session would install them depends on its scope.
func (f WorldFile) Declares() ([]Declared, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	file := syntax.ParseReply(f.Text, nil)
	if len(file.Faults()) > 0 {
		file = syntax.Parse(f.Name, syntax.Pure, f.Text)
	}
	for _, fault := range file.Faults() {
		if fault.Code != "KORU010" { // layout, which is not judged in a world (R28)
			return nil, fmt.Errorf("line %d: %s", file.LineOf(fault.Start)+1, fault.Message)
		}
	}
	var list []Declared
	for n := range file.Items() {
		decl := n
		if n.Kind() == syntax.Definition {
			decl = n.Child(syntax.TorItem)
		}
		if decl.IsValid() && decl.Kind() == syntax.TorItem {
			list = append(list, Declared{syntax.TorView{Node: decl}.Name().Text(), signature(decl)})
		}
	}
	if len(list) == 0 {
		return nil, errors.New("it defines no verb")
	}
	return list, nil
}

// signature spells a declaration on one line, from its name on.
func signature(decl syntax.Node) string {
	text := decl.Text()
	if at := (syntax.TorView{Node: decl}).Name(); at.IsValid() {
		text = text[at.Span().Start-decl.Span().Start:]
	}
	return strings.Join(strings.Fields(text), " ")
}
