package postgres_test

import (
	"context"
	_ "embed"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

//go:embed testdata/first_event_tables.sql
var firstEventTables string

// firstVersion takes a migrated database back to the event tables of the first version, as hypertables or as native
// partitions, and puts events of many weeks into it.
func firstVersion(t *testing.T, db *postgres.DB, timescale bool) {
	t.Helper()
	clause := "partition by range (occurred_at)"
	if timescale {
		clause = ""
	}
	if pgtest.Capabilities(t).TimescaleDB != "" {
		exec(t, db, `drop materialized view if exists product_event_hourly`)
	}
	exec(t, db, `drop schema if exists svc_read cascade; drop view product_events, flow_events, track_events;
		drop table product_event, flow_event, track_event`)
	tables, indexes, _ := strings.Cut(strings.ReplaceAll(firstEventTables, "/*storage*/", clause), "create index")
	exec(t, db, tables)
	for _, table := range []string{"product_event", "flow_event", "track_event"} {
		if timescale {
			exec(
				t, db,
				`select create_hypertable('`+table+`', by_range('occurred_at', interval '7 days'), create_default_indexes => false)`,
			)
			exec(t, db, `alter table `+table+` set (timescaledb.enable_columnstore = true,
				timescaledb.segmentby = 'environment_id', timescaledb.orderby = 'occurred_at desc, event_id')`)
			continue
		}
		exec(t, db, `create table `+table+`_default partition of `+table+` default`)
		month := time.Now().UTC().AddDate(0, -1, 0).Format("200601")
		exec(
			t, db,
			`create table `+table+`_`+month+` partition of `+table+` for values from (date_trunc('month', now(), 'UTC') - interval '1 month') to (date_trunc('month', now(), 'UTC'))`,
		)
	}
	exec(t, db, "create index"+indexes)
	exec(t, db, `
		insert into product_event (environment_id, occurred_at, event_id, event_key, received_at, name, name_id,
		app_user_id, session_id, page,
			source, landing_url, organic, country, city, latitude, longitude, platform, browser, locale, properties)
		select 1, date_trunc('day', now()) - make_interval(hours => n), 'id ' || n, md5(n::text)::uuid, now(), 'page_view',
		1, 'u' || n % 7, 's' || n % 50, '/page',
			'google', 'https://shop.example', true, 'DE', 'Ulm', 48.5, 10, 'web', 'Firefox', 'de', jsonb_build_object('n', n)
		from generate_series(1, 1200) n;
		insert into flow_event (environment_id, occurred_at, event_id, event_key, received_at, name, channel_id, flow_id,
		version_id, app_user_id, country, custom_properties)
		select 1, now() - make_interval(hours => n), gen_random_uuid(), gen_random_uuid(), now(), 'flow_started', 1,
		gen_random_uuid(), gen_random_uuid(), 'u', 'DE', '{"tier": "gold"}'
		from generate_series(1, 300) n;
		insert into track_event (environment_id, occurred_at, event_id, event_key, received_at, name, app_user_id, page, os)
		select 1, now() - make_interval(hours => n), 'track ' || n, gen_random_uuid(), now(), 'signup', 'u', '/page', 'iOS'
		from generate_series(1, 300) n`)
	if timescale {
		exec(t, db, `select compress_chunk(c)
			from (select show_chunks('product_event', older_than => now() - interval '7 days') c
			union all select show_chunks('flow_event', older_than => now() - interval '7 days')) chunks`)
		if n := query[int](t, db, `select count(*) from timescaledb_information.chunks where is_compressed`); n[0] < 4 {
			t.Fatalf("%d compressed chunks, want some of each table", n[0])
		}
	}
}

// allEvents returns the rows of a table as the first version's columns have them.
func allEvents(t *testing.T, db *postgres.DB, columnsOf, from string) []string {
	t.Helper()
	columns := query[string](t, db, `
		select attname::text from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped
		order by attname`, columnsOf)
	return query[string](t, db, `select row(`+strings.Join(columns, ", ")+`)::text from `+from+` order by 1`)
}

func TestUpgradeFromTheFirstEventTables(t *testing.T) {
	ctx := context.Background()
	db := pgtest.New(t)
	firstVersion(t, db, pgtest.Capabilities(t).TimescaleDB != "")
	before := map[string][]string{}
	for _, table := range []string{"product_event", "flow_event", "track_event"} {
		before[table] = allEvents(t, db, table, table)
		exec(t, db, `create table first_`+table+` as select * from `+table+` limit 0`) // its columns
	}
	if err := postgres.Migrate(ctx, db, options(t)); err != nil {
		t.Fatal(err)
	}
	// As the version before had it.
	const fiveMinutes = "date_bin('5 minutes', occurred_at, timestamptz '1970-01-01 00:00:00+00')"
	for _, index := range []string{
		"product_event_time on product_event (environment_id, occurred_at)",
		"product_event_minute_tenth on product_event (environment_id, " + fiveMinutes + ")",
		"track_event_minutes on track_event (environment_id, " + fiveMinutes + ")",
	} {
		exec(t, db, "create index if not exists "+index)
	}
	if err := postgres.Migrate(ctx, db, options(t)); err != nil {
		t.Fatalf("again: %v", err)
	}
	for table, want := range before {
		got := allEvents(t, db, "first_"+table, table+"s")
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf(
				"%s: %d events before, %d other ones after; the first: %s, was %s", table, len(want), len(got), got[0], want[0],
			)
		}
	}

	indexes := query[string](t, db, `
		select c.relname::text from pg_index x join pg_class c on c.oid = x.indexrelid
		where x.indrelid in ('product_event'::regclass, 'flow_event'::regclass, 'track_event'::regclass) and x.indisvalid
		order by 1`)
	wantIndexes, each := "flow_event_flow flow_event_typed flow_event_visitor product_event_bin_tenth "+
		"product_event_moment product_event_person product_event_range product_event_rare_tenth track_event_bin", 5
	if pgtest.Capabilities(t).TimescaleDB != "" {
		wantIndexes, each = "flow_event_flow flow_event_typed flow_event_visitor product_event_person "+
			"product_event_rare_day product_event_time track_event_time", 3
	}
	if got := strings.Join(indexes, " "); got != wantIndexes {
		t.Errorf("indexes %s", got)
	}
	// Each partition and each chunk that can be written to has them too.
	bare := query[string](t, db, `
		select c.oid::regclass::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'product_event'::regclass and (select count(*) from pg_index x
		where x.indrelid = c.oid and x.indisvalid) <> $1`, each)
	if len(bare) != 0 {
		t.Errorf("partitions without the indexes: %v", bare)
	}

	// What the index of partitions computes is known to the planner.
	if known := query[int](t, db, `select count(*) from pg_statistic s join pg_class c on c.oid = s.starelid
		where c.relname like 'product_event_2%\_bin\_tenth'`); known[0] == 0 && each == 5 {
		t.Error("no statistics of the index of time")
	}

	// New rows, in a compressed chunk too, are read with the old ones.
	exec(t, db, `
		insert into event_detail (environment_id, kind, id, hash, country, city)
		values (1, 1, 1, gen_random_uuid(), 'PT', 'Faro');
		insert into event_name (environment_id, id, kind, text, text_hash) values (1, 2, 4, '/new', gen_random_uuid());
		insert into product_event (environment_id, occurred_at, event_key, session_uuid, received_at, name, name_id,
		app_user_id, place_id, attribution)
		values (1, now() - interval '40 days', '0197aa00-0000-7000-8000-000000000001',
		'0197aa00-0000-7000-8000-000000000002', now(), 'page_view', 2, 'new', 1, '{"link.entry": "x"}')`)
	got := query[string](
		t, db,
		`select row(event_id, session_id, page, country, city, source, attribution)::text from product_events
			where app_user_id = 'new'`,
	)
	want := `(0197aa00-0000-7000-8000-000000000001,0197aa00-0000-7000-8000-000000000002,/new,PT,Faro,"","{""link.entry"": ""x""}")`
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// An index that an interrupted migration left half made is made anew.
func TestInterruptedIndexIsMadeAnew(t *testing.T) {
	db := pgtest.New(t)
	insertEvent(t, db, "one", time.Now())
	exec(t, db, `update pg_index set indisvalid = false where indexrelid = 'product_event_person'::regclass`)
	if pgtest.Capabilities(t).TimescaleDB == "" {
		exec(t, db, `drop index product_event_person`)
		exec(t, db, `create index product_event_person on only product_event (environment_id, app_user_id)`)
	}
	if err := postgres.Migrate(context.Background(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	if valid := query[bool](
		t, db, `select indisvalid from pg_index where indexrelid = 'product_event_person'::regclass`,
	); len(valid) != 1 || !valid[0] {
		t.Errorf("the index is valid: %v", valid)
	}
	if n := query[int](
		t, db, `select count(*) from product_event where environment_id = 1 and app_user_id = 'u1'`,
	); n[0] > 1 {
		t.Errorf("%d rows", n[0])
	}
}

// docs/database.md says how to move from native partitions to hypertables.
func TestMoveToTimescaleDB(t *testing.T) {
	needTimescale(t)
	db := pgtest.New(t)
	firstVersion(t, db, false)
	before := allEvents(t, db, "product_event", "product_event")
	steps := sqlOf(t, "../docs/database.md", "## Moving to TimescaleDB")
	if len(steps) != 3 {
		t.Fatalf("%d steps in SQL, want 3", len(steps))
	}
	exec(t, db, steps[0])
	if err := postgres.Migrate(context.Background(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps[1:] {
		exec(t, db, step)
	}
	if after := allEvents(
		t, db, "native.product_event", "product_events",
	); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("%d events before, %d other ones after", len(before), len(after))
	}
	exec(t, db, `drop schema native cascade`)
	if n := query[int](t, db, `select count(*) from flow_events`); n[0] != 300 {
		t.Errorf("%d flow events, want 300", n[0])
	}
}

// sqlOf returns the SQL of a section of a document.
func sqlOf(t *testing.T, path, heading string) []string {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var blocks []string
	for {
		_, rest, found := strings.Cut(section, "```sql\n")
		if !found {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "```")
		blocks, section = append(blocks, block), after
	}
}
