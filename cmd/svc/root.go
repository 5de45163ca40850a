package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set at link time for releases; otherwise the module's own.
var version = ""

func newRoot(term terminal) *cobra.Command {
	root := &cobra.Command{
		Use:   "svc",
		Short: "Flows for apps, and what users did with them",
		Long: "svc runs the service (dev, serve), looks after its database (migrate, backup, restore, seed, import,\n" +
			"export), reads it (analytics), and lets authors keep flows in a repository (flow, channel, experiment). Reports\n" +
			"and authoring go through the GraphQL API of a running server.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%s", err) })
	return newGroup(root,
		newDev(term), newServe(term), newMigrate(term), newBackup(term), newRestore(term), newSeed(term), newImport(term),
		newExport(term), newConfig(term), newFrames(term), newAnalytics(term), newFlow(term), newChannel(term),
		newExperiment(term), newPreview(term), newPull(term), newDiff(term), newPush(term), newApp(term), newPeople(term),
		newSegments(term), newGoals(term), newFunnels(term), newSharedLinks(term), newAlerts(term), newScheduledReports(term),
		newComponents(term),
		newRevenue(term),
		newAutomations(term), newPlans(term), newUsage(term), newNotifications(term), newTypes(term),
		newMCP(term), newSQL(term), newPasswordReset(term), newAuth(term),
		newVersion(term),
	)
}

func newVersion(term terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version as JSON",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return json.NewEncoder(term.out).Encode(map[string]string{"version": buildVersion()})
		},
	}
}

func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}

// noArguments refuses positional arguments as a usage error.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// newGroup makes a command that only holds others answer an unknown one as a
// usage error instead of with its help.
func newGroup(group *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	group.AddCommand(commands...)
	group.Args = cobra.ArbitraryArgs // else the root refuses them itself, as a plain error
	group.SuggestionsMinimumDistance = 2
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			hint := "see " + cmd.CommandPath() + " --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "?"
			}
			return usageError("%s has no command %q; %s", cmd.CommandPath(), args[0], hint)
		}
		return cmd.Help()
	}
	return group
}
