package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

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
