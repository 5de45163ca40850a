package liveusers

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/packed"
)

// maxKnown is from how many people in months on those are forgotten that were used the longest ago: some 80 MiB.
// Whoever is forgotten is read again.
const maxKnown = 1 << 21

// months are the people that the database has of environments in a month.
type months map[environmentMonth]*known

type environmentMonth struct {
	environment int64
	month       month
}

// known are the people of an environment in a month, up to a row.
type known struct {
	people map[uuid.UUID]struct{}
	last   int64 // id of the row
	used   time.Time
}

// forget removes months until few enough people are left, but never the one that was used last.
func (m months) forget() {
	people := 0
	byUse := slices.SortedFunc(maps.Keys(m), func(a, b environmentMonth) int { return m[b].used.Compare(m[a].used) })
	for i, key := range byUse {
		if people += len(m[key].people); people > maxKnown && i > 0 {
			delete(m, key)
		}
	}
}

// store writes who waits in one transaction. Pages are locked in one order, so that servers can't block each other.
func (c *Counter) store(ctx context.Context, pages map[page]*packed.Waiting[int64]) error {
	order := slices.SortedFunc(maps.Keys(pages), func(a, b page) int {
		return cmp.Or(bytes.Compare(a.workspace[:], b.workspace[:]), cmp.Compare(a.month, b.month))
	})
	err := pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		for _, p := range order {
			if err := c.storePage(ctx, tx, p, pages[p].Sets); err != nil {
				return err
			}
		}
		return nil
	})
	c.months.forget()
	return err
}

// storePage appends who is new. What it appends is known once it is read, so nothing has to be undone when the
// transaction fails, or when nobody can say whether it did.
func (c *Counter) storePage(ctx context.Context, tx pgx.Tx, p page, sets map[int64]map[uuid.UUID]int32) error {
	environments := slices.Sorted(maps.Keys(sets))
	batch := &pgx.Batch{}
	// Whoever has the row is alone with the workspace's month: it sees all rows that were appended before it.
	batch.Queue(`insert into live_user_total (workspace_id, month) values ($1, $2)
		on conflict (workspace_id, month) do update set people = live_user_total.people`, p.workspace, p.month.first())
	for _, environment := range environments {
		of := c.of(environment, p.month)
		batch.Queue(`select id, people from live_user_packed
			where environment_id = $1 and month = $2 and id > $3 order by id`,
			environment, p.month.first(), of.last).Query(of.read)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	batch = &pgx.Batch{}
	total := 0
	for _, environment := range environments {
		of, days := c.of(environment, p.month), map[int32]int{}
		var row []byte
		for person, day := range sets[environment] {
			if _, known := of.people[person]; !known {
				row = packed.Append(row, person)
				days[day]++
				total++
			}
		}
		if len(row) > 0 {
			batch.Queue(`insert into live_user_packed (environment_id, month, people) values ($1, $2, $3)`,
				environment, p.month.first(), row)
		}
		for _, day := range slices.Sorted(maps.Keys(days)) {
			batch.Queue(`insert into live_user_day as d (environment_id, day, people) values ($1, $2, $3)
				on conflict (environment_id, day) do update set people = d.people + excluded.people`,
				environment, time.Unix(int64(day)*24*60*60, 0).UTC(), days[day])
		}
	}
	if total == 0 {
		return nil
	}
	batch.Queue(`update live_user_total set people = people + $3 where workspace_id = $1 and month = $2`,
		p.workspace, p.month.first(), total)
	return tx.SendBatch(ctx, batch).Close()
}

// of returns who is known of an environment in a month.
func (c *Counter) of(environment int64, in month) *known {
	key := environmentMonth{environment, in}
	of := c.months[key]
	if of == nil {
		of = &known{people: map[uuid.UUID]struct{}{}}
		c.months[key] = of
	}
	of.used = c.now()
	return of
}

// read adds the people of rows.
func (k *known) read(rows pgx.Rows) error {
	var id int64
	var row []byte
	_, err := pgx.ForEachRow(rows, []any{&id, (*pgtype.DriverBytes)(&row)}, func() error {
		for person := range packed.All(row) {
			k.people[person] = struct{}{}
		}
		k.last = id
		return nil
	})
	return err
}

// readTotals returns how many people workspaces have had in a month.
func readTotals(ctx context.Context, pool *pgxpool.Pool, in month) (map[uuid.UUID]int64, error) {
	rows, err := pool.Query(ctx, `select workspace_id, people from live_user_total where month = $1`, in.first())
	if err != nil {
		return nil, err
	}
	people := map[uuid.UUID]int64{}
	var workspace uuid.UUID
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&workspace, &n}, func() error { people[workspace] = n; return nil })
	return people, err
}
