package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func newExperiment(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "experiment", Short: "Make, start, read and end experiments"},
		newExperimentList(t), newExperimentPlan(t), newExperimentResults(t, "results"),
		newExperimentChange(
			t, "start", "Make a draft serve on its channel",
			"It needs an end date in the future, and at least two variants with a published version each.", "startExperiment",
		),
		newExperimentChange(
			t, "stop", "Close an experiment; its channel goes back to the control",
			"Users who were in another variant get the control's version from then on. Results stay.", "stopExperiment",
		),
		newExperimentCreate(t), newExperimentGoals(t), newExperimentExtend(t), newExperimentPromote(t),
	)
}

func newExperimentList(t terminal) *cobra.Command {
	var scope scopeFlags
	ofApp := pagedList{operation: "appExperiments", path: []string{"app", "experiments"}}
	ofChannel := pagedList{operation: "experiments", path: []string{"channel", "experiments"}}
	cmd := clientCommand{
		use: "list", short: "List the experiments of an app, newest first", arguments: []string{"appId"},
		long: "In place of the app's id a channel's may be given (ch_…): its experiments are listed, whatever --env says.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if strings.HasPrefix(args[0], "ch_") {
			return server.printAll(ctx, t.out, ofChannel, map[string]any{"channel": args[0]}, out)
		}
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		return server.printAll(ctx, t.out, ofApp, map[string]any{"app": args[0], "environment": environment}, out)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	return cmd
}

func newExperimentPlan(t terminal) *cobra.Command {
	return clientCommand{
		use: "plan", short: "Print how many users and days an experiment takes", arguments: []string{"experimentId"},
		long: "The control's completion is that of its planner, else what its version saw on the channel in the last 30\n" +
			"days; days are counted at the traffic of the last 14.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "experimentPlan", map[string]any{"id": args[0]}, "experimentPlan")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

// newExperimentResults makes the command that prints what an experiment says, under one of its two names.
func newExperimentResults(t terminal, use string) *cobra.Command {
	var timeZone string
	cmd := clientCommand{
		use: use, short: "Print the results of an experiment: splits, metrics by variant, intervals, verdict",
		arguments: []string{"experimentId"},
		long: "The verdict is that of completion or the primary goal, with one sentence. Intervals hold however often you\n" +
			"look; the page on experiments in the documentation says when to stop.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"id": args[0], "timeZone": timeZone}
		data, err := server.query(ctx, "experimentResults", asked, "experimentResults")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().StringVar(&timeZone, "time-zone", "UTC", "IANA zone of the days of series")
	return cmd
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
