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
		u := unpack(f)
		for _, notice := range u.notices {
			fmt.Fprintln(b.log, worldNotice(notice))
		}
		if u.reason != "" {
			fmt.Fprintln(b.log, notInstalled(f.Name, u.reason))
			continue
		}
		open = append(open, u.shelved...)
	}
	b.unshelve(open)
	for _, s := range open {
		if !s.done {
			fmt.Fprintln(b.log, notInstalled(s.file, s.fault.Message))
		}
	}
}

// shelved is a definition that a world keeps.
type shelved struct {
	file   string
	taught check.Taught
	done   bool
	fault  check.Diagnostic // why it could not be installed
}

// unshelve installs definitions, each once those that it calls are there.
func (b *Bridge) unshelve(open []shelved) {
	for progress := true; progress; {
		progress = false
		for i := range open {
			if s := &open[i]; !s.done {
				b.try(s)
				progress = progress || s.done
			}
		}
	}
}

// try installs a definition. The first of a name wins (R100).
func (b *Bridge) try(s *shelved) {
	name := s.taught.VerbName()
	if b.lessons.byName[name] != nil {
		s.fault = check.Diagnostic{
			Code: "PARSE003", Span: syntax.TorView{Node: s.taught.Decl}.Name().Span(),
			Message: "'" + name + "' is defined by a file before it",
		}
		return
	}
	if _, refusal := b.install(s.taught); refusal != nil {
		s.fault = refusal.Diagnostic
		return
	}
	s.done = true
}

// unpacked is what a file of a world holds, or why it cannot be read.
type unpacked struct {
	file    *syntax.File
	shelved []shelved
	notices []string // what is odd about it
	reason  string   // why nothing of it is installed, in the words of a mount
	fault   check.Diagnostic
}

// unpack finds the definitions in a file of the world. One that a session wrote
// reads like the item of a reply; one that a person wrote may have comments and
// documentation, as files have.
func unpack(f WorldFile) (u unpacked) {
	u.file = syntax.ParseReply(f.Text, nil)
	if f.Err != nil {
		u.refuse("", syntax.Span{}, f.Err.Error())
		return u
	}
	library := ""
	if name, ok := strings.CutPrefix(f.Name, "lib/"); ok {
		library = strings.TrimSuffix(name, ".k")
	}
	if len(u.file.Faults()) > 0 {
		u.file = syntax.Parse(f.Name, syntax.Pure, f.Text)
	}
	half := u.definitions(f.Name, library)
	if u.reason == "" {
		u.misplaced(f, library, half)
	}
	return u
}

func (u *unpacked) refuse(code string, span syntax.Span, message string) {
	u.reason = message
	u.fault = check.Diagnostic{Code: code, Span: span, Message: message}
}

// definitions takes the declarations of the file with their bodies, and returns
// a declaration that is left without one.
func (u *unpacked) definitions(file, library string) (decl syntax.Node) {
	for n := range u.file.Items() {
		t := check.Taught{Decl: n.Child(syntax.TorItem), Body: n.Child(syntax.ImplItem), File: u.file, Library: library}
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
			u.refuse("PARSE003", firstWord(n), "it holds more than definitions: "+quoteText(n.Text()))
			return decl
		}
		if !t.Decl.IsValid() {
			u.refuse("PARSE003", firstWord(n), syntax.MissingHalf)
			return decl
		}
		u.shelved = append(u.shelved, shelved{file: file, taught: t})
		decl = syntax.Node{}
	}
	return decl
}

// firstWord is where an item begins for a reader.
func firstWord(n syntax.Node) syntax.Span {
	for t := range n.AllTokens() {
		if !t.Kind().IsTrivia() {
			return t.Span()
		}
	}
	return n.Span()
}

// misplaced says what is odd about a file that holds definitions: a fault that
// keeps one from being read, a name that is not its verb's, several in one file.
func (u *unpacked) misplaced(f WorldFile, library string, half syntax.Node) {
	for _, fault := range u.file.Faults() {
		if fault.Code != "KORU010" {
			u.refuse(fault.Code, syntax.Span{Start: fault.Start, End: fault.End}, fault.Message)
			u.reason = fmt.Sprintf("line %d: %s", u.file.LineOf(fault.Start)+1, fault.Message)
			return
		}
	}
	switch n := len(u.shelved); {
	case n == 0:
		u.refuse("PARSE003", firstWord(half), syntax.MissingHalf)
	case library != "":
	case n > 1:
		u.notices = append(u.notices, fmt.Sprintf("%s holds %d definitions; a world keeps one a file", f.Name, n))
	case u.shelved[0].taught.VerbName()+".k" != f.Name:
		u.notices = append(u.notices, fmt.Sprintf("%s defines '%s'; the verb counts, not the file", f.Name, u.shelved[0].taught.VerbName()))
	}
}
