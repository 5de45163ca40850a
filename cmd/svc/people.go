package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newPeople(t terminal) *cobra.Command {
	return newGroup(&cobra.Command{Use: "people", Short: "Carry out what people ask about their data"}, newErase(t))
}

// newErase makes the command that erases a person.
func newErase(t terminal) *cobra.Command {
	var scope scopeFlags
	var user, custom string
	cmd := clientCommand{
		use: "erase", short: "Erase everything that is stored of a person",
		long: "Erases a person of an environment: events, sessions, runs, the first touch, what the app identified,\n" +
			"billing identities, checkout attempts and places in imported audiences. Purchases stay in the books, without\n" +
			"the person. What the person's devices send is refused for as long as an event may be late. With --user all\n" +
			"devices go that have the same custom user id. An erasure that takes long goes on after the command ended:\n" +
			"finishedAt is null then.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if (user == "") == (custom == "") {
			return usageError("name the person by --user or by --custom-user")
		}
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "environment": environment}
		if user != "" {
			input["appUserId"] = user
		} else {
			input["customUserId"] = custom
		}
		return server.change(ctx, t, "erasePerson", input, out)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	cmd.Flags().StringVar(&user, "user", "", "the app user id of one of the person's devices")
	cmd.Flags().StringVar(&custom, "custom-user", "", "the custom user id that the app gave")
	return cmd
}
