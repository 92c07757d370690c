package view

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/check"
)

// Markers of the features that lead from one place to others:
//
//	def(at, at...)   decl, typedef, impl: where definition and its kin lead
//	refs(at, at...)  every place that names what stands there, declaration included
//	highlight(at, "read find", "write find"...)
//	rename(at, new, golden), renameErr(at, new, "part of the reason")
//	moves("file or folder", "new path", golden) what is changed before it moves
//	outline(golden), symbols("query", "name file:line"...)
//	incoming(at, "caller: ranges"...), outgoing(at, …)
//	linked(at, n) how many places are typed over together
//	folds(golden), grow(at, "inner", "outer"...), link(at, file), lens(golden)
//	action(at, "title", golden), noAction(at, "title"), execute("command", at, golden)
func init() {
	verbs["def"] = leads(Definition)
	verbs["decl"] = leads(Declaration)
	verbs["typedef"] = leads(TypeDefinition)
	verbs["impl"] = leads(Implementation)
	verbs["refs"] = refsMarker
	verbs["highlight"] = highlightMarker
	verbs["rename"] = renameMarker
	verbs["renameErr"] = renameErrMarker
	verbs["moves"] = movesMarker
	verbs["outline"] = outlineMarker
	verbs["symbols"] = symbolsMarker
	verbs["incoming"] = incomingMarker
	verbs["outgoing"] = outgoingMarker
	verbs["linked"] = linkedMarker
	verbs["folds"] = foldsMarker
	verbs["grow"] = growMarker
	verbs["link"] = linkMarker
	verbs["lens"] = lensMarker
	verbs["action"] = actionMarker
	verbs["noAction"] = noActionMarker
	verbs["execute"] = executeMarker
}

type leader = func(r *markerRun, place at, want ...at)

// leads tests a feature that leads from a place to others.
func leads(feature func(ctx context.Context, s *Snapshot, d *Document, off int) (protocol.DefinitionResult, error)) leader {
	return func(r *markerRun, place at, want ...at) {
		got, err := feature(r.t.Context(), r.s, place.doc, place.off)
		if err != nil {
			r.errorf("%v", err)
			return
		}
		var places []string
		if links, ok := got.(protocol.DefinitionLinkSlice); ok {
			for _, l := range links {
				r.text(l.TargetURI, l.TargetRange)
				places = append(places, r.text(l.TargetURI, l.TargetSelectionRange))
			}
		}
		r.samePlaces(places, want)
	}
}

