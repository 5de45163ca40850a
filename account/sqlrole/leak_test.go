package sqlrole_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/notify"
)

func asPg(err error, to **pgconn.PgError) bool { return errors.As(err, to) }

// base is the table that most rows of a view come from.
var base = map[string]string{
	"sessions": "product_session", "hits": "event_name", "events": "product_event", "flow_runs": "flow_run",
	"flow_steps": "flow_event", "ledger": "revenue_ledger", "subscriptions": "subscription_period",
	"experiments": "experiments", "experiment_people": "experiment_served_packed", "annotations": "notes",
}

// questions ask for rows of others in ways that must answer without any row. VIEW, BASE, APP (of another tenant), ROLE
// (of another tenant) are replaced.
var questions = []string{
	`select * from VIEW where app_id = 'APP'`,
	`select * from VIEW where VIEW::text like '%theirs%'`,
	`select * from VIEW where VIEW::text ~ 'mine-test'`,
	`select * from VIEW where environment = 'test'`,
	`select * from VIEW where environment <> 'live' or app_id is distinct from app_id`,
	`select * from VIEW a where exists (select from VIEW b where b.app_id = 'APP')`,
	`select b.* from VIEW a full join VIEW b on b.app_id = 'APP' where b.app_id = 'APP'`,
	`select * from VIEW where case when app_id = 'APP'
		then 1 / (length(environment) - length(environment)) else 0 end = 1`,
	`select * from VIEW where app_id = 'APP' and (VIEW::text)::int = 1`,
	`select * from VIEW where app_id = 'APP' and (VIEW::text)::xml is not null`,
	`select * from VIEW where app_id = 'APP' for share`,
	`select * from (select * from VIEW offset 0) x where app_id = 'APP' union all select * from VIEW where app_id = 'APP'`,
	`with x as materialized (select * from VIEW) select * from x where app_id = 'APP'`,
	`with recursive x as (select app_id from VIEW union select app_id from x) select * from x where app_id = 'APP'`,
	`set row_security = off; select * from VIEW where app_id = 'APP'`,
	`select * from VIEW where app_id = 'APP'`,
	`set search_path = public; select * from VIEW where app_id = 'APP'`,
	`begin; declare c scroll cursor with hold for select * from VIEW where app_id = 'APP'; fetch all c`,
	`prepare p as select * from VIEW where app_id = $1; set plan_cache_mode = force_generic_plan; execute p('APP')`,
	`copy (select * from VIEW where app_id = 'APP') to stdout`,
	`select * from pg_stats where tablename = 'BASE'`,
	`select * from pg_stats_ext where tablename = 'BASE'`,
	`select * from query_to_xml($q$select * from VIEW where app_id = 'APP'$q$, true, true, '') x
		where x::text like '%theirs%'`,
	`grant select on VIEW to public`, // is a warning, not an error
	`select setting from pg_settings where setting like '%theirs%'`,
	`select query from pg_stat_activity where query ilike '%theirs-%' and pid <> pg_backend_pid()`,
}

// attempts are refused, whatever they would have told.
var attempts = []string{
	`table BASE`,
	`select count(*) from BASE tablesample system (100)`,
	`select * from only public.BASE`,
	`copy BASE to stdout`,
	`copy (select * from VIEW) to program 'cat'`,
	`copy VIEW to '/tmp/svc-read'`,
	`select query_to_xml('table BASE', true, true, '')`,
	`select table_to_xml('BASE', true, true, '')`,
	`select currtid2('BASE', '(0,1)')`,
	`set role ROLE; select * from VIEW`,
	`set session authorization ROLE; select * from VIEW`,
	`select set_config('role', 'ROLE', false)`,
	`select set_config('session_authorization', 'ROLE', false)`,
	`set session_replication_role = replica; select * from VIEW`,
	`alter view VIEW set (security_barrier = off)`,
	`alter view VIEW owner to current_user`,
	`create or replace view VIEW as select 1`,
	`drop view VIEW`,
	`insert into VIEW select * from VIEW`,
	`delete from VIEW`,
	`lock table VIEW in access exclusive mode`,
	`lock table BASE in access share mode`,
	`create temp table x as select * from VIEW`,
	`create temp view x as select * from VIEW`,
	`create function pg_temp.f(t text) returns bool language plpgsql cost 0.0001
		as $f$ begin raise notice '%', t; return true; end $f$; select * from VIEW v where pg_temp.f(v::text)`,
	`create table public.x as select * from VIEW`,
	`select * into public.x from VIEW`,
	`create materialized view svc_read.x as select * from VIEW`,
	`create rule r as on select to VIEW do instead select 1`,
	`create statistics s on app_id, environment from BASE`,
}

