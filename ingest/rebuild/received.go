package rebuild

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// Received names product events of an environment by the microsecond at which they were received and by what their ids
// begin with. HitLimit is that of ingest, for what is left of their sessions.
type Received struct {
	EnvironmentID int64
	At            time.Time
	EventPrefix   string
	HitLimit      int
}

// received is the condition for the events; none of them happened after it came.
const received = `environment_id = $1 and received_at = $2 and starts_with(event_id, $3) and occurred_at <= $2`

// removeEvents is about how many events are removed in one transaction: writers of sessions wait meanwhile.
const removeEvents = 2000

// CountReceived returns how many of the events are stored.
func CountReceived(ctx context.Context, pool *pgxpool.Pool, r Received) (n int64, err error) {
	err = pool.QueryRow(ctx, `select count(*) from product_event where `+received,
		pgx.QueryExecModeDescribeExec, r.EnvironmentID, r.At, r.EventPrefix).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the events: %w", err)
	}
	return n, nil
}

// RemoveReceived removes the events, makes their sessions and first touches anew of what is left, and lets readers of
// reports read the environment anew. The ids may be stored again afterwards. When it fails, what is removed stays so,
// and calling it again goes on.
func RemoveReceived(ctx context.Context, pool *pgxpool.Pool, r Received) error {
	from := time.Time{}
	for {
		upTo, err := r.portion(ctx, pool, from)
		if err != nil {
			return fmt.Errorf("look for the events: %w", err)
		}
		if upTo == nil {
			break
		}
		if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return r.remove(ctx, tx, from, *upTo) }); err != nil {
			return fmt.Errorf("remove the events: %w", err)
		}
		from = *upTo
	}
	// First touches have no day, so all is read anew. Said at each end, because an earlier call may have removed the last.
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		xid, err := postgres.TransactionID(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(
			ctx, `insert into frame_invalidated (environment_id, xid) values ($1, $2::text::xid8)`, r.EnvironmentID, xid,
		)
		return err
	})
}

// portion returns the time of the last event of the next portion; nil when none is left.
func (r Received) portion(ctx context.Context, pool *pgxpool.Pool, from time.Time) (upTo *time.Time, err error) {
	err = pool.QueryRow(ctx, `
		select max(occurred_at) from (
			select occurred_at from product_event where `+received+` and occurred_at >= $4
				and `+postgres.WithinTime(`$4`, `$2`)+` order by `+postgres.InTime+` limit $5
		) as next`,
		pgx.QueryExecModeDescribeExec, r.EnvironmentID, r.At, r.EventPrefix, from, removeEvents).Scan(&upTo)
	return upTo, err
}

// visitorSession names a session.
type visitorSession struct{ visitor, session string }

// removed are events that went.
type removed struct {
	keys     []uuid.UUID
	sessions map[visitorSession]bool
	first    map[string]int64 // Unix milliseconds of the earliest, by visitor
}

func (r Received) remove(ctx context.Context, tx pgx.Tx, from, upTo time.Time) error {
	// As in repairSome: this one lock keeps writers from sessions and from first touches.
	if _, err := tx.Exec(ctx, `lock table product_session in share row exclusive mode`); err != nil {
		return err
	}
	// TimescaleDB has a limit to the rows that a statement takes apart.
	if _, err := tx.Exec(
		ctx, `select set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`,
	); err != nil {
		return err
	}
	gone, err := r.removeRows(ctx, tx, from, upTo)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `delete from event_seen where environment_id = $1 and path = $2 and event_key = any($3)`,
		r.EnvironmentID, int16(ingest.PathProduct), gone.keys); err != nil {
		return err
	}
	if err := r.remakeSessions(ctx, tx, gone); err != nil {
		return err
	}
	return r.remakeTouches(ctx, tx, gone)
}

