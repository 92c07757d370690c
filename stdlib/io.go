package stdlib

import (
	"errors"
	"fmt"
	"io"

	"github.com/koru-go/koru/eval"
)

var ioVerbs = map[string]eval.Func{
	"print.ln":   printing(stdout, "expr", "", "\n"),
	"print":      printing(stdout, "expr", "", ""),
	"print.blk":  printing(stdout, "source", "", ""),
	"eprint.ln":  printing(stderr, "expr", "", "\n"),
	"eprint":     printing(stderr, "expr", "", ""),
	"eprintln":   printing(stderr, "message", "error: ", "\n"),
	"success":    printing(stderr, "message", "ok: ", "\n"),
	"warn":       printing(stderr, "message", "warning: ", "\n"),
	"readln":     ioReadln,
	"read.ln":    ioReadLn,
	"read-lines": ioReadLines,
	"read-stdin": ioReadStdin,
	"read-file":  ioReadFile,
	"free":       func(*eval.Call) (eval.Outcome, error) { return eval.Outcome{}, nil },
	"args":       argsAll,
}

func stdout(h *eval.Host) io.Writer { return h.Stdout }
func stderr(h *eval.Host) io.Writer { return h.Stderr }

// printing returns the body of a verb that prints one of its fields between
// two texts. The compiler has filled the splices before (R22).
func printing(stream func(*eval.Host) io.Writer, name, before, after string) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		w := stream(c.Host)
		if w == nil {
			return eval.Outcome{}, nil
		}
		if err := writeLine(w, before, eval.Text(c.Arg(name)), after); err != nil {
			return eval.Outcome{}, fmt.Errorf("cannot print: %w", err)
		}
		return eval.Outcome{}, nil
	}
}

// writeLine writes the parts of a line. A writer without a buffer gets them in
// one piece, so that lines of several writers to one terminal stay whole.
func writeLine(w io.Writer, before, text, after string) error {
	if _, buffered := w.(io.ByteWriter); !buffered {
		_, err := io.WriteString(w, before+text+after)
		return err
	}
	for _, part := range [...]string{before, text, after} {
		if part == "" {
			continue
		}
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

func ioReadln(c *eval.Call) (eval.Outcome, error) {
	line, err := stdinLines(c).next()
	switch {
	case err == io.EOF:
		return eval.Fired("eof"), nil
	case err != nil:
		return failed(err, notRead)
	}
	return eval.Delivered("line", eval.StringValue(line)), nil
}

// ioReadLn has no outcome for a failure: it fails the program.
func ioReadLn(c *eval.Call) (eval.Outcome, error) {
	line, err := stdinLines(c).next()
	if err != nil && err != io.EOF {
		return eval.Outcome{}, errors.New(string(reason(err, notRead)))
	}
	return eval.Delivered("", eval.StringValue(line)), nil
}

func ioReadLines(c *eval.Call) (eval.Outcome, error) { return fireLines(c, stdinLines(c)) }

func ioReadStdin(c *eval.Call) (eval.Outcome, error) {
	if c.Host.Stdin == nil {
		return eval.Fired("eof"), nil
	}
	text, err := readText(c.Host.Stdin, 0)
	switch {
	case errors.Is(err, tooLarge):
		return failed(inputTooLarge, notRead)
	case err != nil:
		return failed(err, notRead)
	case text == "":
		return eval.Fired("eof"), nil
	}
	return eval.Delivered("ok", eval.StringValue(text)), nil
}

func ioReadFile(c *eval.Call) (eval.Outcome, error) {
	text, err := hostText(c, c.Arg("path").Str())
	switch {
	case err == nil:
		return eval.Delivered("ok", eval.StringValue(text)), nil
	case reason(err, notOpened) == notFound:
		return eval.Fired("not-found"), nil
	}
	return failed(err, notOpened)
}

// hostText reads a whole file with the authority of the program.
func hostText(c *eval.Call, path string) (string, error) {
	f, err := openHostFile(c, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := readAll(f)
	if err != nil {
		return "", reason(err, notRead)
	}
	return text, nil
}
