package sdkapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/liveusers"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/sdkapi"
)

// limitedWorld is a world whose workspace may have so many people a month.
type limitedWorld struct {
	*world
	counter *liveusers.Counter
	server  *httptest.Server
}

func newLimitedWorld(t *testing.T, limit int) *limitedWorld {
	t.Helper()
	w := newWorld(t)
	w.app.Exec(`insert into plans (key, name, features, limits)
		values ('small', 'Small', '[]', jsonb_build_object('live_mau', $1::int))`, limit)
	w.app.Exec(
		"insert into subscriptions (id, plan_id, workspace_id) values (gen_random_uuid(), 'small', $1)", w.app.WorkspaceID,
	)
	w.refresh()
	db, err := postgres.Open(t.Context(), w.pool.Config().ConnString(), postgres.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	quiet := slog.New(slog.DiscardHandler)
	writer, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, writer.Stop(context.Background())) })
	counter := liveusers.New(w.pool, liveusers.Options{Logger: quiet})
	stores := w.stores()
	stores.Events, stores.LiveUsers = writer, counter
	server := httptest.NewServer(sdkapi.New(w.catalogue, stores, sdkapi.Config{
		Gate: sdkapi.PlanGate{LiveUsers: counter}, Logger: quiet,
	}).Handler())
	w.keep(server)
	return &limitedWorld{w, counter, server}
}

// people returns how many people the database has after what waits was written.
func (w *limitedWorld) people() (n int) {
	w.t.Helper()
	require.NoError(w.t, w.counter.Write(context.Background()))
	require.NoError(w.t, w.counter.Read(context.Background()))
	require.NoError(w.t, w.pool.QueryRow(
		context.Background(), `select coalesce(sum(people), 0) from live_user_total where workspace_id = $1`,
		w.app.WorkspaceID,
	).Scan(&n))
	return n
}

// Whoever gets a document or sends an event that is accepted is active; who is refused, a crawler or of the test
// environment is not.
func TestWhoIsActive(t *testing.T) {
	w := newLimitedWorld(t, 1000)
	resolve := func(user string, changes ...change) *exchange {
		return w.sendTo(w.server, "/v1/sdk/resolve", fmt.Sprintf(`{"userId":%q}`, user), changes...)
	}
	event := func(path, user, name string, changes ...change) *exchange {
		return w.sendTo(w.server, path, fmt.Sprintf(`{"events":[{"eventId":"%[1]s","name":%[3]q,"appUserId":%[2]q,
			"identity":{"appUserId":%[2]q,"sessionId":"s"},"sessionId":"s","flowId":"%[4]s","versionId":"%[5]s",
			"timestamp":"%[6]s"}]}`, uuid.NewSHA1(uuid.Nil, []byte(path+user)), user, name, w.versions[0].FlowID, w.versions[0].ID,
			time.Now().UTC().Format(time.RFC3339)),
			changes...)
	}
	first := resolve("by document")
	require.Equal(t, http.StatusOK, first.status)
	require.Equal(t, 1, w.people())
	again := resolve("by 304", header("If-None-Match", first.header.Get("ETag")))
	require.Equal(t, http.StatusNotModified, again.status)
	require.Equal(t, 2, w.people())
	require.Equal(t, http.StatusOK, w.sendTo(w.server, "/v1/sdk/resolve-all", `{"userId":"by all"}`).status)
	require.Equal(t, 3, w.people())
	for i, path := range []string{"/v1/sdk/analytics/events", "/v1/sdk/track", "/v1/sdk/events"} {
		name := "buy"
		if path == "/v1/sdk/events" {
			name = "flow_started"
		}
		for range 2 { // the second time it is a duplicate
			sent := event(path, "by "+path, name)
			require.Equal(t, http.StatusOK, sent.status)
			require.Contains(t, string(sent.body), `"rejected":[]`, path)
		}
		require.Equal(t, 4+i, w.people(), path)
	}

	require.Equal(t, http.StatusNotFound, resolve("nobody", channel(w.unassigned)).status)
	require.Equal(t, http.StatusBadRequest, resolve("").status)
	require.Contains(t, string(event("/v1/sdk/analytics/events", "nobody", "").body), `"rejected":[{`)
	require.Contains(t, string(event(
		"/v1/sdk/analytics/events", "crawler", "buy", header("User-Agent", "Googlebot/2.1 (+http://www.google.com/bot.html)"),
	).body), `"ignored":1`)
	require.Equal(t, http.StatusOK, w.sendTo(
		w.server, "/v1/sdk/resolve-all", `{"userId":"tester"}`, header("Authorization", "Bearer "+w.app.Test.Key),
	).status)
	require.Equal(t, http.StatusOK, event(
		"/v1/sdk/track", "tester", "buy", header("Authorization", "Bearer "+w.app.Test.Key),
	).status)
	require.Equal(t, 6, w.people())
}

