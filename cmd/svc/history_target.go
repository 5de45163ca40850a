package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/postgres"
)

// targetFlags are the flags of operator verbs that work on one environment of
// the database of SVC_DATABASE_URL.
type targetFlags struct {
	server serverFlags
	app    string
	env    string
}

func (f *targetFlags) bind(cmd *cobra.Command) {
	f.server.bind(cmd, config.Defaults())
	cmd.Flags().StringVar(&f.app, "app", "", "id of the app")
	cmd.Flags().StringVar(&f.env, "env", string(environment.KindLive), "environment, live or test")
}

// target is an opened and migrated database and the environment on it.
type target struct {
	settings      config.Settings
	db            *postgres.DB
	appID         uuid.UUID
	environmentID int64
}

// open reads the flags and opens the database; the caller closes it.
func (f *targetFlags) open(ctx context.Context, t terminal) (*target, error) {
	app, err := uuid.Parse(f.app)
	if err != nil {
		return nil, usageError("--app must be the id of an app, not %q", f.app)
	}
	kind := environment.Kind(f.env)
	if environment.KindValidator(kind) != nil {
		return nil, usageError("--env must be live or test, not %q", f.env)
	}
	settings, err := f.server.settings(t, config.Defaults())
	if err != nil {
		return nil, err
	}
	logger := newLogger(settings, os.Stderr)
	db, err := openDatabase(ctx, settings, logger, commandPatience)
	if err != nil {
		return nil, err
	}
	id, err := db.Ent().Environment.Query().Where(environment.AppID(app), environment.KindEQ(kind)).OnlyID(ctx)
	switch {
	case ent.IsNotFound(err):
		err = &failure{exit: exitUsage, code: "not_found", message: fmt.Sprintf("--app: no app %s in this database", app)}
	case err != nil:
		err = fmt.Errorf("read the app's environment: %w", err)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return &target{settings, db, app, id}, nil
}

// parseMoment reads a flag's date, at 00:00 UTC, or RFC 3339 instant. Empty is
// the zero time.
func parseMoment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339Nano} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usageError("--%s must be a date such as 2026-01-31 or an RFC 3339 instant, not %q", flag, text)
}

// watched tells whether a person watches the error output.
func (t terminal) watched() bool {
	file, ok := t.err.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// colored tells whether the output may be colored (no-color.org).
func (t terminal) colored() bool {
	file, ok := t.out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && t.env("NO_COLOR") == ""
}
