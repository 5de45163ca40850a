package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func newSharedLinks(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "shared-links", Short: "Share reports with people who do not sign in",
			Long: "A shared link lets its holders ask GraphQL for chosen reports of one environment, limited to filters\n" +
				"that its readers cannot take away. They see no single user.",
		},
		newSharedLinkList(t), newSharedLinkCreate(t), newSharedLinkRevoke(t),
	)
}

func newSharedLinkList(t terminal) *cobra.Command {
	var page pageFlags
	var revoked bool
	cmd := environmentCommand(t, clientCommand{
		use: "list", short: "List the shared links of an environment, newest first", arguments: []string{"appId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0], "environment": env, "revoked": revoked})
		return server.printQuery(ctx, t, out, "sharedLinkList", asked, "app", "sharedLinks")
	})
	cmd.Flags().BoolVar(&revoked, "revoked", false, "also those that were revoked")
	page.bind(cmd, "shared links")
	return cmd
}

func newSharedLinkCreate(t terminal) *cobra.Command {
	var reports, frames []string
	var scope, password, expires string
	var unbranded bool
	cmd := environmentCommand(t, clientCommand{
		use: "create", short: "Make a shared link", arguments: []string{"appId", "name"},
		long: "Makes a link and prints its token, which is shown this once. The filters of --scope, a JSON file in the\n" +
			"shape of GraphQL's ViewScopeInput, limit all that readers see; - reads it from the standard input.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		input := map[string]any{"appId": args[0], "environment": env, "name": args[1], "poweredBy": !unbranded}
		if len(frames) > 0 {
			input["frameOrigins"] = frames
		}
		var names []string
		for _, report := range reports {
			names = append(names, strings.ToUpper(report))
		}
		input["reports"] = names
		if scope != "" {
			read, err := readObjectFile(t, scope)
			if err != nil {
				return err
			}
			input["scope"] = read
		}
		if password != "" {
			read, err := readFlowFile(t, password)
			if err != nil {
				return err
			}
			input["password"] = strings.TrimRight(string(read), "\r\n")
		}
		if expires != "" {
			input["expiresAt"] = expires
		}
		return server.change(ctx, t, "createSharedLink", input, out)
	})
	cmd.Flags().StringSliceVar(&reports, "reports", []string{"home"},
		"with commas: home, acquisition, engagement, events, goals, retention, locations, devices")
	cmd.Flags().StringVar(&scope, "scope", "", "file of the filters, and of the period that the page opens with")
	cmd.Flags().StringVar(&password, "password-file", "", "file of a password that readers give, 8 to 256 characters")
	cmd.Flags().StringVar(&expires, "expires", "", "when it ends, as 2027-01-31T00:00:00Z; without, when it is revoked")
	cmd.Flags().StringSliceVar(&frames, "frame-origins", nil,
		"origins of pages that may embed the reports, with commas; * alone for any")
	cmd.Flags().BoolVar(&unbranded, "unbranded", false, "leave out the line that says what the page is made with")
	return cmd
}

func newSharedLinkRevoke(t terminal) *cobra.Command {
	return clientCommand{
		use: "revoke", short: "End a shared link at once", arguments: []string{"linkId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "revokeSharedLink", map[string]any{"id": args[0]}, out)
	})
}
