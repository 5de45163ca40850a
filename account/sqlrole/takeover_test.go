package sqlrole_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// TestRotateTakesARoleBack has whoever was given a connection string change the role's password and defaults.
func TestRotateTakesARoleBack(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	role := create(t, db, mine.workspace, &mine.live)
	theirs := writing(t, login(t, db, role))
	for _, sql := range []string{
		`alter role current_user password 'theirs'`, `alter role current_user set statement_timeout = 0`,
		`alter role current_user set default_transaction_read_only = off`, `alter role current_user set geqo = off`,
	} {
		_, _, err := theirs.run(sql)
		require.NoError(t, err, sql)
	}
	made, err := sqlrole.Rotate(t.Context(), db, "", role.ID)
	require.NoError(t, err)
	_, err = tryLogin(db, role.Name, "theirs")
	require.ErrorContains(t, err, "password authentication failed")
	s := login(t, db, made)
	for setting, want := range map[string]string{
		"statement_timeout": "30s", "default_transaction_read_only": "on", "geqo": "on", "work_mem": "32MB",
	} {
		said, _, err := s.run("show " + setting)
		require.NoError(t, err)
		require.Contains(t, said, want, setting)
	}
}

// TestARoleStoresNoJobs has a role ask TimescaleDB to go on after its session, and drops one that could.
func TestARoleStoresNoJobs(t *testing.T) {
	if pgtest.Capabilities(t).TimescaleDB == "" {
		t.Skip("there are no jobs without TimescaleDB")
	}
	const add = `select public.add_job('_timescaledb_functions.policy_job_stat_history_retention'::regproc, '1h')`
	db := newDB(t)
	mine := store(t, db, "mine")
	role := create(t, db, mine.workspace, &mine.live)
	s := writing(t, login(t, db, role))
	_, _, err := s.run(add)
	require.ErrorContains(t, err, "permission denied")
	_, err = db.Pool.Exec(t.Context(), `grant execute on function add_job to public`) // as it was before
	require.NoError(t, err)
	_, _, err = s.run(add)
	require.NoError(t, err)
	_, err = sqlrole.Drop(t.Context(), db, role.ID)
	require.NoError(t, err)
}
