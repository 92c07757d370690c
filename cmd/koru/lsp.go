package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/lsp"
)

func lspCommand() *cobra.Command {
	var listen, page string
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor over the language server protocol",
		Long: `Serve an editor over the language server protocol (LSP 3.18), on standard input
and output. Editors start it by themselves; docs/lsp.md says how to set them up.
What goes wrong inside is written to standard error.

With --listen a page in a browser is served instead, over a websocket: the URL
that is printed holds the token that the page shows. --page says where the files
of the page are; editors/web makes one.`,
		Example: indent("koru lsp", "koru lsp --listen 127.0.0.1:0 --page editors/web/dist"),
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
			serve := lsp.Options{
				Check: opts, Version: versionName(), Log: cmd.ErrOrStderr(), Alive: processRuns,
				Run: lsp.Child(self, "run"),
			}
			if listen != "" {
				l, err := listenLoopback(listen)
				if err != nil {
					return usageError{cmd, err.Error()}
				}
				return servePages(cmd.Context(), l, page, cmd.OutOrStdout(), serve)
			}
			code := lsp.Serve(cmd.Context(), cmd.InOrStdin(), closing{cmd.OutOrStdout()}, serve)
			if code != exitFine {
				return findings{code}
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "accepted and ignored: standard input and output are what is served")
	cmd.Flags().StringVar(&listen, "listen", "", "serve a page at this address of the loopback, such as 127.0.0.1:0")
	cmd.Flags().StringVar(&page, "page", "", "the folder with the files of the page")
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
