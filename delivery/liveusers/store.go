package liveusers

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed note.sql
var noteSQL string

// store writes pages in one transaction. They are locked in one order, so that servers can't block each other.
func store(ctx context.Context, pool *pgxpool.Pool, pages map[page]people) error {
	order := slices.SortedFunc(maps.Keys(pages), func(a, b page) int {
		return cmp.Or(bytes.Compare(a.workspace[:], b.workspace[:]), cmp.Compare(a.month, b.month))
	})
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, p := range order {
			// Whoever has the row is alone with the workspace's month.
			if _, err := tx.Exec(ctx, `insert into live_user_total (workspace_id, month) values ($1, $2)
				on conflict (workspace_id, month) do update set people = live_user_total.people`,
				p.workspace, p.month.first()); err != nil {
				return err
			}
			environments, persons, days := pages[p].columns()
			if _, err := tx.Exec(ctx, noteSQL, p.workspace, p.month.first(), environments, persons, days); err != nil {
				return err
			}
		}
		return nil
	})
}

// columns returns the people by column.
func (p people) columns() (environments []int64, persons []uuid.UUID, days []time.Time) {
	for v, day := range p {
		environments = append(environments, v.environment)
		persons = append(persons, v.person)
		days = append(days, day)
	}
	return environments, persons, days
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
