package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func newPlans(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "plans", Short: "Sell plans: for who runs the server",
			Long: "Makes plans, puts workspaces on them and says how payments stand. All of it needs the operator's key, the\n" +
				"server's setting operator_key, as --api-key or SVC_API_KEY. Every server follows a change within a second.",
		},
		newPlanList(t), newPlanSave(t), newSubscriptionList(t),
		clientCommand{
			use: "assign", short: "Put a workspace on a plan; self_hosted has everything without limits",
			arguments: []string{"workspaceId", "plan"},
		}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
			return server.change(ctx, t, "changeSubscription", map[string]any{"workspaceId": args[0], "plan": args[1]}, out)
		}),
		newPastDue(t),
		newPaymentCommand(t, "paid", "Say that a workspace has paid", "ACTIVE"),
		newPaymentCommand(t, "cancel", "Cancel a subscription: features are off, limits hold", "CANCELLED"),
	)
}

func newPlanList(t terminal) *cobra.Command {
	return clientCommand{use: "list", short: "List all plans"}.command(t, func(
		ctx context.Context, server api, _ []string, out printer,
	) error {
		data, err := server.query(ctx, "plans", nil, "plans")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

func newSubscriptionList(t terminal) *cobra.Command {
	return clientCommand{use: "workspaces", short: "List the workspaces of the server with their plans"}.command(t, func(
		ctx context.Context, server api, _ []string, out printer,
	) error {
		return server.printAll(
			ctx, t.out, pagedList{operation: "subscriptions", path: []string{"subscriptions"}}, map[string]any{}, out,
		)
	})
}

func newPlanSave(t terminal) *cobra.Command {
	var name string
	var features []string
	var apps, users int64
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "save", short: "Make a plan, or change the one with its key", arguments: []string{"key"},
		long: "Replaces the plan with this key for all workspaces that are on it. A limit that is left out is none.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"key": args[0], "name": name, "features": features}
		if name == "" {
			input["name"] = args[0]
		}
		if cmd.Flags().Changed("apps") {
			input["activeApps"] = apps
		}
		if cmd.Flags().Changed("live-users") {
			input["liveUsers"] = users
		}
		return server.change(ctx, t, "savePlan", input, out)
	})
	cmd.Flags().StringVar(&name, "name", "", "the name that is shown; the key unless given")
	cmd.Flags().StringSliceVar(&features, "features", []string{},
		"animations, motion, translations, attribution, integrations, experiments")
	cmd.Flags().Int64Var(&apps, "apps", 0, "the most apps that are not archived")
	cmd.Flags().Int64Var(&users, "live-users", 0, "the most monthly active users of live environments, all apps together")
	return cmd
}

func newPastDue(t terminal) *cobra.Command {
	var since string
	cmd := clientCommand{
		use: "past-due", short: "Say that a payment of a workspace is late", arguments: []string{"workspaceId"},
		long: "SDK traffic of the workspace goes on for the server's past_due_grace and is refused after that.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"workspaceId": args[0], "status": "PAST_DUE"}
		if since != "" {
			if _, err := time.Parse(time.RFC3339, since); err != nil {
				return usageError("--since must be a time like 2026-11-22T09:00:00Z, not %q", since)
			}
			input["pastDueSince"] = since
		}
		return server.change(ctx, t, "changeSubscription", input, out)
	})
	cmd.Flags().StringVar(&since, "since", "", "since when, like 2026-11-22T09:00:00Z; now unless it was late before")
	return cmd
}

func newPaymentCommand(t terminal, use, short, status string) *cobra.Command {
	return clientCommand{use: use, short: short, arguments: []string{"workspaceId"}}.command(t,
		func(ctx context.Context, server api, args []string, out printer) error {
			return server.change(ctx, t, "changeSubscription", map[string]any{"workspaceId": args[0], "status": status}, out)
		})
}

func newUsage(t terminal) *cobra.Command {
	var month string
	cmd := clientCommand{
		use: "usage", short: "Print what a workspace used of its plan in a month", arguments: []string{"workspaceId"},
		long: "Monthly active users by day and app, events, apps, experiments, limits, and how long a late payment still\n" +
			"changes nothing.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"workspace": args[0]}
		if month != "" {
			asked["month"] = month
		}
		data, err := server.query(ctx, "usage", asked, "workspace", "usage")
		if err != nil {
			return err
		}
		if data, err = withoutPlan(data); err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().StringVar(&month, "month", "", "a UTC month like 2026-11; this one unless given")
	return cmd
}

// withoutPlan leaves out of a report of use what speaks of plans, when the plan sets no limit and no payment is late:
// nobody's active users are counted then, and zeros would say otherwise.
func withoutPlan(data json.RawMessage) (json.RawMessage, error) {
	report, err := decodeOrdered(data)
	if err != nil {
		return nil, err
	}
	ofPlan := []string{
		"liveUsersLimit", "appsLimit", "pause", "pastDueSince", "graceDaysLeft", "liveUsers", "newLiveUsers",
	}
	for _, name := range ofPlan {
		if of, isReport := report.(members); !isReport || of.get(name) != nil {
			return data, nil
		}
	}
	return encodeJSON(leaveOut(report, ofPlan))
}

// leaveOut removes members of these names at any depth.
func leaveOut(v value, names []string) value {
	switch v := v.(type) {
	case members:
		kept := members{}
		for _, entry := range v {
			if !slices.Contains(names, entry.key) {
				kept = append(kept, member{entry.key, leaveOut(entry.value, names)})
			}
		}
		return kept
	case []value:
		for i := range v {
			v[i] = leaveOut(v[i], names)
		}
	}
	return v
}
