package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// sweepLock is the advisory lock of the one server that sweeps.
	sweepLock = 0x737677 // "svw"
	// sweepRows a transaction: small enough that no lock is held for long.
	sweepRows = 5000
	// ledgerGrace is how long ledger rows live beyond the window, counted from
	// receipt (analytics.md §1).
	ledgerGrace = 24 * time.Hour
	// invalidationLife is how long a server may be cut off from the database and
	// still learn which days it has to load anew.
	invalidationLife = 30 * 24 * time.Hour
	// attemptGrace is how long a checkout attempt that nobody confirmed is kept:
	// the slowest payments, by bank transfer, are confirmed after weeks.
	attemptGrace = 90 * 24 * time.Hour
)

// Sweep removes what has expired: ledger rows past the window and a day, raw
// events, sessions, counts and checkout attempts past their retention, and
// attempts that were never confirmed. First touches, people and money stay. Days whose sessions went are written to frame_invalidated. On TimescaleDB the retention
// policy drops raw events; here whole monthly partitions are dropped, so an
// event may live up to a month longer. Of several servers one sweeps; for the
// others it does nothing.
func (w *Writer) Sweep(ctx context.Context) error {
	conn, err := w.db.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1)`, sweepLock).Scan(&mine); err != nil || !mine {
		return err
	}
	defer func() {
		// The lock ends with the connection if this fails.
		if _, err := conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, sweepLock); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx))
		}
	}()
	now := w.deps.Now()
	retained := now.Add(-w.settings.Retention)
	return errors.Join(
		w.sweepLedger(ctx, conn, now.Add(-w.settings.Window-ledgerGrace)),
		w.sweepPartitions(ctx, retained),
		w.sweepSessions(ctx, retained),
		w.sweepRecords(ctx, now, retained),
	)
}

// sweepLedger reads the expired rows once, in the order of the table, and
// removes them in small transactions on another connection. A row's place can
// be taken by a new row meanwhile, so its time is checked again.
func (w *Writer) sweepLedger(ctx context.Context, conn *pgxpool.Conn, before time.Time) error {
	rows, err := conn.Query(ctx, `select ctid from event_seen where seen_at < $1`, before)
	if err != nil {
		return fmt.Errorf("sweep ledger: %w", err)
	}
	defer rows.Close()
	remove := func(places []string) error {
		_, err := w.db.Pool.Exec(ctx, `delete from event_seen where ctid = any($1::text[]::tid[]) and seen_at < $2`, places, before)
		return err
	}
	places := make([]string, 0, sweepRows)
	for rows.Next() {
		place := string(rows.RawValues()[0])
		if len(rows.RawValues()[0]) == 6 { // binary form: block number and offset
			raw := rows.RawValues()[0]
			place = fmt.Sprintf("(%d,%d)", uint32(raw[0])<<24|uint32(raw[1])<<16|uint32(raw[2])<<8|uint32(raw[3]), uint16(raw[4])<<8|uint16(raw[5]))
		}
		if places = append(places, place); len(places) == sweepRows {
			if err := remove(places); err != nil {
				return fmt.Errorf("sweep ledger: %w", err)
			}
			places = places[:0]
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("sweep ledger: %w", err)
	}
	if len(places) > 0 {
		if err := remove(places); err != nil {
			return fmt.Errorf("sweep ledger: %w", err)
		}
	}
	return nil
}

// sweepPartitions drops the monthly partitions that end before the time, and
// removes older rows of the default partition.
func (w *Writer) sweepPartitions(ctx context.Context, before time.Time) error {
	storage, err := w.db.EventStorage(ctx)
	if err != nil {
		return fmt.Errorf("sweep events: %w", err)
	}
	if storage.Hypertables {
		return nil // the retention policy of the table does it
	}
	for _, table := range []string{"product_event", "flow_event", "track_event"} {
		rows, err := w.db.Pool.Query(ctx, `
			select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
			where i.inhparent = to_regclass($1) and c.relname ~ ('^' || $1 || '_[0-9]{6}$') order by 1`, table)
		if err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
		partitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
		for _, partition := range partitions {
			month, err := time.Parse("200601", partition[len(partition)-6:])
			if err != nil || month.AddDate(0, 1, 0).After(before) {
				continue
			}
			if _, err := w.db.Pool.Exec(ctx, `drop table `+pgx.Identifier{partition}.Sanitize()); err != nil {
				return fmt.Errorf("drop %s: %w", partition, err)
			}
			w.log.Info("dropped expired events", "partition", partition)
		}
		if _, err := w.db.Pool.Exec(ctx, `delete from `+pgx.Identifier{table + "_default"}.Sanitize()+` where occurred_at < $1`, before); err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
	}
	return nil
}

// sweepSessions removes sessions whose last hit is before the time. It walks
// environment by environment along the index on home_day.
func (w *Writer) sweepSessions(ctx context.Context, before time.Time) error {
	environment := int64(-1 << 63)
	for {
		err := w.db.Pool.QueryRow(ctx, `select environment_id from product_session where environment_id > $1 order by 1 limit 1`, environment).Scan(&environment)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sweep sessions: %w", err)
		}
		for {
			tag, err := w.db.Pool.Exec(ctx, `
				with expired as (
					select app_user_id, session_id from product_session
					where environment_id = $1 and home_day <= ($2::timestamptz at time zone 'UTC')::date and last_at < $2
					limit $3
				), removed as (
					delete from product_session s using expired e
					where s.environment_id = $1 and s.app_user_id = e.app_user_id and s.session_id = e.session_id and s.last_at < $2
					returning s.home_day
				), told as (
					insert into frame_invalidated (environment_id, home_day) select $1, home_day from removed group by home_day
				)
				select from removed`, environment, before, sweepRows)
			if err != nil {
				return fmt.Errorf("sweep sessions: %w", err)
			}
			if tag.RowsAffected() < sweepRows {
				break
			}
		}
	}
}

// sweepRecords removes counts of hours that have no events any more,
// invalidations that every server has read, and old checkout attempts.
func (w *Writer) sweepRecords(ctx context.Context, now, retained time.Time) error {
	if _, err := w.db.Pool.Exec(ctx, `delete from ingest_stat where hour < $1`, retained); err != nil {
		return fmt.Errorf("sweep counts: %w", err)
	}
	if _, err := w.db.Pool.Exec(ctx, `delete from frame_invalidated where at < $1`, now.Add(-invalidationLife)); err != nil {
		return fmt.Errorf("sweep invalidations: %w", err)
	}
	if _, err := w.db.Pool.Exec(ctx, `
		delete from checkout_attempt where created_at < $1 or created_at < $2 and confirmed_at is null`, retained, now.Add(-attemptGrace)); err != nil {
		return fmt.Errorf("sweep checkout attempts: %w", err)
	}
	return nil
}
