package served

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/privacy"
)

//go:embed note.sql
var noteSQL string

// store writes pages in one transaction and returns how many people each has then. Pages are locked in one order, so
// that servers can't block each other.
func store(
	ctx context.Context, pool *pgxpool.Pool, pages map[page]*entries, peoplePerDay int,
) (map[page]int64, error) {
	order := slices.SortedFunc(maps.Keys(pages), func(a, b page) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.day, b.day))
	})
	noted := map[page]int64{}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		for _, p := range order {
			people, err := storePage(ctx, tx, p, pages[p], peoplePerDay)
			if err != nil {
				return err
			}
			noted[p] = people
		}
		return nil
	})
	return noted, err
}

func storePage(ctx context.Context, tx pgx.Tx, p page, of *entries, peoplePerDay int) (people int64, err error) {
	day := time.Unix(int64(p.day)*24*60*60, 0).UTC()
	if _, err := tx.Exec(ctx, `insert into experiment_served_count (environment_id, day) values ($1, $2)
		on conflict do nothing`, p.environment, day); err != nil {
		return 0, err
	}
	// Whoever has the row is alone with the environment's day: the bound holds for all servers together.
	if err := tx.QueryRow(ctx, `select people from experiment_served_count where environment_id = $1 and day = $2
		for update`, p.environment, day).Scan(&people); err != nil {
		return 0, err
	}
	experiments, persons, arms := of.columns()
	err = tx.QueryRow(ctx, noteSQL, p.environment, day, experiments, persons, arms,
		max(0, int64(peoplePerDay)-people), of.leftOut).Scan(&people)
	return people, err
}

// columns returns the entries by column, each once.
func (e *entries) columns() (experiments, persons []uuid.UUID, arms []int16) {
	slices.SortFunc(e.people, func(a, b entry) int {
		return cmp.Or(slices.Compare(a.experiment[:], b.experiment[:]), slices.Compare(a.person[:], b.person[:]),
			cmp.Compare(a.arm, b.arm))
	})
	e.people = slices.Compact(e.people)
	for _, one := range e.people {
		experiments = append(experiments, one.experiment)
		persons = append(persons, one.person)
		arms = append(arms, one.arm)
	}
	return experiments, persons, arms
}
