package view

import (
	"cmp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// name is a name in a document and what it stands for: the first of refs, which
// of a pun has the others behind it.
type name struct {
	prog *check.Program
	file *check.File
	refs []check.Reference
}

// nameAt returns the name at an offset. The error says why the document belongs
// to no program; a place without a name is no error, and has no refs.
func (s *Snapshot) nameAt(d *Document, off int) (name, error) {
	if s.speaksWire(d) {
		return name{}, nil // names of the wire are known to the bridge alone
	}
	prog, file, err := s.Program(d)
	if err != nil {
		return name{}, err
	}
	return name{prog, file, prog.ReferencesAt(file, off)}, nil
}

// named reports whether there is a name.
func (n name) named() bool { return len(n.refs) > 0 }

// entity returns what the name stands for first of all.
func (n name) entity() check.Entity {
	if !n.named() {
		return check.Entity{}
	}
	return n.refs[0].Entity
}

// span returns where the name stands.
func (n name) span() syntax.Span { return n.refs[0].Span }

// declaring returns the document that declares an entity, or the one it was met in
// if none does.
func (s *Snapshot) declaring(d *Document, p *check.Program, e check.Entity) *Document {
	if f, _, ok := p.DeclaredAt(e); ok {
		return s.DocumentOf(f)
	}
	if e.Module != nil && len(e.Module.Files) > 0 {
		return s.DocumentOf(e.Module.Files[0])
	}
	return d
}

// uses returns every place in the workspace that names an entity, by document
// and position: in all programs that the declaration is a part of, buffers that
// are not saved and files with errors included.
func (s *Snapshot) uses(d *Document, p *check.Program, e check.Entity) []check.Reference {
	if e.Local() || e.Kind == check.AnnotationEntity {
		return p.Uses(e)
	}
	type place struct {
		path string
		span syntax.Span
	}
	seen := map[place]bool{}
	out := distinct(p.Uses(e), func(r check.Reference) place { return place{pathOfFile(r.File), r.Span} }, seen)
	for other := range s.ProgramsWith(s.declaring(d, p, e)) {
		if other != p {
			out = append(out, distinct(other.Uses(e), func(r check.Reference) place { return place{pathOfFile(r.File), r.Span} }, seen)...)
		}
	}
	slices.SortStableFunc(out, func(a, b check.Reference) int {
		return cmp.Or(strings.Compare(pathOfFile(a.File), pathOfFile(b.File)), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	return out
}

// distinct returns the elements whose key has not been seen.
func distinct[T any, K comparable](list []T, key func(T) K, seen map[K]bool) []T {
	var out []T
	for _, x := range list {
		if k := key(x); !seen[k] {
			seen[k] = true
			out = append(out, x)
		}
	}
	return out
}

// target is a place that a name leads to: the whole of what is there, and the
// name in it.
type target struct {
	file  *check.File
	whole syntax.Span
	name  syntax.Span
}

// declared returns where an entity is declared.
func declared(p *check.Program, e check.Entity) (target, bool) {
	f, at, ok := p.DeclaredAt(e)
	if !ok {
		return target{}, false
	}
	whole := at
	if e.Node.IsValid() {
		whole = solid(e.Node)
	}
	return target{f, whole, at}, true
}

// links answers a question of the kind "where is it": with links that say what
// they are the answer to, if the client takes them, or with plain locations.
func (s *Snapshot) links(n name, targets []target) protocol.DefinitionResult {
	if len(targets) == 0 {
		return nil
	}
	if !s.opts.Client.LinkSupport {
		out := protocol.LocationSlice{}
		for _, t := range targets {
			out = append(out, s.Location(t.file, t.name))
		}
		return out
	}
	origin := s.Range(n.file.Syntax, n.span())
	out := protocol.DefinitionLinkSlice{}
	for _, t := range targets {
		out = append(out, protocol.DefinitionLink{
			OriginSelectionRange: &origin, TargetURI: s.URI(t.file),
			TargetRange: s.Range(t.file.Syntax, t.whole), TargetSelectionRange: s.Range(t.file.Syntax, t.name),
		})
	}
	return out
}
