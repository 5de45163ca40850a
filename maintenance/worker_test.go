package maintenance

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// serverVariable makes the test program a server with nothing but an maintenance, so
// that tests can kill and freeze one.
const serverVariable = "SVC_TEST_MAINTENANCE_DATABASE"

func TestMain(m *testing.M) {
	if url := os.Getenv(serverVariable); url != "" {
		serve(url)
	}
	leaktest.Main(m)
}

func serve(url string) {
	db, err := postgres.Open(context.Background(), url, postgres.Options{MaxConns: 4})
	if err != nil {
		panic(err)
	}
	u := New(db, Settings{}, Deps{Logger: quiet})
	u.pace = fastPace
	_ = u.Start(context.Background()) // never fails
	select {}
}

var fastPace = pace{
	elect: 10 * time.Millisecond, probe: 10 * time.Millisecond, retry: 10 * time.Millisecond,
	batch: 10 * time.Second, run: time.Minute, idle: time.Second,
}

// start starts an maintenance that does nothing but the tasks, and stops it with the test.
func start(t *testing.T, db *postgres.DB, deps Deps, tasks ...task) *Worker {
	t.Helper()
	if deps.Logger == nil {
		deps.Logger = quiet
	}
	u := New(db, Settings{}, deps)
	u.pace = fastPace
	u.turns = nil
	for _, task := range tasks {
		u.turns = append(u.turns, &schedule{task: task})
	}
	require.NoError(t, u.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, u.Stop(ctx))
	})
	return u
}

// counter returns a task that counts its runs.
func counter(name string, runs *atomic.Int64) task {
	return task{name, time.Millisecond, func(time.Time) batch {
		return func(context.Context, *pgx.Conn) (int64, bool, error) { runs.Add(1); return 1, false, nil }
	}}
}

func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, 30*time.Second, 2*time.Millisecond, what)
}

// leaders counts the connections that hold the lock of the leader.
func leaders(t *testing.T, db *postgres.DB) int {
	t.Helper()
	return value[int](t, db, `
		select count(*) from pg_locks l join pg_database d on d.oid = l.database
		where d.datname = current_database() and l.locktype = 'advisory' and l.granted and l.objid = $1`, leaderLock)
}

func TestOneLeaderWorksAndAnotherFollows(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var runs [3]atomic.Int64
	var servers [3]*Worker
	for i := range servers {
		db, err := postgres.Open(t.Context(), url, postgres.Options{MaxConns: 4})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		servers[i] = start(t, db, Deps{}, counter("count", &runs[i]))
	}
	left := map[int]bool{0: true, 1: true, 2: true}
	for range servers {
		leader := -1
		eventually(t, func() bool {
			for i := range left {
				if runs[i].Load() > 0 {
					leader = i
				}
			}
			return leader >= 0
		}, "somebody leads")
		for range 20 { // while it works the others don't
			before := runs[leader].Load()
			eventually(t, func() bool { return runs[leader].Load() > before }, "the leader goes on")
		}
		for i := range left {
			if i != leader {
				require.Zero(t, runs[i].Load(), "one leads")
			}
		}
		require.NoError(t, servers[leader].Stop(t.Context()))
		delete(left, leader)
	}
}

func TestALeaderWhoseConnectionIsLostIsReplaced(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var log syncBuffer
	var runs atomic.Int64
	start(t, db, Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))}, counter("count", &runs),
		task{"idle", time.Hour, func(time.Time) batch {
			return func(context.Context, *pgx.Conn) (int64, bool, error) { return 0, false, nil }
		}})
	for range 3 {
		before := runs.Load()
		eventually(t, func() bool { return runs.Load() > before }, "it works")
		run(t, db, `
			select pg_terminate_backend(pid, 10000) from pg_stat_activity
			where datname = current_database() and application_name = 'svc maintenance'`)
		eventually(t, func() bool { return leaders(t, db) == 1 }, "it leads again")
	}
	require.Contains(t, log.String(), "maintenance lost its connection")
}

