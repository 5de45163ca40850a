package postgres

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed read_views.sql
var readViewsSQL string

// ReadSchema has the views that login roles read; see package sqlrole.
const ReadSchema = "svc_read"

// PeriodLength is SQL of the length of a row of subscription_period: the nearest one, as package figures has it.
const PeriodLength = `(array['P1D', 'P3D', 'P1W', 'P2W', 'P1M', 'P2M', 'P3M', 'P6M', 'P1Y'])[1 + width_bucket(
	coalesce(whole_seconds, extract(epoch from ends_at - starts_at))::float8 / 86400,
	array[2, 5, 11, 22, 46, 76, 136, 271]::float8[])]`

var readViews = strings.Replace(readViewsSQL, "{period_length}", PeriodLength, 1)

const dropReadViews = `drop schema if exists ` + ReadSchema + ` cascade; drop view if exists sql_role_environments`

// ensureReadViews makes the views of [ReadSchema], unless they are there as this version makes them, and gives the
// roles that had them their rights again. Rights end with a view that is dropped.
func ensureReadViews(ctx context.Context, tx pgx.Tx) error {
	caps, err := readCapabilities(ctx, tx)
	if err != nil || caps.Citus != "" { // views of a cluster are made on all nodes, where nobody logs in
		return err
	}
	sum := sha256.Sum256([]byte(readViews))
	version := hex.EncodeToString(sum[:8])
	var found string
	err = tx.QueryRow(
		ctx, `select coalesce(obj_description(to_regnamespace($1), 'pg_namespace'), '')`, ReadSchema,
	).Scan(&found)
	if err != nil {
		return fmt.Errorf("looking up the views that roles read: %w", err)
	}
	if found == version {
		return nil
	}
	if _, err := tx.Exec(ctx, dropReadViews); err != nil {
		return fmt.Errorf("dropping the views that roles read: %w", err)
	}
	if _, err := tx.Exec(ctx, readViews+"; comment on schema "+ReadSchema+" is '"+version+"'"); err != nil {
		return fmt.Errorf("creating the views that roles read: %w", err)
	}
	rows, err := tx.Query(ctx, `select name from sql_roles join pg_roles on rolname = name`)
	if err != nil {
		return fmt.Errorf("reading the roles: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("reading the roles: %w", err)
	}
	for _, name := range names {
		if err := GrantReadViews(ctx, tx, name); err != nil {
			return err
		}
	}
	return nil
}

// GrantReadViews lets a role read the views of [ReadSchema].
func GrantReadViews(ctx context.Context, tx pgx.Tx, role string) error {
	name := pgx.Identifier{role}.Sanitize()
	if _, err := tx.Exec(ctx, fmt.Sprintf(
		`grant usage on schema %[1]s to %[2]s; grant select on all tables in schema %[1]s to %[2]s`, ReadSchema, name,
	)); err != nil {
		return fmt.Errorf("letting %s read the views: %w", role, err)
	}
	return nil
}
