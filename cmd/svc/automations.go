package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/manifest"
)

func newAutomations(t terminal) *cobra.Command {
	changes := func(use, short, mutation string) *cobra.Command {
		var dryRun bool
		cmd := clientCommand{use: use, short: short, arguments: []string{"automationId"}}.command(
			t, func(ctx context.Context, server api, args []string, out printer) error {
				return server.change(ctx, t, mutation, map[string]any{"id": args[0], "dryRun": dryRun}, out)
			},
		)
		dryRunFlag(cmd, &dryRun)
		return cmd
	}
	return newGroup(
		&cobra.Command{
			Use: "automations", Short: "Send webhooks when something happens to users",
			Long: "An automation starts when a user does something, waits, branches and sends webhooks. Its definition is\n" +
				"a JSON file: create and push make it the draft, publish makes a version of the draft, activate lets it work.",
		},
		newAutomationList(t), newAutomationCreate(t), newAutomationPull(t), newAutomationValidate(t), newAutomationPush(t),
		changes("publish", "Make the next version of an automation from its draft", "publishAutomation"),
		changes("activate", "Let a published or paused automation work", "activateAutomation"),
		changes("pause", "Pause: no user enters or continues until it is activated again", "pauseAutomation"),
		changes("archive", "End an automation and all its entries for good", "archiveAutomation"),
		newAutomationEnrol(t), newAutomationFigures(t), newAutomationExplain(t), newAutomationDryRun(t),
		newAutomationLimits(t), newEndpoints(t), newSuppressions(t),
	)
}

// environmentCommand makes a command about an environment of an app.
func environmentCommand(
	t terminal, c clientCommand, ask func(ctx context.Context, server api, args []string, env string, out printer) error,
) *cobra.Command {
	var scope scopeFlags
	cmd := c.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		return ask(ctx, server, args, environment, out)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	return cmd
}

// printQuery prints the part of an answer that a path leads to.
func (a api) printQuery(
	ctx context.Context, t terminal, out printer, operation string, asked map[string]any, path ...string,
) error {
	data, err := a.query(ctx, operation, asked, path...)
	if err != nil {
		return err
	}
	return out.print(t.out, data)
}

func newAutomationList(t terminal) *cobra.Command {
	var archived bool
	list := pagedList{operation: "automations", path: []string{"app", "automations"}}
	cmd := environmentCommand(t, clientCommand{
		use: "list", short: "List the automations of an app, and what keeps their segments from being evaluated",
		arguments: []string{"appId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		asked := map[string]any{"app": args[0], "environment": env, "archived": archived}
		return server.printAll(ctx, t.out, list, asked, out)
	})
	cmd.Flags().BoolVar(&archived, "archived", false, "list archived ones too")
	return cmd
}

func newAutomationCreate(t terminal) *cobra.Command {
	var dryRun bool
	cmd := environmentCommand(t, clientCommand{
		use: "create", short: "Make an automation of a file; - is the input",
		arguments: []string{"appId", "name", "file"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		definition, err := readDefinition(t, args[2])
		if err != nil {
			return err
		}
		return server.change(ctx, t, "createAutomation", map[string]any{
			"appId": args[0], "environment": env, "name": args[1], "definition": definition, "dryRun": dryRun,
		}, out)
	})
	dryRunFlag(cmd, &dryRun)
	return cmd
}

// readDefinition reads a file that holds a JSON document.
func readDefinition(t terminal, name string) (json.RawMessage, error) {
	raw, err := readFlowFile(t, name)
	if err == nil && !json.Valid(raw) {
		err = usageError("%s is not a JSON document", name)
	}
	return raw, err
}

func newAutomationPull(t terminal) *cobra.Command {
	return clientCommand{
		use: "pull", short: "Print the draft of an automation as a file to edit", arguments: []string{"automationId"},
		outputs: []string{"json"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "automationDraft", map[string]any{"id": args[0]}, "automation", "draft")
		if err != nil || out.jq != "" {
			if err == nil {
				err = out.print(t.out, data)
			}
			return err
		}
		var text bytes.Buffer
		if err := json.Indent(&text, data, "", "  "); err != nil {
			return err
		}
		_, err = t.out.Write(append(text.Bytes(), '\n'))
		return err
	})
}

func newAutomationValidate(t terminal) *cobra.Command {
	var out printer
	cmd := &cobra.Command{
		Use: "validate <file>", Short: "Say what is wrong with a definition; needs no server",
		Long: "Checks everything but whether the endpoints exist. Exit code 1 means that the file has problems. - is the\n" +
			"input.",
		Args: exactly("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(rowOutputs, out.format) {
				return usageError("--output must be %s, not %q", strings.Join(rowOutputs, ", "), out.format)
			}
			definition, err := readDefinition(t, args[0])
			if err != nil {
				return err
			}
			_, problems := automation.Parse(definition)
			data, err := json.Marshal(append([]manifest.Problem{}, problems...))
			if err != nil {
				return err
			}
			if err := out.print(t.out, data); err != nil || len(problems) == 0 {
				return err
			}
			return &failure{exit: exitError, code: "invalid_definition", message: "problems in " + args[0]}
		},
	}
	bindOutput(cmd, &out, rowOutputs)
	return cmd
}

