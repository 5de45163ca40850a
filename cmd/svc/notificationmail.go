package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newNotificationMail is the group about what comes by email.
func newNotificationMail(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "mail", Short: "Choose which notifications come by email"},
		clientCommand{
			use: "show", short: "Show which notifications of a workspace come to you by email",
			arguments: []string{"workspaceId"},
		}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
			asked := map[string]any{"workspace": args[0]}
			return server.printQuery(ctx, t, out, "notificationMail", asked, "workspace", "notificationMail")
		}),
		newSetNotificationMail(t),
	)
}

func newSetNotificationMail(t terminal) *cobra.Command {
	var kinds []string
	cmd := clientCommand{
		use: "set", short: "Choose which notifications come to you by email", arguments: []string{"workspaceId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		chosen := []string{}
		for _, kind := range kinds {
			if !slices.Contains(notificationKinds, kind) && (kind != "none" || len(kinds) > 1) {
				return usageError("--kinds must be none or some of %s, not %q", strings.Join(notificationKinds, ", "), kind)
			}
			if kind != "none" {
				chosen = append(chosen, strings.ToUpper(kind))
			}
		}
		if len(kinds) == 0 {
			return usageError("give --kinds: none, or some of %s", strings.Join(notificationKinds, ", "))
		}
		input := map[string]any{"workspaceId": args[0], "kinds": chosen}
		return server.change(ctx, t, "setNotificationMail", input, out)
	})
	cmd.Flags().StringSliceVar(&kinds, "kinds", nil, "none, or some of these, with commas: "+
		strings.Join(notificationKinds, ", "))
	return cmd
}
