package postgres_test

import (
	"strings"
	"testing"

	"github.com/svc-dev/svc/postgres"
)

// People who were served, and live users, who had a row each before, are the same in packed rows.
func TestRowsOfPeopleArePacked(t *testing.T) {
	t.Parallel()
	db := migratedTo(t, 27)
	exec(t, db, `
		insert into experiment_served (environment_id, experiment_id, person, day, arm)
		select 1 + i % 2, ('00000000-0000-0000-0000-00000000000' || i % 3)::uuid, md5((i / 2)::text)::uuid,
			date '2026-03-01' + i % 5, i % 2 from generate_series(1, 3000) i`)
	exec(t, db, `
		insert into experiment_served (environment_id, experiment_id, person, day, arm)
		select 9, '00000000-0000-0000-0000-000000000009', md5(i::text)::uuid, '2026-03-09', 0
		from generate_series(1, 66000) i`)
	exec(t, db, `
		insert into live_user (environment_id, month, person)
		select 1 + i % 2, '2026-03-01', md5(i::text)::uuid from generate_series(1, 3000) i`)
	const served = `select md5(string_agg(s::text, ' ' order by environment_id, experiment_id, person, arm))
		from (select environment_id, experiment_id, person, day, arm from experiment_served) s`
	const live = `select md5(string_agg(l::text, ' ' order by environment_id, month, person))
		from (select environment_id, month, person from live_user) l`
	before := []string{query[string](t, db, served)[0], query[string](t, db, live)[0]}
	if err := postgres.Migrate(t.Context(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	if after := []string{query[string](t, db, served)[0], query[string](t, db, live)[0]}; after[0] != before[0] ||
		after[1] != before[1] {
		t.Errorf("people are others: %v, %v before", after, before)
	}
	const sizes = `select (octet_length(people) / 16)::text from experiment_served_packed where environment_id = 9 order by 1`
	if got := strings.Join(query[string](t, db, sizes), " "); got != "464 65536" {
		t.Errorf("people by row: %s", got)
	}
}