// A task that never uses the connection does not hide that it is lost.
func TestAnIdleLeaderNoticesThatItsConnectionIsLost(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	u := start(t, db, Deps{}, task{"rare", time.Hour, func(time.Time) batch {
		return func(context.Context, *pgx.Conn) (int64, bool, error) { return 0, false, nil }
	}})
	eventually(t, func() bool { return testutil.ToFloat64(u.metrics.leader) == 1 }, "it leads")
	first := value[int](
		t, db, `select pid from pg_stat_activity where datname = current_database() and application_name = 'svc maintenance'`,
	)
	run(t, db, `select pg_terminate_backend($1::int, 10000)`, first)
	eventually(t, func() bool {
		return value[int](t, db, `
			select count(*) from pg_stat_activity
			where datname = current_database() and application_name = 'svc maintenance' and pid <> $1`, first) == 1
	}, "it leads again")
}

// A server that is killed, or frozen so that its connections stay, is replaced,
// and what it began is finished.
func TestAKilledOrFrozenServerIsReplaced(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "frozen": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			server := exec.Command(os.Args[0])
			server.Env = append(os.Environ(), serverVariable+"="+db.Pool.Config().ConnString())
			require.NoError(t, server.Start())
			t.Cleanup(func() {
				_ = server.Process.Kill() // it may be dead
				_ = server.Wait()
			})
			eventually(t, func() bool { return leaders(t, db) == 1 }, "the server leads")
			other := start(t, db, Deps{}, task{"event_ledger", time.Millisecond, func(now time.Time) batch {
				return ledgerRows.before(now)
			}})
			run(t, db, `
				insert into event_seen (environment_id, path, event_key, seen_at)
				select 1, 1, gen_random_uuid(), now() - interval '7 days' from generate_series(1, 6000)`)
			require.Equal(
				t, 6000, value[int](t, db, `select count(*) from event_seen`), "the leader keeps them, the other may not work",
			)
			require.NoError(t, server.Process.Signal(signal))
			eventually(t, func() bool {
				return value[int](t, db, `select count(*) from event_seen`) == 0
			}, "the other took over")
			require.InDelta(t, 1, testutil.ToFloat64(other.metrics.leader), 0)
		})
	}
}

