package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newComponents(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "component", Short: "See the layers that flows of an app share",
			Long: "A component is a subtree of layers that flows of an app share. Drafts have instances of it,\n" +
				"and published versions plain layers. GraphQL makes and changes it.",
		},
		newComponentList(t), newComponentShow(t), newComponentDelete(t),
	)
}

func newComponentList(t terminal) *cobra.Command {
	var page pageFlags
	cmd := clientCommand{
		use: "list", short: "List the components of an app by name", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0]})
		return server.printQuery(ctx, t, out, "components", asked, "app", "components")
	})
	page.bind(cmd, "components")
	return cmd
}

func newComponentShow(t terminal) *cobra.Command {
	var revision int
	cmd := clientCommand{
		use: "show", short: "Show the layers of a component, and where it is used", arguments: []string{"componentId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"id": args[0]}
		if revision > 0 {
			asked["revision"] = revision
		}
		return server.printQuery(ctx, t, out, "component", asked, "component")
	})
	cmd.Flags().IntVar(&revision, "revision", 0, "show the layers of an earlier revision")
	return cmd
}

func newComponentDelete(t terminal) *cobra.Command {
	var detach bool
	cmd := clientCommand{
		use: "delete", short: "Delete a component", arguments: []string{"componentId"},
		long: "Deletes a component that no draft uses; with --detach also one that drafts use, whose layers stay\n" +
			"as plain ones.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "deleteComponent", map[string]any{"id": args[0], "detach": detach}, out)
	})
	cmd.Flags().BoolVar(&detach, "detach", false, "leave the layers of its instances where they are, as plain ones")
	return cmd
}
