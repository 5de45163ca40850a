package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/internal/fault"
)

// checkAppOf refuses an app that the workspace does not have; nil is none.
func (a *Accounts) checkAppOf(ctx context.Context, workspace uuid.UUID, app *uuid.UUID) error {
	if app == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	has, err := a.client.App.Query().Where(entapp.ID(*app), entapp.WorkspaceID(workspace)).Count(ctx)
	if err != nil {
		return fmt.Errorf("look for the app of a key: %w", err)
	}
	if has == 0 {
		return fault.Missing("app")
	}
	return nil
}

// limitToApp has a new key reach one app alone, unless that is nil, and adds it to the detail of the audit entry.
func limitToApp(ctx context.Context, tx *ent.Tx, key uuid.UUID, app *uuid.UUID, detail map[string]any) error {
	if app == nil {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `insert into api_key_app (key_id, app_id) values ($1, $2)`, key, *app); err != nil {
		return fmt.Errorf("limit the key to an app: %w", err)
	}
	detail["appId"] = app.String()
	return nil
}

// AppsOfKeys returns the one app that each of the keys reaches, of those that reach one alone.
func (a *Accounts) AppsOfKeys(ctx context.Context, keys []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	rows, err := a.pool.Query(ctx, `select key_id, app_id from api_key_app where key_id = any($1)`, keys)
	if err != nil {
		return nil, fmt.Errorf("read the apps of keys: %w", err)
	}
	defer rows.Close()
	apps := map[uuid.UUID]uuid.UUID{}
	for rows.Next() {
		var key, app uuid.UUID
		if err := rows.Scan(&key, &app); err != nil {
			return nil, fmt.Errorf("read the app of a key: %w", err)
		}
		apps[key] = app
	}
	return apps, rows.Err()
}
