package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/pgtest"
	"github.com/svc-dev/svc/postgres"
)

// startWriter starts a writer that is stopped with the test.
func startWriter(t testing.TB, db *postgres.DB, settings Settings, deps Deps) *Writer {
	t.Helper()
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	w, err := New(db, settings, deps)
	require.NoError(t, err)
	w.Start(context.Background())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = w.Stop(ctx) // a test for which the error matters has stopped it before
	})
	return w
}

// count runs a query for one number.
func count(t testing.TB, db *postgres.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

func testOrigin() Origin { return Origin{EnvironmentID: 7, ReceivedAt: time.Now()} }

// body makes an envelope of events.
func body(events ...string) []byte {
	return []byte(`{"events":[` + strings.Join(events, ",") + `]}`)
}

func event(id, name, user, more string) string {
	return fmt.Sprintf(`{"eventId":%q,"name":%q,"appUserId":%q,"sessionId":"s"%s}`, id, name, user, more)
}

func TestWriterStoresAndDeduplicates(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	ctx := context.Background()
	answer, err := w.Product(ctx, body(
		event("a", "session_start", "u", `,"context":{"platform":"web","attribution":{"source":"google"}}`),
		event("a", "session_start", "u", ""), event("b", "page_view", "u", `,"page":"/x","properties":{"n":1}`), event("c", "", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, Answer{Accepted: true, Stored: 2, Duplicates: 1, Rejected: []Reject{{Index: 3, EventID: "c", Code: "name_required", Message: "name is required"}}}, answer)
	answer, err = w.Product(ctx, body(event("b", "page_view", "u", `,"page":"/x"`), event("d", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, Answer{Accepted: true, Stored: 1, Duplicates: 1, Rejected: []Reject{}}, answer)
	require.Equal(t, 3, count(t, db, `select count(*) from product_event`))
	require.Equal(t, 1, count(t, db, `select count(*) from product_event where properties = '{"n": 1}' and page = '/x' and name_id > 0`))
	require.Equal(t, 1, count(t, db, `select count(*) from product_session where source = 'google' and platform = 'web' and cardinality(hits) = 3`))
	require.Equal(t, 1, count(t, db, `select count(*) from product_analytics_first_touch where source = 'google' and platform = 'web'`))

	// The other paths have ledgers of their own.
	answer, err = w.Track(ctx, []byte(event("a", "signup", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 1, answer.Stored)
	require.Equal(t, 1, count(t, db, `select count(*) from track_event where name = 'signup'`))
	require.NoError(t, w.Stop(ctx))
	require.Equal(t, 3, count(t, db, `select accepted from ingest_stat where path = 1`))
	require.Equal(t, 2, count(t, db, `select duplicates from ingest_stat where path = 1`))
	require.Equal(t, 1, count(t, db, `select (rejected->>'name_required')::int from ingest_stat where path = 1`))
}
