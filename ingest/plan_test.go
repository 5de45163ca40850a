package ingest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// A plan is made while a new table is empty and kept until the table is analyzed, so it must look for a person's
// rows by person also then: one that finds those of the environment reads all of them for each batch.
func TestPlansForEmptyTablesFindOnePersonsRows(t *testing.T) {
	db := pgtest.New(t)
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("the plans are those of the nodes")
	}
	for _, query := range []struct{ name, sql string }{
		{"lock_first_touches", lockTouchesSQL},
		{"replace_first_touches", updateTouchesSQL},
		{"read_sessions_of_visitor", sessionsOfVisitorSQL},
	} {
		t.Run(query.name, func(t *testing.T) {
			tx, err := db.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
			_, err = tx.Exec(t.Context(), `set local plan_cache_mode = force_generic_plan`)
			require.NoError(t, err)
			statement, err := tx.Prepare(t.Context(), query.name, query.sql)
			require.NoError(t, err)
			nulls := strings.TrimSuffix(strings.Repeat("null, ", len(statement.ParamOIDs)), ", ")
			// An empty table is read whole by a plan that is thrown away when it grows; an index stays.
			_, err = tx.Exec(t.Context(), `set local enable_seqscan = off`)
			require.NoError(t, err)
			rows, err := tx.Query(t.Context(), `explain execute `+query.name+` (`+nulls+`)`, pgx.QueryExecModeExec)
			require.NoError(t, err)
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Regexp(t, `Index Cond: \(.*environment_id = .*app_user_id = `, strings.Join(plan, "\n"))
		})
	}
}
