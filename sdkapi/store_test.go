package sdkapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/sdkapi"
)

// stored returns a server on the real event store.
func stored(t *testing.T, db *postgres.DB, app *deliverytest.App, channel deliverytest.Channel) *world {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	w := &world{t: t, app: app, pinned: channel, catalogue: delivery.New(db.Pool, delivery.Options{Logger: quiet})}
	require.NoError(t, w.catalogue.RefreshAll(context.Background()))
	writer, err := ingest.New(
		db, ingest.Settings{}, ingest.Deps{Logger: quiet, AssignmentVersion: w.catalogue.AssignmentVersion},
	)
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	t.Cleanup(func() {
		stopping, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = writer.Stop(stopping) // a test may have taken the database away
	})
	w.server = httptest.NewServer(
		sdkapi.New(
			w.catalogue,
			sdkapi.Stores{
				Events: writer, People: people.New(db.Pool, people.Options{}),
				Payments: revenue.New(db.Pool, revenue.Options{}),
			},
			sdkapi.Config{Logger: quiet},
		).Handler(),
	)
	w.keep(w.server)
	return w
}

var eventTables = []string{
	"product_event", "flow_event", "track_event", "product_session", "product_analytics_first_touch", "event_seen",
	"event_seen_packed",
}

func count(t *testing.T, db *postgres.DB, table string) (rows int) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), "select count(*) from "+table).Scan(&rows))
	return rows
}

// Each path stores into its own table; resolving and prefetching store nothing.
func TestPathsOnTheRealStore(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	version := app.Publish()
	channel := app.Live.Pinned(version)
	channel.Record(time.Now().Add(-time.Hour))
	w := stored(t, db, app, channel)

	for range 3 {
		require.Equal(t, http.StatusOK, w.send("/v1/sdk/resolve-all", resolveBody).status)
		require.Equal(t, http.StatusOK, w.send("/v1/sdk/resolve", resolveBody).status)
	}
	for _, table := range eventTables {
		require.Zero(t, count(t, db, table), table)
	}

	for path, table := range map[string]string{
		"/v1/sdk/events": "flow_event", "/v1/sdk/analytics/events": "product_event", "/v1/sdk/track": "track_event",
	} {
		x := w.send(path, oneEvent(path))
		require.JSONEq(t, `{"accepted":true,"stored":1,"duplicates":0,"rejected":[]}`, string(x.body), path)
		require.Equal(t, 1, count(t, db, table), path)
	}

	// What the client did not say is derived, what is sensitive is not kept.
	x := w.send("/v1/sdk/events", fmt.Sprintf(`{"events":[{"eventId":"0197aa00-0000-7000-8000-000000000077","name":"text_submitted","timestamp":%q,"flowId":%q,"versionId":%q,
		"identity":{"appUserId":"dev-1"},"fieldClassification":"sensitive","properties":{"value":"my secret"}}]}`, time.Now().Format(time.RFC3339), version.FlowID, version.ID))
	require.Equal(t, http.StatusOK, x.status, "%s", x.body)
	var assignment int
	var properties string
	require.NoError(t, db.Pool.QueryRow(context.Background(),
		"select assignment_version, properties::text from flow_event where name = 'text_submitted'").Scan(
		&assignment, &properties,
	))
	require.Equal(t, 1, assignment)
	require.Contains(t, properties, "__redacted__")
	require.NotContains(t, properties, "secret")
}

// Retries of one batch, at the same time and on two servers, store it once.
func TestConcurrentRetriesOnTwoServers(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	channel := app.Live.Pinned(app.Publish())
	first := stored(t, db, app, channel)
	second := stored(t, db, app, channel)
	for path, table := range map[string]string{
		"/v1/sdk/events": "flow_event", "/v1/sdk/analytics/events": "product_event", "/v1/sdk/track": "track_event",
	} {
		sent := oneEvent(path)
		statuses := make([]int, 16)
		var running sync.WaitGroup
		for i := range statuses {
			running.Go(func() {
				request, err := http.NewRequest(http.MethodPost, []*world{first, second}[i%2].server.URL+path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				body(sent)(request)
				request.Header.Set("Authorization", "Bearer "+app.Live.Key)
				request.Header.Set("X-Svc-Channel", channel.PublicID)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				defer response.Body.Close()
				statuses[i] = response.StatusCode
			})
		}
		running.Wait()
		for _, status := range statuses {
			require.Equal(t, http.StatusOK, status, path)
		}
		require.Equal(t, 1, count(t, db, table), path)
	}
}

// While the database is away events are refused with a time to come back, and
// resolve goes on.
func TestDatabaseAway(t *testing.T) {
	server, db := pgtest.PrivateDB(t)
	ctx := context.Background()
	app := deliverytest.NewApp(t, db.Pool)
	w := stored(t, db, app, app.Live.Pinned(app.Publish()))
	require.Equal(t, http.StatusOK, w.send("/v1/sdk/track", oneEvent("/v1/sdk/track")).status)
	require.NoError(t, server.Stop(ctx))
	for _, path := range eventPaths {
		x := w.send(path, oneEvent(path))
		require.Equal(t, http.StatusServiceUnavailable, x.status, "%s", x.body)
		require.Equal(t, "ingest_unavailable", x.code())
		seconds, err := strconv.Atoi(x.header.Get("Retry-After"))
		require.NoError(t, err)
		require.Positive(t, seconds)
	}
	before := w.send("/v1/sdk/resolve", resolveBody)
	require.Equal(t, http.StatusOK, before.status)
	require.Equal(
		t, http.StatusNotModified,
		w.send("/v1/sdk/resolve", resolveBody, header("If-None-Match", before.header.Get("ETag"))).status,
	)
	require.Equal(t, http.StatusOK, w.send("/v1/sdk/resolve-all", resolveBody).status)
}
