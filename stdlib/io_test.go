package stdlib

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

func TestPrinting(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct{ verb, field, stdout, stderr string }{
		{"std/io:print.ln", "expr", "text\n", ""},
		{"std/io:print", "expr", "text", ""},
		{"std/io:print.blk", "source", "text", ""},
		{"std/io:eprint.ln", "expr", "", "text\n"},
		{"std/io:eprint", "expr", "", "text"},
		{"std/io:eprintln", "message", "", "error: text\n"},
		{"std/io:success", "message", "", "ok: text\n"},
		{"std/io:warn", "message", "", "warning: text\n"},
	} {
		w.stdout.Reset()
		w.stderr.Reset()
		w.expect("", test.verb, field{test.field, "text"})
		if got := w.stdout.String() + "|" + w.stderr.String(); got != test.stdout+"|"+test.stderr {
			t.Errorf("%s printed %q, want %q", test.verb, got, test.stdout+"|"+test.stderr)
		}
	}
}

// pieces records every write of its own.
type pieces struct{ got []string }

func (p *pieces) Write(b []byte) (int, error) {
	p.got = append(p.got, string(b))
	return len(b), nil
}

func TestALineIsOneWrite(t *testing.T) {
	w := newWorld(t)
	var out pieces
	w.host.Stdout = &out
	w.expect("", "std/io:print.ln", field{"expr", "whole"})
	if diff := cmp.Diff([]string{"whole\n"}, out.got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestPrintingWithoutAStream(t *testing.T) {
	w := newWorld(t)
	w.host.Stdout, w.host.Stderr = nil, nil
	w.expect("", "std/io:print.ln", field{"expr", "text"})
	w.expect("", "std/io:warn", field{"message", "text"})
}

func TestPrintingToAStreamThatFails(t *testing.T) {
	w := newWorld(t)
	reader, broken := io.Pipe()
	reader.CloseWithError(errors.New("the reader is gone"))
	w.host.Stdout = broken
	w.expect("error: cannot print: the reader is gone", "std/io:print.ln", field{"expr", "text"})
}

// Verbs that read standard input one after the other, whatever the reader.
func TestReadingStandardInput(t *testing.T) {
	const input = "first\r\n\nthird\nrest 1\nrest 2"
	for name, in := range map[string]io.Reader{
		"buffered":   bufio.NewReader(strings.NewReader(input)),
		"unbuffered": iotest.HalfReader(strings.NewReader(input)),
		"dripping":   iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(input))),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.host.Stdin = in
			w.expect("line first", "std/io:readln")
			w.expect("line ", "std/io:readln")
			w.expect("third", "std/io:read.ln")
			w.expect("done 2", "std/io:read-lines")
			if diff := cmp.Diff([]string{"rest 1", "rest 2"}, w.fired); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			w.expect("eof", "std/io:readln")
			w.expect("", "std/io:read.ln")
			w.expect("done 0", "std/io:read-lines")
			w.expect("eof", "std/io:read-stdin")
		})
	}
}

func TestReadStdin(t *testing.T) {
	w := newWorld(t)
	w.expect("eof", "std/io:read-stdin")
	w.expect("eof", "std/io:readln")
	w.host.Stdin = bufio.NewReader(strings.NewReader("one\ntwo\n"))
	w.expect("line one", "std/io:readln")
	w.expect("ok two\n", "std/io:read-stdin")
	w.host.Stdin = strings.NewReader(strings.Repeat("x", MaxFile+1))
	w.expect("failed Input is too large", "std/io:read-stdin")
	w.host.Stdin = strings.NewReader(strings.Repeat("x", MaxFile+1))
	w.expect("failed Line is too long", "std/io:readln")
	w.host.Stdin = iotest.ErrReader(errors.New("the terminal is gone"))
	w.expect("failed Failed to read file", "std/io:readln")
	w.expect("failed Failed to read file", "std/io:read-stdin")
	w.expect("failed Failed to read file", "std/io:read-lines")
	w.expect("error: Failed to read file", "std/io:read.ln")
}

func TestReadFile(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.host.Dir, "text"), []byte("content\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.expect("ok content\n", "std/io:read-file", field{"path", "text"})
	w.expect("ok content\n", "std/io:read-file", field{"path", filepath.Join(w.host.Dir, "text")})
	w.expect("not-found", "std/io:read-file", field{"path", "none"})
	w.expect("not-found", "std/io:read-file", field{"path", ""})
	w.expect("failed Path is a directory", "std/io:read-file", field{"path", "."})
	w.expect("", "std/io:free", field{"content", "content\n"})
}

func TestArgs(t *testing.T) {
	w := newWorld(t)
	w.host.Args = []string{"prog.k", "a", "b"}
	w.expect(`["prog.k","a","b"]`, "std/args:all")
	w.expect(`["prog.k","a","b"]`, "std/io:args")
	w.expect(`["a","b"]`, "std/args:rest")
	w.expect("3", "std/args:count")
	w.expect("arg prog.k", "std/args:get", field{"index", 0})
	w.expect("arg b", "std/args:get", field{"index", 2})
	w.expect("out-of-bounds", "std/args:get", field{"index", 3})
	w.expect("out-of-bounds", "std/args:get", field{"index", eval.UintValue(1<<64 - 1)})
	w.host.Args = nil
	w.expect("[]", "std/args:rest")
}

func TestEnv(t *testing.T) {
	w := newWorld(t)
	name := field{"name", "HOME"}
	w.expect("not-set", "std/env:get", name)
	w.host.Env = func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/ada", "EMPTY": ""}[name]
		return v, ok
	}
	w.expect("ok /home/ada", "std/env:get", name)
	w.expect("ok ", "std/env:get", field{"name", "EMPTY"})
	w.expect("not-set", "std/env:get", field{"name", "NONE"})
	w.expect("", "std/env:get.or", field{"name", "EMPTY"}, field{"default", "x"})
	w.expect("x", "std/env:get.or", field{"name", "NONE"}, field{"default", "x"})
	w.expect("yes", "std/env:is-set", field{"name", "EMPTY"})
	w.expect("no", "std/env:is-set", field{"name", "NONE"})
	w.expect("ok /home/ada", "std/env:require", name)
	w.expect("missing the environment variable NONE is not set", "std/env:require", field{"name", "NONE"})
	long := w.call("std/env:require", field{"name", strings.Repeat("é", 5000)})
	if len(long) > 200 || !strings.HasSuffix(long, "é… is not set") {
		t.Errorf("a long name is not clipped: %.300q", long)
	}
}

func BenchmarkPrintLine(b *testing.B) {
	c := &eval.Call{
		Tor:  &check.Tor{Fields: []*check.Field{{Name: "expr"}}},
		Args: []eval.Value{eval.StringValue("a line of some length")},
		Host: &eval.Host{Stdout: bufio.NewWriter(io.Discard)},
	}
	body := Bodies()["std/io:print.ln"]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := body(c); err != nil {
			b.Fatal(err)
		}
	}
}
