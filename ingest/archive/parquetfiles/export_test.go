package parquetfiles

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const (
	environment = 11
	first       = "2026-03-01"
)

func execute(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// store puts three days of every table into the database, in two environments.
func store(t *testing.T, db *postgres.DB) {
	t.Helper()
	for _, sql := range []string{
		`insert into product_event (environment_id, occurred_at, received_at, event_key, event_id, name, app_user_id, session_id,
				page, source, organic, country, latitude, properties)
			select e, $1::timestamptz + n * interval '7 minutes 1 microsecond', $1::timestamptz + interval '4 days',
				md5(e || ' ' || n)::uuid, case when n % 3 = 0 then 'id "' || n || '"' end, 'name ' || n % 5, 'p' || n % 9,
				's' || n, nullif('/' || n % 4, '/0'), case when n % 2 = 0 then 'google' end,
				case when n % 5 = 0 then n % 10 = 0 end, 'DE', case when n % 7 = 0 then 52.5 end,
				case when n % 4 <> 0 then jsonb_build_object('n', n, 'text', 'ü <&> ' || n) end
			from unnest(array[11, 12]) e, generate_series(0, 600) n`,
		// Most events name by id what they have in common; some of the rows are not there, and some say less than the event.
		`update product_event set place_id = nullif(n % 4, 0), device_id = nullif(n % 3, 0), attribution_id = nullif(n % 5, 0),
				name_id = case when n % 2 = 0 then 5 + n % 4 end, page = case when n % 7 = 0 then '' else page end
			from generate_series(0, 600) n where event_key = md5(environment_id || ' ' || n)::uuid and n % 6 > 0`,
		`insert into event_detail (environment_id, kind, id, hash, country, region, city, latitude, longitude, platform, browser,
				os, source, medium, landing_url, organic)
			select e, kind, id, md5(e || ' ' || kind || ' ' || id)::uuid,
				case when kind = 1 then 'FR' else '' end, case when kind = 1 and id = 1 then 'Rhône' else '' end,
				case when kind = 1 then 'Lyon ' || id else '' end, case when kind = 1 and id = 2 then 45.5 end,
				case when kind = 1 and id = 2 then 4.5 end, case when kind = 2 then 'web' else '' end,
				case when kind = 2 then 'Firefox' else '' end, case when kind = 2 and id = 3 then 'Linux' else '' end,
				case when kind = 3 and id < 3 then 'bing' else '' end, case when kind = 3 then 'cpc' else '' end,
				case when kind = 3 then 'https://a.example/' || id else '' end, case when kind = 3 and id = 1 then true end
			from unnest(array[11, 12]) e, generate_series(1, 3) kind, generate_series(1, 3) id where (kind, id) <> (2, 2)`,
		`insert into flow_event (environment_id, occurred_at, received_at, channel_id, event_key, flow_id, version_id, run_id, seq,
				assignment_version, name, step_id, from_step_id, app_user_id)
			select 11, $1::timestamptz + n * interval '1 hour', $1::timestamptz, 7, md5('f' || n)::uuid, md5('flow')::uuid,
				md5('version')::uuid, case when n % 2 = 0 then md5('run')::uuid end, n, 3, 'step_viewed', 'pay',
				case n % 3 when 0 then '' when 1 then 'start' end, 'p' || n % 9
			from generate_series(0, 70) n`,
		`insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, page)
			select 11, $1::timestamptz + n * interval '1 hour', $1::timestamptz, md5('t' || n)::uuid, 'order', 'p' || n, '/cart'
			from generate_series(0, 70) n`,
		`insert into event_name (environment_id, id, kind, text, text_hash) values
			(11, 5, 4, '/home', md5('a')::uuid), (11, 6, 6, 'bought', md5('b')::uuid), (11, 7, 1, '', md5('c')::uuid)`,
		`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, source,
				changed_xid, hits)
			select 11, 'p' || n % 9, 's' || n, at, at + interval '1 minute', (at at time zone 'utc')::date, 'google',
				pg_current_xact_id(), (select array_agg(
					((extract(epoch from at - '2020-01-01 00:00+00') * 1000)::bigint + k * 1000) << 22 | k)
					from generate_series(5, 7) k)
			from generate_series(0, 70) n, lateral (select $1::timestamptz + n * interval '1 hour' as at) a`,
		`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at, amount_micros,
				original_amount, product_id, period_end)
			select 11, 'stripe', 'evt' || n, 'originating', 'p' || n % 9, $1::timestamptz + n * interval '1 hour',
				n * 1000000 - 5, case when n % 2 = 0 then n end, 'pro', case when n % 3 = 0 then $1::timestamptz end
			from generate_series(0, 70) n`,
		`insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
				period_type, starts_at, ends_at, grace_until, auto_renew, amount_micros, store)
			select e, 'stripe', 't' || n, 's' || n % 9, 'evt' || n, 'normal', $1::timestamptz + n * interval '1 hour',
				$1::timestamptz + interval '40 days', case when n % 4 = 0 then $1::timestamptz + interval '41 days' end,
				n % 2 = 0, case when n % 3 <> 0 then n * 1000000 end, case when n % 5 <> 0 then 'stripe' else '' end
			from unnest(array[11, 12]) e, generate_series(0, 70) n`,
		`insert into flow_name (environment_id, id, kind, text, text_hash) values
			(11, 5, 1, 'welcome', md5('a')::uuid), (11, 6, 1, 'pay', md5('b')::uuid), (12, 5, 1, 'of others', md5('c')::uuid)`,
		// The third person is there on two days, and counts on the first.
		`insert into experiment_served_packed (environment_id, experiment_id, day, arm, people) values
			(11, md5('x0')::uuid, '` + first + `', 0, uuid_send(md5('p1')::uuid) || uuid_send(md5('p2')::uuid)),
			(11, md5('x0')::uuid, '2026-03-02', 0, uuid_send(md5('p3')::uuid)),
			(11, md5('x0')::uuid, '2026-03-03', 0, uuid_send(md5('p3')::uuid) || uuid_send(md5('p4')::uuid)),
			(11, md5('x0')::uuid, '2026-03-03', 1, uuid_send(md5('p3')::uuid)),
			(12, md5('x1')::uuid, '2026-03-03', 1, uuid_send(md5('p5')::uuid))`,
		// Who made the notes and where the channels belong says nothing here, and is left out.
		`begin; set local session_replication_role = replica;
		insert into notes (id, at, text, updated_at, environment_id, user_id)
			select md5('n' || n)::uuid, timestamptz '` + first + `T06:00Z' + n * interval '1 day', 'note ' || n, now(), 11 + n % 2,
				md5('u')::uuid from generate_series(0, 4) n;
		insert into channels (id, public_id, name, environment_id, updated_at)
			values (7, 'ch_live_seven', 'Main', 11, now()), (8, 'ch_live_eight', 'Other', 12, now());
		insert into experiments (id, name, salt, created_at, updated_at, channel_id)
			select md5('x' || n)::uuid, 'Price ' || n, 's', timestamptz '` + first + `T06:00Z' + n * interval '1 day', now(), 7 + n % 2 from generate_series(0, 2) n;
		insert into variants (id, key, position, weight, experiment_id)
			select md5(x.id::text || n)::uuid, 'arm-' || n, n, 50, x.id from experiments x, generate_series(0, 1) n; commit`,
	} {
		var args []any
		if strings.Contains(sql, "$1") {
			args = []any{first + "T00:00:00Z"}
		}
		execute(t, db, sql, args...)
	}
	for _, environment := range []int64{environment, 12} {
		for day := range 3 {
			storeRun(t, db, environment, day)
		}
	}
}

// storeRun stores the run of a day, as events of two screens and a surface make it; that of the last day has no id.
func storeRun(t *testing.T, db *postgres.DB, environment int64, day int) {
	t.Helper()
	at := time.Date(2026, 3, 1+day, 10, 0, 0, 0, time.UTC)
	var row run.Row
	for i, hit := range []run.Hit{
		{Name: run.FlowStarted}, {Name: run.StepViewed, Step: 5}, {Name: run.SurfacePresented, Step: 6},
		{Name: run.StepViewed, Step: 5}, {Name: run.FlowCompleted},
	} {
		hit.Key, hit.At, hit.Seq = [16]byte{byte(i + 1)}, at.UnixMilli()+int64(i)*1000, int64(i)
		event := run.Event{Person: fmt.Sprint("p", day), SessionID: "s", Flow: [16]byte{1}, Hit: hit}
		event.Context.Release = run.Release{Channel: 7 + int64(day), Version: [16]byte{2}, AssignmentVersion: -1}
		event.Context.Client.Locale = "de"
		if day < 2 {
			event.RunID = [16]byte{9, byte(day)}
		}
		if one := run.Of(&event); i == 0 {
			row = one
		} else {
			row = run.Merge(row, one)
		}
	}
	execute(t, db, `insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
			hits, contexts, changed_xid) values ($1, $2, $3, $4, $5, true, $6, $7, $8, $9, $10, pg_current_xact_id())`, environment, row.Person, [16]byte(row.Flow),
		[16]byte(row.Key), row.Derived, at, at.Add(4*time.Second), at.Format(time.DateOnly), row.Hits, row.Contexts)
}

func export(t *testing.T, db *postgres.DB, dir string, change func(*Options)) Summary {
	t.Helper()
	what := Options{App: "app", Environment: "live", EnvironmentID: environment, To: Folder(dir)}
	if change != nil {
		change(&what)
	}
	done, err := Export(context.Background(), db.Pool, what)
	require.NoError(t, err)
	return done
}

// manifestOf checks every file of a folder against the manifest and returns it.
func manifestOf(t *testing.T, dir string) (read manifest) {
	t.Helper()
	dir = filepath.Join(dir, "environment=live")
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != manifestName && entry.Name() != viewsName {
			name, _ := filepath.Rel(dir, path)
			found[filepath.ToSlash(name)] = true
		}
		return err
	}))
	require.Len(t, read.Files, len(found))
	for _, file := range read.Files {
		require.True(t, found[file.Path], file.Path)
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file.Path)))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		require.Equal(t, file.SHA256, hex.EncodeToString(sum[:]), file.Path)
		require.EqualValues(t, file.Bytes, len(content))
	}
	return read
}

