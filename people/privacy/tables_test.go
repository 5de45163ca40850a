package privacy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// elsewhere are the tables with columns of people that are not in the lists of this package, with the reason.
var elsewhere = map[string]string{
	"erased_person":  "tombstones, by a hash",
	"event_seen":     "ids of events, by a hash, no longer than the tombstones",
	"person_erasure": "empty once it is finished",
	"person_device":  "goes with person",
	"person_consent": "goes with person",
	"users":          "members of workspaces",
	"invitations":    "members of workspaces",
}

// Whatever table has a column that names a person is erased, and given out: a new one must be put in the lists.
func TestEveryTableOfPeopleIsErasedAndGivenOut(t *testing.T) {
	db := pgtest.New(t)
	rows, err := db.Pool.Query(t.Context(), `
		select distinct c.table_name::text from information_schema.columns c
		join pg_class r on r.oid = to_regclass(quote_ident(c.table_name)) and r.relkind in ('r', 'p') and not r.relispartition
		where c.table_schema = 'public' and c.column_name in ('app_user_id', 'app_user_ids', 'custom_user_id', 'person',
			'person_id', 'person_ids', 'email')
			or c.table_schema = 'public' and c.column_name = 'people' and c.data_type = 'bytea'
		order by 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(tables), 12)
	erased := slices.Clone(eventTables)
	for _, r := range rest {
		erased = append(erased, r.table)
	}
	var given []string
	for _, s := range sections {
		given = append(given, s.table)
	}
	for _, table := range tables {
		table = strings.TrimSuffix(table, "_packed") // it is known under the name of its view
		if _, known := elsewhere[table]; known && table != "person_device" && table != "person_consent" {
			continue
		}
		require.Contains(t, given, table, "give it out")
		if elsewhere[table] == "" {
			require.Contains(t, erased, table, "erase it")
		}
	}
}

// Minutes that follow each other are one statement, up to an hour; those apart are not.
func TestMergedSpans(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 0, minute, 0, 0, time.UTC) }
	var minutes []span
	for i := range 90 {
		minutes = append(minutes, span{at(i), at(i).Add(30 * time.Second)})
	}
	minutes = append(minutes, span{at(200), at(200)}, span{at(203), at(203)})
	require.Equal(t, []span{
		{at(0), at(59).Add(30 * time.Second)}, {at(60), at(89).Add(30 * time.Second)}, {at(200), at(200)}, {at(203), at(203)},
	}, merged(minutes))
}
