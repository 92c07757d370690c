package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/koru-go/koru/syntax"
)

// outline is one thing that a document declares or does, with what is in it.
type outline struct {
	name, detail string
	kind         protocol.SymbolKind
	span, at     syntax.Span // of the whole, and of its name
	parts        []outline
}

// DocumentSymbols returns what a document declares and does, nested if the
// client takes that.
func DocumentSymbols(_ context.Context, s *Snapshot, d *Document) (protocol.DocumentSymbolResult, error) {
	if !s.opts.Client.Hierarchical {
		out := protocol.SymbolInformationSlice{}
		flatten(outlineOf(d.Syntax), "", func(o outline, in string) {
			out = append(out, s.symbolInformation(d.URI, d.Syntax, o, in))
		})
		return out, nil
	}
	return protocol.DocumentSymbolSlice(s.symbols(d)), nil
}

func (s *Snapshot) nested(f *syntax.File, list []outline) []protocol.DocumentSymbol {
	out := make([]protocol.DocumentSymbol, len(list))
	for i, o := range list {
		out[i] = protocol.DocumentSymbol{
			Name: o.name, Kind: o.kind, Range: s.Range(f, o.span), SelectionRange: s.Range(f, o.at),
			Children: s.nested(f, o.parts),
		}
		if o.detail != "" {
			out[i].Detail = &o.detail
		}
	}
	return out
}

func flatten(list []outline, in string, visit func(o outline, in string)) {
	for _, o := range list {
		visit(o, in)
		flatten(o.parts, o.name, visit)
	}
}

func (s *Snapshot) symbolInformation(u uri.URI, f *syntax.File, o outline, in string) protocol.SymbolInformation {
	info := protocol.SymbolInformation{Location: protocol.Location{URI: u, Range: s.Range(f, o.at)}}
	info.Name, info.Kind = o.name, o.kind
	if in != "" {
		info.ContainerName = &in
	}
	return info
}

// outlineOf lists the items of a file that have a name to go by. It reads the
// tree alone, so that a file shows its outline whatever is wrong in it.
func outlineOf(f *syntax.File) []outline {
	var out []outline
	for it := range f.Items() {
		if o := outlineItem(f, it); o.name != "" {
			out = append(out, o)
		}
	}
	return out
}

func outlineItem(f *syntax.File, it syntax.Node) outline {
	o := outline{span: solid(it)}
	switch it.Kind() {
	case syntax.TorItem, syntax.Definition:
		if decl := it.Child(syntax.TorItem); decl.IsValid() {
			it = decl
		}
		v := syntax.TorView{Node: it}
		o.name, o.kind, o.at = v.Name().Text(), protocol.SymbolKindFunction, v.Name().Span()
		o.detail = clipped(v.Return().Text())
		o.parts = declaredParts(v)
	case syntax.ProcItem:
		v := syntax.ProcView{Node: it}
		o.name, o.kind, o.at = v.Name().Text(), protocol.SymbolKindMethod, v.Name().Span()
		o.detail = "proc|" + strings.Join(v.Targets(), "|")
	case syntax.ImplItem:
		v := syntax.ImplView{Node: it}
		o.name, o.kind, o.at = v.Name().Text(), protocol.SymbolKindMethod, v.Name().Span()
		o.detail = "implementation"
	case syntax.FlowItem:
		outlineFlow(f, &o, syntax.CallView{Node: syntax.FlowView{Node: it}.Chain().Child(syntax.Call)})
	case syntax.WireItem:
		outlineFlow(f, &o, syntax.CallView{Node: it.Child(syntax.Call)})
	}
	return o
}

// solid returns the span of an item without the blank lines and the comments
// around it.
func solid(it syntax.Node) syntax.Span {
	first, last := it.FirstToken(), it.LastToken()
	for first.IsValid() && first.Kind().IsTrivia() {
		first = first.Next()
	}
	for last.IsValid() && last.Kind().IsTrivia() {
		last = last.Prev()
	}
	if !first.IsValid() || !last.IsValid() || last.Span().End < first.Span().Start {
		return it.Span()
	}
	return syntax.Span{Start: first.Span().Start, End: last.Span().End}
}

func declaredParts(v syntax.TorView) []outline {
	out := fieldParts(v.Shape())
	for arm := range v.Arms() {
		at := arm.Name()
		if !at.IsValid() {
			continue
		}
		kind := protocol.SymbolKindEnumMember
		if arm.Effect() {
			kind = protocol.SymbolKindEvent
		}
		part := outline{name: at.Text(), kind: kind, span: arm.Span(), at: at.Span(), parts: fieldParts(arm.Payload().Shape())}
		if part.parts == nil {
			part.detail = clipped(arm.Payload().Text())
		}
		out = append(out, part)
	}
	return out
}