// rowsOf reads the files of a table back by the schema that is in them, as texts by column, in order.
func rowsOf(t *testing.T, dir, table string) (rows []map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "environment=live", "table="+table, "day=*", "*.parquet"))
	require.NoError(t, err)
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		info, err := file.Stat()
		require.NoError(t, err)
		read, err := parquet.OpenFile(file, info.Size())
		require.NoError(t, err)
		day := strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "day=")
		for _, group := range read.RowGroups() {
			said := make([]map[string]string, group.NumRows())
			for i := range said {
				said[i] = map[string]string{"day": day}
			}
			for column, chunk := range group.ColumnChunks() {
				name := read.Schema().Columns()[column][0]
				row := -1
				for _, value := range valuesOf(t, chunk) {
					if text := textOf(value, chunk.Type()); value.RepetitionLevel() == 0 {
						row++
						said[row][name] = text
					} else { // of a list
						said[row][name] += " " + text
					}
				}
			}
			rows = append(rows, said...)
		}
		require.NoError(t, file.Close())
	}
	return rows
}

// valuesOf reads a column page by page.
func valuesOf(t *testing.T, chunk parquet.ColumnChunk) (values []parquet.Value) {
	t.Helper()
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return values
		}
		require.NoError(t, err)
		read := make([]parquet.Value, page.NumValues())
		n, err := page.Values().ReadValues(read)
		if !errors.Is(err, io.EOF) {
			require.NoError(t, err)
		}
		require.Len(t, read, n)
		for _, value := range read {
			values = append(values, value.Clone())
		}
		parquet.Release(page)
	}
}

