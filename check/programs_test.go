package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// program is a source text with all that it takes to judge it.
type program struct {
	origin string // where it is from, for a reader of the test
	name   string // its path among the files of the checker
	text   string
	opts   check.Options
	c      *check.Checker
	public bool // of KORU_CORPUS
}

// strict returns the program as it is judged without inserted disposals, or nil
// if it is not right then.
func (p *program) strict(t testing.TB) *program {
	t.Helper()
	opts := p.opts
	opts.NoAutoDischarge = true
	s := &program{p.origin, p.name, p.text, opts, check.NewChecker(opts), p.public}
	if len(s.judge(t, p.text).Diagnostics) > 0 {
		return nil
	}
	return s
}

// judge judges a text in the place of the program's own.
func (p *program) judge(t testing.TB, text string) *check.Program {
	t.Helper()
	prog, err := p.c.Check(p.name, map[string]*syntax.File{p.name: syntax.Parse(p.name, syntax.KindOf(p.name), text)})
	if err != nil {
		t.Fatalf("%s: %v", p.origin, err)
	}
	return prog
}

// mend does what `koru check --fix` does with a text in the place of the
// program's own.
func (p *program) mend(t testing.TB, text string) (mended string, m *check.Mending) {
	t.Helper()
	open := map[string]*syntax.File{p.name: syntax.Parse(p.name, syntax.KindOf(p.name), text)}
	m, err := p.c.Mend([]string{p.name}, open, anyFile)
	if err != nil {
		t.Fatalf("%s: %v", p.origin, err)
	}
	for _, f := range m.Files {
		if f.Path == p.name {
			return f.After, m
		}
	}
	return text, m
}

// rightPrograms are the programs without a finding that the project holds: its
// examples, those of the manuals and of testdata, and with KORU_CORPUS set those
// of the folder that it names.
var rightPrograms = sync.OnceValue(func() []*program {
	var all []*program
	add := func(origin, name string, files fs.FS, text string) {
		opts := options(text)
		opts.Files = files
		all = append(all, &program{origin, name, text, opts, check.NewChecker(opts), false})
	}
	archive := func(origin, text string) {
		ar, files := txtar.Parse([]byte(text)), fstest.MapFS{}
		for _, f := range ar.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		for _, f := range ar.Files {
			if !strings.Contains(f.Name, "/") && strings.HasPrefix(filepath.Ext(f.Name), ".k") {
				add(origin, f.Name, files, string(f.Data))
			}
		}
	}
	each := func(pattern string, do func(file, text string)) {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil {
				do(file, string(text))
			}
		}
	}
	each("testdata/rules/*.k*", func(file, text string) {
		for _, chunk := range chunks(text) {
			chunk = strings.TrimLeft(chunk, "\n")
			name := filepath.Base(file)
			add(file, name, fstest.MapFS{name: {Data: []byte(chunk)}}, chunk)
		}
	})
	each("testdata/modules/*.txtar", archive)
	each("../examples/*.k", func(file, text string) {
		add(file, filepath.Base(file), os.DirFS("../examples"), text)
	})
	manual := func(file, text string) {
		for _, block := range fenced(text, "koru") {
			if strings.HasPrefix(block, "-- ") {
				archive(file, block)
			} else {
				add(file, "main.k", fstest.MapFS{"main.k": {Data: []byte(block)}}, block)
			}
		}
	}
	each("../README.md", manual)
	each("../docs/*.md", manual)
	all = append(all, publicPrograms()...)

	right := all[:0]
	for _, p := range all {
		if prog, err := p.c.Check(p.name, nil); err == nil && len(prog.Diagnostics) == 0 && p.text != "" {
			right = append(right, p)
		}
	}
	return right
})

// publicPrograms are the files of the folder that KORU_CORPUS names.
func publicPrograms() (all []*program) {
	root := os.Getenv("KORU_CORPUS")
	if root == "" {
		return nil
	}
	opts := options("")
	opts.Files = os.DirFS(root)
	c := check.NewChecker(opts)
	fs.WalkDir(opts.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".k") {
			return err
		}
		if text, err := fs.ReadFile(opts.Files, path); err == nil {
			all = append(all, &program{path, path, string(text), opts, c, true})
		}
		return nil
	})
	return all
}

// fenced returns the blocks of a Markdown text whose fence names a language.
func fenced(text, language string) (blocks []string) {
	for _, rest := range strings.Split("\n"+text, "\n```"+language)[1:] {
		head, body, _ := strings.Cut(rest, "\n")
		if head == "" || head[0] == ' ' {
			body, _, _ = strings.Cut(body, "\n```")
			blocks = append(blocks, body+"\n")
		}
	}
	return blocks
}
