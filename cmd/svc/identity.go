package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// proofModes are what an app does with custom user ids without proof.
var proofModes = []string{"off", "watch", "required"}

func newIdentity(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "identity", Short: "See and change how an app has custom user IDs proved"},
		environmentCommand(t, clientCommand{
			use: "show", short: "Show the mode, the secrets in use and how many IDs were proved", arguments: []string{"appId"},
		}, func(ctx context.Context, server api, args []string, env string, out printer) error {
			asked := map[string]any{"app": args[0], "environment": env}
			return server.printQuery(ctx, t, out, "identityProof", asked, "app", "environment", "identityProof")
		}),
		newIdentityChange(t, clientCommand{
			use: "mode", short: "Set what becomes of custom user IDs without proof: " + strings.Join(proofModes, ", "),
			long: "off takes every custom user ID, watch takes and counts them, required treats those without proof as\n" +
				"absent. watch and required need a secret first.",
			arguments: []string{"appId", "mode"},
		}, "setIdentityProof", func(args []string, input map[string]any) error {
			input["mode"] = strings.ToUpper(args[1])
			for _, mode := range proofModes {
				if mode == args[1] {
					return nil
				}
			}
			return usageError("the mode is %s, not %q", strings.Join(proofModes, ", "), args[1])
		}),
		newIdentityChange(t, clientCommand{
			use: "rotate", short: "Make a new secret, shown once; the one before proves too until retire",
			arguments: []string{"appId"},
		}, "rotateIdentitySecret", nil),
		newIdentityChange(t, clientCommand{
			use: "retire", short: "Let only the newest secret prove", arguments: []string{"appId"},
		}, "retireIdentitySecret", nil),
	)
}

// newIdentityChange makes the command of a mutation of one environment. More reads further arguments.
func newIdentityChange(
	t terminal, c clientCommand, mutation string, more func(args []string, input map[string]any) error,
) *cobra.Command {
	var dryRun bool
	cmd := environmentCommand(t, c,
		func(ctx context.Context, server api, args []string, env string, out printer) error {
			input := map[string]any{"appId": args[0], "environment": env, "dryRun": dryRun}
			if more != nil {
				if err := more(args, input); err != nil {
					return err
				}
			}
			return server.change(ctx, t, mutation, input, out)
		})
	dryRunFlag(cmd, &dryRun)
	return cmd
}
