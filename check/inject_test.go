package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// fault is a way to break a right program that a fix can mend.
type fault struct {
	name string
	code string
	// exact says that the fix must lead back to the text, byte for byte. The
	// others must only leave nothing to find.
	exact bool
	// at returns the edit that breaks the program at a node, if there is one.
	at func(n syntax.Node) (syntax.Edit, bool)
}

var faults = []fault{
	{"label a pun", "PARSE005", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.ArgView{Node: n}
		if n.Kind() != syntax.Arg || v.Label().IsValid() || v.Pun() == "" || v.Value().Kind() == syntax.IndexExpr {
			return syntax.Edit{}, false
		}
		return insert(n.Span().Start, v.Pun()+": "), true
	}},
	{"wrap a guard", "KORU024", true, func(n syntax.Node) (syntax.Edit, bool) {
		if n.Kind() != syntax.Guard || n.FirstChild().Kind() == syntax.ParenExpr {
			return syntax.Edit{}, false
		}
		s := n.FirstChild().Span()
		return syntax.Edit{Start: s.Start, End: s.End, Text: "(" + n.FirstChild().Text() + ")"}, true
	}},
	{"discard nothing", "KORU101", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n}
		if n.Kind() != syntax.Arm || v.CatchAll() || v.Effect() || v.Bind().IsValid() || v.Guard().IsValid() {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End, " _"), true
	}},
	{"bind nothing", "KORU030", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n}
		if n.Kind() != syntax.Arm || v.Bind().Name().Text() != "_" {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: v.Name().Span().End, End: v.Bind().Span().End}, true
	}},
	{"misspell an arm", "KORU021", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.ArmView{Node: n}
		if n.Kind() != syntax.Arm || v.CatchAll() || len(v.Name().Text()) < 5 || v.Name().Kind() != syntax.Name {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End-1, "q"), true
	}},
	{"misspell an outcome", "KORU021", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.ConstructView{Node: n}
		if n.Kind() != syntax.Construct || len(v.Name().Text()) < 5 || v.Name().Kind() != syntax.Name {
			return syntax.Edit{}, false
		}
		return insert(v.Name().Span().End-1, "q"), true
	}},
	{"misspell a verb", "KORU040", true, func(n syntax.Node) (syntax.Edit, bool) {
		v := syntax.CallView{Node: n}
		if n.Kind() != syntax.Call || len(v.Path().Text()) < 5 || v.Path().Kind() != syntax.Name || !v.ArgList().IsValid() {
			return syntax.Edit{}, false
		}
		return insert(v.Path().Span().End-1, "q"), true
	}},
	{"misspell a field", "KORU081", true, func(n syntax.Node) (syntax.Edit, bool) {
		label := syntax.ArgView{Node: n}.Label()
		if n.Kind() != syntax.Arg || len(label.Text()) < 4 {
			return syntax.Edit{}, false
		}
		return insert(label.Span().End-1, "q"), true
	}},
	{"drop a spec", "KORU168", true, func(n syntax.Node) (syntax.Edit, bool) {
		spec := syntax.SpliceView{Node: n}.Spec()
		if n.Kind() != syntax.Splice || !spec.IsValid() {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: spec.Span().Start - 1, End: spec.Span().End}, true
	}},
	{"drop an arm", "KORU022", false, func(n syntax.Node) (syntax.Edit, bool) {
		if n.Kind() != syntax.Arm || (syntax.ArmView{Node: n}).Guard().IsValid() {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: lineStart(n), End: n.Span().End}, true
	}},
	{"lead to an outcome", "KORU103", true, func(n syntax.Node) (syntax.Edit, bool) {
		arrow := n.Token(syntax.FatArrow)
		if n.Kind() != syntax.Construct || !arrow.IsValid() || !strings.HasPrefix(before(n), "|") {
			return syntax.Edit{}, false
		}
		return syntax.Edit{Start: arrow.Span().Start, End: arrow.Span().End, Text: "|>"}, true
	}},
	{"end in a discard", "KORU010", true, func(n syntax.Node) (syntax.Edit, bool) {
		steps := 0
		for range (syntax.ChainView{Node: n}).Steps() {
			steps++
		}
		last := n.LastToken()
		if n.Kind() != syntax.Chain || steps < 1 || n.FirstChild().Kind() != syntax.Call || n.Child(syntax.Arm).IsValid() ||
			(syntax.ChainView{Node: n}).End().IsValid() || last.Kind() != syntax.RParen {
			return syntax.Edit{}, false
		}
		return insert(n.Span().End, " |> _"), true
	}},
}

