package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
)

func newSegments(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "segments", Short: "Choose users by what is known of them",
			Long: "A segment is a set of users of an app: those whom its rules choose, and those whose ids were imported.\n" +
				"Rules are a JSON file in the shape of GraphQL's SegmentRulesInput; - reads them from the standard input.",
		},
		newSegmentList(t), newSegmentCreate(t), newSegmentUpdate(t), newSegmentDelete(t), newSegmentCount(t),
		newSegmentMembers(t),
	)
}

// pageFlags name a page of a list.
type pageFlags struct {
	first int
	after string
}

func (f *pageFlags) bind(cmd *cobra.Command, what string) {
	cmd.Flags().IntVar(&f.first, "first", 50, what+" of a page, at most 200")
	cmd.Flags().StringVar(&f.after, "after", "", "endCursor of the page before")
}

// ask adds the page to what is asked.
func (f *pageFlags) ask(asked map[string]any) map[string]any {
	asked["first"] = f.first
	if f.after != "" {
		asked["after"] = f.after
	}
	return asked
}

func newSegmentList(t terminal) *cobra.Command {
	var page pageFlags
	cmd := clientCommand{
		use: "list", short: "List the segments of an app by name", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		asked := page.ask(map[string]any{"app": args[0]})
		return server.printQuery(ctx, t, out, "segments", asked, "app", "segments")
	})
	page.bind(cmd, "segments")
	return cmd
}

// readObjectFile reads a JSON object from a file.
func readObjectFile(t terminal, name string) (any, error) {
	text, err := readFlowFile(t, name)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil || object == nil || decoder.More() {
		return nil, usageError("%s is not a JSON object", name)
	}
	return object, nil
}

func newSegmentCreate(t terminal) *cobra.Command {
	var rules string
	var days int
	cmd := clientCommand{
		use: "create", short: "Make a segment", arguments: []string{"appId", "name"},
		long: "Makes a segment of the users whom rules choose; without --rules, of those whose ids will be imported.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"appId": args[0], "name": args[1], "windowDays": days}
		if rules != "" {
			read, err := readObjectFile(t, rules)
			if err != nil {
				return err
			}
			input["rules"] = read
		}
		return server.change(ctx, t, "createSegment", input, out)
	})
	cmd.Flags().StringVar(&rules, "rules", "", "file of the rules")
	cmd.Flags().IntVar(&days, "days", 90, "days that rules look back where they say nothing else, 1 to 1827")
	return cmd
}

func newSegmentUpdate(t terminal) *cobra.Command {
	var name, rules string
	var days int
	var flags *cobra.Command
	flags = clientCommand{
		use: "update", short: "Change the name, the rules or the days of a segment", arguments: []string{"segmentId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0]}
		if flags.Flags().Changed("name") {
			input["name"] = name
		}
		if flags.Flags().Changed("days") {
			input["windowDays"] = days
		}
		if rules != "" {
			read, err := readObjectFile(t, rules)
			if err != nil {
				return err
			}
			input["rules"] = read
		}
		return server.change(ctx, t, "updateSegment", input, out)
	})
	flags.Flags().StringVar(&name, "name", "", "new name")
	flags.Flags().StringVar(&rules, "rules", "", "file of the new rules")
	flags.Flags().IntVar(&days, "days", 0, "days that rules look back where they say nothing else, 1 to 1827")
	return flags
}

func newSegmentDelete(t terminal) *cobra.Command {
	return clientCommand{
		use: "delete", short: "Delete a segment with its imported ids", arguments: []string{"segmentId"},
		long: "Deletes a segment. Reports that name it are refused from then on.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "deleteSegment", map[string]any{"id": args[0]}, out)
	})
}

func newSegmentCount(t terminal) *cobra.Command {
	var days int
	cmd := environmentCommand(t, clientCommand{
		use: "count", short: "Count the users whom rules would choose now", arguments: []string{"appId", "file"},
		long: "Counts the users whom the rules of a file would choose now, and stores nothing.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		rules, err := readObjectFile(t, args[1])
		if err != nil {
			return err
		}
		asked := map[string]any{"app": args[0], "environment": env, "rules": rules, "windowDays": days}
		return server.printQuery(ctx, t, out, "segmentEstimate", asked, "app", "segmentEstimate")
	})
	cmd.Flags().IntVar(&days, "days", 90, "days that rules look back where they say nothing else, 1 to 1827")
	return cmd
}

func newSegmentMembers(t terminal) *cobra.Command {
	var page pageFlags
	cmd := environmentCommand(t, clientCommand{
		use: "members", short: "List the app user ids of the users of a segment", arguments: []string{"segmentId"},
		long: "Prints a page of the users who belong to a segment now, or did a minute ago. Needs a key with\n" +
			"customers:read.",
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		asked := page.ask(map[string]any{"segment": args[0], "environment": env})
		return server.printQuery(ctx, t, out, "segmentMembers", asked, "segment", "members")
	})
	page.bind(cmd, "people")
	return cmd
}
