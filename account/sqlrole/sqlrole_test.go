package sqlrole_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/postgres"
)

func TestARoleReadsItsEnvironments(t *testing.T) {
	db := newDB(t)
	mine, theirs := store(t, db, "mine"), store(t, db, "theirs")
	for name, test := range map[string]struct {
		of   tenant
		env  *int64
		want string
	}{
		"an environment":     {mine, &mine.test, "test"},
		"a workspace":        {mine, nil, "live, test"},
		"another workspace":  {theirs, nil, "live, test"},
		"the other's second": {theirs, &theirs.live, "live"},
	} {
		t.Run(name, func(t *testing.T) {
			s := login(t, db, create(t, db, test.of.workspace, test.env))
			for _, view := range views {
				said, _, err := s.run(`select string_agg(distinct environment, ', ' order by environment),
					min(app_id::text), count(distinct app_id)
					from ` + view) // the search path is the schema
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("%s\t%s\t1\t", test.want, test.of.app), said, view)
			}
		})
	}
}

func TestSessionsAreBounded(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	role := create(t, db, mine.workspace, nil)
	s := login(t, db, role)
	for setting, want := range map[string]string{
		"statement_timeout": "30s", "work_mem": "32MB", "temp_file_limit": "1GB", "default_transaction_read_only": "on",
		"idle_in_transaction_session_timeout": "1min", "max_parallel_workers_per_gather": "0",
	} {
		said, _, err := s.run("show " + setting)
		require.NoError(t, err)
		require.Equal(t, want+"\t", said, setting)
	}
	_, _, err := s.run(`set statement_timeout = '50ms'; select pg_sleep(5)`)
	require.ErrorContains(t, err, "statement timeout")
	_, err = db.Pool.Exec(context.Background(), `alter role `+role.Name+` set temp_file_limit = '2MB'`)
	require.NoError(t, err)
	_, _, err = login(t, db, role).run(`set work_mem = '64kB';
		select count(*) from (select i from generate_series(1, 400000) i order by -i offset 1) x`)
	require.ErrorContains(t, err, "temp_file_limit")
	for range sqlrole.Connections - 2 {
		login(t, db, role)
	}
	_, err = tryLogin(db, role.Name, role.Password)
	require.ErrorContains(t, err, "too many connections")
}

// TestSessionsOverLimitsAreEnded turns off the limits of a session, which a role may, and catches cancellations.
func TestSessionsOverLimitsAreEnded(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	role := create(t, db, mine.workspace, nil)
	busy, idle, fine := login(t, db, role), login(t, db, role), login(t, db, role)
	_, err := idle.Exec(context.Background(), `set idle_in_transaction_session_timeout = 0; begin; select from sessions`)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, _, err := busy.run(`set statement_timeout = 0; do $$ begin loop begin perform pg_sleep(60);
			exception when query_canceled then null; end; end loop; end $$`)
		ended <- err
	}()
	ctx := context.Background()
	require.Eventually(t, func() bool {
		var n int
		require.NoError(t, db.Pool.QueryRow(ctx, `select count(*) from pg_stat_activity
			where usename = $1 and state = 'active'`,
			role.Name).Scan(&n))
		return n == 1
	}, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, sqlrole.EndOverdue(ctx, db.Pool))
	require.NoError(t, idle.Ping(ctx), "nothing is overdue yet")

	require.NoError(t, sqlrole.EndOver(ctx, db.Pool, 0, 0))
	require.ErrorContains(t, <-ended, "terminating connection")
	require.Eventually(t, func() bool { return idle.Ping(ctx) != nil }, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, fine.Ping(ctx))
}

