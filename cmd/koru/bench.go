package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge/stress"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Put the bridge to the test",
		Long:    `Run a trial of the bridge and say what came of it.`,
		Example: indent("koru bench possession --forged 100000"),
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(possessionCommand())
	return cmd
}

func possessionCommand() *cobra.Command {
	p := stress.Possession{}
	cmd := &cobra.Command{
		Use:   "possession",
		Short: "Try to close handles that a session does not hold",
		Long: `Hold two handles in each session and try to close others: counted, guessed,
copied, never bound. Every such close must be refused before its body runs, and
both real ones accepted afterwards. Exit code 1 says that one was not.`,
		Example: indent("koru bench possession --forged 100000", "koru bench possession --forged 10000 --sessions 8 --threads 4"),
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.Forged < 1 || p.Sessions < 1 || p.Threads < 1 {
				return usageError{cmd, "--forged, --sessions and --threads are at least 1"}
			}
			talk := cmd.ErrOrStderr()
			if isTerminal(talk) {
				p.Progress = func(done, of int) { fmt.Fprintf(talk, "\r%d of %d", done, of) }
			}
			r, err := p.Run(cmd.Context())
			if p.Progress != nil {
				fmt.Fprint(talk, "\r\x1b[K")
			}
			if err != nil {
				return err
			}
			verdict := "possession held"
			if !r.Holds() {
				verdict = "possession did not hold"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "forged closes: %d, refused: %d, bodies run: %d\nreal closes: %d, accepted: %d\n%s\n",
				r.Forged, r.Refused, r.Bodies, r.Real, r.Accepted, verdict)
			if !r.Holds() {
				return errFindings
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&p.Forged, "forged", 900, "closes to try in each session")
	f.IntVar(&p.Sessions, "sessions", 1, "sessions at once")
	f.IntVar(&p.Threads, "threads", 1, "threads that talk to each session")
	return cmd
}