func textOf(value parquet.Value, kind parquet.Type) string {
	switch {
	case value.IsNull():
		return "null"
	case kind.String() == "DATE":
		return time.Unix(int64(value.Int32())*24*60*60, 0).UTC().Format("2006-01-02 15:04:05.000000")
	case strings.HasPrefix(kind.String(), "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)"):
		return time.UnixMicro(value.Int64()).UTC().Format("2006-01-02 15:04:05.000000")
	}
	return value.String()
}

// wanted are the rows of a statement as texts by column. Times are in UTC.
func wanted(t *testing.T, db *postgres.DB, sql string) (rows []map[string]string) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(context.Background(), db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(context.Background(), `set local timezone = 'utc'`); err != nil {
			return err
		}
		found, err := tx.Query(context.Background(), sql)
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			values, err := found.Values()
			if err != nil {
				return err
			}
			said := map[string]string{}
			for i, field := range found.FieldDescriptions() {
				switch value := values[i].(type) {
				case nil:
					said[field.Name] = "null"
				case time.Time:
					said[field.Name] = value.UTC().Format("2006-01-02 15:04:05.000000")
				default:
					said[field.Name] = fmt.Sprint(value)
				}
			}
			rows = append(rows, said)
		}
		return found.Err()
	}))
	return rows
}

