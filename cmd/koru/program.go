package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

// options returns the options under which a file on this machine's disk is
// checked: imports may lead anywhere, findings name files the way people type
// them.
func options() (check.Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return check.Options{}, err
	}
	root, dir := diskRoot(dir)
	opts := check.Options{
		Files: root,
		Dir:   dir,
		Std:   stdlib.FS(),
		Bodies: func(path string) bool {
			_, ok := bodies()[path]
			return ok
		},
	}
	for _, t := range targets() {
		opts.Targets = append(opts.Targets, t.Name())
	}
	opts.CheckBody = bodyFaults
	return opts, nil
}

// bodyFaults compiles the body of a verb that is called, without running
// anything of it, and says what its target does not know (KORU176).
func bodyFaults(t *check.Tor, proc *check.Proc, target string) []check.BodyFault {
	for _, host := range targets() {
		if host.Name() != target {
			continue
		}
		var fault *eval.BodyError
		if _, err := host.Compile(t, proc); errors.As(err, &fault) {
			start := min(fault.Offset, len(proc.Body))
			return []check.BodyFault{{Start: start, End: min(start+1, len(proc.Body)), Message: fault.Message}}
		}
	}
	return nil
}

// diskRoot returns the file system of the disk and dir as a slash path in it.
func diskRoot(dir string) (fs.FS, string) {
	volume := filepath.VolumeName(dir) + string(filepath.Separator)
	return os.DirFS(volume), filepath.ToSlash(strings.TrimPrefix(dir, volume))
}

// checkFile judges the program whose entry is the file name; - reads it from
// standard input. The error says why the entry could not be read.
func checkFile(cmd *cobra.Command, c *check.Checker, name string) (*check.Program, error) {
	if name != "-" {
		return c.Check(filepath.ToSlash(name), nil)
	}
	text, err := readSource(cmd, "-")
	if err != nil {
		return nil, err
	}
	return c.Check("-", map[string]*syntax.File{"-": syntax.Parse("-", syntax.Pure, text)})
}

// linkFile checks a program and links it, so that it can run. Findings are
// printed; the error then is errFindings.
func linkFile(cmd *cobra.Command, name string, warnings bool) (*eval.Program, error) {
	opts, err := options()
	if err != nil {
		return nil, err
	}
	opts.Runs = true
	checked, err := checkFile(cmd, check.NewChecker(opts), name)
	if err != nil {
		return nil, err
	}
	if list := worth(checked.Diagnostics, warnings); len(list) > 0 {
		if err := printText(cmd, list); err != nil {
			return nil, err
		}
		if checked.Failed() {
			return nil, errFindings
		}
	}
	prog, err := eval.NewProgram(checked, bodies(), targets())
	if blocked, ok := err.(*eval.Unrunnable); ok {
		if err := printText(cmd, blocked.Diagnostics); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	return prog, err
}

// worth returns the findings to print: errors, and warnings if they are wanted.
func worth(list []check.Diagnostic, warnings bool) []check.Diagnostic {
	if warnings {
		return list
	}
	var out []check.Diagnostic
	for _, d := range list {
		if d.Severity == check.Error {
			out = append(out, d)
		}
	}
	return out
}

// printText prints findings for people, on standard error.
func printText(cmd *cobra.Command, list []check.Diagnostic) error {
	return check.WriteText(cmd.ErrOrStderr(), list, check.TextStyle{Color: colored(cmd, cmd.ErrOrStderr())})
}

// colored reports whether output to w is coloured: on a terminal, unless the
// user or NO_COLOR says otherwise.
func colored(cmd *cobra.Command, w any) bool {
	if off, _ := cmd.Flags().GetBool("no-color"); off {
		return false
	}
	switch when, _ := cmd.Flags().GetString("color"); when {
	case "always":
		return true
	case "never":
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	return isTerminal(w)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// hostOf returns the world of a program that a person started: the streams of
// the command, its arguments, the environment and the clock.
func hostOf(cmd *cobra.Command, name string, args []string) *eval.Host {
	root, _ := diskRoot(workingDir())
	return &eval.Host{
		Stdin:  bufio.NewReader(cmd.InOrStdin()),
		Stdout: cmd.OutOrStdout(),
		Stderr: cmd.ErrOrStderr(),
		Args:   append([]string{name}, args...),
		Env:    os.LookupEnv,
		Now:    time.Now,
		Files:  root,
	}
}

func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	return dir
}
