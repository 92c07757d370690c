package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge"
)

func worldCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "world",
		Short: "Look into a world, and decide what becomes part of it",
		Long: `A world is a folder that outlives its sessions: it keeps the definitions they
made, one file each, and a ledger of what they held.

A verb that a session taught itself gets into another world by promotion: stage
freezes its source, baseline replays canned sessions without it, judge replays
them with it, promote moves it into the world if none of them got worse, and
heir shows that a fresh session has it. In a replay no verb's body runs: every
outcome comes from a recording. See docs/promotion.md.`,
		Example: indent(
			"koru world status world",
			"koru world stage world jot --from scratch --program notes.k",
			"koru world baseline world jot --program notes.k --record monday.session",
			"koru world judge world jot --program notes.k",
			"koru world promote world jot --program notes.k",
			"koru world heir world jot --program notes.k",
		),
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(worldStatusCommand(), stageCommand(), baselineCommand(), judgeCommand(), promoteCommand(), heirCommand())
	return cmd
}

// noSuchCommand is the argument check of a command that only has subcommands.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{cmd, fmt.Sprintf("unknown command '%s'%s", args[0], suggestion(cmd, args[0]))}
	}
	return nil
}

func worldStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Say what a world keeps, and what dead sessions held",
		Long: `Say which definitions a world keeps, which candidates are staged, what each
session of its ledger minted and never let go, and which lines are torn or
damaged. Nothing is changed: a torn line is set aside by the next session that
mounts the world, not here. Exit code 1 says that a line is damaged, so that no
session can mount the world.`,
		Example: indent("koru world status world", "koru world status --json world"),
		Args:    exactly(1, "a DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			survey, err := bridge.SurveyWorld(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), statusOf(args[0], survey))
			} else {
				err = printStatus(cmd.OutOrStdout(), statusOf(args[0], survey))
			}
			if err == nil && len(survey.Ledger.Damage) > 0 {
				err = errFindings
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// worldStatus is the JSON of koru world status.
type worldStatus struct {
	World       string         `json:"world"`
	Definitions []keptFile     `json:"definitions"`
	Staged      []keptFile     `json:"staged"`
	Sessions    []sessionHolds `json:"sessions"`
	Entries     int            `json:"entries"`
	Stray       []bridge.Entry `json:"stray"`
	Damage      []ledgerFault  `json:"damage"`
	Torn        *ledgerFault   `json:"torn"`
	SetAside    []string       `json:"set_aside"`
	Drafts      []string       `json:"drafts"`
}

type keptFile struct {
	File       string   `json:"file"`
	Verbs      []string `json:"verbs"`
	Signatures []string `json:"signatures"`
	SHA256     string   `json:"sha256,omitempty"`
	Error      string   `json:"error,omitempty"`
}

type sessionHolds struct {
	Session    string         `json:"session_id"`
	LastID     int            `json:"last_id"`
	Minted     int            `json:"minted"`
	Discharged int            `json:"discharged"`
	Unpaired   []bridge.Entry `json:"unpaired"`
}

type ledgerFault struct {
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Reason string `json:"reason"`
}

func statusOf(dir string, s *bridge.Survey) *worldStatus {
	w := &worldStatus{
		World: dir, Definitions: keptFiles(s.Definitions), Staged: keptFiles(s.Staged), Entries: s.Ledger.Entries,
		Sessions: []sessionHolds{}, Damage: []ledgerFault{},
		Stray: listed(s.Ledger.Stray), SetAside: listed(s.SetAside), Drafts: listed(s.Drafts),
	}
	for _, h := range s.Ledger.Sessions {
		w.Sessions = append(w.Sessions, sessionHolds{h.Session, h.LastID, h.Minted, h.Discharged, listed(h.Held)})
	}
	for _, d := range s.Ledger.Damage {
		w.Damage = append(w.Damage, ledgerFault{d.Line, d.Offset, d.Size, d.Reason})
	}
	if t := s.Ledger.Torn; t != nil {
		w.Torn = &ledgerFault{t.Line, t.Offset, t.Size, t.Reason}
	}
	return w
}

// listed returns the list as JSON wants it: an empty one is [], not null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func keptFiles(files []bridge.WorldFile) []keptFile {
	list := []keptFile{}
	for _, f := range files {
		k := keptFile{File: f.Name, Verbs: []string{}, Signatures: []string{}}
		declared, err := f.Declares()
		for _, d := range declared {
			k.Verbs = append(k.Verbs, d.Verb)
			k.Signatures = append(k.Signatures, d.Signature)
		}
		if err != nil {
			k.Error = err.Error()
		}
		if f.Err == nil {
			sum := sha256.Sum256([]byte(f.Text))
			k.SHA256 = hex.EncodeToString(sum[:])
		}
		list = append(list, k)
	}
	return list
}

// printStatus prints the status for people.
func printStatus(out io.Writer, w *worldStatus) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "world %s\n", w.World)
	printFiles(t, "definitions", w.Definitions)
	printFiles(t, "staged", w.Staged)
	fmt.Fprintf(t, "ledger: %s of %s\n", count(w.Entries, "line"), count(len(w.Sessions), "session"))
	for _, s := range w.Sessions {
		fmt.Fprintf(t, "  session %s\tminted %d, let go %d\n", plain(s.Session), s.Minted, s.Discharged)
		for _, e := range s.Unpaired {
			fmt.Fprintf(t, "    held at its end\t%s = %s\towes %s:%s\tmade by %s\tlet go by %s\n",
				plain(e.Binding), plain(e.Handle), plain(e.ObligationModule), plain(e.ObligationName), plain(e.CreatedBy), plain(e.Discharge))
		}
	}
	for _, e := range w.Stray {
		fmt.Fprintf(t, "  stray\t%s of %d, session %s: it pairs with no other line\n", e.Op, e.ID, plain(e.Session))
	}
	for _, d := range w.Damage {
		fmt.Fprintf(t, "  damaged\tholds.log line %d, byte %d: %s\n", d.Line, d.Offset, d.Reason)
	}
	if w.Torn != nil {
		fmt.Fprintf(t, "  torn\tholds.log line %d, byte %d, %s: %s\n", w.Torn.Line, w.Torn.Offset, count(int(w.Torn.Size), "byte"), w.Torn.Reason)
	}
	for _, name := range w.SetAside {
		fmt.Fprintf(t, "  set aside\t%s\n", plain(name))
	}
	for _, name := range w.Drafts {
		fmt.Fprintf(t, "  half written\t%s\n", plain(name))
	}
	return t.Flush()
}

// plain returns text from a world as a terminal may show it: what a session
// wrote there is not trusted to be free of control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func printFiles(t io.Writer, title string, files []keptFile) {
	if len(files) == 0 {
		fmt.Fprintf(t, "%s: none\n", title)
		return
	}
	fmt.Fprintf(t, "%s: %d\n", title, len(files))
	for _, f := range files {
		what := strings.Join(f.Signatures, "; ")
		if f.Error != "" {
			what = "cannot be used: " + f.Error
		}
		fmt.Fprintf(t, "  %s\t%s\n", plain(f.File), plain(what))
	}
}

// writeJSON prints a value as one line, with nothing escaped that need not be.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