// With as many people as the plan allows all goes on. With one more every path of the live environment is refused, for
// known people as well, and stores nothing; the test environment goes on, and so does the live one after an upgrade.
func TestTrafficPausesAboveTheLimit(t *testing.T) {
	w := newLimitedWorld(t, 5)
	resolve := func(user string) *exchange {
		return w.sendTo(w.server, "/v1/sdk/resolve", fmt.Sprintf(`{"userId":%q}`, user))
	}
	for i := range 5 {
		require.Equal(t, http.StatusOK, resolve(fmt.Sprint(i)).status)
	}
	require.Equal(t, 5, w.people())
	require.Equal(t, http.StatusOK, resolve("0").status, "the limit itself is allowed")
	require.Equal(t, http.StatusOK, resolve("5").status)
	require.Equal(t, 6, w.people())
	bodies := map[string]string{
		"/v1/sdk/resolve": `{"userId":"0"}`, "/v1/sdk/resolve-all": `{"userId":"0"}`, "/v1/sdk/preview": `{"token":"good"}`,
		"/v1/sdk/events": oneEvent("/v1/sdk/events"), "/v1/sdk/analytics/events": oneEvent("/v1/sdk/analytics/events"),
		"/v1/sdk/track": oneEvent("/v1/sdk/track"), "/v1/sdk/identify": `{"appUserId":"0"}`,
		"/v1/sdk/billing-identities": `{}`, attempts: `{}`, attempts + "/" + uuid.NewString() + "/cancel": `{}`,
	}
	for path, body := range bodies {
		refused := w.sendTo(w.server, path, body)
		require.Equal(t, http.StatusPaymentRequired, refused.status, path)
		require.Equal(t, "plan_limit_reached", refused.code(), path)
		require.Empty(t, refused.header.Get("Retry-After"), path)
	}
	require.Equal(t, http.StatusPaymentRequired,
		w.sendTo(w.server, attempts+"/"+uuid.NewString(), "", method(http.MethodGet)).status)
	require.Equal(t, 6, w.people())
	var stored int
	require.NoError(t, w.pool.QueryRow(t.Context(), `
		select (select count(*) from event_seen) + (select count(*) from event_seen_packed)
			+ (select count(*) from person)`).Scan(&stored))
	require.Zero(t, stored)
	require.Equal(t, http.StatusOK, w.sendTo(
		w.server, "/v1/sdk/resolve-all", `{"userId":"0"}`, header("Authorization", "Bearer "+w.app.Test.Key),
	).status)

	w.app.Exec(`update plans set limits = '{"live_mau": 6}' where key = 'small'`)
	w.refresh()
	require.Equal(t, http.StatusOK, resolve("0").status)
	w.app.Exec(`update plans set limits = '{"live_mau": 5}' where key = 'small'`)
	w.refresh()
	require.Equal(t, http.StatusPaymentRequired, resolve("0").status)
	w.app.Exec(`update live_user_total set month = month - interval '1 month'`)
	require.Zero(t, w.people()-6)
	require.Equal(t, http.StatusOK, resolve("0").status, "another month")
}

// What the gate does without a limit is not worth counting.
func TestTheGateAllocatesNothing(t *testing.T) {
	w := newLimitedWorld(t, 1000)
	tenant := w.catalogue.Snapshot().Tenant(w.app.Live.Key)
	gate := sdkapi.PlanGate{LiveUsers: w.counter, Grace: time.Hour}
	w.counter.Note(tenant, "0", time.Now())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if gate.Refusal(context.Background(), tenant) != nil {
			panic("refused")
		}
		w.counter.Note(tenant, "0", time.Now())
	}))
}
