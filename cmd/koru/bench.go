package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge/stress"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Put the bridge to the test",
		Long:    `Run a trial of the bridge and say what came of it.`,
		Example: indent("koru bench possession --forged 100000", "koru bench kill --times 200"),
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(possessionCommand(), killCommand())
	return cmd
}

func killCommand() *cobra.Command {
	k := stress.Kill{}
	cmd := &cobra.Command{
		Use:   "kill",
		Short: "Kill sessions that have a world and see what they leave",
		Long: `Serve a session on a world in a process of its own, send it replies that teach,
take and let go, and kill it at some moment; then mount the world and go on with
the next. What a kill must leave is known from the same session, carried out here
on a copy of the world: all that was acknowledged, and of the reply at hand a
beginning of its work and nothing else. Exit code 1 says that a kill left
something else; the seed repeats the replies, not the moments.`,
		Example: indent("koru bench kill --times 200", "koru bench kill --times 20 --replies 100 --seed 7"),
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if k.Times < 1 || k.Replies < 1 {
				return usageError{cmd, "--times and --replies are at least 1"}
			}
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			k.Session = func(file, world, id string) *exec.Cmd {
				c := exec.Command(exe, "bridge", file, "--world", world, "--id", id, "--sync")
				c.Args[0] = os.Args[0]
				return c
			}
			cleared := progress(cmd, &k.Progress)
			r, err := k.Run(cmd.Context())
			cleared()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "kills: %d, amid a reply: %d\nreplies acknowledged: %d, ledger lines: %d, definitions: %d\ntorn lines set aside: %d, half-written definitions removed: %d\n",
				r.Kills, r.Unanswered, r.Acknowledged, r.Entries, r.Definitions, r.Torn, r.Drafts)
			for _, fault := range r.Faults {
				fmt.Fprintln(out, fault)
			}
			if !r.Holds() {
				fmt.Fprintln(out, "a kill left what it should not")
				return errFindings
			}
			fmt.Fprintln(out, "nothing was lost and nothing invented")
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&k.Times, "times", 40, "sessions to kill, one after the other")
	f.IntVar(&k.Replies, "replies", 30, "replies that each is sent")
	f.Uint64Var(&k.Seed, "seed", 1, "of the replies and the moments")
	return cmd
}

// progress has a trial report how far it is, if a terminal looks on. The
// function that it returns clears the line.
func progress(cmd *cobra.Command, report *func(done, of int)) (cleared func()) {
	talk := cmd.ErrOrStderr()
	if !isTerminal(talk) {
		return func() {}
	}
	*report = func(done, of int) { fmt.Fprintf(talk, "\r%d of %d", done, of) }
	return func() { fmt.Fprint(talk, "\r\x1b[K") }
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
			cleared := progress(cmd, &p.Progress)
			r, err := p.Run(cmd.Context())
			cleared()
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
