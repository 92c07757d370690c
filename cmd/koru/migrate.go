package main

import (
	"fmt"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/internal/source"
)

func migrateCommand() *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "migrate [PATH...]",
		Short: "Respell programs of May 2026 in today's words",
		Long: `Respell programs as far as that is mechanical: event, quoted imports, states in
square brackets, dots between modules, snake names wherever they stand, lone
outcomes. It prints what would change as a unified diff, or writes it with -w.
What is not mechanical is reported, and never guessed: text in strings and blocks
that may be source for a session, bodies of verbs whose lone outcome is gone,
whatever else is wrong. Exit code 1 says that there is some.`,
		Example: indent("koru migrate old.k", "koru migrate -w ."),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := source.Files(args)
			if err != nil {
				return err
			}
			return migrate(cmd, distinct(names), write)
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the files that change")
	return cmd
}

func migrate(cmd *cobra.Command, names []string, write bool) error {
	opts, err := options()
	if err != nil {
		return err
	}
	named := map[string]bool{}
	slashed := make([]string, len(names))
	for i, name := range names {
		if name == "-" {
			return usageError{cmd, "migrate reads files: standard input is none"}
		}
		named[absolute(name)], slashed[i] = true, filepath.ToSlash(name)
	}
	m, err := check.NewChecker(opts).Migrate(slashed, func(path string) bool { return named[absolute(filepath.FromSlash(path))] })
	if err != nil {
		return err
	}
	if write {
		if err := writeMended(m.Files); err != nil {
			return err
		}
	}
	for _, f := range m.Files {
		if write {
			fmt.Fprintf(cmd.ErrOrStderr(), "migrated %s\n", f.Path)
		} else if _, err := cmd.OutOrStdout().Write(diff.Diff(f.Path, []byte(f.Before), f.Path, []byte(f.After))); err != nil {
			return err
		}
	}
	left := append(m.Doubts, worth(m.Left, false)...)
	if len(left) == 0 {
		return nil
	}
	if err := printText(cmd, left); err != nil {
		return err
	}
	return errFindings
}
