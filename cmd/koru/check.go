package main

import (
	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/internal/source"
)

func checkCommand() *cobra.Command {
	var asJSON, quiet bool
	var discharge string
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Report what is wrong with programs",
		Long: `Check programs: names, arguments, outcomes, bindings, types, possession and
register blocks. A folder means every Koru file under it; - is standard input;
no PATH means the current folder. Exit code 1 says that there are errors.`,
		Example: indent("koru check", "koru check --json shop.k"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := options()
			if err != nil {
				return err
			}
			switch discharge {
			case "insert":
			case "disable":
				opts.NoAutoDischarge = true
			default:
				return usageError{cmd, "--auto-discharge is insert or disable, not '" + discharge + "'"}
			}
			list, err := checkAll(cmd, opts, args)
			if err != nil {
				return err
			}
			switch {
			case quiet:
			case asJSON:
				err = check.WriteJSON(cmd.OutOrStdout(), list)
			default:
				err = printText(cmd, list)
			}
			if err != nil {
				return err
			}
			for i := range list {
				if list[i].Severity == check.Error {
					return errFindings
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a finding")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing: the exit code says it all")
	cmd.Flags().StringVar(&discharge, "auto-discharge", "insert", "insert: let go of what a path still holds; disable: report it")
	return cmd
}

// sources returns the files that the arguments of a command name.
func sources(_ *cobra.Command, args []string) ([]string, error) { return source.Files(args) }

// checkAll judges every named program and returns all findings, each once: a
// module that several programs import is judged with each of them.
func checkAll(cmd *cobra.Command, opts check.Options, args []string) ([]check.Diagnostic, error) {
	names, err := sources(cmd, args)
	if err != nil {
		return nil, err
	}
	c := check.NewChecker(opts)
	programs := make([]*check.Program, len(names))
	for i, name := range names {
		if programs[i], err = checkFile(cmd, c, name); err != nil {
			return nil, err
		}
	}
	return check.Findings(programs), nil
}
