package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// clientCommand describes a command that asks a server and prints what it answers.
type clientCommand struct {
	use, short, long string
	arguments        []string // names of the positional arguments, all required: "flowId", "file"
	outputs          []string // values of --output, the first is the default; none: all but chart
}

// rowOutputs are the values of --output of commands whose answers no chart can show.
var rowOutputs = []string{"json", "jsonl", "csv", "table"}

// command makes the command: with connection and output flags, and its positional arguments.
func (c clientCommand) command(t terminal, ask func(context.Context, api, []string, printer) error) *cobra.Command {
	var client clientFlags
	var out printer
	forms := c.outputs
	if forms == nil {
		forms = rowOutputs
	}
	usage := c.use
	for _, name := range c.arguments {
		usage += " <" + name + ">"
	}
	cmd := &cobra.Command{
		Use: usage, Short: c.short, Long: c.long,
		ValidArgsFunction: c.completeArguments,
		Args:              exactly(c.arguments...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(forms, out.format) {
				return usageError("--output must be %s, not %q", strings.Join(forms, ", "), out.format)
			}
			if out.jq != "" && out.format != "json" {
				return usageError("--jq filters the JSON: leave --output out")
			}
			if out.raw && out.format != "csv" {
				return usageError("--raw is for --output csv: other forms have their texts as they are")
			}
			connection, err := client.resolve(t)
			if err != nil {
				return err
			}
			out.notes, out.color = t.err, t.colored()
			return ask(cmd.Context(), newAPI(connection), args, out)
		},
	}
	client.bind(cmd)
	bindOutput(cmd, &out, forms)
	return cmd
}

// exactly refuses a command line that has other positional arguments than the named ones: "appId" is "one app id".
func exactly(names ...string) cobra.PositionalArgs {
	if len(names) == 0 {
		return noArguments
	}
	words := strings.NewReplacer("Id", " id")
	wanted := "one " + words.Replace(names[0])
	for _, name := range names[1:] {
		wanted += " and one " + words.Replace(name)
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usageError("%s takes %s", cmd.CommandPath(), wanted)
		}
		return nil
	}
}

// completeArguments lets the shell complete files; ids it can't know.
func (c clientCommand) completeArguments(
	_ *cobra.Command, args []string, _ string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) < len(c.arguments) && c.arguments[len(args)] == "file" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// bindOutput gives a command the flags of its output; the first form is the default.
func bindOutput(cmd *cobra.Command, out *printer, forms []string) {
	cmd.Flags().StringVarP(&out.format, "output", "o", forms[0], "form of the output: "+strings.Join(forms, ", "))
	completions := cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("output", completions) // the flag exists
	cmd.Flags().StringVar(&out.jq, "jq", "", "filter the JSON with this jq program")
	if slices.Contains(forms, "csv") {
		cmd.Flags().BoolVar(
			&out.raw, "raw", false, "csv for programs: no apostrophe before what a spreadsheet would run as a formula",
		)
	}
}

// readCommand makes a command that reads a report of one app.
func readCommand(t terminal, use, short string, ask func(context.Context, api, string, printer) error) *cobra.Command {
	read := clientCommand{use: use, short: short, arguments: []string{"appId"}, outputs: outputs}
	return read.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return ask(ctx, server, args[0], out)
	})
}

// dryRunFlag gives a command the flag --dry-run.
func dryRunFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "dry-run", false, "check everything, change nothing, and print what would be")
}
