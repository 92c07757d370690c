package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
)

// renderCommand is one of the commands that print a scope: they load and check
// FILE, but run nothing of it (R27, R78).
func renderCommand(name, short, long string, render func(cmd *cobra.Command, words *check.Vocabulary) (string, error)) *cobra.Command {
	var s sessionFlags
	cmd := &cobra.Command{
		Use:     name + " FILE",
		Short:   short,
		Long:    long,
		Example: indent("koru "+name+" depot.k --scope depot", "koru "+name+" depot.k --scope depot --world world"),
		Args:    exactly(1, "a FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := s.words(cmd, args[0])
			if err != nil {
				return err
			}
			text, err := render(cmd, words)
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text+"\n")
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.scope, "scope", "", "the register block to print (may be left out where FILE has one)")
	f.StringVar(&s.world, "world", "", "a folder whose definitions are part of the vocabulary")
	f.BoolVar(&s.introspect, "introspect", false, "as for a session that may call vocabulary() and grammar()")
	return cmd
}

// words returns the vocabulary of a scope, with what a world adds to it.
func (s *sessionFlags) words(cmd *cobra.Command, file string) (*check.Vocabulary, error) {
	if s.world != "" {
		return s.mounted(cmd, file)
	}
	opts, err := options()
	if err != nil {
		return nil, err
	}
	checked, err := checkFile(cmd, check.NewChecker(opts), file)
	if err != nil {
		return nil, err
	}
	if checked.Failed() {
		if err := printText(cmd, worth(checked.Diagnostics, false)); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	scope, err := s.scopeOf(cmd, checked, file)
	if err != nil {
		return nil, err
	}
	return &check.Vocabulary{Scope: checked.Scope(scope), Introspect: s.introspect}, nil
}

// mounted opens a session on the world, for its definitions only.
func (s *sessionFlags) mounted(cmd *cobra.Command, file string) (*check.Vocabulary, error) {
	if info, err := os.Stat(s.world); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, &fs.PathError{Op: "mount", Path: s.world, Err: fmt.Errorf("not a directory")}
	}
	prog, err := linkFile(cmd, file, false)
	if err != nil {
		return nil, err
	}
	opts, err := s.options(cmd, prog, file)
	if err != nil {
		return nil, err
	}
	b, err := bridge.Create(opts)
	if err != nil {
		return nil, err
	}
	return b.Words(), b.Close()
}

func vocabularyCommand() *cobra.Command {
	return renderCommand("vocabulary", "List the verbs that a scope grants",
		`List the verbs of a scope as a model reads them: inputs with their types and
states, outcomes, cost where it is not 1, and documentation.`,
		func(_ *cobra.Command, words *check.Vocabulary) (string, error) {
			return bridge.RenderVocabulary(words), nil
		})
}

func manifestCommand() *cobra.Command {
	return renderCommand("manifest", "Print a scope as JSON for tools",
		"Print the manifest of a scope: verbs, costs, inputs, outcomes and obligations, as JSON.",
		func(_ *cobra.Command, words *check.Vocabulary) (string, error) {
			return bridge.RenderManifest(words), nil
		})
}

func schemaCommand() *cobra.Command {
	var format string
	cmd := renderCommand("schema", "Print a scope as a list of tools with JSON Schemas",
		`Print a scope as a list of tools, one a verb, each with the JSON Schema of its
inputs: what a model needs that calls tools instead of writing wire. The format
openai is the list that OpenAI-compatible servers take, mcp the answer to a
tools/list request.`,
		func(cmd *cobra.Command, words *check.Vocabulary) (string, error) {
			switch format {
			case "openai":
				return bridge.RenderSchema(words), nil
			case "mcp":
				return bridge.RenderTools(words), nil
			}
			return "", usageError{cmd, "--format is openai or mcp, not '" + format + "'"}
		})
	cmd.Flags().StringVar(&format, "format", "openai", "openai or mcp")
	return cmd
}

func grammarCommand() *cobra.Command {
	var format string
	var strict bool
	cmd := renderCommand("grammar", "Print the contract that replies on a scope are judged against",
		`Print the contract of a scope. The format text is what a model reads; gbnf and
lark are grammars of exactly the legal replies, for constrained decoding. With
--strict they offer one spelling of a value, and handles by their names only.`,
		func(cmd *cobra.Command, words *check.Vocabulary) (string, error) {
			names := bridge.Names{Strict: strict}
			switch format {
			case "text":
				return bridge.RenderGrammar(words), nil
			case "gbnf":
				return bridge.RenderGBNF(words, names), nil
			case "lark":
				return bridge.RenderLark(words, names), nil
			}
			return "", usageError{cmd, "--format is text, gbnf or lark, not '" + format + "'"}
		})
	cmd.Flags().StringVar(&format, "format", "text", "text, gbnf or lark")
	cmd.Flags().BoolVar(&strict, "strict", false, "of gbnf and lark: leave out what a decoder need not offer")
	return cmd
}
