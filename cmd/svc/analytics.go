package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newAnalytics(t terminal) *cobra.Command {
	group := newGroup(
		&cobra.Command{
			Use: "analytics", Short: "Read what users did",
			Long: "Reports of a flow's runs take a flow id and read the live environment of the last seven days unless flags\n" +
				"say otherwise; product has those of sessions, pages and events.",
		}, newProduct(t), newRevenueReport(t), newExperimentResults(t, "experiment"),
		newIngestHealth(t), newRebuild(t),
	)
	for _, r := range flowReports {
		group.AddCommand(r.command(t))
	}
	group.AddCommand(appOverview.command(t))
	return group
}

func newProduct(t terminal) *cobra.Command {
	group := &cobra.Command{
		Use:   "product",
		Short: "Product analytics: visitors, sessions, pages, events, retention",
		Long: "Product analytics of one app. Every command takes an app id, prints JSON unless -o says otherwise,\n" +
			"and reads the live environment of the last seven days unless flags say otherwise.",
	}
	for _, r := range productReports {
		group.AddCommand(r.command(t))
	}
	return newGroup(group, newRecent(t), &cobra.Command{
		Use:   "help",
		Short: "List the commands and all flags; needs no key",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Println(group.Long)
			for _, report := range group.Commands() {
				cmd.Printf("\n%s\n    %s\n%s", report.UseLine(), report.Short, report.LocalFlags().FlagUsages())
			}
			return nil
		},
	})
}

// recentPage is the largest page of recent events.
const recentPage = 200

// newRecent makes the command that lists the newest rows of one event.
func newRecent(t terminal) *cobra.Command {
	var scope scopeFlags
	var name, after string
	var first int
	cmd := readCommand(t, "recent", "Recent rows for one event", func(
		ctx context.Context, server api, app string, out printer,
	) error {
		if name == "" {
			return usageError("--name is required: the event to list")
		}
		if first < 1 {
			return usageError("--first must be positive, not %d", first)
		}
		variables, err := scope.where()
		if err != nil {
			return err
		}
		dates, err := scope.dates()
		if err != nil {
			return err
		}
		if dates != nil {
			variables["range"] = dates
		}
		variables["app"], variables["name"] = app, name
		if after != "" {
			variables["after"] = after
		}
		list := pagedList{operation: "recentEvents", path: []string{"app", "recentEvents"}}
		data, err := list.readAll(ctx, server, variables, recentPage, first)
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	scope.bindWhere(cmd)
	scope.bindRange(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name of the event, required")
	cmd.Flags().IntVar(&first, "first", 50, "rows, as many as wanted")
	cmd.Flags().StringVar(&after, "after", "", "endCursor of the page before")
	return cmd
}

// newIngestHealth makes the command that shows what became of received events.
func newIngestHealth(t terminal) *cobra.Command {
	var scope scopeFlags
	hours := []string{"hour", "day"}
	cmd := readCommand(t, "ingest-health", "What ingest accepted, rejected and ignored, and how late events are", func(
		ctx context.Context, server api, app string, out printer,
	) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		dates, err := scope.dates()
		if err != nil {
			return err
		}
		grain, err := scope.chosen("grain", hours)
		if err != nil {
			return err
		}
		asked := map[string]any{"app": app, "environment": environment, "grain": grain}
		if dates != nil {
			asked["range"] = dates
		}
		data, err := server.query(ctx, "ingestHealth", asked, "app", "ingestHealth")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	scope.bindRange(cmd)
	choice(cmd, "grain", "day", "width of a bucket", hours)
	return cmd
}
