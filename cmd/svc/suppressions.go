package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newSuppressions(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "suppressions", Short: "See which addresses get no email, and let one get email again",
			Long: "An address is suppressed when its owner unsubscribes, or when the SMTP server says that it does not " +
				"exist.\nAutomations of the environment send nothing to it.",
		},
		newSuppressionList(t), newSuppressionRemove(t),
	)
}

func newSuppressionList(t terminal) *cobra.Command {
	var page pageFlags
	var email string
	cmd := environmentCommand(t, clientCommand{
		use: "list", short: "List the addresses that get no email, newest first", arguments: []string{"appId"},
		long: "The address is empty where no user has it any more: addresses themselves are not stored. --email finds them.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0], "environment": env, "email": email})
		return server.printQuery(ctx, t, out, "emailSuppressions", asked, "app", "emailSuppressions")
	})
	cmd.Flags().StringVar(&email, "email", "", "a whole address")
	page.bind(cmd, "addresses")
	return cmd
}

func newSuppressionRemove(t terminal) *cobra.Command {
	var dryRun bool
	cmd := clientCommand{
		use: "remove", short: "Let an address whose owner asked for it get email again",
		arguments: []string{"suppressionId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "removeEmailSuppression", map[string]any{"id": args[0], "dryRun": dryRun}, out)
	})
	dryRunFlag(cmd, &dryRun)
	return cmd
}
