package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
)

// kept is where a kind of events is, and what they add up to.
var kept = map[string]struct {
	events string
	folded *foldedRows // nil: nothing
}{
	"product": {"product_event", &sessions},
	"flow":    {"flow_event", &runs},
	"track":   {"track_event", nil},
}

// removeByApp makes the run that removes what apps keep for a shorter time than the server.
func (u *Worker) removeByApp(now time.Time) batch {
	var left []batch
	asked := false
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		if !asked {
			if left, err = appBatches(ctx, conn, now); err != nil {
				return 0, false, err
			}
			asked = true
		}
		if len(left) == 0 {
			return 0, false, nil
		}
		if rows, more, err = left[0](ctx, conn); err != nil {
			return rows, false, err
		}
		if !more {
			left = left[1:]
		}
		return rows, len(left) > 0, nil
	}
}

// appBatches returns what is to be done for each environment and kind of which an app set a time.
func appBatches(ctx context.Context, conn *pgx.Conn, now time.Time) ([]batch, error) {
	rows, err := conn.Query(ctx, `
		select e.id, r.kind, r.days from app_retention r join environments e on e.app_id = r.app_id order by 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("read what apps keep: %w", err)
	}
	var list []batch
	var environment int64
	var kind string
	var days int
	_, err = pgx.ForEachRow(rows, []any{&environment, &kind, &days}, func() error {
		limit, of := now.AddDate(0, 0, -days), kept[kind]
		if of.folded != nil {
			list = append(list, of.folded.lastBeforeIn(environment, limit))
		}
		list = append(list, eventsBefore(of.events, environment, limit))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what apps keep: %w", err)
	}
	return list, nil
}

// eventsBefore makes the run that removes the events of an environment before a limit, the oldest first.
func eventsBefore(table string, environment int64, limit time.Time) batch {
	oldest := fmt.Sprintf(`
		select (select occurred_at %[1]s limit 1), coalesce((select occurred_at %[1]s offset $3 limit 1), $2)`,
		fmt.Sprintf(`from %s where environment_id = $1 and occurred_at < $2 and %s order by %s`,
			table, postgres.WithinTime(`'-infinity'`, `$2`), postgres.InTime))
	remove := fmt.Sprintf(
		`delete from %s where environment_id = $1 and occurred_at >= $2 and occurred_at < $3 and %s`,
		table, postgres.WithinTime(`$2`, `$3`),
	)
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			var from *time.Time
			var to time.Time
			if err := tx.QueryRow(ctx, oldest, environment, limit, batchRows).Scan(&from, &to); err != nil || from == nil {
				return err
			}
			if !to.After(*from) {
				to = from.Add(time.Microsecond) // a batch of one time, which is not divided
			}
			more = to.Before(limit)
			// TimescaleDB has a limit to the rows that a statement takes apart.
			if _, err := tx.Exec(
				ctx, `select set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`,
			); err != nil {
				return err
			}
			// Planned with the values: a plan for any values takes all rows of the environment apart.
			tag, err := tx.Exec(ctx, remove, pgx.QueryExecModeDescribeExec, environment, *from, to)
			rows = tag.RowsAffected()
			return err
		})
		if err != nil {
			return 0, false, fmt.Errorf("remove rows of %s of environment %d: %w", table, environment, err)
		}
		return rows, more, nil
	}
}
