package postgres

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"
)

//go:embed event_views.sql
var eventViewsSQL string

// eventViews are the readable forms of the event tables.
var eventViews = []string{"product_events", "flow_events", "track_events"}

// laterColumn is a column that event tables made by older versions lack. All are nullable, so that adding them
// rewrites nothing, compressed chunks included.
type laterColumn struct{ name, definition string }

var laterColumns = map[string][]laterColumn{
	"product_event": {
		{"session_uuid", "uuid"}, {"place_id", "int"}, {"device_id", "int"}, {"attribution_id", "int"},
		{"attribution", "jsonb"}, {"custom_properties", "jsonb"}, {"density", "int"},
	},
	"flow_event": {
		{"session_uuid", "uuid"}, {"place_id", "int"}, {"device_id", "int"}, {"run_id", "uuid"}, {"seq", "int"},
		{"from_step_id", "text"}, {"attribution", "jsonb"},
	},
	"track_event": {
		{"session_uuid", "uuid"}, {"place_id", "int"}, {"device_id", "int"}, {"attribution", "jsonb"},
		{"custom_properties", "jsonb"},
	},
}

// addLaterColumns brings a table of an older version up to date.
func addLaterColumns(ctx context.Context, tx pgx.Tx, table string) error {
	for _, column := range laterColumns[table] {
		var exists bool
		err := tx.QueryRow(ctx, `
			select exists (select from pg_attribute where attrelid = $1::text::regclass and attname = $2 and not attisdropped)`,
			table, column.name).Scan(&exists)
		if err != nil {
			return fmt.Errorf("looking for %s.%s: %w", table, column.name, err)
		}
		if exists {
			continue
		}
		if _, err := tx.Exec(ctx, "alter table "+table+" add column "+column.name+" "+column.definition); err != nil {
			return fmt.Errorf("adding %s.%s: %w", table, column.name, err)
		}
	}
	return nil
}

// filledTexts are the texts that every event has.
var filledTexts = []string{"name", "app_user_id"}

// allowNulls lets the texts of a table of an older version be null where they are empty, and organic_unknown where it
// is false. Only the catalogue changes, compressed chunks included; rows that have the value keep it.
func allowNulls(ctx context.Context, tx pgx.Tx, table string) error {
	var actions *string
	err := tx.QueryRow(ctx, `
		select string_agg(format('alter column %1$I drop not null, alter column %1$I drop default', attname), ', '
		order by attnum)
		from pg_attribute
		where attrelid = $1::text::regclass and (atttypid = 'text'::regtype or attname = 'organic_unknown') and attnotnull
		and not attisdropped
		and attname <> all ($2)`,
		table, filledTexts).Scan(&actions)
	if err != nil {
		return fmt.Errorf("looking for the columns of %s: %w", table, err)
	}
	if actions == nil {
		return nil
	}
	if _, err := tx.Exec(ctx, "alter table "+table+" "+*actions); err != nil {
		return fmt.Errorf("letting the columns of %s be null: %w", table, err)
	}
	return nil
}

// ensureEventViews makes the views when they are missing, of another version, or of a table that was set aside.
// Otherwise it leaves them alone: making them waits for whoever reads them.
func ensureEventViews(ctx context.Context, tx pgx.Tx) error {
	sum := sha256.Sum256([]byte(eventViewsSQL))
	for i, view := range eventViews {
		var found, want string
		err := tx.QueryRow(ctx, `
			select coalesce(obj_description(to_regclass($1), 'pg_class'), ''), $3 || ' of ' || $2::text::regclass::oid`,
			view, eventTables[i], hex.EncodeToString(sum[:8])).Scan(&found, &want)
		if err != nil {
			return fmt.Errorf("looking up the view %s: %w", view, err)
		}
		if found == want {
			continue
		}
		if _, err := tx.Exec(ctx, dropReadViews); err != nil { // which read them
			return fmt.Errorf("dropping the views that roles read: %w", err)
		}
		for _, name := range eventViews {
			if _, err := tx.Exec(ctx, "drop view if exists "+name); err != nil {
				return fmt.Errorf("dropping the view %s: %w", name, err)
			}
		}
		if _, err := tx.Exec(ctx, eventViewsSQL); err != nil {
			return fmt.Errorf("creating the event views: %w", err)
		}
		return nameEventViews(ctx, tx, hex.EncodeToString(sum[:8]))
	}
	return nil
}

// nameEventViews notes on each view by what it was made.
func nameEventViews(ctx context.Context, tx pgx.Tx, version string) error {
	for i, view := range eventViews {
		var note string
		if err := tx.QueryRow(
			ctx, `select quote_literal($2 || ' of ' || $1::text::regclass::oid)`, eventTables[i], version,
		).Scan(&note); err != nil {
			return fmt.Errorf("noting the version of %s: %w", view, err)
		}
		if _, err := tx.Exec(ctx, "comment on view "+view+" is "+note); err != nil {
			return fmt.Errorf("noting the version of %s: %w", view, err)
		}
	}
	return nil
}
