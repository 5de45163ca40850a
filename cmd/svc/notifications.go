package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// notificationKinds are the values of --kind.
var notificationKinds = []string{
	"experiment_ended", "experiment_split", "version_harm", "plan_limit_near", "plan_limit_reached",
	"subscription_past_due",
	"endpoint_disabled", "ingest_refused", "revenue_failing", "alert",
}

func newNotifications(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "notifications", Short: "Read what members of a workspace should know",
			Long: "Each member has marks of their own; a key reads and marks for who made it.",
		},
		newNotificationList(t),
		clientCommand{
			use: "unread", short: "Say how many you have not read", arguments: []string{"workspaceId"},
		}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
			asked := map[string]any{"workspace": args[0]}
			return server.printQuery(ctx, t, out, "unreadNotifications", asked, "workspace")
		}),
		clientCommand{
			use: "read", short: "Mark a notification as read and show it", arguments: []string{"notificationId"},
		}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
			return server.change(ctx, t, "markNotificationRead", map[string]any{"id": args[0]}, out)
		}),
		newReadAll(t),
		newNotificationMail(t),
	)
}

func newNotificationList(t terminal) *cobra.Command {
	var scope scopeFlags
	var unread bool
	var first int
	cmd := clientCommand{
		use: "list", short: "List notifications, newest first", arguments: []string{"workspaceId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if first < 1 {
			return usageError("--first must be 1 or more, not %d", first)
		}
		asked := map[string]any{"workspace": args[0], "unread": unread}
		kind, err := scope.chosen("kind", notificationKinds)
		if err != nil {
			return err
		}
		if kind != "" {
			asked["kinds"] = []string{kind}
		}
		list := pagedList{operation: "notifications", path: []string{"workspace", "notifications"}}
		data, err := list.readAll(ctx, server, asked, min(studioPage, first), first)
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().BoolVar(&unread, "unread", false, "only those that you have not read")
	cmd.Flags().IntVar(&first, "first", 50, "how many")
	choice(cmd, "kind", "", "only those of a kind", notificationKinds)
	scope.set = cmd.Flags()
	return cmd
}

func newReadAll(t terminal) *cobra.Command {
	var until string
	cmd := clientCommand{
		use: "read-all", short: "Mark all notifications of a workspace as read", arguments: []string{"workspaceId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"workspaceId": args[0]}
		if until != "" {
			if _, err := time.Parse(time.RFC3339, until); err != nil {
				return usageError("--until must be a time like 2026-11-22T09:00:00Z, not %q", until)
			}
			input["until"] = until
		}
		return server.change(ctx, t, "markAllNotificationsRead", input, out)
	})
	cmd.Flags().StringVar(&until, "until", "", "only those posted until this time, like 2026-11-22T09:00:00Z")
	return cmd
}
