package ingest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// withoutStored leaves out imported events that are stored already.
func withoutStored(ctx context.Context, tx pgx.Tx, fresh []*item) ([]*item, error) {
	type table struct {
		environment int64
		path        Path
		byPerson    bool
	}
	byTable := map[table][]*item{}
	people := countTogether(fresh)
	for _, it := range fresh {
		if it.history {
			n := people[it.appUserID()]
			of := table{it.environment, it.path, it.path == PathProduct && 0 < n && n <= mostTogether}
			byTable[of] = append(byTable[of], it)
		}
	}
	if len(byTable) == 0 {
		return fresh, nil
	}
	stored := map[*item]bool{}
	for of, items := range byTable {
		query := storedQueries[of.path]
		if of.byPerson {
			query = storedOfPeople
		}
		if err := findStored(ctx, tx, of.environment, query, items, stored); err != nil {
			return nil, fmt.Errorf("compare with the stored events: %w", err)
		}
	}
	return slices.DeleteFunc(fresh, func(it *item) bool { return stored[it] }), nil
}

// mostTogether is how many events of a batch a person may have to be looked up by: who has more, such as a robot, may
// have a million that are stored, which each batch would read.
const mostTogether = 200

// countTogether counts the events by person of history that has them together.
func countTogether(items []*item) map[string]int {
	people := map[string]int{}
	for _, it := range items {
		if it.together {
			people[it.appUserID()]++
		}
	}
	return people
}

// storedQueries look imported events up, by path. An event keeps its id and its
// time, and the indexes of product and track events lead with the time; that of
// flow events has the person before it. The bounds let the database leave out the
// partitions that can't hold any, for which it has to plan with the values. Each
// time is looked up by itself: joined, a batch from all over the history made the
// database read all of it. It is looked up once: history that knows days only has
// many events at one time, and the index may have many times as one.
var storedQueries = map[Path]string{
	PathProduct: storedQuery("product_event", byTime),
	PathFlow:    storedQuery("flow_event", byPerson),
	PathTrack:   storedQuery("track_event", byTime),
}

// storedOfPeople looks product events up by their person: of history that has those together, a batch is from all over
// the time, of which the index has minutes as one.
var storedOfPeople = storedQuery("product_event", lookUp{"person", "stored.app_user_id = t.person"})

// lookUp says what of w is looked up at once in the rows that are stored, and how.
type lookUp struct{ what, condition string }

var (
	byTime   = lookUp{"time_bin(at) as at", "time_bin(stored.occurred_at) = t.at"}
	byPerson = lookUp{"at, person", "stored.app_user_id = t.person and stored.occurred_at = t.at"}
)

func storedQuery(table string, by lookUp) string {
	return `
		with w as materialized (
			select * from unnest($2::timestamptz[], $3::uuid[], $6::text[]) with ordinality as w (at, key, person, place)
		), found as materialized (
			select s.* from (select distinct ` + by.what + ` from w) as t
			cross join lateral (
				select stored.occurred_at as at, stored.event_key as key from ` + table + ` stored
				where stored.environment_id = $1 and ` + by.condition + `
				  and stored.occurred_at between $4 and $5 and stored.event_key = any ($3::uuid[])
				offset 0) as s -- which keeps it from being joined
		)
		select w.place from w natural join (select distinct * from found) as f`
}

// findStored adds those of items that the table of their path holds.
func findStored(
	ctx context.Context, tx pgx.Tx, environment int64, query string, items []*item, stored map[*item]bool,
) error {
	times, keys, people := make([]time.Time, len(items)), make([]pgtype.UUID, len(items)), make([]string, len(items))
	for i, it := range items {
		times[i], keys[i], people[i] = it.occurredAt(), pgtype.UUID{Bytes: it.key, Valid: true}, it.appUserID()
	}
	earliest, latest := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	rows, err := tx.Query(
		ctx, query, pgx.QueryExecModeDescribeExec, environment, times, keys, earliest, latest, people,
	)
	if err != nil {
		return err
	}
	var place int64
	_, err = pgx.ForEachRow(rows, []any{&place}, func() error { stored[items[place-1]] = true; return nil })
	return err
}
