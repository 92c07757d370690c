package view

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// What a model sends, and what it has defined in a world, is text of another
// dialect: it is judged against the scope of a session, not as a program. The
// bridge says what it makes of it, without running anything.

// speaksWire reports whether a document is judged as wire text: a reply, or a
// file of a world (R50).
func (s *Snapshot) speaksWire(d *Document) bool {
	return d.Wire() || strings.HasPrefix(d.Path, "/") && s.inWorld(d.Path)
}

// wire is a wire document, examined.
type wire struct {
	*bridge.Examination
	prog  *check.Program
	scope string
}

// wireJudgement is an examination that is made when somebody first asks for it.
type wireJudgement struct {
	once sync.Once
	wire *wire
	err  error
}

// examine judges a wire document against the scope that its place or a setting
// chooses. The error says why there is none.
func (s *Snapshot) examine(d *Document) (*wire, error) {
	s.mu.Lock()
	if s.wires == nil {
		s.wires = map[*syntax.File]*wireJudgement{}
	}
	j := s.wires[d.Syntax]
	if j == nil {
		j = &wireJudgement{}
		s.wires[d.Syntax] = j
	}
	s.mu.Unlock()
	j.once.Do(func() { j.wire, j.err = s.examined(d) })
	return j.wire, j.err
}

func (s *Snapshot) examined(d *Document) (*wire, error) {
	world := s.worldOf(d)
	prog, scope, err := s.scopeFor(d, world)
	if err != nil {
		return nil, err
	}
	file := d.Syntax
	if file.Kind != syntax.Reply {
		if reply := syntax.ParseReply(file.Text(), nil); len(reply.Faults()) == 0 {
			file = reply // a definition as a session wrote it
		}
	}
	library := ""
	if world != "" && path.Base(path.Dir(d.Path)) == "lib" && path.Dir(d.Path) != world {
		library = strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
	}
	x, err := bridge.Examine(eval.NewGrants(prog), scope, s.definitions(world, d.Path), file, library)
	if err != nil {
		return nil, err
	}
	x.File.Path = d.Path
	return &wire{x, prog, scope}, nil
}

func (s *Snapshot) entryName(p *check.Program) string {
	if p.Entry == nil || len(p.Entry.Files) == 0 {
		return "the program"
	}
	return path.Base(p.Entry.Files[0].Path)
}

// worldOf returns the folder of the world that a document lies in, or "".
func (s *Snapshot) worldOf(d *Document) string {
	if !strings.HasPrefix(d.Path, "/") || !s.inWorld(d.Path) {
		return ""
	}
	dir := path.Dir(d.Path)
	if path.Base(dir) == "lib" && s.inWorld(path.Join(path.Dir(dir), "x.k")) {
		return path.Dir(dir)
	}
	return dir
}

// definitions returns the files of a world but for one, buffers included.
func (s *Snapshot) definitions(world, but string) []bridge.WorldFile {
	if world == "" || s.opts.Files == nil {
		return nil
	}
	var files []bridge.WorldFile
	for _, dir := range []string{world, path.Join(world, "lib")} {
		entries, err := fs.ReadDir(s.opts.Files, strings.TrimPrefix(dir, "/"))
		if err != nil {
			continue // a world need not have a library
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if path.Ext(name) != ".k" || name == but || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			if d, err := s.Document(uriOf(name)); err == nil {
				files = append(files, bridge.WorldFile{Name: strings.TrimPrefix(name, world+"/"), Text: d.Syntax.Text()})
			}
		}
	}
	return files
}

// scopeFor chooses the scope that a wire document is judged against: the one of
// the settings; else that of the session which mounts the world; else the first
// that a program near it registers.
func (s *Snapshot) scopeFor(d *Document, world string) (*check.Program, string, error) {
	set := s.Settings()
	if set.Program != "" {
		name := set.Program
		if !path.IsAbs(name) {
			name = path.Join(s.home(), name)
		}
		j := s.judge(name)
		if j.err != nil {
			return nil, "", j.err
		}
		return chosen(j.prog, set.Scope, name)
	}
	dir := path.Dir(d.Path)
	if world != "" {
		dir = path.Dir(world)
	}
	programs := s.programsNear(dir)
	for _, p := range programs {
		if scope := opens(p, world); set.Scope == "" && scope != "" && p.Scope(scope) != nil {
			return p, scope, nil
		}
	}
	for _, p := range programs {
		if len(p.Scopes) > 0 && (set.Scope == "" || p.Scope(set.Scope) != nil) {
			return chosen(p, set.Scope, s.entryName(p))
		}
	}
	return nil, "", Refusal("no program here registers a scope: set koru.program and koru.scope")
}