func newAutomationPush(t terminal) *cobra.Command {
	var dryRun bool
	cmd := clientCommand{
		use: "push", short: "Make a file the draft of an automation; - is the input",
		long:      "problems are what keeps the draft from being published.",
		arguments: []string{"automationId", "file"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		definition, err := readDefinition(t, args[1])
		if err != nil {
			return err
		}
		input := map[string]any{"id": args[0], "definition": definition, "dryRun": dryRun}
		return server.change(ctx, t, "saveAutomation", input, out)
	})
	dryRunFlag(cmd, &dryRun)
	return cmd
}

func newAutomationEnrol(t terminal) *cobra.Command {
	var people []string
	var dryRun bool
	cmd := clientCommand{
		use: "enrol", short: "Add users manually, whatever the trigger is", arguments: []string{"automationId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if len(people) == 0 {
			return usageError("name users by --user")
		}
		input := map[string]any{"automationId": args[0], "appUserIds": people, "dryRun": dryRun}
		return server.change(ctx, t, "enrolPeople", input, out)
	})
	cmd.Flags().StringArrayVar(&people, "user", nil, "app user id; may be given up to 1000 times")
	dryRunFlag(cmd, &dryRun)
	return cmd
}

func newAutomationFigures(t terminal) *cobra.Command {
	return clientCommand{
		use: "figures", short: "Count what happened to the users who entered", arguments: []string{"automationId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.printQuery(ctx, t, out, "automationFigures", map[string]any{"id": args[0]}, "automation")
	})
}

func newAutomationExplain(t terminal) *cobra.Command {
	var person string
	cmd := clientCommand{
		use: "explain", short: "Say what an automation did for a user, and why not more",
		arguments: []string{"automationId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"id": args[0], "person": person}
		return server.printQuery(ctx, t, out, "automationExplanation", asked, "automation", "explanation")
	})
	cmd.Flags().StringVar(&person, "user", "", "app user id of the user")
	_ = cmd.MarkFlagRequired("user") // the flag exists
	return cmd
}

func newAutomationDryRun(t terminal) *cobra.Command {
	var days int
	cmd := clientCommand{
		use: "dry-run", short: "Say what the draft would have done with the events of the last days",
		long:      "Plays the stored events of the last days and sends nothing. Users are taken as they are known now.",
		arguments: []string{"automationId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"id": args[0], "days": days}
		return server.printQuery(ctx, t, out, "automationTestRun", asked, "automation", "testRun")
	})
	cmd.Flags().IntVar(&days, "days", 7, "how many days, 1 to 30")
	return cmd
}

