package peers

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/ratelimit"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// server is one of several on a database, which looks when it is told to.
type server struct {
	*Peers
	key, address *ratelimit.Limiter
	said         bytes.Buffer
	at           time.Time
}

func newServer(db *postgres.DB, roles ...role.Role) *server {
	s := &server{key: ratelimit.New(1000), address: ratelimit.New(100), at: time.Unix(1_700_000_000, 0)}
	s.Peers = New(db.Pool, Options{
		Roles: roles, Limits: []*ratelimit.Limiter{s.key, nil, s.address},
		Logger: slog.New(slog.NewTextHandler(&s.said, nil)),
		Now:    func() time.Time { return s.at },
	})
	return s
}

func pass(l *ratelimit.Limiter, key string, times int) (n int) {
	for range times {
		if l.Allow(key) {
			n++
		}
	}
	return n
}

func TestServersHearOfEachOther(t *testing.T) {
	db := pgtest.New(t)
	one, other := newServer(db, role.Ingest), newServer(db, role.Reports, role.Resolve)
	require.Equal(t, 70, pass(one.address, "a", 70))
	require.Equal(t, 600, pass(one.key, "a", 600))
	one.look(t.Context())
	require.Equal(t, role.Set{role.Resolve, role.Reports}, one.Missing())
	other.look(t.Context())
	require.Empty(t, other.Missing())
	require.InDelta(t, 30, pass(other.address, "a", 200), 2, "the limit is one for both")
	require.InDelta(t, 400, pass(other.key, "a", 2000), 20, "each limit has its keys")
	require.Equal(t, 100, pass(other.address, "b", 200), "and each key its count")
	other.look(t.Context())
	one.look(t.Context())
	require.Empty(t, one.Missing())
	require.Zero(t, pass(one.address, "b", 10))

	// Who ends takes its row along; who is killed is forgotten when it was not seen for a while.
	require.NoError(t, one.Stop(t.Context()))
	other.look(t.Context())
	require.Equal(t, role.Set{role.Ingest}, other.Missing())
	require.InDelta(t, 70, pass(other.address, "a", 200), 3, "its share is free")
	one.look(t.Context())
	_, err := db.Pool.Exec(t.Context(), `update servers set seen_at = seen_at - interval '4 s' where id = $1`, one.id)
	require.NoError(t, err)
	other.look(t.Context())
	require.Equal(t, role.Set{role.Ingest}, other.Missing())
	_, err = db.Pool.Exec(t.Context(), `update servers set seen_at = seen_at - interval '60 s' where id = $1`, one.id)
	require.NoError(t, err)
	other.at = other.at.Add(sweepEvery)
	other.look(t.Context())
	var left int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select count(*) from servers`).Scan(&left))
	require.Equal(t, 1, left)
}

func TestAMissingRoleIsSaidOnce(t *testing.T) {
	db := pgtest.New(t)
	s := newServer(db, role.Ingest, role.Resolve)
	for range 30 {
		s.at = s.at.Add(time.Second)
		s.look(t.Context())
	}
	require.Equal(t, 1, bytes.Count(s.said.Bytes(), []byte("no server of this database has some roles")), "%s", &s.said)
	require.Contains(t, s.said.String(), "roles=reports")
	reports := newServer(db, role.Reports)
	reports.look(t.Context())
	s.look(t.Context())
	require.Contains(t, s.said.String(), "every role has a server again")
	require.Empty(t, reports.said.String())
}

func TestWithoutTheDatabaseAServerCountsAlone(t *testing.T) {
	db := pgtest.New(t)
	other, s := newServer(db, role.All()...), newServer(db, role.All()...)
	require.Equal(t, 100, pass(other.address, "a", 100))
	other.look(t.Context())
	s.look(t.Context())
	require.Zero(t, pass(s.address, "a", 10))
	hanging, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = hanging.Exec(t.Context(), `lock table servers`)
	require.NoError(t, err)
	s.at = s.at.Add(seenFor - time.Second)
	s.look(t.Context())
	require.Zero(t, pass(s.address, "a", 10), "a moment's outage changes nothing")
	for range 3 {
		s.at = s.at.Add(time.Second)
		s.look(t.Context())
	}
	require.Equal(t, 100, pass(s.address, "a", 200))
	require.Equal(t, 1, bytes.Count(s.said.Bytes(), []byte("other servers are not heard of")), "%s", &s.said)
	require.NoError(t, hanging.Rollback(t.Context()))
	other.look(t.Context())
	s.look(t.Context())
	require.Zero(t, pass(s.address, "a", 10), "it hears of the others again")
}

// However many addresses a stranger has, a row stays small and tells of those with most requests.
func TestWhatIsToldIsBounded(t *testing.T) {
	db := pgtest.New(t)
	one, other := newServer(db, role.All()...), newServer(db, role.All()...)
	for i := range 20_000 {
		pass(one.address, fmt.Sprint("stranger ", i), 11)
	}
	one.look(t.Context())
	pass(one.address, "most", 90)
	pass(one.key, "key", 900)
	one.look(t.Context())
	var size int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select octet_length(rates) from servers`).Scan(&size))
	require.Equal(t, (mostKeys+1)*sizeOfRate, size)
	other.look(t.Context())
	require.InDelta(t, 10, pass(other.address, "most", 200), 3)
	require.InDelta(t, 100, pass(other.key, "key", 2000), 20, "another limit's keys don't crowd it out")

	// What another version tells is not understood, and hurts nobody.
	for _, rates := range [][]byte{{1}, bytes.Repeat([]byte{7}, 100), bytes.Repeat([]byte{255}, 1000)} {
		_, err := db.Pool.Exec(t.Context(), `update servers set rates = $1, roles = '{cook}' where id = $2`, rates, one.id)
		require.NoError(t, err)
		other.look(t.Context())
		require.Equal(t, 100, pass(other.address, fmt.Sprint(len(rates)), 200))
	}
}

func TestServersLookByThemselves(t *testing.T) {
	db := pgtest.New(t)
	one, other := newServer(db, role.All()...), newServer(db, role.All()...)
	require.NoError(t, one.Start(t.Context()))
	require.NoError(t, other.Start(t.Context()))
	pass(one.address, "a", 100)
	require.Eventually(t, func() bool { return !other.address.Allow("a") }, 10*time.Second, 20*time.Millisecond)
	require.NoError(t, other.Stop(t.Context()))
	require.NoError(t, one.Stop(t.Context()))
	var left int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select count(*) from servers`).Scan(&left))
	require.Zero(t, left)
}
