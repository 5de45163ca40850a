package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
)

func newPeople(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{Use: "people", Short: "Look users up, and carry out what they ask about their data"},
		newPeopleList(t), newPerson(t), newPersonExport(t), newErase(t), newRetention(t),
	)
}

// newPeopleList makes the command that lists people whom the app identified.
func newPeopleList(t terminal) *cobra.Command {
	var scope scopeFlags
	var search, after string
	var first int
	cmd := clientCommand{
		use: "list", short: "List the users whom the app identified, newest first", arguments: []string{"appId"},
		long: "Prints a page of users: who they are, their devices and consents, and their activity in numbers. With\n" +
			"--search those whose custom user id, email address or app user id begins with a text.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		asked := map[string]any{"app": args[0], "environment": environment, "search": search, "first": first}
		if after != "" {
			asked["after"] = after
		}
		data, err := server.query(ctx, "people", asked, "app", "people")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	cmd.Flags().StringVar(&search, "search", "", "how a custom user id, an email address or an app user id begins")
	cmd.Flags().IntVar(&first, "first", 50, "users of a page, at most 200")
	cmd.Flags().StringVar(&after, "after", "", "endCursor of the page before")
	return cmd
}

// newPerson makes the command that prints who a person is.
func newPerson(t terminal) *cobra.Command {
	var person personFlags
	var page pageFlags
	cmd := clientCommand{
		use: "show", short: "Print who a user is and what happened to them", arguments: []string{"appId"},
		long: "Prints the profile, attributes, devices, consents and their log, the activity in numbers, and a\n" +
			"page of the time line, latest first: sessions, product events, runs of flows, purchases, automations and\n" +
			"webhooks.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked, err := person.input(args[0])
		if err != nil {
			return err
		}
		page.ask(asked)
		data, err := server.query(ctx, "person", asked, "app", "person")
		if err != nil {
			return err
		}
		if string(data) == "null" {
			return person.notFound(ctx, server, asked)
		}
		return out.print(t.out, data)
	})
	person.bind(cmd)
	page.bind(cmd, "entries of the time line")
	return cmd
}

// personFlags name a person of an environment.
type personFlags struct {
	scope        scopeFlags
	user, custom string
}

func (f *personFlags) bind(cmd *cobra.Command) {
	f.scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	cmd.Flags().StringVar(&f.user, "user", "", "the app user id of one of the user's devices")
	cmd.Flags().StringVar(&f.custom, "custom-user", "", "the custom user id that the app gave")
}

// input returns the input of a mutation about the person.
func (f *personFlags) input(app string) (map[string]any, error) {
	if (f.user == "") == (f.custom == "") {
		return nil, usageError("name the user by --user or by --custom-user")
	}
	environment, err := f.scope.chosen("env", environments)
	if err != nil {
		return nil, err
	}
	input := map[string]any{"appId": app, "environment": environment}
	if f.user != "" {
		input["appUserId"] = f.user
	} else {
		input["customUserId"] = f.custom
	}
	return input, nil
}

// notFound is the error of a person who is not there. An id that was given by the wrong one of the two flags is found
// by the other.
func (f *personFlags) notFound(ctx context.Context, server api, asked map[string]any) error {
	other, flag := "customUserId", "--custom-user"
	value := asked["appUserId"]
	delete(asked, "appUserId")
	if value == nil {
		other, flag = "appUserId", "--user"
		value = asked["customUserId"]
		delete(asked, "customUserId")
	}
	asked[other] = value
	message := "the environment has no user with that id"
	data, err := server.query(ctx, "person", asked, "app", "person")
	if err == nil && string(data) != "null" {
		message += "; did you mean " + flag + "?"
	}
	return &failure{exit: exitError, code: "not_found", message: message}
}

// newPersonExport makes the command that writes everything that is stored of a person.
func newPersonExport(t terminal) *cobra.Command {
	var person personFlags
	cmd := clientCommand{
		use: "export", short: "Write everything that is stored of a user, one JSON object a line",
		long: "Writes what is stored of a user of an environment, a record of a table a line: the profile, devices,\n" +
			"billing identities, checkout attempts, purchases, experiments, imported audiences, sessions, runs of flows\n" +
			"and events. With --user everything of all devices is written that have the same custom user id.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, _ printer) error {
		input, err := person.input(args[0])
		if err != nil {
			return err
		}
		lines := json.NewEncoder(t.out)
		lines.SetEscapeHTML(false)
		for {
			data, err := server.query(ctx, "exportPerson", map[string]any{"input": input}, "exportPerson")
			if err != nil {
				return err
			}
			var page struct {
				Records   []json.RawMessage
				EndCursor *string
			}
			if err := json.Unmarshal(data, &page); err != nil {
				return err
			}
			for _, record := range page.Records {
				if err := lines.Encode(record); err != nil {
					return err
				}
			}
			if page.EndCursor == nil {
				return nil
			}
			input["after"] = *page.EndCursor
		}
	})
	person.bind(cmd)
	return cmd
}

// newErase makes the command that erases a person.
func newErase(t terminal) *cobra.Command {
	var person personFlags
	cmd := clientCommand{
		use: "erase", short: "Erase everything that is stored of a user",
		long: "Erases a user of an environment: events, sessions, runs, the first touch, what the app identified,\n" +
			"billing identities, checkout attempts and places in imported audiences. Purchases stay in the books, without\n" +
			"the user. What the user's devices send is refused for as long as an event may be late. With --user all\n" +
			"devices go that have the same custom user id. An erasure that takes long goes on after the command ended:\n" +
			"finishedAt is null then.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input, err := person.input(args[0])
		if err != nil {
			return err
		}
		return server.change(ctx, t, "erasePerson", input, out)
	})
	person.bind(cmd)
	return cmd
}

// newRetention makes the command that says for how long an app keeps what people did.
func newRetention(t terminal) *cobra.Command {
	kinds := kindNames()
	var flags scopeFlags
	var days int
	cmd := clientCommand{
		use: "retention", short: "Set for how long an app keeps what users did", arguments: []string{"appId"},
		long: "Sets for how many days an app keeps events of a kind, and sessions (product) or runs (flow) with them, in\n" +
			"both environments; what is older is removed within the hour. Without --days as long as the server keeps it.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		kind, err := flags.chosen("kind", kinds)
		if err != nil {
			return err
		}
		input := map[string]any{"appId": args[0], "kind": kind}
		if flags.set.Changed("days") {
			input["days"] = days
		}
		return server.change(ctx, t, "setRetention", input, out)
	})
	flags.set = cmd.Flags()
	choice(cmd, "kind", "product", "kind of events", kinds)
	cmd.Flags().IntVar(&days, "days", 0, "1 to 3653")
	return cmd
}
