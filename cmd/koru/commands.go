package main

import "github.com/spf13/cobra"

// commands lists every subcommand in the order that help shows them.
func commands() []*cobra.Command {
	return []*cobra.Command{
		runCommand(),
		testCommand(),
		checkCommand(),
		fmtCommand(),
		migrateCommand(),
		astCommand(),
		lspCommand(),
		bridgeCommand(),
		worldCommand(),
		benchCommand(),
		vocabularyCommand(),
		grammarCommand(),
		manifestCommand(),
		schemaCommand(),
		explainCommand(),
		docCommand(),
		completionCommand(),
		versionCommand(),
	}
}
