package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

func bridgeCommand() *cobra.Command {
	var s sessionFlags
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "bridge FILE",
		Short: "Serve one session on standard input and output",
		Long: `Open a session on a scope of FILE and serve it, one JSON object a line both ways.
A request names its op: run (the default, with the reply as source), cost (what
a reply would spend, without running it), vocabulary, grammar, manifest, held,
bindings, cancel, close. Calls of verbs without a body
in FILE go out as dispatch lines, and their answers come in the same way; an
answer names a handle by a text of the caller's own, and the same text of the
same type is the same handle as long as it is held. The end of the input closes
the session and lets go of what it holds.

FILE is checked and its verbs are used; its top-level flows do not run.`,
		Example: indent(`echo '{"id":1,"source":"find(code: \"P1\") | ok p |>"}' | koru bridge depot.k --scope depot`),
		Args:    exactly(1, "a FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			prog, err := linkFile(cmd, args[0], false)
			if err != nil {
				return err
			}
			opts, err := s.options(cmd, prog, args[0])
			if err != nil {
				return err
			}
			door := bridge.NewDoor(cmd.InOrStdin(), cmd.OutOrStdout(), timeout)
			opts.Serve = door.Serve
			b, err := bridge.Create(opts)
			if err != nil {
				return err
			}
			if err := door.Open(cmd.Context(), b); err != nil {
				return err
			}
			if cmd.Context().Err() != nil {
				return findings{exitInterrupted}
			}
			return nil
		},
	}
	s.register(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop a reply that runs longer than this (0: never)")
	return cmd
}

// sessionFlags are the flags of the commands that open a session.
type sessionFlags struct {
	scope, world, id    string
	budget, replyBudget string
	introspect, sync    bool
}

func (s *sessionFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.scope, "scope", "", "the register block whose verbs the session may call (may be left out where FILE has one)")
	f.StringVar(&s.world, "world", "", "a folder that keeps definitions and the ledger")
	f.StringVar(&s.id, "id", "", "the name of the session (default: that of FILE)")
	f.StringVar(&s.budget, "budget", "", "what the session may spend in all")
	f.StringVar(&s.replyBudget, "reply-budget", "", "what one reply may spend")
	f.BoolVar(&s.introspect, "introspect", false, "let replies call vocabulary() and grammar()")
	f.BoolVar(&s.sync, "sync", false, "wait for the disk after every line of the ledger")
}

// options returns the options of the session. Its verbs cannot read standard
// input, and what they print goes to standard error: the streams belong to the
// protocol (R39).
func (s *sessionFlags) options(cmd *cobra.Command, prog *eval.Program, file string) (bridge.Options, error) {
	scope, err := s.scopeOf(cmd, prog.Checked(), file)
	if err != nil {
		return bridge.Options{}, err
	}
	budget, err := amount(cmd, "budget", s.budget)
	if err != nil {
		return bridge.Options{}, err
	}
	replyBudget, err := amount(cmd, "reply-budget", s.replyBudget)
	if err != nil {
		return bridge.Options{}, err
	}
	id := s.id
	if id == "" {
		id = stem(file)
	}
	host := hostOf(cmd, file, nil)
	host.Stdin, host.Stdout = strings.NewReader(""), host.Stderr
	return bridge.Options{
		ID: id, Program: prog, Scope: scope, World: s.world, Sync: s.sync, Introspect: s.introspect,
		Budget: budget, ReplyBudget: replyBudget, Host: host, Log: cmd.ErrOrStderr(),
	}, nil
}

// scopeOf returns the scope that the session opens on: the one that is named,
// or the only one there is (R27, R88).
func (s *sessionFlags) scopeOf(cmd *cobra.Command, prog *check.Program, file string) (string, error) {
	var names []string
	for _, scope := range prog.Scopes {
		names = append(names, scope.Name)
	}
	switch {
	case s.scope != "" && prog.Scope(s.scope) != nil:
		return s.scope, nil
	case s.scope != "":
		message := fmt.Sprintf("%s: unknown scope '%s'", file, s.scope)
		if near := check.Nearest(s.scope, names); near != "" {
			message += " — did you mean '" + near + "'?"
		} else if len(names) > 0 {
			message += " — it declares: " + strings.Join(names, ", ")
		} else {
			message += ": it has no register block"
		}
		return "", fmt.Errorf("%s", message)
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("%s: it has no register block, so there is no scope to open", file)
	}
	return "", usageError{cmd, fmt.Sprintf("--scope says which scope of %s to open: %s", file, strings.Join(names, ", "))}
}

// amount reads a budget; an empty one is no bound.
func amount(cmd *cobra.Command, flag, text string) (*uint64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, usageError{cmd, fmt.Sprintf("--%s is a whole number, not '%s'", flag, text)}
	}
	return &n, nil
}

// stem returns the name of a file without its folder and its ending.
func stem(file string) string {
	base := filepath.Base(file)
	if base == "-" {
		return "stdin"
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
