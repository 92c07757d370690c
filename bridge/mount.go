package bridge

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// mount installs what the world keeps: each file by the analyses that every
// definition goes through, in the order of their names. One that calls another
// is tried again once that is there. What does not pass is reported and stays
// where it is (bridge.md 8.7, R12).
func (b *Bridge) mount() {
	for _, notice := range b.world.Notices() {
		fmt.Fprintln(b.log, worldNotice(notice))
	}
	files, err := b.world.Definitions()
	if err != nil {
		b.complain(err)
		return
	}
	var open []shelved
	for _, f := range files {
		taught, reason := b.unpack(f)
		if reason != "" {
			fmt.Fprintln(b.log, notInstalled(f.Name, reason))
			continue
		}
		for _, t := range taught {
			open = append(open, shelved{file: f.Name, taught: t})
		}
	}
	for progress := true; progress; {
		progress = false
		for i := range open {
			if s := &open[i]; !s.done {
				b.unshelve(s)
				progress = progress || s.done
			}
		}
	}
	for _, s := range open {
		if !s.done {
			fmt.Fprintln(b.log, notInstalled(s.file, s.reason))
		}
	}
}

// shelved is a definition that a world keeps.
type shelved struct {
	file   string
	taught check.Taught
	done   bool
	reason string // why it could not be installed
}

// unshelve tries to install a definition. The first of a name wins (R100).
func (b *Bridge) unshelve(s *shelved) {
	name := s.taught.VerbName()
	if b.lessons.byName[name] != nil {
		s.reason = "'" + name + "' is defined by a file before it"
		return
	}
	_, refusal := b.install(s.taught)
	if refusal != nil {
		s.reason = refusal.Message
		return
	}
	s.done = true
}

// unpack finds the definitions in a file of the world. One that a session wrote
// reads like the item of a reply; one that a person wrote may have comments and
// documentation, as files have.
func (b *Bridge) unpack(f WorldFile) (taught []check.Taught, reason string) {
	if f.Err != nil {
		return nil, f.Err.Error()
	}
	library := ""
	if name, ok := strings.CutPrefix(f.Name, "lib/"); ok {
		library = strings.TrimSuffix(name, ".k")
	}
	file := syntax.ParseReply(f.Text, nil)
	if len(file.Faults()) > 0 {
		file = syntax.Parse(f.Name, syntax.Pure, f.Text)
	}
	var decl syntax.Node
	for n := range file.Items() {
		t := check.Taught{Decl: n.Child(syntax.TorItem), Body: n.Child(syntax.ImplItem), File: file, Library: library}
		switch n.Kind() {
		case syntax.TorItem:
			decl = n
			continue
		case syntax.ImplItem:
			t.Decl, t.Body = decl, n
		case syntax.Definition:
		case syntax.BlankItem:
			continue
		default:
			return taught, "it holds more than definitions: " + quoteText(n.Text())
		}
		if !t.Decl.IsValid() {
			return taught, syntax.MissingHalf
		}
		taught = append(taught, t)
		decl = syntax.Node{}
	}
	return taught, b.misplaced(f, file, library, taught)
}

// misplaced says what is odd about a file that holds definitions: a fault that
// keeps one from being read, a name that is not its verb's, several in one file.
func (b *Bridge) misplaced(f WorldFile, file *syntax.File, library string, taught []check.Taught) string {
	for _, fault := range file.Faults() {
		if fault.Code != "KORU010" {
			return fmt.Sprintf("line %d: %s", file.LineOf(fault.Start)+1, fault.Message)
		}
	}
	switch {
	case len(taught) == 0:
		return syntax.MissingHalf
	case library != "":
	case len(taught) > 1:
		fmt.Fprintln(b.log, worldNotice(fmt.Sprintf("%s holds %d definitions; a world keeps one a file", f.Name, len(taught))))
	case taught[0].VerbName()+".k" != f.Name:
		fmt.Fprintln(b.log, worldNotice(fmt.Sprintf("%s defines '%s'; the verb counts, not the file", f.Name, taught[0].VerbName())))
	}
	return ""
}