// chosen returns the scope of a program that goes by a name, or its first.
func chosen(p *check.Program, scope, name string) (*check.Program, string, error) {
	switch {
	case len(p.Scopes) == 0:
		return nil, "", Refusal(name + " registers no scope")
	case scope == "":
		return p, p.Scopes[0].Name, nil
	case p.Scope(scope) == nil:
		return nil, "", Refusal(fmt.Sprintf("%s registers no scope '%s'", name, scope))
	}
	return p, scope, nil
}

// programsNear returns the programs of a folder, and then those of the workspace.
func (s *Snapshot) programsNear(dir string) []*check.Program {
	var near, far []*check.Program
	for p := range s.Programs() {
		if len(p.Entry.Files) > 0 && path.Dir(pathOfFile(p.Entry.Files[0])) == dir {
			near = append(near, p)
		} else {
			far = append(far, p)
		}
	}
	return append(near, far...)
}

// opens returns the scope of the first session that a program opens, on a world
// if one is given, or "".
func opens(p *check.Program, world string) string {
	if len(p.Entry.Files) == 0 {
		return ""
	}
	home := path.Dir(pathOfFile(p.Entry.Files[0]))
	for _, f := range p.Entry.Files {
		for item := range f.Syntax.Items() {
			flow := p.FlowOf(f, item)
			if flow == nil {
				continue
			}
			for c := range flow.Calls() {
				if c.Tor == nil || c.Tor.Path() != "std/bridge:create" {
					continue
				}
				if world == "" || path.Join(home, textOf(c, "world")) == world {
					return textOf(c, "scope")
				}
			}
		}
	}
	return ""
}

// textOf returns the text that a call gives a field, if it is written out.
func textOf(c *check.Call, field string) string {
	for i := range c.Args {
		if a := &c.Args[i]; a.Field != nil && a.Field.Name == field && a.Value != nil && a.Value.Kind == check.LiteralExpr {
			return a.Value.Lit.Text
		}
	}
	return ""
}

// wireDiagnostics returns what a session would say of the document.
func (s *Snapshot) wireDiagnostics(d *Document) ([]protocol.Diagnostic, error) {
	list := []protocol.Diagnostic{}
	w, err := s.examine(d)
	if err != nil {
		return append(list, protocol.Diagnostic{
			Severity: protocol.DiagnosticSeverityInformation, Source: protocol.NewOptional("koru"),
			Message: protocol.String(err.Error()),
		}), nil
	}
	for i := range w.Diagnostics {
		list = append(list, s.diagnostic(&w.Diagnostics[i]))
	}
	return list, nil
}

// wireName is what a name in wire text stands for: one entity of the program, or
// a name that the reply has bound.
type wireName struct {
	span   syntax.Span
	entity check.Entity
	bound  *bridge.ExaminedName
	verb   *check.Verb // if it is the name of a verb
}

// at returns the name at an offset.
func (w *wire) at(off int) (wireName, bool) {
	for _, n := range w.Names {
		for _, t := range append([]syntax.Token{n.Token}, n.Uses...) {
			if holds(t.Span(), off) {
				return wireName{span: t.Span(), bound: n}, true
			}
		}
	}
	for i := range w.Calls {
		if n, ok := atCall(&w.Calls[i], off); ok {
			return n, true
		}
	}
	for _, v := range w.Defined {
		if t := (syntax.TorView{Node: v.Tor.Node}).Name(); holds(t.Span(), off) {
			return wireName{span: t.Span(), verb: v, entity: torEntity(v.Tor)}, true
		}
	}
	return wireName{}, false
}

func torEntity(t *check.Tor) check.Entity {
	return check.Entity{Kind: check.TorEntity, Name: t.Name, Module: t.Module, Node: t.Node, Fact: t}
}

