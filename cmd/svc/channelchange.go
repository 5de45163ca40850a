package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newChannelCreate(t terminal) *cobra.Command {
	var scope scopeFlags
	cmd := clientCommand{
		use: "create", short: "Make a channel, which serves nothing yet", arguments: []string{"appId", "name"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "name": args[1], "environment": environment}
		return server.change(ctx, t, "createChannel", input, out)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	return cmd
}

// newChannelChange makes a command that does one thing to a channel.
func newChannelChange(t terminal, use, short, mutation string) *cobra.Command {
	return clientCommand{
		use: use, short: short, arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, mutation, map[string]any{"id": args[0]}, out)
	})
}

func newChannelArchive(t terminal) *cobra.Command {
	var name string
	cmd := clientCommand{
		use: "archive", short: "Take a channel out of service: apps that ask for it are told that it is gone",
		arguments: []string{"channelId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "archiveChannel", map[string]any{"id": args[0], "confirmName": name}, out)
	})
	cmd.Flags().StringVar(&name, "confirm-name", "", "the channel's name, so that no other one is meant")
	_ = cmd.MarkFlagRequired("confirm-name") // the flag exists
	return cmd
}
