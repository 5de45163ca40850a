package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newFunnels(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "funnels", Short: "Name steps that visitors take in order",
			Long: "A funnel is 2 to 10 steps, each a condition or a goal. svc analytics product funnel tells how far\n" +
				"visitors come. Funnels are a JSON file in the shape of GraphQL's FunnelInput; - reads them from\n" +
				"the standard input.",
		},
		newFunnelList(t), newFunnelCreate(t), newFunnelUpdate(t), newFunnelDelete(t),
	)
}

func newFunnelList(t terminal) *cobra.Command {
	var page pageFlags
	cmd := clientCommand{
		use: "list", short: "List the funnels of an app by name", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0]})
		return server.printQuery(ctx, t, out, "funnelList", asked, "app", "funnels")
	})
	page.bind(cmd, "funnels")
	return cmd
}

func newFunnelCreate(t terminal) *cobra.Command {
	return clientCommand{
		use: "create", short: "Make a funnel", arguments: []string{"appId", "name", "file"},
		long: "Makes a funnel of a file such as\n" +
			`{"steps": [{"condition": {"page": {"name": "/pricing"}}}, {"condition": {"purchase": {}}}],` + "\n" +
			`"windowMinutes": 1440}.`,
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		definition, err := readObjectFile(t, args[2])
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "name": args[1], "funnel": definition}
		return server.change(ctx, t, "createFunnel", input, out)
	})
}

func newFunnelUpdate(t terminal) *cobra.Command {
	var name, definition string
	var flags *cobra.Command
	flags = clientCommand{
		use: "update", short: "Change the name or the steps of a funnel", arguments: []string{"funnelId"},
		long: "Changes a funnel: its name, or all of the rest by that of a file.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if flags.Flags().Changed("name") {
			input["name"] = name
		}
		if definition != "" {
			read, err := readObjectFile(t, definition)
			if err != nil {
				return err
			}
			input["funnel"] = read
		}
		return server.change(ctx, t, "updateFunnel", input, out)
	})
	flags.Flags().StringVar(&name, "name", "", "new name")
	flags.Flags().StringVar(&definition, "funnel", "", "file of the new funnel")
	return flags
}

func newFunnelDelete(t terminal) *cobra.Command {
	return clientCommand{
		use: "delete", short: "Delete a funnel", arguments: []string{"funnelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "deleteFunnel", map[string]any{"id": args[0]}, out)
	})
}
