package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/lsp"
)

func lspCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor over the language server protocol",
		Long: `Serve an editor over the language server protocol (LSP 3.18), on standard input
and output. Editors start it by themselves; docs/lsp.md says how to set them up.
What goes wrong inside is written to standard error.`,
		Example: indent("koru lsp"),
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := options()
			if err != nil {
				return err
			}
			opts.Files, opts.Dir = wholeDisk(), ""
			self, err := os.Executable()
			if err != nil {
				return err
			}
			code := lsp.Serve(cmd.Context(), cmd.InOrStdin(), closing{cmd.OutOrStdout()}, lsp.Options{
				Check: opts, Version: versionName(), Log: cmd.ErrOrStderr(), Alive: processRuns,
				Run: lsp.Child(self, "run"),
			})
			if code != exitFine {
				return findings{code}
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "accepted and ignored: there is no other way to be served")
	return cmd
}

// closing is the output of the command as something that can be closed.
type closing struct{ io.Writer }

func (c closing) Close() error {
	if f, ok := c.Writer.(*os.File); ok {
		return f.Close()
	}
	return nil
}
