package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/revenue"
)

func newRevenue(t terminal) *cobra.Command {
	return newGroup(&cobra.Command{Use: "revenue", Short: "Manage revenue that billing providers report"},
		newRevenueSources(t), newRevenueTest(t), newRevenueUnmapped(t),
		newRevenueMap(t), newRevenueRates(t), newRevenueReplay(t))
}

// newRevenueSources makes the command that lists an app's sources of money.
func newRevenueSources(t terminal) *cobra.Command {
	return clientCommand{
		use: "sources", short: "List the connections of billing providers, with their last delivery and error",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "revenueSources", map[string]any{"app": args[0]}, "app", "revenueSources")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

// newRevenueTest makes the command that tries a source of money.
func newRevenueTest(t terminal) *cobra.Command {
	return clientCommand{
		use: "test", short: "Deliver a purchase in a sandbox to a connection, as its provider does",
		long: "Signs a purchase of one dollar with a connection's newest secret, lets the server receive it, and says\n" +
			"what became of it. It is revenue of the test environment. svc revenue sources lists connections.",
		arguments: []string{"sourceId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		data, err := server.query(ctx, "testRevenueSource", map[string]any{"id": args[0]}, "testRevenueSource")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

// newRevenueUnmapped makes the command that lists money without a person.
func newRevenueUnmapped(t terminal) *cobra.Command {
	var scope scopeFlags
	var limit int
	var after string
	cmd := clientCommand{
		use: "unmapped", short: "List unmatched revenue, newest first",
		long: "Lists what subscriptions and single charges come to that no user was found for, with the ids by which\n" +
			"one is looked for. What arrives later is mapped by itself; svc revenue map says it by hand.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		variables := map[string]any{"app": args[0], "environment": environment, "first": limit}
		if after != "" {
			variables["after"] = after
		}
		data, err := server.query(ctx, "unmappedRevenue", variables, "app", "unmappedRevenue")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	cmd.Flags().IntVar(&limit, "limit", 50, "rows, 1 to 200")
	cmd.Flags().StringVar(&after, "after", "", "after of the page before")
	return cmd
}

// newRevenueMap makes the command that says whose money something is.
func newRevenueMap(t terminal) *cobra.Command {
	var scope scopeFlags
	var user string
	cmd := clientCommand{
		use: "map", short: "Match a subscription or a one-time charge to a user",
		long: "Maps a subject of svc revenue unmapped to a device, before anything that identifies a user; without\n" +
			"--user what was said by hand is taken back. Reports follow within a second. A subject or a device that is not\n" +
			"there yet is kept for when it comes. The audit log has an entry.",
		arguments: []string{"appId", "subject"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		environment, err := scope.chosen("env", environments)
		if err != nil {
			return err
		}
		provider, err := scope.chosen("provider", revenueProviders)
		if err != nil {
			return err
		}
		if provider == "" {
			return usageError("--provider is needed: the provider that reports the revenue")
		}
		input := map[string]any{"appId": args[0], "environment": environment, "provider": provider, "subject": args[1]}
		if user != "" {
			input["appUserId"] = user
		}
		known, err := isUnmapped(ctx, server, input)
		if err != nil {
			return err
		}
		if err := server.change(ctx, t, "mapRevenue", input, out); err != nil {
			return err
		}
		if !known && user != "" {
			fmt.Fprintln(t.err, `{"note":"no unmatched revenue has this subject: the match is kept for when some comes"}`)
		}
		return nil
	})
	scope.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	choice(cmd, "provider", "", "provider", revenueProviders)
	cmd.Flags().StringVar(&user, "user", "", "the app user id of the payer's device")
	return cmd
}

// isUnmapped tells whether money of the subject of a MapRevenueInput has no user.
func isUnmapped(ctx context.Context, server api, of map[string]any) (bool, error) {
	asked := map[string]any{"app": of["appId"], "environment": of["environment"], "first": 200}
	for {
		var page struct {
			Nodes []struct{ Provider, Subject string }
			After *string
		}
		if err := server.read(ctx, "unmappedRevenue", asked, &page, "app", "unmappedRevenue"); err != nil {
			return false, err
		}
		for _, row := range page.Nodes {
			if row.Provider == of["provider"] && row.Subject == of["subject"] {
				return true, nil
			}
		}
		if page.After == nil || *page.After == "" {
			return false, nil
		}
		asked["after"] = *page.After
	}
}

// newRevenueRates makes the command that imports rates of currencies.
func newRevenueRates(t terminal) *cobra.Command {
	var flags serverFlags
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "Put rates of currencies into the table, and convert what they are for",
		Long: "Reads CSV with the header day,currency,usd: dollars for one unit of a currency on a day, such as\n" +
			"2026-01-31,EUR,1.0825. They convert what no provider gives in dollars, each amount by the rate of the day\n" +
			"of its charge or of the nearest earlier day within 7. The table is that of the whole database.",
		Args: exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return usageError("%s", err)
			}
			defer file.Close()
			rates, err := revenue.ReadRates(file)
			if err != nil {
				return usageError("%s", err)
			}
			settings, err := flags.settings(t, config.Defaults())
			if err != nil {
				return err
			}
			db, err := openDatabase(cmd.Context(), settings, newLogger(settings, os.Stderr), commandPatience)
			if err != nil {
				return err
			}
			defer db.Close()
			environments, err := revenue.New(db.Pool, revenue.Options{}).ImportRates(cmd.Context(), rates)
			if err != nil {
				return err
			}
			return json.NewEncoder(t.out).Encode(map[string]int{"rates": len(rates), "environments": environments})
		},
	}
	flags.bind(cmd, config.Defaults())
	return newGroup(&cobra.Command{Use: "rates", Short: "Look after the operator's rates of currencies"}, cmd)
}

// newRevenueReplay makes the command that folds deliveries anew.
func newRevenueReplay(t terminal) *cobra.Command {
	var flags targetFlags
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Book all deliveries of providers anew, by the rules of this version",
		Long: "Folds every delivery of an environment into the ledger and the periods of subscriptions again, in one\n" +
			"transaction. By the same rules the result is the same, to the byte; a fixed rule fixes history, and reports\n" +
			"follow. What was recorded or mapped by hand stays. The server may run.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			done, err := revenue.New(on.db.Pool, revenue.Options{}).Replay(cmd.Context(), on.environmentID)
			if err != nil {
				return fmt.Errorf("replay: %w", err)
			}
			return json.NewEncoder(t.out).Encode(done)
		},
	}
	flags.bind(cmd)
	return cmd
}