func insert(at int, text string) syntax.Edit { return syntax.Edit{Start: at, End: at, Text: text} }

// before returns the text of the line in front of a node.
func before(n syntax.Node) string {
	text := n.Tree().Text()[:n.Span().Start-n.Base()]
	return strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " ")
}

// lineStart returns the offset of the line end in front of a node.
func lineStart(n syntax.Node) int { return n.Span().Start - len(before(n)) - 1 }

// Every kind of fault, put into every right program that the tests hold, is
// found under its code, and the fixes lead back to a right program.
func TestFixesMendInjectedFaults(t *testing.T) {
	var programs []string
	files := append(glob(t, "testdata/rules/*.k"), glob(t, "../examples/*.k")...)
	for _, file := range files {
		for _, text := range chunks(read(t, file)) {
			text = strings.TrimLeft(text, "\n")
			if len(found(t, filepath.Base(file), text)) == 0 {
				programs = append(programs, text)
			}
		}
	}
	all := os.Getenv("KORU_INJECT") != ""
	for _, kind := range faults {
		t.Run(kind.name, func(t *testing.T) {
			tried := 0
			for _, text := range programs {
				for _, site := range sites(text, kind) {
					if tried++; all || tried < 25 {
						injectAndMend(t, kind, text, site)
					}
				}
			}
			if tried == 0 {
				t.Error("no program has a place for this fault")
			}
		})
	}
}

// sites returns the edits that put a fault into a program.
func sites(text string, kind fault) []syntax.Edit {
	var out []syntax.Edit
	f := syntax.Parse("a.k", syntax.Pure, text)
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		if e, ok := kind.at(n); ok {
			out = append(out, e)
		}
		for c := range n.Children() {
			walk(c)
		}
	}
	for it := range f.Items() {
		walk(it)
	}
	return out
}

func injectAndMend(t *testing.T, kind fault, text string, e syntax.Edit) {
	t.Helper()
	broken := text[:e.Start] + e.Text + text[e.End:]
	hit := false
	for _, d := range found(t, "a.k", broken) {
		hit = hit || d.Code == kind.code
	}
	if !hit {
		return // what was broken here is no fault, or another one
	}
	mended := broken
	for range 4 {
		mended = firstFix(mended, found(t, "a.k", mended))
	}
	left := found(t, "a.k", mended)
	switch {
	case len(left) > 0 && (kind.exact || !owed(left)):
		t.Errorf("%s:\n%s\n%s", kind.code, show(left[0]), cmp.Diff(broken, mended))
	case kind.exact && mended != text:
		t.Errorf("%s: mended otherwise\n%s", kind.code, cmp.Diff(text, mended))
	}
}

// owed reports whether all that is left to find are debts: an arm that is put
// in does not know how to settle what it is given.
func owed(list []check.Diagnostic) bool {
	for _, d := range list {
		if d.Code != "KORU030" {
			return false
		}
	}
	return true
}

// firstFix applies the first fix there is.
func firstFix(text string, list []check.Diagnostic) string {
	for _, d := range list {
		if len(d.Fixes) > 0 {
			texts, _ := check.Apply([]*check.Fix{&d.Fixes[0]})
			return texts[d.File.Path]
		}
	}
	return text
}
