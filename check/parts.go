package check

import "github.com/koru-go/koru/syntax"

// Files returns the paths of the files that the program of an entry is made of,
// the standard library left out, without judging anything. Sources in open stand
// in for files, as in [Checker.Check]. An editor asks it which programs a file
// is a part of; for an entry that was judged with Options.Editing the answer costs
// as little as the next judgement.
func (c *Checker) Files(entry string, open map[string]*syntax.File) ([]string, error) {
	l := newLoader(c, open)
	l.old = c.memoryOf(entry)
	p, err := l.load(entry)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, m := range p.own() {
		for _, f := range m.Files {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}
