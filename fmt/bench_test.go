package format

import (
	"bytes"
	gofmt "go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	shell "mvdan.cc/sh/v3/syntax"

	"github.com/koru-go/koru/syntax"
)

const benchSize = 300_000

// repeated returns about benchSize bytes of text: a sample as often as it takes.
func repeated(b *testing.B, name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "bench", name))
	if err != nil {
		b.Fatal(err)
	}
	return strings.Repeat(string(data), benchSize/len(data)+1)
}

// goText returns Go source of like size: that of the parser.
func goText(b *testing.B) []byte {
	b.Helper()
	files, err := filepath.Glob("../syntax/*.go")
	if err != nil || len(files) == 0 {
		b.Fatalf("no Go source to format: %v", err)
	}
	var body bytes.Buffer
	body.WriteString("package p\n")
	for body.Len() < benchSize {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			if _, rest, ok := strings.Cut(string(data), "\n)\n"); ok {
				body.WriteString(rest)
			}
		}
	}
	return body.Bytes()
}

// measure runs f over text of n bytes and reports, besides the time on the
// clock, the megabytes for a second of processor time, the garbage collector's
// included. It is that figure that a busy machine does not blur.
func measure(b *testing.B, n int, f func()) {
	b.SetBytes(int64(n))
	b.ReportAllocs()
	start := processorTime(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(n)*float64(b.N)/1e6/(processorTime(b)-start), "MB/cpu-s")
}

func processorTime(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// BenchmarkSource formats text from source to source, with the safety net,
// beside gofmt and shfmt on text of like size.
func BenchmarkSource(b *testing.B) {
	b.Run("koru", func(b *testing.B) {
		text := repeated(b, "depot.k")
		measure(b, len(text), func() {
			if _, err := Source("depot.k", text, Options{}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("gofmt", func(b *testing.B) {
		text := goText(b)
		measure(b, len(text), func() {
			if _, err := gofmt.Source(text); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("shfmt", func(b *testing.B) {
		text := repeated(b, "depot.sh")
		var out bytes.Buffer
		measure(b, len(text), func() {
			f, err := shell.NewParser(shell.KeepComments(true)).Parse(strings.NewReader(text), "")
			if err != nil {
				b.Fatal(err)
			}
			out.Reset()
			if err := shell.NewPrinter().Print(&out, f); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkPrint prints a tree that is there already. Only koru parses and
// compares what it printed; "alone" is its printer without that.
func BenchmarkPrint(b *testing.B) {
	text := repeated(b, "depot.k")
	f := parse("depot.k", text)
	b.Run("koru", func(b *testing.B) {
		measure(b, len(text), func() {
			if _, err := Format(f, Options{}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("koru alone", func(b *testing.B) {
		p := &printer{memory: new(memory)}
		measure(b, len(text), func() { p.file(f, Options{}) })
	})
	b.Run("gofmt", func(b *testing.B) {
		text, files := goText(b), token.NewFileSet()
		f, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		measure(b, len(text), func() {
			out.Reset()
			if err := gofmt.Node(&out, files, f); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("shfmt", func(b *testing.B) {
		text := repeated(b, "depot.sh")
		f, err := shell.NewParser(shell.KeepComments(true)).Parse(strings.NewReader(text), "")
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		measure(b, len(text), func() {
			out.Reset()
			if err := shell.NewPrinter().Print(&out, f); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkEditor formats a file of 10,000 lines as an editor has it done: the
// tree is there, edits are wanted.
func BenchmarkEditor(b *testing.B) {
	text := repeated(b, "depot.k")
	for strings.Count(text, "\n") < 10_000 {
		text += text
	}
	lines := strings.SplitAfterN(text, "\n", 10_001)
	text = strings.Join(lines[:10_000], "")
	f := syntax.Parse("depot.k", syntax.Pure, text)
	b.Run("messy", func(b *testing.B) {
		measure(b, len(text), func() {
			if edits, err := Edits(f, Options{}); err != nil || len(edits) == 0 {
				b.Fatal(len(edits), err)
			}
		})
	})
	canonical, err := Format(f, Options{})
	if err != nil {
		b.Fatal(err)
	}
	f = syntax.Parse("depot.k", syntax.Pure, canonical)
	b.Run("canonical", func(b *testing.B) {
		measure(b, len(canonical), func() {
			if edits, err := Edits(f, Options{}); err != nil || len(edits) > 0 {
				b.Fatal(len(edits), err)
			}
		})
	})
}