// While a table is locked, its task fails and is tried again; the others go on.
func TestALockedTableStopsNoOtherTask(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	run(t, db, `
		insert into event_seen (environment_id, path, event_key, seen_at)
		values (1, 1, gen_random_uuid(), now() - interval '1 year');
		insert into web_session (token, data, expiry) values ('over', '', now() - interval '1 day')`)
	release := lock(t, db, "event_seen")
	registry := prometheus.NewRegistry()
	var log syncBuffer
	u := New(db, Settings{}, Deps{Registry: registry, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	u.pace = fastPace
	require.NoError(t, u.Start(t.Context()))
	defer func() { require.NoError(t, u.Stop(context.Background())) }()
	eventually(t, func() bool {
		return value[int](t, db, `select count(*) from web_session`) == 0
	}, "another task is done")
	eventually(t, func() bool {
		return testutil.ToFloat64(u.metrics.failures.WithLabelValues("event_ledger")) >= 2
	}, "tried again")
	require.Zero(t, testutil.ToFloat64(u.metrics.lastSuccess.WithLabelValues("event_ledger")))
	require.Contains(t, log.String(), "55P03") // lock_not_available
	release()
	eventually(t, func() bool { return value[int](t, db, `select count(*) from event_seen`) == 0 }, "done in the end")
	eventually(t, func() bool {
		return testutil.ToFloat64(u.metrics.lastSuccess.WithLabelValues("event_ledger")) > 0
	}, "known")
	require.InDelta(
		t, float64(time.Now().Unix()), testutil.ToFloat64(u.metrics.lastSuccess.WithLabelValues("event_ledger")), 60,
	)
	require.InDelta(t, 1, testutil.ToFloat64(u.metrics.rows.WithLabelValues("event_ledger")), 0)
	require.Positive(t, testutil.ToFloat64(u.metrics.duration.WithLabelValues("web_sessions")))
	count, err := testutil.GatherAndCount(registry, "svc_upkeep_last_success_timestamp_seconds")
	require.NoError(t, err)
	require.Equal(t, len(u.turns), count, "every task says when it was done")
}

// Stop ends a statement that waits, at once and without an error, and frees the
// lead for another server.
func TestStopWaitsForNoStatement(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	release := lock(t, db, "event_seen")
	defer release()
	var log syncBuffer
	u := New(db, Settings{}, Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	u.pace = fastPace
	u.turns = []*schedule{{task: task{"event_ledger", time.Hour, func(now time.Time) batch {
		begin := ledgerRows.before(now)
		return func(ctx context.Context, conn *pgx.Conn) (int64, bool, error) {
			_, err := conn.Exec(ctx, `set lock_timeout = 0; set statement_timeout = 0`)
			require.NoError(t, err)
			return begin(ctx, conn)
		}
	}}}}
	require.NoError(t, u.Start(t.Context()))
	eventually(t, func() bool { return waiting(t, db) == 1 }, "the sweep waits for the lock")
	ctx, cancel := context.WithTimeout(t.Context(), fastPace.batch/2)
	defer cancel()
	require.NoError(t, u.Stop(ctx))
	require.NoError(t, u.Stop(ctx), "a second time")
	require.NotContains(t, log.String(), "failed")
	eventually(t, func() bool { return waiting(t, db) == 0 && leaders(t, db) == 0 }, "the database has let go of it")
	require.Zero(t, testutil.ToFloat64(u.metrics.leader))
}

func TestStopWithoutStart(t *testing.T) {
	t.Parallel()
	require.NoError(t, New(pgtest.New(t), Settings{}, Deps{}).Stop(t.Context()))
}

// Between two batches of a long run the other tasks have their turn.
func TestALongRunLetsOthersIn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var batches, runs atomic.Int64
	registry := prometheus.NewRegistry()
	u := start(t, db, Deps{Registry: registry}, task{"long", time.Hour, func(time.Time) batch {
		return func(context.Context, *pgx.Conn) (int64, bool, error) { batches.Add(1); return 7, true, nil }
	}}, counter("count", &runs))
	eventually(t, func() bool { return batches.Load() > 20 && runs.Load() > 20 }, "both work")
	require.Zero(t, testutil.ToFloat64(u.metrics.lastSuccess.WithLabelValues("long")), "the run is not over")
	require.Positive(t, testutil.ToFloat64(u.metrics.lastSuccess.WithLabelValues("count")))
	require.GreaterOrEqual(t, testutil.ToFloat64(u.metrics.rows.WithLabelValues("long")), 140.0)
}

// A run that never ends fails after its time and begins again.
func TestARunHasATimeLimit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var begun atomic.Int64
	var log syncBuffer
	u := New(db, Settings{}, Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	u.pace = fastPace
	u.pace.run = time.Millisecond
	u.turns = []*schedule{{task: task{"endless", time.Hour, func(time.Time) batch {
		begun.Add(1)
		return func(ctx context.Context, conn *pgx.Conn) (int64, bool, error) { return 1, true, conn.Ping(ctx) }
	}}}}
	require.NoError(t, u.Start(t.Context()))
	defer func() { require.NoError(t, u.Stop(context.Background())) }()
	eventually(t, func() bool { return begun.Load() > 2 }, "it begins again")
	require.Contains(t, log.String(), "the run took too long and is not done")
	require.GreaterOrEqual(t, testutil.ToFloat64(u.metrics.failures.WithLabelValues("endless")), 2.0)
}

// A batch that hangs is given up, and the task is tried again.
func TestABatchHasATimeLimit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var begun atomic.Int64
	u := New(db, Settings{}, Deps{Logger: quiet})
	u.pace = fastPace
	u.pace.batch = 5 * time.Millisecond
	u.turns = []*schedule{{task: task{"hanging", time.Hour, func(time.Time) batch {
		begun.Add(1)
		return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) { <-ctx.Done(); return 0, false, ctx.Err() }
	}}}}
	require.NoError(t, u.Start(t.Context()))
	defer func() { require.NoError(t, u.Stop(context.Background())) }()
	eventually(t, func() bool { return begun.Load() > 2 }, "it is tried again")
}

