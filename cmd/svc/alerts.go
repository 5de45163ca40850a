package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func newAlerts(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "alerts", Short: "Be told when a metric is out of bounds",
			Long: "An alert looks at a metric of an environment every minute and posts a notification when it fires and when\n" +
				"it resolves. Rules are a JSON file in the shape of GraphQL's AlertRuleInput; - reads them from the standard\n" +
				"input.",
		},
		newAlertList(t), newAlertPreview(t), newAlertCreate(t), newAlertUpdate(t),
		clientCommand{
			use: "delete", short: "Delete an alert", arguments: []string{"alertId"},
		}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
			return server.change(ctx, t, "deleteAlert", map[string]any{"id": args[0]}, out)
		}),
	)
}

func newAlertList(t terminal) *cobra.Command {
	var page pageFlags
	cmd := environmentCommand(t, clientCommand{
		use: "list", short: "List the alerts of an app by name, and where they stand", arguments: []string{"appId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0], "environment": env})
		return server.printQuery(ctx, t, out, "alertList", asked, "app", "alerts")
	})
	page.bind(cmd, "alerts")
	return cmd
}

func newAlertPreview(t terminal) *cobra.Command {
	return environmentCommand(t, clientCommand{
		use: "preview", short: "Say when an alert would have fired in the last 90 days", arguments: []string{"appId", "file"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		rule, err := readObjectFile(t, args[1])
		if err != nil {
			return err
		}
		asked := map[string]any{"app": args[0], "environment": env, "rule": rule}
		return server.printQuery(ctx, t, out, "alertPreview", asked, "app", "alertPreview")
	})
}

func newAlertCreate(t terminal) *cobra.Command {
	var slack string
	cmd := environmentCommand(t, clientCommand{
		use: "create", short: "Make an alert", arguments: []string{"appId", "name", "file"},
		long: "Makes an alert of the rule of a file, such as {\"condition\": {\"unusual\": {}}, \"breaches\": 2,\n" +
			"\"of\": 2}. With --slack-url-file it posts to Slack, too.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		rule, err := readObjectFile(t, args[2])
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "environment": env, "name": args[1], "rule": rule}
		if err := readSlackURL(t, slack, input); err != nil {
			return err
		}
		return server.change(ctx, t, "createAlert", input, out)
	})
	slackURLFlag(cmd, &slack)
	return cmd
}

// slackURLFlag adds the flag of the file that holds the URL of a webhook: whoever lists processes reads arguments.
func slackURLFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "slack-url-file", "", "file of the URL of an incoming webhook of Slack")
}

// readSlackURL puts the URL of a webhook that a file holds into an input; no file leaves it out.
func readSlackURL(t terminal, file string, input map[string]any) error {
	if file == "" {
		return nil
	}
	url, err := readFlowFile(t, file)
	if err == nil {
		input["slackUrl"] = strings.TrimSpace(string(url))
	}
	return err
}

func newAlertUpdate(t terminal) *cobra.Command {
	var name, rule, slack string
	var paused, noSlack bool
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "update", short: "Rename, pause or resume an alert, or change its rule", arguments: []string{"alertId"},
		long: "Changes an alert. With another rule, and when it is resumed, it starts anew.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if cmd.Flags().Changed("name") {
			input["name"] = name
		}
		if err := readSlackURL(t, slack, input); err != nil {
			return err
		}
		if noSlack {
			input["slackUrl"] = ""
		}
		if cmd.Flags().Changed("paused") {
			input["paused"] = paused
		}
		if rule != "" {
			read, err := readObjectFile(t, rule)
			if err != nil {
				return err
			}
			input["rule"] = read
		}
		return server.change(ctx, t, "updateAlert", input, out)
	})
	cmd.Flags().StringVar(&name, "name", "", "new name")
	cmd.Flags().StringVar(&rule, "rule", "", "file of the new rule")
	cmd.Flags().BoolVar(&paused, "paused", false, "whether nothing looks at it")
	slackURLFlag(cmd, &slack)
	cmd.Flags().BoolVar(&noSlack, "no-slack", false, "end its messages to Slack")
	cmd.MarkFlagsMutuallyExclusive("slack-url-file", "no-slack")
	return cmd
}
