package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge/promote"
	"github.com/koru-go/koru/internal/source"
)

// gateFlags say what stands behind a world: the program whose scope its
// sessions are on.
type gateFlags struct{ program, scope string }

func (f *gateFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.program, "program", "", "the FILE whose scope the sessions of the world are on")
	cmd.Flags().StringVar(&f.scope, "scope", "", "the register block (may be left out where the program has one)")
}

// through opens the gate of a world for one action.
func (f *gateFlags) through(cmd *cobra.Command, dir string, act func(*promote.Gate) error) error {
	if f.program == "" {
		return usageError{cmd, "--program says which FILE grants the scope of the world's sessions"}
	}
	if _, err := os.Stat(dir); err != nil {
		return err // a gate makes no world: a name that was mistyped would stay behind
	}
	prog, err := linkFile(cmd, f.program, false)
	if err != nil {
		return err
	}
	s := sessionFlags{scope: f.scope}
	scope, err := s.scopeOf(cmd, prog.Checked(), f.program)
	if err != nil {
		return err
	}
	gate, err := promote.Open(dir, prog, scope)
	if err != nil {
		return err
	}
	defer gate.Close()
	return act(gate)
}

// say prints a line about what was done.
func say(cmd *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
	return err
}

func stageCommand() *cobra.Command {
	var gate gateFlags
	var from string
	cmd := &cobra.Command{
		Use:   "stage DIR VERB --from WORLD --program FILE",
		Short: "Freeze a definition as a candidate for the world DIR",
		Long: `Freeze the definition of VERB, as a session left it in the world (or file) that
--from names, as a candidate for DIR: its bytes go to DIR/staged/VERB.k, their
SHA-256 and that of what it stands on to DIR/staged/VERB.json. It must be one
that a session on DIR would install, and not be there already.`,
		Example: indent("koru world stage world jot --from scratch --program notes.k"),
		Args:    exactly(2, "a DIR and a VERB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if from == "" {
				return usageError{cmd, "--from says which world, or which file, holds the definition"}
			}
			dir, verb := args[0], args[1]
			file := from
			if info, err := os.Stat(from); err == nil && info.IsDir() {
				file = filepath.Join(from, verb+".k")
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return gate.through(cmd, dir, func(g *promote.Gate) error {
				c, err := g.Stage(verb, text)
				if err != nil {
					return err
				}
				return say(cmd, "staged %s\n  candidate %s\n  scope     %s", verb, c.Candidate, c.Ground)
			})
		},
	}
	gate.register(cmd)
	cmd.Flags().StringVar(&from, "from", "", "the world, or the file, that holds the definition")
	return cmd
}

