package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

func newSeed(t terminal) *cobra.Command {
	group := &cobra.Command{Use: "seed", Short: "Fill the database of SVC_DATABASE_URL"}
	var flags serverFlags
	var days int
	var seed uint64
	var until, email string
	cmd := &cobra.Command{
		Use: "demo",
		Short: "Make the demo app with flows, channels and a history; equal flags make equal users, product events and " +
			"purchases",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 1 || days > 400 {
				return usageError("--days must be 1 to 400, not %d", days)
			}
			end := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
			if until != "" {
				var err error
				if end, err = time.Parse(time.DateOnly, until); err != nil {
					return usageError("--until must be a date such as 2026-01-31, not %q", until)
				}
			}
			settings, err := flags.settings(t, config.Defaults())
			if err != nil {
				return err
			}
			history := demo.History{Days: days, Seed: seed, Until: end.Add(24*time.Hour - time.Millisecond)}
			return seedDemo(cmd.Context(), settings, firstOf(email, settings.AdminEmail, demoAdminEmail), history)
		},
	}
	flags.bind(cmd, config.Defaults())
	cmd.Flags().IntVar(&days, "days", 30, "days of history")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "what the users are made from")
	cmd.Flags().StringVar(&until, "until", "", "last day of the history, a UTC date (default yesterday)")
	cmd.Flags().StringVar(
		&email, "email", "", "the user whose first workspace gets the app (default: admin_email, else "+demoAdminEmail+")",
	)
	return newGroup(group, cmd)
}

// seedDemo makes the demo app in the first workspace of the user.
func seedDemo(ctx context.Context, settings config.Settings, email string, history demo.History) error {
	logger := newLogger(settings, os.Stderr)
	db, err := openDatabase(ctx, settings, logger, commandPatience)
	if err != nil {
		return err
	}
	defer db.Close()
	settings.Roles = config.Defaults().Roles // it does something of each itself
	if err := postgres.Migrate(ctx, db, migration(settings, logger)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	s, err := startService(ctx, settings, db, nil, prometheus.NewRegistry(), logger)
	if err != nil {
		return err
	}
	defer func() {
		if err := s.close(ctx); err != nil {
			logger.Error("close", "error", err)
		}
	}()
	who, err := s.accounts.PrincipalOf(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return &failure{
			exit: exitError, code: "no_such_user",
			message: fmt.Sprintf(
				"there is no user %s: name one with --email, or make the first with SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD_FILE",
				email,
			),
		}
	}
	if err != nil {
		return fmt.Errorf("user %s: %w", email, err)
	}
	workspaces := who.Workspaces()
	if len(workspaces) == 0 {
		return fmt.Errorf("user %s has no workspace", email)
	}
	ctx = account.With(ctx, who)
	app, err := s.demo().CreateApp(ctx, workspaces[0])
	if err != nil {
		return err
	}
	return s.demo().Fill(ctx, app, history)
}