func atCall(c *bridge.ExaminedCall, off int) (wireName, bool) {
	for _, n := range namesOfCall(c) {
		if holds(n.span, off) {
			return n, true
		}
	}
	return wireName{}, false
}

// wireHover tells what a name in wire text is.
func (s *Snapshot) wireHover(d *Document, off int) *protocol.Hover {
	w, err := s.examine(d)
	if err != nil {
		return nil
	}
	n, ok := w.at(off)
	if !ok {
		return nil
	}
	var text string
	switch {
	case n.bound != nil:
		text = fenced(n.bound.Token.Text()+": "+typeText(n.bound.Type)) + "\nFrom `" + n.bound.Verb.Name + "`"
		if o := n.bound.Outcome; o != nil {
			text += ", which ended in `" + o.Name + "`"
		}
		text += "."
	default:
		text = (&description{s: s, prog: w.prog, file: w.File, off: off}).of(n.entity)
		if n.verb != nil {
			text += fmt.Sprintf("\n\n`%s` in scope `%s` costs %s.", n.verb.Name, w.scope, costText(n.verb))
		}
	}
	r := s.Range(d.Syntax, n.span)
	return &protocol.Hover{Contents: s.markup(text), Range: &r}
}

// wireTargets returns where the name at an offset of wire text is declared.
func (s *Snapshot) wireTargets(d *Document, off int) (name, []target) {
	w, err := s.examine(d)
	if err != nil {
		return name{}, nil
	}
	n, ok := w.at(off)
	if !ok {
		return name{}, nil
	}
	from := name{prog: w.prog, file: w.File, refs: []check.Reference{{Entity: n.entity, File: w.File, Span: n.span}}}
	if n.bound != nil {
		at := n.bound.Token.Span()
		return from, []target{{w.File, at, at}}
	}
	if t, ok := declared(w.prog, n.entity); ok {
		return from, []target{t}
	}
	if v := n.verb; v != nil && v.Tor.Node.IsValid() && slices.Contains(w.Defined, v) {
		return from, []target{{w.File, solid(v.Tor.Node), syntax.TorView{Node: v.Tor.Node}.Name().Span()}}
	}
	return from, nil
}

// wireUses returns the places in a wire document that name what stands at an
// offset, the first of which binds it.
func (s *Snapshot) wireUses(d *Document, off int) []syntax.Span {
	w, err := s.examine(d)
	if err != nil {
		return nil
	}
	n, ok := w.at(off)
	if !ok {
		return nil
	}
	var spans []syntax.Span
	if n.bound != nil {
		for _, t := range append([]syntax.Token{n.bound.Token}, n.bound.Uses...) {
			spans = append(spans, t.Span())
		}
		return spans
	}
	for i := range w.Calls {
		c := &w.Calls[i]
		if path := (syntax.CallView{Node: c.Node}).Path(); n.verb != nil && c.Verb == n.verb {
			spans = append(spans, path.Span())
		}
	}
	if len(spans) == 0 {
		spans = append(spans, n.span)
	}
	return spans
}

// wireCandidates lists what may stand at the cursor of a wire document.
func (s *Snapshot) wireCandidates(w *site, x *wire) []candidate {
	n := w.up(0)
	switch n.Kind() {
	case syntax.WireArm:
		return x.outcomes(w, n)
	case syntax.NameExpr, syntax.Arg:
		in := n
		if n.Kind() == syntax.NameExpr {
			in = w.up(1)
		}
		if in.Kind() == syntax.Arg {
			return append(x.fields(w, in), x.names(w)...)
		}
		return x.names(w)
	case syntax.FieldExpr:
		if b := x.bound(n.FirstChild().FirstToken().Text()); b != nil {
			return w.fields(b.Type, "")
		}
		return nil
	}
	return append(x.openOutcomes(w), x.verbs(w)...)
}