func fieldParts(v syntax.ShapeView) []outline {
	var out []outline
	for f := range v.Fields() {
		if at := f.Name(); at.IsValid() {
			out = append(out, outline{
				name: at.Text(), kind: protocol.SymbolKindField, span: f.Span(), at: at.Span(),
				detail: clipped(f.Type().Text()), parts: fieldParts(f.Type().Shape()),
			})
		}
	}
	return out
}

// outlineFlow fills in what a flow at top level is: the declaration of a store,
// of constants, of a scope, a test, or something that runs.
func outlineFlow(f *syntax.File, o *outline, call syntax.CallView) {
	path := call.Path()
	if !path.IsValid() {
		return
	}
	o.name, o.kind, o.at = path.Text(), protocol.SymbolKindEvent, path.Span()
	block := call.Block()
	switch block.Kind() {
	case syntax.ConstBlock:
		o.kind = protocol.SymbolKindConstant
		for n := range block.ChildrenOf(syntax.ConstEntry) {
			o.parts = append(o.parts, column(n, protocol.SymbolKindConstant))
		}
		if len(o.parts) == 1 {
			o.name, o.at, o.parts = o.parts[0].name, o.parts[0].at, nil
		}
	case syntax.ColumnBlock:
		o.kind, o.detail = protocol.SymbolKindStruct, path.Text()
		for a := range call.Args() {
			if v := a.Value(); !a.Label().IsValid() && v.Kind() == syntax.NameExpr {
				o.name, o.at = v.Text(), v.Span()
				break
			}
		}
		for n := range block.ChildrenOf(syntax.Column) {
			if part := column(n, protocol.SymbolKindField); part.name != "" {
				o.parts = append(o.parts, part)
			}
		}
	case syntax.GrantBlock:
		o.kind, o.detail = protocol.SymbolKindNamespace, path.Text()
		for a := range call.Args() {
			o.name, o.at = strings.Trim(a.Value().Text(), `"`), a.Value().Span()
			break
		}
		for n := range block.ChildrenOf(syntax.Grant) {
			verb := syntax.GrantView{Node: n}.Verb()
			o.parts = append(o.parts, outline{name: verb.Text(), kind: protocol.SymbolKindFunction, span: n.Span(), at: verb.Span()})
		}
	case syntax.TestBlock:
		o.detail = path.Text()
		if title := call.ArgList().Child(syntax.Arg); title.IsValid() {
			o.name, o.at = clipped(title.Text()), title.Span()
		}
	default:
		o.detail = clipped(call.ArgList().Text())
	}
	if o.name == "" {
		o.name = path.Text()
	}
}

func column(n syntax.Node, kind protocol.SymbolKind) outline {
	v := syntax.ColumnView{Node: n}
	return outline{
		name: v.Name().Text(), kind: kind, span: n.Span(), at: v.Name().Span(),
		detail: clipped(cmp.Or(v.Type().Text(), v.Value().Text())),
	}
}

// clipped returns one short line of a text.
func clipped(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 60
	if len(text) > most {
		cut := most
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// mostSymbols is how many symbols a search of the workspace answers with.
const mostSymbols = 256

// WorkspaceSymbols returns what the files of the workspace declare under a name
// that holds the letters of the query in their order. The best come first: names
// that start with the query, then those that hold it, then the others.
func WorkspaceSymbols(ctx context.Context, s *Snapshot, p *protocol.WorkspaceSymbolParams) (protocol.SymbolInformationSlice, error) {
	type match struct {
		rank int
		info protocol.SymbolInformation
	}
	var found []match
	query := strings.ToLower(p.Query)
	seen := map[string]bool{}
	for prog := range s.Programs() {
		for _, m := range prog.Modules {
			for _, f := range m.Files {
				if m.Std || seen[pathOfFile(f)] {
					continue
				}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				seen[pathOfFile(f)] = true
				flatten(outlineOf(f.Syntax), "", func(o outline, in string) {
					if o.kind == protocol.SymbolKindMethod || o.kind == protocol.SymbolKindEvent && in == "" {
						return // a body, or a flow that runs: not what declares the name
					}
					if rank, ok := rankOf(strings.ToLower(o.name), query); ok {
						found = append(found, match{rank, s.symbolInformation(s.URI(f), f.Syntax, o, in)})
					}
				})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.info.Name), len(b.info.Name)),
			strings.Compare(a.info.Name, b.info.Name), strings.Compare(string(a.info.Location.URI), string(b.info.Location.URI)))
	})
	out := protocol.SymbolInformationSlice{}
	for _, m := range found[:min(len(found), mostSymbols)] {
		out = append(out, m.info)
	}
	return out, nil
}

// rankOf says how well a name answers a query, and whether it does.
func rankOf(name, query string) (rank int, ok bool) {
	switch {
	case name == query:
		return 0, true
	case strings.HasPrefix(name, query):
		return 1, true
	case strings.Contains(name, query):
		return 2, true
	}
	rest := query
	for i := 0; i < len(name) && rest != ""; i++ {
		if name[i] == rest[0] {
			rest = rest[1:]
		}
	}
	return 3, rest == ""
}