// TestOthersRowsAreNotRead asks as the role of one environment for rows of another tenant and of the other environment:
// of each view in every way above. Nothing that the server says has a text of theirs.
func TestOthersRowsAreNotRead(t *testing.T) {
	db := newDB(t)
	mine, theirs := store(t, db, "mine"), store(t, db, "theirs")
	role, other := create(t, db, mine.workspace, &mine.live), create(t, db, theirs.workspace, nil)
	_, err := db.Pool.Exec(context.Background(), "analyze")
	require.NoError(t, err)
	s := writing(t, login(t, db, role))
	ways := 0
	for _, view := range views {
		replace := strings.NewReplacer(
			"VIEW::text", view+"::text", "VIEW", "svc_read."+view, "BASE", base[view],
			"APP", theirs.app.String(), "ROLE", other.Name,
		).Replace
		own, rows, err := s.run("select * from svc_read." + view)
		require.NoError(t, err)
		require.NotZero(t, rows, view)
		require.Contains(t, own, mine.app.String(), view)
		check := func(sql string, refused bool) {
			ways++
			said, rows, err := s.run(sql)
			if refused {
				require.Error(t, err, sql)
			} else {
				require.Zero(t, rows, "%s\n%s", sql, said)
			}
			for _, secret := range []string{"theirs-", "mine-test"} {
				if !strings.Contains(sql, secret) {
					require.NotContains(t, said, secret, sql)
				}
			}
		}
		for _, question := range questions {
			check(replace(question), false)
		}
		for _, attempt := range attempts {
			check(replace(attempt), true)
		}
	}
	require.GreaterOrEqual(t, ways, 200)
	var granted bool
	require.NoError(t, db.Pool.QueryRow(context.Background(),
		`select has_table_privilege($1, 'svc_read.sessions', 'select') and exists (select from pg_class, aclexplode(relacl) g
			where relnamespace = 'svc_read'::regnamespace and g.grantee = 0)`, role.Name).Scan(&granted))
	require.False(t, granted, "a grant to everybody")
	t.Logf("asked in %d ways", ways)
}

// TestPlansTellNoValuesOfOthers explains the same condition with a value that half of all rows have, and with one that
// no row has: the planner must not tell them apart, since it knows the values of all tenants.
func TestPlansTellNoValuesOfOthers(t *testing.T) {
	db := newDB(t)
	mine, theirs := store(t, db, "mine"), store(t, db, "theirs")
	_, err := db.Pool.Exec(context.Background(), `
		insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select case when i % 2 = 0 then $1::bigint else $2 end, now(), now(), gen_random_uuid(),
			case when i % 2 = 0 then 'ordinary' else 'theirs-alone' end, 'theirs-alone'
		from generate_series(1, 2000) i`, mine.live, theirs.live)
	require.NoError(t, err)
	_, err = db.Pool.Exec(context.Background(), "analyze")
	require.NoError(t, err)
	s := login(t, db, create(t, db, mine.workspace, &mine.live))
	for _, column := range []string{"name", "app_user_id"} {
		var plans [2]string
		for i, value := range []string{"theirs-alone", "nobody-knows"} {
			said, _, err := s.run(fmt.Sprintf(
				`explain (costs on) select * from svc_read.events where %s = '%s'`, column, value,
			))
			require.NoError(t, err)
			plans[i] = strings.ReplaceAll(said, value, "?")
		}
		require.Equal(t, plans[0], plans[1], column)
	}
}