func newAutomationLimits(t terminal) *cobra.Command {
	var limit, days int
	var from, until, zone string
	var dryRun bool
	var cmd *cobra.Command
	cmd = environmentCommand(t, clientCommand{
		use: "limits", short: "Show or set the frequency cap and the quiet hours of all automations",
		long:      "Shows the limits; with a flag it sets all of them, those without a flag to none.",
		arguments: []string{"appId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		changed := false
		input := map[string]any{
			"appId": args[0], "environment": env, "cap": limit, "capDays": days, "timeZone": zone, "dryRun": dryRun,
		}
		for _, name := range []string{"cap", "cap-days", "quiet-from", "quiet-until", "time-zone"} {
			changed = changed || cmd.Flags().Changed(name)
		}
		if !changed {
			asked := map[string]any{"app": args[0], "environment": env}
			return server.printQuery(ctx, t, out, "automationLimits", asked, "app", "automationLimits")
		}
		for name, value := range map[string]string{"quietFrom": from, "quietUntil": until} {
			if value != "" {
				input[name] = value
			}
		}
		return server.change(ctx, t, "setAutomationLimits", input, out)
	})
	cmd.Flags().IntVar(&limit, "cap", 0, "messages a user gets in --cap-days; 0 is no cap")
	cmd.Flags().IntVar(&days, "cap-days", 1, "days that the cap counts, 1 to 90")
	cmd.Flags().StringVar(&from, "quiet-from", "", "time of the user's day from which nothing is sent, such as 22:00")
	cmd.Flags().StringVar(&until, "quiet-until", "", "time of the user's day until which nothing is sent")
	cmd.Flags().StringVar(&zone, "time-zone", "UTC", "zone of users whose own is not known")
	dryRunFlag(cmd, &dryRun)
	return cmd
}

func newEndpoints(t terminal) *cobra.Command {
	changes := func(use, short, mutation string, more map[string]any) *cobra.Command {
		var dryRun bool
		cmd := clientCommand{use: use, short: short, arguments: []string{"endpointId"}}.command(
			t, func(ctx context.Context, server api, args []string, out printer) error {
				input := map[string]any{"id": args[0], "dryRun": dryRun}
				maps.Copy(input, more)
				return server.change(ctx, t, mutation, input, out)
			},
		)
		dryRunFlag(cmd, &dryRun)
		return cmd
	}
	return newGroup(
		&cobra.Command{Use: "endpoints", Short: "See and change where webhooks go"},
		environmentCommand(t, clientCommand{
			use: "list", short: "List the endpoints of an app", arguments: []string{"appId"},
		}, func(ctx context.Context, server api, args []string, env string, out printer) error {
			asked := map[string]any{"app": args[0], "environment": env}
			return server.printQuery(ctx, t, out, "webhookEndpoints", asked, "app", "webhookEndpoints")
		}),
		newEndpointCreate(t),
		changes("enable", "Send to an endpoint again", "updateWebhookEndpoint", map[string]any{"enabled": true}),
		changes(
			"disable", "Send nothing more, and give up what waits", "updateWebhookEndpoint", map[string]any{"enabled": false},
		),
		changes("notify", "Send the workspace's notifications to an endpoint, too", "updateWebhookEndpoint",
			map[string]any{"notifications": true}),
		changes("mute", "Send no notifications to an endpoint any more", "updateWebhookEndpoint",
			map[string]any{"notifications": false}),
		changes("rotate", "Make a new secret; both sign until retire", "rotateWebhookSecret", nil),
		changes("retire", "Let only the newest secret sign", "retireWebhookSecret", nil),
		newDeliveries(t), newReplay(t),
	)
}

func newEndpointCreate(t terminal) *cobra.Command {
	var dryRun bool
	cmd := environmentCommand(t, clientCommand{
		use: "create", short: "Make an endpoint; its secret is shown once", arguments: []string{"appId", "name", "url"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		return server.change(ctx, t, "createWebhookEndpoint", map[string]any{
			"appId": args[0], "environment": env, "name": args[1], "url": args[2], "dryRun": dryRun,
		}, out)
	})
	dryRunFlag(cmd, &dryRun)
	return cmd
}

// deliveryStates are the values of --state.
var deliveryStates = []string{"pending", "delivered", "failed"}

func newDeliveries(t terminal) *cobra.Command {
	var scope scopeFlags
	var first int
	var before string
	cmd := clientCommand{
		use: "deliveries", short: "List what was sent to an endpoint, newest first, with its attempts",
		arguments: []string{"endpointId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := map[string]any{"endpoint": args[0], "first": first}
		if before != "" {
			asked["before"] = before
		}
		state, err := scope.chosen("state", deliveryStates)
		if err != nil {
			return err
		}
		if state != "" {
			asked["state"] = state
		}
		return server.printQuery(ctx, t, out, "webhookDeliveries", asked, "webhookEndpoint", "deliveries")
	})
	cmd.Flags().IntVar(&first, "first", 50, "how many, 1 to 100")
	cmd.Flags().StringVar(&before, "before", "", "id of the last one of the page before")
	choice(cmd, "state", "", "only those that are", deliveryStates)
	scope.set = cmd.Flags()
	return cmd
}

func newReplay(t terminal) *cobra.Command {
	var scope scopeFlags
	var delivery, from, to string
	var dryRun bool
	cmd := clientCommand{
		use: "replay", short: "Send a delivery again, or those of a range, with the ids they had",
		arguments: []string{"endpointId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"endpointId": args[0], "dryRun": dryRun}
		for name, value := range map[string]string{"deliveryId": delivery, "from": from, "to": to} {
			if value != "" {
				input[name] = value
			}
		}
		state, err := scope.chosen("state", deliveryStates)
		if err != nil {
			return err
		}
		if state != "" {
			input["state"] = state
		}
		return server.change(ctx, t, "replayWebhooks", input, out)
	})
	cmd.Flags().StringVar(&delivery, "delivery", "", "id of one delivery")
	cmd.Flags().StringVar(&from, "from", "", "those made at this time or later, such as 2026-11-22T00:00:00Z")
	cmd.Flags().StringVar(&to, "to", "", "those made before this time")
	dryRunFlag(cmd, &dryRun)
	choice(cmd, "state", "", "only those that are", deliveryStates)
	scope.set = cmd.Flags()
	return cmd
}
