package upkeep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// removeSessions makes the run that removes sessions whose last hit is before
// the limit, and writes their days to frame_invalidated so that readers load
// them anew. It walks environment by environment along the index on home_day.
func removeSessions(limit time.Time) batch {
	var environment int64 = math.MinInt64
	var from pgtype.Date
	found := false
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		if !found {
			err := conn.QueryRow(ctx, `
				select environment_id from product_session where environment_id >= $1 order by 1
				limit 1`, environment).Scan(&environment)
			if errors.Is(err, pgx.ErrNoRows) {
				return 0, false, nil
			}
			if err != nil {
				return 0, false, fmt.Errorf("look for sessions: %w", err)
			}
			found, from = true, pgtype.Date{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
		}
		err = conn.QueryRow(ctx, removeSessionsSQL, environment, limit, batchRows, from).Scan(&rows, &more, &from)
		if err != nil {
			return 0, false, fmt.Errorf("remove sessions of environment %d: %w", environment, err)
		}
		if more || environment == math.MaxInt64 {
			return rows, more, nil
		}
		environment, found = environment+1, false
		return rows, true, nil
	}
}

// A session begins on its home day, so what ended before the limit has one at or
// before the limit's.
const removeSessionsSQL = `
	with expired as materialized (
		select app_user_id, session_id, home_day from product_session
		where environment_id = $1 and home_day between $4 and ($2::timestamptz at time zone 'UTC')::date and last_at < $2
		order by home_day limit $3
	), removed as (
		delete from product_session s using expired e
		where s.environment_id = $1 and s.app_user_id = e.app_user_id and s.session_id = e.session_id and s.last_at < $2
		returning s.home_day
	), invalidated as (
		insert into frame_invalidated (environment_id, home_day) select $1, home_day from removed group by home_day
	)
	select (select count(*) from removed), count(*) = $3, coalesce(max(home_day), $4) from expired`
