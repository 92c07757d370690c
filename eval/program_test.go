package eval_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the programs in testdata")

// The programs in testdata/run are the manual of what runs and how. Each is an
// archive: main.k and the modules it imports, then what it prints (stdout,
// stderr) and, if it fails, why (error), and how its test blocks go (tests).
// The module lab has verbs with Go bodies that the programs call.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs found: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runArchive(t, file) })
	}
}

func runArchive(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	want := map[string]string{}
	var sources []txtar.File
	for _, f := range archive.Files {
		switch f.Name {
		case "stdout", "stderr", "error", "tests":
			want[f.Name] = string(f.Data)
		default:
			files[f.Name] = &fstest.MapFile{Data: f.Data}
			sources = append(sources, f)
		}
	}
	got := runProgram(t, files)
	if *update {
		archive.Files = sources
		for _, name := range []string{"stdout", "stderr", "error", "tests"} {
			if got[name] != "" {
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[name])})
			}
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the program did not do what %s says (-want +got):\n%s", file, diff)
	}
}

// runProgram runs main.k and returns what came of it, without empty parts.
func runProgram(t *testing.T, files fstest.MapFS) map[string]string {
	t.Helper()
	got := map[string]string{}
	add := func(name, text string) {
		if text != "" {
			got[name] += text
		}
	}
	program, err := load(files)
	if err != nil {
		add("error", err.Error()+"\n")
		return got
	}
	var stdout, stderr bytes.Buffer
	process, err := program.Start(&eval.Host{Stdout: &stdout, Stderr: &stderr}, eval.Settings{Steps: 100_000})
	if err == nil {
		err = process.Run(context.Background())
	}
	add("stdout", stdout.String())
	add("stderr", stderr.String())
	if err != nil {
		add("error", explain(err))
	}
	add("tests", runTests(program))
	return got
}

// runTests runs the test blocks of the entry and says what came of each.
func runTests(program *eval.Program) string {
	var report bytes.Buffer
	host := &eval.Host{Stdout: &report, Stderr: &report}
	program.Test(context.Background(), program.Checked().Entry, host, eval.Settings{Steps: 100_000}, func(r eval.TestResult) {
		if r.Err != nil {
			fmt.Fprintf(&report, "FAIL %s: %s", r.Title, explain(r.Err))
			return
		}
		fmt.Fprintf(&report, "ok %s\n", r.Title)
	})
	return report.String()
}