func TestRotateAndDropEndSessions(t *testing.T) {
	db := newDB(t)
	ctx := context.Background()
	mine := store(t, db, "mine")
	made := create(t, db, mine.workspace, nil)
	s := login(t, db, made)
	rotated, err := sqlrole.Rotate(ctx, db, "", made.ID)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Ping(ctx) != nil }, 5*time.Second, 10*time.Millisecond)
	_, err = tryLogin(db, made.Name, made.Password)
	require.ErrorContains(t, err, "password authentication failed")
	s = login(t, db, rotated)

	roles, err := sqlrole.List(ctx, db.Pool, mine.workspace)
	require.NoError(t, err)
	require.Equal(t, []*sqlrole.Role{&rotated.Role}, roles)
	_, err = sqlrole.Drop(ctx, db, made.ID)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Ping(ctx) != nil }, 5*time.Second, 10*time.Millisecond)
	_, err = tryLogin(db, rotated.Name, rotated.Password)
	require.Error(t, err)
	_, err = sqlrole.Drop(ctx, db, made.ID)
	require.ErrorContains(t, err, "no such SQL role")
	_, err = sqlrole.Rotate(ctx, db, "", made.ID)
	require.ErrorContains(t, err, "no such SQL role")

	var actions string
	require.NoError(t, db.Pool.QueryRow(ctx, `select string_agg(action, ' ' order by created_at, id) from audit_entries
		where workspace_id = $1 and detail->>'name' = $2`, mine.workspace, made.Name).Scan(&actions))
	require.Equal(t, "sql_role.create sql_role.rotate sql_role.drop", actions)
}

func TestARoleIsRefused(t *testing.T) {
	db := newDB(t)
	ctx := context.Background()
	mine, theirs := store(t, db, "mine"), store(t, db, "theirs")
	_, err := sqlrole.Create(ctx, db, "", uuid.New(), nil)
	require.ErrorContains(t, err, "no such workspace")
	_, err = sqlrole.Create(ctx, db, "", mine.workspace, &theirs.live)
	require.ErrorContains(t, err, "no such environment in the workspace")
	_, err = db.Pool.Exec(ctx, `grant select on users to public`)
	require.NoError(t, err)
	_, err = sqlrole.Create(ctx, db, "", mine.workspace, nil)
	require.ErrorContains(t, err, "may use the table users")
	roles, err := sqlrole.List(ctx, db.Pool, mine.workspace)
	require.NoError(t, err)
	require.Empty(t, roles)
}

// TestAServerThatIsNoSuperuser says what has to be granted, and works when it is.
func TestAServerThatIsNoSuperuser(t *testing.T) {
	db := newDB(t)
	ctx := context.Background()
	owner := "svc_owner_" + strings.ToLower(rand.Text()[:10])
	password := rand.Text()
	run := func(sql string) {
		t.Helper()
		_, err := db.Pool.Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
	run(fmt.Sprintf(`create role %s login password '%s'`, owner, password))
	t.Cleanup(func() {
		run(fmt.Sprintf(`reassign owned by %[1]s to current_user; drop owned by %[1]s; drop role %[1]s`, owner))
	})
	database := db.Pool.Config().ConnConfig.Database
	run(fmt.Sprintf(`alter database %q owner to %s; grant all on schema public to %s`, database, owner, owner))
	run(fmt.Sprintf(`do $$ declare o record; begin
		for o in select oid::regclass as name from pg_class
			where relnamespace in ('public'::regnamespace, 'svc_read'::regnamespace)
			and relkind in ('r', 'p', 'v') and not relispartition loop
			execute format('alter table %%s owner to %[1]s', o.name);
		end loop; end $$; alter schema svc_read owner to %[1]s`, owner))
	mine := store(t, db, "mine")

	config := db.Pool.Config().ConnConfig
	served, err := postgres.Open(ctx, fmt.Sprintf("postgres://%s:%s@%s:%d/%s?sslmode=disable",
		owner, password, config.Host, config.Port, database), postgres.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(served.Close)
	_, err = sqlrole.Create(ctx, served, "", mine.workspace, nil)
	require.ErrorContains(t, err, "alter role "+owner+" createrole; grant set on parameter temp_file_limit to "+owner)
	_, script, _ := strings.Cut(err.Error(), database+": ")
	run(script)
	made := create(t, served, mine.workspace, nil)
	s := login(t, db, made)
	said, _, err := s.run(`select count(*) from sessions`)
	require.NoError(t, err)
	require.Equal(t, "2\t", said)
	_, err = s.Exec(ctx, "set idle_in_transaction_session_timeout = 0; begin")
	require.NoError(t, err)
	require.NoError(t, sqlrole.EndOver(ctx, served.Pool, 0, 0))
	require.Eventually(t, func() bool { return s.Ping(ctx) != nil }, 5*time.Second, 10*time.Millisecond)
	_, err = sqlrole.Rotate(ctx, served, "", made.ID)
	require.NoError(t, err)
	_, err = sqlrole.Drop(ctx, served, made.ID)
	require.NoError(t, err)
}
