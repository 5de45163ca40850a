package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func requireCitus(t *testing.T) {
	t.Helper()
	if pgtest.Capabilities(t).Citus == "" {
		t.Skip("needs Citus: SVC_TEST_VARIANT=citus")
	}
}

// tenantRows puts rows of twenty environments into every table that is distributed.
const tenantRows = `
	insert into event_name (environment_id, id, kind, text, text_hash)
		select e, n, 6, 'name ' || n, gen_random_uuid() from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into flow_name (environment_id, id, kind, text, text_hash)
		select e, n, 6, 'name ' || n, gen_random_uuid() from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into event_detail (environment_id, kind, id, hash)
		select e, 1, n, gen_random_uuid() from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into event_seen (environment_id, path, event_key, seen_at)
		select e, 1, gen_random_uuid(), now() from generate_series(1, 20) e, generate_series(1, 10);
	insert into event_seen_packed (environment_id, slot, maker, seen_at, closed, keys)
		select e, 1, n, now(), false, '\x00' from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits)
		select e, 'v' || n, 's', now(), now(), current_date, array[n, 2 * n] from generate_series(1, 20) e,
		generate_series(1, 10) n;
	insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
		session_started_at, session_id)
		select e, 'v' || n, now(), 0, now(), 's' from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
		hits, contexts)
		select e, 'v' || n, gen_random_uuid(), gen_random_uuid(), false, true, now(), now(), current_date, '\x01', '\xff'
		from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into frame_invalidated (environment_id, home_day)
		select e, current_date - n from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into product_event (environment_id, occurred_at, received_at, event_key, name_id)
		select e, now() - n * interval '20 days', now(), gen_random_uuid(), n
		from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into track_event (environment_id, occurred_at, received_at, event_key, properties)
		select e, now() - n * interval '2 years', now(), gen_random_uuid(), '{"a": "ü"}'
		from generate_series(1, 20) e, generate_series(1, 10) n;
	insert into flow_event (environment_id, occurred_at, received_at, channel_id, event_key, flow_id, version_id)
		select e, now() - n * interval '1 day', now(), n, gen_random_uuid(), gen_random_uuid(), gen_random_uuid()
		from generate_series(1, 20) e, generate_series(1, 10) n`

var tenantTables = []string{
	"event_name", "flow_name", "event_detail", "event_seen", "event_seen_packed", "product_session", "product_analytics_first_touch",
	"flow_run", "frame_invalidated", "product_event", "flow_event", "track_event",
}

// tenantState returns a digest of all rows of each of the tables.
func tenantState(t *testing.T, db *postgres.DB) map[string]string {
	t.Helper()
	state := map[string]string{}
	for _, table := range tenantTables {
		state[table] = query[string](t, db, `
			select count(*) || ' ' || md5(string_agg(r::text, E'\n' order by r::text collate "C")) from `+table+` r`)[0]
		require.Regexp(t, "^200 ", state[table], table)
	}
	return state
}

// A database with rows, of one server until now, is distributed as it is, and once.
func TestMigrateDistributesWhatIsThere(t *testing.T) {
	requireCitus(t)
	ctx := t.Context()
	url := pgtest.PlainURL(t)
	db := open(t, url)
	require.NoError(t, postgres.Migrate(ctx, db, options(t)))
	_, err := db.Pool.Exec(ctx, tenantRows)
	require.NoError(t, err)
	before := tenantState(t, db)
	db.Close() // a server that runs does not notice a new extension

	pgtest.FormCluster(t, url)
	db = open(t, url)
	off := options(t)
	off.Sharding = postgres.ShardingOff
	require.NoError(t, postgres.Migrate(ctx, db, off))
	require.Empty(t, query[string](t, db, `select logicalrelid::text from pg_dist_partition`))
	require.Equal(t, before, tenantState(t, db))
	for range 2 {
		require.NoError(t, postgres.Migrate(ctx, db, options(t)))
		require.ElementsMatch(t, tenantTables, query[string](t, db, `
			select table_name::text from citus_tables where table_name::text not like '%\_event\_%'`))
		require.Equal(t, []int64{1}, query[int64](t, db, `select count(distinct colocation_id) from citus_tables`))
		require.Equal(t, before, tenantState(t, db))
		require.Equal(t, []int64{10}, query[int64](t, db, `select count(*) from product_events where environment_id = 7`))
	}
	require.Equal(t, []int64{2}, query[int64](t, db, `
		select count(distinct nodename || nodeport) from citus_shards where table_name = 'event_name'::regclass`))
	for _, table := range tenantTables {
		require.Equal(t, []int64{0}, query[int64](t, db, `
			select pg_relation_size($1::text::regclass) + coalesce(sum(pg_relation_size(relid)), 0)::bigint
			from pg_partition_tree($1::text::regclass)`, table),
			"rows of %s are on the workers only", table)
	}
	// A column of the transaction without a value is an error, never a worker's id.
	_, err = db.Pool.Exec(ctx, `insert into frame_invalidated (environment_id) values (1)`)
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
		snapshot, err = postgres.Snapshot(t.Context(), tx, 7, nil)
		return err
	}))
	require.Equal(t, []bool{false, true}, query[bool](t, db, `
		select unnest(array[pg_visible_in_snapshot($1::text::xid8, $2::text::pg_snapshot),
			pg_visible_in_snapshot($1::text::xid8, pg_current_snapshot())])`, prepared.Transaction, snapshot))
	prepared.Finish(t)
	require.Equal(t, []int64{0}, query[int64](t, db, `select cardinality(half_committed(7))`))
	require.Equal(t, []string{prepared.Transaction}, query[string](t, db, `select xid::text from frame_invalidated`))
}
