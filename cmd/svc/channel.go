package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newChannel(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "channel", Short: "See and change what channels serve"},
		newChannelCreate(t), newChannelArchive(t),
		newChannelChange(t, "unassign", "Make a channel serve nothing", "unassignChannel"),
		newChannelChange(t, "unarchive", "Take a channel back into service", "unarchiveChannel"),
		newChannelList(t), newChannelPin(t), newChannelHistory(t), newChannelExplain(t), newChannelWatch(t),
		newChannelAutomaticReturn(t),
	)
}

func newChannelList(t terminal) *cobra.Command {
	var scope scopeFlags
	var archived bool
	list := pagedList{operation: "channels", path: []string{"app", "environment", "channels"}}
	cmd := clientCommand{
		use: "list", short: "List the channels of an app with what they serve", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		asked := map[string]any{"app": args[0], "environment": environment, "archived": archived}
		return server.printAll(ctx, t.out, list, asked, out)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	cmd.Flags().BoolVar(&archived, "archived", false, "list archived ones too")
	return cmd
}

func newChannelPin(t terminal) *cobra.Command {
	var version int
	var dryRun bool
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "pin", short: "Make a channel serve a version of a flow",
		long: "Serves the newest version of the flow, or the one of --version, from now on. warnings are what works on\n" +
			"one platform only.",
		arguments: []string{"channelId", "flowId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if err := positiveVersion(cmd, version); err != nil {
			return err
		}
		_, found, err := findVersion(ctx, server, args[1], version)
		if err != nil {
			return err
		}
		input := map[string]any{"id": args[0], "versionId": found.ID, "dryRun": dryRun}
		return server.change(ctx, t, "pinChannel", input, out)
	})
	cmd.Flags().IntVar(&version, "version", 0, "number of a published version; the newest unless given")
	dryRunFlag(cmd, &dryRun)
	return cmd
}

func newChannelHistory(t terminal) *cobra.Command {
	list := pagedList{operation: "channelHistory", path: []string{"channel", "history"}}
	return clientCommand{
		use: "history", short: "List what a channel served, newest first, and who changed it",
		arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.printAll(ctx, t.out, list, map[string]any{"channel": args[0]}, out)
	})
}

func newChannelExplain(t terminal) *cobra.Command {
	var person string
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "explain", short: "Say what users get from a channel now, and why",
		long: "Says what a channel serves by variant, with the share of users that get it, what the plan leaves out,\n" +
			"and why apps get nothing if so. With --user it says what this user gets, and their bucket.",
		arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"channel": args[0]}
		if cmd.Flags().Changed("user") {
			asked["person"] = person
		}
		data, err := server.query(ctx, "channelExplanation", asked, "channel", "explanation")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().StringVar(&person, "user", "", "app user id of a user")
	return cmd
}

func newChannelWatch(t terminal) *cobra.Command {
	return clientCommand{
		use: "watch", short: "Say how the newest version of a channel does beside the one before it",
		long: "Compares completion and errors of the live version with those of the version before, and says whether it\n" +
			"does harm. `svc channel pin --version` goes back.",
		arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "channelWatch", map[string]any{"channel": args[0]}, "channelWatch")
		if err != nil {
			return err
		}
		if string(data) == "null" {
			fmt.Fprintln(t.err, `{"note":"nothing is watched: no version of a flow follows an earlier one"}`)
		}
		return out.print(t.out, data)
	})
}

func newChannelAutomaticReturn(t terminal) *cobra.Command {
	var off bool
	cmd := clientCommand{
		use: "automatic-return", short: "Go back by itself to the version before when a new one does harm",
		arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0], "automaticReturn": !off}
		return server.change(ctx, t, "setAutomaticReturn", input, out)
	})
	cmd.Flags().BoolVar(&off, "off", false, "stay with the new version, and only tell")
	return cmd
}
