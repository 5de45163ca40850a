package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newExperiment(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "experiment", Short: "See, start and stop experiments"},
		newExperimentList(t),
		newExperimentChange(
			t, "start", "Make a draft serve on its channel",
			"It needs an end date in the future, and at least two variants with a published version each.", "startExperiment",
		),
		newExperimentChange(
			t, "stop", "Close an experiment; its channel goes back to the control",
			"People who were in another arm get the control's version from then on. Results stay.", "stopExperiment",
		),
	)
}

func newExperimentList(t terminal) *cobra.Command {
	list := pagedList{operation: "experiments", path: []string{"channel", "experiments"}}
	return clientCommand{
		use: "list", short: "List the experiments of a channel, newest first", arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.printAll(ctx, t.out, list, map[string]any{"channel": args[0]}, out)
	})
}

// newExperimentChange makes a command that moves an experiment on.
func newExperimentChange(t terminal, use, short, long, mutation string) *cobra.Command {
	var dryRun bool
	cmd := clientCommand{
		use: use, short: short, long: long, arguments: []string{"experimentId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, mutation, map[string]any{"id": args[0], "dryRun": dryRun}, out)
	})
	dryRunFlag(cmd, &dryRun)
	return cmd
}
