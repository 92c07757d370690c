package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/internal/source"
)

func testCommand() *cobra.Command {
	var steps int64
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run the tests that programs carry",
		Long: `Run the std/testing:test blocks of programs. A folder means every Koru file
under it; no PATH means the current folder. The last line says how many tests
passed and how many failed; exit code 1 says that one failed.`,
		Example: indent("koru test", "koru test shop.k"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := source.Files(args)
			if err != nil {
				return err
			}
			var sum tally
			for _, name := range names {
				if err := testFile(cmd, name, eval.Settings{Steps: steps}, &sum); err != nil {
					return err
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d passed, %d failed\n", sum.passed, sum.failed)
			if sum.failed > 0 || sum.broken {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().Int64Var(&steps, "steps", 0, "stop a test after this many steps (0: a generous default)")
	return cmd
}

// tally counts tests; broken says that a file with tests could not be run.
type tally struct {
	passed, failed int
	broken         bool
}

// testFile runs the tests of one file. A file without tests is not linked: its
// bodies may be for another host.
func testFile(cmd *cobra.Command, name string, s eval.Settings, sum *tally) error {
	opts, err := options()
	if err != nil {
		return err
	}
	checked, err := checkFile(cmd, check.NewChecker(opts), name)
	if err != nil {
		return err
	}
	if len(checked.Entry.Tests) == 0 {
		return nil
	}
	prog, err := linkFile(cmd, name, false)
	if errors.Is(err, errFindings) {
		sum.broken = true
		return nil
	}
	if err != nil {
		return err
	}
	host := hostOf(cmd, name, nil)
	prog.Test(cmd.Context(), prog.Checked().Entry, host, s, func(r eval.TestResult) {
		if r.Err == nil {
			sum.passed++
			return
		}
		sum.failed++
		fmt.Fprintf(cmd.OutOrStdout(), "FAIL %s: %s\n", name, r.Block.Title)
		if fault := (*eval.Fault)(nil); errors.As(r.Err, &fault) && fault.File != nil {
			_ = printText(cmd, []check.Diagnostic{fault.Diagnostic()})
			return
		}
		fmt.Fprintf(cmd.OutOrStdout(), "  %v\n", r.Err)
	})
	return nil
}
