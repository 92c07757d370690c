package main

import (
	"slices"

	"github.com/spf13/cobra"
)

func completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "Print the completion script of a shell",
		Long:      "Print the completion script of a shell: bash, zsh, fish or powershell.",
		Example:   indent("source <(koru completion bash)"),
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactly(1, "one SHELL: bash, zsh, fish or powershell")(cmd, args); err != nil {
				return err
			}
			if !slices.Contains(shells, args[0]) {
				return usageError{cmd, "no completion for '" + args[0] + "': choose bash, zsh, fish or powershell"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return cmd.Root().GenBashCompletionV2(out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(out)
			case "fish":
				return cmd.Root().GenFishCompletion(out, true)
			}
			return cmd.Root().GenPowerShellCompletionWithDesc(out)
		},
	}
}
