package main

import (
	"encoding/json"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/backup"
)

// backupFlags are the flags of both directions.
type backupFlags struct {
	server   serverFlags
	programs string
	jobs     int
}

func (f *backupFlags) bind(cmd *cobra.Command) {
	f.server.bind(cmd, config.Defaults())
	cmd.Flags().StringVar(&f.programs, "programs", "",
		"directory of pg_dump and pg_restore (default those of PATH or of an installed PostgreSQL)")
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.NumCPU(), "connections that carry rows at once")
}

// database reads the settings, and names the database of SVC_DATABASE_URL.
func (f *backupFlags) database(t terminal) (config.Settings, backup.Database, error) {
	settings, err := f.server.settings(t, config.Defaults())
	if err == nil && settings.DatabaseURL == "" {
		err = errNoDatabase
	}
	if err == nil && f.jobs < 1 {
		err = usageError("--jobs must be at least 1, not %d", f.jobs)
	}
	return settings, backup.Database{URL: settings.DatabaseURL, Programs: f.programs, Jobs: f.jobs}, err
}

// printBackup prints what a backup holds.
func printBackup(t terminal, dir string, d *backup.Description) error {
	return json.NewEncoder(t.out).Encode(map[string]any{
		"backup": dir, "takenAt": d.TakenAt.Format(time.RFC3339), "migration": d.Migration,
		"tables": len(d.Tables), "rows": d.Rows(), "files": len(d.Files), "bytes": d.Bytes(),
	})
}

func newBackup(t terminal) *cobra.Command {
	var flags backupFlags
	cmd := &cobra.Command{
		Use:   "backup DIRECTORY",
		Short: "Copy the database of SVC_DATABASE_URL and uploaded files into a directory",
		Long: "Copies the whole database and the uploaded files of media_dir into a new directory, by pg_dump, while\n" +
			"servers go on: it holds the state of one moment. backup.json says of every table how many rows it had and a\n" +
			"hash of them, and of every file its SHA-256; svc restore compares.",
		Args: oneDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, database, err := flags.database(t)
			if err != nil {
				return err
			}
			from := backup.Source{Database: database, Media: settings.MediaDir, Service: buildVersion()}
			d, err := backup.Create(cmd.Context(), from, args[0])
			if err != nil {
				return err
			}
			return printBackup(t, args[0], d)
		},
	}
	flags.bind(cmd)
	return cmd
}

func newRestore(t terminal) *cobra.Command {
	var flags backupFlags
	var check bool
	cmd := &cobra.Command{
		Use:   "restore DIRECTORY",
		Short: "Bring a backup into the empty database of SVC_DATABASE_URL",
		Long: "Reads every file of a backup that svc backup made, brings it into a database without tables, by\n" +
			"pg_restore, and uploaded files into media_dir; then reads every row, and fails when a table is not what was\n" +
			"backed up. Roles of svc sql are not part of a backup. With --check it reads the files of a backup and needs no\n" +
			"database.",
		Args: oneDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			if check {
				d, err := backup.Check(args[0])
				if err != nil {
					return err
				}
				return printBackup(t, args[0], d)
			}
			settings, database, err := flags.database(t)
			if err != nil {
				return err
			}
			to := backup.Target{Database: database, Media: settings.MediaDir, Migration: postgres.NewestMigration()}
			d, err := backup.Restore(cmd.Context(), args[0], to)
			if err != nil {
				return err
			}
			return printBackup(t, args[0], d)
		},
	}
	flags.bind(cmd)
	cmd.Flags().BoolVar(&check, "check", false, "only prove that the files are those that were written")
	return cmd
}

func oneDirectory(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("%s takes the directory of a backup", cmd.CommandPath())
	}
	return nil
}