// questions select what files of a table must say, of a part of its columns, in the order of the files.
var questions = map[string]string{
	"events": `select *, to_char(occurred_at, 'YYYY-MM-DD') as day from (
		select 1 as kind_order, 'product' as kind, event_id, name, occurred_at, received_at, app_user_id,
			nullif(session_id, '') as session_id, nullif(page, '') as page, nullif(source, '') as source, organic, latitude,
			nullif(country, '') as country, properties::text as properties, null as flow_id, null as run_id, null::int as seq,
			null as from_step_id, null as channel_id, environment_id, event_key
		from product_events union all
		select 2, 'flow', event_id, name, occurred_at, received_at, app_user_id, nullif(session_id, ''), null, null, null,
			null, nullif(country, ''), properties::text, flow_id::text, run_id::text, seq, from_step_id,
			'ch_live_seven', environment_id, event_key
		from flow_events union all
		select 3, 'track', event_id, name, occurred_at, received_at, app_user_id, nullif(session_id, ''),
			nullif(page, ''), null, null, null, nullif(country, ''), properties::text, null, null, null, null, null,
			environment_id, event_key
		from track_events) e where environment_id = 11 order by day, kind_order, occurred_at, event_id`,
	"sessions": `select app_user_id, session_id, started_at, last_at, source, nullif(medium, '') as medium, organic,
			cardinality(hits) as hits, to_char(home_day, 'YYYY-MM-DD') as day
		from product_session where environment_id = 11 order by home_day, started_at, app_user_id, session_id`,
	"flow_runs": `select 'p' || n as app_user_id, '01000000-0000-0000-0000-000000000000' as flow_id,
			'2026-03-01 10:00Z'::timestamptz + n * interval '1 day' as started_at,
			'2026-03-01 10:00:04Z'::timestamptz + n * interval '1 day' as completed_at, true as completed, false as abandoned,
			true as paywall_viewed, 'pay welcome' as steps, 'de' as locale, null as country, 5 as events,
			case n when 0 then 'ch_live_seven' end as channel_id, null as experiment_id,
			case when n < 2 then '090' || n || '0000-0000-0000-0000-000000000000' end as run_id, '2026-03-0' || n + 1 as day
		from generate_series(0, 2) n`,
	"flow_steps": `select flow_id::text as flow_id, version_id::text as version_id, run_id::text as run_id, seq, occurred_at as at, name,
			'ch_live_seven' as channel_id, step_id, nullif(from_step_id, '') as from_step_id, app_user_id, null as variant_id,
			to_char(occurred_at, 'YYYY-MM-DD') as day
		from flow_events where environment_id = 11 order by occurred_at, event_key`,
	"experiment_people": `select md5('x0')::uuid::text as experiment_id, md5('p' || n)::uuid::text as person, day, arm
		from (values (1, '2026-03-01'::date, 0), (2, '2026-03-01', 0), (3, '2026-03-02', 0), (4, '2026-03-03', 0),
			(3, '2026-03-03', 1)) as v (n, day, arm) order by day, arm, 2`,
	"hits": `select app_user_id, session_id, started_at as session_started_at, started_at + k * interval '1 second' as at, kind, name,
			to_char(home_day, 'YYYY-MM-DD') as day
		from product_session, (values (5, 'page_view', '/home'), (6, 'custom', 'bought'), (7, 'session_start', null))
			as named (k, kind, name)
		where environment_id = 11 order by home_day, started_at, app_user_id, session_id, k`,
	"ledger": `select provider, provider_event_id, kind, source, occurred_at, app_user_id, amount_micros, original_amount,
			currency, currency_exponent, product_id, period_end, charged_at, to_char(occurred_at, 'YYYY-MM-DD') as day
		from revenue_ledger where environment_id = 11 order by occurred_at, id`,
	"subscriptions": `select provider, subscription_key, transaction_key, period_type, starts_at, ends_at, grace_until, ended_at,
			auto_renew, amount_micros, nullif(store, '') as store, null as product_id, 'P1M' as period_length,
			to_char(starts_at, 'YYYY-MM-DD') as day
		from subscription_period where environment_id = 11 order by starts_at, provider, transaction_key`,
	"experiments": `select x.id::text as experiment_id, x.name, x.status, x.split_by, 'ch_live_seven' as channel_id, x.created_at, x.started_at,
			a.id::text as variant_id, a.position as arm, a.key as variant, null as variant_name, a.weight,
			to_char(x.created_at, 'YYYY-MM-DD') as day
		from experiments x join variants a on a.experiment_id = x.id where x.channel_id = 7 order by x.created_at, a.position`,
	"annotations": `select id::text as id, at, text, created_at, to_char(at, 'YYYY-MM-DD') as day
		from notes where environment_id = 11 order by at`,
}

