package main

import (
	"bufio"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain what a code means",
		Long: `Explain a code: why the rule is there, a program that breaks it with the message
it gets, and the same program mended. Without CODE it lists all codes.`,
		Example: indent("koru explain KORU022", "koru explain"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{cmd, "expected one CODE at most, got " + count(len(args), "argument")}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range check.Codes() {
				names = append(names, c.Name+"\t"+c.Title)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := bufio.NewWriter(cmd.OutOrStdout())
			if len(args) == 0 {
				listCodes(w)
				return w.Flush()
			}
			name := strings.ToUpper(args[0])
			c := check.Explain(name)
			if c == nil {
				message := "no code is called " + args[0]
				if near := check.NearestCode(name); near != "" {
					message += " — did you mean '" + near + "'?"
				}
				return fmt.Errorf("%s", message)
			}
			explain(w, c)
			return w.Flush()
		},
	}
}

func listCodes(w *bufio.Writer) {
	for _, c := range check.Codes() {
		note := ""
		if c.Status != check.Judged {
			note = " (" + c.Status.String() + ")"
		}
		fmt.Fprintf(w, "%-9s %s%s\n", c.Name, c.Title, note)
	}
}

func explain(w *bufio.Writer, c *check.Code) {
	kind := c.Severity.String()
	if c.Status != check.Judged {
		kind = c.Status.String()
	}
	fmt.Fprintf(w, "%s (%s): %s\n\n%s\n", c.Name, kind, c.Title, strings.TrimSpace(c.Text))
	if c.Wrong == "" {
		return
	}
	fmt.Fprintf(w, "\nWrong:\n\n%s", quoted(c.Wrong))
	for _, message := range said(c) {
		fmt.Fprintf(w, "\n  %s\n", message)
	}
	fmt.Fprintf(w, "\nRight:\n\n%s", quoted(c.Right))
}

// quoted indents a program.
func quoted(program string) string {
	var b strings.Builder
	for line := range strings.Lines(program) {
		b.WriteString("    " + line)
	}
	if s := b.String(); !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// said judges the wrong program and returns what it gets: the message shown is
// the message given.
func said(c *check.Code) []string {
	entry, files := "a.k", fstest.MapFS{}
	if archive := txtar.Parse([]byte(c.Wrong)); len(archive.Files) > 0 {
		entry = archive.Files[0].Name
		for _, f := range archive.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	} else {
		files[entry] = &fstest.MapFile{Data: []byte(c.Wrong)}
	}
	opts := check.Options{Files: files, Std: stdFiles(), Runs: c.Runs, Targets: []string{"js", "zig"}}
	p, err := check.Load(entry, opts)
	if err != nil {
		return nil
	}
	var out []string
	for i := range p.Diagnostics {
		if d := &p.Diagnostics[i]; d.Code == c.Name {
			out = append(out, d.Severity.String()+"["+d.Code+"]: "+d.Message)
		}
	}
	return out
}
