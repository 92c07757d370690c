package view

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// PrepareCallHierarchy returns the verb that stands at an offset as the item
// that a hierarchy of calls starts from.
func PrepareCallHierarchy(_ context.Context, s *Snapshot, d *Document, off int) ([]protocol.CallHierarchyItem, error) {
	n, err := s.nameAt(d, off)
	if err != nil || !n.named() || n.entity().Kind != check.TorEntity {
		return nil, err
	}
	if item, ok := s.callItem(n.prog, n.entity()); ok {
		return []protocol.CallHierarchyItem{s.inBody(n.prog, n.entity(), item)}, nil
	}
	return nil, nil
}

// inBody moves an item to the flow that implements the verb, if that stands in
// another document than the declaration: the ranges of calls are those of the
// item's document.
func (s *Snapshot) inBody(p *check.Program, e check.Entity, item protocol.CallHierarchyItem) protocol.CallHierarchyItem {
	for _, use := range p.Uses(e) {
		if use.Role == check.Implements && use.Item.Kind() == syntax.ImplItem {
			if u := s.URI(use.File); u != item.URI {
				item.URI, item.Range = u, s.Range(use.File.Syntax, solid(use.Item))
				item.SelectionRange = s.Range(use.File.Syntax, use.Span)
			}
			break
		}
	}
	return item
}

// callItem is a verb in a hierarchy of calls.
func (s *Snapshot) callItem(p *check.Program, e check.Entity) (protocol.CallHierarchyItem, bool) {
	t, ok := declared(p, e)
	if !ok {
		return protocol.CallHierarchyItem{}, false
	}
	item := protocol.CallHierarchyItem{
		Name: e.Name, Kind: protocol.SymbolKindFunction, URI: s.URI(t.file),
		Range: s.Range(t.file.Syntax, t.whole), SelectionRange: s.Range(t.file.Syntax, t.name),
	}
	if tor := e.Tor(); tor != nil && tor.Module.Path != "" {
		item.Detail = &tor.Module.Path
	}
	return item, true
}

// flowItem is a flow at top level in a hierarchy of calls: nobody calls it, it
// runs when the program does.
func (s *Snapshot) flowItem(f *check.File, item syntax.Node) protocol.CallHierarchyItem {
	o := outlineItem(f.Syntax, item)
	out := protocol.CallHierarchyItem{
		Name: o.name, Kind: o.kind, URI: s.URI(f),
		Range: s.Range(f.Syntax, o.span), SelectionRange: s.Range(f.Syntax, o.at),
	}
	if o.detail != "" {
		out.Detail = &o.detail
	}
	return out
}

// IncomingCalls returns who calls a verb: other verbs, in their bodies, and
// flows at top level, scopes that grant it included.
func IncomingCalls(_ context.Context, s *Snapshot, p *protocol.CallHierarchyIncomingCallsParams) ([]protocol.CallHierarchyIncomingCall, error) {
	d, n, err := s.callee(p.Item)
	if err != nil || !n.named() || n.entity().Kind != check.TorEntity {
		return nil, err
	}
	var out []protocol.CallHierarchyIncomingCall
	at := map[place]int{}
	for _, use := range s.uses(d, n.prog, n.entity()) {
		if use.Role != check.Calls && use.Role != check.Grants {
			continue
		}
		from := s.caller(n, use)
		key := place{string(from.URI), int(from.SelectionRange.Start.Line)<<16 | int(from.SelectionRange.Start.Character)}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, protocol.CallHierarchyIncomingCall{From: from})
		}
		out[i].FromRanges = append(out[i].FromRanges, s.Range(use.File.Syntax, use.Span))
	}
	return out, nil
}

// caller returns the verb whose body a call stands in, or the flow.
func (s *Snapshot) caller(n name, use check.Reference) protocol.CallHierarchyItem {
	if p, e := s.bodyOf(n, use); e.IsValid() {
		if item, ok := s.callItem(p, e); ok {
			return s.inBody(p, e, item)
		}
	}
	return s.flowItem(use.File, use.Item)
}

// bodyOf returns the verb whose body a use stands in, with a program that has
// it, if it stands in one.
func (s *Snapshot) bodyOf(n name, use check.Reference) (*check.Program, check.Entity) {
	if use.Item.Kind() != syntax.ImplItem {
		return nil, check.Entity{}
	}
	p := n.prog
	if p.FileOf(use.Item) == nil {
		for other := range s.ProgramsWith(s.DocumentOf(use.File)) {
			p = other
			break
		}
	}
	f := p.FileOf(use.Item)
	if f == nil {
		return nil, check.Entity{}
	}
	for _, r := range p.ReferencesIn(f, use.Item) {
		if r.Role == check.Implements && r.Entity.Kind == check.TorEntity {
			return p, r.Entity
		}
	}
	return nil, check.Entity{}
}

// OutgoingCalls returns the verbs that the bodies of a verb call, or those that
// a flow calls.
func OutgoingCalls(_ context.Context, s *Snapshot, p *protocol.CallHierarchyOutgoingCallsParams) ([]protocol.CallHierarchyOutgoingCall, error) {
	d, n, err := s.callee(p.Item)
	if err != nil || n.file == nil {
		return nil, err
	}
	type body struct {
		prog *check.Program
		file *check.File
		item syntax.Node
	}
	var bodies []body
	off := s.Offset(d.Syntax, p.Item.SelectionRange.Start)
	if item := n.file.Syntax.Item(n.file.Syntax.ItemAt(off)); item.Kind() == syntax.FlowItem {
		bodies = append(bodies, body{n.prog, n.file, item})
	} else if n.named() && n.entity().Kind == check.TorEntity {
		for _, use := range n.prog.Uses(n.entity()) {
			if use.Role == check.Implements && use.Item.Kind() == syntax.ImplItem && use.File == n.file {
				bodies = append(bodies, body{n.prog, use.File, use.Item})
			}
		}
	}
	var out []protocol.CallHierarchyOutgoingCall
	at := map[check.EntityID]int{}
	for _, b := range bodies {
		for _, r := range b.prog.ReferencesIn(b.file, b.item) {
			if r.Entity.Kind != check.TorEntity || r.Role != check.Calls {
				continue
			}
			i, known := at[r.Entity.ID()]
			if !known {
				item, ok := s.callItem(b.prog, r.Entity)
				if !ok {
					continue
				}
				i = len(out)
				at[r.Entity.ID()] = i
				out = append(out, protocol.CallHierarchyOutgoingCall{To: item})
			}
			out[i].FromRanges = append(out[i].FromRanges, s.Range(b.file.Syntax, r.Span))
		}
	}
	return out, nil
}

// callee finds the verb that an item of a hierarchy stands for.
func (s *Snapshot) callee(item protocol.CallHierarchyItem) (*Document, name, error) {
	d, err := s.Document(item.URI)
	if err != nil {
		return nil, name{}, err
	}
	n, err := s.nameAt(d, s.Offset(d.Syntax, item.SelectionRange.Start))
	return d, n, err
}
