package postgres

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// RiverSchema is the schema of River's tables, which River migrates itself.
const RiverSchema = "river"

// migrateRiver brings River's tables to the version of the library.
func (db *DB) migrateRiver(ctx context.Context, logger *slog.Logger) error {
	if _, err := db.Pool.Exec(ctx, "create schema if not exists "+RiverSchema); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(db.Pool), &rivermigrate.Config{
		Schema: RiverSchema, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return err
	}
	for _, version := range result.Versions {
		logger.Info("migrated the tables of jobs", "version", version.Version)
	}
	return nil
}