func (r *markerRun) samePlaces(got []string, want []at) {
	r.t.Helper()
	var places []string
	for _, p := range want {
		places = append(places, r.text(p.doc.URI, r.s.Range(p.doc.Syntax, p.span)))
	}
	slices.Sort(got)
	slices.Sort(places)
	if !slices.Equal(got, places) {
		r.errorf("it leads to\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(places, "\n\t"))
	}
}

func refsMarker(r *markerRun, place at, want ...at) {
	p := &protocol.ReferenceParams{Context: protocol.ReferenceContext{IncludeDeclaration: true}}
	list, err := References(r.t.Context(), r.s, place.doc, place.off, p)
	if err != nil {
		r.errorf("%v", err)
	}
	var got []string
	for _, l := range list {
		if !strings.HasPrefix(string(l.URI), StdScheme+":") {
			got = append(got, r.text(l.URI, l.Range))
		}
	}
	r.samePlaces(got, want)
}

func highlightMarker(r *markerRun, place at, want ...string) {
	list, err := Highlights(r.t.Context(), r.s, place.doc, place.off)
	if err != nil {
		r.errorf("%v", err)
	}
	var got []string
	for _, h := range list {
		kind := "read"
		if h.Kind == protocol.DocumentHighlightKindWrite {
			kind = "write"
		}
		_, span := r.span(place.doc.URI, h.Range)
		got = append(got, fmt.Sprintf("%s %d", kind, place.doc.Syntax.LineOf(span.Start)+1))
	}
	r.sameTexts(got, want)
}

func (r *markerRun) sameTexts(got, want []string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// renameMarker compares the lines that a rename changes, and carries it back:
// what comes out is what was.
func renameMarker(r *markerRun, place at, to string, want golden) {
	ready, err := PrepareRename(r.t.Context(), r.s, place.doc, place.off)
	if err != nil {
		r.errorf("prepare: %v", err)
		return
	}
	old := ready.(*protocol.PrepareRenamePlaceholder)
	if _, span := r.span(place.doc.URI, old.Range); place.doc.Syntax.Text()[span.Start:span.End] != old.Placeholder {
		r.errorf("the range is not that of the placeholder %q", old.Placeholder)
	}
	e, err := r.s.rename(place.doc, place.off, to)
	if err != nil {
		r.errorf("%v", err)
		return
	}
	r.compare(want, r.changes(e))
	if len(e.moves) > 0 {
		return
	}
	there := r.s.edited(e)
	back, err := there.rename(there.open[place.doc.Path], e.nameAfter(r.name(place)).off, old.Placeholder)
	if err != nil {
		r.errorf("back: %v", err)
		return
	}
	for _, path := range e.paths() {
		if got := there.edited(back).open[path].Syntax.Text(); got != e.docs[path].Syntax.Text() {
			r.errorf("there and back, %s reads\n%s", path, got)
		}
	}
}

// name returns what a place names first of all.
func (r *markerRun) name(place at) check.Reference {
	r.t.Helper()
	n, err := r.s.nameAt(place.doc, place.off)
	if err != nil || !n.named() {
		r.fatalf("no name: %v", err)
	}
	return n.refs[0]
}

// changes writes the lines of the documents that edits change, and the files
// that they move.
func (r *markerRun) changes(e *edits) string {
	var b strings.Builder
	for _, path := range e.paths() {
		was, is := strings.Split(e.docs[path].Syntax.Text(), "\n"), strings.Split(e.text(path), "\n")
		for i := 0; i < max(len(was), len(is)); i++ {
			if i < len(was) && i < len(is) && was[i] != is[i] {
				fmt.Fprintf(&b, "%s:%d: %s\n", strings.TrimPrefix(path, markerRoot+"/"), i+1, strings.TrimRight(is[i], "\r"))
			} else if i >= len(was) {
				fmt.Fprintf(&b, "%s:%d: %s\n", strings.TrimPrefix(path, markerRoot+"/"), i+1, strings.TrimRight(is[i], "\r"))
			}
		}
	}
	for _, m := range e.moves {
		fmt.Fprintf(&b, "%s becomes %s\n", strings.TrimPrefix(m.from, markerRoot+"/"), strings.TrimPrefix(m.to, markerRoot+"/"))
	}
	return b.String()
}

func renameErrMarker(r *markerRun, place at, to, reason string) {
	_, err := r.s.rename(place.doc, place.off, to)
	if err == nil {
		r.errorf("a rename to %q is not refused", to)
	} else if !strings.Contains(err.Error(), reason) {
		r.errorf("the reason is %q, want %q", err, reason)
	}
}

// movesMarker asks what changes before the editor moves a file or a folder.
func movesMarker(r *markerRun, from, to string, want golden) {
	w, err := WillRenameFiles(r.t.Context(), r.s, &protocol.RenameFilesParams{Files: []protocol.FileRename{
		{OldURI: string(uriOf(markerRoot + "/" + from)), NewURI: string(uriOf(markerRoot + "/" + to))},
	}})
	if err != nil {
		r.errorf("%v", err)
	}
	if w == nil {
		w = &protocol.WorkspaceEdit{}
	}
	r.compare(want, r.changes(r.readEdit(w)))
}

func outlineMarker(r *markerRun, file string, want golden) {
	d := r.doc(file)
	result, err := DocumentSymbols(r.t.Context(), r.s, d)
	if err != nil {
		r.errorf("%v", err)
	}
	var b strings.Builder
	var write func(list []protocol.DocumentSymbol, indent string)
	write = func(list []protocol.DocumentSymbol, indent string) {
		for _, s := range list {
			detail := ""
			if s.Detail != nil {
				detail = "  " + *s.Detail
			}
			r.text(d.URI, s.SelectionRange)
			_, whole := r.span(d.URI, s.Range)
			if _, at := r.span(d.URI, s.SelectionRange); at.Start < whole.Start || at.End > whole.End {
				r.errorf("the name of %s stands outside of it", s.Name)
			}
			fmt.Fprintf(&b, "%s%v %s%s\n", indent, kindWord(s.Kind), s.Name, detail)
			write(s.Children, indent+"  ")
		}
	}
	write(result.(protocol.DocumentSymbolSlice), "")
	r.compare(want, b.String())
}

func kindWord(k protocol.SymbolKind) string {
	return map[protocol.SymbolKind]string{
		protocol.SymbolKindFunction: "function", protocol.SymbolKindMethod: "method", protocol.SymbolKindField: "field",
		protocol.SymbolKindEnumMember: "outcome", protocol.SymbolKindEvent: "event", protocol.SymbolKindConstant: "constant",
		protocol.SymbolKindStruct: "struct", protocol.SymbolKindNamespace: "scope",
	}[k]
}

func symbolsMarker(r *markerRun, query string, want ...string) {
	list, err := WorkspaceSymbols(r.t.Context(), r.s, &protocol.WorkspaceSymbolParams{Query: query})
	if err != nil {
		r.errorf("%v", err)
	}
	var got []string
	for _, s := range list {
		d, span := r.span(s.Location.URI, s.Location.Range)
		got = append(got, fmt.Sprintf("%s %s:%d", s.Name, strings.TrimPrefix(d.Path, markerRoot+"/"), d.Syntax.LineOf(span.Start)+1))
	}
	r.sameTexts(got, want)
}

func (r *markerRun) prepared(place at) protocol.CallHierarchyItem {
	r.t.Helper()
	items, err := PrepareCallHierarchy(r.t.Context(), r.s, place.doc, place.off)
	if err != nil || len(items) != 1 {
		r.fatalf("prepare: %v, %v", items, err)
	}
	return items[0]
}

func incomingMarker(r *markerRun, place at, want ...string) {
	calls, err := IncomingCalls(r.t.Context(), r.s, &protocol.CallHierarchyIncomingCallsParams{Item: r.prepared(place)})
	if err != nil {
		r.errorf("%v", err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, r.callText(c.From, c.From.URI, c.FromRanges))
	}
	r.sameTexts(got, want)
}

func outgoingMarker(r *markerRun, place at, want ...string) {
	item := r.prepared(place)
	calls, err := OutgoingCalls(r.t.Context(), r.s, &protocol.CallHierarchyOutgoingCallsParams{Item: item})
	if err != nil {
		r.errorf("%v", err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, r.callText(c.To, item.URI, c.FromRanges))
	}
	r.sameTexts(got, want)
}

func (r *markerRun) callText(item protocol.CallHierarchyItem, u uri.URI, ranges []protocol.Range) string {
	text := item.Name
	for _, rng := range ranges {
		d, span := r.span(u, rng)
		text += fmt.Sprintf(" %s:%d", strings.TrimPrefix(d.Path, markerRoot+"/"), d.Syntax.LineOf(span.Start)+1)
	}
	return text
}

func linkedMarker(r *markerRun, place at, want int) {
	l, err := LinkedEditing(r.t.Context(), r.s, place.doc, place.off)
	if err != nil {
		r.errorf("%v", err)
	}
	got := 0
	if l != nil {
		got = len(l.Ranges)
	}
	if got != want {
		r.errorf("%d places are linked, want %d", got, want)
	}
}

func foldsMarker(r *markerRun, file string, want golden) {
	d := r.doc(file)
	list, err := FoldingRanges(r.t.Context(), r.s, d)
	if err != nil {
		r.errorf("%v", err)
	}
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%d-%d %s\n", f.StartLine+1, f.EndLine+1, strings.TrimSpace(string(f.Kind)+" "+d.Syntax.Line(int(f.StartLine))))
	}
	r.compare(want, b.String())
}

func growMarker(r *markerRun, place at, want ...string) {
	p := &protocol.SelectionRangeParams{Positions: []protocol.Position{r.s.Position(place.doc.Syntax, place.off)}}
	list, err := SelectionRanges(r.t.Context(), r.s, place.doc, p)
	if err != nil || len(list) != 1 {
		r.fatalf("%v, %v", list, err)
	}
	var got []string
	for at := &list[0]; at != nil; at = at.Parent {
		_, span := r.span(place.doc.URI, at.Range)
		text := place.doc.Syntax.Text()[span.Start:span.End]
		if first, _, many := strings.Cut(text, "\n"); many {
			text = strings.TrimRight(first, "\r") + "…"
		}
		got = append(got, text)
	}
	if len(got) > len(want) {
		got = got[:len(want)]
	}
	r.sameTexts(got, want)
}

func linkMarker(r *markerRun, place at, want string) {
	list, err := DocumentLinks(r.t.Context(), r.s, place.doc)
	if err != nil {
		r.errorf("%v", err)
	}
	for _, l := range list {
		if _, span := r.span(place.doc.URI, l.Range); span.Contains(place.off) {
			d, err := r.s.Document(*l.Target)
			if err != nil {
				r.fatalf("%v", err)
			}
			if got := strings.TrimPrefix(d.Path, markerRoot+"/"); got != want {
				r.errorf("the link leads to %s, want %s", got, want)
			}
			return
		}
	}
	r.errorf("there is no link")
}

func lensMarker(r *markerRun, file string, want golden) {
	d := r.doc(file)
	list, err := CodeLenses(r.t.Context(), r.s, d)
	if err != nil {
		r.errorf("%v", err)
	}
	var b strings.Builder
	for i := range list {
		lens := &list[i]
		if lens.Command.Command == "" {
			if lens, err = ResolveCodeLens(r.t.Context(), r.s, lens); err != nil {
				r.fatalf("%v", err)
			}
		}
		fmt.Fprintf(&b, "%s — %s (%s)\n", r.text(d.URI, lens.Range), lens.Command.Title, lens.Command.Command)
	}
	r.compare(want, b.String())
}

func (r *markerRun) actions(place at) []*protocol.CodeAction {
	r.t.Helper()
	list, err := CodeActions(r.t.Context(), r.s, place.doc, place.span, &protocol.CodeActionParams{})
	if err != nil {
		r.errorf("%v", err)
	}
	var out []*protocol.CodeAction
	for _, a := range list {
		out = append(out, a.(*protocol.CodeAction))
	}
	return out
}

func actionMarker(r *markerRun, place at, title string, want golden) {
	var titles []string
	for _, a := range r.actions(place) {
		titles = append(titles, a.Title)
		if a.Title == title {
			r.compare(want, r.afterEdit(a.Edit))
			return
		}
	}
	r.errorf("there is no action %q; there are %q", title, titles)
}

func noActionMarker(r *markerRun, place at, title string) {
	for _, a := range r.actions(place) {
		if a.Title == title {
			r.errorf("there is an action %q", title)
		}
	}
}

// afterEdit writes the documents after an edit, as far as they change.
func (r *markerRun) afterEdit(w *protocol.WorkspaceEdit) string {
	r.t.Helper()
	e := r.readEdit(w)
	var b strings.Builder
	for _, path := range e.paths() {
		fmt.Fprintf(&b, "%s\n%s", strings.TrimPrefix(path, markerRoot+"/"), strings.ReplaceAll(e.text(path), "\r\n", "\n"))
	}
	return b.String()
}

// readEdit reads an edit as a client does.
func (r *markerRun) readEdit(w *protocol.WorkspaceEdit) *edits {
	r.t.Helper()
	e := newEdits()
	for _, change := range w.DocumentChanges {
		edit := change.(*protocol.TextDocumentEdit)
		d, err := r.s.Document(edit.TextDocument.URI)
		if err != nil {
			r.fatalf("%v", err)
		}
		if (edit.TextDocument.Version != nil) != d.Open {
			r.errorf("%s: the edit says version %v of a document that is open: %v", d.Path, edit.TextDocument.Version, d.Open)
		}
		for _, one := range edit.Edits {
			text := one.(*protocol.TextEdit)
			_, span := r.span(d.URI, text.Range)
			e.replace(d, span, text.NewText)
		}
	}
	return e
}

func executeMarker(r *markerRun, name string, place at, want golden) {
	pos, err := protocol.Marshal(r.s.Position(place.doc.Syntax, place.off))
	if err != nil {
		r.fatalf("%v", err)
	}
	got, err := ExecuteCommand(r.t.Context(), r.s, &protocol.ExecuteCommandParams{
		Command: name, Arguments: []protocol.LSPAny{argument(place.doc.URI), protocol.LSPAny(pos)},
	})
	text := ""
	switch got := got.(type) {
	case Shown:
		text = got.Title + "\n" + got.Text
	case Opened:
		text = string(got.URI)
	case []protocol.Location:
		for _, l := range got {
			text += r.text(l.URI, l.Range) + "\n"
		}
	default:
		raw, _ := json.Marshal(got)
		text = string(raw)
	}
	if err != nil {
		text = err.Error()
	}
	r.compare(want, text)
}