// A database that is away when the server starts is waited for.
func TestTheDatabaseMayComeLater(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var log syncBuffer
	var runs atomic.Int64
	name := value[string](t, db, `select current_database()`)
	admin, err := pgx.Connect(t.Context(), strings.Replace(db.Pool.Config().ConnString(), "/"+name, "/postgres", 1))
	require.NoError(t, err)
	defer admin.Close(context.Background())
	allow := func(yes string) {
		_, err := admin.Exec(t.Context(), `alter database `+name+` allow_connections `+yes)
		require.NoError(t, err)
		_, err = admin.Exec(
			t.Context(), `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1`, name,
		)
		require.NoError(t, err)
	}
	allow("false")
	start(t, db, Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))}, counter("count", &runs))
	eventually(t, func() bool { return strings.Contains(log.String(), "maintenance waits for the database") }, "it waits")
	require.Zero(t, runs.Load())
	allow("true")
	eventually(t, func() bool { return runs.Load() > 0 }, "it works")
	require.Equal(t, 1, strings.Count(log.String(), "waits for the database"), "said once")
}

func TestEndedExperimentsAreLookedFor(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var asked atomic.Int64
	u := New(db, Settings{}, Deps{Logger: quiet, EndExperiments: func(context.Context) (int, error) {
		switch asked.Add(1) {
		case 1:
			return 0, errors.New("not now")
		case 2, 3:
			return 1, nil
		}
		return 0, nil
	}})
	u.pace = fastPace
	require.NoError(t, u.Start(t.Context()))
	defer func() { require.NoError(t, u.Stop(context.Background())) }()
	eventually(t, func() bool { return asked.Load() > 1 }, "asked again after an error")
	eventually(t, func() bool { return testutil.ToFloat64(u.metrics.rows.WithLabelValues("experiments")) == 2 }, "counted")
	require.InDelta(t, 1, testutil.ToFloat64(u.metrics.failures.WithLabelValues("experiments")), 0)
}

// Erasures that were cut off are carried out one after the other, and again after an error.
func TestUnfinishedErasuresAreCarriedOut(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var asked atomic.Int64
	u := New(db, Settings{}, Deps{Logger: quiet, CarryErasure: func(context.Context) (bool, error) {
		switch asked.Add(1) {
		case 1:
			return false, errors.New("not now")
		case 2, 3:
			return true, nil
		}
		return false, nil
	}})
	u.pace = fastPace
	require.NoError(t, u.Start(t.Context()))
	defer func() { require.NoError(t, u.Stop(context.Background())) }()
	eventually(t, func() bool { return testutil.ToFloat64(u.metrics.rows.WithLabelValues("erasures")) == 2 }, "counted")
	require.InDelta(t, 1, testutil.ToFloat64(u.metrics.failures.WithLabelValues("erasures")), 0)
}

// lock keeps everybody else away from a table.
func lock(t *testing.T, db *postgres.DB, table string) (release func()) {
	t.Helper()
	tx, err := db.Pool.Begin(context.Background())
	require.NoError(t, err)
	_, err = tx.Exec(context.Background(), `lock table `+table+` in access exclusive mode`)
	require.NoError(t, err)
	return sync.OnceFunc(func() { require.NoError(t, tx.Rollback(context.Background())) })
}

// waiting returns how many statements wait for a lock of a table.
func waiting(t *testing.T, db *postgres.DB) int {
	t.Helper()
	return value[int](t, db, `
		select count(*) from pg_locks l join pg_database d on d.oid = l.database
		where not l.granted and d.datname = current_database()`)
}

// syncBuffer is a log that a test reads while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
