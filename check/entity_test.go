package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// An archive of testdata/entities is a program with main.k as its entry, and
// what its names stand for: one paragraph an entity, in the order in which the
// text comes to them, with a line for every place that names it.
func TestEntities(t *testing.T) {
	for _, file := range glob(t, "testdata/entities/*.txtar") {
		t.Run(stem(file), func(t *testing.T) {
			archive := txtar.Parse([]byte(read(t, file)))
			files := fstest.MapFS{}
			for _, f := range archive.Files {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			opts := options("")
			opts.Files = files
			p, err := check.Load("main.k", opts)
			if err != nil {
				t.Fatal(err)
			}
			got := entities(p)
			want := &archive.Files[len(archive.Files)-1]
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			askEverywhere(t, p)
		})
	}
}

// entities writes every entity that the program's own files name.
func entities(p *check.Program) string {
	var b strings.Builder
	seen := map[check.EntityID]bool{}
	for f, item := range ownItems(p) {
		for _, r := range p.ReferencesIn(f, item) {
			e := r.Entity
			if seen[e.ID()] {
				continue
			}
			seen[e.ID()] = true
			fmt.Fprintf(&b, "%v %s", e.Kind, e.Name)
			if file, _, ok := p.DeclaredAt(e); ok && file.Module.Std {
				fmt.Fprintf(&b, " of %s", file.Path)
			}
			b.WriteByte('\n')
			for _, use := range p.Uses(e) {
				if use.File.Module.Std {
					continue
				}
				line := use.File.Syntax.LineOf(use.Span.Start)
				fmt.Fprintf(&b, "\t%v %s:%d%s\n", use.Role, use.File.Path, line+1, showPair(use))
			}
		}
	}
	return b.String()
}

func showPair(r check.Reference) string {
	switch r.Side {
	case check.Label:
		return " for " + r.Pair.Text()
	case check.Value:
		return " in " + r.Pair.Text()
	}
	return ""
}

// ownItems returns an iterator over the items of the program's own files.
func ownItems(p *check.Program) func(yield func(*check.File, syntax.Node) bool) {
	return func(yield func(*check.File, syntax.Node) bool) {
		for _, m := range p.Modules {
			for _, f := range m.Files {
				for it := range f.Syntax.Items() {
					if !m.Std && !yield(f, it) {
						return
					}
				}
			}
		}
	}
}

// askEverywhere holds the index of a program to what it promises, at every
// offset: the name at a place is the entity's, the place is among its uses, and
// so is its declaration.
func askEverywhere(t *testing.T, p *check.Program) {
	t.Helper()
	uses := map[check.EntityID][]check.Reference{}
	found := 0
	for _, m := range p.Modules {
		for _, f := range m.Files {
			if m.Std {
				continue
			}
			text := f.Syntax.Text()
			for off := range len(text) + 1 {
				for _, r := range p.ReferencesAt(f, off) {
					found++
					id := r.Entity.ID()
					if uses[id] == nil {
						uses[id] = p.Uses(r.Entity)
						declaredAmong(t, p, r.Entity, uses[id])
					}
					same := func(u check.Reference) bool { return u.File == f && u.Span == r.Span }
					if !slices.ContainsFunc(uses[id], same) {
						t.Errorf("%s:%d: %q is not among the uses of the %v it names", f.Path, f.Syntax.LineOf(off)+1, text[r.Span.Start:r.Span.End], r.Entity.Kind)
					}
					if !r.Span.Contains(off) {
						t.Errorf("%s: asked at %d, answered with %v", f.Path, off, r.Span)
					}
					if got := text[r.Span.Start:r.Span.End]; !spells(got, r.Entity) {
						t.Errorf("%s:%d: %q names the %v %q", f.Path, f.Syntax.LineOf(off)+1, got, r.Entity.Kind, r.Entity.Name)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: nothing has a name", p.Entry.Files[0].Path)
	}
}

// spells reports whether a text may stand for an entity: its name, a module
// under an alias, a word that a wildcard answers for.
func spells(text string, e check.Entity) bool {
	return text == e.Name || e.Kind == check.ModuleEntity || e.Name == "*" || e.Name == "default"
}

func declaredAmong(t *testing.T, p *check.Program, e check.Entity, uses []check.Reference) {
	t.Helper()
	f, span, ok := p.DeclaredAt(e)
	if !ok || e.Kind == check.ModuleEntity {
		return
	}
	for _, u := range uses {
		if u.File == f && u.Span == span && u.Role == check.Declares {
			return
		}
	}
	t.Errorf("%s:%d: the declaration of the %v %q is not among its uses", f.Path, f.Syntax.LineOf(span.Start)+1, e.Kind, e.Name)
}

// TestEntitiesOfEveryProgram asks at every place of the examples and of the
// sources that the rules are tested on.
func TestEntitiesOfEveryProgram(t *testing.T) {
	files := append(glob(t, "../examples/*.k"), glob(t, "testdata/rules/*.k*")...)
	for _, file := range files {
		for _, chunk := range chunks(read(t, file)) {
			name := filepath.Base(file)
			opts := options(chunk)
			opts.Files = fstest.MapFS{name: {Data: []byte(chunk)}}
			p, err := check.Load(name, opts)
			if err != nil {
				t.Fatal(err)
			}
			for f := range ownItems(p) {
				for off := range f.Syntax.Text() {
					for _, r := range p.ReferencesAt(f, off) {
						if got := f.Syntax.Text()[r.Span.Start:r.Span.End]; !spells(got, r.Entity) {
							t.Errorf("%s:%d: %q names the %v %q", file, f.Syntax.LineOf(off)+1, got, r.Entity.Kind, r.Entity.Name)
						}
					}
				}
				break
			}
		}
	}
}

// TestUsesNeedNoJudgement asks a program that is being edited: bodies that were
// not judged anew are resolved when somebody asks.
func TestUsesNeedNoJudgement(t *testing.T) {
	const source = "tor greet { who: string }\ngreet = hail(who)\n\ntor hail { who: string }\nhail = greet(who)\n\ngreet(who: \"a\")\n"
	opts := options("")
	opts.Editing = true
	c := check.NewChecker(opts)
	file := syntax.Parse("a.k", syntax.Pure, source)
	for round, text := range []string{"", "\n", "greet(who: \"b\")\n"} {
		file = file.Edit(syntax.Edit{Start: len(file.Text()), End: len(file.Text()), Text: text})
		p, err := c.Check("a.k", map[string]*syntax.File{"a.k": file})
		if err != nil {
			t.Fatal(err)
		}
		e, _, ok := p.EntityAt(p.Entry.Files[0], strings.Index(source, "greet"))
		if !ok {
			t.Fatal("no entity")
		}
		want := []check.Role{check.Declares, check.Implements, check.Calls, check.Calls}
		if round == 2 {
			want = append(want, check.Calls)
		}
		var got []check.Role
		for _, u := range p.Uses(e) {
			got = append(got, u.Role)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d: -want +got\n%s", round, diff)
		}
	}
}

// TestMentions finds the places that a rename cannot reach: the bodies of hosts,
// and what foreign transforms are given.
func TestMentions(t *testing.T) {
	const source = `import std/grid

tor find { sku: string }
| sold-out
proc find|js { return sku === "" ? { sold_out: 1 } : "sku" }

std/grid:new(cells, size: 2) { width: 0[i64] }

for(0..2)
! each n |> std/grid:stored { cells[n].width: n }
`
	p := check.Source("a.k", source, options(""))
	for _, c := range []struct{ at, want string }{
		{"sku: string", "the |js body of 'find'"},
		{"sold-out", "the |js body of 'find'"},
		{"width: 0", "what is handed to 'std/grid:stored'"},
		{"cells", "what is handed to 'std/grid:stored'"},
		{"find", ""},
		{"n |>", ""}, // read there, and known to be
	} {
		e, _, ok := p.EntityAt(p.Entry.Files[0], strings.Index(source, c.at))
		if !ok {
			t.Fatalf("%q names nothing", c.at)
		}
		got := ""
		if m := p.Mentions(e); len(m) > 0 {
			got = m[0].In
		}
		if got != c.want {
			t.Errorf("%q: mentioned in %q, want %q", c.at, got, c.want)
		}
	}
}

// TestUsesWithoutBodies compares what is found with and without resolving
// bodies: a verb is named nowhere but where its path stands.
func TestUsesWithoutBodies(t *testing.T) {
	for _, file := range append(glob(t, "../examples/*.k"), glob(t, "testdata/rules/*.k*")...) {
		for _, chunk := range chunks(read(t, file)) {
			name := filepath.Base(file)
			opts := options(chunk)
			open := map[string]*syntax.File{name: syntax.Parse(name, syntax.KindOf(name), chunk)}
			c := check.NewChecker(opts)
			fresh, err := c.Check(name, open)
			if err != nil {
				t.Fatal(err)
			}
			resolved, err := c.Check(name, open)
			if err != nil {
				t.Fatal(err)
			}
			for f, item := range ownItems(resolved) {
				resolved.ReferencesIn(f, item)
			}
			for f, item := range ownItems(resolved) {
				for _, r := range resolved.ReferencesIn(f, item) {
					want, got := places(resolved.Uses(r.Entity)), places(fresh.Uses(r.Entity))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s: the uses of the %v %q (-with +without bodies)\n%s", file, r.Entity.Kind, r.Entity.Name, diff)
					}
				}
			}
		}
	}
}

func places(uses []check.Reference) []string {
	var out []string
	for _, u := range uses {
		out = append(out, fmt.Sprintf("%s:%d %v", u.File.Path, u.Span.Start, u.Role))
	}
	return out
}

// FuzzReferences asks for the names of any text.
func FuzzReferences(f *testing.F) {
	for _, file := range append(glob(f, "../examples/*.k"), glob(f, "testdata/entities/*.txtar")...) {
		f.Add(read(f, file))
	}
	f.Add("f(a: {x, y.z}, [0].q): { a.b: c, [id]d, {e} }\n| [w] { entity.x } |> captured { a: 1 }")
	f.Fuzz(func(t *testing.T, text string) {
		p := check.Source("a.k", text, options(""))
		asked := map[check.EntityID]bool{}
		for file, item := range ownItems(p) {
			for _, r := range p.ReferencesIn(file, item) {
				if r.Span.Start < 0 || r.Span.End > file.Syntax.Len() || r.Span.Start > r.Span.End {
					t.Fatalf("%v %q stands at %v of %d bytes", r.Entity.Kind, r.Entity.Name, r.Span, file.Syntax.Len())
				}
				if asked[r.Entity.ID()] {
					continue
				}
				asked[r.Entity.ID()] = true
				if uses := p.Uses(r.Entity); len(uses) == 0 {
					t.Fatalf("%v %q is named and has no uses", r.Entity.Kind, r.Entity.Name)
				}
				p.DeclaredAt(r.Entity)
				p.Mentions(r.Entity)
			}
		}
	})
}
