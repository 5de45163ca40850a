package store

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/local"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// unavailableWithin is how soon a report must say that its database does not answer.
const unavailableWithin = 5 * time.Second

// ownServer returns a database on a server that the test may kill, with many sessions.
func ownServer(t *testing.T) (*local.Server, *postgres.DB) {
	t.Helper()
	server, db := pgtest.PrivateDB(t)
	manySessions(t, db.Pool, 9_000, 300)
	return server, db
}

// readers returns the ways to ask a store for a range: with frames in memory, with none, and in portions.
func readers(t *testing.T, db *postgres.DB) map[string]func() (int64, error) {
	t.Helper()
	scope := analytics.Scope{Start: today.AddDate(0, 0, -manyDays), End: today.Add(time.Hour)}
	read := func(s *Store) (int64, error) {
		selection, err := s.Select(t.Context(), environmentID, scope, false, false, scope.End)
		if err != nil {
			return 0, err
		}
		m, err := selection.Totals(t.Context())
		return m.Sessions, err
	}
	warm, streaming := newStore(t, db.Pool, Settings{}), newStore(t, db.Pool, Settings{Budget: 250_000})
	_, err := read(warm)
	require.NoError(t, err)
	return map[string]func() (int64, error){
		"warm":     func() (int64, error) { return read(warm) },
		"cold":     func() (int64, error) { return read(newStore(t, db.Pool, Settings{})) },
		"portions": func() (int64, error) { return read(streaming) },
	}
}

// failSoon asks every reader at once, breaks the database under them when one is in the middle of a
// query, and expects each to say so.
func failSoon(t *testing.T, readers map[string]func() (int64, error), reading, failure func()) {
	t.Helper()
	type answer struct {
		name string
		err  error
	}
	answers := make(chan answer)
	for name, read := range readers {
		go func() {
			_, err := read()
			answers <- answer{name, err}
		}()
	}
	reading()
	began := time.Now()
	failure()
	for range readers {
		a := <-answers
		took := time.Since(began)
		require.ErrorIs(t, a.err, analytics.ErrUnavailable, a.name)
		require.Less(t, took, unavailableWithin, a.name)
		t.Logf("%s: %v after %s", a.name, a.err, took.Round(time.Millisecond))
	}
}

// hold locks what every reading reads. It returns how to wait until one is in the middle of a query,
// and how to let them go on.
func hold(t *testing.T, db *postgres.DB) (reading, release func()) {
	t.Helper()
	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	release = func() { _ = tx.Rollback(context.Background()) } // of a connection that may be gone
	t.Cleanup(release)
	_, err = tx.Exec(t.Context(), `lock table product_session, product_analytics_first_touch in access exclusive mode`)
	require.NoError(t, err)
	reading = func() {
		require.Eventually(t, func() bool {
			var waiting int
			err := tx.QueryRow(
				t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`,
			).Scan(&waiting)
			return err == nil && waiting > 0
		}, 10*time.Second, time.Millisecond)
	}
	return reading, release
}

// recovers expects every reader to answer in the end.
func recovers(t *testing.T, readers map[string]func() (int64, error)) {
	t.Helper()
	for name, read := range readers {
		require.Eventually(t, func() bool {
			sessions, err := read()
			return err == nil && sessions == 9_000
		}, time.Minute, 20*time.Millisecond, name)
	}
}

// A database that is killed in the middle of queries is reported within seconds, and its return needs
// nobody's help.
func TestDatabaseKilledInMidQuery(t *testing.T) {
	server, db := ownServer(t)
	all := readers(t, db)
	reading, _ := hold(t, db)
	killed := server.PID()
	failSoon(t, all, reading, func() { require.NoError(t, syscall.Kill(killed, syscall.SIGKILL)) })
	recovers(t, all)
	require.NotEqual(t, killed, server.PID())
}

// So is one that is so slow that it seems to stand.
func TestDatabaseStandsStill(t *testing.T) {
	_, db := ownServer(t)
	all := readers(t, db)
	reading, release := hold(t, db)
	var pids []int
	failSoon(t, all, reading, func() {
		pids = backends(t, db)
		t.Cleanup(func() { // a server whose processes stand can't be stopped
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		})
		signal(t, pids, syscall.SIGSTOP)
	})
	signal(t, pids, syscall.SIGCONT)
	release()
	recovers(t, all)
}

// backends returns the processes that serve the connections.
func backends(t *testing.T, db *postgres.DB) []int {
	t.Helper()
	var pids []int
	rows, err := db.Pool.Query(
		t.Context(), `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
	)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		require.NoError(t, rows.Scan(&pid))
		pids = append(pids, pid)
	}
	require.NotEmpty(t, pids)
	return pids
}

func signal(t *testing.T, pids []int, s syscall.Signal) {
	t.Helper()
	for _, pid := range pids {
		require.NoError(t, syscall.Kill(pid, s))
	}
}
