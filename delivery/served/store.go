package served

import (
	"cmp"
	"context"
	"encoding/binary"
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

// store writes pages in one transaction and returns how many people each has then. Pages are locked in one order, so
// that servers can't block each other.
func store(
	ctx context.Context, pool *pgxpool.Pool, pages map[page]*packed.Waiting[arm], peoplePerDay int64,
) (map[page]int64, error) {
	order := slices.SortedFunc(maps.Keys(pages), func(a, b page) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.day, b.day))
	})
	stored := map[page]int64{}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		counted, err := count(ctx, tx, order, pages)
		if err != nil {
			return err
		}
		rows := &pgx.Batch{}
		for i, p := range order {
			c := &counted[i]
			erased, err := c.erasedOf(ctx, tx, p, pages[p])
			if err != nil {
				return err
			}
			room := max(0, int64(pages[p].People)-max(0, c.people-peoplePerDay)) // for people of this write
			kept, leftOut := queueRows(rows, p, pages[p], erased, room)
			stored[p] = c.people - int64(pages[p].People) + kept
			if stored[p] < c.people {
				rows.Queue(`update experiment_served_count set people = $3, left_out = left_out + $4
					where environment_id = $1 and day = $2`, p.environment, dateOf(p.day), stored[p], leftOut)
			}
		}
		return tx.SendBatch(ctx, rows).Close()
	})
	return stored, err
}

// counted is what the database says of a page once its people are counted, who are not there yet.
type counted struct {
	people     int64
	tombstones bool // whether anybody of the environment is erased
}

// count counts those who are to be written on their pages. Whoever has counted is alone with the environment's day: the
// bound holds for all servers together.
func count(ctx context.Context, tx pgx.Tx, order []page, pages map[page]*packed.Waiting[arm]) ([]counted, error) {
	batch := &pgx.Batch{}
	batch.Queue(privacy.JoinWriters)
	all := make([]counted, len(order))
	for i, p := range order {
		batch.Queue(`
			insert into experiment_served_count as c (environment_id, day, people, left_out) values ($1, $2, $3, $4)
			on conflict (environment_id, day)
			do update set people = c.people + excluded.people, left_out = c.left_out + excluded.left_out
			returning people, exists (select from erased_person where environment_id = $1)`,
			p.environment, dateOf(p.day), pages[p].People, pages[p].LeftOut,
		).QueryRow(func(row pgx.Row) error { return row.Scan(&all[i].people, &all[i].tombstones) })
	}
	return all, tx.SendBatch(ctx, batch).Close()
}

// erasedOf returns who of a page is erased.
func (c *counted) erasedOf(
	ctx context.Context, tx pgx.Tx, p page, of *packed.Waiting[arm],
) (map[uuid.UUID]bool, error) {
	if !c.tombstones {
		return nil, nil
	}
	var people []uuid.UUID
	for _, set := range of.Sets {
		people = slices.AppendSeq(people, maps.Keys(set))
	}
	return erasedOf(ctx, tx, p.environment, people)
}

// erasedOf returns who of people of an environment is erased. The transaction has joined the writers.
func erasedOf(ctx context.Context, tx pgx.Tx, environmentID int64, people []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := tx.Query(ctx, `select person from erased_person where environment_id = $1 and person = any ($2)`,
		environmentID, people)
	if err != nil {
		return nil, err
	}
	erased := map[uuid.UUID]bool{}
	var person uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&person}, func() error { erased[person] = true; return nil })
	return erased, err
}

// queueRows appends a row for each arm of a page, for as many people as there is room. It returns how many those are
// and how many were left out.
func queueRows(
	batch *pgx.Batch, p page, of *packed.Waiting[arm], erased map[uuid.UUID]bool, room int64,
) (kept, leftOut int64) {
	for a, set := range of.Sets {
		row := make([]byte, 0, len(set)*packed.Size)
		for person := range set {
			switch {
			case erased[person]:
			case kept == room:
				leftOut++
			default:
				row = packed.Append(row, person)
				kept++
			}
		}
		if len(row) > 0 {
			queueRow(batch, p, a, row, false)
		}
	}
	return kept, leftOut
}

func queueRow(batch *pgx.Batch, p page, a arm, people []byte, merged bool) {
	batch.Queue(`insert into experiment_served_packed (environment_id, experiment_id, day, arm, merged, people)
		values ($1, $2, $3, $4, $5, $6)`, p.environment, a.experiment, dateOf(p.day), a.position, merged, people)
}

// dateOf returns the beginning of a day.
func dateOf(day int32) time.Time { return time.Unix(int64(day)*24*60*60, 0).UTC() }

// countAtOnce is how many people [Count] has in memory at once: some 80 MiB.
const countAtOnce = 1 << 21

// Count returns how many people were given each of the arms of an experiment, each person once.
func Count(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, experiment uuid.UUID, arms int,
) (people []int, err error) {
	return countPeople(ctx, pool, environmentID, experiment, arms, countAtOnce)
}

func countPeople(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, experiment uuid.UUID, arms int, atOnce int64,
) (people []int, err error) {
	people = make([]int, arms)
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	err = pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		var entries int64
		err := tx.QueryRow(ctx, `select coalesce(sum(octet_length(people)), 0) / $3 from experiment_served_packed
			where environment_id = $1 and experiment_id = $2`, environmentID, experiment, packed.Size).Scan(&entries)
		if err != nil {
			return err
		}
		// Hashes are spread evenly: of many people each round counts a part.
		rounds := uint64(entries/atOnce + 1)
		for round := range rounds {
			rows, err := tx.Query(ctx, `select arm, people from experiment_served_packed
				where environment_id = $1 and experiment_id = $2`, environmentID, experiment)
			if err != nil {
				return err
			}
			known := make([]map[uuid.UUID]struct{}, arms)
			for i := range known {
				known[i] = map[uuid.UUID]struct{}{}
			}
			var position int
			var row []byte
			if _, err := pgx.ForEachRow(rows, []any{&position, (*pgtype.DriverBytes)(&row)}, func() error {
				if position >= arms {
					return nil
				}
				for person := range packed.All(row) {
					if binary.BigEndian.Uint64(person[:8])%rounds == round {
						known[position][person] = struct{}{}
					}
				}
				return nil
			}); err != nil {
				return err
			}
			for i := range known {
				people[i] += len(known[i])
			}
		}
		return nil
	})
	return people, err
}