func baselineCommand() *cobra.Command {
	var gate gateFlags
	var record bool
	cmd := &cobra.Command{
		Use:   "baseline DIR VERB --program FILE SESSION...",
		Short: "Replay canned sessions without the candidate",
		Long: `Replay each SESSION without the candidate, twice, and keep a copy of it and what
it came to. A session file is its replies, parted by lines of ---, and below a
line of === the outcomes of the verbs they call, one JSON object a line.

--record first plays the sessions for real, without the candidate and with it,
and writes those outcomes into the files.`,
		Example: indent("koru world baseline world jot --program notes.k --record monday.session tuesday.session"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 {
				return usageError{cmd, fmt.Sprintf("expected a DIR, a VERB and at least one SESSION, got %s", count(len(args), "argument"))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, verb, files := args[0], args[1], args[2:]
			return gate.through(cmd, dir, func(g *promote.Gate) error {
				var sessions []*promote.Canned
				for _, file := range files {
					c, err := canned(cmd, g, verb, file, record)
					if err != nil {
						return err
					}
					sessions = append(sessions, c)
				}
				b, err := g.Baseline(cmd.Context(), verb, sessions)
				if err != nil {
					return err
				}
				for _, p := range b.Sessions {
					if err := say(cmd, "%s", played(&p)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	gate.register(cmd)
	cmd.Flags().BoolVar(&record, "record", false, "play the sessions for real first, and write what their verbs answer into their files")
	return cmd
}

// canned reads a session, and records it if that is wanted.
func canned(cmd *cobra.Command, g *promote.Gate, verb, file string, record bool) (*promote.Canned, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := promote.ParseCanned(filepath.Base(file), data)
	if err != nil || !record {
		return c, err
	}
	host := hostOf(cmd, file, nil)
	host.Stdin, host.Stdout = strings.NewReader(""), host.Stderr
	if c, err = g.Record(cmd.Context(), verb, c, host, nil); err != nil {
		return nil, err
	}
	return c, source.Replace(file, data, c.Bytes())
}

// played says what a session came to, on one line.
func played(p *promote.Played) string {
	refused := 0
	for _, n := range p.Ledger.Refusals {
		refused += n
	}
	return fmt.Sprintf("%s: ends in %s, %d verdicts, %d refused, uses it %s", p.Session, p.Ledger.Tier, p.Ledger.Ran, refused, times(p.Ledger.Uses))
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func judgeCommand() *cobra.Command {
	var gate gateFlags
	cmd := &cobra.Command{
		Use:   "judge DIR VERB --program FILE",
		Short: "Replay the sessions of the baseline with the candidate, and compare",
		Long: `Replay the sessions of the baseline with the candidate installed. It passes if
none of them got worse (more refusals of a class, another end, something still
held) and at least one used it. Exit code 1 says that it does not pass.`,
		Example: indent("koru world judge world jot --program notes.k"),
		Args:    exactly(2, "a DIR and a VERB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return gate.through(cmd, args[0], func(g *promote.Gate) error {
				v, err := g.Judge(cmd.Context(), args[1])
				if err != nil {
					return err
				}
				for i := range v.Sessions {
					if err := say(cmd, "%s", played(&v.Sessions[i].Played)); err != nil {
						return err
					}
				}
				for _, why := range v.Why {
					if err := say(cmd, "worse: %s", plain(why)); err != nil {
						return err
					}
				}
				if err := say(cmd, "%s %s", v.Verdict, args[1]); err != nil {
					return err
				}
				if v.Verdict != promote.Pass {
					return errFindings
				}
				return nil
			})
		},
	}
	gate.register(cmd)
	return cmd
}

func promoteCommand() *cobra.Command {
	var gate gateFlags
	cmd := &cobra.Command{
		Use:   "promote DIR VERB --program FILE",
		Short: "Move a candidate that passes into the world",
		Long: `Move DIR/staged/VERB.k to DIR/VERB.k. The candidate is judged once more; if it,
the scope, the sessions or the verdict are not what they were, it stays where it
is.`,
		Example: indent("koru world promote world jot --program notes.k"),
		Args:    exactly(2, "a DIR and a VERB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return gate.through(cmd, args[0], func(g *promote.Gate) error {
				if err := g.Promote(cmd.Context(), args[1]); err != nil {
					return err
				}
				return say(cmd, "promoted %s", args[1])
			})
		},
	}
	gate.register(cmd)
	return cmd
}

func heirCommand() *cobra.Command {
	var gate gateFlags
	cmd := &cobra.Command{
		Use:   "heir DIR VERB --program FILE",
		Short: "Show that a fresh session has a promoted verb, and nothing else",
		Long: `Open a fresh session on DIR and replay the first session of the verdict that
uses VERB. It must list the verb, inherit no handle, and run it. The transcript
is printed and kept in DIR/staged/VERB.heir.txt.`,
		Example: indent("koru world heir world jot --program notes.k"),
		Args:    exactly(2, "a DIR and a VERB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return gate.through(cmd, args[0], func(g *promote.Gate) error {
				transcript, err := g.Heir(cmd.Context(), args[1])
				fmt.Fprint(cmd.OutOrStdout(), transcript)
				return err
			})
		},
	}
	gate.register(cmd)
	return cmd
}