// verbs lists the verbs of the scope and the words of the wire.
func (x *wire) verbs(w *site) []candidate {
	var list []candidate
	for _, v := range append(slices.Clone(x.Words.Scope.Verbs), x.Words.Defined...) {
		insert := quoteSnippet(v.Name)
		if call := w.up(0); call.Kind() != syntax.Call || !(syntax.CallView{Node: call}).ArgList().IsValid() {
			insert += w.arguments(v.Tor)
		}
		list = append(list, candidate{
			label: v.Name, kind: protocol.CompletionItemKindFunction, detail: " " + signatureOf(v.Tor),
			from: "costs " + costText(v), insert: insert, rank: own, doc: describeVerb(v.Tor),
		})
	}
	for _, word := range []struct{ name, insert string }{
		{"release", "release(r: ${1:r1})"}, {"abandon", "abandon(reason: \"${1}\")"}, {"vocabulary", "vocabulary()"},
		{"grammar", "grammar()"}, {"note", "note: $0"}, {"say", "say: $0"},
		{"tor", "tor ${1:name} { ${2:field}: string } | ${3:done}\n${1:name} = $0"},
	} {
		list = append(list, candidate{label: word.name, kind: protocol.CompletionItemKindKeyword, insert: word.insert, rank: control})
	}
	return list
}

// call returns the call that a node is, or the one whose arguments hold it. The
// tree of the site has the placeholder in it; calls are found by where they begin.
func (x *wire) call(n syntax.Node) *bridge.ExaminedCall {
	for i := range x.Calls {
		if c := &x.Calls[i]; n.IsValid() && c.Node.Span().Start == n.Span().Start {
			return c
		}
	}
	return nil
}

func (x *wire) fields(w *site, at syntax.Node) []candidate {
	c := x.call(w.nearest(syntax.Call))
	if c == nil || (syntax.ArgView{Node: at}).Label().IsValid() && w.up(0).Kind() != syntax.Arg {
		return nil
	}
	return w.openFields(c.Verb.Tor, syntax.CallView{Node: w.nearest(syntax.Call)}, at)
}

func (x *wire) names(w *site) []candidate {
	var list []candidate
	for _, n := range slices.Backward(x.Names) {
		if n.Token.Span().Start < w.off {
			list = append(list, candidate{
				label: n.Token.Text(), kind: protocol.CompletionItemKindVariable, detail: ": " + typeText(n.Type), from: n.Verb.Name, rank: near,
			})
		}
	}
	return list
}

func (x *wire) bound(name string) *bridge.ExaminedName {
	for _, n := range x.Names {
		if n.Token.Text() == name {
			return n
		}
	}
	return nil
}

// outcomes lists the words of an arm: those of the calls of its item.
func (x *wire) outcomes(w *site, arm syntax.Node) []candidate {
	if (syntax.ArmView{Node: arm}).Name() != w.token {
		return nil
	}
	item := w.path[0].Span()
	var list []candidate
	for i := range x.Calls {
		c := &x.Calls[i]
		if start := c.Node.Span().Start; start < item.Start || start > w.off {
			continue
		}
		for _, o := range c.Verb.Tor.Outcomes {
			if !o.Effect {
				list = append(list, wireOutcome(c, o, arm))
			}
		}
	}
	return list
}

func wireOutcome(c *bridge.ExaminedCall, o *check.Outcome, arm syntax.Node) candidate {
	answered := slices.ContainsFunc(c.Arms, func(a bridge.ExaminedArm) bool {
		return a.Outcome == o && a.Node.Span().Start != arm.Span().Start
	})
	return outcome(&check.Call{Tor: c.Verb.Tor}, o, answered, true)
}

// openOutcomes lists, at the start of a line, the outcomes of the call above that
// have no arm.
func (x *wire) openOutcomes(w *site) []candidate {
	if !w.firstOfItem() || len(x.Calls) == 0 {
		return nil
	}
	var last *bridge.ExaminedCall
	for i := range x.Calls {
		if x.Calls[i].Node.Span().Start < w.token.Span().Start && x.Calls[i].Flow == nil {
			last = &x.Calls[i]
		}
	}
	if last == nil {
		return nil
	}
	var list []candidate
	for _, o := range last.Verb.Tor.Outcomes {
		if k := wireOutcome(last, o, syntax.Node{}); !o.Effect && k.rank == wanted {
			k.label, k.insert = "| "+k.label, "| "+k.insert
			list = append(list, k)
		}
	}
	return list
}
