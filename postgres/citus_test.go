package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/pgtest"
	"github.com/svc-dev/svc/postgres"
)

func requireCitus(t *testing.T) {
	t.Helper()
	if pgtest.Capabilities(t).Citus == "" {
		t.Skip("needs Citus: SVC_TEST_VARIANT=citus")
	}
}

// A database with rows is distributed as it is, and once.
func TestMigrateDistributesWhatIsThere(t *testing.T) {
	requireCitus(t)
	db := open(t, pgtest.EmptyURL(t))
	ctx := t.Context()
	off := options(t)
	off.Sharding = postgres.ShardingOff
	require.NoError(t, postgres.Migrate(ctx, db, off))
	require.Empty(t, query[string](t, db, `select logicalrelid::text from pg_dist_partition`))
	for _, sql := range []string{
		`insert into event_name (environment_id, id, kind, text, text_hash)
			select e, n, 6, 'name ' || n, gen_random_uuid() from generate_series(1, 20) e, generate_series(1, 10) n`,
		`insert into event_seen (environment_id, path, event_key, seen_at)
			select e, 1, gen_random_uuid(), now() from generate_series(1, 20) e, generate_series(1, 10)`,
		`insert into product_event (environment_id, occurred_at, received_at, event_key, name_id)
			select e, now() - n * interval '20 days', now(), gen_random_uuid(), n
			from generate_series(1, 20) e, generate_series(1, 10) n`,
	} {
		_, err := db.Pool.Exec(ctx, sql)
		require.NoError(t, err)
	}
	for range 2 {
		require.NoError(t, postgres.Migrate(ctx, db, options(t)))
		require.Equal(t, []int64{11, 1}, []int64{
			query[int64](t, db, `select count(*) from citus_tables where table_name::text not like '%\_event\_%'`)[0],
			query[int64](t, db, `select count(distinct colocation_id) from citus_tables`)[0],
		})
		for _, table := range []string{"event_name", "event_seen", "product_event"} {
			require.Equal(t, []int64{200}, query[int64](t, db, `select count(*) from `+table), table)
			require.Equal(t, []int64{10}, query[int64](t, db, `select count(*) from `+table+` where environment_id = 7`), table)
		}
		require.Equal(t, []int64{10}, query[int64](t, db, `select count(*) from product_events where environment_id = 7`))
	}
	require.Equal(t, []int64{2}, query[int64](t, db, `
		select count(distinct nodename || nodeport) from citus_shards where table_name = 'event_name'::regclass`))
	local := query[int64](t, db, `select pg_relation_size('event_name') + pg_relation_size('event_seen')`)
	require.Zero(t, local[0], "rows are on the workers only")
	// A column of the transaction without a value is an error, never a worker's id.
	_, err := db.Pool.Exec(ctx, `insert into frame_invalidated (environment_id) values (1)`)
	require.ErrorContains(t, err, "xid")
}

func TestShardingThatCanNotBeIsRefused(t *testing.T) {
	db := open(t, pgtest.EmptyURL(t))
	opts := options(t)
	opts.Sharding = postgres.ShardingCitus
	if pgtest.Capabilities(t).Citus == "" {
		opts.WithoutTimescale = true
		require.ErrorContains(t, postgres.Migrate(t.Context(), db, opts), "create extension citus")
		return
	}
	_, err := db.Pool.Exec(t.Context(), `
		select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0`)
	require.NoError(t, err)
	require.ErrorContains(t, postgres.Migrate(t.Context(), db, opts), "citus_add_node")
}

// A transaction that a worker has prepared and not committed still runs for those who follow changes.
func TestHalfCommitted(t *testing.T) {
	db := pgtest.New(t)
	require.Equal(t, []int64{0}, query[int64](t, db, `select cardinality(half_committed(7))`))
	requireCitus(t)
	prepared := pgtest.HalfCommit(t, db, 7, "frame_invalidated", func(shard, xid string) string {
		return fmt.Sprintf(`insert into %s (environment_id, xid) values (7, '%s')`, shard, xid)
	})
	require.Equal(t, []string{prepared.Transaction}, query[string](t, db, `select unnest(half_committed(7))::text`))
	var snapshot string
	require.NoError(t, postgres.NewReader(db.Pool).Read(t.Context(), func(tx pgx.Tx) (err error) {
		snapshot, err = postgres.Snapshot(t.Context(), tx, 7)
		return err
	}))
	require.Equal(t, []bool{false, true}, query[bool](t, db, `
		select unnest(array[pg_visible_in_snapshot($1::text::xid8, $2::text::pg_snapshot),
			pg_visible_in_snapshot($1::text::xid8, pg_current_snapshot())])`, prepared.Transaction, snapshot))
	prepared.Finish(t)
	require.Equal(t, []int64{0}, query[int64](t, db, `select cardinality(half_committed(7))`))
	require.Equal(t, []string{prepared.Transaction}, query[string](t, db, `select xid::text from frame_invalidated`))
}
