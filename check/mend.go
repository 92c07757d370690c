package check

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// maxMendRounds bounds how often programs are judged anew to find what a fix has
// brought to light. A round carries out every fix that no other stands in the
// way of, so that few are ever needed.
const maxMendRounds = 50

// Mending is what came of applying safe fixes to programs.
type Mending struct {
	Files []MendedFile // the files that change, by path
	// Fixed are the findings that were mended, in the order of the rounds, each
	// with the one fix that was carried out. Their places are those of the text as
	// it was in their round.
	Fixed []Diagnostic
	// Barred are the findings whose fixes would have changed a file that is not to
	// be touched; Left are all findings in the programs as they are now.
	Barred, Left []Diagnostic
	// Doubts are places that a migration leaves to a reader.
	Doubts []Diagnostic

	programs []*Program // as they are now
}

// MendedFile is a file whose text changes.
type MendedFile struct{ Path, Before, After string }

// Mend judges programs by their entries and applies the safe fixes, over and
// over until none is left. Sources in open stand in for files, as in
// [Checker.Check]; nothing is written. A fix is carried out only if may allows
// every file it touches; the standard library is never touched.
func (c *Checker) Mend(entries []string, open map[string]*syntax.File, may func(path string) bool) (*Mending, error) {
	return c.mend(entries, open, may, func(_ *Diagnostic, f *Fix) bool { return f.Safe })
}

func (c *Checker) mend(entries []string, open map[string]*syntax.File, may func(string) bool, wanted func(*Diagnostic, *Fix) bool) (*Mending, error) {
	m := &mender{c: c, wanted: wanted, open: map[string]*syntax.File{}, may: may, seen: map[[sha256.Size]byte]bool{fingerprint(nil): true}}
	for name, f := range open {
		m.open[c.full(name)] = f
	}
	for round := 0; ; round++ {
		if err := m.judge(entries); err != nil {
			return nil, err
		}
		if round == maxMendRounds || !m.round() {
			break
		}
	}
	return m.result(), nil
}

// mender is the work of [Checker.Mend]. Sources are keyed by their path in
// Options.Files: a file may go by several names.
type mender struct {
	c       *Checker
	open    map[string]*syntax.File
	may     func(path string) bool
	wanted  func(*Diagnostic, *Fix) bool
	changed map[string]MendedFile
	seen    map[[sha256.Size]byte]bool // the states that the files have been in

	programs      []*Program   // of the round
	list          []Diagnostic // of all of them
	fixed, barred []Diagnostic
}

func (m *mender) judge(entries []string) error {
	m.list, m.programs = m.list[:0], m.programs[:0]
	for _, entry := range entries {
		open := make(map[string]*syntax.File, len(m.open))
		for full, f := range m.open {
			open["/"+full] = f
		}
		p, err := m.c.Check(entry, open)
		if err != nil {
			return err
		}
		m.list, m.programs = append(m.list, p.Diagnostics...), append(m.programs, p)
	}
	return nil
}

// round carries out the safe fixes of all programs. Findings that several of
// them have in common are not made one before: the fix of each may reach into
// files of its own. It reports whether anything has changed.
func (m *mender) round() bool {
	var fixes []*Fix
	var of []*Diagnostic
	m.barred = m.barred[:0]
	for i := range m.list {
		d := &m.list[i]
		k := slices.IndexFunc(d.Fixes, func(f Fix) bool { return m.wanted(d, &f) })
		switch {
		case k < 0:
		case m.allowed(&d.Fixes[k]):
			fixes, of = append(fixes, &d.Fixes[k]), append(of, d)
		default:
			m.barred = append(m.barred, *d)
		}
	}
	texts, done := Apply(fixes)
	if len(texts) == 0 || !m.take(texts) {
		return false
	}
	var fixed []Diagnostic
	for i, d := range of {
		if done[i] {
			one := *d
			one.Fixes = []Fix{*fixes[i]}
			fixed = append(fixed, one)
		}
	}
	m.fixed = append(m.fixed, SortDiagnostics(fixed)...)
	return true
}

// allowed reports whether every file that a fix touches may be.
func (m *mender) allowed(f *Fix) bool {
	for _, e := range f.Edits {
		if e.File.Module == nil || e.File.Module.Std || !m.may(e.File.Path) {
			return false
		}
	}
	return true
}

// take makes texts the sources of the next round, unless that leads back to
// where the files have been before.
func (m *mender) take(texts map[string]string) bool {
	next := map[string]MendedFile{}
	maps.Copy(next, m.changed)
	for path, text := range texts {
		full := m.c.full(path)
		f, ok := next[full]
		if !ok {
			f = MendedFile{Path: path, Before: m.text(full)}
		}
		f.After = text
		next[full] = f
	}
	state := fingerprint(next)
	if m.seen[state] {
		return false
	}
	m.seen[state], m.changed = true, next
	for path, text := range texts {
		m.open[m.c.full(path)] = syntax.Parse(path, syntax.KindOf(path), text)
	}
	return true
}

// text returns the text of a file that was judged.
func (m *mender) text(full string) string {
	if f := m.open[full]; f != nil {
		return f.Text()
	}
	f, _ := m.c.read(full)
	return f.Text()
}

// fingerprint tells states of files apart. A file that is as it was at first
// does not count.
func fingerprint(files map[string]MendedFile) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, f := range inPathOrder(files) {
		fmt.Fprintf(h, "%q %d\n%s", f.Path, len(f.After), f.After)
	}
	h.Sum(sum[:0])
	return sum
}

func inPathOrder(files map[string]MendedFile) []MendedFile {
	var out []MendedFile
	for _, f := range files {
		if f.After != f.Before {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b MendedFile) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (m *mender) result() *Mending {
	return &Mending{Files: inPathOrder(m.changed), Fixed: m.fixed, Barred: SortDiagnostics(m.barred), Left: SortDiagnostics(m.list), programs: m.programs}
}
