package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// ofOne is how many of eight connections one caller has: two thirds of what is not kept for the work of nobody.
const ofOne = 4

func openEight(t *testing.T) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// stall lets a caller ask for many connections at once and keep them until end is called. Some leave before they have
// one.
func stall(t *testing.T, db *postgres.DB, caller string) (end func()) {
	t.Helper()
	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `select pg_advisory_xact_lock(1)`)
	require.NoError(t, err)
	leaving, leave := context.WithCancel(t.Context())
	var all errgroup.Group
	for i := range 40 {
		ctx := t.Context()
		if i > 20 {
			ctx = leaving
		}
		all.Go(func() error {
			_, err := db.Pool.Exec(postgres.ForCaller(ctx, caller), `select pg_advisory_xact_lock_shared(1)`)
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			return err
		})
	}
	waiting := func() (n int) {
		require.NoError(t, tx.QueryRow(t.Context(), `select count(*) from pg_locks where not granted
			and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
		).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return waiting() == ofOne }, time.Minute, time.Millisecond)
	return func() {
		leave()
		// A backend whose client has left is counted until it notices that.
		require.Eventually(t, func() bool { return waiting() <= ofOne }, time.Minute, time.Millisecond)
		require.NoError(t, tx.Rollback(t.Context()))
		require.NoError(t, all.Wait())
	}
}

// However much a caller does at once, the work of others and that of nobody has connections, also by way of
// database/sql. Every place is given back.
func TestConnectionsAreSharedAmongCallers(t *testing.T) {
	t.Parallel()
	db := openEight(t)
	for range 3 {
		end := stall(t, db, "greedy")
		for _, ctx := range []context.Context{t.Context(), postgres.ForCaller(t.Context(), "other")} {
			limited, cancel := context.WithTimeout(ctx, time.Minute)
			_, err := db.Pool.Exec(limited, `select 1`)
			require.NoError(t, err)
			_, err = db.Ent().Workspace.Query().Count(limited)
			require.NoError(t, err)
			cancel()
		}
		end()
	}
}

// Whoever has a connection gets the second one that the work needs: pieces that hold one each do not wait for each
// other.
func TestWorkWithinATransactionWaitsForNoOther(t *testing.T) {
	t.Parallel()
	db := openEight(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all errgroup.Group
	for range 12 {
		all.Go(func() error {
			ctx := postgres.ForCaller(ctx, "one")
			return pgx.BeginFunc(ctx, db.Pool, func(pgx.Tx) error {
				_, err := db.Pool.Exec(ctx, `select pg_sleep(0.05)`)
				return err
			})
		})
	}
	require.NoError(t, all.Wait())
	stall(t, db, "one")()
}
