package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/stdlib"
	"github.com/koru-go/koru/syntax"
)

// stdFiles are the contracts of the standard library.
func stdFiles() fs.FS { return stdlib.FS() }

func docCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doc [MODULE[:TOR]]",
		Short: "Show the documentation of the standard library",
		Long: `Show the documentation of a module or of one verb, from its contract. Without
an argument it lists the modules.`,
		Example: indent("koru doc", "koru doc std/fs", "koru doc std/fs:write"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{cmd, "expected one MODULE or MODULE:TOR at most, got " + count(len(args), "argument")}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return stdModules(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := bufio.NewWriter(cmd.OutOrStdout())
			if len(args) == 0 {
				for _, name := range stdModules() {
					fmt.Fprintf(w, "%-16s %s\n", name, headline(name))
				}
				return w.Flush()
			}
			if err := document(w, args[0]); err != nil {
				return err
			}
			return w.Flush()
		},
	}
}

// stdModules lists the modules of the standard library by name.
func stdModules() []string {
	files, _ := fs.Glob(stdFiles(), "*.k")
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = "std/" + strings.TrimSuffix(path.Base(f), ".k")
	}
	return names
}

// headline returns what the first comment line of a contract says.
func headline(module string) string {
	text, _ := fs.ReadFile(stdFiles(), strings.TrimPrefix(module, "std/")+".k")
	first, _, _ := strings.Cut(string(text), "\n")
	_, says, ok := strings.Cut(first, ": ")
	if !ok {
		return ""
	}
	return says
}

func document(w *bufio.Writer, name string) error {
	name, verb, one := strings.Cut(name, ":")
	m := stdModule(name)
	if m == nil {
		message := fmt.Sprintf("no module is called %s", name)
		if near := check.Nearest(name, stdModules()); near != "" {
			message += " — did you mean '" + near + "'?"
		}
		return fmt.Errorf("%s", message)
	}
	if !one {
		fmt.Fprintf(w, "%s: %s\n", name, headline(name))
	}
	var names []string
	shown := 0
	for _, t := range m.Tors() {
		names = append(names, t.Name)
		if !t.Pub || one && t.Name != verb {
			continue
		}
		if shown > 0 || !one {
			w.WriteByte('\n')
		}
		shown++
		documentTor(w, t)
	}
	if shown == 0 {
		message := fmt.Sprintf("%s has no verb '%s'", name, verb)
		if near := check.Nearest(verb, names); near != "" {
			message += " — did you mean '" + near + "'?"
		}
		return fmt.Errorf("%s", message)
	}
	return nil
}

// stdModule resolves one module of the standard library.
func stdModule(name string) *check.Module {
	if !strings.HasPrefix(name, "std/") {
		return nil
	}
	return check.Source("doc.k", "import "+name+"\n", check.Options{Std: stdFiles()}).Module(name)
}

// documentTor prints the declaration as the contract spells it, then the prose
// of the verb and of its fields.
func documentTor(w *bufio.Writer, t *check.Tor) {
	w.WriteString(declaration(t) + "\n")
	for line := range strings.Lines(t.Doc) {
		w.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	for _, f := range t.Fields {
		if f.Doc != "" {
			fmt.Fprintf(w, "    %s: %s\n", f.Name, strings.ReplaceAll(strings.TrimSpace(f.Doc), "\n", " "))
		}
	}
}

// declaration returns the text of a tor without its annotations.
func declaration(t *check.Tor) string {
	span := t.Node.Span()
	for tok := range t.Node.Tokens() {
		if tok.Kind() == syntax.Name {
			span.Start = tok.Span().Start
			break
		}
	}
	return strings.TrimSpace(t.File.Syntax.Text()[span.Start:span.End])
}
