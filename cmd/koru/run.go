package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// exitInterrupted is the exit code after an interrupt, as shells expect it.
const exitInterrupted = 130

func runCommand() *cobra.Command {
	var steps int64
	var trace, warnings bool
	cmd := &cobra.Command{
		Use:   "run FILE [--] [ARGS...]",
		Short: "Check a program, then run it",
		Long: `Check a program and run its top-level flows in order. A program with an error
does not run at all. Without FILE the entry of the nearest koru.json runs; -
reads the program from standard input. What follows FILE is what std/args gives.`,
		Example: indent("koru run shop.k", "koru run shop.k -- --verbose input.txt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := entryOf(cmd, args)
			if err != nil {
				return err
			}
			prog, err := linkFile(cmd, name, warnings)
			if err != nil {
				return err
			}
			settings := eval.Settings{Steps: steps}
			if trace {
				settings.Trace = tracer(cmd.ErrOrStderr())
			}
			return runProgram(cmd, prog, hostOf(cmd, name, rest), settings)
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows FILE is the program's
	cmd.Flags().Int64Var(&steps, "steps", 0, "stop the program after this many steps (0: a generous default)")
	cmd.Flags().BoolVar(&trace, "trace", false, "print each step to standard error")
	cmd.Flags().BoolVar(&warnings, "warnings", false, "print warnings as well")
	return cmd
}

// entryOf returns the file to run and the arguments of the program.
func entryOf(cmd *cobra.Command, args []string) (string, []string, error) {
	if len(args) > 0 {
		rest := args[1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		return args[0], rest, nil
	}
	opts, err := options()
	if err != nil {
		return "", nil, err
	}
	project := check.NewChecker(opts).Project(".")
	if project.Entry == "" {
		return "", nil, usageError{cmd, "expected a FILE to run: no koru.json here or above names an entry"}
	}
	return project.Entry, nil, nil
}

// runProgram runs a linked program. A failure is printed like every other
// finding; what the program still held has been let go of by then (R71).
func runProgram(cmd *cobra.Command, prog *eval.Program, host *eval.Host, s eval.Settings) error {
	process, err := prog.Start(host, s)
	if err == nil {
		err = process.Run(cmd.Context())
	}
	switch fault := (*eval.Fault)(nil); {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return findings{exitInterrupted}
	case errors.As(err, &fault) && fault.File != nil:
		if err := printText(cmd, []check.Diagnostic{fault.Diagnostic()}); err != nil {
			return err
		}
		return errFindings
	}
	return err
}

// tracer prints the steps of a run, indented by the flows around them.
func tracer(w io.Writer) func(eval.Trace) {
	return func(t eval.Trace) {
		arrow := "→"
		if t.Ended {
			arrow = "←"
		}
		place := ""
		if t.File != nil && !t.Ended {
			at := t.File.Syntax.Position(t.Span.Start, syntax.UTF8)
			place = fmt.Sprintf("  %s:%d:%d", t.File.Path, at.Line+1, at.Column+1)
		}
		fmt.Fprintf(w, "%*s%s %s%s\n", 2*t.Depth, "", arrow, t.Text, place)
	}
}