var kindOrder = map[string]int{"product": 1, "flow": 2, "track": 3}

func requireFolder(t *testing.T, db *postgres.DB, dir string) {
	t.Helper()
	manifestOf(t, dir)
	for table, sql := range questions {
		want, got := wanted(t, db, sql), rowsOf(t, dir, table)
		if table == "events" { // whose rows are in no order but that of their kinds
			require.True(t, slices.IsSortedFunc(got, func(a, b map[string]string) int {
				return cmp.Or(cmp.Compare(a["day"], b["day"]), cmp.Compare(kindOrder[a["kind"]], kindOrder[b["kind"]]))
			}))
			slices.SortStableFunc(got, func(a, b map[string]string) int {
				return cmp.Or(cmp.Compare(a["day"], b["day"]), cmp.Compare(kindOrder[a["kind"]], kindOrder[b["kind"]]),
					cmp.Compare(a["occurred_at"], b["occurred_at"]), cmp.Compare(a["event_id"], b["event_id"]))
			})
		}
		require.Len(t, got, len(want), table)
		for i, row := range want {
			for column, value := range row {
				if column != "kind_order" && column != "environment_id" && column != "event_key" {
					require.Equal(t, value, got[i][column], "%s, row %d, %s", table, i, column)
				}
			}
		}
	}
}

func TestFilesSayWhatTheDatabaseSays(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	done := export(t, db, dir, nil)
	require.Equal(t, 29, done.Files)
	require.EqualValues(t, 601+71+71+71+3*71+71+71+2*2+3+3+71+5, done.Rows)
	requireFolder(t, db, dir)

	again := export(t, db, dir, nil)
	require.Equal(t, Summary{Kept: 29}, again, "nothing has changed")

	// A person leaves, a late event comes, a session goes on, and one day loses all its money.
	execute(t, db, `delete from product_event where environment_id = 11 and app_user_id = 'p3' and occurred_at < '2026-03-02Z'`)
	execute(t, db, `insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		values (11, '2026-03-03 10:00:30Z', now(), gen_random_uuid(), 'late', 'p1'),
			(12, '2026-03-02 10:00Z', now(), gen_random_uuid(), 'of somebody else', 'p1')`)
	execute(t, db, `update product_session set source = 'bing', changed_xid = pg_current_xact_id() where session_id = 's0'`)
	execute(t, db, `delete from revenue_ledger where occurred_at >= '2026-03-03Z'`)
	done = export(t, db, dir, func(what *Options) { what.Tables = []string{"events", "ledger"} })
	require.Equal(t, []int{2, 3, 1}, []int{done.Files, done.Kept, done.Removed})
	done = export(t, db, dir, nil)
	require.Equal(t, []int{2, 26, 0}, []int{done.Files, done.Kept, done.Removed}, "sessions and hits of the first day")
	requireFolder(t, db, dir)
}

// Product events are the same whether their details are joined here or, when there are too many, by the database.
func TestDetailsAreJoinedAsTheDatabaseDoes(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	scope := pgx.NamedArgs{
		"environment": environment, "from": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"until": time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), "channel_numbers": []int64{}, "channel_ids": []string{},
	}
	require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		prepared, err := events.prepared(t.Context(), tx, scope)
		require.NoError(t, err)
		require.NotNil(t, prepared.(tableOf[event]).first)
		files := map[bool][]event{}
		for here, from := range map[bool]table{true: prepared, false: events} {
			var file bytes.Buffer
			n, err := from.write(t.Context(), tx, scope, &file)
			require.NoError(t, err)
			require.EqualValues(t, 601+71+71, n)
			files[here], err = parquet.Read[event](bytes.NewReader(file.Bytes()), int64(file.Len()))
			require.NoError(t, err)
		}
		require.Equal(t, files[false], files[true])
		details, err := readDetails(t.Context(), tx, scope, 8)
		require.NoError(t, err)
		require.NotNil(t, details)
		for _, most := range []int{7, 0} {
			details, err = readDetails(t.Context(), tx, scope, most)
			require.NoError(t, err)
			require.Nil(t, details, "more than may be held")
		}
		return nil
	}))
}

func TestOtherDaysStay(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	second := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	only := func(what *Options) { what.First, what.End = second, second.AddDate(0, 0, 1) }
	require.Equal(t, 8, export(t, db, dir, only).Files)
	require.Equal(t, 21, export(t, db, dir, nil).Files)
	execute(t, db, `delete from revenue_ledger`)
	require.Equal(t, 1, export(t, db, dir, only).Removed)
	require.Equal(t, 2, export(t, db, dir, nil).Removed)
	requireFolder(t, db, dir)
}

func TestAnExportThatWasCutOffGoesOn(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	files := 0
	what := Options{App: "app", Environment: "live", EnvironmentID: environment, To: Folder(dir), Progress: func(Summary) {
		if files++; files == 5 {
			cancel()
		}
	}}
	_, err := Export(ctx, db.Pool, what)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, manifestOf(t, dir).Files, 5, "whole files only")

	// What a killed process leaves is overwritten, and a file that was damaged is written again.
	part := filepath.Join(dir, "environment=live", "table=ledger", "day=2026-03-01", "ledger.parquet"+partSuffix)
	require.NoError(t, os.MkdirAll(filepath.Dir(part), 0o755))
	require.NoError(t, os.WriteFile(part, []byte("half"), 0o600))
	damaged := filepath.Join(dir, "environment=live", "table=events", "day=2026-03-01", "events.parquet")
	require.NoError(t, os.Truncate(damaged, 100))
	require.Equal(t, 25, export(t, db, dir, nil).Files)
	requireFolder(t, db, dir)
	require.Zero(t, db.Pool.Stat().AcquiredConns())
}

// Files that are made at the same time are those that are made one by one, and of one snapshot.
func TestFilesAreMadeAtOnce(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	alone, together := t.TempDir(), t.TempDir()
	expected := export(t, db, alone, nil)
	var rows int64
	done := export(t, db, together, func(what *Options) {
		what.AtOnce = 3
		what.Progress = func(so Summary) {
			if rows == 0 {
				execute(t, db, `insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
					select 11, '2026-03-01 10:00:30Z'::timestamptz + n * interval '1 day', now(), gen_random_uuid(), 'late', 'p1'
					from generate_series(0, 2) n`)
			}
			require.Greater(t, so.Rows, rows)
			rows = so.Rows
		}
	})
	require.Equal(t, expected, done, "what came meanwhile is for the next export")
	require.Equal(t, manifestOf(t, alone), manifestOf(t, together))
	require.Equal(t, 3, export(t, db, together, func(what *Options) { what.AtOnce = 3 }).Files)
	requireFolder(t, db, together)
	require.Zero(t, db.Pool.Stat().AcquiredConns())
}

func TestAFileThatFailsEndsThoseBesideIt(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	blocked := filepath.Join(dir, "environment=live", "table=events", "day=2026-03-02")
	require.NoError(t, os.MkdirAll(filepath.Join(blocked, "events.parquet"+partSuffix), 0o755))
	_, err := Export(t.Context(), db.Pool, Options{
		App: "app", Environment: "live", EnvironmentID: environment, To: Folder(dir), AtOnce: 3,
	})
	require.ErrorContains(t, err, "is a directory")
	require.LessOrEqual(t, len(manifestOf(t, dir).Files), 2)
	// A connection that was cut off in the middle of its rows is closed behind the caller's back.
	require.Eventually(t, func() bool { return db.Pool.Stat().AcquiredConns() == 0 }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, os.RemoveAll(blocked))
	export(t, db, dir, func(what *Options) { what.AtOnce = 3 })
	requireFolder(t, db, dir)
}

func TestAFolderIsOfOneApp(t *testing.T) {
	db := pgtest.New(t)
	dir := t.TempDir()
	export(t, db, dir, nil)
	require.Empty(t, manifestOf(t, dir).Files)
	for text, problem := range map[string]string{
		`{"schemaVersion":1,"app":"other","environment":"live"}`:                                     "another app",
		`{"schemaVersion":99,"app":"app","environment":"live"}`:                                      "newer version",
		`{"schemaVersion":1,"app":"app","environment":"live","files":[{"path":"../../etc/passwd"}]}`: "leads out",
		`{`: "unexpected end",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "environment=live", manifestName), []byte(text), 0o600))
		_, err := Export(context.Background(), db.Pool, Options{App: "app", Environment: "live", To: Folder(dir)})
		require.ErrorContains(t, err, problem)
		require.Equal(t, problem == "another app", errors.Is(err, ErrOtherApp))
	}
}

func TestRowGroupsAreBoundedInBytes(t *testing.T) {
	db := pgtest.New(t)
	execute(t, db, `insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
		select 11, '2026-03-01 10:00Z', now(), gen_random_uuid(), 'big', 'p', jsonb_build_object('text', repeat('x', 60000))
		from generate_series(1, 1200)`)
	dir := t.TempDir()
	require.EqualValues(t, 1200, export(t, db, dir, nil).Rows)
	file, err := os.Open(filepath.Join(dir, "environment=live", "table=events", "day=2026-03-01", "events.parquet"))
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	read, err := parquet.OpenFile(file, info.Size())
	require.NoError(t, err)
	require.Len(t, read.RowGroups(), 3)
	for _, group := range read.RowGroups() {
		require.LessOrEqual(t, group.NumRows(), int64(groupBytes/60000+1))
	}
}