// writing has the transactions of a session write, as every role can: what is refused is refused by its rights alone.
// The statement has no effect on those that are sent with it.
func writing(t *testing.T, s session) session {
	t.Helper()
	_, _, err := s.run("set default_transaction_read_only = off")
	require.NoError(t, err)
	return s
}

// TestARoleCanDoNothingElse tries what a session could spend or break.
func TestARoleCanDoNothingElse(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	role := create(t, db, mine.workspace, nil)
	s := writing(t, login(t, db, role))
	for _, sql := range []string{
		`create schema x`, `create extension dblink`, `create role x`, `alter role ` + role.Name + ` superuser`,
		`alter role ` + role.Name + ` connection limit 100`, `set temp_file_limit = -1`,
		`select lo_create(0)`, `select lo_from_bytea(0, 'x')`, `select lo_import('/etc/passwd')`,
		`select pg_read_file('/etc/passwd')`,
		`select pg_ls_dir('/')`, `select pg_advisory_lock(1)`, `select pg_try_advisory_lock(1)`,
		`select pg_advisory_xact_lock_shared(1)`,
		`select pg_logical_emit_message(false, 'x', 'x')`, `select pg_create_restore_point('x')`, `select pg_switch_wal()`,
		`select pg_create_logical_replication_slot('x', 'pgoutput')`, `select pg_reload_conf()`, `checkpoint`,
		`select * from pg_authid`, `select * from pg_statistic`, `select * from sql_roles`,
		`select * from sql_role_environments`,
		`select * from api_keys`, `select * from users`, `select * from river_job`, `create publication p for all tables`,
		`select nextval('revenue_ledger_id_seq')`, `alter system set work_mem = '1GB'`, `load 'plpgsql'`,
		`do $$ begin execute 'table users'; end $$`, `do language plpython3u $$ pass $$`,
	} {
		said, _, err := s.run(sql)
		require.Error(t, err, "%s\n%s", sql, said)
	}
}

// TestNotificationsAreOfTheServersAlone listens and notifies as a role under the names that the code has: it hears
// nothing, and nobody hears it.
func TestNotificationsAreOfTheServersAlone(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	s := login(t, db, create(t, db, mine.workspace, &mine.live))
	for _, sql := range []string{`table public.notification_names`, `select public.svc_notify('svc_draft', 'x')`} {
		_, _, err := s.run(sql)
		require.ErrorContains(t, err, "permission denied", sql)
	}

	heard := make(chan notify.Notification, 10)
	began := make(chan struct{}, 10)
	go notify.Follow(t.Context(), db.Pool.Config().ConnConfig, notify.Follower{
		Name: "svc test", Channels: []string{"svc_draft"},
		Missed: func(context.Context) { began <- struct{}{} },
		Heard: func(_ context.Context, some []notify.Notification) {
			for _, one := range some {
				heard <- one
			}
		},
	})
	<-began
	_, _, err := s.run(`listen svc_draft; listen svc_draft_`)
	require.NoError(t, err)
	_, _, err = s.run(`select pg_notify('svc_draft', 'made up'), pg_notify('svc_draft_', 'made up')`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `select svc_notify('svc_draft', 'said')`)
	require.NoError(t, err)
	require.Equal(t, notify.Notification{Channel: "svc_draft", Payload: "said"}, <-heard)
	// What the role listens to is heard in the order of its sending, so nothing of the server comes after this.
	_, err = db.Pool.Exec(t.Context(), `select pg_notify('svc_draft', 'end')`)
	require.NoError(t, err)
	var payloads []string
	for !slices.Contains(payloads, "end") {
		one, err := s.WaitForNotification(t.Context())
		require.NoError(t, err)
		payloads = append(payloads, one.Payload)
	}
	require.Equal(t, []string{"made up", "made up", "end"}, payloads)
}
