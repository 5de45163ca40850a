package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	flowrun "github.com/svc-dev/svc/analytics/run"
)

func newApp(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "app", Short: "See and change the settings of an app"}, newAppList(t), newAppShow(t),
		newAppCreate(t), newAppUpdate(t), newAppArchive(t), newAppUnarchive(t), newIdentity(t),
	)
}

// workspaceOfKey returns the id of the workspace that the key acts in.
func workspaceOfKey(ctx context.Context, server api) (string, error) {
	var workspaces []struct {
		Workspace struct {
			ID string `json:"id"`
		} `json:"workspace"`
	}
	if err := server.read(ctx, "workspaceOfKey", nil, &workspaces, "viewer", "workspaces", "nodes"); err != nil {
		return "", err
	}
	if len(workspaces) == 0 { // a key's workspace may have been deleted meanwhile
		return "", &failure{exit: exitError, code: "not_found", message: "the key has no workspace"}
	}
	return workspaces[0].Workspace.ID, nil
}

func newAppList(t terminal) *cobra.Command {
	var archived bool
	list := pagedList{operation: "apps", path: []string{"workspace", "apps"}}
	cmd := clientCommand{
		use: "list", short: "List the apps of the key's workspace, with the keys that they send with",
	}.command(t, func(ctx context.Context, server api, _ []string, out printer) error {
		workspace, err := workspaceOfKey(ctx, server)
		if err != nil {
			return err
		}
		asked := map[string]any{"workspace": workspace, "archived": archived}
		return server.printAll(ctx, t.out, list, asked, out)
	})
	cmd.Flags().BoolVar(&archived, "archived", false, "list archived ones too")
	return cmd
}

func newAppShow(t terminal) *cobra.Command {
	return clientCommand{
		use: "show", short: "Show the settings of an app", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "appSettings", map[string]any{"app": args[0]}, "app")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

func newAppCreate(t terminal) *cobra.Command {
	return clientCommand{
		use: "create", short: "Make an app with a test and a live environment, and a publishable key in each",
		arguments: []string{"name"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		workspace, err := workspaceOfKey(ctx, server)
		if err != nil {
			return err
		}
		return server.change(ctx, t, "createApp", map[string]any{"workspaceId": workspace, "name": args[0]}, out)
	})
}

func newAppArchive(t terminal) *cobra.Command {
	var name string
	cmd := clientCommand{
		use: "archive", short: "Take an app out of service: its keys are refused, its automations rest, reports stay",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "archiveApp", map[string]any{"id": args[0], "confirmName": name}, out)
	})
	cmd.Flags().StringVar(&name, "confirm-name", "", "the app's name, so that no other one is meant")
	_ = cmd.MarkFlagRequired("confirm-name") // the flag exists
	return cmd
}

func newAppUnarchive(t terminal) *cobra.Command {
	return clientCommand{
		use: "unarchive", short: "Take an app back into service", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "unarchiveApp", map[string]any{"id": args[0]}, out)
	})
}

// newAppUpdate makes the command that sets how long reports wait for what runs lead to.
func newAppUpdate(t terminal) *cobra.Command {
	var completion, purchase int
	var lapse time.Duration
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "update", short: "Change how long reports of flows wait for what runs lead to",
		long: "Sets within how many days a run completes, in how many days after its start purchases belong to it, and\n" +
			"after how long without an event it times out. All reports use them from now on, of earlier runs too. What is\n" +
			"left out stays.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if cmd.Flags().Changed("completion-window") {
			input["completionWindowDays"] = completion
		}
		if cmd.Flags().Changed("purchase-window") {
			input["purchaseWindowDays"] = purchase
		}
		if cmd.Flags().Changed("lapse") {
			if lapse%time.Minute != 0 {
				return usageError("--lapse is in whole minutes, not %s", lapse)
			}
			input["lapseMinutes"] = int(lapse / time.Minute)
		}
		if len(input) == 1 {
			return usageError("nothing to change: give --completion-window, --purchase-window or --lapse")
		}
		return server.change(ctx, t, "updateApp", input, out)
	})
	cmd.Flags().IntVar(&completion, "completion-window", 1, "days: 1, 3, 7 or 14")
	cmd.Flags().IntVar(&purchase, "purchase-window", 3, "days: 1, 3, 7 or 14")
	cmd.Flags().DurationVar(&lapse, "lapse", flowrun.DefaultLapse, "from 5m to 24h, in whole minutes")
	return cmd
}
