// Command koru checks, runs, formats and explains Koru programs, and opens
// bridges through which models act on the verbs a program grants.
//
// Every subcommand has a file of its own that turns flags into calls of the
// packages below and results into exit codes: 0 fine, 1 the input has findings
// or the program failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
)

// Exit codes of the public contract.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run executes one command line against the given streams and returns the exit
// code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return report(stderr, root.ExecuteContext(ctx))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "koru",
		Short: "Check, run and format Koru programs, and let models act through them",
		Long: `Koru is a flow language: every verb declares its outcomes, and a register block
grants verbs to a scope. koru checks and runs such programs, formats them, and
opens bridges through which a model may act on what a scope grants.`,
		Example:       indent("koru run examples/sandbox.k", "koru check ."),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{cmd, fmt.Sprintf("unknown command '%s'%s", args[0], suggestion(cmd, args[0]))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{cmd, err.Error()} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().String("color", "auto", "colour the output: auto, always or never")
	root.PersistentFlags().Bool("no-color", false, "the same as --color never")
	root.AddCommand(commands()...)
	return root
}

func suggestion(cmd *cobra.Command, name string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if near := check.Nearest(name, names); near != "" {
		return " — did you mean '" + near + "'?"
	}
	return ""
}

// usageError is a command line that cannot be carried out.
type usageError struct {
	cmd     *cobra.Command
	message string
}

func (e usageError) Error() string { return e.message }

// findings ends a command with an exit code; everything worth saying about it
// has been printed.
type findings struct{ code int }

func (findings) Error() string { return "" }

// errFindings is the usual exit after diagnostics were printed.
var errFindings = findings{exitFindings}

// report prints what a command failed with and returns the exit code.
func report(stderr io.Writer, err error) int {
	var usage usageError
	var found findings
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &found):
		return found.code
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "koru: %s\n", usage.message)
		if usage.cmd != nil {
			fmt.Fprintf(stderr, "usage: %s\nSee '%s --help'.\n", usage.cmd.UseLine(), usage.cmd.CommandPath())
		}
		return exitUsage
	}
	fmt.Fprintf(stderr, "koru: %s\n", reason(err))
	return exitFindings
}

// reason words an error for a person: PATH: reason, without the name of the
// system call that failed.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}

// exactly returns an argument check that wants n arguments and says which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{cmd, fmt.Sprintf("expected %s, got %s", what, count(len(args), "argument"))}
		}
		return nil
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readSource reads the named file; - is standard input.
func readSource(cmd *cobra.Command, name string) (string, error) {
	if name == "-" {
		data, err := io.ReadAll(cmd.InOrStdin())
		return string(data), err
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

// indent puts two blanks in front of every line of an example for help texts.
func indent(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }
