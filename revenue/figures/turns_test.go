package figures_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue/figures"
)

// Ledgers are read turn by turn of workspaces: the many environments of one do not stand before the only one of
// another, neither where they are read whole nor where they are read by portions.
func TestLedgersOfWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	for name, inPortions := range map[string]bool{"whole": false, "by portions": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const many = 20
			db := pgtest.New(t)
			own := func(environments int) (workspace uuid.UUID, ids []int64) {
				require.NoError(t, db.Pool.QueryRow(t.Context(), `
					insert into workspaces (id, name) values (gen_random_uuid(), 'w') returning id`).Scan(&workspace))
				for range environments {
					var id int64
					require.NoError(t, db.Pool.QueryRow(t.Context(), `
						with a as (insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
							values (gen_random_uuid(), 'a', '[]', '{}', '{}', $1) returning id)
						insert into environments (app_id, kind) select id, 'live' from a returning id`, workspace).Scan(&id))
					ids = append(ids, id)
				}
				return workspace, ids
			}
			greedy, theirs := own(many)
			modest, mine := own(1)
			store := figures.NewLedgers(db.Pool, figures.Settings{})
			if inPortions {
				for _, environment := range append(mine, theirs...) {
					store.ReadInPortions(t, environment)
				}
			}
			tx, err := db.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = tx.Rollback(context.Background()) }()
			_, err = tx.Exec(t.Context(), `lock table revenue_ledger in access exclusive mode`)
			require.NoError(t, err)
			answered := make(chan int64, many+1)
			ask := func(environment int64) {
				scope, err := figures.Scope{EnvironmentID: environment, Start: at(1), End: at(30)}.Resolve(at(60))
				require.NoError(t, err)
				go func() {
					if _, err := store.Reader(scope, at(60)).Totals(context.Background()); err != nil {
						t.Error(err)
					}
					answered <- environment
				}()
			}
			for _, environment := range theirs {
				ask(environment)
			}
			waits := func(workspace uuid.UUID, n int) {
				require.Eventually(t, func() bool { return store.Waiting(workspace) == n }, time.Minute, time.Millisecond)
			}
			waits(greedy, many-1)
			ask(mine[0])
			waits(modest, 1)
			require.NoError(t, tx.Rollback(t.Context()))
			var order []int64
			for range many + 1 {
				order = append(order, <-answered)
			}
			// After the one that was being read and the next of its line; those that end together may be told of in any order.
			require.Less(t, slices.Index(order, mine[0]), many/2, "%v", order)
		})
	}
}
