package privacy

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// Kinds are the kinds of events that an app may keep for different times.
var Kinds = []string{"product", "flow", "track"}

// MaxRetentionDays is the longest time that an app may set: the server's own setting ends longer ones.
const MaxRetentionDays = 3653

// Retention is for how many days an app keeps a kind of events, and what they add up to: sessions of product events,
// runs of flow events.
type Retention struct {
	Kind string // one of [Kinds]
	Days int
}

// Execer is a transaction, or a database, of database/sql or ent.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// SetRetention sets for how many days an app keeps a kind of events; nil is as long as the server. Maintenance
// removes what is older within the hour. The error is a fault that names the field, or the database's.
func SetRetention(ctx context.Context, tx Execer, app uuid.UUID, kind string, days *int) error {
	if !slices.Contains(Kinds, kind) {
		return fault.Invalid("kind", "must be product, flow or track")
	}
	if days == nil {
		_, err := tx.ExecContext(ctx, `delete from app_retention where app_id = $1 and kind = $2`, app, kind)
		return wrap("set the retention of an app", err)
	}
	if *days < 1 || *days > MaxRetentionDays {
		return fault.Invalid("days", "must be 1 to %d", MaxRetentionDays)
	}
	_, err := tx.ExecContext(ctx, `insert into app_retention (app_id, kind, days) values ($1, $2, $3)
		on conflict (app_id, kind) do update set days = excluded.days`, app, kind, *days)
	return wrap("set the retention of an app", err)
}

// Retention returns what an app keeps for a shorter time than the server does, by kind.
func (p *Privacy) Retention(ctx context.Context, app uuid.UUID) ([]Retention, error) {
	rows, err := p.db.Pool.Query(ctx, `select kind, days from app_retention where app_id = $1 order by kind`, app)
	if err != nil {
		return nil, fmt.Errorf("read the retention of an app: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Retention])
	return list, wrap("read the retention of an app", err)
}