// removeRows removes the events of a time. They are read by the view, which says their sessions, and removed by the
// same condition.
func (r Received) removeRows(ctx context.Context, tx pgx.Tx, from, upTo time.Time) (removed, error) {
	gone := removed{sessions: map[visitorSession]bool{}, first: map[string]int64{}}
	args := []any{pgx.QueryExecModeDescribeExec, r.EnvironmentID, r.At, r.EventPrefix, from, upTo}
	within := ` and occurred_at between $4 and $5 and ` + postgres.WithinTime(`$4`, `$5`)
	rows, err := tx.Query(ctx, `select event_key, app_user_id, session_id, occurred_at from product_events
		where `+received+within, args...)
	if err != nil {
		return gone, err
	}
	var key uuid.UUID
	var of visitorSession
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&key, &of.visitor, &of.session, &at}, func() error {
		gone.keys = append(gone.keys, key)
		gone.sessions[of] = true
		if first, known := gone.first[of.visitor]; !known || at.UnixMilli() < first {
			gone.first[of.visitor] = at.UnixMilli()
		}
		return nil
	}); err != nil {
		return gone, err
	}
	tag, err := tx.Exec(ctx, `delete from product_event where `+received+within, args...)
	if err == nil && tag.RowsAffected() != int64(len(gone.keys)) {
		err = errors.New("somebody else changed the events meanwhile")
	}
	return gone, err
}

// remakeSessions makes sessions anew of the events that are left.
func (r Received) remakeSessions(ctx context.Context, tx pgx.Tx, gone removed) error {
	var visitors, sessions []string
	for of := range gone.sessions {
		visitors, sessions = append(visitors, of.visitor), append(sessions, of.session)
	}
	left, err := readEvents(ctx, tx, `select `+eventColumns+` from product_events e
		where environment_id = $1 and app_user_id = any($2) and name_id is not null
			and (app_user_id, session_id) in (select * from unnest($2::text[], $3::text[]))
		order by received_at, event_key`, r.EnvironmentID, visitors, sessions)
	if err != nil {
		return err
	}
	held := visitorSessions{}
	for _, e := range left {
		held.add(e)
	}
	if err := ingest.RemoveSessions(ctx, tx, r.EnvironmentID, visitors, sessions); err != nil {
		return err
	}
	var rows []session.Row
	for _, of := range held {
		rows = slices.AppendSeq(rows, maps.Values(of))
	}
	return ingest.ReplaceSessions(ctx, tx, r.EnvironmentID, rows, r.HitLimit)
}

// remakeTouches makes the first touches of visitors anew of the sessions that are left, unless they came from others
// and began before what was removed.
func (r Received) remakeTouches(ctx context.Context, tx pgx.Tx, gone removed) error {
	visitors := slices.Sorted(maps.Keys(gone.first))
	stored, err := readSessions(ctx, tx, r.EnvironmentID, visitors)
	if err != nil {
		return err
	}
	touches, err := readTouches(ctx, tx, r.EnvironmentID, visitors)
	if err != nil {
		return err
	}
	left := visitorSessions{}
	for i := range stored {
		row := stored[i].Row
		if left[row.Visitor] == nil {
			left[row.Visitor] = map[string]session.Row{}
		}
		left[row.Visitor][row.SessionID] = row
	}
	var right []session.FirstTouch
	var none []string
	for _, visitor := range visitors {
		touch, known := touches[visitor]
		own := known && !gone.sessions[visitorSession{visitor, touch.SessionID}] && touch.FirstSeen < gone.first[visitor]
		switch {
		case own:
			if slices.Contains(gone.keys, uuid.UUID(touch.CustomUserOrigin.Key)) {
				made := computeFirstTouch(left[visitor])
				touch.CustomUserID, touch.CustomUserOrigin = made.CustomUserID, made.CustomUserOrigin
				right = append(right, touch)
			}
		case len(left[visitor]) > 0:
			right = append(right, computeFirstTouch(left[visitor]))
		default:
			none = append(none, visitor)
		}
	}
	if _, err := tx.Exec(
		ctx, `delete from product_analytics_first_touch where environment_id = $1 and app_user_id = any($2)`,
		r.EnvironmentID, none,
	); err != nil {
		return err
	}
	return ingest.ReplaceFirstTouches(ctx, tx, r.EnvironmentID, right)
}
