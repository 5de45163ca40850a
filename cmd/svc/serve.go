package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/postgres"
)

func newServe(t terminal) *cobra.Command {
	var flags serverFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server on the database of SVC_DATABASE_URL",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := flags.settings(t, config.Defaults())
			if err != nil {
				return err
			}
			logger := newLogger(settings, os.Stderr)
			p, err := start(cmd.Context(), settings, logger, nil)
			switch {
			case err != nil && cmd.Context().Err() != nil:
				logger.Info("stopped before it served", "reason", err)
				return nil
			case err != nil:
				return err
			}
			logger.Info(
				"serving", "url", p.settings.BaseURL, "addr", p.public.Addr(), "admin", p.adminAddr(), "version", buildVersion(),
				"roles", p.service.roles,
			)
			return p.runUntilSignal(cmd.Context())
		},
	}
	flags.bind(cmd, config.Defaults())
	return cmd
}

func newMigrate(t terminal) *cobra.Command {
	var flags serverFlags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database of SVC_DATABASE_URL to this version's tables",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := flags.settings(t, config.Defaults())
			if err != nil {
				return err
			}
			logger := newLogger(settings, os.Stderr)
			db, err := openDatabase(cmd.Context(), settings, logger, commandPatience)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := postgres.Migrate(cmd.Context(), db, migration(settings, logger)); err != nil {
				return err
			}
			capabilities, err := db.Capabilities(cmd.Context())
			if err != nil {
				return err
			}
			logger.Info("migrated", "database", capabilities.String())
			return nil
		},
	}
	flags.bind(cmd, config.Defaults())
	return cmd
}