// explain writes a fault with the calls that led to it.
func explain(err error) string {
	var fault *eval.Fault
	if !errors.As(err, &fault) {
		return err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintln(&b, fault.Error())
	for _, note := range fault.Diagnostic().Notes {
		f := eval.Fault{Message: note.Message, File: note.File, Span: note.Span}
		fmt.Fprintln(&b, "  "+f.Error())
	}
	return b.String()
}

// load checks and links a program with the standard library and the lab.
func load(files fstest.MapFS) (*eval.Program, error) {
	if files["lab.k"] == nil {
		files["lab.k"] = &fstest.MapFile{Data: []byte(labContract)}
	}
	bodies := labAndStd()
	checked, err := check.Load("main.k", check.Options{
		Files: fs.FS(files), Std: stdlib.FS(), Runs: true, Targets: []string{},
		Bodies: func(path string) bool { return bodies[path] != nil },
	})
	if err != nil {
		return nil, err
	}
	return eval.NewProgram(checked, bodies, nil)
}

// labAndStd returns the bodies of the standard library and of the lab.
func labAndStd() eval.Bodies {
	bodies := eval.Bodies(stdlib.Bodies())
	for verb, body := range labBodies {
		bodies["lab:"+verb] = body
	}
	return bodies
}

// labContract declares verbs of every shape that a Go body can have.
const labContract = `
pub tor open { name: string } -> *Box<open!>
pub tor use { b: *Box<!open> } -> *Box<open!>
pub tor peek { b: *Box<open> } -> string
pub tor close { b: *Box<!open> }

pub tor echo { text: string } -> string
pub tor divide { a: i64, b: i64 }
| quotient i64
| undefined

pub tor probe { word: string }
| plain
| told string
| both { a: i64, b: string }
| ?maybe string
| ?!boom string

pub tor count { to: i64 }
! tick i64
! ?half i64
| done i64

pub tor ask { question: string }
! answer string -> string
| got string

pub tor vote {}
! ballot i64 | yes i64 | no
| result i64

pub tor fail { why: string }
pub tor lie {}
| honest
| frank
pub tor misfit {} -> i64
pub tor panic {}
pub tor grid { w: i64, h: i64, label: string } -> { area: i64, text: string }
`

type box struct {
	name string
	open bool
}

var labBodies = eval.Bodies{
	"open": func(c *eval.Call) (eval.Outcome, error) {
		name := c.Arg("name").Str()
		return eval.Delivered("", eval.HandleValue("box "+name, &box{name, true})), nil
	},
	"use": func(c *eval.Call) (eval.Outcome, error) { return eval.Delivered("", c.Arg("b")), nil },
	"peek": func(c *eval.Call) (eval.Outcome, error) {
		return eval.Delivered("", eval.StringValue(c.Arg("b").Object().(*box).name)), nil
	},
	"close": func(c *eval.Call) (eval.Outcome, error) {
		b := c.Arg("b").Object().(*box)
		switch {
		case !b.open:
			return eval.Outcome{}, errors.New("closed twice")
		case strings.HasPrefix(b.name, "stuck"):
			return eval.Outcome{}, errors.New("the lid is stuck")
		}
		b.open = false
		fmt.Fprintf(c.Host.Stdout, "(box %s closed)\n", b.name)
		return eval.Outcome{}, nil
	},
	"echo": func(c *eval.Call) (eval.Outcome, error) { return eval.Delivered("", c.Arg("text")), nil },
	"divide": func(c *eval.Call) (eval.Outcome, error) {
		q, err := eval.Arith('/', c.Arg("a"), c.Arg("b"))
		if err != nil {
			return eval.Fired("undefined"), nil
		}
		return eval.Delivered("quotient", q), nil
	},
	"probe": func(c *eval.Call) (eval.Outcome, error) {
		switch word := c.Arg("word").Str(); word {
		case "plain":
			return eval.Fired("plain"), nil
		case "both":
			shape := eval.NewShape("a", "b")
			return eval.Delivered("both", eval.RecordValue(shape, eval.IntValue(1), eval.StringValue("one"))), nil
		default:
			return eval.Delivered(word, eval.StringValue("the word was "+word)), nil
		}
	},
	"count": func(c *eval.Call) (eval.Outcome, error) {
		to, _ := c.Arg("to").Int()
		for i := range to {
			if _, err := c.Fire("tick", eval.IntValue(i)); err != nil {
				return eval.Outcome{}, err
			}
			if i == to/2 && c.Handled("half") {
				if _, err := c.Fire("half", eval.IntValue(i)); err != nil {
					return eval.Outcome{}, err
				}
			}
		}
		return eval.Delivered("done", eval.IntValue(to)), nil
	},
	"ask": func(c *eval.Call) (eval.Outcome, error) {
		answer, err := c.Fire("answer", c.Arg("question"))
		if err != nil {
			return eval.Outcome{}, err
		}
		return eval.Delivered("got", answer.Payload), nil
	},
	"vote": func(c *eval.Call) (eval.Outcome, error) {
		sum := int64(0)
		for i := range int64(4) {
			o, err := c.Fire("ballot", eval.IntValue(i))
			if err != nil {
				return eval.Outcome{}, err
			}
			if o.Branch == "yes" {
				n, _ := o.Payload.Int()
				sum += n
			}
		}
		return eval.Delivered("result", eval.IntValue(sum)), nil
	},
	"fail":   func(c *eval.Call) (eval.Outcome, error) { return eval.Outcome{}, errors.New(c.Arg("why").Str()) },
	"lie":    func(*eval.Call) (eval.Outcome, error) { return eval.Fired("untrue"), nil },
	"misfit": func(*eval.Call) (eval.Outcome, error) { return eval.Delivered("", eval.StringValue("one")), nil },
	"panic":  func(*eval.Call) (eval.Outcome, error) { panic("a bug in the host") },
	"grid": func(c *eval.Call) (eval.Outcome, error) {
		area, err := eval.Arith('*', c.Args[0], c.Args[1])
		return eval.Delivered("", eval.RecordValue(gridShape, area, c.Args[2])), err
	},
}

var gridShape = eval.NewShape("area", "text")
