package served

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/people/privacy"
)

const (
	// mergeRows is from how many appended rows on those of an arm and day are merged. Those of past days always are.
	mergeRows = 32
	// mergeBytes is how much is merged at once.
	mergeBytes = 8 << 20
)

// Merge merges the rows that servers appended of an arm and a day, so that few are left and everybody is in one, and
// says whether there were any. Rows that are full stay as they are. It may run at any time, also twice at once, and
// be interrupted: it is one transaction.
func Merge(ctx context.Context, pool *pgxpool.Pool) (merged bool, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Whoever is erased from now on waits for this transaction.
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		var p page
		var a arm
		var day time.Time
		err := tx.QueryRow(ctx, `
			select environment_id, day, experiment_id, arm from experiment_served_packed where not merged
			group by 1, 2, 3, 4 having count(*) >= $1 or day < (now() at time zone 'UTC')::date limit 1`, mergeRows,
		).Scan(&p.environment, &day, &a.experiment, &a.position)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		merged, p.day = true, int32(day.Unix()/(24*60*60))
		return mergeArm(ctx, tx, p, a)
	})
	if err != nil {
		return false, fmt.Errorf("merge people who were served an experiment: %w", err)
	}
	return merged, nil
}

func mergeArm(ctx context.Context, tx pgx.Tx, p page, a arm) error {
	const full = packed.MaxPeople * packed.Size
	of := []any{p.environment, a.experiment, dateOf(p.day), a.position, full}
	if _, err := tx.Exec(ctx, `update experiment_served_packed set merged = true
		where environment_id = $1 and experiment_id = $2 and day = $3 and arm = $4 and octet_length(people) >= $5
			and not merged`, of...); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `
		select id, people from experiment_served_packed
		where environment_id = $1 and experiment_id = $2 and day = $3 and arm = $4 and id in (
			select id from (
				select id, sum(octet_length(people)) over (order by merged, id) as total from experiment_served_packed
				where environment_id = $1 and experiment_id = $2 and day = $3 and arm = $4 and octet_length(people) < $5
			) as small where total <= $6)
		for update`, append(of, mergeBytes)...)
	if err != nil {
		return err
	}
	var ids []int64
	var id int64
	var row []byte
	entries, people := 0, map[uuid.UUID]struct{}{}
	if _, err := pgx.ForEachRow(rows, []any{&id, (*pgtype.DriverBytes)(&row)}, func() error {
		ids = append(ids, id)
		for person := range packed.All(row) {
			people[person] = struct{}{}
			entries++
		}
		return nil
	}); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(maps.Keys(people), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	erased, err := erasedOf(ctx, tx, p.environment, sorted)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`delete from experiment_served_packed
		where environment_id = $1 and experiment_id = $2 and day = $3 and arm = $4 and id = any ($5)`,
		append(of[:4:4], ids)...)
	for chunk := range slices.Chunk(sorted, packed.MaxPeople) {
		row := make([]byte, 0, len(chunk)*packed.Size)
		for _, person := range chunk {
			if !erased[person] {
				row = packed.Append(row, person)
			}
		}
		if len(row) > 0 {
			queueRow(batch, p, a, row, true)
		}
	}
	batch.Queue(`update experiment_served_count set people = greatest(people - $3, 0)
		where environment_id = $1 and day = $2`, p.environment, dateOf(p.day), entries-len(sorted))
	return tx.SendBatch(ctx, batch).Close()
}
