package maintenance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/postgres"
)

// foldedRows is a table of what hits add up to: rows of an environment that have a
// home day and the time of their last hit.
type foldedRows struct {
	name string
	key  []string // the primary key but for the environment
}

var (
	sessions = foldedRows{"product_session", []string{"app_user_id", "session_id"}}
	runs     = foldedRows{"flow_run", []string{"app_user_id", "flow_id", "run_key"}}
)

// lastBefore makes the run that removes rows whose last hit is before the limit, and
// writes their days to frame_invalidated so that readers load them anew. It walks
// environment by environment along the index on home_day.
func (r foldedRows) lastBefore(limit time.Time) batch {
	first := fmt.Sprintf(`select environment_id from %s where environment_id >= $1 order by 1 limit 1`, r.name)
	var environment int64 = math.MinInt64
	var remove batch // of the environment; nil: the next one is to be found
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		if remove == nil {
			err := conn.QueryRow(ctx, first, environment).Scan(&environment)
			if errors.Is(err, pgx.ErrNoRows) {
				return 0, false, nil
			}
			if err != nil {
				return 0, false, fmt.Errorf("look for rows of %s: %w", r.name, err)
			}
			remove = r.lastBeforeIn(environment, limit)
		}
		rows, more, err = remove(ctx, conn)
		if err != nil || more || environment == math.MaxInt64 {
			return rows, more, err
		}
		environment, remove = environment+1, nil
		return rows, true, nil
	}
}

// lastBeforeIn makes the run that removes rows of one environment as lastBefore does.
func (r foldedRows) lastBeforeIn(environment int64, limit time.Time) batch {
	remove, from := r.removal(), pgtype.Date{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			xid, err := postgres.TransactionID(ctx, tx)
			if err != nil {
				return err
			}
			return tx.QueryRow(ctx, remove, environment, limit, batchRows, from, xid).Scan(&rows, &more, &from)
		})
		if err != nil {
			return 0, false, fmt.Errorf("remove rows of %s of environment %d: %w", r.name, environment, err)
		}
		return rows, more, nil
	}
}

// removal returns the statement that removes one batch. A row begins on its home day,
// so what ended before the limit has one at or before the limit's.
func (r foldedRows) removal() string {
	var same []string
	for _, column := range r.key {
		same = append(same, "s."+column+" = e."+column)
	}
	return fmt.Sprintf(`
	with expired as materialized (
		select %[2]s, home_day from %[1]s
		where environment_id = $1 and home_day between $4 and ($2::timestamptz at time zone 'UTC')::date and last_at < $2
		order by home_day limit $3
	), removed as (
		delete from %[1]s s using expired e
		where s.environment_id = $1 and %[3]s and s.last_at < $2
		returning s.home_day
	), invalidated as (
		insert into frame_invalidated (environment_id, home_day, xid)
		select $1, home_day, $5::text::xid8 from removed group by home_day
	)
	select (select count(*) from removed), count(*) = $3, coalesce(max(home_day), $4) from expired`,
		r.name, strings.Join(r.key, ", "), strings.Join(same, " and "))
}
