package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newGoals(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "goals", Short: "Name what visitors are to do",
			Long: "A goal is a condition on events, views, runs of flows or purchases under a name. Reports count it:\n" +
				"svc analytics product goals. Conditions are a JSON file in the shape of GraphQL's GoalConditionInput;\n" +
				"- reads them from the standard input.",
		},
		newGoalList(t), newGoalCreate(t), newGoalUpdate(t), newGoalDelete(t),
	)
}

func newGoalList(t terminal) *cobra.Command {
	var page pageFlags
	cmd := clientCommand{
		use: "list", short: "List the goals of an app by name", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0]})
		return server.printQuery(ctx, t, out, "goalList", asked, "app", "goals")
	})
	page.bind(cmd, "goals")
	return cmd
}

func newGoalCreate(t terminal) *cobra.Command {
	return clientCommand{
		use: "create", short: "Make a goal", arguments: []string{"appId", "name", "file"},
		long: "Makes a goal of the condition of a file, such as {\"event\": {\"name\": \"sign_up\"}}.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		condition, err := readObjectFile(t, args[2])
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "name": args[1], "condition": condition}
		return server.change(ctx, t, "createGoal", input, out)
	})
}

func newGoalUpdate(t terminal) *cobra.Command {
	var name, condition string
	var flags *cobra.Command
	flags = clientCommand{
		use: "update", short: "Change the name or the condition of a goal", arguments: []string{"goalId"},
		long: "Changes a goal. Another condition changes what reports say of the past, too.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if flags.Flags().Changed("name") {
			input["name"] = name
		}
		if condition != "" {
			read, err := readObjectFile(t, condition)
			if err != nil {
				return err
			}
			input["condition"] = read
		}
		return server.change(ctx, t, "updateGoal", input, out)
	})
	flags.Flags().StringVar(&name, "name", "", "new name")
	flags.Flags().StringVar(&condition, "condition", "", "file of the new condition")
	return flags
}

func newGoalDelete(t terminal) *cobra.Command {
	return clientCommand{
		use: "delete", short: "Delete a goal", arguments: []string{"goalId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "deleteGoal", map[string]any{"id": args[0]}, out)
	})
}
