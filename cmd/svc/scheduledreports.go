package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func newScheduledReports(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "scheduled-reports", Short: "Get an app's report by email or in Slack every week or month",
			Long: "A scheduled report has an app's metrics beside those of the period before and what changed most. A key\n" +
				"schedules for the member who made it.",
		},
		newScheduledReportList(t), newScheduledReportPreview(t), newScheduledReportCreate(t), newScheduledReportUpdate(t),
		scheduledReportChange(t, "send", "Send the latest report at once and say what took it", "sendScheduledReport"),
		scheduledReportChange(t, "delete", "Delete a scheduled report", "deleteScheduledReport"),
	)
}

func scheduledReportChange(t terminal, use, short, operation string) *cobra.Command {
	return clientCommand{use: use, short: short, arguments: []string{"reportId"}}.command(
		t, func(ctx context.Context, server api, args []string, out printer) error {
			return server.change(ctx, t, operation, map[string]any{"id": args[0]}, out)
		})
}

func newScheduledReportList(t terminal) *cobra.Command {
	return clientCommand{
		use: "list", short: "List the scheduled reports of an app: your own and those to Slack",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"app": args[0]}
		return server.printQuery(ctx, t, out, "scheduledReportList", asked, "app", "scheduledReports")
	})
}

// schedule is when a report comes.
type schedule struct{ frequency, zone string }

func (s *schedule) bind(cmd *cobra.Command, frequency, zone string) {
	cmd.Flags().StringVar(&s.frequency, "frequency", frequency, "weekly, on Mondays, or monthly, on the first")
	cmd.Flags().StringVar(&s.zone, "time-zone", zone, "IANA name: the report comes at 08:00 there")
}

func newScheduledReportPreview(t terminal) *cobra.Command {
	var when schedule
	cmd := environmentCommand(t, clientCommand{
		use: "preview", short: "Print what the latest report says, as its email does without pictures",
		arguments: []string{"appId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		return server.printQuery(ctx, t, out, "scheduledReportPreview", map[string]any{
			"app": args[0], "environment": env, "frequency": strings.ToUpper(when.frequency), "timeZone": when.zone,
		}, "app", "scheduledReportPreview")
	})
	when.bind(cmd, "weekly", "UTC")
	return cmd
}

func newScheduledReportCreate(t terminal) *cobra.Command {
	var when schedule
	var slack string
	cmd := environmentCommand(t, clientCommand{
		use: "create", short: "Schedule a report", arguments: []string{"appId"},
		long: "Schedules a report by email or, with --slack-url-file, the file of an incoming webhook's URL, to Slack; -\n" +
			"reads the URL from the standard input.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		input := map[string]any{
			"appId": args[0], "environment": env, "frequency": strings.ToUpper(when.frequency), "timeZone": when.zone,
			"destination": "EMAIL",
		}
		if slack != "" {
			input["destination"] = "SLACK"
		}
		if err := readSlackURL(t, slack, input); err != nil {
			return err
		}
		return server.change(ctx, t, "createScheduledReport", input, out)
	})
	when.bind(cmd, "weekly", "UTC")
	slackURLFlag(cmd, &slack)
	return cmd
}

func newScheduledReportUpdate(t terminal) *cobra.Command {
	var when schedule
	var active bool
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "update", short: "Change when a scheduled report comes, stop or resume it", arguments: []string{"reportId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if when.frequency != "" {
			input["frequency"] = strings.ToUpper(when.frequency)
		}
		if when.zone != "" {
			input["timeZone"] = when.zone
		}
		if cmd.Flags().Changed("active") {
			input["active"] = active
		}
		return server.change(ctx, t, "updateScheduledReport", input, out)
	})
	when.bind(cmd, "", "")
	cmd.Flags().BoolVar(&active, "active", true, "whether it comes")
	return cmd
}
