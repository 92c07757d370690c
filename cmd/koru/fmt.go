package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	format "github.com/koru-go/koru/fmt"
	"github.com/koru-go/koru/internal/source"
	"github.com/koru-go/koru/syntax"
)

func fmtCommand() *cobra.Command {
	f := &formatting{}
	var stdinName string
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Write programs in their canonical form",
		Long: `Write programs in their canonical form: to standard output, or with -w back into
their files. A folder means every Koru file under it, but for hidden folders,
node_modules, worlds and what a .koruignore in any folder up to the root of the
repository leaves out, in the syntax of .gitignore. Without PATH, or with -, the
program is read from standard input.

A file that does not parse is left alone. What is about to be written is parsed
and compared with what was read, so that no program changes its meaning.

Exit code 1 says that a file does not parse or could not be read or written;
with -d and --check also that a file is not in canonical form.`,
		Example: indent("koru fmt -w .", "koru fmt --check .", "koru fmt --stdin-filepath shop.k < shop.k"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.cmd, f.out = cmd, bufio.NewWriter(cmd.OutOrStdout())
			if f.check && f.write {
				return usageError{cmd, "--check writes nothing: leave out -w"}
			}
			if err := f.standardInput(&args, stdinName); err != nil {
				return err
			}
			f.run(args)
			if err := f.out.Flush(); err != nil {
				return err
			}
			if f.failed {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the files that are not canonical")
	cmd.Flags().BoolVarP(&f.list, "list", "l", false, "print the names of files that are not canonical")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change, as a unified diff")
	cmd.Flags().BoolVar(&f.check, "check", false, "like -l, with exit code 1 if there are any")
	cmd.Flags().StringVar(&stdinName, "stdin-filepath", "", "the `NAME` under which standard input is formatted and reported")
	return cmd
}

// formatting is one run of the command.
type formatting struct {
	cmd                      *cobra.Command
	write, list, diff, check bool
	stdinName                string

	out    *bufio.Writer
	failed bool
}

// formatted is what became of one file.
type formatted struct {
	name         string
	before, text []byte
	err          error
}

func (r *formatted) changed() bool { return !bytes.Equal(r.before, r.text) }

// standardInput makes - of no paths, and refuses what makes no sense with it.
func (f *formatting) standardInput(args *[]string, name string) error {
	if len(*args) == 0 {
		if isTerminal(f.cmd.InOrStdin()) {
			return usageError{f.cmd, "nothing to format: name a file or a folder (. for this one), or pipe a program in"}
		}
		*args = []string{"-"}
	}
	reads := false
	for _, arg := range *args {
		reads = reads || arg == "-"
	}
	switch f.stdinName = name; {
	case reads && f.write:
		return usageError{f.cmd, "-w writes files: standard input is none"}
	case !reads && name != "":
		return usageError{f.cmd, "--stdin-filepath names standard input, but files are named: leave it out"}
	case name == "":
		f.stdinName = "-"
	}
	return nil
}

// run formats files in parallel and prints in order what became of them. A file
// or folder that fails does not keep the others from being formatted.
func (f *formatting) run(args []string) {
	names, err := source.Files(args)
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			f.fail(err)
		}
	}
	names = f.distinct(names)
	// A slot is free once its result has been printed, so that no more files than
	// that are in memory.
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	results := make(chan chan formatted, cap(slots))
	go func() {
		for _, name := range names {
			slots <- struct{}{}
			result := make(chan formatted, 1)
			results <- result
			go func() { result <- f.file(name) }()
		}
		close(results)
	}()
	for result := range results {
		f.print(<-result)
		<-slots
	}
}

// distinct drops names of files that are named twice, also by a symbolic link:
// two writers of one file would be in each other's way.
func (f *formatting) distinct(names []string) []string {
	seen := map[string]bool{}
	out := names[:0]
	for _, name := range names {
		key := name
		if real, err := filepath.EvalSymlinks(name); err == nil && f.write {
			key = real
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, name)
		}
	}
	return out
}

// file formats one file and, with -w, writes it.
func (f *formatting) file(name string) formatted {
	r := formatted{name: name}
	if name == "-" {
		r.name = f.stdinName
		r.before, r.err = io.ReadAll(f.cmd.InOrStdin())
	} else {
		r.before, r.err = os.ReadFile(name)
	}
	if r.err != nil {
		return r
	}
	text, err := format.Source(r.name, string(r.before), format.Options{World: source.InWorld(r.name)})
	if r.text, r.err = []byte(text), err; err != nil {
		return r
	}
	if f.write && r.changed() {
		r.err = source.Replace(name, r.before, r.text)
	}
	return r
}

// print reports on one file: its faults, or what the flags ask for.
func (f *formatting) print(r formatted) {
	switch {
	case errors.Is(r.err, format.ErrFaults):
		f.faults(r)
		return
	case errors.Is(r.err, format.ErrChanged):
		f.fail(fmt.Errorf("%s: %w", r.name, r.err))
		return
	case r.err != nil:
		f.fail(r.err)
		return
	}
	if r.changed() {
		if f.list || f.check {
			fmt.Fprintln(f.out, r.name)
		}
		if f.diff {
			f.out.Write(f.paint(diff.Diff(r.name, r.before, r.name, r.text)))
		}
		f.failed = f.failed || f.diff || f.check
	}
	if !f.write && !f.list && !f.diff && !f.check {
		f.out.Write(r.text)
	}
}

// faults prints why a file does not parse.
func (f *formatting) faults(r formatted) {
	f.failed = true
	file := &check.File{Path: r.name, Syntax: syntax.Parse(r.name, syntax.KindOf(r.name), string(r.before))}
	f.out.Flush()
	if err := printText(f.cmd, check.SyntaxFaults(file)); err != nil {
		f.fail(err)
	}
}

func (f *formatting) fail(err error) {
	f.failed = true
	f.out.Flush()
	fmt.Fprintf(f.cmd.ErrOrStderr(), "koru: %s\n", reason(err))
}

// paint colours a diff for a terminal.
func (f *formatting) paint(text []byte) []byte {
	if !colored(f.cmd, f.cmd.OutOrStdout()) {
		return text
	}
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		color := ""
		switch line[0] {
		case '+':
			color = "\x1b[32m"
		case '-':
			color = "\x1b[31m"
		case '@':
			color = "\x1b[36m"
		}
		if color == "" {
			b.Write(line)
			continue
		}
		b.WriteString(color)
		b.Write(bytes.TrimSuffix(line, []byte("\n")))
		b.WriteString("\x1b[0m\n")
	}
	return b.Bytes()
}
